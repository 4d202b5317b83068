# SPDX-License-Identifier: Apache-2.0
"""The YAML reader against PyYAML: real recipes, and random scalars (the seed is printed)."""
import glob
import json
import math
import os
import random
import subprocess
import sys

import tap

try:
    import yaml
except ImportError:
    yaml = None

YAML_CAT, SHARED = sys.argv[1], sys.argv[2]
SCALARS = 3000
ALPHABET = '0123456789_.-+eExb:a~'


def loader():
    """The safe loader, with dates left as text."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.yaml_implicit_resolvers = {
        first: [(tag, rule) for tag, rule in rules if not tag.endswith(':timestamp')]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    return Loader


def convert(text):
    return subprocess.run([YAML_CAT], input=text.encode(), capture_output=True, check=False)


def recipe_findings():
    paths = sorted(glob.glob(os.path.join(SHARED, 'recipes', '*.yaml'))) if SHARED else []
    if not paths:
        return 'no recipes; -Dshared_dir names their folder'
    findings = []
    for path in paths:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        result = convert(text)
        if result.returncode != 0:
            findings.append(f'{os.path.basename(path)}: {result.stdout.decode()}')
        elif json.loads(result.stdout) != yaml.load(text, loader()):
            findings.append(f'{os.path.basename(path)}: another value')
    return findings


def random_scalar(generator):
    """A text and what PyYAML takes it for, or None for what JSON does not have."""
    text = ''.join(generator.choice(ALPHABET) for _ in range(generator.randint(1, 7)))
    try:
        value = yaml.load(f'k: {text}\n', loader())['k']
    except (yaml.YAMLError, ValueError):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if ':' in text and isinstance(value, (int, float)):
        return None  # base 60
    return text, value


def scalar_findings():
    seed = random.randrange(1 << 32)
    print(f'# seed {seed}')
    generator = random.Random(seed)
    cases = list(filter(None, (random_scalar(generator) for _ in range(SCALARS))))
    result = convert(''.join(f'k{number}: {text}\n' for number, (text, _) in enumerate(cases)))
    if result.returncode != 0:
        return [result.stdout.decode()]
    found = json.loads(result.stdout)
    return [f'{text}: found {found[f"k{number}"]!r}, expected {value!r}'
            for number, (text, value) in enumerate(cases)
            if repr(found[f'k{number}']) != repr(value)]


def facts():
    missing = None if yaml else 'PyYAML is not installed'
    return [('recipes_mean_what_they_mean_to_pyyaml', missing or recipe_findings()),
            ('random_scalars_mean_what_they_mean_to_pyyaml', missing or scalar_findings())]


tap.report(facts())
