# SPDX-License-Identifier: Apache-2.0
"""Jobs at the edge of things: python3 edges.py COMMAND."""
import json
import os
import resource
import signal
import time

from engine import SCALE, Place, books, report

MIB = 1 << 20
BAD_LINE = b'{"id": oops}\n'


def expect(run, **facts):
    """Findings about a run: status, rows (ids), state, words on stderr, and its books."""
    found = []
    if run.status != facts.get('status', 0):
        found.append(f'status {run.status}: {run.stderr[:400]}')
    if 'ids' in facts and [row['id'] for row in run.rows] != facts['ids']:
        ids = [row['id'] for row in run.rows]
        found.append(f'{len(ids)} rows {ids[:20]}, expected {len(facts["ids"])}')
    if 'output' in facts and run.output != facts['output']:
        found.append(f'output {str(run.output)[:200]}, expected {str(facts["output"])[:200]}')
    for words in facts.get('stderr', []):
        if words not in run.stderr:
            found.append(f'stderr lacks {words}: {run.stderr[:400]}')
    if run.summary and run.status == 0:
        found += books(run.summary)
    return found


def lines(count, **more):
    return ''.join(json.dumps({'id': i, **more}) + '\n' for i in range(count)).encode()


# --- input -----------------------------------------------------------------------------------

def a_folder_without_files_is_refused():
    with Place() as work:
        os.mkdir(work.at('in'))
        run = work.run()
        return expect(run, status=2, output=None, stderr=["'in'"]) if "'in'" in run.stderr else \
            expect(run, status=2, output=None, stderr=['in'])


def a_missing_input_is_refused():
    with Place() as work:
        return expect(work.run(), status=2, output=None, stderr=['in'])


def _copied(data, expected=None, partitions=3, **summary):
    with Place() as work:
        work.write('in/rows.jsonl', data)
        run = work.run(**{'partition.num_of_partitions': partitions})
        found = expect(run, output=data if expected is None else expected)
        for key, value in summary.items():
            have = run.summary['partitions' if key in ('total', 'empty') else 'input'][key]
            if have != value:
                found.append(f'{key} {have}, expected {value}')
        return found + work.leftovers()


def no_bytes_are_an_empty_output():
    return _copied(b'', rows=0, lines=0, total=1, empty=1)


def blank_lines_are_an_empty_output():
    return _copied(b'\n  \n\r\n\t\n', b'', rows=0, lines=4, blank=4, total=1)


def one_row_is_one_partition():
    return _copied(b'{"id": 1}\n', rows=1, lines=1, total=1)


def three_rows_in_eight_partitions_are_three():
    return _copied(lines(3), rows=3, total=3, partitions=8)


def a_last_line_without_its_end_gets_one():
    return _copied(lines(5)[:-1], lines(5), rows=5)


def carriage_returns_go():
    return _copied(lines(5).replace(b'\n', b'\r\n'), lines(5), rows=5, bad=0)


def a_mark_at_the_start_goes():
    return _copied(b'\xef\xbb\xbf' + lines(5), lines(5), rows=5, bad=0)


def only_a_mark_is_no_row():
    return _copied(b'\xef\xbb\xbf', b'', rows=0, bad=0)


def a_mark_inside_is_a_bad_row():
    return _copied(lines(1) + b'\xef\xbb\xbf' + lines(1), lines(1), rows=1, bad=1)


def blank_lines_before_the_first_row_make_no_partition():
    return _copied(b'\n' * 5000 + lines(2), lines(2), rows=2, blank=5000, total=2)


def twenty_thousand_tiny_files():
    count = 20000 // SCALE
    with Place() as work:
        for i in range(count):
            work.write(f'in/{i // 1000:02}/{i % 1000:03}.jsonl', b'{"id": %d}\n' % i)
        run = work.run(['lab_spin_mapper'])
        return expect(run, ids=list(range(count))) + work.leftovers()


