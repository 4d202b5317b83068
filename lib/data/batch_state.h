/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a batch, shared by the files batch*, column*, overlay*, call*, encode*.
 *
 * Physical rows are texts with the spans of their fields, in `rows`: first those the scan found in
 * the slice, then those that had to be written anew (overlay.h). Live rows are dense: live row i is
 * physical row live[i].physical with the cells of row i in front of it. Per-row arrays of the live
 * rows (live, flags, counts, and those of the columns) are moved together, by pex__batch_gather.
 */
#ifndef PEX_DATA_BATCH_STATE_H
#define PEX_DATA_BATCH_STATE_H

#include "data/arena.h"
#include "data/batch.h"
#include "data/edit.h"

struct pex__live {
    uint32_t physical;
    uint32_t origin; /* row of the slice that this row comes from */
    uint32_t child;  /* of the row id; PEX__CHILD_NEW until the operator is through */
};
#define PEX__CHILD_NEW UINT32_MAX

/* Flags of a live row. */
enum {
    PEX__ROW_EDITED = 1, /* has cells that are no stats */
    PEX__ROW_STATED = 2, /* has stats cells */
    PEX__ROW_SPARED = 4  /* a filter would have dropped it, in a job that keeps such rows */
};

/* Where a physical row that is not of the scan has its text. */
struct pex__written {
    const char *base;
    uint8_t where;     /* arena of batch->texts, counted from 1 */
    uint8_t is_shared; /* by several live rows */
};

/* Two arenas that take turns: an operator writes to one while the values of before are in the
 * other. */
struct pex__pair {
    struct pex__arena arenas[2];
    uint8_t current;
    int32_t writer; /* the operator that writes to the current one, or -1 */
};

/* A value that an operator set. Strings are in the column's views. */
enum { PEX__CELL_NONE, PEX__CELL_STRING, PEX__CELL_INT64, PEX__CELL_DOUBLE, PEX__CELL_BOOL };
struct pex__cell {
    union {
        int64_t int64;
        double float64;
    } as;
    uint32_t order; /* of first setting: missing fields are appended in this order */
    uint8_t kind;
};

struct pex__cached;
struct pex__joint;
struct pex__splice;

/* What a batch keeps of a column besides the spans: decoded strings and cells, per live row. */
struct pex__column_state {
    struct pex_string_view *views; /* valid where states is not PEX__STATE_UNKNOWN */
    uint8_t *states;
    uint8_t *where; /* arena of `pair` that holds the view, counted from 1; 0: the row's text */
    size_t view_capacity, state_capacity, where_capacity;
    int has_text; /* the three arrays are in use */
    int has_cells;
    struct pex__cell *cells;
    size_t cell_capacity;
    struct pex__pair pair; /* strings set go to the current arena, decoded ones to the other */
    char *room;            /* of the last pex_batch_alloc of this call */
    size_t room_size;
    struct pex__arena_mark mark; /* where this call began to write */
    struct pex__cached *cached;  /* pex_batch_cache_put, newest first */
    struct pex__arena cache;
    struct pex__cached *cached_before; /* this call */
    struct pex__arena_mark cache_mark;
};
#define PEX__STATE_UNKNOWN 0xFF

/* A set of the running call. */
struct pex__change {
    union {
        const char *text;
        int64_t int64;
        double float64;
    } as;
    size_t length; /* of text */
    int32_t column;
    uint32_t row;  /* of the call: input rows, then children */
    uint32_t next; /* the next change of this row, counted from 1, or 0 */
    uint8_t kind;  /* PEX__NEW_* */
};

/* The changes of a row of the call, counted from 1; 0: none. */
struct pex__chain {
    uint32_t first;
    uint32_t last;
};

struct pex__failure {
    uint32_t row;
    int32_t code;
    char *message; /* NULL once it has moved to a reject */
};

/* Accessors whose arrays are made once per call. */
enum {
    PEX__READ_STRINGS,
    PEX__READ_TOKENS,
    PEX__READ_INT64,
    PEX__READ_DOUBLE,
    PEX__READ_BOOL,
    PEX__READ_JSON,
    PEX__READ_COUNT
};
struct pex__read {
    const void *values;
    const uint8_t *states;
};

struct pex__emitted {
    uint32_t row;
    uint32_t order;
    uint32_t offset; /* in emitted_bytes */
    uint8_t size;
};

/* The public handle: the call that runs on a batch, or on several at once (`joint`, which has
 * neither a batch nor changes of its own). */
