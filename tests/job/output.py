# SPDX-License-Identifier: Apache-2.0
"""Every form of the output: python3 output.py COMMAND.

A form gives the same rows as one plain file, and the same bytes however the job ran.
"""
import gzip
import json
import os
import random
import re
import resource
import signal
import subprocess
import time
import zlib

from engine import SCALE, SEED, Place, books, report

MIB = 1 << 20
PIECE = 4 * MIB
ZSTD_HEAD = bytes.fromhex('28b52ffd')
CHAIN = [('text_length_filter', {'min_len': 1}), 'document_deduplicator',
         ('lab_append_mapper', {'suffix': '!'})]
WAYS = [{'np': 1}, {'np': 2, 'partition.num_of_partitions': 64, 'debug.slice_bytes': 5000},
        {'np': 7, 'partition.num_of_partitions': 5, 'batch_size': 3},
        {'np': 3, 'partition.num_of_partitions': 9, 'debug.slice_bytes': 777,
         'partition.max_concurrent_partitions': 9}]


def write_input(work, count=3000, size=40):
    work.write('in/rows.jsonl', ''.join(
        json.dumps({'id': i, 'text': f'{i % (count * 3 // 4)} ' + 'ab \u00fc' * (i * 7 % size)}) + '\n'
        for i in range(count)))


def unpack(name, data):
    if name.endswith('.gz'):
        return gzip.decompress(data)
    if name.endswith('.zst'):
        return subprocess.run(['zstd', '-dc'], input=data, capture_output=True, check=True).stdout
    return data


def files(work, folder='.'):
    """Output files of a folder, by name: nothing else is there."""
    return {name: work.bytes_of(os.path.join(folder, name))
            for name in sorted(os.listdir(work.at(folder)))
            if name not in ('in', 'work', 'job.json') and os.path.isfile(work.at(f'{folder}/{name}'))}


def good(run, work):
    found = [] if run.status == 0 else [f'status {run.status}: {run.stderr[:400]}']
    if run.status == 0:
        found += books(run.summary)
    return found + work.leftovers()


def summary_of_files(run, made):
    """The summary says what lies there."""
    output = run.summary['output']
    size = sum(len(data) for data in made.values())
    return [] if output['files'] == len(made) and output['bytes'] == size else \
        [f'{output}, there are {len(made)} files of {size} bytes']


def every_way(chain, folder='.', rows=3000, size=40, plain=True, **keys):
    """Runs a form in several ways: findings, and the files by name."""
    found, first, expected = [], None, None
    with Place() as work:
        write_input(work, rows, size)
        if plain:
            found += good(work.run(chain, export_path='plain.jsonl'), work)
            expected = work.bytes_of('plain.jsonl')
            os.unlink(work.at('plain.jsonl'))
        for way in WAYS:
            run = work.run(chain, **{**way, **keys})
            found += [f'{way}: {line}' for line in good(run, work)]
            if run.status != 0:
                return found, {}
            made = files(work, folder)
            stats = {name: made.pop(name) for name in list(made) if name.endswith('_stats.jsonl')}
            found += [f'{way}: {line}' for line in summary_of_files(run, made)]
            if plain and b''.join(unpack(*item) for item in made.items()) != expected:
                found.append(f'{way}: other rows than in one plain file')
            first = first or {**made, **stats}
            if {**made, **stats} != first and folder == '.':
                found.append(f'{way}: other bytes than {WAYS[0]}: {[*made]}, {[*first]}')
    return found, first


# --- compression -----------------------------------------------------------------------------

def _archives(suffix):
    found, made = every_way(CHAIN, export_path=f'out.jsonl{suffix}')
    return found + ([] if [*made] == [f'out.jsonl{suffix}'] else [f'{[*made]}'])


def gzip_is_read_by_others():
    return _archives('.gz')


def zstd_is_read_by_others():
    return _archives('.zst')


