# SPDX-License-Identifier: Apache-2.0
"""One result, however a job runs: python3 digests.py COMMAND [SHARED] [--all].

Every run is compared with a sequential script, byte for byte, and its quarantine and counts too.
"""
import glob
import itertools
import json
import os
import random
import sys

import sequential
from engine import SCALE, SEED, Place, books, report

SHARED = sys.argv[2] if len(sys.argv) > 2 else ''
IS_ALL = '--all' in sys.argv

AXES = {
    'np': [1, 2, 3, 7],
    'partition.num_of_partitions': [1, 2, 5, 64],
    'partition.max_concurrent_partitions': ['auto', 1, 4],
    'scope_policy': ['elastic', 'balanced'],
    'batch_size': [1, 17, 4096],
    'debug.simd': ['plain', 'sse', 'avx2', 'avx512', 'best'],
    'debug.slice_bytes': [200, 4096, None],
    'debug.encode_boundaries': [False, True],
}
# Axes whose every combination runs in the long test; the others are drawn for each.
FULL = ['np', 'partition.num_of_partitions', 'scope_policy', 'batch_size', 'debug.simd',
        'debug.slice_bytes']

CLEAN = [('whitespace_normalization_mapper', {}),
         ('clean_links_mapper', {'repl': '<link>'}),
         ('text_length_filter', {'min_len': 5}),
         ('words_num_filter', {'min_num': 2, 'max_num': 40}),
         ('document_deduplicator', {}),
         ('lab_expand_mapper', {'n': 2})]
BUDGETS = [('lab_model_mapper', {'num_proc': 2}),
           ('lab_expand_mapper', {'n': 3, 'more_rows': 2, 'num_proc': 3}),
           ('lab_append_mapper', {'suffix': ' \u00fc\n'}),
           ('lab_fail_mapper', {'every': 7}),
           ('lab_sleep_mapper', {'num_proc': 3}),
           ('text_length_filter', {'min_len': 3})]
GLOBALS = [('document_deduplicator', {}),
           ('lab_count_global', {'n': 2}),
           ('lab_fail_mapper', {'every': 5}),
           ('lab_repeat_global', {'count': 3}),
           ('lab_drop_filter', {'modulo': 3, 'remainder': 1}),
           ('lab_append_mapper', {}),
           ('document_deduplicator', {}),
           ('lab_count_global', {'n': 3})]


def machine_has(simd):
    flags = open('/proc/cpuinfo', encoding='ascii', errors='replace').read()
    need = {'sse': 'sse4_2', 'avx2': ' avx2', 'avx512': ' avx512bw'}
    return simd not in need or need[simd] in flags


AXES['debug.simd'] = [simd for simd in AXES['debug.simd'] if machine_has(simd)]


# --- runs ------------------------------------------------------------------------------------

def pairwise(rng):
    """Settings so that every two values of two axes meet in one of them."""
    names = list(AXES)
    open_pairs = {((a, repr(x)), (b, repr(y)))
                  for a, b in itertools.combinations(names, 2) for x in AXES[a] for y in AXES[b]}
    while open_pairs:
        best, gain = None, -1
        for _ in range(40):
            one = {name: rng.choice(AXES[name]) for name in names}
            pairs = set(itertools.combinations([(n, repr(one[n])) for n in names], 2))
            if len(pairs & open_pairs) > gain:
                best, gain = one, len(pairs & open_pairs)
        open_pairs -= set(itertools.combinations([(n, repr(best[n])) for n in names], 2))
        yield best


def product(rng):
    for values in itertools.product(*(AXES[name] for name in FULL)):
        one = {name: rng.choice(AXES[name]) for name in AXES}
        one.update(zip(FULL, values))
        yield one


def settings(rng, most):
    return itertools.islice(product(rng) if IS_ALL else pairwise(rng), 10 ** 9 if IS_ALL else most)


