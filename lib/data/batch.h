/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch: the rows of one slice on their way through a stage. Raw bytes plus an overlay of what
 * operators changed; above this layer nobody knows which. The public pex_batch is a *call*: a
 * window of consecutive live rows of a batch, with what the running operator has set, dropped,
 * appended and failed so far, which counts on commit only.
 */
#ifndef PEX_DATA_BATCH_H
#define PEX_DATA_BATCH_H

#include "base/buffer.h"
#include "data/path.h"
#include "data/rows.h"
#include "data/scan.h"
#include "data/slice.h"

#include <partexec/batch.h>

#define PEX__STATS_KEY "__dj__stats__"

/* What encoding needs to know of a column besides its path. */
struct pex__column_info {
    char *key; /* the last key as JSON text, with quotes and colon */
    size_t key_length;
    int is_stat;   /* a key directly below the stats object */
    int is_simple; /* a set changes no other column, that of the whole stats object aside */
};

/* The columns of a stage; made by the plan, immutable, shared. */
struct pex__layout {
    struct pex__path *paths; /* one per column; no two are equal */
    size_t count;
    struct pex__paths *set; /* compiled from paths */
    int32_t stats;          /* the column of the whole stats object (always there) */
    uint8_t
        *overlaps; /* per column: non-zero if another column's path is its prefix or extends it */
    struct pex__column_info *infos; /* per column */
};
int32_t pex__layout_create(struct pex__path *paths, size_t count, struct pex__layout **layout);
/* ^ takes over `paths` (also on failure) and adds the stats column if it is not among them. */
void pex__layout_free(struct pex__layout *layout);
/* Index of the column with this path, or -1. */
int32_t pex__layout_find(const struct pex__layout *layout, const struct pex__path *path);

/* How one operator sees the columns of its stage. */
struct pex__site {
    const int32_t *columns; /* per field of the operator; -1: the field does not exist */
    const int32_t *kinds;   /* per field: PEX_FIELD_* */
    const int32_t *access;  /* per field: PEX_FIELD_READ | PEX_FIELD_WRITE */
    size_t field_count;
    int32_t op;            /* index in the job's chain */
    int32_t cardinality;   /* PEX_ROW_TO_ROW .. PEX_GLOBAL */
    int32_t phase;         /* PEX__PHASE_* */
    int32_t keeps_dropped; /* of every operator of the job: rows that a filter drops stay */
};
enum { PEX__PHASE_PROCESS, PEX__PHASE_OBSERVE, PEX__PHASE_APPLY };

/* A row that left because it is bad or an operator failed on it. */
struct pex__reject {
    struct pex_row_id id;
    int32_t op; /* -1: the reader */
    int32_t code;
    int32_t attempt;      /* 1-based */
    char *message;        /* owned */
    struct pex__span raw; /* in the data of the slice: the source row, or the whole bad line */
};

struct pex__batch;

int32_t pex__batch_create(const struct pex__heap *heap, struct pex__batch **batch);
void pex__batch_free(struct pex__batch *batch);
/* Forgets everything, keeps memory up to keep_bytes. */
void pex__batch_reset(struct pex__batch *batch, size_t keep_bytes);
/* Where a reader puts the slice before pex__batch_scan. */
struct pex__slice *pex__batch_slice(struct pex__batch *batch);
/*
 * Scans the slice. layout must outlive the batch's use. Bad rows become rejects (op -1, PEX_EDATA).
 * Returns 0, PEX_ENOMEM, PEX_EIO (a stage file whose rows and ids do not agree).
 */
int32_t pex__batch_scan(struct pex__batch *batch, const struct pex__layout *layout,
                        struct pex__scan *scan, struct pex_error *err);

size_t pex__batch_rows(const struct pex__batch *batch); /* live rows */
uint64_t pex__batch_lines(const struct pex__batch *batch);
uint64_t pex__batch_blank(const struct pex__batch *batch);
/* All memory held, in bytes: slice, spans, overlays, decoded columns, pending calls. O(1). */
size_t pex__batch_bytes(const struct pex__batch *batch);

