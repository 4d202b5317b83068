#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Writes the parts of the documents that are made from the tables of the code: gen_docs.py COMMAND,
where COMMAND is a built partexec. Such a part stands between a line that holds "generated: NAME"
and one that holds "generated: end". A test of the suite `tool` fails when a part is not up to date.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENTS = ('README.md', 'docs/spec.md', 'docs/operators.md', 'docs/partexec.1')
PART = re.compile(r'^(?P<begin>[^\n]*\bgenerated: (?P<name>(?!end\b)[^\n]*?)(?: -->)?\n)'
                  r'.*?(?P<end>^[^\n]*\bgenerated: end\b[^\n]*\n)', re.M | re.S)

# The plugin for tests has a page of its own.
OTHER_PAGES = {'lab': 'lab.md'}

TYPES = {'count': '"auto" or an integer', 'bytes': 'bytes', 'name': 'string or integer',
         'strings': 'string or list of strings', 'integers': 'integer or list of integers',
         'json': 'JSON'}
DOES = {'row_to_row': 'changes rows', 'filter': 'keeps or drops rows',
        'row_to_many': 'makes several rows of one, or none',
        'global': 'decides when it has seen all rows'}
FLAGS = {'blocking': 'waits in its calls, on threads of its own', 'gpu': 'needs a GPU',
         'batch_sensitive': 'what it does to a row depends on the other rows of the call'}

EXAMPLE_ROWS = r'''{"id": 1, "text": "A short text."}
{"id": 2, "text": "More than ten words make a row that most filters keep."}
{"id": 3, "text": "\u3000Odd\u00a0blanks inside,\u2003and at the ends.\n"}
{"id": 4, "text": "See https://example.com/page?id=1 or write to jane@example.org."}
{"id": 5, "text": "A short text."}
'''
# Where these rows and the defaults show little: parameters, and a text of the operator's own. What
# is not here is shown with its defaults on the rows above.
EXAMPLES = {
    'text_length_filter': ({'min_len': 20}, None),
    'clean_copyright_mapper': ({}, '/* Copyright 2020 A. Author */\nint answer = 42;\n'),
    'clean_html_mapper': ({}, '<p>One &amp; two</p><ul><li>three</li></ul>'),
    'clean_ip_mapper': ({'repl': 'IP'}, 'From 192.168.0.1 to 10.0.0.7.'),
    'expand_macro_mapper': ({}, '\\def\\lib{partexec}\nIn \\lib, all is in order.\n'),
    'fix_unicode_mapper': ({}, 'cafÃ© ﬁrst'),
    'punctuation_normalization_mapper': ({}, '“Well”，he said：“fine”。'),
    'remove_bibliography_mapper': ({}, 'The end.\n\\bibliography{books}\n'),
    'remove_comments_mapper': ({}, '% a comment\nHalf of it, or 50\\%.\n% another\n'),
    'remove_header_mapper': ({}, '\\title{T}\n\\section{One}\nThe text.\n'),
    'remove_repeat_sentences_mapper': ({}, 'Say it once. Say it twice. Say it once.'),
    'remove_specific_chars_mapper': ({}, '● first ■ second'),
    'remove_table_text_mapper': ({}, 'Before it.\na b c\nd e f\n\nBehind it, a sentence.\n'),
    'replace_content_mapper': ({'pattern': '[0-9]+', 'repl': '#'}, 'Call 555 0100.'),
}


def ask(command, *arguments):
    run = subprocess.run([command, *arguments], capture_output=True, check=True, encoding='utf-8')
    return json.loads(run.stdout)


def text_of(value):
    """A JSON value as it stands in a job."""
    return json.dumps(value, ensure_ascii=False)


def cell(text):
    return text.replace('|', '\\|').replace('\n', ' ')


def row(*cells):
    return '| ' + ' | '.join(cell(text) for text in cells) + ' |\n'


def table(titles, rows):
    return row(*titles) + '|' + '---|' * len(titles) + '\n' + ''.join(row(*cells) for cells in rows)


def number(value):
    return str(int(value)) if value == int(value) else str(value)


def bounds_of(entry):
    least, most = entry.get('min'), entry.get('max')
    if least is not None and most is not None:
        return f', {number(least)} to {number(most)}'
    if least is not None:
        return f', at least {number(least)}'
    return f', at most {number(most)}' if most is not None else ''


def type_of(entry):
    if entry.get('choices'):
        return ', '.join(f'`{choice}`' for choice in entry['choices'])
    return TYPES.get(entry['type'], entry['type']) + bounds_of(entry)


def default_of(entry):
    return '' if entry.get('default') is None else f'`{text_of(entry["default"])}`'