def compare(run, expected, process):
    if run.status != 0:
        return [f'status {run.status}: {run.stderr[:500]}']
    found = books(run.summary)
    if run.output != expected.output:
        ours, theirs = run.output.splitlines(), expected.output.splitlines()
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), None)
        found.append(f'{len(ours)} rows of {len(theirs)}' if at is None else
                     f'row {at}: {ours[at][:300]!r}, expected {theirs[at][:300]!r}')
    facts = sequential.quarantine_facts(run.quarantine_path)
    theirs = [(source, offset, name, index, raw)
              for (_, offset, _), source, name, index, raw in expected.quarantine]
    if [fact[:2] for fact in facts] != [fact[:2] for fact in theirs]:
        found.append(f'quarantine: other order, or rows: {len(facts)} of {len(theirs)}')
    for fact in sorted(map(repr, set(facts) ^ set(theirs)))[:6]:
        found.append(f'quarantine: {fact[:300]}')
    into = run.summary['input']
    if (into['lines'], into['blank'], into['bad']) != (expected.lines, expected.blank, expected.bad):
        found.append(f'input {into}, expected {expected.lines} {expected.blank} {expected.bad}')
    for mine, theirs in zip(run.summary['operators'], expected.operators):
        if {key: mine[key] for key in theirs} != theirs:
            found.append(f'operator {mine}, expected {theirs}')
    if len(run.summary['operators']) != len(process):
        found.append(f'{len(run.summary["operators"])} operators')
    return found


def check(work, paths, process, most, rng):
    os.chdir(work.path)
    expected = sequential.run(paths, process)
    found, count = [], 0
    for setting in settings(rng, max(3, most // SCALE)):
        run = work.run(process, dataset_path=paths, **setting)
        wrong = compare(run, expected, process) + [f'left: {name}' for name in work.leftovers()]
        if wrong:
            found += [f'{json.dumps(setting)}:', *wrong]
        count += 1
        if len(found) > 30:
            break
    print(f'# {count} runs, {len(expected.rows)} rows out, {len(expected.quarantine)} quarantined',
          flush=True)
    return found


# --- data ------------------------------------------------------------------------------------

PIECES = ['word', 'two words', 'caf\u00e9', '\u4e2d\u6587\u5b57', '\U0001f600', '\u03a9mega', 'a\tb', 'line\nnext',
          'http://example.org/a?b=c', 'see www.site.net/path(x), there', 'time:12:30', '"quoted"',
          'back\\slash', '/slash/', '\u3000', '\u00a0wide\u2003', '  ', '!!!', '42', 'x' * 70, '\x7f']
ENDS = ['\u2028', '\u200b', ' ', '\t', '\x1f', '\x00', '']
BAD = [b'{"text": "open', b'nope', b'[1, 2]', b'"text"', b'{"text": "a"} x', b'{"text": nul}',
       b'{"text": "\xff\xfe"}', b'{"text": "\xed\xa0\x80"}', b'{"id": 01}', b'{"a" 1}', b'{"a": 1,}',
       b'{"text": "tab\there"}', b'{', b'{"text": "\\x"}', b'{"text": "\\u12"}', b'NaN', b'{"a": NaN}']


def make_text(rng):
    text = ' '.join(rng.choice(PIECES) for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 9])))
    if rng.random() < 0.2:
        text = rng.choice(ENDS) + text.replace('://', '').replace('www.', '') + rng.choice(ENDS)
    return text


def string(rng, text):
    if rng.random() < 0.3:
        return json.dumps(text)
    body = json.dumps(text, ensure_ascii=False)
    return body.replace('/', '\\/') if rng.random() < 0.2 else body


