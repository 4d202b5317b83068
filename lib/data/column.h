/* SPDX-License-Identifier: Apache-2.0 */
/* A column of the live rows: spans of the rows' text, decoded strings, cells in front of them. */
#ifndef PEX_DATA_COLUMN_H
#define PEX_DATA_COLUMN_H

#include "data/batch_state.h"

void pex__column_free(struct pex__column_state *column);

/* Takes the arrays of strings, or cells, into use. Returns 0 or PEX_ENOMEM. */
int32_t pex__column_use_text(struct pex__batch *batch, struct pex__column_state *column);
int32_t pex__column_use_cells(struct pex__batch *batch, struct pex__column_state *column);

/* Makes the views and states of the live rows [first, first + count) known; states are PEX_STATE_*.
 */
int32_t pex__column_read(struct pex__batch *batch, int32_t index, size_t first, size_t count);

/*
 * Before a call of `op` that may write to the column (or, with column NULL, write rows anew): if
 * another operator wrote before, changes arenas, and moves values away that would be in the way. No
 * view may be out. What there is no memory to move stays where it is.
 */
void pex__column_turn(struct pex__batch *batch, struct pex__column_state *column, int32_t op);
void pex__texts_turn(struct pex__batch *batch, int32_t op);

/* pex_batch_cache_put and _get on the live rows [first, first + count); element: bytes per row, or
 * 0.
 */
void *pex__column_put_cached(struct pex__batch *batch, struct pex__column_state *column,
                             const char *key, size_t first, size_t count, size_t size,
                             size_t element);
void *pex__column_cache_room(struct pex__batch *batch, struct pex__column_state *column,
                             size_t size);
/* What is cached per row follows pex__batch_gather without growth; the rest goes. */
void pex__column_follow_cached(struct pex__batch *batch, struct pex__column_state *column,
                               size_t first, size_t in, const struct pex__move *moves, size_t out);
const void *pex__column_get_cached(const struct pex__column_state *column, const char *key,
                                   size_t first, size_t count, size_t *size);
void pex__column_forget_cached(struct pex__batch *batch, struct pex__column_state *column);

/* The cell of a live row, or NULL. */
static inline const struct pex__cell *pex__column_cell(const struct pex__column_state *column,
                                                       size_t row)
{
    if (!column->has_cells || column->cells[row].kind == PEX__CELL_NONE)
        return NULL;
    return &column->cells[row];
}

/* The cell's value. */
static inline struct pex__new pex__column_value(const struct pex__column_state *column, size_t row)
{
    const struct pex__cell *cell = &column->cells[row];
    struct pex__new value = {.is_forced = 1};

    switch (cell->kind) {
    case PEX__CELL_STRING:
        value.kind = PEX__NEW_STRING;
        value.text = column->views[row].data;
        value.length = column->views[row].length;
        break;
    case PEX__CELL_DOUBLE:
        value.kind = PEX__NEW_DOUBLE;
        value.float64 = cell->as.float64;
        break;
    default:
        value.kind = cell->kind == PEX__CELL_BOOL ? PEX__NEW_BOOL : PEX__NEW_INT64;
        value.int64 = cell->as.int64;
    }
    return value;
}

/* Type and JSON text that a live row has below its cells. */
static inline uint8_t pex__column_type(const struct pex__batch *batch, int32_t index, size_t row)
{
    return batch->rows.columns[index].types[batch->live[row].physical];
}

static inline struct pex_string_view pex__column_json(const struct pex__batch *batch, int32_t index,
                                                      size_t row)
{
    uint32_t physical = batch->live[row].physical;
    struct pex__span span = batch->rows.columns[index].spans[physical];

    return (struct pex_string_view){pex__row_base(batch, physical) + span.begin, span.length};
}

/* Non-zero for the column of all stats on a row whose stats were set one by one. */
static inline int pex__column_is_changed_stats(const struct pex__batch *batch, int32_t index,
                                               size_t row)
{
    return index == batch->layout->stats && (batch->flags[row] & PEX__ROW_STATED) != 0;
}

#endif
