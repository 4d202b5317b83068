# SPDX-License-Identifier: Apache-2.0
"""Runs the examples on rows made here and compares what they write with a result made here."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import tap

TEXTS = ['  Rows with blanks\u00a0around and inside them \n', 'too short', '\u3000' * 30,
         'twenty letters do it', 'the first line\nthe second line', 'Kein Treffer in dieser Zeile',
         'na\u00efve caf\u00e9, the \U0001f600 of the day', 'other \u2003 the lathe, then bathe']
BLANKS = re.compile('[\u00a0\u2003]')


def write_rows(path, rows):
    with open(path, 'w', encoding='utf-8') as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + '\n')


def read_rows(text):
    return [json.loads(line) for line in text.splitlines() if line]


def input_rows():
    return [{'id': number, 'text': text, 'n': 1.5} for number, text in enumerate(TEXTS * 40)]


def expected_host(rows):
    """Blanks become U+0020, none at the ends; rows of 20 code points or more stay."""
    cleaned = [{**row, 'text': BLANKS.sub(' ', row['text'].strip())} for row in rows]
    return [row for row in cleaned if len(row['text']) >= 20]


def split_by_length(rows):
    """What two filters make of the rows: texts of less than 20 code points, and the others."""
    return ([row for row in rows if len(row['text']) < 20],
            [row for row in rows if len(row['text']) >= 20])


def shouted(rows, mark):
    capitals = {ord(c): c.upper() for c in 'abcdefghijklmnopqrstuvwxyz'}
    return [{**row, 'text': row['text'].translate(capitals) + mark} for row in rows]


def expected_custom(rows, phrase):
    return [{**row, 'title': row['text'].split('\n')[0]} for row in rows if phrase in row['text']]


def run(command, environment=None, folder=None, text=''):
    """A program that does not end is killed, and has the exit status None."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding='utf-8', cwd=folder,
                          env={**os.environ, **(environment or {})}) as process:
        try:
            output, errors = process.communicate(text, timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return subprocess.CompletedProcess(command, None, '', 'killed after 60 s')
        return subprocess.CompletedProcess(command, process.returncode, output, errors)


def differences(found, expected):
    for number, (one, other) in enumerate(zip(found, expected)):
        if one != other:
            return [f'row {number}: found {one}', f'row {number}: expected {other}']
    return [] if len(found) == len(expected) else [f'{len(found)} rows, expected {len(expected)}']


def failed(result):
    return [f'exit status {result.returncode}', *result.stderr.splitlines()[-20:]]


def host_findings(before, after, environment=None):
    """A host, in C or in Python, writes the expected rows and prints a summary that adds up."""
    rows = input_rows()
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, 'in.jsonl'), os.path.join(folder, 'out.jsonl')
        write_rows(source, rows)
        result = run([*before, source, target, *after], environment)
        if result.returncode != 0:
            return failed(result)
        with open(target, encoding='utf-8') as file:
            found = read_rows(file.read())
    expected = expected_host(rows)
    summary = json.loads(result.stdout)
    counts = (summary['state'], summary['input']['rows'], summary['output']['rows'])
    wanted = ('done', len(rows), len(expected))
    return differences(found, expected) + ([] if counts == wanted else
                                           [f'summary says {counts}, expected {wanted}'])


