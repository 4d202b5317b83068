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
     * released and the last job that read it is over, also when its handle lives on. It must
     * return soon, and not call the library. NULL: the host keeps the buffers until then by other
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

/*
 * A source of the host's: rows that come as it has them, from a queue, a database, a generator. A
 * table that grows at its end; set struct_size. The members are called by a thread of the context
 * that does nothing else, one call at a time, under no lock; each may block as long as it likes:
 * nothing waits for it but the job that reads it. They may call what needs no waiting for this
 * context (not pex_context_destroy, pex_context_dispatch, pex_job_wait, pex_job_next_batch).
 */
struct pex_source {
    size_t struct_size;
    uint64_t required_features; /* 0 */
    const char *identity;       /* names it in messages and in quarantine records; copied. NULL:
                                 * "source" */
    /*
     * The next bytes, JSON lines cut anywhere: one byte, whole rows, half a row, none. *piece is
     * NULL and 0 when it is called; what it is set to must stay until the next call, or the
     * release. Returns PEX_MORE (there may be more: call again), 0 (these bytes were the last), or
     * a negative code with the reason in err: the job fails with it. A source that has nothing yet
     * waits inside.
     */
    int32_t (*next)(void *user, struct pex_string_view *piece, struct pex_error *err);
    /* Goes back to the first byte, before the next job reads it: 0, or a negative code that fails
     * the job. NULL: it can be read once. */
    int32_t (*restart)(void *user, struct pex_error *err);
    /* About how many bytes there will be, for progress; 0: not known. Called before the first
     * `next` of a job. NULL: not known. */
    int64_t (*size_hint)(void *user);
};

/*
 * A data set that a source gives. A job reads it in one partition, ahead of its workers by at most
 * a slice for each of them and an eighth of its memory_limit (but one slice always). One job at a
 * time reads it; a second submit answers PEX_EBUSY while that one runs, and PEX_ENOTSUP when it was
 * read and has no restart. A job that is cancelled ends without waiting for a call of the source;
 * the context's end does. With a global operator in the chain the source's rows are kept in the job
 * folder, so that quarantine records of later stages can hold them.
 *
 * source is copied. release: called with user once, on any thread and under no lock, when the data
 * set is released, the last job that read it is over and no call runs; NULL: none; it must not call
 * the library. Returns 0 and *dataset (released with pex_dataset_release), or, and `release` is not
 * called then, PEX_EINVAL, PEX_ENOTSUP, PEX_ENOMEM, PEX_ECLOSED, PEX_EFORKED.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_dataset_from_source(pex_context *ctx, const struct pex_source *source,
                                        void *user, void (*release)(void *user),
                                        pex_dataset **dataset, struct pex_error *err);

/* Gives a handle back; jobs that use it go on. NULL is allowed. Thread-safety: any-thread.
 * Since: 0.1. */
PEX_API void pex_dataset_release(pex_dataset *dataset);

#ifdef __cplusplus
}
#endif

#endif
