/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of a convergence point: what `observe` emitted, per partition in row order, in memory and
 * past a share of it in a file; and what `resolve` decided, a count per row.
 */
#ifndef PEX_JOB_KEYS_H
#define PEX_JOB_KEYS_H

#include "base/buffer.h"
#include "job/spool.h"

#include <partexec/operator.h>

/* Of one partition. A struct of zeros is empty, with name and memory set. Written by one thread at
 * a time. */
struct pex__key_file {
    struct pex__buffer buffer;   /* frames that are not in the file */
    struct pex__spool_name name; /* of the file; without a folder all stays in memory */
    size_t memory;               /* most bytes that stay there */
    uint64_t file_bytes;         /* 0: there is no file */
    uint64_t count;
    uint64_t rows;
};

/* Adds the keys of a batch (records of pex__batch_keys) that has `rows` rows. */
int32_t pex__key_file_add(struct pex__key_file *keys, struct pex_string_view records, size_t count,
                          size_t rows, struct pex_error *err);
/* Removes the file, too. */
void pex__key_file_free(struct pex__key_file *keys);

/* Counts by row; 1 where nothing was decided. */
struct pex__decisions;
int32_t pex__decisions_create(const struct pex__heap *heap, uint64_t rows,
                              struct pex__decisions **decisions);
int32_t pex__decisions_set(struct pex__decisions *decisions, uint64_t row, uint32_t count);
/* To be called once between the last set and the first get. */
void pex__decisions_seal(struct pex__decisions *decisions);
/* What pex_keys_tell handed over. */
struct pex_string_view pex__decisions_told(const struct pex__decisions *decisions);
int32_t pex__decisions_tell(struct pex__decisions *decisions, struct pex_string_view told);
uint32_t pex__decisions_get(const struct pex__decisions *decisions, uint64_t row);
void pex__decisions_free(struct pex__decisions *decisions);

/* Numbers for the summary. */
struct pex__notes {
    struct pex__note {
        char *name; /* lower case, digits, underscores */
        uint64_t value;
    } * note;
    size_t count;
    size_t capacity;
};
void pex__notes_free(struct pex__notes *notes);

/* The walk over the keys of several partitions, in order. */
struct pex_keys {
    struct pex__key_file *const *files; /* one per partition */
    size_t file_count;
    struct pex__decisions *decisions;
    const _Atomic int32_t *cancelled;
    uint64_t rows;
    uint64_t count;
    uint64_t memory; /* see pex_keys_memory */
    struct pex__notes notes;
    /* Position. */
    size_t file;
    int fd;              /* of this file, -1: not open */
    uint64_t file_first; /* number of the file's first row */
    uint64_t offset;     /* in the file and then the buffer */
    uint64_t frame_row;
    size_t frame_left; /* bytes of the frame not yet read */
    struct pex__buffer window;
    size_t window_at;
};
void pex__keys_open(struct pex_keys *keys, struct pex__key_file *const *files, size_t count,
                    struct pex__decisions *decisions, const _Atomic int32_t *cancelled);
void pex__keys_close(struct pex_keys *keys);

#endif
