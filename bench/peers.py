#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One job on JSON lines, by `partexec run` and by others: Polars, DuckDB, a loop in Python.

The job: strip white space at both ends of the text, make every unusual blank a plain one, keep texts
of 100 to 100000 code points. Each side is a process that reads a file and writes one; all run in
turn, and ratios are of runs of the same round. Sides that are not installed are left out:
pip install -r bench/peers.txt; PEX_PEERS_PYTHON names the Python that has them, if it is not this
one. See docs/performance.md.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.dirname(HERE)
PYTHON = os.environ.get('PEX_PEERS_PYTHON', sys.executable)
LEAST, MOST = 100, 100000

# What str.strip() takes away, and the blanks that whitespace_normalization_mapper makes plain.
STRIPPED = ''.join(chr(point) for point in range(0x3001) if chr(point).isspace())
BLANKS = '\t\x84\xa0' + ''.join(map(chr, range(0x2000, 0x200e))) + '\u202f\u205f\u2060\u3000\ufffc'


def run_python(source, target):
    blanks = str.maketrans(dict.fromkeys(BLANKS, ' '))
    with open(source, encoding='utf-8') as rows, open(target, 'w', encoding='utf-8') as out:
        for line in rows:
            row = json.loads(line)
            row['text'] = row['text'].strip().translate(blanks)
            if LEAST <= len(row['text']) <= MOST:
                out.write(json.dumps(row, ensure_ascii=False) + '\n')


def run_polars(source, target):
    import polars
    text = polars.col('text')
    (polars.scan_ndjson(source)
     .with_columns(text.str.strip_chars(STRIPPED).str.replace_all(f'[{BLANKS}]', ' '))
     .filter(text.str.len_chars().is_between(LEAST, MOST))
     .sink_ndjson(target))


def one_of(characters):
    return '[' + ''.join(f'\\x{{{ord(character):x}}}' for character in characters) + ']'


def run_duckdb(source, target):
    """With patterns, which take less time here than trim and translate."""
    import duckdb
    stripped = one_of(STRIPPED)
    duckdb.connect().execute(
        f"""COPY (SELECT * FROM (SELECT * REPLACE (regexp_replace(regexp_replace(
                    text, $ends, '', 'g'), $blanks, ' ', 'g') AS text)
                  FROM read_json($source, format='newline_delimited'))
            WHERE length(text) BETWEEN {LEAST} AND {MOST})
            TO '{target}' (FORMAT json)""",
        {'ends': f'^{stripped}+|{stripped}+$', 'blanks': one_of(BLANKS), 'source': source})


PEERS = {'polars': run_polars, 'duckdb': run_duckdb, 'python': run_python}


def is_installed(name):
    if name == 'python':
        return True
    return os.path.exists(PYTHON) and subprocess.run([PYTHON, '-c', f'import {name}'], check=False,
                                                     capture_output=True).returncode == 0


class Run:
    def __init__(self, wall, cpu, peak):
        self.wall, self.cpu, self.peak = wall, cpu, peak


def measure(command):
    done = subprocess.run([os.path.join(HERE, 'measure'), *command], capture_output=True, check=False,
                          encoding='utf-8')
    if done.returncode != 0:
        raise RuntimeError(f'{command[0]}: exit {done.returncode}\n{done.stderr}')
    wall, user, system, peak = map(float, done.stderr.splitlines()[-1].split())
    return Run(wall, user + system, peak)


class Bench:
    """A corpus, a folder, and runs of sides there."""

    def __init__(self, options, folder):
        self.options, self.folder, self.count = options, folder, 0
        self.source = options.input or os.path.join(folder, 'corpus.jsonl')
        if not options.input:
            subprocess.run([os.path.join(HERE, 'corpus'), options.kind, str(options.mb * 1000000),
                            '1', self.source], check=True)

    def command_of(self, side, target):
        if side != 'partexec':
            return [PYTHON if is_installed(side) and side != 'python' else sys.executable,
                    os.path.abspath(__file__), '--side', side, self.source, target]
        job = os.path.join(self.folder, 'job.json')
        with open(job, 'w', encoding='utf-8') as file:
            json.dump({'dataset_path': self.source, 'export_path': target, 'job_id': str(self.count),
                       'work_dir': os.path.join(self.folder, 'work'),
                       'process': ['whitespace_normalization_mapper', {'text_length_filter': {
                           'min_len': LEAST, 'max_len': MOST}}]}, file)
        return [self.options.command, 'run', job, '--quiet']

    def run(self, side):
        """A run into a file that was not there before, and its path."""
        self.count += 1
        target = os.path.join(self.folder, f'{self.count}.jsonl')
        return measure(self.command_of(side, target)), target