def partitions_cost_no_descriptors():
    """Rows, keys and rejects of three stages in far more partitions than descriptors."""
    count = 3000 // SCALE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Place() as work:
        work.write('in/rows.jsonl', b''.join(
            b'{"id": %d, "text": "%d%s"}\n%s' % (i, i // 2, b'x' * 300, BAD_LINE if i % 2 else b'')
            for i in range(2 * count)))
        chain = [('lab_fail_mapper', {'every': 4}), 'document_deduplicator',
                 ('lab_repeat_global', {'count': 2})]
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        try:
            run = work.run(chain, **{'partition.num_of_partitions': count,
                                     'partition.max_concurrent_partitions': 300})
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        kept = [i for i in range(2 * count) if i % 4]
        ids = [i for i in kept if i % 2 == 0 or i - 1 not in kept]
        found = expect(run, ids=[i for i in ids for _ in range(2)])
        if run.status == 0:
            lost = [row['offset'] for row in run.quarantine]
            if len(lost) != count + count // 2 or lost != sorted(lost):
                found.append(f'{len(lost)} quarantined, or not in order')
            if run.summary['partitions']['total'] != count:
                found.append(f'{run.summary["partitions"]}')
        return found + work.leftovers()


def the_next_run_removes_what_a_killed_one_left():
    with Place() as work:
        work.write('in/rows.jsonl', lines(9))
        left = ['stage-00-00003', 'part-00-00000', 'stats-00-00000', 'rejects-12-00001',
                'keys-01-123456', 'summary.json.tmp', '.rejected']
        others = ['stage-00', 'parts-00-00000', 'keys-01-00001.bak']
        for name in left + others:
            work.write(f'work/j/{name}', b'old')
        found = expect(work.run(on_error='fail'), output=lines(9))
        now = os.listdir(work.at('work/j'))
        return found + [f'left: {name}' for name in left if name in now] + \
            [f'gone: {name}' for name in others if name not in now]


def a_long_row_among_short_ones():
    size = 100 * 1000 * 1000 // SCALE
    short = [b'{"id": %d}\n' % i for i in range(100)]
    long = b'{"id": 100, "text": "' + b'x' * size + b'"}\n'
    with Place() as work:
        work.write('in/rows.jsonl', b''.join(short + [long] + short))
        run = work.run(['lab_spin_mapper', ('text_length_filter', {'min_len': 0})],
                       **{'partition.num_of_partitions': 4, 'on_error': 'skip'})
        found = expect(run, output=long)
        if run.summary['input']['rows'] != 201:
            found.append(f'{run.summary["input"]}')
        return found


def a_long_row_within_a_small_limit():
    size = 30 * 1000 * 1000 // SCALE
    long = [b'{"id": %d, "text": "' % i + b'x' * size + b'"}\n' for i in range(3)]
    with Place() as work:
        work.write('in/rows.jsonl', b''.join(long))
        run = work.run(['whitespace_normalization_mapper'], memory_limit='16MB', np=2)
        return expect(run, output=b''.join(long))


def rows_longer_than_slices():
    rows = b''.join(b'{"id": %d, "text": "%s"}\n' % (i, b'y' * (i * 37 % 900)) for i in range(300))
    found = []
    with Place() as work:
        work.write('in/rows.jsonl', rows)
        for slice_bytes in (1, 7, 100, 450, 1000):
            run = work.run(np=3, **{'debug.slice_bytes': slice_bytes,
                                    'partition.num_of_partitions': 4})
            found += [f'{slice_bytes}: {line}' for line in expect(run, output=rows)]
    return found


def the_last_of_equal_keys_counts():
    row = b'{"text": "short", "id": 1, "text": "a long enough text"}\n'
    with Place() as work:
        work.write('in/rows.jsonl', row + b'{"text": "a long enough text", "text": "short"}\n')
        run = work.run([('text_length_filter', {'min_len': 10})])
        return expect(run, output=row)


# --- output ----------------------------------------------------------------------------------

def folders_of_the_export_are_made():
    with Place() as work:
        work.write('in/rows.jsonl', lines(9))
        return expect(work.run(export_path='a/b/c/out.jsonl'), output=lines(9)) + work.leftovers()


def success_replaces_the_target():
    with Place() as work:
        work.write('in/rows.jsonl', lines(9))
        work.write('out.jsonl', b'old')
        return expect(work.run(), output=lines(9)) + work.leftovers()


def failure_keeps_the_target():
    with Place() as work:
        work.write('in/rows.jsonl', lines(900))
        work.write('out.jsonl', b'old')
        run = work.run([('lab_fail_mapper', {'rows': [850], 'code': 'efatal'})],
                       **{'debug.slice_bytes': 500})
        found = expect(run, status=1, output=b'old', stderr=['lab_fail_mapper', 'lab_fail says so'])
        if run.summary['state'] != 'failed' or 'lab_fail_mapper' not in run.summary['error']:
            found.append(str(run.summary))
        return found + work.leftovers()


def failure_leaves_nothing_under_the_final_name():
    with Place() as work:
        work.write('in/rows.jsonl', lines(900))
        run = work.run(['document_deduplicator'], on_error='fail')
        return expect(run, status=1, output=None, stderr=['text']) + work.leftovers()


def cancel_keeps_the_target():
    with Place() as work:
        work.write('in/rows.jsonl', lines(900))
        work.write('out.jsonl', b'old')
        running = work.start([('lab_hang_mapper', {'on_id': 800})], **{'debug.slice_bytes': 500})
        deadline = time.monotonic() + 60
        # Rows are written: the command waits by now. TSan may lose a signal before that.
        while not os.path.exists(work.at('.out.jsonl.j.partial')) or \
                os.path.getsize(work.at('.out.jsonl.j.partial')) == 0:
            if time.monotonic() > deadline:
                running.kill()
                return ['no export in the making']
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=60)
        found = [] if running.returncode == 143 else [f'status {running.returncode}: {err}']
        if work.bytes_of('out.jsonl') != b'old':
            found.append('the target is gone')
        state = json.loads(work.bytes_of('work/j/summary.json'))['state']
        return found + ([] if state == 'cancelled' else [state]) + work.leftovers()


