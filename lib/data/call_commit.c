/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commit of a call. First everything that may fail: the rows of the window as they will be, rows
 * written anew, room in all arrays. Then the changes, which cannot fail.
 */
#include "data/call.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/overlay.h"

#include <string.h>

struct staged {
    uint32_t place; /* row of the window after the commit */
    struct pex__rewritten row;
};

struct commit {
    struct pex_batch *call;
    struct pex__batch *batch;
    struct pex__call_result result;
    struct pex__move *moves; /* NULL: every row stays where it is */
    uint32_t *places;        /* per row of the call: where it will be in the window, or GONE */
    struct staged *staged;
    size_t staged_count;
};
#define GONE UINT32_MAX

static int fate_of(const struct pex_batch *call, size_t row)
{
    return call->fates != NULL ? call->fates[row] : PEX__FATE_STAYS;
}

static void count_spared(struct commit *c)
{
    const uint8_t *flags = c->batch->flags + c->call->first;

    for (size_t i = 0; i < c->result.in; i++) {
        int fate = fate_of(c->call, i);

        c->result.spared += fate == PEX__FATE_SPARED;
        c->result.lost += (fate == PEX__FATE_SPARED || fate == PEX__FATE_DROPPED) &&
                          (flags[i] & PEX__ROW_SPARED) == 0;
    }
    c->result.reached = pex__batch_reached(c->batch, c->call->first, c->result.in);
}

static void count_fates(struct commit *c)
{
    for (size_t i = 0; i < c->result.in; i++) {
        c->result.dropped += fate_of(c->call, i) == PEX__FATE_DROPPED;
        c->result.failed += fate_of(c->call, i) == PEX__FATE_FAILED;
    }
    if (c->call->site->keeps_dropped)
        count_spared(c);
    for (size_t i = 0; i < c->call->child_count; i++) {
        size_t row = c->call->children[i];

        c->result.added += row < c->result.in && fate_of(c->call, row) != PEX__FATE_FAILED;
    }
    c->result.out = c->result.in + c->result.added - c->result.dropped - c->result.failed;
}

/* For each input row the children, in order: list[begins[row] .. begins[row + 1]). */
static int32_t sort_children(const struct commit *c, uint32_t **begins, uint32_t **list)
{
    struct pex_batch *call = c->call;
    uint32_t *next = pex__call_array(call, call->count + 2, sizeof *next);

    *list = pex__call_array(call, call->child_count + 1, sizeof **list);
    if (next == NULL || *list == NULL)
        return PEX_ENOMEM;
    memset(next, 0, (call->count + 2) * sizeof *next);
    for (size_t i = 0; i < call->child_count; i++)
        next[call->children[i] + 2]++;
    for (size_t i = 2; i < call->count + 2; i++)
        next[i] += next[i - 1];
    /* next[row + 1] is where the next child of row goes, and ends as the beginning of row + 1. */
    for (size_t i = 0; i < call->child_count; i++)
        (*list)[next[call->children[i] + 1]++] = (uint32_t)i;
    *begins = next;
    return 0;
}

static void place(struct commit *c, size_t *out, size_t row, size_t call_row, uint32_t child)
{
    c->moves[*out] = (struct pex__move){(uint32_t)(c->call->first + row), child};
    c->places[call_row] = (uint32_t)(*out)++;
}

static int32_t plan_moves(struct commit *c)
{
    struct pex_batch *call = c->call;
    uint32_t *begins, *children;
    size_t out = 0;

    c->moves = pex__call_array(call, c->result.out + 1, sizeof *c->moves);
    c->places = pex__call_array(call, call->count + call->child_count + 1, sizeof *c->places);
    if (c->moves == NULL || c->places == NULL || sort_children(c, &begins, &children) != 0)
        return PEX_ENOMEM;
    memset(c->places, 0xFF, (call->count + call->child_count) * sizeof *c->places);
    for (size_t row = 0; row < c->result.in; row++) {
        int fate = fate_of(call, row);

        if (fate == PEX__FATE_STAYS || fate == PEX__FATE_SPARED)
            place(c, &out, row, row, 0);
        for (uint32_t i = begins[row]; i < begins[row + 1] && fate != PEX__FATE_FAILED; i++)
            place(c, &out, row, call->count + children[i], children[i] + 1);
    }
    return 0;
}

