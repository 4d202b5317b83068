# SPDX-License-Identifier: Apache-2.0
"""Rows from a Python generator through a job and back, without files.

generator.py [LIBRARY [PLUGIN]] reads rows from standard input and prints those that are left.
"""
import ctypes
import json
import sys

JOB = b"""{"process": [{"whitespace_normalization_mapper": {}},
                       {"text_length_filter": {"min_len": 20}}]}"""
MORE, END, FAILED = 1, -4, -18  # PEX_MORE, PEX_ENOENT, PEX_ECALLBACK


class Error(ctypes.Structure):
    _fields_ = [('code', ctypes.c_int32), ('message', ctypes.c_char * 1020)]


class View(ctypes.Structure):
    _fields_ = [('data', ctypes.c_char_p), ('length', ctypes.c_size_t)]


class Taken(ctypes.Structure):
    """A view as a function returns it: an address, for bytes of any content."""
    _fields_ = [('data', ctypes.c_void_p), ('length', ctypes.c_size_t)]


NEXT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(View),
                        ctypes.POINTER(Error))


class Source(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_size_t), ('required_features', ctypes.c_uint64),
                ('identity', ctypes.c_char_p), ('next', NEXT), ('restart', ctypes.c_void_p),
                ('size_hint', ctypes.c_void_p)]


class JobOptions(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_size_t), ('on_event', ctypes.c_void_p),
                ('event_user', ctypes.c_void_p), ('pull', ctypes.c_int32)]


def source_of(rows):
    """A table that feeds the rows of an iterator; it must live as long as the data set is used."""
    kept = {}

    def give_next(_user, piece, error):
        try:
            row = next(rows, None)
            if row is None:
                return 0
            # The bytes must stay until the next call.
            kept['line'] = json.dumps(row).encode() + b'\n'
        except Exception as reason:  # it must not leave a C callback
            error[0].code, error[0].message = FAILED, repr(reason).encode()[:1019]
            return FAILED
        piece[0] = View(kept['line'], len(kept['line']))
        return MORE

    return Source(ctypes.sizeof(Source), 0, b'generator', NEXT(give_next), None, None)


def take_rows(pex, job, err):
    rows = ctypes.c_void_p()
    while True:
        code = pex.pex_job_next_batch(job, -1, ctypes.byref(rows), ctypes.byref(err))
        if code == END:
            return
        if code != 0:
            raise RuntimeError(err.message.decode(errors='replace'))
        view = pex.pex_rows_data(rows)
        lines = ctypes.string_at(view.data, view.length) if view.length else b''
        pex.pex_rows_release(rows)
        yield from map(json.loads, lines.splitlines())


def load(library):
    pex = ctypes.CDLL(library)
    pex.pex_context_destroy.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    pex.pex_job_next_batch.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p,
                                       ctypes.c_void_p]
    pex.pex_rows_data.restype = Taken
    for name in ('pex_job_release', 'pex_spec_release', 'pex_dataset_release', 'pex_rows_release',
                 'pex_rows_data'):
        getattr(pex, name).argtypes = [ctypes.c_void_p]
    return pex


def run(rows, library='libpartexec.so.0', plugin='text'):
    """Yields the rows that the job leaves of `rows`, an iterator of dicts."""
    pex = load(library)
    context, spec, dataset, job = (ctypes.c_void_p() for _ in range(4))
    source, err = source_of(rows), Error()
    options = JobOptions(ctypes.sizeof(JobOptions), None, None, 1)

    def call(function, *arguments):
        if function(*arguments, ctypes.byref(err)) != 0:
            raise RuntimeError(err.message.decode(errors='replace') or function.__name__)

    try:
        call(pex.pex_check_abi, 0, 1000)
        call(pex.pex_context_create, None, ctypes.byref(context))
        call(pex.pex_plugin_load, context, plugin.encode())
        call(pex.pex_spec_parse, JOB, ctypes.c_size_t(len(JOB)), ctypes.byref(spec))
        call(pex.pex_dataset_from_source, context, ctypes.byref(source), None, None,
             ctypes.byref(dataset))
        call(pex.pex_job_submit, context, spec, dataset, ctypes.byref(options), ctypes.byref(job))
        yield from take_rows(pex, job, err)
    finally:
        pex.pex_dataset_release(dataset)
        pex.pex_job_release(job)
        pex.pex_spec_release(spec)
        pex.pex_context_destroy(context, -1, None)


def main(*arguments):
    for row in run(map(json.loads, sys.stdin), *arguments):
        print(json.dumps(row))


if __name__ == '__main__':
    if len(sys.argv) > 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (OSError, RuntimeError) as error:
        sys.exit(f'generator.py: {error}')