# --- memory ----------------------------------------------------------------------------------

def a_limit_too_small_names_what_is_needed():
    with Place() as work:
        work.write('in/rows.jsonl', lines(900))
        run = work.run(memory_limit='1KB')
        found = expect(run, status=2, output=None, stderr=['memory_limit', 'expected at least'])
        needed = int(run.stderr.split('expected at least ')[1].split(':')[0])
        found += expect(work.run(memory_limit=needed - 1), status=2, output=None)
        return found + expect(work.run(memory_limit=needed), output=lines(900))


def memory_stays_within_a_small_limit():
    """The process may use the limit, what it is without rows, and the growth of running calls: four
    of them here, and a batch may grow by three times its slice before that is charged."""
    found, row = [], b'{"id": 7, "text": "' + b'some words ' * 60 + b'"}\n'
    with Place() as work:
        work.write('in/rows.jsonl', row * 1000)
        least = work.run().summary['peak_bytes']
        data = row * (60 * MIB // SCALE // len(row))
        work.write('in/rows.jsonl', data)
        chain = ['whitespace_normalization_mapper', ('lab_model_mapper', {'num_proc': 2}),
                 ('lab_append_mapper', {})]
        for keys in ({}, {'partition.num_of_partitions': 16,
                          'partition.max_concurrent_partitions': 8}):
            run = work.run(chain, memory_limit='12MB', np=2, **keys)
            found += expect(run)
            if SCALE == 1 and run.summary['peak_bytes'] > least + 16 * MIB:
                found.append(f'{keys}: peak {run.summary["peak_bytes"]}, without rows {least}')
    return found


# --- rows that fail --------------------------------------------------------------------------

def _bad_rows(on_error):
    with Place() as work:
        work.write('in/rows.jsonl', lines(3) + BAD_LINE + lines(2))
        run = work.run(on_error=on_error)
        return run, run.quarantine, work.leftovers()


def bad_rows_fail_the_job_if_told_so():
    run, quarantine, left = _bad_rows('fail')
    return expect(run, status=1, output=None, stderr=['in/rows.jsonl', 'byte 30']) + left


def bad_rows_are_skipped_if_told_so():
    run, quarantine, left = _bad_rows('skip')
    found = expect(run, ids=[0, 1, 2, 0, 1]) + left
    return found + [str(quarantine)] * bool(quarantine) + \
        [str(run.summary['input'])] * (run.summary['input']['bad'] != 1)


def bad_rows_are_quarantined():
    run, quarantine, left = _bad_rows('quarantine')
    found = expect(run, ids=[0, 1, 2, 0, 1]) + left
    facts = [(record['source'], record['offset'], record['operator'], record['index'],
              record['raw']) for record in quarantine]
    if facts != [('in/rows.jsonl', 30, None, None, '{"id": oops}')]:
        found.append(str(facts))
    return found


def _policy(on_error, params, rows=100, **keys):
    """A run of lab_fail_mapper on rows 0 .. rows - 1."""
    with Place() as work:
        work.write_rows('in/rows.jsonl', rows)
        run = work.run([('lab_fail_mapper', {'on_error': on_error, **params})], **keys)
        run.kept_quarantine = run.quarantine
        run.left = work.leftovers()
        return run


def failed_rows_go_by_the_policy():
    found, others = [], [i for i in range(100) if i not in (3, 50)]
    for code in ('row', 'error', 'enomem'):
        params = {'rows': [3, 50], 'code': code}
        run = _policy('fail', params)
        found += [f'{code}: {line}' for line in
                  expect(run, status=1, output=None, stderr=['lab_fail says so']) + run.left]
        run = _policy('skip', params)
        found += [f'{code}: {line}' for line in expect(run, ids=others) + run.left]
        op = run.operator()
        if (op['dropped'], op['skipped'], op['quarantined']) != (2, 2, 0) or run.kept_quarantine:
            found.append(f'{code}: {op} {run.kept_quarantine}')
        run = _policy('quarantine', params)
        found += [f'{code}: {line}' for line in expect(run, ids=others) + run.left]
        ids = [json.loads(record['raw'])['id'] for record in run.kept_quarantine]
        if ids != [3, 50] or run.operator()['quarantined'] != 2:
            found.append(f'{code}: {ids} {run.operator()}')
    return found


def a_row_that_fails_again_and_again_goes_by_the_policy():
    run = _policy('quarantine', {'rows': [3], 'code': 'eagain', 'batch_size': 1}, rows=5)
    found = expect(run, ids=[0, 1, 2, 4])
    return found + [str(run.operator())] * (run.operator()['calls'] < 7)


def failures_that_pass_lose_nothing():
    found = []
    for code in ('error', 'eagain', 'enomem', 'einstance'):
        # One row for which there is no memory cannot be halved: it fails.
        for batch in (7, 100) if code == 'enomem' else (1, 7, 100):
            for keys in ({}, {'num_proc': 2}):
                times = 2 if code == 'enomem' else 3
                params = {'rows': [3, 50], 'code': code, 'times': times, 'batch_size': batch,
                          **keys}
                run = _policy('fail' if code != 'error' else 'quarantine', params)
                if code == 'error':
                    # A search may find the row itself failing: at most three rows go.
                    found += expect(run)
                    lost = run.operator()['quarantined']
                    found += [f'{params}: {lost} rows'] * (lost > 3)
                else:
                    found += [f'{params}: {line}' for line in expect(run, ids=list(range(100)))]
                    made = run.operator()['created'] - run.operator()['destroyed']
                    found += [f'{params}: {run.operator()}'] * (made < 1)
    return found


def a_call_that_memory_made_small_stays_small():
    run = _policy('fail', {'max_rows': 10, 'code': 'enomem'}, rows=1000)
    found = expect(run, ids=list(range(1000)))
    return found + [str(run.operator())] * (run.operator()['calls'] > 1000 // 5)


def a_broken_instance_is_replaced_three_times():
    run = _policy('quarantine', {'rows': [5], 'code': 'einstance'})
    found = expect(run, status=1, output=None, stderr=['lab_fail_mapper']) + run.left
    if run.operator()['created'] < 4:
        found.append(str(run.operator()))
    return found


def a_fatal_answer_fails_the_job_whatever_the_policy():
    found = []
    for on_error in ('skip', 'quarantine'):
        run = _policy(on_error, {'rows': [5], 'code': 'efatal', 'message': 'the end'})
        found += expect(run, status=1, output=None, stderr=['the end', 'partition']) + run.left
    return found


def bisection_finds_the_rows_that_fail():
    bad = [17, 400, 401, 999]
    run = _policy('quarantine', {'rows': bad, 'code': 'error'}, rows=1000)
    found = expect(run, ids=[i for i in range(1000) if i not in bad])
    ids = [json.loads(record['raw'])['id'] for record in run.kept_quarantine]
    if ids != bad or run.operator()['calls'] > 64:
        found.append(f'{ids} {run.operator()}')
    return found


def too_many_bad_rows_are_left_unresolved():
    run = _policy('quarantine', {'every': 2, 'code': 'error'}, rows=1000,
                  partition={'num_of_partitions': 1})
    found = expect(run)
    messages = {record['message'].split(':')[0] for record in run.kept_quarantine}
    good = [row['id'] for row in run.rows]
    if 'unresolved' not in messages or any(i % 2 == 0 for i in good):
        found.append(f'{messages} {good[:9]}')
    if len(good) + run.operator()['quarantined'] != 1000 or run.operator()['calls'] > 70:
        found.append(str(run.operator()))
    return found


def what_is_not_retry_safe_fails_whole():
    with Place() as work:
        work.write_rows('in/rows.jsonl', 100)
        run = work.run([('lab_fail_once_mapper', {'rows': [42], 'code': 'error',
                                                  'batch_size': 10})])
        found = expect(run, ids=[i for i in range(100) if not 40 <= i < 50])
        return found + [str(run.operator())] * (run.operator()['quarantined'] != 10)


def three_whole_batches_are_a_broken_operator():
    run = _policy('quarantine', {'every': 1, 'code': 'error', 'batch_size': 1}, rows=1000,
                  **{'debug.slice_bytes': 500, 'np': 1})
    return expect(run, status=1, output=None, stderr=['lab_fail_mapper', 'batches']) + run.left


def quarantined_rows_come_back_through_dataset():
    with Place() as work:
        work.write('in/rows.jsonl', lines(4, text='one two') + b'{"id": "\xff"}\n' + BAD_LINE +
                   b'  {"id": 9, "text" : "kept \\u0041s it is"} \n')
        first = work.run([('lab_fail_mapper', {'rows': [2, 9]})])
        found = expect(first, ids=[0, 1, 3])
        os.rename(first.quarantine_path, work.at('quarantine.jsonl'))
        again = work.run([], ['--dataset', 'quarantine.jsonl'])
        found += expect(again, output=b'{"id": 2, "text": "one two"}\n'
                        b'{"id": 9, "text" : "kept \\u0041s it is"}\n')
        if again.summary['input']['bad'] != 2:
            found.append(str(again.summary['input']))
        bad = [record.get('raw', record.get('raw_base64')) for record in again.quarantine]
        return found + [str(bad)] * (bad != ['eyJpZCI6ICL/In0=', '{"id": oops}'])


def records_hold_the_source_row_behind_convergence_points():
    rows = [b'{"id": %d, "text": " a  b%d ", "%s": {"text_len": 9}}' % (i, i, b'__dj__stats__')
            for i in range(5)]
    found = []
    with Place() as work:
        work.write('in/rows.jsonl', b'\xef\xbb\xbf' + b'\r\n'.join(b'   ' + row for row in rows))
        for keys in ({}, {'num_proc': 2}):
            run = work.run(['whitespace_normalization_mapper', 'document_deduplicator',
                            ('lab_expand_mapper', {'n': 2}), ('lab_fail_mapper', {'rows': [2, 4]}),
                            ('lab_sleep_mapper', keys)], np=2)
            found += expect(run, ids=[0, 0, 1, 1, 3, 3])
            kept = [(record['offset'], record['raw'].encode()) for record in run.quarantine]
            data = work.bytes_of('in/rows.jsonl')
            want = [(data.index(rows[i]), rows[i]) for i in (2, 2, 4, 4)]
            found += [f'{kept}, expected {want}'] * (kept != want)
        work.write('in/rows.jsonl', b'')
        os.remove(work.at('in/rows.jsonl'))
        work.write('in/a.txt', 'a text\nof lines')
        work.write('in/b.txt', '')
        run = work.run([('lab_count_global', {'n': 1}), ('words_num_filter', {'text_key': 'meta'})])
        texts = [json.loads(record['raw'])['text'] for record in run.quarantine]
        return found + expect(run, ids=[]) + [str(texts)] * (texts != ['a text\nof lines', ''])


# --- row to many, convergence ----------------------------------------------------------------

def one_row_becomes_many_in_any_number_of_calls():
    found = []
    with Place() as work:
        work.write('in/rows.jsonl', ''.join(json.dumps({'id': i, 'n': i % 5}) + '\n'
                                            for i in range(200)))
        want = [{'id': i, 'n': i % 5, 'lab_child': k} for i in range(200) for k in range(i % 5)]
        for more in (0, 1, 3, 1000):
            for keys in ({}, {'num_proc': 2}, {'batch_size': 1}, {'batch_size': 7}):
                run = work.run([('lab_expand_mapper', {'n_field': 'n', 'more_rows': more, **keys})])
                found += expect(run)
                if run.rows != want:
                    found.append(f'{more} {keys}: {len(run.rows)} rows of {len(want)}')
    return found


def _globals(chain, want, rows=60):
    found = []
    with Place() as work:
        work.write_rows('in/rows.jsonl', rows)
        for partitions in (1, 7):
            run = work.run(chain, **{'partition.num_of_partitions': partitions, 'np': 3,
                                     'debug.slice_bytes': 300})
            found += expect(run, ids=want) + work.leftovers()
    return found


COUNT = ('lab_count_global', {'n': 3})
REPEAT = ('lab_repeat_global', {'count': 2})
PASS = 'lab_spin_mapper'


def a_convergence_point_may_be_first():
    return _globals([COUNT, PASS], list(range(0, 60, 3)))


def a_convergence_point_may_be_last():
    return _globals([PASS, COUNT], list(range(0, 60, 3)))


def a_convergence_point_may_be_alone():
    return _globals([COUNT], list(range(0, 60, 3)))


def convergence_points_may_be_adjacent():
    twice = [i for i in range(60) for _ in range(2)]
    return _globals([REPEAT, COUNT], twice[::3]) + \
        _globals([COUNT, REPEAT, COUNT], [i for i in range(0, 60, 3) for _ in range(2)][::3])


def all_rows_may_go_at_a_convergence_point():
    return _globals([('lab_repeat_global', {'count': 0}), PASS, COUNT], [])


def duplicates_made_later_are_removed_later():
    return _globals(['document_deduplicator', REPEAT, PASS, 'document_deduplicator'],
                    list(range(60)))


def a_convergence_point_without_rows():
    return _globals([COUNT, 'document_deduplicator', REPEAT], [], rows=0)


# --- budgets ---------------------------------------------------------------------------------

def blocking_calls_use_their_budget():
    found = []
    with Place() as work:
        work.write_rows('in/rows.jsonl', 240)
        for num_proc in range(1, 9):
            run = work.run([('lab_sleep_mapper', {'num_proc': num_proc, 'us_per_batch': 4000})],
                           np=1, **{'debug.slice_bytes': 400, 'partition.num_of_partitions': 3})
            op = run.operator()
            found += expect(run, ids=list(range(240)))
            if op['lease_max'] > num_proc or op['created'] > min(num_proc, op['calls']):
                found.append(f'num_proc {num_proc}: {op}')
            if op['lease_max'] < min(num_proc, 2):
                found.append(f'num_proc {num_proc}: no concurrency: {op}')
    return found


def models_are_loaded_once_for_all_partitions():
    found = []
    with Place() as work:
        work.write_rows('in/rows.jsonl', 200)
        for partitions in (1, 4, 64):
            for num_proc in (1, 3):
                run = work.run([('lab_model_mapper', {'num_proc': num_proc, 'load_ms': 2})],
                               np=4, **{'debug.slice_bytes': 400,
                                        'partition.num_of_partitions': partitions})
                op = run.operator()
                found += expect(run, ids=list(range(200)))
                if op['lease_max'] > num_proc or not 1 <= op['created'] <= num_proc:
                    found.append(f'{partitions} partitions, num_proc {num_proc}: {op}')
    return found


def an_instance_that_cannot_be_made_fails_the_job():
    with Place() as work:
        work.write_rows('in/rows.jsonl', 200)
        found = []
        for keys in ({}, {'num_proc': 2}):
            run = work.run([('lab_model_mapper', {'fail_loads': -1, **keys})])
            found += expect(run, status=1, output=None, stderr=['lab_model_mapper'])
            run = work.run([('lab_model_mapper', {'fail_loads': 2, **keys})])
            found += expect(run, ids=list(range(200)))
            os.remove(work.at('out.jsonl'))
        return found


if __name__ == '__main__':
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    report([fact for name, fact in list(globals().items())
            if callable(fact) and not name.startswith('_') and name.islower() and
            getattr(fact, '__module__', '') == '__main__' and
            name not in ('expect', 'lines')])