def upper_case_suffixes_count():
    with Place() as work:
        write_input(work, 9)
        found = good(work.run(export_path='OUT.GZ'), work)
        return found + ([] if gzip.decompress(work.bytes_of('OUT.GZ')) ==
                        work.bytes_of('in/rows.jsonl') else ['other rows'])


def no_rows_are_an_empty_archive():
    found = []
    with Place() as work:
        work.write('in/rows.jsonl', '\n')
        for name in ('out.jsonl.gz', 'out.jsonl.zst'):
            run = work.run(export_path=name)
            found += good(run, work) + summary_of_files(run, {name: work.bytes_of(name)})
            if not work.bytes_of(name) or unpack(name, work.bytes_of(name)) != b'':
                found.append(f'{name}: {work.bytes_of(name)}')
    return found


def zstd_pieces(data):
    """Rows of each frame, whose head must tell its size and that there is a checksum."""
    at, pieces = 0, []
    while at < len(data):
        end = data.find(ZSTD_HEAD, at + 1)
        while True:
            end = len(data) if end < 0 else end
            done = subprocess.run(['zstd', '-dcq'], input=data[at:end], capture_output=True,
                                  check=False)
            if done.returncode == 0 or end == len(data):
                break
            end = data.find(ZSTD_HEAD, end + 1)
        flags = data[at + 4]
        pieces.append((done.stdout, flags & 4 != 0, flags >> 6 != 0 or flags & 32 != 0))
        at = end
    return pieces


def gzip_pieces(data):
    pieces = []
    while data:
        member = zlib.decompressobj(31)
        pieces.append((member.decompress(data), True, True))
        data = member.unused_data
    return pieces


def pieces_end_at_row_ends_and_hold_what_fits():
    found = []
    with Place() as work:
        rows = [json.dumps({'id': i, 'text': f'{i * i} ' * 150}) + '\n' for i in range(14000)]
        rows[5000] = json.dumps({'text': 'x' * (5 * MIB)}) + '\n'
        work.write('in/rows.jsonl', ''.join(rows))
        for name, split in (('out.gz', gzip_pieces), ('out.zst', zstd_pieces)):
            found += good(work.run(export_path=name, np=3, **{'partition.num_of_partitions': 6}),
                          work)
            pieces = split(work.bytes_of(name))
            texts = [piece[0] for piece in pieces]
            if b''.join(texts) != work.bytes_of('in/rows.jsonl'):
                found.append(f'{name}: other rows')
            if len(texts) < 4 or not all(text.endswith(b'\n') for text in texts):
                found.append(f'{name}: {len(texts)} pieces, or cut inside of rows')
            for text, after in zip(texts, texts[1:]):
                row = after[:after.index(b'\n') + 1]
                if len(text) + len(row) <= PIECE or (len(text) > PIECE and text.count(b'\n') > 1):
                    found.append(f'{name}: a piece of {len(text)} bytes before {len(row)}')
            if not all(check and size for _, check, size in pieces):
                found.append(f'{name}: a frame without checksum or size')
    return found


