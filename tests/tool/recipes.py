# SPDX-License-Identifier: Apache-2.0
"""The YAML reader against PyYAML: real recipes, random scalars and documents (the seed is printed)."""
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
DOCUMENTS = 300
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


class Document:
    """A random document in flow style, with anchors, aliases and merge keys."""

    SCALARS = ('1', '-3', '0x1f', '017', '0b11', '1_000', '1.5', '1.0e+5', '1e5', 'yes', 'No',
               'off', '~', 'null', '""', "'a: b'", '"x\\ty"', 'a b', '2001-01-01', '0o7')
    KEYS = ('a', 'b', 'c', "'d'", 'e f', '"g"')

    def __init__(self, generator):
        self.generator = generator
        self.anchors = 0
        self.names = []
        self.mappings = []
        self.text = ''.join(f'k{number}: {self.node(0)}\n'
                            for number in range(generator.randint(1, 6)))

    def anchored(self, text, is_mapping=False):
        """The node, under an anchor now and then; a name counts behind its node only."""
        if self.generator.random() < 0.65:
            return text
        self.anchors += 1
        name = f'x{self.anchors}'
        self.names.append(name)
        if is_mapping:
            self.mappings.append(name)
        return f'&{name} {text}'

    def merge(self):
        names = [self.generator.choice(self.mappings) for _ in range(2)]
        return f'<<: *{names[0]} ' if self.generator.random() < 0.6 else \
            f'<<: [*{names[0]} , *{names[1]} ]'

    def mapping(self, depth):
        keys = self.generator.sample(self.KEYS, self.generator.randint(0, 4))
        merge = [self.merge()] if self.mappings and self.generator.random() < 0.5 else []
        parts = [f'{key}: {self.node(depth + 1)}' for key in keys]
        place = self.generator.randint(0, len(parts))
        parts[place:place] = merge
        return '{' + ', '.join(parts) + '}'

    def node(self, depth):
        kind = self.generator.random()
        if self.names and kind < 0.15:
            return f'*{self.generator.choice(self.names)} '
        if depth > 3 or kind < 0.5:
            return self.anchored(self.generator.choice(self.SCALARS))
        if kind < 0.7:
            return self.anchored('[' + ', '.join(
                self.node(depth + 1) for _ in range(self.generator.randint(0, 3))) + ']')
        return self.anchored(self.mapping(depth), True)


def seeded():
    seed = int(os.environ.get('PEX_TEST_SEED', random.randrange(1 << 32)))
    print(f'# seed {seed}')
    return random.Random(seed)


def document_findings():
    generator = seeded()
    findings = []
    for _ in range(DOCUMENTS):
        text = Document(generator).text
        result = convert(text)
        if result.returncode != 0 or json.loads(result.stdout) != yaml.load(text, loader()):
            findings.append(f'{text!r}: {result.stdout.decode()}')
    return findings[:5]


def scalar_findings():
    generator = seeded()
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
            ('random_scalars_mean_what_they_mean_to_pyyaml', missing or scalar_findings()),
            ('random_documents_mean_what_they_mean_to_pyyaml', missing or document_findings())]


tap.report(facts())
