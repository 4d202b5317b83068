# SPDX-License-Identifier: Apache-2.0
"""
Every operator of Data-Juicer is here, or refused with what is missing and what to do, never as
unknown: those of operators.txt beside this file, and of the table in the shared folder, if there.
"""
import json
import os
import re
import sys

from tool import Workplace, expect, report

SHARED = sys.argv[2] if len(sys.argv) > 2 else ''
HERE = 'an operator of Data-Juicer that is not here: '
REMEDIES = ('leave it out', '--plugin', 'write document_', 'name the operators inside')


def own_names():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'operators.txt'),
              encoding='utf-8') as file:
        return file.read().split()


def findings_of(work, names):
    known = {operator['name'] for operator in json.loads(work.run('ops', '--json').stdout)}
    work.job(names)
    result = work.run('plan', 'job.json')
    errors = dict(re.findall(r'process\.(\d+)\.\w+: (.*)', result.stderr))
    findings = expect(result, 2)
    for number, name in enumerate(names):
        error = errors.get(str(number), '')
        if name in known and HERE in error:
            findings.append(f'{name} is here: {error}')
        elif name not in known and not (error.startswith(HERE) and
                                        any(words in error for words in REMEDIES)):
            findings.append(f'{name}: {error or "no error"}')
    return findings


def operators_are_here_or_refused_with_the_remedy():
    with Workplace() as work:
        names = own_names()
        return findings_of(work, names) + ([] if len(names) > 200 else [f'{len(names)} names'])


def operators_of_the_shared_table_are_too():
    path = os.path.join(SHARED, 'oracle/tables/operator_names.json')
    if not SHARED or not os.path.exists(path):
        return 'no table; -Dshared_dir names its folder'
    with Workplace() as work, open(path, encoding='utf-8') as file:
        return findings_of(work, json.load(file))


def refusals_say_what_is_missing():
    """A few whose words a user looks for."""
    words = {'language_id_score_filter': 'recognizes languages',
             'image_shape_filter': 'works on images',
             'llm_quality_score_filter': 'large language model',
             'python_lambda_mapper': 'runs code in Python',
             'ray_bts_minhash_cpp_deduplicator': 'write document_minhash_deduplicator'}
    findings = []
    with Workplace() as work:
        for name, missing in words.items():
            work.job([name])
            findings += expect(work.run('run', 'job.json'), 2, [f'process.0.{name}', missing], '')
            findings += expect(work.run('ops', name), 2, [name, missing], '')
        return findings


def other_names_stay_unknown():
    with Workplace() as work:
        work.job(['image_shape_filer', 'my_own_mapper'])
        return expect(work.run('plan', 'job.json'), 2,
                      ['image_shape_filer: unknown operator', 'my_own_mapper: unknown operator'])


report(operators_are_here_or_refused_with_the_remedy, operators_of_the_shared_table_are_too,
       refusals_say_what_is_missing, other_names_stay_unknown)