def help_of(entry):
    later = '; *checked, without effect in this version*' if entry.get('without_effect') else ''
    return entry['help'] + later


def ours(keys, of):
    return [key for key in keys if key['class'] == 'ours' and key['of'] == of]


def sections(keys):
    """[(title, keys)] of a job's keys that mean something here, in the order of the table."""
    found = {}
    for key in ours(keys, 'job'):
        found.setdefault(key['section'], []).append(key)
    return list(found.items())


def key_table(keys):
    return table(('key', 'value', 'default', 'meaning'),
                 [(f'`{key["key"]}`', type_of(key), default_of(key), help_of(key)) for key in keys])


def keys_of_job(facts):
    return '\n'.join(f'### {title}\n\n{key_table(keys)}' for title, keys in sections(facts.keys))


def keys_of_operators(facts):
    return key_table(ours(facts.keys, 'operator'))


def ignored_keys(facts):
    """A line for each reason: most keys share theirs with others."""
    reasons = {}
    for key in facts.keys:
        if key['class'] == 'ignored':
            names = reasons.setdefault(key['help'], [])
            if f'`{key["key"]}`' not in names:
                names.append(f'`{key["key"]}`')
    return table(('keys', 'why'), [(', '.join(names), why) for why, names in reasons.items()])


def refused_keys(facts):
    rows = []
    for key in facts.keys:
        if key['class'] == 'refused':
            place = '' if key['of'] == 'job' else ' (of an operator)'
            accepted = f'`{text_of(key["accepted"])}`' if 'accepted' in key else ''
            rows.append((f'`{key["key"]}`{place}', accepted, key['help']))
    return table(('key', 'accepted all the same', 'why, and what to do'), rows)


def roff(text):
    escaped = text.replace('\\', '\\e').replace('-', '\\-')
    return '\\&' + escaped if escaped.startswith(('.', "'")) else escaped


def keys_of_manual(facts):
    text = ''
    titled = sections(facts.keys) + [('Of an operator, beside its own parameters',
                                      ours(facts.keys, 'operator'))]
    for title, keys in titled:
        text += f'.SS {title}\n'
        for key in keys:
            notes = [', '.join(key['choices'])] if key.get('choices') else []
            notes += [f'default {text_of(key["default"])}'] if key['default'] is not None else []
            text += f'.TP\n.B {key["key"]}\n{roff(key["help"])}'
            text += f' ({roff("; ".join(notes))})' if notes else ''
            text += '; without effect in this version\n' if key['without_effect'] else '\n'
    return text


def field_name(field):
    return f'`{field["name"]}`' if 'name' in field else f'the field that `{field["param"]}` names'


def fields_of(operator, kind, access):
    return ', '.join(field_name(field) for field in operator['fields']
                     if field['kind'] == kind and access in field['access'])


def facts_of(operator):
    lines = [('kind', operator['cardinality'] + ': ' + DOES[operator['cardinality']])]
    lines += [('reads', fields_of(operator, 'path', 'read')),
              ('writes', fields_of(operator, 'path', 'write')),
              ('stats', fields_of(operator, 'stat', 'write'))]
    lines += [('note', FLAGS[flag]) for flag in operator['flags'] if flag in FLAGS]
    return ''.join(f'- {name}: {text}\n' for name, text in lines if text)


def params_of(operator):
    if not operator['params']:
        return 'No parameters.\n'
    rows = []
    for param in operator['params']:
        default = '*required*' if 'required' in param['flags'] else default_of(param) or '`null`'
        accepted = type_of(param) + (', or null' if 'nullable' in param['flags'] else '')
        rows.append((f'`{param["name"]}`', accepted, default, param['help']))
    return table(('parameter', 'value', 'default', 'meaning'), rows)


def run_example(command, name, params, lines):
    """What rows become, parsed; None: the operator does not run on its own."""
    with tempfile.TemporaryDirectory() as folder:
        def at(file):
            return os.path.join(folder, file)
        job = {'dataset_path': at('in.jsonl'), 'export_path': at('out.jsonl'),
               'work_dir': at('work'), 'keep_stats_in_res_ds': True, 'on_error': 'fail',
               'process': [{name: params}]}
        for file, text in (('in.jsonl', lines), ('job.json', json.dumps(job))):
            with open(at(file), 'w', encoding='utf-8') as out:
                out.write(text)
        run = subprocess.run([command, 'run', at('job.json'), '--quiet'], capture_output=True,
                             check=False)
        if run.returncode != 0:
            return None
        with open(at('out.jsonl'), encoding='utf-8') as file:
            return [json.loads(line) for line in file]


def split_stats(rows):
    """Rows without their stats, and the stats, row by row."""
    stats = [row.pop('__dj__stats__', {}) for row in rows]
    return rows, stats


