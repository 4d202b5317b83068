# SPDX-License-Identifier: Apache-2.0
"""The smallest host, from Python: host.py INPUT OUTPUT [LIBRARY [PLUGIN]]."""
import ctypes
import sys

JOB = b"""{"process": [{"whitespace_normalization_mapper": {}},
                       {"text_length_filter": {"min_len": 20}}]}"""


class Error(ctypes.Structure):
    _fields_ = [('code', ctypes.c_int32), ('message', ctypes.c_char * 1020)]


def main(source, target, library='libpartexec.so.0', plugin='text'):
    pex = ctypes.CDLL(library)
    pex.pex_context_destroy.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    pex.pex_job_wait.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    for name in ('pex_job_release', 'pex_spec_release', 'pex_free'):
        getattr(pex, name).argtypes = [ctypes.c_void_p]
    context, spec, job, summary = (ctypes.c_void_p() for _ in range(4))
    err = Error()

    def call(function, *arguments):
        if function(*arguments) != 0:
            raise RuntimeError(err.message.decode(errors='replace') or function.__name__)

    try:
        call(pex.pex_check_abi, 0, 1000, ctypes.byref(err))
        call(pex.pex_context_create, None, ctypes.byref(context), ctypes.byref(err))
        call(pex.pex_plugin_load, context, plugin.encode(), ctypes.byref(err))
        call(pex.pex_spec_parse, JOB, ctypes.c_size_t(len(JOB)), ctypes.byref(spec),
             ctypes.byref(err))
        call(pex.pex_spec_set, spec, b'dataset_path', source.encode(), ctypes.byref(err))
        call(pex.pex_spec_set, spec, b'export_path', target.encode(), ctypes.byref(err))
        call(pex.pex_job_submit, context, spec, None, None, ctypes.byref(job), ctypes.byref(err))
        call(pex.pex_job_wait, job, -1)
        call(pex.pex_job_error, job, ctypes.byref(err))
        call(pex.pex_job_summary, job, ctypes.byref(summary))
        print(ctypes.string_at(summary).decode())
    finally:
        pex.pex_free(summary)
        pex.pex_job_release(job)
        pex.pex_spec_release(spec)
        pex.pex_context_destroy(context, -1, None)


if __name__ == '__main__':
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (OSError, RuntimeError) as error:
        sys.exit(f'host.py: {error}')
