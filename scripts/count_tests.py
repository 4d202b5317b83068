# SPDX-License-Identifier: Apache-2.0
"""
Adds up test logs of meson: count_tests.py NAME=LOG... A LOG that is not there counts as one failed
test: NAME did not build. Shows the output of what failed, and why tests were skipped; the last line
is "N passed, N failed[, N skipped]". The exit status is 1 if anything failed.
"""
import json
import os
import re
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
TAIL_LINES = 200


def entries(log):
    with open(log, encoding='utf-8', errors='replace') as file:
        return [json.loads(line) for line in file]


def show_failed(build, test):
    print(f'--- {build}: {test["name"]}: {test["result"]}')
    for stream in ('stdout', 'stderr'):
        lines = (test.get(stream) or '').splitlines()
        if len(lines) > TAIL_LINES:
            print(f'[{len(lines) - TAIL_LINES} lines left out]')
        for line in lines[-TAIL_LINES:]:
            print(line)


def skipped_parts(test):
    """What a test in TAP left out, with the reasons."""
    return re.findall(r'^ok \d+ *(.*?# *SKIP.*)$', test.get('stdout') or '', re.M | re.I)


def count(build, log, totals):
    if not os.path.exists(log):
        print(f'--- {build}: did not build')
        totals['failed'] += 1
        return
    for test in entries(log):
        if test['result'] in PASSED:
            totals['passed'] += 1
        elif test['result'] == 'SKIP':
            totals['skipped'] += 1
        else:
            totals['failed'] += 1
            show_failed(build, test)
        for part in skipped_parts(test):
            print(f'skipped: {build}: {test["name"]}: {part}')


def main(arguments):
    totals = {'passed': 0, 'failed': 0, 'skipped': 0}
    for argument in arguments:
        build, _, log = argument.partition('=')
        count(build, log, totals)
    last = f'{totals["passed"]} passed, {totals["failed"]} failed'
    if totals['skipped']:
        last += f', {totals["skipped"]} skipped'
    print(last)
    return 1 if totals['failed'] or not totals['passed'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