struct pex_batch {
    struct pex__batch *batch;
    struct pex__joint *joint;     /* NULL: of one batch */
    const struct pex__site *site; /* NULL: no call runs */
    const _Atomic int32_t *cancelled;
    size_t first;
    size_t count;
    size_t consumed;           /* 0: all */
    struct pex__read *reads;   /* per field and accessor */
    struct pex__arena scratch; /* arrays of this call */
    struct pex__arena_mark texts_mark;
    struct pex_row_id *ids;
    uint8_t *fates;   /* per input row, or NULL */
    uint8_t *touched; /* per column: PEX__TOUCHED_* */
    int may_rewrite;  /* some change may be none for a cell */
    struct pex__change *changes;
    size_t change_count, change_capacity;
    struct pex__chain *chains; /* per row of the call, of which chain_count are in use */
    size_t chain_count, chain_capacity;
    uint32_t *children; /* input row of each child */
    size_t child_count, child_capacity;
    struct pex__failure *failures;
    size_t failure_count, failure_capacity;
    struct pex__emitted *emitted;
    size_t emitted_count, emitted_capacity;
    struct pex__buffer emitted_bytes;
};
enum { PEX__TOUCHED_CELLS = 1, PEX__TOUCHED_TEXT = 2 };
enum { PEX__FATE_STAYS, PEX__FATE_DROPPED, PEX__FATE_FAILED, PEX__FATE_SPARED };

struct pex__batch {
    struct pex__slice slice;
    const struct pex__layout *layout;
    struct pex__rows rows;
    const char *text; /* the scanned rows' spans count from here */
    size_t scanned;
    struct pex__written *written; /* of physical row scanned + i */
    size_t written_capacity;
    struct pex__pair texts;
    struct pex__live *live;
    uint8_t *flags;
    size_t count, live_capacity, flag_capacity;
    uint32_t *counts;
    size_t counts_capacity;
    struct pex_string_view told; /* by resolve; not owned; with the counts */
    int has_counts;
    int has_stats;   /* some scanned or written row has a stats object */
    int has_changes; /* some flag is set, or some row was written anew */
    int has_new_children;
    int is_in_place; /* live row i is scanned row i */
    int32_t last_op;
    uint32_t order; /* of the next cell */
    struct pex__column_state *columns;
    size_t column_capacity;
    struct pex__reject *rejects;
    size_t reject_count, reject_capacity;
    struct pex__buffer keys;
    size_t key_count;
    uint32_t key_last; /* row of the last one */
    uint64_t lines, blank;
    struct pex__span *origins; /* spans of the slice's rows once they were encoded anew, or NULL */
    size_t origin_capacity;
    struct pex__rows spare_rows; /* encoding anew: where the next scan goes */
    struct pex__buffer encoded[2];
    uint8_t encoded_current;
    struct pex__edit edit;
    struct pex__splice *splices; /* room for three per column */
    size_t splice_capacity;
    struct pex__pool pool;
    size_t bytes; /* of the arrays above */
    const struct pex__heap *heap;
    struct pex_batch call;
};

/* pex__grow, counted in batch->bytes. */
int32_t pex__batch_grow(struct pex__batch *batch, void *array, size_t *capacity, size_t need,
                        size_t size);
/* Room for `count` live rows in all arrays that are in use. */
int32_t pex__batch_reserve(struct pex__batch *batch, size_t count);

/* A cell on its way to the output: what it takes the place of, or when it was set. */
struct pex__splice {
    uint32_t begin;
    uint32_t end;
    uint32_t order;
    int32_t column;
};

/* A row of the window after a commit: where it comes from. */
struct pex__move {
    uint32_t row;   /* live row before */
    uint32_t child; /* child of the call that it is, counted from 1, or 0 */
};
/*
 * Replaces the live rows [first, first + in) by those that moves says, `out` of them in ascending
 * order of .row. is_growing: some row comes twice; room for count + out + in rows is there then.
 */
void pex__batch_gather(struct pex__batch *batch, size_t first, size_t in,
                       const struct pex__move *moves, size_t out, int is_growing);
/* Room for the arrays to grow that much; before pex__batch_gather. */
int32_t pex__batch_reserve_moves(struct pex__batch *batch, size_t in, size_t out, int is_growing);
/* Whether some physical row from `first` on has a stats object. */
int pex__batch_any_stats(const struct pex__batch *batch, size_t first);
/* Forgets decoded strings, cells and what is cached beside them. */
void pex__batch_forget_columns(struct pex__batch *batch);
void pex__pair_reset(struct pex__batch *batch, struct pex__pair *pair);

/* Gives children of the last operator their ordinals. */
void pex__batch_number_children(struct pex__batch *batch);
/* Source row of a live row, in the slice. */
struct pex__span pex__batch_origin(const struct pex__batch *batch, size_t row);
/* Appends a reject whose room is reserved; takes over message. */
void pex__batch_add_reject(struct pex__batch *batch, size_t row, int32_t op, int32_t code,
                           int32_t attempt, char *message);
/* Rewrites the emitted keys after moves of the rows behind `first`. */
void pex__keys_follow(struct pex__batch *batch, size_t first, size_t in,
                      const struct pex__move *moves, size_t out);

static inline const char *pex__row_base(const struct pex__batch *batch, uint32_t physical)
{
    return physical < batch->scanned ? batch->text : batch->written[physical - batch->scanned].base;
}

/* The text of a live row without its cells. */
static inline struct pex_string_view pex__row_text(const struct pex__batch *batch, size_t row)
{
    uint32_t physical = batch->live[row].physical;
    struct pex__span span = batch->rows.rows[physical];

    return (struct pex_string_view){pex__row_base(batch, physical) + span.begin, span.length};
}

#endif
