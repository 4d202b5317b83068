# SPDX-License-Identifier: Apache-2.0
"""Rows that fail, against a model of what must become of them: python3 poison.py COMMAND [--all].

One row in a hundred fails in the third of five operators, in every way that the lab plugin knows,
under every policy. The good rows come out exactly, the books balance, and what a failed job says
does not depend on workers, partitions or batches. Without --all, the shape of each run is drawn.
"""
import gzip
import itertools
import json
import random
import sys

from engine import SEED, Place, books, report

COUNT = 800
BAD = [62, 208, 500, 798]  # 1 % of the rows that reach the third operator: the even ones
SHAPES = list(itertools.product((1, 2, 7), (1, 9)))
BATCHES = (1, 7, None)
SAYS = 'lab_fail says so'
ALL = '--all' in sys.argv
draw = random.Random(SEED)


def shapes(many=1):
    """Workers and partitions."""
    return SHAPES if ALL else draw.sample(SHAPES, many)


def input_of(work, broken=()):
    """The input; rows of `broken` are no JSON. Returns the offsets of the rows."""
    data, offsets = b'', []
    for i in range(COUNT):
        offsets.append(len(data))
        line = json.dumps({'id': i, 'text': f'row {i}'}).encode()
        data += (line[:-1] if i in broken else line) + b'\n'
    work.write('in/rows.jsonl', data)
    return offsets


def chain(operator, params, batch):
    if batch is not None:
        params = {**params, 'batch_size': batch}
    return ['lab_append_mapper', ('lab_drop_filter', {'modulo': 2}), (operator, params),
            ('lab_expand_mapper', {'n': 2}), ('lab_append_mapper', {'suffix': '!'})]


def model(lost):
    """The output, when the third operator loses these rows."""
    return [{'id': i, 'text': f'row {i}+!', 'lab_child': child}
            for i in range(0, COUNT, 2) if i not in lost for child in range(2)]


