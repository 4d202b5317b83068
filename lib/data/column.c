/* SPDX-License-Identifier: Apache-2.0 */
#include "data/column.h"

#include "base/memory.h"
#include "data/text.h"

#include <string.h>

/* Less than this is never worth moving. */
#define MOVE_MIN_BYTES ((size_t)64 << 10)

void pex__column_free(struct pex__column_state *column)
{
    pex__free(column->views);
    pex__free(column->states);
    pex__free(column->where);
    pex__free(column->cells);
    *column = (struct pex__column_state){0};
}

static int32_t reserve_text(struct pex__batch *batch, struct pex__column_state *column,
                            size_t count)
{
    if (pex__batch_grow(batch, &column->views, &column->view_capacity, count,
                        sizeof *column->views) != 0 ||
        pex__batch_grow(batch, &column->states, &column->state_capacity, count, 1) != 0)
        return PEX_ENOMEM;
    return pex__batch_grow(batch, &column->where, &column->where_capacity, count, 1);
}

static int32_t reserve_cells(struct pex__batch *batch, struct pex__column_state *column,
                             size_t count)
{
    return pex__batch_grow(batch, &column->cells, &column->cell_capacity, count,
                           sizeof *column->cells);
}

int32_t pex__batch_reserve(struct pex__batch *batch, size_t count)
{
    if (pex__batch_grow(batch, &batch->live, &batch->live_capacity, count, sizeof *batch->live) !=
            0 ||
        pex__batch_grow(batch, &batch->flags, &batch->flag_capacity, count, 1) != 0)
        return PEX_ENOMEM;
    if (batch->has_counts && pex__batch_grow(batch, &batch->counts, &batch->counts_capacity, count,
                                             sizeof *batch->counts) != 0)
        return PEX_ENOMEM;
    for (size_t i = 0; i < batch->layout->count; i++) {
        struct pex__column_state *column = &batch->columns[i];

        if (column->has_text && reserve_text(batch, column, count) != 0)
            return PEX_ENOMEM;
        if (column->has_cells && reserve_cells(batch, column, count) != 0)
            return PEX_ENOMEM;
    }
    return 0;
}

int32_t pex__column_use_text(struct pex__batch *batch, struct pex__column_state *column)
{
    if (column->has_text)
        return 0;
    /* One more, so that there is an array to point to when there are no rows. */
    if (reserve_text(batch, column, batch->count + 1) != 0)
        return PEX_ENOMEM;
    if (batch->count != 0) {
        memset(column->states, PEX__STATE_UNKNOWN, batch->count);
        memset(column->where, 0, batch->count);
    }
    column->has_text = 1;
    return 0;
}

int32_t pex__column_use_cells(struct pex__batch *batch, struct pex__column_state *column)
{
    if (column->has_cells)
        return 0;
    if (reserve_cells(batch, column, batch->count) != 0)
        return PEX_ENOMEM;
    for (size_t i = 0; i < batch->count; i++)
        column->cells[i].kind = PEX__CELL_NONE;
    column->has_cells = 1;
    return 0;
}

static int32_t decode(struct pex__batch *batch, struct pex__column_state *column, size_t row,
                      struct pex_string_view json)
{
    uint8_t other = !column->pair.current;
    struct pex__arena *arena = &column->pair.arenas[other];
    char *out = pex__arena_room(&batch->pool, arena, json.length);
    size_t length;

    if (out == NULL)
        return PEX_ENOMEM;
    length = pex__text_decode(json.data + 1, json.length - 2, out);
    pex__arena_take(arena, length);
    column->views[row] = (struct pex_string_view){out, length};
    column->where[row] = (uint8_t)(other + 1);
    column->states[row] = PEX_STATE_VALUE;
    return 0;
}

static int32_t read_row(struct pex__batch *batch, int32_t index, size_t row)
{
    struct pex__column_state *column = &batch->columns[index];
    struct pex_string_view json;

    column->views[row] = (struct pex_string_view){"", 0};
    column->where[row] = 0;
    if (pex__column_cell(column, row) != NULL || pex__column_is_changed_stats(batch, index, row)) {
        column->states[row] = PEX_STATE_OTHER;
        return 0;
    }
    switch (pex__column_type(batch, index, row)) {
    case PEX__STRING:
        json = pex__column_json(batch, index, row);
        column->views[row] = (struct pex_string_view){json.data + 1, json.length - 2};
        column->states[row] = PEX_STATE_VALUE;
        return 0;
    case PEX__ESCAPED:
        return decode(batch, column, row, pex__column_json(batch, index, row));
    case PEX__MISSING:
        column->states[row] = PEX_STATE_MISSING;
        return 0;
    case PEX__NULL:
        column->states[row] = PEX_STATE_NULL;
        return 0;
    default:
        column->states[row] = PEX_STATE_OTHER;
        return 0;
    }
}

