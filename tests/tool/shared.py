# SPDX-License-Identifier: Apache-2.0
"""
Recipes as users of Data-Juicer have them, those of the shared folder: each one plans, or is refused
with the places that are wrong and what to do; one that plans runs on data of the same folder.
"""
import glob
import os
import re
import sys

from tool import Workplace, expect, report

SHARED = sys.argv[2] if len(sys.argv) > 2 else ''
RECIPES = sorted(glob.glob(os.path.join(SHARED, 'recipes/*.yaml'))) if SHARED else []
DATA = sorted(glob.glob(os.path.join(SHARED, 'data/*.jsonl'))) if SHARED else []
MISSING = 'no recipes; -Dshared_dir names their folder'
# An error has its place, and either what was expected or what to do.
PLACE = re.compile(r'(process\.\d+\.\w+(\.\w+)?|[a-z_]+(\.[a-z_0-9]+)*): ')
REMEDY = re.compile('leave|load a plugin|expected|write |name |use |install|cannot be read')


def refusal_findings(name, stderr):
    findings = []
    for line in stderr.splitlines():
        error = line.split('.yaml: ', 1)[-1]
        if not PLACE.match(error) or not REMEDY.search(error):
            findings.append(f'{name}: {line}')
    return findings or ([] if stderr else [f'{name}: no error'])


def recipes_plan_or_are_refused_with_the_remedy():
    findings = []
    with Workplace() as work:
        for path in RECIPES:
            result = work.run('plan', path)
            name = os.path.basename(path)
            if result.returncode == 2:
                findings += refusal_findings(name, result.stderr)
            else:
                findings += expect(result, 0)
        return findings if RECIPES else MISSING


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return sum(1 for line in file if line.strip())


def recipes_that_plan_run_on_data():
    findings = []
    ran = 0
    with Workplace() as work:
        for path in RECIPES:
            if work.run('plan', path).returncode != 0:
                continue
            for number, rows in enumerate(DATA):
                out = f'out/{os.path.basename(path)}-{number}.jsonl'
                result = work.run('run', '--quiet', path, '--set', f'dataset_path={rows}',
                                  '--set', f'export_path={out}', '--set', 'work_dir=work')
                findings += expect(result, 0, (), '')
                ran += 1
                if not findings and lines_of(work.at(out)) > lines_of(rows):
                    findings.append(f'{path} on {rows}: more rows than there were')
        if not RECIPES or not DATA:
            return MISSING
        return findings or ([] if ran else ['no recipe ran'])


report(recipes_plan_or_are_refused_with_the_remedy, recipes_that_plan_run_on_data)
