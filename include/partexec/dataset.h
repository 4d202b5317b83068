/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rows of a job come from, when the host says so instead of the spec's dataset_path. */
#ifndef PARTEXEC_DATASET_H
#define PARTEXEC_DATASET_H

#include <partexec/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pex_dataset pex_dataset;

#define PEX_FORMAT_AUTO 0  /* by suffix */
#define PEX_FORMAT_JSONL 1 /* a row is a line, one JSON object */
#define PEX_FORMAT_TEXT 2  /* a row is a file: {"text", "meta": {"path", "size"}} */

struct pex_dataset_options {
    size_t struct_size;
    int32_t format; /* PEX_FORMAT_* */
};

/*
 * A data set of files: `paths` are files, folders (recursive, hidden entries left out, sorted by
 * path bytes) or glob patterns, in this order. Nothing is opened before a job is submitted. paths
 * and its strings are copied. options: NULL for defaults. Returns 0 and *dataset (released with
 * pex_dataset_release), PEX_EINVAL, PEX_ENOTSUP, PEX_ENOMEM, PEX_EFORKED.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_dataset_from_files(pex_context *ctx, const char *const *paths, size_t count,
                                       const struct pex_dataset_options *options,
                                       pex_dataset **dataset, struct pex_error *err);

struct pex_memory_options {
    size_t struct_size;
    const char *identity; /* names the rows in messages and in quarantine records, as
                           * "identity[0]" for the first buffer; copied. NULL: "memory" */
    /* Gives the buffers back: called once, on any thread and under no lock, when the data set is
     * released and the last job that read it is over, also when its handle lives on. It may
     * block, and must not call the library. NULL: the host keeps the buffers until then by other
     * means. */
    void (*release)(void *user);
    void *user;
};

/*
 * A data set in the host's memory: `count` buffers (0: no rows) of JSON lines, each of whole rows,
 * the last with or without its LF. The bytes are not copied and must stay unchanged until `release`
 * is called; the array itself is copied. Partitions are cut by bytes, as of files; the bytes do not
 * count against memory_limit. options: NULL for defaults. Returns 0 and *dataset (released with
 * pex_dataset_release), or, and `release` is not called then, PEX_EINVAL (a buffer of NULL with a
 * length too), PEX_ENOTSUP, PEX_ENOMEM, PEX_ECLOSED, PEX_EFORKED.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_dataset_from_memory(pex_context *ctx, const struct pex_string_view *buffers,
                                        size_t count, const struct pex_memory_options *options,
                                        pex_dataset **dataset, struct pex_error *err);

/* Gives a handle back; jobs that use it go on. NULL is allowed. Thread-safety: any-thread.
 * Since: 0.1. */
PEX_API void pex_dataset_release(pex_dataset *dataset);

#ifdef __cplusplus
}
#endif

#endif