def these(numbers, one, many):
    """["row 5 is dropped"], ["rows 1, 5 are dropped"], or nothing for no number."""
    if not numbers:
        return []
    names = ', '.join(map(str, numbers))
    return [f'row {names} {one}' if len(numbers) == 1 else f'rows {names} {many}']


def stat_text(value):
    """Ratios to four digits."""
    return f'{value:.4g}' if isinstance(value, float) else text_of(value)


def stays(numbers, stats):
    values = [f'`{name}` ' + ', '.join(stat_text(stat.get(name)) for stat in stats)
              for name in (stats[0] if stats else {})]
    with_stats = f', with {" and ".join(values)}' if values else ''
    return these(numbers, 'stays as it is' + with_stats, 'stay as they are' + with_stats)


def json_lines(rows):
    return '```json\n' + ''.join(json.dumps(row, ensure_ascii=False) + '\n' for row in rows) + '```\n'


def example_on_rows(entry, before, after):
    """An example on the rows that all operators share."""
    rows, stats = split_stats(after)
    left = [row['id'] for row in rows]
    same = [(row['id'], stat) for row, stat in zip(rows, stats) if row in before]
    changed = [row for row in rows if row not in before]
    ends = these([row['id'] for row in before if row['id'] not in left],
                 'is dropped', 'are dropped')
    ends += stays([number for number, _ in same], [stat for _, stat in same])
    text = f'\nWith `{entry}` ' + '; '.join(ends)
    if not changed:
        return text + '.\n'
    return text + ('; the rest comes' if ends else 'they come') + ' out as\n\n' + json_lines(changed)


def example_of(command, operator):
    name = operator['name']
    params, own = EXAMPLES.get(name, ({}, None))
    lines = EXAMPLE_ROWS if own is None else json.dumps({'text': own}) + '\n'
    after = run_example(command, name, params, lines)
    if after is None:
        return ''
    entry = f'{name}: {text_of(params)}' if params else name
    before = [json.loads(line) for line in lines.splitlines()]
    if own is None:
        return example_on_rows(entry, before, after)
    return (f'\nWith `{entry}` the row\n\n' + json_lines(before) + '\ncomes out as\n\n' +
            json_lines(split_stats(after)[0]))


def operator_section(command, operator):
    paragraphs = operator['help'].split('\n')
    return (f'### {operator["name"]}\n\n' + '\n\n'.join(paragraphs) + '\n\n' + facts_of(operator) +
            '\n' + params_of(operator) + example_of(command, operator))


def operators(facts):
    mine = [operator for operator in facts.operators if operator['plugin'] not in OTHER_PAGES]
    text = table(('operator', 'kind', 'what it does'),
                 [(f'[{operator["name"]}](#{operator["name"]})', operator['cardinality'],
                   operator['help'].split('\n')[0]) for operator in mine])
    text += f'\n## Rows of the examples\n\nEvery example is one operator alone on these rows.\n\n```json\n{EXAMPLE_ROWS}```\n'
    for plugin in sorted({operator['plugin'] for operator in mine}):
        text += f'\n## Plugin `{plugin}`\n\n'
        text += '\n'.join(operator_section(facts.command, operator) for operator in mine
                          if operator['plugin'] == plugin)
    return text


def program(facts):
    """The first example, without its licence line."""
    with open(os.path.join(ROOT, 'examples', 'first.c'), encoding='utf-8') as file:
        return f'```c\n{file.read().partition(chr(10))[2]}```\n'


PARTS = {'keys of a job': keys_of_job, 'keys of operators': keys_of_operators,
         'ignored keys': ignored_keys, 'refused keys': refused_keys,
         'keys of the manual': keys_of_manual, 'operators': operators, 'examples/first.c': program}


class Facts:
    """What the command says of keys and operators."""

    def __init__(self, command):
        self.command = os.path.abspath(command)
        self.keys = ask(self.command, 'keys', '--json')
        self.operators = ask(self.command, 'ops', '--json')


def remade(part, facts):
    if part['name'] not in PARTS:
        raise ValueError(f'generated: {part["name"]}: no such part; there are {", ".join(PARTS)}')
    return part['begin'] + PARTS[part['name']](facts) + part['end']


def refreshed(text, facts):
    """A document with its parts made anew."""
    return PART.sub(lambda part: remade(part, facts), text)


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def main(command):
    facts = Facts(command)
    for name in DOCUMENTS:
        before = read(name)
        after = refreshed(before, facts)
        if after != before:
            print(f'gen_docs.py: {name} is written')
            with open(os.path.join(ROOT, name), 'w', encoding='utf-8') as file:
                file.write(after)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    try:
        main(sys.argv[1])
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f'gen_docs.py: {error}')
