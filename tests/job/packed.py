# SPDX-License-Identifier: Apache-2.0
"""Jobs over compressed and mixed input: python3 packed.py COMMAND."""
import base64
import ctypes
import gzip
import json
import os
import random
import zlib

from engine import SCALE, SEED, Place, books, report

ZSTD = ctypes.CDLL('libzstd.so.1')
ZSTD.ZSTD_compress.restype = ctypes.c_size_t
ZSTD.ZSTD_compressBound.restype = ctypes.c_size_t
ZSTD.ZSTD_compress2.restype = ctypes.c_size_t
ZSTD.ZSTD_createCCtx.restype = ctypes.c_void_p
CHECKSUM_FLAG = 201


def frame(data):
    room = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    made = ZSTD.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:made]


def checked_frame(data):
    """A frame with a checksum: without one a changed byte may turn one row into another."""
    room = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(ctypes.c_size_t(len(data))) + 8)
    context = ctypes.c_void_p(ZSTD.ZSTD_createCCtx())
    ZSTD.ZSTD_CCtx_setParameter(context, CHECKSUM_FLAG, 1)
    made = ZSTD.ZSTD_compress2(context, room, ctypes.c_size_t(len(room)), data,
                               ctypes.c_size_t(len(data)))
    ZSTD.ZSTD_freeCCtx(context)
    return room.raw[:made]


def member(data):
    pack = zlib.compressobj(6, zlib.DEFLATED, 31)
    return pack.compress(data) + pack.flush()


def pieces(rng, data, most):
    """The data in 1 to `most` pieces, cut anywhere."""
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(most)))
    return [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]


PACKERS = {
    '.jsonl': lambda rng, data: data,
    '.ndjson': lambda rng, data: data,
    '.jsonl.gz': lambda rng, data: b''.join(map(member, pieces(rng, data, 4))),
    '.json.gz': lambda rng, data: member(data),
    '.jsonl.zst': lambda rng, data: b''.join(map(frame, pieces(rng, data, 6))),
}


def rows(rng, count):
    return [json.dumps({'id': i, 'text': f'row {i} ' + 'w ' * min(3000, int(rng.paretovariate(1)))})
            .encode() + b'\n' for i in range(count)]


def spread(rng, work, lines, count):
    """The lines in `count` files of mixed form, in folders."""
    cuts = [0] + sorted(rng.randrange(len(lines) + 1) for _ in range(count - 1)) + [len(lines)]
    for i, (a, b) in enumerate(zip(cuts, cuts[1:])):
        suffix = rng.choice(list(PACKERS))
        data = b''.join(lines[a:b])
        if suffix != '.json.gz' and rng.random() < 0.3:
            data = data[:-1]
        work.write(f'in/{i // 100:02}/{i:04}{suffix}', PACKERS[suffix](rng, data))


def differs(run, expected):
    if run.status != 0:
        return [f'status {run.status}: {run.stderr[:400]}']
    found = books(run.summary)
    if run.output != expected:
        found.append(f'{len(run.output)} bytes, expected {len(expected)}')
    return found