def lost_rows(run, on_error):
    """Ids of the rows that went in the third operator, and findings."""
    out = {row['id'] for row in run.rows}
    lost = [i for i in range(0, COUNT, 2) if i not in out]
    kept = [json.loads(record['raw'])['id'] for record in run.quarantine]
    found = books(run.summary)
    if run.rows != model(set(lost)):
        found.append('the good rows are not what they should be')
    if kept != (lost if on_error == 'quarantine' else []):
        found.append(f'quarantine: {kept}, lost: {lost}')
    op = run.operator(2)
    counts = (op['quarantined'], op['skipped'], op['dropped'])
    want = (len(lost), 0, 0) if on_error == 'quarantine' else (0, len(lost), len(lost))
    if counts != want or (op['in'], op['out']) != (COUNT // 2, COUNT // 2 - len(lost)):
        found.append(f'{op}')
    for record in run.quarantine:
        if record['operator'] != op['name'] or record['index'] != 2 or SAYS not in record['message']:
            found.append(f'{record}')
    return lost, found


def failed_job(run, words):
    found = []
    if run.status != 1 or run.output is not None or run.summary['state'] != 'failed':
        found.append(f'status {run.status}, state {run.summary["state"]}: {run.stderr}')
    return found + [f'{word!r} is not in {run.stderr!r}' for word in words if word not in run.stderr]


def _judge(run, offsets, operator, code, on_error, batch):
    """What is wrong with this run."""
    whole = operator == 'lab_fail_once_mapper' and code in ('error', 'eagain') and batch != 1
    if code in ('einstance', 'efatal'):
        return failed_job(run, [f'operator {operator}: ', ' at byte ', f' of in/rows.jsonl: {SAYS}'])
    if on_error == 'fail' and whole:
        return failed_job(run, [f'failed: operator {operator}: one of ',
                                ' of in/rows.jsonl: ' + SAYS])
    if on_error == 'fail':
        return failed_job(run, [f'failed: operator {operator}: row at byte {offsets[BAD[0]]} of '
                                f'in/rows.jsonl: {SAYS}'])
    if run.status != 0:
        return [run.stderr]
    lost, found = lost_rows(run, on_error)
    if whole and not (set(BAD) <= set(lost) and len(lost) <= len(BAD) * (batch or COUNT)):
        found.append(f'lost: {lost}')
    if not whole and lost != BAD:
        found.append(f'lost: {lost}')
    return found


def _poison(operator, code):
    found = []
    with Place() as work:
        offsets = input_of(work)
        for on_error, batch in itertools.product(('fail', 'skip', 'quarantine'), BATCHES):
            for workers, partitions in shapes():
                params = {'rows': BAD, 'code': code, 'on_error': on_error}
                # Batches before a budget are called together.
                budget = draw.choice(({}, {'num_proc': 1}, {'num_proc': 2}))
                slices = draw.choice((1000, 1 << 20))
                run = work.run(chain(operator, {**params, **budget}, batch), np=workers,
                               **{'partition.num_of_partitions': partitions,
                                  'debug.slice_bytes': slices})
                case = f'{on_error}, batch {batch}, {workers} workers, {partitions} partitions, ' \
                    f'{budget}, slices of {slices}: '
                found += [case + line for line in
                          _judge(run, offsets, operator, code, on_error, batch) +
                          work.leftovers()]
                if run.output is not None:
                    work.remove('out.jsonl')
    return found


def poison_facts():
    for operator in ('lab_fail_mapper', 'lab_fail_once_mapper'):
        for code in ('row', 'error', 'eagain', 'enomem', 'einstance', 'efatal'):
            def fact(operator=operator, code=code):
                return _poison(operator, code)
            fact.__name__ = f'poison_by_{code}_in_{operator}'
            yield fact


def the_first_row_that_fails_is_named_whichever_operator_fails_it():
    """A later row fails in an earlier operator, and one that is no JSON comes later still."""
    found = []
    with Place() as work:
        offsets = input_of(work, broken=(500,))
        process = [('lab_fail_mapper', {'rows': [400, 401, 799]}), 'lab_append_mapper',
                   ('lab_fail_mapper', {'rows': [398], 'num_proc': 2, 'message': 'the one'})]
        for (workers, partitions), slices in itertools.product(shapes(3), (1000, 1 << 20)):
            run = work.run(process, on_error='fail', np=workers,
                           **{'partition.num_of_partitions': partitions,
                              'debug.slice_bytes': slices})
            found += failed_job(run, [f'row at byte {offsets[398]} of in/rows.jsonl: the one'])
    return found


def a_failure_in_one_archive_ends_the_reading_of_the_others():
    found = []
    with Place() as work:
        for name in 'abcdef':
            data = ''.join(json.dumps({'id': i, 'text': name * 90}) + '\n' for i in range(3000))
            work.write(f'in/{name}.jsonl.gz', gzip.compress(data.encode()))
        for on_error, keys in (('fail', {}), ('quarantine', {'max_errors': 0})):
            for workers, partitions in shapes(3):
                run = work.run([('lab_fail_mapper', {'rows': [2000]}), 'lab_append_mapper'],
                               on_error=on_error, np=workers,
                               **{'partition.num_of_partitions': partitions,
                                  'debug.slice_bytes': 5000, **keys})
                found += failed_job(run, ['operator lab_fail_mapper: row at byte ',
                                          f' of in/a.jsonl.gz: {SAYS}'])
    return found


def bad_rows_of_the_input_go_by_the_policy_of_the_job():
    found, broken = [], (3, 400, 799)
    with Place() as work:
        offsets = input_of(work, broken)
        good = [i for i in range(COUNT) if i not in broken]
        for on_error, (workers, partitions) in itertools.product(('fail', 'skip', 'quarantine'),
                                                                 shapes(2)):
            # The operator's own policy is no matter for them.
            run = work.run([('lab_append_mapper', {'on_error': 'skip'})], on_error=on_error,
                           np=workers, **{'partition.num_of_partitions': partitions})
            if on_error == 'fail':
                found += failed_job(run, [f'failed: row at byte {offsets[3]} of in/rows.jsonl: '])
                continue
            found += books(run.summary)
            if [row['id'] for row in run.rows] != good or run.summary['input']['bad'] != 3:
                found.append(f'{on_error}: {run.stderr} {run.summary["input"]}')
            kept = [(record['offset'], record['operator']) for record in run.quarantine]
            if kept != [(offsets[i], None) for i in broken if on_error == 'quarantine']:
                found.append(f'{on_error}: {kept}')
            work.remove('out.jsonl')
    return found


def _limited(work, process, **keys):
    """What runs of all shapes say; one answer, or a finding."""
    said = set()
    for workers, partitions in shapes(3):
        run = work.run(process, np=workers, **{'partition.num_of_partitions': partitions,
                                               'debug.slice_bytes': 3000, **keys})
        said.add((run.status, run.stderr))
        if (run.status == 0) != (run.output is not None):
            return None, f'{run.status} with output {run.output is not None}'
        if run.output is not None:
            work.remove('out.jsonl')
    return said.pop() if len(said) == 1 else (None, f'{said}')


def limits_of_errors_are_judged_in_the_order_of_the_input():
    """Seven rows fail: two bad ones, one is skipped, four are quarantined."""
    found = []
    process = [('lab_fail_mapper', {'rows': [100], 'on_error': 'skip'}), 'lab_append_mapper',
               ('lab_fail_mapper', {'rows': BAD, 'num_proc': 2, 'code': 'error'})]
    with Place() as work:
        offsets = input_of(work, broken=(70, 700))
        first = f'the first: operator lab_fail_mapper: row at byte {offsets[62]} of in/rows.jsonl: '
        cases = [({'max_errors': most}, f'max_errors: {most + 1} row{"s"[:most]} failed, {most} ')
                 for most in (0, 1, 5, 6)]
        cases += [({'max_error_rate': rate}, 'max_error_rate: 7 of 800 rows failed')
                  for rate in (0, 0.008, 0.0087)]
        for keys, words in cases:
            status, text = _limited(work, process, **keys)
            if status != 1 or words not in text or first + SAYS not in text:
                found.append(f'{keys}: {status} {text}')
        for keys in ({'max_errors': 7}, {'max_error_rate': 0.00875}, {'max_error_rate': 1}):
            status, text = _limited(work, process, **keys)
            found += [f'{keys}: {status} {text}'] * (status != 0)
    return found


def limits_hold_across_convergence_points():
    found = []
    process = [('lab_fail_mapper', {'rows': [700]}), ('lab_count_global', {'n': 1}),
               ('lab_fail_mapper', {'rows': [3, 600]}), ('lab_count_global', {'n': 1})]
    with Place() as work:
        offsets = input_of(work)
        first = f'row at byte {offsets[700]} of in/rows.jsonl'
        for most in (0, 2, 3):
            for keys in ({'max_errors': most}, {'max_error_rate': most / COUNT}):
                status, text = _limited(work, process, **keys)
                if status != int(most < 3) or (most < 3 and first not in text):
                    found.append(f'{keys}: {status} {text}')
    return found


def no_rows_are_within_every_limit():
    with Place() as work:
        work.write('in/rows.jsonl', '\n\n')
        run = work.run(['lab_append_mapper'], max_errors=0, max_error_rate=0)
        return [run.stderr] * (run.status != 0 or run.output != b'')


def a_run_does_not_remove_the_rows_that_it_is_to_read():
    with Place() as work:
        input_of(work)
        work.run([('lab_fail_mapper', {'rows': BAD})])
        run = work.run([], ['--dataset', 'work/j/quarantine.jsonl'])
        found = [] if run.status == 2 and 'job_id' in run.stderr else [f'{run.status} {run.stderr}']
        if len(run.quarantine) != len(BAD):
            found.append('the quarantine is gone')
        again = work.run([], ['--dataset', 'work/j/quarantine.jsonl', '--set', 'job_id=k'])
        return found + [again.stderr] * ([row['id'] for row in again.rows] != BAD)


def a_row_that_is_never_ready_is_called_a_bounded_number_of_times():
    found = []
    with Place() as work:
        input_of(work)
        for keys in ({'batch_size': 1}, {'batch_size': 1, 'num_proc': 2}, {}):
            run = work.run([('lab_fail_mapper', {'rows': [5], 'code': 'eagain', **keys})])
            op = run.operator()
            least = COUNT if keys else 1
            if op['quarantined'] != 1 or not least < op['calls'] < least + 64:
                found.append(f'{keys}: {op}')
    return found


def rows_left_unresolved_say_so_and_why():
    with Place() as work:
        input_of(work)
        run = work.run([('lab_fail_mapper', {'every': 3, 'code': 'error'})],
                       **{'partition.num_of_partitions': 1})
        messages = {record['message'] for record in run.quarantine}
        unresolved = [text for text in messages if text.startswith('unresolved: 64 calls')]
        found = books(run.summary)
        if len(messages) != 2 or SAYS not in messages or len(unresolved) != 1 or \
                not unresolved[0].endswith(SAYS):
            found.append(f'{messages}')
        return found


if __name__ == '__main__':
    report([*poison_facts(),
            the_first_row_that_fails_is_named_whichever_operator_fails_it,
            a_failure_in_one_archive_ends_the_reading_of_the_others,
            bad_rows_of_the_input_go_by_the_policy_of_the_job,
            limits_of_errors_are_judged_in_the_order_of_the_input,
            limits_hold_across_convergence_points,
            no_rows_are_within_every_limit,
            a_run_does_not_remove_the_rows_that_it_is_to_read,
            a_row_that_is_never_ready_is_called_a_bounded_number_of_times,
            rows_left_unresolved_say_so_and_why])
