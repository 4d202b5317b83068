# SPDX-License-Identifier: Apache-2.0
"""Running the command on jobs, for the tests beside: python3 TEST.py COMMAND [SHARED] .."""
import json
import os
import random
import subprocess
import sys
import tempfile
import traceback

import tap

COMMAND = os.path.abspath(sys.argv[1])
TIMEOUT_S = 170
# What a build with sanitizers divides its rounds by; 1 otherwise.
SCALE = max(1, int(os.environ.get('PEX_TEST_SCALE', '1')))
SEED = int(os.environ.get('PEX_TEST_SEED', random.SystemRandom().randrange(1 << 32)))
print(f'# PEX_TEST_SEED={SEED}', flush=True)


class Run:
    """What a run left: status, output (None: no file), summary, words on stderr."""

    def __init__(self, work, done, export):
        self.status, self.stderr = done.returncode, done.stderr
        self.output = work.bytes_of(export)
        folder = work.at('work/j')
        summary = work.bytes_of(os.path.join(folder, 'summary.json'))
        self.summary = json.loads(summary) if summary else None
        self.quarantine_path = os.path.join(folder, 'quarantine.jsonl')

    def operator(self, index=0):
        return self.summary['operators'][index]

    @property
    def quarantine(self):
        if not os.path.exists(self.quarantine_path):
            return []
        with open(self.quarantine_path, encoding='utf-8') as file:
            return [json.loads(line) for line in file]

    @property
    def rows(self):
        return [json.loads(line) for line in (self.output or b'').split(b'\n')[:-1]]


class Place:
    """A folder of its own; the command runs in it, always as job `j`."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='partexec-job-')
        self.path = self.folder.name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), 'wb') as file:
            file.write(data if isinstance(data, bytes) else data.encode('utf-8'))
        return name

    def write_rows(self, name, count, text='row', **more):
        return self.write(name, ''.join(
            json.dumps({'id': i, 'text': f'{text} {i}', **more}) + '\n' for i in range(count)))

    def remove(self, name):
        os.remove(self.at(name))

    def bytes_of(self, name):
        if not os.path.isfile(self.at(name)):
            return None
        with open(self.at(name), 'rb') as file:
            return file.read()

    def spec(self, process=(), **keys):
        """Keys with dots are nested; keys given as None are left out."""
        spec = {'dataset_path': 'in', 'export_path': 'out.jsonl', 'work_dir': 'work', 'job_id': 'j',
                'checkpoint.enabled': False,
                'process': [entry if isinstance(entry, str) else dict([entry])
                            for entry in process], **keys}
        nested = {}
        for key, value in spec.items():
            at = nested
            *parents, last = key.split('.')
            for parent in parents:
                at = at.setdefault(parent, {})
            if value is not None:
                at[last] = value
        return self.write('job.json', json.dumps(nested))

    def start(self, process=(), arguments=(), **keys):
        self.spec(process, **keys)
        return subprocess.Popen([COMMAND, 'run', 'job.json', '--quiet', *arguments], cwd=self.path,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8')

    def run(self, process=(), arguments=(), **keys):
        running = self.start(process, arguments, **keys)
        try:
            out, err = running.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            raise
        done = subprocess.CompletedProcess(running.args, running.returncode, out, err)
        return Run(self, done, keys.get('export_path', 'out.jsonl'))

    def leftovers(self):
        """Files that no ended job should leave."""
        kept = {'summary.json', 'quarantine.jsonl', 'lock'}
        return [os.path.relpath(os.path.join(folder, name), self.path)
                for folder, _, names in os.walk(self.path) for name in names
                if name.startswith('.') or name.endswith('.partial') or
                ('/work/' in folder + '/' and name not in kept)]


def books(summary):
    """Findings about counts that do not add up."""
    found, into = [], summary['input']
    if into['lines'] != into['rows'] + into['blank'] + into['bad']:
        found.append(f'lines: {into}')
    rows = into['rows']
    for op in summary['operators']:
        if op['in'] != rows or op['in'] + op['added'] != op['out'] + op['dropped'] + \
                op['quarantined']:
            found.append(f'{rows} rows before {op}')
        rows = op['out']
    if rows != summary['output']['rows']:
        found.append(f'{rows} rows before the output: {summary["output"]}')
    if summary['quarantined'] != into['bad'] + sum(op['quarantined']
                                                   for op in summary['operators']):
        found.append(f'quarantined: {summary["quarantined"]}')
    return found


def _findings(fact):
    try:
        return fact() or []
    except Exception:  # noqa: a fact that cannot be judged does not hold
        return traceback.format_exc().splitlines()


def report(facts):
    """Runs each fact, a function that returns findings, under its own name."""
    tap.report([(fact.__name__, _findings(fact)) for fact in facts])