int32_t pex__column_read(struct pex__batch *batch, int32_t index, size_t first, size_t count)
{
    struct pex__column_state *column = &batch->columns[index];
    int32_t failed = pex__column_use_text(batch, column);

    for (size_t i = first; i < first + count && failed == 0; i++)
        if (column->states[i] == PEX__STATE_UNKNOWN)
            failed = read_row(batch, index, i);
    return failed;
}

/* Whether the arena is mostly garbage; nothing alive: it is emptied. */
static int is_worth_moving(struct pex__batch *batch, struct pex__arena *arena, size_t alive)
{
    if (alive == 0) {
        pex__arena_reset(&batch->pool, arena);
        return 0;
    }
    return arena->bytes > 2 * alive + MOVE_MIN_BYTES;
}

static size_t bytes_alive(const struct pex__batch *batch, const struct pex__column_state *column,
                          uint8_t where)
{
    size_t sum = 0;

    for (size_t i = 0; i < batch->count; i++)
        if (column->where[i] == where && column->states[i] != PEX__STATE_UNKNOWN)
            sum += column->views[i].length;
    return sum;
}

/* Copies the values in arena `from` to the other one; stops where there is no memory. */
static void move_values(struct pex__batch *batch, struct pex__column_state *column, uint8_t from)
{
    struct pex__arena *to = &column->pair.arenas[!from];

    for (size_t i = 0; i < batch->count; i++) {
        struct pex_string_view *view = &column->views[i];
        char *copy;

        if (column->where[i] != from + 1 || column->states[i] == PEX__STATE_UNKNOWN)
            continue;
        copy = pex__arena_room(&batch->pool, to, view->length);
        if (copy == NULL)
            return;
        memcpy(copy, view->data, view->length);
        pex__arena_take(to, view->length);
        view->data = copy;
        column->where[i] = (uint8_t)(!from + 1);
    }
    pex__arena_reset(&batch->pool, &column->pair.arenas[from]);
}

void pex__column_turn(struct pex__batch *batch, struct pex__column_state *column, int32_t op)
{
    uint8_t target = !column->pair.current;
    size_t alive;

    if (column->pair.writer == op)
        return;
    column->pair.writer = op;
    column->pair.current = target;
    alive = column->has_text ? bytes_alive(batch, column, (uint8_t)(target + 1)) : 0;
    if (!is_worth_moving(batch, &column->pair.arenas[target], alive))
        return;
    /* What operators keep beside the column may point to its values. */
    pex__column_forget_cached(batch, column);
    move_values(batch, column, target);
}

static size_t rows_alive(const struct pex__batch *batch, uint8_t where)
{
    size_t sum = 0;

    for (size_t i = 0; i < batch->count; i++) {
        uint32_t physical = batch->live[i].physical;

        if (physical >= batch->scanned && batch->written[physical - batch->scanned].where == where)
            sum += batch->rows.rows[physical].length;
    }
    return sum;
}

/* All views into a row's text become unknown. */
static void forget_views(struct pex__batch *batch, size_t row)
{
    for (size_t i = 0; i < batch->layout->count; i++) {
        struct pex__column_state *column = &batch->columns[i];

        if (column->has_text && column->where[row] == 0)
            column->states[row] = PEX__STATE_UNKNOWN;
    }
}

static void move_rows(struct pex__batch *batch, uint8_t from)
{
    struct pex__arena *to = &batch->texts.arenas[!from];

    for (size_t i = 0; i < batch->count; i++) {
        uint32_t physical = batch->live[i].physical;
        size_t length = batch->rows.rows[physical].length;
        struct pex__written *written;
        char *copy;

        if (physical < batch->scanned)
            continue;
        written = &batch->written[physical - batch->scanned];
        forget_views(batch, i);
        if (written->where != from + 1)
            continue;
        copy = pex__arena_room(&batch->pool, to, length);
        if (copy == NULL)
            return;
        memcpy(copy, written->base, length);
        pex__arena_take(to, length);
        written->base = copy;
        written->where = (uint8_t)(!from + 1);
    }
    pex__arena_reset(&batch->pool, &batch->texts.arenas[from]);
}

void pex__texts_turn(struct pex__batch *batch, int32_t op)
{
    uint8_t target = !batch->texts.current;

    if (batch->texts.writer == op)
        return;
    batch->texts.writer = op;
    batch->texts.current = target;
    if (!is_worth_moving(batch, &batch->texts.arenas[target],
                         rows_alive(batch, (uint8_t)(target + 1))))
        return;
    for (size_t i = 0; i < batch->layout->count; i++)
        pex__column_forget_cached(batch, &batch->columns[i]);
    move_rows(batch, target);
}