def splits_of_a_data_set_into_mixed_files_give_its_rows():
    rng, found = random.Random(SEED), []
    lines = rows(rng, 6000)
    process = ['whitespace_normalization_mapper', ('text_length_filter', {'min_len': 11})]
    with Place() as work:
        work.write('in/rows.jsonl', b''.join(lines))
        expected = work.run(process).output
    if not 0 < len(expected) < sum(map(len, lines)):
        return [f'{len(expected)} bytes come out of the plain file']
    for _ in range(max(2, 6 // SCALE)):
        count = rng.choice([1, 2, 3, 7, 40, 200, 500])
        with Place() as work:
            spread(rng, work, lines, count)
            for _ in range(4):
                keys = {'np': rng.choice([1, 2, 5]),
                        rng.choice(['partition.num_of_partitions', 'partition.size']):
                        rng.choice([1, 3, 17, 400]) * (1 if rng.random() < .5 else 5),
                        'debug.slice_bytes': rng.choice([100, 5000, 1 << 18])}
                run = work.run(process, **keys)
                found += [f'{count} files, {keys}: {line}' for line in differs(run, expected)]
                if run.status == 0 and run.summary['input']['rows'] != len(lines):
                    found.append(f'{count} files, {keys}: {run.summary["input"]}')
                found += work.leftovers()
                if run.output is not None:
                    os.remove(work.at('out.jsonl'))
    return found


def damage_is_an_error_or_the_right_rows():
    rng, found = random.Random(SEED), []
    lines = rows(rng, 60)
    for name, data in (('a.jsonl.gz', member(b''.join(lines))),
                       ('a.jsonl.zst', checked_frame(b''.join(lines[:30])) +
                        checked_frame(b''.join(lines[30:])))):
        for _ in range(max(10, 25 // SCALE)):
            at, cut = rng.randrange(len(data)), rng.random() < .5
            wrong = data[:at] if cut else \
                data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1:]
            with Place() as work:
                work.write(f'in/{name}', wrong)
                run = work.run(np=2)
                if run.status == 0:
                    # A cut between two frames leaves a whole archive.
                    if (run.output or b'').count(b'\n') + run.summary['input']['bad'] < 60 and \
                            not (cut and name.endswith('zst')):
                        found.append(f'{name} {"cut" if cut else "changed"} at {at}: fewer rows')
                elif run.status not in (1, 2) or f'in/{name}' not in run.stderr or \
                        'byte ' not in run.stderr or run.output is not None:
                    found.append(f'{name} at {at}: {run.status} {run.stderr[:300]}')
    return found


def rows_mode_cuts_exactly():
    found = []
    lines = rows(random.Random(SEED), 1003)
    for name, data in (('a.jsonl.gz', member(b''.join(lines))),
                       ('a.jsonl.zst', b''.join(frame(b''.join(lines[i:i + 90]))
                                                for i in range(0, 1003, 90)))):
        with Place() as work:
            work.write(f'in/{name}', data)
            run = work.run(**{'partition.size': 100})
            found += differs(run, b''.join(lines))
            if run.summary['partitions']['committed'] != 11 or run.summary['partitions']['empty']:
                found.append(f'{name}: {run.summary["partitions"]}')
    return found


def a_file_without_frames_is_one_partition():
    lines, found = rows(random.Random(SEED), 500), []
    for name, pack in (('a.jsonl.gz', member), ('a.jsonl.zst', frame)):
        with Place() as work:
            work.write(f'in/{name}', pack(b''.join(lines)))
            run = work.run(**{'partition.num_of_partitions': 4})
            found += differs(run, b''.join(lines))
            if run.summary['partitions']['total'] != 1:
                found.append(f'{name}: {run.summary["partitions"]}')
    return found


def small_archives_share_a_partition():
    count = max(200, 4000 // SCALE)
    with Place() as work:
        for i in range(count):
            work.write(f'in/{i // 1000:02}/{i:05}.jsonl.gz', gzip.compress(b'{"id": %d}' % i, 1))
        run = work.run(np=2)
        found = differs(run, b''.join(b'{"id": %d}\n' % i for i in range(count)))
        if run.summary['partitions']['total'] > 8:
            found.append(str(run.summary['partitions']))
        return found


def text_files_are_rows_compressed_or_not():
    text = 'one "line"\nand another\n'
    with Place() as work:
        work.write('in/a.txt', text)
        work.write('in/b.txt.gz', member(text.encode()))
        work.write('in/c.md.zst', frame(text.encode()))
        work.write('in/d.jsonl.gz', member(b'{"text": "row"}\n'))
        run = work.run()
        found = differs(run, run.output)
        expected = [{'text': text, 'meta': {'path': f'in/{name}', 'size': len(text)}}
                    for name in ('a.txt', 'b.txt.gz', 'c.md.zst')] + [{'text': 'row'}]
        return found + [str(run.rows)] * (run.rows != expected)


def raw_of(record):
    return record['raw'].encode() if 'raw' in record else base64.b64decode(record['raw_base64'])


def quarantined_rows_are_those_of_the_archive():
    """Before and behind a convergence point, with their places in what the archive holds."""
    rng, found = random.Random(SEED), []
    lines = rows(rng, 3000)
    plain = b''.join(lines)
    places = {row: sum(map(len, lines[:row])) for row in (5, 77, 1500, 2999)}
    fail = ('lab_fail_mapper', {'rows': list(places), 'on_error': 'quarantine'})
    for suffix, pack in (('gz', member), ('zst', lambda data: frame(data[:70001]) +
                                          frame(data[70001:]))):
        for process in ([fail], [('lab_repeat_global', {'count': 1}), fail]):
            with Place() as work:
                work.write(f'in/a.jsonl.{suffix}', pack(plain + b'{oops\n'))
                run = work.run(process, np=2, **{'debug.slice_bytes': 2000})
                if run.status != 0:
                    found.append(f'{suffix} {process}: {run.stderr[:300]}')
                    continue
                found += books(run.summary)
                have = [(record['source'], record['offset'], raw_of(record))
                        for record in run.quarantine]
                want = [(f'in/a.jsonl.{suffix}', at, lines[row][:-1])
                        for row, at in places.items()] + \
                    [(f'in/a.jsonl.{suffix}', len(plain), b'{oops')]
                if have != want:
                    found.append(f'{suffix} {process}: {str(have)[:300]}')
    return found


def a_compressed_quarantine_is_unwrapped():
    with Place() as work:
        work.write('in/a.jsonl', b'{"id": 1}\n{oops\n{"id": 2}\n')
        run = work.run(job_id='first', export_path='first.jsonl')
        quarantine = work.bytes_of('work/first/quarantine.jsonl')
        work.write('again/quarantine.jsonl.gz', member(quarantine.replace(b'{oops', b'{\\"id\\": 3}')))
        run = work.run(dataset_path='again')
        return differs(run, b'{"id": 3}\n')


def a_window_must_fit_into_the_limit():
    with Place() as work:
        head = bytes([0x28, 0xB5, 0x2F, 0xFD, 0x00, 15 << 3, 1, 0, 0])
        work.write('in/a.jsonl.zst', head)
        run = work.run(memory_limit='16MB', np=1)
        return [] if run.status == 2 and 'memory_limit' in run.stderr and 'decod' in run.stderr \
            else [f'{run.status} {run.stderr}']


if __name__ == '__main__':
    report([splits_of_a_data_set_into_mixed_files_give_its_rows,
            damage_is_an_error_or_the_right_rows, rows_mode_cuts_exactly,
            a_file_without_frames_is_one_partition, small_archives_share_a_partition,
            text_files_are_rows_compressed_or_not, quarantined_rows_are_those_of_the_archive,
            a_compressed_quarantine_is_unwrapped, a_window_must_fit_into_the_limit])
