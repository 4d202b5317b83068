# SPDX-License-Identifier: Apache-2.0
"""Calls on the rows of several batches: they are fewer, and nobody can tell from the output."""
import json
import random

from engine import SCALE, SEED, Place, books, report

ROWS = 600
ROW = 40  # bytes

SLOW = ('lab_sleep_mapper', {'us_per_batch': 200, 'num_proc': 1})


def _write(work, count):
    work.write('in/a.jsonl', ''.join(
        json.dumps({'id': i, 'text': 'a row'}).ljust(ROW - 1) + '\n' for i in range(count)))


def _run(work, process, **keys):
    run = work.run(process, **{'partition.num_of_partitions': 1, 'debug.slice_bytes': 3 * ROW,
                               'np': 2, 'on_error': 'quarantine', **keys})
    if run.status not in (0, 3):
        raise AssertionError(f'{keys}: {run.status}: {run.stderr}')
    return run, books(run.summary)


def a_call_takes_what_is_parked():
    found = []
    for operator in 'lab_sleep_mapper', 'lab_spin_mapper':
        with Place() as work:
            _write(work, ROWS)
            runs = []
            for size in (3, None, 64):
                run, wrong = _run(work, [(operator, {'us_per_batch': 500, 'num_proc': 1,
                                                     **({'batch_size': size} if size else {})})])
                runs.append(run)
                found += wrong
        calls = [run.operator()['calls'] for run in runs]
        # Half of the window at most, which is eight batches; nearly always, as the operator is slow.
        if calls[:2] != [ROWS // 3, ROWS // 3] or not ROWS // 24 <= calls[2] <= ROWS // 8:
            found.append(f'{operator}: {calls} calls')
        if len({run.output for run in runs}) != 1:
            found.append(f'{operator}: the outputs differ')
    return found


def a_call_never_has_more_rows_than_batch_size():
    found = []
    for size in 1, 2, 3, 4, 7, 20:
        with Place() as work:
            _write(work, ROWS)
            run, wrong = _run(work, [SLOW, ('lab_fail_mapper', {
                'num_proc': 1, 'batch_size': size, 'max_rows': size, 'code': 'efatal'})])
            found += wrong
            if len(run.rows) != ROWS:
                found.append(f'{size}: {len(run.rows)} rows')
    return found


def an_operator_that_looks_at_the_group_gets_no_joined_calls():
    outputs = set()
    for keys in ({}, {'batch_size': 3}, {'batch_size': 64}, {'batch_size': 64, 'num_proc': 1},
                 {'batch_size': 64, 'num_proc': 2}):
        with Place() as work:
            _write(work, 90)
            outputs.add(_run(work, [SLOW, ('lab_batch_mapper', keys)])[0].output)
    return [str(output) for output in outputs] if len(outputs) > 1 else []


def an_operator_that_may_not_be_called_again_gets_no_joined_calls():
    with Place() as work:
        _write(work, ROWS)
        run, found = _run(work, [('lab_fail_once_mapper', {
            'num_proc': 1, 'batch_size': 64, 'every': 100, 'code': 'error'})])
    # The three rows of each slice that has a bad one.
    if run.operator()['quarantined'] != 3 * ROWS // 100 or run.operator()['calls'] != ROWS // 3:
        found.append(str(run.operator()))
    return found


CHAINS = {
    'bad_rows': [('lab_fail_mapper', {'every': 50, 'code': 'error'})],
    'failing_rows': [('lab_fail_mapper', {'every': 7, 'code': 'row'})],
    'skipped_rows': [('lab_fail_mapper', {'every': 50, 'code': 'error', 'on_error': 'skip'})],
    'broken_instances': [('lab_fail_mapper', {'every': 60, 'code': 'einstance', 'times': 3})],
    'pauses': [('lab_fail_mapper', {'every': 80, 'code': 'eagain', 'times': 3})],
    'little_memory': [('lab_fail_mapper', {'max_rows': 2, 'code': 'enomem'})],
    'drops': [('lab_drop_filter', {'modulo': 3})],
    'many': [('lab_expand_mapper', {'n': 3})],
    'more': [('lab_expand_mapper', {'n': 3, 'more_rows': 2})],
    'texts': [('lab_append_mapper', {}), ('lab_append_mapper', {})],
    'counts': [('lab_count_global', {})],
    'copies': [('lab_repeat_global', {'count': 2})],
    'all_of_it': [('lab_fail_mapper', {'every': 90, 'code': 'error'}),
                  ('lab_expand_mapper', {'n': 2, 'more_rows': 3}),
                  ('lab_fail_mapper', {'every': 110, 'code': 'row'}),
                  ('lab_drop_filter', {'modulo': 5, 'remainder': 1}), ('lab_append_mapper', {}),
                  ('lab_repeat_global', {'count': 2}), ('text_length_filter', {'min_len': 1})],
}


def _differences(chain):
    draw, found, expected = random.Random(SEED), [], None
    with Place() as work:
        _write(work, 180)
        for i in range(1 + max(2, 5 // SCALE)):
            keys = {'np': draw.randint(1, 4), 'batch_size': draw.choice((None, 1, 2, 5, 17, 1000)),
                    'debug.slice_bytes': draw.choice((1, 3 * ROW, 5 * ROW + 1, 20 * ROW)),
                    'partition.num_of_partitions': draw.choice((1, 1, 3))}
            units = {'num_proc': draw.randint(1, 2)}
            if i == 0:
                keys, units = {'np': 1, 'debug.slice_bytes': None}, {}
            run, wrong = _run(work, [SLOW] + [(name, {**values, **units}) for name, values in chain],
                              **keys)
            result = run.output, [(r['offset'], r['operator'], r['code']) for r in run.quarantine]
            expected = expected or result
            found += wrong
            if result != expected:
                found.append(f'not the same with {keys} {units}')
    return found


def _same_output(name):
    def fact():
        return _differences(CHAINS[name])
    fact.__name__ = f'the_output_is_the_same_with_{name}'
    return fact


if __name__ == '__main__':
    report([a_call_takes_what_is_parked, a_call_never_has_more_rows_than_batch_size,
            an_operator_that_looks_at_the_group_gets_no_joined_calls,
            an_operator_that_may_not_be_called_again_gets_no_joined_calls,
            *map(_same_output, CHAINS)])