static uint32_t place_of(const struct commit *c, size_t call_row)
{
    if (c->places != NULL)
        return c->places[call_row];
    return call_row < c->result.in ? (uint32_t)call_row : GONE;
}

static int is_simple(const struct commit *c, size_t call_row)
{
    size_t row = pex__call_row(c->call, call_row);
    uint32_t next = c->call->chains[call_row].first;

    for (; next != 0; next = c->call->changes[next - 1].next)
        if (!pex__overlay_is_simple(c->batch, row, &c->call->changes[next - 1]))
            return 0;
    return 1;
}

/* Takes into use what the cells need. */
static int32_t prepare_cells(const struct commit *c)
{
    for (size_t i = 0; i < c->batch->layout->count; i++) {
        struct pex__column_state *column = &c->batch->columns[i];
        uint8_t touched = c->call->touched[i];

        if ((touched & PEX__TOUCHED_CELLS) != 0 && pex__column_use_cells(c->batch, column) != 0)
            return PEX_ENOMEM;
        if ((touched & PEX__TOUCHED_TEXT) != 0 && pex__column_use_text(c->batch, column) != 0)
            return PEX_ENOMEM;
    }
    return 0;
}

static int32_t stage(struct commit *c, size_t call_row)
{
    struct pex__chain *chain = &c->call->chains[call_row];
    struct staged *staged;
    int32_t failed;

    if (c->staged == NULL)
        c->staged = pex__call_array(c->call, c->call->chain_count, sizeof *c->staged);
    if (c->staged == NULL)
        return PEX_ENOMEM;
    staged = &c->staged[c->staged_count];
    failed =
        pex__overlay_rewrite(c->call, pex__call_row(c->call, call_row), chain->first, &staged->row);
    if (failed != 0)
        return failed;
    staged->place = place_of(c, call_row);
    c->staged_count += staged->row.is_changed != 0;
    chain->first = 0;
    return 0;
}

static int32_t prepare_changes(struct commit *c)
{
    int32_t failed = prepare_cells(c);

    for (size_t i = 0; i < c->call->chain_count && c->call->may_rewrite && failed == 0; i++)
        if (c->call->chains[i].first != 0 && place_of(c, i) != GONE && !is_simple(c, i))
            failed = stage(c, i);
    return failed;
}

static int32_t reserve(struct commit *c)
{
    struct pex__batch *batch = c->batch;
    size_t physical = batch->rows.count + c->staged_count;

    if (c->moves != NULL &&
        pex__batch_reserve_moves(batch, c->result.in, c->result.out, c->result.added != 0) != 0)
        return PEX_ENOMEM;
    if (c->staged_count != 0 &&
        (pex__rows_reserve(&batch->rows, physical) != 0 ||
         pex__batch_grow(batch, &batch->written, &batch->written_capacity,
                         physical - batch->scanned, sizeof *batch->written) != 0))
        return PEX_ENOMEM;
    if (pex__batch_grow(batch, &batch->rejects, &batch->reject_capacity,
                        batch->reject_count + c->result.failed, sizeof *batch->rejects) != 0)
        return PEX_ENOMEM;
    return pex__keys_reserve(c->call);
}

static int32_t prepare(struct commit *c)
{
    struct pex_batch *call = c->call;
    int32_t failed = 0;

    c->result.in = call->consumed != 0 ? call->consumed : call->count;
    count_fates(c);
    if (c->result.dropped + c->result.failed + c->result.added != 0)
        failed = plan_moves(c);
    if (failed == 0 && call->change_count != 0)
        failed = prepare_changes(c);
    return failed != 0 ? failed : reserve(c);
}