def make_row(rng, number):
    blank = rng.choice(['', ' ', ' ', '  ', '\t'])
    fields = [('"id"', str(number)), ('"text"', string(rng, make_text(rng)))]
    fields += [(f'"k{i}"', value) for i, value in enumerate(
        rng.sample(['1e400', '-0', '1.50', 'null', 'true', '{"text": [1, {}]}', '"\\u0041"', '[]',
                    '123456789012345678901234567890', '{"a":{"b":"}"}}'], rng.randrange(4)))]
    way = rng.random()
    if way < 0.04:
        del fields[1]
    elif way < 0.08:
        fields[1] = ('"text"', rng.choice(['null', '7', '["a"]', '{}', 'false']))
    elif way < 0.12:
        fields.insert(rng.randrange(3), ('"text"', rng.choice(['"an earlier one"', '3'])))
    elif way < 0.15:
        fields[1] = ('"te\\u0078t"', fields[1][1])
    elif way < 0.18:
        fields[1] = ('"text"', '"half \\ud83d of a pair, alone"')
    elif way < 0.24:
        fields.insert(rng.randrange(len(fields) + 1), (f'"{sequential.STATS}"', rng.choice(
            ['{}', '{"text_len": 3}', '{"num_words":20,"other":[1]}', '{"text_len":"many"}'])))
    elif way < 0.26:
        fields[0] = ('"id"', rng.choice(['"7"', 'null', '1.5', 'true']))
    elif way < 0.28:
        fields.append(('"lab_child"', '5'))
    elif way < 0.30:
        fields.append(('"__dj__hash"', rng.choice(['"h"', '4'])))
    elif way < 0.31:
        fields = []
    if rng.random() < 0.3:
        rng.shuffle(fields)
    inner = f',{blank}'.join(f'{key}:{blank}{value}' for key, value in fields)
    row = '{' + blank + inner + blank + '}'
    return (rng.choice(['', '', '', ' ', '\t ']) + row + rng.choice(['', '', '', ' '])).encode('utf-8')


def make_file(rng, first, count, end=b'\n'):
    lines, kept = [], []
    for number in range(first, first + count):
        way = rng.random()
        if way < 0.04:
            lines.append(rng.choice(BAD))
        elif way < 0.09:
            lines.append(rng.choice([b'', b' ', b'\t  ', b'\r']))
        elif way < 0.15 and kept:
            lines.append(rng.choice(kept))
        else:
            lines.append(make_row(rng, number))
            kept.append(lines[-1])
    return end.join(lines) + end


def write_files(work, rng, count):
    parts = [('plain.jsonl', make_file(rng, 0, count)),
             ('crlf.jsonl', make_file(rng, 1000, count // 3, b'\r\n')),
             ('empty.jsonl', b''),
             ('mark.jsonl', b'\xef\xbb\xbf' + make_file(rng, 2000, count // 3)),
             ('blank.jsonl', b'\n \n\r\n'),
             ('open.jsonl', make_file(rng, 3000, count // 3).rstrip()),
             ('long.jsonl', json.dumps({'id': 1, 'text': 'long ' * 5000}).encode() + b'\n')]
    return [work.write(f'in/{name}', data) for name, data in parts]


def generated(process, most, rows=250):
    rng = random.Random(f'{SEED} {process[0]} {len(process)}' if process else SEED)
    with Place() as work:
        return check(work, write_files(work, rng, rows), process, most, rng)


# --- facts -----------------------------------------------------------------------------------

def cleaning_has_one_digest():
    return generated(CLEAN, 36)


def budgets_and_children_have_one_digest():
    return generated(BUDGETS, 36)


def convergence_points_have_one_digest():
    return generated(GLOBALS, 30)


def a_copy_is_the_input_byte_for_byte():
    return generated([], 20)


def real_rows_have_one_digest():
    rng = random.Random(SEED)
    paths = sorted(glob.glob(os.path.join(os.path.abspath(SHARED), 'data', '*.jsonl')))
    with Place() as work:
        # The same texts again, so that something is removed.
        return check(work, paths + paths[:3], CLEAN, 12, rng)


FACTS = [cleaning_has_one_digest, budgets_and_children_have_one_digest,
         convergence_points_have_one_digest, a_copy_is_the_input_byte_for_byte]
if SHARED and not SHARED.startswith('--'):
    FACTS.append(real_rows_have_one_digest)
report(FACTS)