def differing(one, other):
    """The number of the first row that is not the same, or None. Numbers may be printed otherwise."""
    with open(one, encoding='utf-8') as left, open(other, encoding='utf-8') as right:
        number = 0
        while True:
            a, b = left.readline(), right.readline()
            if not a and not b:
                return None
            if not a or not b or json.loads(a) != json.loads(b):
                return number
            number += 1


def findings(bench, sides):
    """{peer: where its rows are not ours}; these runs also warm the caches."""
    _, ours = bench.run('partexec')
    found = {}
    for side in sides:
        _, theirs = bench.run(side)
        number = differing(ours, theirs)
        found[side] = [] if number is None else [f'{side}: row {number} of the output differs']
        os.unlink(theirs)
    os.unlink(ours)
    return found


def rounds(bench, sides):
    runs = {side: [] for side in sides}
    for index in range(bench.options.pairs):
        first = index % len(sides)
        for side in sides[first:] + sides[:first]:
            run, target = bench.run(side)
            os.unlink(target)
            runs[side].append(run)
    return runs


def figures(runs, size):
    """A line a side: speed, cost, memory, and how many times as long as partexec it took."""
    lines = []
    for side, own in runs.items():
        ratios = sorted(run.wall / ours.wall for run, ours in zip(own, runs['partexec']))
        wall = statistics.median(run.wall for run in own)
        cpu = statistics.median(run.cpu for run in own)
        line = (f'{side:9} {size / 1e6 / wall:7.0f} MB/s  {cpu / size * 1e9:6.2f} CPU s/GB  '
                f'{max(run.peak for run in own) / 1e6:6.0f} MB peak')
        if side != 'partexec':
            line += (f'  partexec is {statistics.median(ratios):.1f} times as fast '
                     f'[{ratios[0]:.1f} .. {ratios[-1]:.1f}]')
        lines.append(line)
    return lines


def main(options):
    sides = [side for side in PEERS if is_installed(side)]
    with tempfile.TemporaryDirectory(dir=options.cache, prefix='partexec-peers-') as folder:
        bench = Bench(options, folder)
        found = findings(bench, sides)
        size = os.path.getsize(bench.source)
        mark = '# ' if options.tap else ''
        print(f'{mark}{size / 1e6:.0f} MB, {options.pairs} rounds, {os.cpu_count()} CPUs')
        for line in figures(rounds(bench, ['partexec', *sides]), size):
            print(mark + line, flush=True)
    if options.tap:
        print(f'1..{len(PEERS)}')
    for number, side in enumerate(PEERS, 1):
        for finding in found.get(side, []):
            print(f'# {finding}')
        if options.tap:
            print(f'{"not ok" if found.get(side) else "ok"} {number} {side}_writes_the_same_rows' +
                  ('' if side in found else f' # SKIP {side} is not installed'))
        elif side not in found:
            print(f'{side} is not installed: pip install -r bench/peers.txt')
    return 1 if any(found.values()) else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--mb', type=int, default=200, help='size of the corpus (200)')
    parser.add_argument('--kind', default='english', help='its kind, as bench/rows has them')
    parser.add_argument('--input', help='a file of rows that all have the same keys, instead of a corpus')
    parser.add_argument('--pairs', type=int, default=5, help='rounds (5)')
    parser.add_argument('--cache', help='where the corpus and outputs go', default=None)
    parser.add_argument('--command', default=os.path.join(BUILD, 'tools', 'partexec'))
    parser.add_argument('--tap', action='store_true', help='for the test: facts in TAP')
    parser.add_argument('--side', nargs=3, metavar=('NAME', 'IN', 'OUT'),
                        help='be one side (for this script itself)')
    return parser.parse_args()


if __name__ == '__main__':
    OPTIONS = parse()
    if OPTIONS.side:
        PEERS[OPTIONS.side[0]](*OPTIONS.side[1:])
    else:
        sys.exit(main(OPTIONS))
