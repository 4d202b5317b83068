/* SPDX-License-Identifier: Apache-2.0 */
#include "data/overlay.h"

#include "data/call.h"
#include "data/edit_walk.h"

#include <string.h>

/* The row's cell that was set first from *order on, which moves on: its column, or -1. */
static int32_t next_cell(const struct pex__batch *batch, size_t row, uint64_t *order)
{
    uint64_t lowest = UINT64_MAX;
    int32_t found = -1;

    for (size_t i = 0; i < batch->layout->count; i++) {
        const struct pex__cell *cell = pex__column_cell(&batch->columns[i], row);

        if (cell == NULL || cell->order < *order || cell->order >= lowest)
            continue;
        lowest = cell->order;
        found = (int32_t)i;
    }
    if (found >= 0)
        *order = lowest + 1;
    return found;
}

int32_t pex__overlay_take_apart(struct pex__batch *batch, size_t row)
{
    struct pex_string_view text = pex__row_text(batch, row);
    int32_t failed = pex__edit_begin(&batch->edit, text.data, text.length), column;
    uint64_t order = 0;

    while (failed == 0 && (column = next_cell(batch, row, &order)) >= 0) {
        const struct pex__path *path = &batch->layout->paths[column];
        struct pex__new value = pex__column_value(&batch->columns[column], row);

        failed = pex__edit_apply(&batch->edit, path->keys, path->depth, &value, NULL);
    }
    return failed;
}

static struct pex__new value_of(const struct pex__change *change)
{
    struct pex__new value = {.kind = change->kind};

    if (change->kind == PEX__NEW_STRING || change->kind == PEX__NEW_JSON) {
        value.text = change->as.text;
        value.length = change->length;
    } else if (change->kind == PEX__NEW_DOUBLE) {
        value.float64 = change->as.float64;
    } else {
        value.int64 = change->as.int64;
    }
    return value;
}

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Whether an accessor would read the cell as the new value. JSON: left to those who see the text.
 */
static int cell_equals(const struct pex__column_state *column, size_t row,
                       const struct pex__new *value)
{
    struct pex__new present = pex__column_value(column, row);

    switch (value->kind) {
    case PEX__NEW_STRING:
        return present.kind == PEX__NEW_STRING && present.length == value->length &&
               memcmp(present.text, value->text, value->length) == 0;
    case PEX__NEW_DOUBLE:
        if (present.kind == PEX__NEW_INT64)
            return same_bits((double)present.int64, value->float64);
        return present.kind == PEX__NEW_DOUBLE && same_bits(present.float64, value->float64);
    case PEX__NEW_INT64:
    case PEX__NEW_BOOL:
        return present.kind == value->kind && present.int64 == value->int64;
    default:
        return 0;
    }
}

int pex__overlay_equals(const struct pex__batch *batch, int32_t column, size_t row,
                        const struct pex__new *value)
{
    const struct pex__column_state *state = &batch->columns[column];
    struct pex_string_view json;

    if (pex__column_cell(state, row) != NULL)
        return cell_equals(state, row, value);
    if (pex__column_is_changed_stats(batch, column, row))
        return 0;
    if (value->kind == PEX__NEW_NONE)
        return pex__column_type(batch, column, row) == PEX__MISSING;
    if (pex__column_type(batch, column, row) == PEX__MISSING)
        return 0;
    if (value->kind == PEX__NEW_STRING && state->has_text && state->states[row] == PEX_STATE_VALUE)
        return state->views[row].length == value->length &&
               (state->views[row].data == value->text ||
                memcmp(state->views[row].data, value->text, value->length) == 0);
    json = pex__column_json(batch, column, row);
    return pex__new_equals(value, json.data, json.length);
}

int pex__overlay_is_simple(const struct pex__batch *batch, size_t row,
                           const struct pex__change *change)
{
    const struct pex__column_info *info = &batch->layout->infos[change->column];

    if (!info->is_simple || change->kind == PEX__NEW_JSON || change->kind == PEX__NEW_NONE)
        return 0;
    return info->is_stat || batch->layout->paths[change->column].depth == 1 ||
           pex__column_cell(&batch->columns[change->column], row) != NULL ||
           pex__column_type(batch, change->column, row) != PEX__MISSING;
}

static uint8_t cell_kind(const struct pex__change *change)
{
    switch (change->kind) {
    case PEX__NEW_STRING:
        return PEX__CELL_STRING;
    case PEX__NEW_INT64:
        return PEX__CELL_INT64;
    case PEX__NEW_DOUBLE:
        return PEX__CELL_DOUBLE;
    default:
        return PEX__CELL_BOOL;
    }
}

