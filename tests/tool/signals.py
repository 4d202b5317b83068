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


report(sigint_cancels, sigterm_cancels, a_second_sigint_ends_at_once,
       a_second_sigterm_ends_at_once, the_second_signal_may_be_another,
       a_cancelled_job_leaves_nothing_beside_its_folder)