const struct pex__reject *pex__batch_rejects(const struct pex__batch *batch, size_t *count);
/* The source row of a reject; valid until the batch is reset. */
struct pex_string_view pex__batch_reject_raw(const struct pex__batch *batch,
                                             const struct pex__reject *reject);

/* What a committed call did to the rows of its window. */
struct pex__call_result {
    size_t in;  /* input rows that are finished (all, or what pex_batch_consumed said) */
    size_t out; /* rows that stand in their place now; in + added = out + dropped + failed */
    size_t added;
    size_t dropped;
    size_t failed;
    /* Where filters keep what they drop, else 0: rows of `in` that this one would drop; rows of
     * `in` that no filter before would have dropped; and those of them that are dropped, or would
     * be. */
    size_t spared;
    size_t reached;
    size_t lost;
};

/*
 * The call of this batch (there is one at a time). begin: window of rows [first, first + count).
 * commit: makes the changes count and says what happened; rows behind the window move up or down.
 * Failed rows become rejects with this attempt number. abort: forgets the changes. After abort the
 * batch is as it was before begin.
 */
pex_batch *pex__call_begin(struct pex__batch *batch, const struct pex__site *site, size_t first,
                           size_t count, const _Atomic int32_t *cancelled);
int32_t pex__call_commit(pex_batch *call, int32_t attempt, struct pex__call_result *result,
                         struct pex_error *err);
void pex__call_abort(pex_batch *call);
/*
 * Several calls of one operator, begun on different batches, as one: the handle has the rows of all
 * in this order. NULL: no memory. It lives until the first of them ends. split: how many of the
 * calls have rows that are finished (see pex_batch_consumed); those are committed, each by itself,
 * the others aborted.
 */
pex_batch *pex__call_join(pex_batch *const *parts, size_t count);
size_t pex__call_split(pex_batch *call);
/* Without an operator's doing: the rows of the window [first, first + count) become rejects. */
int32_t pex__batch_reject_rows(struct pex__batch *batch, size_t first, size_t count, int32_t op,
                               int32_t code, int32_t attempt, const char *message);

/* How many of the live rows [first, first + count) no filter would have dropped so far. */
size_t pex__batch_reached(const struct pex__batch *batch, size_t first, size_t count);

/* Ids of the live rows [first, first + count). */
void pex__batch_ids(const struct pex__batch *batch, size_t first, size_t count,
                    struct pex_row_id *ids);
/* Drops, without a trace, the rows that come from the source row `id` or from one behind it. */
void pex__batch_cut(struct pex__batch *batch, const struct pex_row_id *id);

/* Convergence: counts for all rows, before `apply` (copied); and the apply that has no operator
 * code. */
int32_t pex__batch_set_counts(struct pex__batch *batch, const uint32_t *counts,
                              struct pex_string_view told);
int32_t pex__batch_apply_counts(struct pex__batch *batch, struct pex__call_result *result);

/* Keys emitted by observe, as records in row order: u32 row (index in the batch's live rows), u8
 * size, bytes. They follow the rows they belong to when rows fail later. */
struct pex_string_view pex__batch_keys(const struct pex__batch *batch, size_t *count);

/*
 * Encodes the live rows as JSON lines behind out, in order: untouched rows as runs, changed rows as
 * head + value + tail. keep_stats: the stats object, if any, goes last in the row, else it is left
 * out, also when the input had it. ids (NULL allowed): gets the row ids, pex__batch_rows elements;
 * they ascend, and no two are equal. Rows that became several are numbered anew after an operator
 * that appended to them: the source row keeps 0, the others count from 1 in the order of the
 * output.
 */
int32_t pex__batch_encode(struct pex__batch *batch, int keep_stats, struct pex__buffer *out,
                          struct pex_row_id *ids);
/* Appends a line for each live row with its stats alone: {"__dj__stats__": {..}}. Returns 0 or
 * PEX_ENOMEM. */
int32_t pex__batch_encode_stats(struct pex__batch *batch, struct pex__buffer *out);

/*
 * Debug mode: encodes the rows (stats kept), and scans them again as if they came from a stage
 * file. Ids, rejects, and source rows for later rejects are kept.
 */
int32_t pex__batch_reencode(struct pex__batch *batch, struct pex__scan *scan,
                            struct pex_error *err);

#endif