void pex__overlay_put(struct pex__batch *batch, size_t row, const struct pex__change *change)
{
    struct pex__column_state *column = &batch->columns[change->column];
    struct pex__column_state *stats = &batch->columns[batch->layout->stats];
    struct pex__cell *cell = &column->cells[row];
    struct pex__new value = value_of(change);
    int is_stat = batch->layout->infos[change->column].is_stat;

    if (cell->kind == PEX__CELL_NONE)
        cell->order = batch->order++;
    else if (cell_equals(column, row, &value))
        return;
    cell->kind = cell_kind(change);
    if (change->kind == PEX__NEW_STRING) {
        column->views[row] = (struct pex_string_view){change->as.text, change->length};
        column->states[row] = PEX_STATE_VALUE;
        column->where[row] = (uint8_t)(column->pair.current + 1);
    } else {
        memcpy(&cell->as, &change->as, sizeof cell->as);
        if (column->has_text)
            column->states[row] = PEX__STATE_UNKNOWN;
    }
    batch->flags[row] |= is_stat ? PEX__ROW_STATED : PEX__ROW_EDITED;
    batch->has_changes = 1;
    if (is_stat && stats->has_text)
        stats->states[row] = PEX__STATE_UNKNOWN;
}

int32_t pex__overlay_rewrite(struct pex_batch *call, size_t row, uint32_t change,
                             struct pex__rewritten *rewritten)
{
    struct pex__batch *batch = call->batch;
    struct pex__edit *edit = &batch->edit;
    struct pex__arena *arena = &batch->texts.arenas[batch->texts.current];
    struct pex__buffer *whole = &edit->scratch;
    size_t columns = batch->layout->count;
    struct pex__span object;
    char *text;
    uint32_t at;
    int is_changed = (batch->flags[row] & (PEX__ROW_EDITED | PEX__ROW_STATED)) != 0;

    if (pex__overlay_take_apart(batch, row) != 0)
        return PEX_ENOMEM;
    for (; change != 0; change = call->changes[change - 1].next) {
        const struct pex__change *next = &call->changes[change - 1];
        const struct pex__path *path = &batch->layout->paths[next->column];
        struct pex__new value = value_of(next);

        if (pex__edit_apply(edit, path->keys, path->depth, &value, &is_changed) != 0)
            return PEX_ENOMEM;
    }
    rewritten->is_changed = is_changed;
    if (!is_changed)
        return 0;
    whole->length = 0;
    if (pex__edit_end(edit, 1, whole) != 0 || whole->length > UINT32_MAX)
        return PEX_ENOMEM;
    text = pex__arena_room(&batch->pool, arena, whole->length);
    rewritten->spans = pex__call_array(call, columns, sizeof *rewritten->spans);
    rewritten->types = pex__call_array(call, columns, 1);
    if (text == NULL || rewritten->spans == NULL || rewritten->types == NULL)
        return PEX_ENOMEM;
    memcpy(text, whole->data, whole->length);
    rewritten->text = text;
    rewritten->length = (uint32_t)whole->length;
    if (pex__scan_reference(batch->layout->set, text, 0, whole->length, &object, rewritten->spans,
                            rewritten->types, &at) != PEX__ROW_OK)
        return PEX_EINTERNAL;
    pex__arena_take(arena, whole->length);
    return 0;
}

/* The physical row that a live row may overwrite: its own if it was written for it alone. */
static uint32_t own_physical(struct pex__batch *batch, size_t row)
{
    uint32_t physical = batch->live[row].physical;

    if (physical >= batch->scanned && !batch->written[physical - batch->scanned].is_shared)
        return physical;
    return (uint32_t)batch->rows.count++;
}

void pex__overlay_replace(struct pex__batch *batch, size_t row,
                          const struct pex__rewritten *rewritten)
{
    uint32_t physical = own_physical(batch, row);

    batch->rows.rows[physical] = (struct pex__span){0, rewritten->length};
    batch->written[physical - batch->scanned] =
        (struct pex__written){rewritten->text, (uint8_t)(batch->texts.current + 1), 0};
    for (size_t i = 0; i < batch->layout->count; i++) {
        struct pex__column_state *column = &batch->columns[i];

        batch->rows.columns[i].spans[physical] = rewritten->spans[i];
        batch->rows.columns[i].types[physical] = rewritten->types[i];
        if (column->has_cells)
            column->cells[row].kind = PEX__CELL_NONE;
        if (column->has_text)
            column->states[row] = PEX__STATE_UNKNOWN;
    }
    batch->live[row].physical = physical;
    batch->flags[row] &= PEX__ROW_SPARED;
    batch->has_changes = 1;
    batch->is_in_place = 0;
    if (rewritten->types[batch->layout->stats] != PEX__MISSING)
        batch->has_stats = 1;
}