def refused_findings(before, after, environment=None):
    """An input that is not there: the host says so and leaves no output."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, 'absent.jsonl'), os.path.join(folder, 'out.jsonl')
        result = run([*before, source, target, *after], environment)
        left = os.listdir(folder)
    findings = [] if result.returncode == 1 else failed(result)
    if 'absent.jsonl' not in result.stderr:
        findings.append(f'the message does not name the file: {result.stderr.strip()}')
    return findings + [f'{name} is left behind' for name in left if name.startswith('out')]


def custom_findings(program, phrase, environment=None):
    rows = input_rows()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'in.jsonl')
        write_rows(source, rows)
        result = run([program, source, *([phrase] if phrase else [])], environment)
    if result.returncode != 0:
        return failed(result)
    return differences(read_rows(result.stdout), expected_custom(rows, phrase or 'the'))


def custom_refused_findings(program, environment=None):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'in.jsonl')
        write_rows(source, input_rows())
        result = run([program, source, ''], environment)
    findings = [] if result.returncode == 1 else failed(result)
    if 'phrase' not in result.stderr:
        findings.append(f'the message does not name the parameter: {result.stderr.strip()}')
    return findings + (['rows came out'] if result.stdout else [])


def loop_findings(program, plugin, environment=None):
    """A host with a loop of its own runs two jobs to their ends."""
    rows = input_rows()
    with tempfile.TemporaryDirectory() as folder:
        source, short, long = (os.path.join(folder, name) for name in ('in.jsonl', 's', 'l'))
        write_rows(source, rows)
        result = run([program, source, short, long, plugin], environment)
        if result.returncode != 0:
            return failed(result)
        found = []
        for path in (short, long):
            with open(path, encoding='utf-8') as file:
                found.append(read_rows(file.read()))
    expected = split_by_length(rows)
    findings = differences(found[0], expected[0]) + differences(found[1], expected[1])
    ends = result.stdout.count('"state": "done"')
    return findings + ([] if ends == 2 else [f'{ends} jobs are done by the summaries, expected 2'])


def cpp_findings(program, environment=None):
    rows = input_rows()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'in.jsonl')
        write_rows(source, rows)
        result = run([program, source, '?!'], environment)
        absent = run([program, os.path.join(folder, 'absent.jsonl')], environment)
    findings = differences(read_rows(result.stdout), shouted(rows, '?!'))
    if result.returncode != 0:
        findings = failed(result)
    if absent.returncode != 1 or 'absent.jsonl' not in absent.stderr:
        findings += ['the missing input:', *failed(absent)]
    return findings


def loop_facts(program, plugin, environment=None, suffix=''):
    name = os.path.basename(program).replace('example_', '').replace(suffix, '')
    return [(f'{name}_runs_two_jobs_in_a_loop_of_the_host{suffix}',
             loop_findings(program, plugin, environment)),
            (f'{name}_names_a_missing_input{suffix}',
             refused_findings([program], [os.devnull, plugin], environment))]


def cpp_facts(program, environment=None, suffix=''):
    return [(f'host_in_cpp_runs_an_operator_of_its_own{suffix}',
             cpp_findings(program, environment))]


def piped_findings(command, environment=None):
    """Rows from standard input to standard output, and no file between."""
    rows = input_rows()
    text = ''.join(json.dumps(row) + '\n' for row in rows)
    result = run(command, environment, text=text)
    if result.returncode != 0:
        return failed(result)
    return differences(read_rows(result.stdout), expected_host(rows))


def memory_records_findings(program, plugin, environment=None):
    """Rows that cannot be read are told, each once, and the others come out."""
    text = '{"id": 1}\n{"text": "long enough to stay in"}\nno row\n'
    result = run([program, plugin], environment, text=text)
    if result.returncode != 0:
        return failed(result)
    told = [(record['source'], record['offset']) for record in read_rows(result.stderr)]
    expected = [('stdin[0]', 0), ('stdin[0]', text.index('no row'))]
    return differences(told, expected) + differences(
        read_rows(result.stdout), [{'text': 'long enough to stay in'}])


def c_facts(host, custom, memory, plugin, environment=None, suffix=''):
    return [
        (f'host_in_c_writes_the_expected_rows{suffix}',
         host_findings([host], [plugin], environment)),
        (f'host_in_c_names_a_missing_input{suffix}',
         refused_findings([host], [plugin], environment)),
        (f'operators_of_the_host_see_every_row{suffix}',
         custom_findings(custom, None, environment)),
        (f'operators_of_the_host_take_parameters{suffix}',
         custom_findings(custom, 'line', environment)),
        (f'rows_go_through_memory{suffix}', piped_findings([memory, plugin], environment)),
        (f'rows_that_fail_are_told_without_files{suffix}',
         memory_records_findings(memory, plugin, environment)),
        (f'a_parameter_that_check_refuses_stops_the_job{suffix}',
         custom_refused_findings(custom, environment)),
    ]


def generator_refused_findings(script, library, plugin):
    """What a generator raises ends the job, and is told."""
    result = run([sys.executable, script, library, plugin], text='{"text": "a"}\nno row\n')
    findings = [] if result.returncode == 1 else failed(result)
    if 'JSONDecodeError' not in result.stderr or 'generator' not in result.stderr:
        findings.append(f'the message does not tell why: {result.stderr.strip()}')
    return findings


def python_facts(examples, library, plugin, suffix=''):
    before = [sys.executable, os.path.join(examples, 'host.py')]
    generator, after = os.path.join(examples, 'generator.py'), [library, plugin]
    return [(f'host_in_python_writes_the_expected_rows{suffix}', host_findings(before, after)),
            (f'host_in_python_names_a_missing_input{suffix}', refused_findings(before, after)),
            (f'a_generator_in_python_feeds_a_job{suffix}',
             piped_findings([sys.executable, generator, *after])),
            (f'what_a_generator_raises_fails_the_job{suffix}',
             generator_refused_findings(generator, *after))]


def main():
    parser = argparse.ArgumentParser()
    for name in ('host', 'custom', 'memory', 'library', 'examples', 'plugin'):
        parser.add_argument(name)
    parser.add_argument('--loops', nargs='*', default=[])
    parser.add_argument('--cpp')
    parser.add_argument('--sanitized', action='store_true')
    options = parser.parse_args()
    facts = c_facts(options.host, options.custom, options.memory, options.plugin)
    for program in options.loops:
        facts += loop_facts(program, options.plugin)
    if options.cpp:
        facts += cpp_facts(options.cpp)
    if options.sanitized:
        facts.append(('host_in_python_writes_the_expected_rows',
                      'a sanitizer must be loaded before python is'))
    else:
        facts += python_facts(options.examples, options.library, options.plugin)
    tap.report(facts)


if __name__ == '__main__':
    main()