def archives_stay_within_a_small_limit():
    with Place() as work:
        row = json.dumps({'id': 1, 'text': 'some words ' * 60}) + '\n'
        work.write('in/rows.jsonl', row * (100 * MIB // SCALE // len(row)))
        found, least = [], work.run(export_path='x.jsonl', memory_limit='12MB').summary['peak_bytes']
        for name in ('out.gz', 'out.zst'):
            run = work.run(export_path=name, memory_limit='48MB', np=2)
            found += good(run, work)
            if SCALE == 1 and run.summary['peak_bytes'] > least + 50 * MIB:
                found.append(f'{name}: peak {run.summary["peak_bytes"]}, without {least}')
        return found


# --- shards ----------------------------------------------------------------------------------

def shards_hold_what_fits():
    found, made = every_way(CHAIN, export_path='out.jsonl', export_shard_size=20000)
    shards = [*made.values()]
    if [*made] != [f'out-{i:05}.jsonl' for i in range(len(made))] or len(made) < 3:
        found.append(f'{[*made]}')
    for data, after in zip(shards, shards[1:]):
        row = after[:after.index(b'\n') + 1]
        if len(data) > 20000 or len(data) + len(row) <= 20000 or not data.endswith(b'\n'):
            found.append(f'a shard of {len(data)} bytes before a row of {len(row)}')
    return found


def a_row_above_the_size_has_a_shard_of_its_own():
    with Place() as work:
        rows = [json.dumps({'text': 'x' * size}) + '\n' for size in (5, 5, 900, 5, 901, 902, 5)]
        work.write('in/rows.jsonl', ''.join(rows))
        found = good(work.run(export_path='o.jsonl', export_shard_size=100), work)
        made = [data.decode() for data in files(work).values()]
        expected = [rows[0] + rows[1], rows[2], rows[3], rows[4], rows[5], rows[6]]
        return found + ([] if made == expected else [f'{[len(data) for data in made]}'])


def a_shard_a_row_is_possible():
    with Place() as work:
        write_input(work, 1200)
        found = good(work.run(export_path='o.jsonl', export_shard_size=1), work)
        return found + ([] if len(files(work)) == 1200 else [f'{len(files(work))} files'])


def no_rows_are_one_empty_shard():
    with Place() as work:
        work.write('in/rows.jsonl', '')
        run = work.run(export_path='out.jsonl', export_shard_size=100)
        made = files(work)
        return good(run, work) + summary_of_files(run, made) + \
            ([] if made == {'out-00000.jsonl': b''} else [f'{made}'])


def shards_can_be_archives():
    found = []
    for suffix in ('.gz', '.zst'):
        more, made = every_way(CHAIN, export_path=f'a.b.jsonl{suffix}', export_shard_size=30000)
        found += more
        if [*made] != [f'a.b-{i:05}.jsonl{suffix}' for i in range(len(made))] or len(made) < 3:
            found.append(f'{[*made]}')
        if any(len(unpack(*item)) > 30000 for item in made.items()):
            found.append('a shard is too large')
    return found


def names_without_ending_have_shards():
    with Place() as work:
        write_input(work, 10)
        found = []
        for name, shard in (('out', 'out-00000'), ('.x', '.x-00000'), ('o.gz', 'o-00000.gz')):
            run = work.run(export_path=f'n/{name}', export_shard_size=1 << 40)
            if run.status or work.bytes_of(f'n/{shard}') is None:
                found.append(f'{name}: {run.stderr[:200]} {os.listdir(work.at("n"))}')
        return found


def a_shorter_set_leaves_nothing_of_the_longer():
    with Place() as work:
        write_input(work, 100)
        found = good(work.run(export_path='out.jsonl', export_shard_size=300), work)
        before = len(files(work))
        kept = {'out-20261130.jsonl': 'mine', 'out-00000.jsonl.bak': 'mine', 'out-1.jsonl': 'mine'}
        for name, text in kept.items():
            work.write(f'./{name}', text)
        found += good(work.run(export_path='out.jsonl', export_shard_size=1000), work)
        made = files(work)
        for name, text in kept.items():
            if made.pop(name, b'') != text.encode():
                found.append(f'{name} is gone')
        if b''.join(made.values()) != work.bytes_of('in/rows.jsonl') or len(made) >= before:
            found.append(f'{[*made]}')
        return found


def failure_leaves_the_old_set():
    with Place() as work:
        write_input(work, 100)
        found = []
        for keys in ({'export_path': 'o/x.jsonl', 'export_shard_size': 300}, {'export_path': 'o/'},
                     {'export_path': 'o/y.jsonl.zst', 'export_stats': True}):
            work.write('in/rows.jsonl', b'{"id": 1, "text": "good"}\n' * 300)
            found += good(work.run(**keys), work)
            before = files(work, 'o')
            work.write('in/rows.jsonl', b'{"id": 1, "text": "new"}\n' * 300 + b'bad\n')
            run = work.run(**keys, on_error='fail')
            if run.status != 1 or files(work, 'o') != before:
                found.append(f'{keys}: status {run.status}, {[*files(work, "o")]}')
            found += work.leftovers()
        return found


def what_a_killed_run_left_goes():
    with Place() as work:
        write_input(work, 100)
        left = ['.out-00000.jsonl.j.partial', '.out-00412.jsonl.j.partial', '.out_stats.jsonl.j.partial']
        others = ['.out-00000.jsonl.k.partial', '.outer-00000.jsonl.j.partial', '.out-00000.j.partial']
        for name in left + others:
            work.write(f'x/{name}', 'old')
        run = work.run(export_path='x/out.jsonl', export_shard_size=300, export_stats=True)
        now = os.listdir(work.at('x'))
        return [f'status {run.status}'] * run.status + \
            [f'left: {name}' for name in left if name in now] + \
            [f'gone: {name}' for name in others if name not in now]


# --- a file per partition --------------------------------------------------------------------

def a_folder_has_a_file_per_partition():
    found = []
    for keys, ending in (({}, '.jsonl'), ({'export_compression': 'gz'}, '.jsonl.gz'),
                         ({'export_compression': 'zst'}, '.jsonl.zst')):
        more, _ = every_way(CHAIN, folder='parts', export_path='parts/', **keys)
        found += more
        with Place() as work:
            write_input(work, 300)
            run = work.run(CHAIN, export_path='new/parts//', **{'partition.num_of_partitions': 7}, **keys)
            found += good(run, work)
            made = [*files(work, 'new/parts')]
            if made != [f'part-{i:05}{ending}' for i in range(7)]:
                found.append(f'{made}')
    return found


def partitions_without_rows_have_empty_files():
    with Place() as work:
        work.write_rows('in/rows.jsonl', 40)
        found = []
        for keys in ({}, {'export_compression': 'gz'}):
            run = work.run([('text_length_filter', {'min_len': 1000})], export_path='p/',
                           **{'partition.num_of_partitions': 4}, **keys)
            made = {name: unpack(name, data) for name, data in files(work, 'p').items()
                    if name.endswith('.gz') == bool(keys)}
            found += good(run, work)
            if [*made.values()] != [b''] * 4:
                found.append(f'{made}')
        return found


def fewer_parts_leave_nothing_of_more():
    with Place() as work:
        write_input(work, 100)
        found = good(work.run(export_path='p/', **{'partition.num_of_partitions': 12}), work)
        work.write('p/notes.txt', 'mine')
        found += good(work.run(export_path='p/', **{'partition.num_of_partitions': 3}), work)
        return found + ([] if [*files(work, 'p')] == ['notes.txt'] + [
            f'part-{i:05}.jsonl' for i in range(3)] else [f'{[*files(work, "p")]}'])


def a_failed_job_leaves_no_folder():
    with Place() as work:
        work.write('in/rows.jsonl', b'bad\n')
        run = work.run(export_path='new/', on_error='fail')
        return ([] if run.status == 1 else [f'status {run.status}']) + work.leftovers() + \
            (['the folder'] if os.path.exists(work.at('new')) else [])


def many_partitions_need_few_descriptors():
    count, found = 3000 // SCALE, []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Place() as work:
        write_input(work, 2 * count)
        for keys in ({}, {'export_compression': 'zst'}):
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
            try:
                run = work.run(['document_deduplicator'], export_path='p/', export_stats=True,
                               **{'partition.num_of_partitions': count,
                                  'partition.max_concurrent_partitions': 300}, **keys)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            found += good(run, work)
            if len([name for name in files(work, 'p') if name.endswith('zst') == bool(keys)]) != count:
                found.append(f'{len(files(work, "p"))} files')
    return found


# --- stats -----------------------------------------------------------------------------------

STATS = '__dj__stats__'


def _stats(rows, name='out_stats.jsonl', chain=(), **keys):
    """Line i has the stats that row i would keep."""
    with Place() as work:
        work.write('in/rows.jsonl', rows)
        found = good(work.run(chain, export_path='kept.jsonl', keep_stats_in_res_ds=True), work)
        kept = [json.loads(line) for line in work.bytes_of('kept.jsonl').splitlines()]
        found += good(work.run(chain, export_path='left.jsonl'), work)
        for way in WAYS:
            run = work.run(chain, export_stats=True, **{**way, **keys})
            found += [f'{way}: {line}' for line in good(run, work)]
            if run.status:
                return found
            stats = [json.loads(line) for line in work.bytes_of(name).splitlines()]
            wanted = [{STATS: row.get(STATS, {})} for row in kept]
            if stats != wanted:
                bad = next((pair for pair in zip(stats, wanted) if pair[0] != pair[1]), '')
                found.append(f'{way}: {len(stats)} stats of {len(wanted)}: {bad}')
            if keys.get('export_path') == 'out.jsonl' and \
                    work.bytes_of('out.jsonl') != work.bytes_of('left.jsonl'):
                found.append(f'{way}: the rows have stats')
        return found


def _rows_with_stats():
    rows = [b'{"id": %d, "text": "%d%s"}\n' % (i, i, b' word' * (i % 9)) for i in range(300)]
    rows += [b'{"id": 1, "__dj__stats__": {"text_len": 3, "a": [1, {}]}, "text": "abcd"}\n',
             b'{"__dj__stats__": {}, "id": 1, "text": "abcde"}\n',
             b'{"__dj__stats__": {"x": 1}, "text": "abcdef", "__dj__stats__": {"y": "}"}}\n',
             b'{"text": "abcdefg", "__dj__stats__" : {"z": -0.50}  }\n',
             b'{"te\\u0078t": "abcdefgh", "\\u005f_dj__stats__": {"text_len": 11}}\n']
    return b''.join(rows)


FILTERS = [('text_length_filter', {'min_len': 2}), ('words_num_filter', {'min_num': 1}),
           ('lab_append_mapper', {'suffix': '?'})]


def stats_have_a_line_per_row():
    return _stats(_rows_with_stats(), chain=FILTERS, export_path='out.jsonl')


def stats_pass_convergence_points():
    return _stats(_rows_with_stats(), chain=[*FILTERS, 'document_deduplicator',
                                             ('lab_repeat_global', {'count': 2})],
                  export_path='out.jsonl')


def stats_without_filters_are_those_of_the_input():
    return _stats(_rows_with_stats(), export_path='out.jsonl')


def stats_of_any_form_are_one_file():
    rows = _rows_with_stats()
    return _stats(rows, chain=FILTERS, export_path='out.jsonl.gz') + \
        _stats(rows, chain=FILTERS, export_path='out.jsonl.zst', export_shard_size=2000) + \
        _stats(rows, 'd/parts_stats.jsonl', FILTERS, export_path='d/parts/')


def stats_are_published_with_the_rows_or_not_at_all():
    with Place() as work:
        work.write('in/rows.jsonl', b'{"text": "new"}\nbad\n')
        work.write('x/out.jsonl', 'old')
        work.write('x/out_stats.jsonl', 'old stats')
        run = work.run(export_path='x/out.jsonl', export_stats=True, on_error='fail')
        found = [] if run.status == 1 and files(work, 'x') == {
            'out.jsonl': b'old', 'out_stats.jsonl': b'old stats'} else [f'{files(work, "x")}']
        found += work.leftovers() + good(work.run(export_path='x/out.jsonl', export_stats=True), work)
        return found + ([] if files(work, 'x') == {
            'out.jsonl': b'{"text": "new"}\n', 'out_stats.jsonl': b'{"__dj__stats__": {}}\n'}
            else [f'{files(work, "x")}'])


# --- what cannot be written ------------------------------------------------------------------

FORMS = [{'export_path': 'o/out.jsonl'}, {'export_path': 'o/out.jsonl.gz'},
         {'export_path': 'o/out.jsonl.zst', 'export_stats': True},
         {'export_path': 'o/out.jsonl', 'export_shard_size': 3 * MIB},
         {'export_path': 'o/'}, {'export_path': 'o/', 'export_compression': 'gz'}]


def a_limit_of_file_sizes_fails_the_job():
    found = []
    with Place() as work:
        random_text = random.Random(SEED)
        work.write('in/rows.jsonl', ''.join(
            json.dumps({'id': i, 'text': f'{random_text.getrandbits(3000):x}'}) + '\n'
            for i in range(9000)))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        for keys in FORMS:
            for way in ({}, {'partition.num_of_partitions': 2, 'np': 2}):
                resource.setrlimit(resource.RLIMIT_FSIZE, (100000, hard))
                try:
                    run = work.run(**keys, **way)
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
                if run.status != 1 or 'too large' not in run.stderr:
                    found.append(f'{keys} {way}: status {run.status}: {run.stderr[:300]}')
                if os.path.exists(work.at('o')) and os.listdir(work.at('o')):
                    found.append(f'{keys}: left {os.listdir(work.at("o"))}')
                found += work.leftovers()
    return found


def a_file_where_the_folder_should_be_is_refused():
    with Place() as work:
        write_input(work, 5)
        work.write('file', 'x')
        found = []
        for path in ('file/out.jsonl', 'file/', 'file/x/', 'file/out.jsonl.gz'):
            run = work.run(export_path=path)
            if run.status != 2 or 'file' not in run.stderr or work.bytes_of('file') != b'x':
                found.append(f'{path}: status {run.status}: {run.stderr[:300]}')
        return found


def a_folder_where_a_file_should_be_is_refused():
    with Place() as work:
        write_input(work, 100)
        os.makedirs(work.at('out.jsonl'))
        found = []
        run = work.run(export_path='out.jsonl')
        if run.status != 2 or 'folder' not in run.stderr:
            found.append(f'status {run.status}: {run.stderr[:300]}')
        os.makedirs(work.at('x/out-00002.jsonl'))
        work.write('x/out-00000.jsonl', 'old')
        run = work.run(export_path='x/out.jsonl', export_shard_size=300)
        if run.status != 1 or 'out-00002.jsonl' not in run.stderr or \
                files(work, 'x') != {'out-00000.jsonl': b'old'}:
            found.append(f'status {run.status}: {run.stderr[:300]} {files(work, "x")}')
        return found + work.leftovers()


def a_link_stays_and_its_file_is_replaced():
    with Place() as work:
        write_input(work, 5)
        work.write('real/data.gz', 'old')
        os.symlink('real/data.gz', work.at('out.gz'))
        os.symlink('real/none.jsonl', work.at('open.jsonl'))
        os.symlink('loop.jsonl', work.at('loop.jsonl'))
        found = good(work.run(export_path='out.gz'), work)
        if not os.path.islink(work.at('out.gz')) or os.path.islink(work.at('real/data.gz')) or \
                gzip.decompress(work.bytes_of('real/data.gz')) != work.bytes_of('in/rows.jsonl'):
            found.append('the link')
        found += good(work.run(export_path='open.jsonl'), work)
        if not os.path.islink(work.at('open.jsonl')) or \
                work.bytes_of('real/none.jsonl') != work.bytes_of('in/rows.jsonl'):
            found.append('the link to nothing')
        run = work.run(export_path='loop.jsonl')
        if run.status != 2 or 'loop.jsonl' not in run.stderr:
            found.append(f'a loop: status {run.status}: {run.stderr[:300]}')
        return found + work.leftovers()


def input_is_never_replaced():
    with Place() as work:
        found = []
        for name in ('in/part-00000.jsonl', 'in/out-00007.jsonl', 'in/out_stats.jsonl'):
            work.write(name, lines := b'{"text": "x"}\n')
        for keys in ({'export_path': 'in/'}, {'export_path': 'in/out.jsonl', 'export_shard_size': 9},
                     {'export_path': './in//out.jsonl', 'export_stats': True}):
            run = work.run(**keys)
            if run.status != 2 or 'input file' not in run.stderr:
                found.append(f'{keys}: status {run.status}: {run.stderr[:300]}')
        return found + [name for name, data in files(work, 'in').items() if data != lines]


def other_forms_are_refused_with_the_remedy():
    with Place() as work:
        write_input(work, 5)
        found = []
        for words, keys in (('convert', {'export_path': 'o.parquet'}), ('convert', {'export_path': 'o.csv'}),
                            ('convert', {'export_path': 'o.csv.gz'}), ('.gz', {'export_path': 'o.xz'}),
                            ('suffix', {'export_path': 'o.jsonl', 'export_compression': 'gz'}),
                            ('leave one', {'export_path': 'o/', 'export_shard_size': 5})):
            run = work.run(**keys)
            if run.status != 2 or words not in run.stderr or 'export_' not in run.stderr:
                found.append(f'{keys}: status {run.status}: {run.stderr[:300]}')
        return found


def a_kill_leaves_a_whole_set_or_none():
    """The first file is there if and only if all are, and of one run; the next run ends it."""
    rng, found = random.Random(SEED), []
    for number in range(max(3, 12 // SCALE)):
        with Place() as work:
            keys = rng.choice([{'export_path': 'o/out.jsonl', 'export_shard_size': 60},
                               {'export_path': 'o/', 'partition.num_of_partitions': 400}])
            work.write('in/rows.jsonl', b'{"id": 1, "text": "old row"}\n' * 500)
            found += good(work.run(**keys), work)
            work.write('in/rows.jsonl', b'{"id": 2, "text": "new row"}\n' * 350)
            running = work.start(**keys)
            time.sleep(rng.random() * 0.06)
            running.kill()
            running.communicate()
            named = {name: data for name, data in files(work, 'o').items() if name[0] != '.'}
            rows = b''.join(named.values()).splitlines()
            is_there = any(re.search('-00000[.]', name) for name in named)
            kinds = [rows.count(row) for row in sorted(set(rows))]
            if is_there and kinds not in ([500], [350]):
                found.append(f'run {number}: a first file with {kinds} rows')
            found += good(work.run(**keys), work)
            if len(b''.join(files(work, 'o').values()).splitlines()) != 350:
                found.append(f'run {number}: {len(files(work, "o"))} files after the next run')
    return found


def cancel_leaves_nothing_of_any_form():
    found = []
    with Place() as work:
        write_input(work, 40000 // SCALE)
        for number, keys in enumerate(FORMS):
            running = work.start([('lab_sleep_mapper', {'num_proc': 2, 'us_per_batch': 3000})],
                                 job_id=f'{number}', np=2, **{'debug.slice_bytes': 4000}, **keys)
            until = time.monotonic() + 30
            while not os.path.exists(work.at(f'work/{number}/lock')) and \
                    time.monotonic() < until:
                time.sleep(0.01)
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=60)
            if running.returncode != 130:
                found.append(f'{keys}: status {running.returncode}')
            if os.path.exists(work.at('o')) and os.listdir(work.at('o')):
                found.append(f'{keys}: left {os.listdir(work.at("o"))}')
            found += work.leftovers()
    return found


def power_is_the_same_output():
    found = []
    with Place() as work:
        write_input(work, 300)
        for keys in FORMS:
            made = []
            for durability in ('process', 'power'):
                found += good(work.run(**keys, durability=durability), work)
                made.append(files(work, 'o'))
            if made[0] != made[1] or not made[0]:
                found.append(f'{keys}: other files')
    return found


def formats_have_the_same_rows_read_back():
    """What was written is a data set again."""
    with Place() as work:
        write_input(work, 500)
        found = good(work.run(export_path='p/', **{'partition.num_of_partitions': 6}), work)
        found += good(work.run(export_path='s/x.jsonl', export_shard_size=3000), work)
        for folder in ('p', 's'):
            run = work.run(dataset_path=folder, export_path='again.jsonl')
            found += good(run, work)
            if work.bytes_of('again.jsonl') != work.bytes_of('in/rows.jsonl'):
                found.append(f'{folder}: other rows')
        return found


report([fact for name, fact in sorted(globals().items()) if callable(fact) and
        getattr(fact, '__module__', '') == '__main__' and not name.startswith('_') and
        fact.__code__.co_argcount == 0])
