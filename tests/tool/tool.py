# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command share: a folder with rows, a job, and running the command there."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback

import tap

COMMAND = os.path.abspath(sys.argv[1])
TIMEOUT_S = 60


class Workplace:
    """A folder of its own with rows.jsonl; the command runs in it."""

    def __init__(self, row_count=200):
        self.folder = tempfile.TemporaryDirectory(prefix='partexec-tool-')
        self.path = self.folder.name
        self.rows = [{'id': number, 'text': 'a \u00a0row' + 'x' * (number % 40)}
                     for number in range(row_count)]
        self.write('rows.jsonl', ''.join(json.dumps(row) + '\n' for row in self.rows))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.at(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return name

    def read(self, name):
        with open(self.at(name), encoding='utf-8') as file:
            return file.read()

    def job(self, process=(), **keys):
        """Writes job.json; keys given as None are left out."""
        spec = {'dataset_path': 'rows.jsonl', 'export_path': 'out/rows.jsonl',
                'work_dir': 'work', 'process': list(process), **keys}
        spec = {key: value for key, value in spec.items() if value is not None}
        return self.write('job.json', json.dumps(spec))

    def files(self):
        """All files below the folder, so that a test can say that nothing was written."""
        return sorted(os.path.relpath(os.path.join(folder, name), self.path)
                      for folder, _, names in os.walk(self.path) for name in names)

    def run(self, *arguments, text=None):
        return subprocess.run([COMMAND, *arguments], cwd=self.path, input=text, check=False,
                              capture_output=True, encoding='utf-8', timeout=TIMEOUT_S)

    def start(self, *arguments, stdin=subprocess.DEVNULL, prepare=None):
        """prepare: called in the process that becomes the command."""
        return subprocess.Popen([COMMAND, *arguments], cwd=self.path, encoding='utf-8',
                                stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=prepare)

    def output(self, name='out/rows.jsonl'):
        return [json.loads(line) for line in self.read(name).splitlines()]

    def longer_than(self, least):
        """What text_length_filter with min_len `least` keeps."""
        return [row for row in self.rows if len(row['text']) >= least]


def read_until(process, words):
    """Lines of stderr up to the one with `words`; all of it if there is none."""
    seen = ''
    for line in process.stderr:
        seen += line
        if words in line:
            break
    return seen


def end(process):
    """For a process that a test leaves behind, whatever it does."""
    process.send_signal(signal.SIGKILL)
    process.communicate()


def expect(result, status, stderr=(), stdout=None):
    """Findings about a result: its status, words that stderr has, the whole of stdout."""
    findings = []
    if result.returncode != status:
        findings.append(f'status {result.returncode}, expected {status}')
    findings += [f'stderr lacks: {words}' for words in stderr if words not in result.stderr]
    if stdout is not None and result.stdout != stdout:
        findings.append(f'stdout: {result.stdout[:300]!r}, expected {stdout!r}')
    if findings:
        findings += [f'{result.args[1:]}: {line}' for line in result.stderr.splitlines()]
    return findings


def findings_of(fact):
    """A fact that cannot be judged, as a file is missing or no JSON, does not hold."""
    try:
        return fact()
    except (OSError, ValueError, LookupError, subprocess.TimeoutExpired):
        return traceback.format_exc().splitlines()


def report(*facts):
    """Runs each fact, a function that returns findings, under its own name."""
    tap.report([(fact.__name__, findings_of(fact)) for fact in facts])
