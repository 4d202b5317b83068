/* SPDX-License-Identifier: Apache-2.0 */
/* Rows leave, and rows come in between: all arrays of live rows follow. */
#include "data/batch_state.h"

#include "data/column.h"

#include <string.h>

/* Which rows go where; the same for every array. */
struct moving {
    size_t count; /* live rows before */
    size_t first;
    size_t in;
    const struct pex__move *moves;
    size_t out;
    int is_growing;
};

static inline void move_elements(const struct moving *m, void *array, size_t size)
{
    char *begin = (char *)array + m->first * size;
    size_t tail = m->count - m->first - m->in;
    const char *from = begin;

    /* Rows that come twice overrun those that are yet to be copied: the window steps aside. */
    if (m->is_growing) {
        size_t larger = m->out > m->in ? m->out : m->in;
        char *aside = begin + (tail + larger) * size;

        memcpy(aside, begin, m->in * size);
        memmove(begin + m->out * size, begin + m->in * size, tail * size);
        from = aside;
    }
    for (size_t k = 0; k < m->out; k++) {
        size_t row = m->moves[k].row - m->first;

        if (m->is_growing || row != k)
            memcpy(begin + k * size, from + row * size, size);
    }
    if (!m->is_growing && m->out != m->in)
        memmove(begin + m->out * size, begin + m->in * size, tail * size);
}

static void move_column(const struct moving *m, struct pex__column_state *column)
{
    if (column->has_text) {
        move_elements(m, column->views, sizeof *column->views);
        move_elements(m, column->states, 1);
        move_elements(m, column->where, 1);
    }
    if (column->has_cells)
        move_elements(m, column->cells, sizeof *column->cells);
}

int32_t pex__batch_reserve_moves(struct pex__batch *batch, size_t in, size_t out, int is_growing)
{
    size_t need = batch->count + out + in;

    if (!is_growing)
        return 0;
    return need > UINT32_MAX ? PEX_ENOMEM : pex__batch_reserve(batch, need);
}

static void mark_child(struct pex__batch *batch, size_t row)
{
    uint32_t physical = batch->live[row].physical;

    batch->live[row].child = PEX__CHILD_NEW;
    batch->has_new_children = 1;
    if (physical >= batch->scanned)
        batch->written[physical - batch->scanned].is_shared = 1;
}

void pex__batch_gather(struct pex__batch *batch, size_t first, size_t in,
                       const struct pex__move *moves, size_t out, int is_growing)
{
    struct moving m = {batch->count, first, in, moves, out, is_growing};

    pex__keys_follow(batch, first, in, moves, out);
    move_elements(&m, batch->live, sizeof *batch->live);
    move_elements(&m, batch->flags, 1);
    if (batch->has_counts)
        move_elements(&m, batch->counts, sizeof *batch->counts);
    for (size_t i = 0; i < batch->layout->count; i++) {
        move_column(&m, &batch->columns[i]);
        if (is_growing)
            pex__column_forget_cached(batch, &batch->columns[i]);
        else
            pex__column_follow_cached(batch, &batch->columns[i], first, in, moves, out);
    }
    for (size_t k = 0; k < out && is_growing; k++)
        if (moves[k].child != 0)
            mark_child(batch, first + k);
    batch->count = batch->count - in + out;
    batch->is_in_place = 0;
}