static void reject_failed(struct commit *c, int32_t attempt)
{
    struct pex_batch *call = c->call;

    for (size_t i = 0; i < call->failure_count; i++) {
        struct pex__failure *failure = &call->failures[i];

        if (failure->row >= c->result.in)
            continue;
        pex__batch_add_reject(c->batch, call->first + failure->row, call->site->op, failure->code,
                              attempt, failure->message);
        failure->message = NULL;
    }
}

static void put_changes(struct commit *c)
{
    struct pex_batch *call = c->call;

    for (size_t i = 0; i < call->change_count; i++) {
        const struct pex__change *change = &call->changes[i];
        uint32_t at = place_of(c, change->row);

        if (at != GONE && call->chains[change->row].first != 0)
            pex__overlay_put(c->batch, call->first + at, change);
    }
    for (size_t i = 0; i < c->staged_count; i++)
        pex__overlay_replace(c->batch, call->first + c->staged[i].place, &c->staged[i].row);
    for (size_t i = 0; i < c->batch->layout->count; i++)
        if (c->staged_count != 0 || call->touched[i] != 0)
            pex__column_forget_cached(c->batch, &c->batch->columns[i]);
}

size_t pex__batch_reached(const struct pex__batch *batch, size_t first, size_t count)
{
    size_t reached = 0;

    for (size_t row = first; row < first + count; row++)
        reached += (batch->flags[row] & PEX__ROW_SPARED) == 0;
    return reached;
}

static void mark_spared(struct commit *c)
{
    for (size_t row = 0; row < c->result.in; row++)
        if (fate_of(c->call, row) == PEX__FATE_SPARED)
            c->batch->flags[c->call->first + place_of(c, row)] |= PEX__ROW_SPARED;
}

int32_t pex__call_commit(pex_batch *call, int32_t attempt, struct pex__call_result *result,
                         struct pex_error *err)
{
    struct commit c = {.call = call, .batch = call->batch};
    int32_t failed = prepare(&c);

    if (failed != 0) {
        pex__call_abort(call);
        if (failed == PEX_ENOMEM)
            return pex__error_memory(err);
        return pex_error_set(err, failed,
                             "a changed row is no valid JSON; this is a fault of the library");
    }
    reject_failed(&c, attempt);
    if (c.moves != NULL)
        pex__batch_gather(c.batch, call->first, c.result.in, c.moves, c.result.out,
                          c.result.added != 0);
    pex__keys_commit(call, c.moves, c.result.in, c.result.out);
    if (call->change_count != 0)
        put_changes(&c);
    if (c.result.spared != 0)
        mark_spared(&c);
    *result = c.result;
    pex__call_reset(call);
    return 0;
}

static int is_before(const struct pex_row_id *a, const struct pex_row_id *b)
{
    return a->source != b->source ? a->source < b->source : a->offset < b->offset;
}

void pex__batch_cut(struct pex__batch *batch, const struct pex_row_id *id)
{
    size_t low = 0, high = batch->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct pex_row_id at;

        pex__batch_ids(batch, middle, 1, &at);
        if (is_before(&at, id))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < batch->count)
        pex__batch_gather(batch, low, batch->count - low, NULL, 0, 0);
}

int32_t pex__batch_reject_rows(struct pex__batch *batch, size_t first, size_t count, int32_t op,
                               int32_t code, int32_t attempt, const char *message)
{
    size_t before = batch->reject_count;
    int32_t failed = pex__batch_grow(batch, &batch->rejects, &batch->reject_capacity,
                                     before + count, sizeof *batch->rejects);

    if (batch->last_op != op)
        pex__batch_number_children(batch);
    batch->last_op = op;
    for (size_t i = 0; i < count && failed == 0; i++) {
        char *copy = pex__strdup(message != NULL ? message : pex_strerror(code));

        if (copy == NULL)
            failed = PEX_ENOMEM;
        else
            pex__batch_add_reject(batch, first + i, op, code, attempt, copy);
    }
    if (failed == 0) {
        pex__batch_gather(batch, first, count, NULL, 0, 0);
        return 0;
    }
    while (batch->reject_count > before)
        pex__free(batch->rejects[--batch->reject_count].message);
    return failed;
}
