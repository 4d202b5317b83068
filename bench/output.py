#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packed output against one thread of the same library at the same level, in the same rounds.

    build/bench/output [--mb N] [--rounds N]
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.path.join(HERE, '..', 'tools', 'partexec')


def copy(folder, name, workers):
    """Seconds of a job that copies rows, as its summary has them."""
    spec = {'dataset_path': 'rows.jsonl', 'export_path': name, 'work_dir': 'work', 'job_id': 'j',
            'np': workers, 'checkpoint': {'enabled': False}}
    with open(os.path.join(folder, 'job.json'), 'w', encoding='utf-8') as file:
        json.dump(spec, file)
    subprocess.run([COMMAND, 'run', 'job.json', '--quiet'], cwd=folder, check=True)
    with open(os.path.join(folder, 'work/j/summary.json'), encoding='utf-8') as file:
        seconds = json.load(file)['seconds']
    os.unlink(os.path.join(folder, name))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--mb', type=int, default=400)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='partexec-bench-') as folder:
        rows = os.path.join(folder, 'rows.jsonl')
        subprocess.run([os.path.join(HERE, 'corpus'), 'english', str(options.mb * 10 ** 6), '1',
                        rows], check=True)
        size = os.path.getsize(rows) / 1e6
        print('| form | MB/s, library alone, 1 thread | np 1 | np 2 | np 1 over library | '
              'np 2 over np 1 |\n|---|---|---|---|---|---|')
        for form in ('gz', 'zst'):
            peers, ones, twos = [], [], []
            for _ in range(options.rounds):
                done = subprocess.run([os.path.join(HERE, 'pack'), form, rows], check=True,
                                      capture_output=True, text=True)
                peers.append(float(done.stdout.split()[2]))
                ones.append(copy(folder, f'out.jsonl.{form}', 1))
                twos.append(copy(folder, f'out.jsonl.{form}', 2))
            median = statistics.median
            print(f'| {form} | {size / median(peers):.0f} | {size / median(ones):.0f} | '
                  f'{size / median(twos):.0f} | '
                  f'{median(p / o for p, o in zip(peers, ones)):.2f} | '
                  f'{median(o / t for o, t in zip(ones, twos)):.2f} |', flush=True)


main()
