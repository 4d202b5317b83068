# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM, once and twice."""
import os
import signal

from tool import TIMEOUT_S, Workplace, end, read_until, report

#: Until the job is cancelled.
HANG = {'lab_hang_mapper': {}}
#: Whatever the job says.
DEAF = {'lab_hang_mapper': {'ignore_cancel': True}}


def signalled(operator, signals, status, arguments=()):
    """Sends each signal when the one before was answered; findings about how the command ends."""
    with Workplace() as work:
        work.job([operator])
        process = work.start('run', 'job.json', *arguments)
        try:
            seen = read_until(process, 'job ')
            for number, name in enumerate(signals):
                process.send_signal(name)
                if number == 0 and len(signals) > 1:
                    seen += read_until(process, 'cancelling')
            stdout, stderr = process.communicate(timeout=TIMEOUT_S)
        finally:
            end(process)
        findings = [] if process.returncode == status else [f'status {process.returncode}']
        findings += [f'stdout: {stdout}'] if stdout else []
        if os.path.exists(work.at('out/rows.jsonl')):
            findings.append('an output under its final name')
        return findings and findings + (seen + stderr).splitlines()


def sigint_cancels():
    return signalled(HANG, [signal.SIGINT], 130)


def sigterm_cancels():
    return signalled(HANG, [signal.SIGTERM], 143)


def a_second_sigint_ends_at_once():
    return signalled(DEAF, [signal.SIGINT, signal.SIGINT], 130)


def a_second_sigterm_ends_at_once():
    return signalled(DEAF, [signal.SIGTERM, signal.SIGTERM], 143)


def the_second_signal_may_be_another():
    return signalled(DEAF, [signal.SIGINT, signal.SIGTERM], 143)


def a_cancelled_job_leaves_nothing_beside_its_folder():
    with Workplace() as work:
        work.job([HANG])
        process = work.start('run', 'job.json')
        try:
            read_until(process, 'job ')
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=TIMEOUT_S)
        finally:
            end(process)
        return [name for name in work.files()
                if name not in ('job.json', 'rows.jsonl') and not name.startswith('work/')]


def ignore_sigint():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def a_signal_that_was_ignored_stays_ignored():
    """As for a job in the background of a shell."""
    with Workplace() as work:
        work.job([DEAF])
        process = work.start('run', 'job.json', prepare=ignore_sigint)
        try:
            read_until(process, 'job ')
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            seen = read_until(process, 'cancelling')
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=TIMEOUT_S)
        finally:
            end(process)
        return [] if process.returncode == 143 and 'SIGTERM: cancelling' in seen else \
            [f'status {process.returncode}', seen]


def is_caught(process, number):
    """Whether a process that may be on its way has a handler for a signal."""
    with open(f'/proc/{process.pid}/status', encoding='ascii') as status:
        caught = [line.split()[1] for line in status if line.startswith('SigCgt')]
    return bool(caught) and int(caught[0], 16) >> (number - 1) & 1


def a_signal_before_there_is_a_job_ends_at_once():
    """The job comes from a pipe that nobody writes to."""
    if 'TSAN_OPTIONS' in os.environ:
        return 'TSan keeps signals back during a read'
    with Workplace() as work:
        before = work.files()
        reader, writer = os.pipe()
        process = work.start('run', '-', stdin=reader)
        try:
            while process.poll() is None and not is_caught(process, signal.SIGTERM):
                pass
            process.send_signal(signal.SIGTERM)
            stdout, stderr = process.communicate(timeout=TIMEOUT_S)
        finally:
            end(process)
            os.close(reader)
            os.close(writer)
        return [] if (process.returncode, stdout, stderr, work.files()) == (143, '', '', before) \
            else [f'status {process.returncode}', stdout, stderr, *work.files()]


report(sigint_cancels, sigterm_cancels, a_second_sigint_ends_at_once,
       a_second_sigterm_ends_at_once, the_second_signal_may_be_another,
       a_cancelled_job_leaves_nothing_beside_its_folder, a_signal_that_was_ignored_stays_ignored,
       a_signal_before_there_is_a_job_ends_at_once)
