# SPDX-License-Identifier: Apache-2.0
"""Progress: JSON lines, the bar on a terminal, silence where nobody asked."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

from tool import COMMAND, Workplace, expect, report

KEYS = ['rows', 'bytes', 'bytes_total', 'seconds', 'active_partitions', 'eta_seconds']
#: Long enough for some reports of every form.
SLOW = {'lab_sleep_mapper': {'us_per_row': 3000}}


def on_terminal(work, width, *arguments, terminal='xterm'):
    """Runs with stderr on a terminal of this width; returns status, stdout and what it showed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, width, 0, 0))
    with subprocess.Popen([COMMAND, *arguments], cwd=work.path, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=theirs,
                          env={**os.environ, 'TERM': terminal}) as process:
        os.close(theirs)
        shown = b''
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break  # the other end is closed
            if not part:
                break
            shown += part
        stdout = process.stdout.read()
    os.close(ours)
    return process.returncode, stdout, shown.decode()


def screen(shown):
    """The lines that a reader sees at the end."""
    lines = []
    for line in shown.replace('\r\n', '\n').split('\n'):
        seen = ''
        for part in re.split('\r', line):
            erases = part.endswith('\033[K')
            part = part.replace('\033[K', '')
            seen = part if erases else part + seen[len(part):]
        lines.append(seen)
    return lines


def json_lines_have_all_keys():
    with Workplace() as work:
        work.job([SLOW], np=1)
        result = work.run('run', 'job.json', '--progress', 'json', '--quiet')
        findings = expect(result, 0, (), '')
        lines = [json.loads(line) for line in result.stderr.splitlines()]
        findings += [f'keys of {line}' for line in lines if list(line) != KEYS]
        if findings:
            return findings
        size = os.path.getsize(work.at('rows.jsonl'))
        last = lines[-1]
        if (last['rows'], last['bytes'], last['bytes_total']) != (len(work.rows), size, size):
            findings.append(f'last line {last}')
        if last['eta_seconds'] != 0 or last['active_partitions'] != 0:
            findings.append(f'last line {last}')
        grows = all(one['rows'] <= other['rows'] and one['seconds'] <= other['seconds']
                    for one, other in zip(lines, lines[1:]))
        return findings + ([] if grows else [result.stderr])


def the_bar_is_drawn_and_taken_away():
    with Workplace() as work:
        work.job([SLOW], np=1)
        status, stdout, shown = on_terminal(work, 100, 'run', 'job.json')
        findings = [] if status == 0 and stdout == b'' else [f'status {status}', str(stdout)]
        findings += [f'no {words}' for words in ('[#', ' rows', 'MB/s', 'ETA', 'active')
                     if words not in shown]
        left = [line for line in screen(shown) if line and not line.startswith('partexec: ')]
        return findings + left


def the_bar_fits_the_terminal():
    findings = []
    with Workplace() as work:
        work.job([SLOW], np=1)
        for width in (20, 40, 79):
            status, _, shown = on_terminal(work, width, 'run', 'job.json', '--quiet', '--progress',
                                           'bar')
            frames = [frame.replace('\033[K', '') for frame in shown.split('\r')]
            findings += [f'width {width}: {frame}' for frame in frames if len(frame) >= width]
            findings += [] if status == 0 and len(frames) > 1 else [f'width {width}: {shown}']
    return findings


def dumb_terminals_and_pipes_get_no_bar():
    with Workplace() as work:
        work.job([SLOW], np=1)
        _, _, shown = on_terminal(work, 100, 'run', 'job.json', terminal='dumb')
        piped = work.run('run', 'job.json')
        return [text for text in (shown, piped.stderr) if '\033' in text or '[#' in text]


def off_and_quiet_show_nothing():
    with Workplace() as work:
        work.job([SLOW], np=1)
        _, _, quiet = on_terminal(work, 100, 'run', 'job.json', '--quiet')
        _, _, off = on_terminal(work, 100, 'run', 'job.json', '--progress', 'off')
        return [text for text in (quiet,) if text] + [off for _ in (1,) if '\033' in off]


report(json_lines_have_all_keys, the_bar_is_drawn_and_taken_away, the_bar_fits_the_terminal,
       dumb_terminals_and_pipes_get_no_bar, off_and_quiet_show_nothing)
