/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of calls, and what is neither a read nor a set. */
#include "data/call.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <string.h>

void pex__call_free(struct pex_batch *call)
{
    pex__free(call->changes);
    pex__free(call->chains);
    pex__free(call->children);
    pex__free(call->failures);
    pex__free(call->emitted);
    pex__buffer_free(&call->emitted_bytes);
}

void pex__call_reset(struct pex_batch *call)
{
    for (size_t i = 0; i < call->failure_count; i++)
        pex__free(call->failures[i].message);
    pex__arena_reset(&call->batch->pool, &call->scratch);
    call->site = NULL;
    call->cancelled = NULL;
    call->consumed = 0;
    call->reads = NULL;
    call->ids = NULL;
    call->fates = NULL;
    call->touched = NULL;
    call->may_rewrite = 0;
    call->change_count = 0;
    call->chain_count = 0;
    call->child_count = 0;
    call->failure_count = 0;
    call->emitted_count = 0;
    call->emitted_bytes.length = 0;
}

/* Where an abort comes back to. */
static void mark_column(struct pex__batch *batch, struct pex__column_state *column)
{
    column->room = NULL;
    column->room_size = 0;
    column->mark = pex__arena_mark(&column->pair.arenas[column->pair.current]);
    column->cached_before = column->cached;
    column->cache_mark = pex__arena_mark(&column->cache);
}

/* Before marks are taken: a turn may give back what a mark would point to. */
static void turn_arenas(struct pex__batch *batch, const struct pex__site *site)
{
    int is_writing = 0;

    for (size_t i = 0; i < site->field_count; i++) {
        if (site->columns[i] < 0 || (site->access[i] & PEX_FIELD_WRITE) == 0)
            continue;
        pex__column_turn(batch, &batch->columns[site->columns[i]], site->op);
        is_writing = 1;
    }
    if (is_writing)
        pex__texts_turn(batch, site->op);
}

pex_batch *pex__call_begin(struct pex__batch *batch, const struct pex__site *site, size_t first,
                           size_t count, const _Atomic int32_t *cancelled)
{
    struct pex_batch *call = &batch->call;

    if (batch->last_op != site->op)
        pex__batch_number_children(batch);
    batch->last_op = site->op;
    call->batch = batch;
    call->first = first;
    call->count = count;
    call->reads =
        pex__call_array(call, site->field_count + 1, PEX__READ_COUNT * sizeof *call->reads);
    call->touched = pex__call_array(call, batch->layout->count, 1);
    if (call->reads == NULL || call->touched == NULL) {
        pex__call_reset(call);
        return NULL;
    }
    memset(call->touched, 0, batch->layout->count);
    memset(call->reads, 0, site->field_count * PEX__READ_COUNT * sizeof *call->reads);
    turn_arenas(batch, site);
    for (size_t i = 0; i < site->field_count; i++)
        if (site->columns[i] >= 0)
            mark_column(batch, &batch->columns[site->columns[i]]);
    call->texts_mark = pex__arena_mark(&batch->texts.arenas[batch->texts.current]);
    call->site = site;
    call->cancelled = cancelled;
    return call;
}

void pex__call_abort(pex_batch *call)
{
    struct pex__batch *batch = call->batch;
    const struct pex__site *site = call->site;

    if (site == NULL)
        return;
    pex__arena_rewind(&batch->pool, &batch->texts.arenas[batch->texts.current], call->texts_mark);
    for (size_t i = 0; i < site->field_count; i++) {
        struct pex__column_state *column;

        if (site->columns[i] < 0)
            continue;
        column = &batch->columns[site->columns[i]];
        pex__arena_rewind(&batch->pool, &column->pair.arenas[column->pair.current], column->mark);
        pex__arena_rewind(&batch->pool, &column->cache, column->cache_mark);
        column->cached = column->cached_before;
    }
    pex__call_reset(call);
}

size_t pex_batch_rows(const pex_batch *batch)
{
    return batch->count;
}

int32_t pex_batch_cancelled(const pex_batch *batch)
{
    return batch->cancelled != NULL &&
           atomic_load_explicit(batch->cancelled, memory_order_relaxed) != 0;
}

/* The fates of the input rows, all STAYS at first. */
static uint8_t *use_fates(struct pex_batch *call)
{
    if (call->fates == NULL) {
        call->fates = pex__call_array(call, call->count, 1);
        if (call->fates != NULL)
            memset(call->fates, PEX__FATE_STAYS, call->count);
    }
    return call->fates;
}

static int may_drop(const struct pex__site *site)
{
    return site->cardinality == PEX_FILTER || site->cardinality == PEX_ROW_TO_MANY ||
           (site->cardinality == PEX_GLOBAL && site->phase == PEX__PHASE_APPLY);
}

static int is_spared(const struct pex__site *site)
{
    return site->keeps_dropped && site->cardinality == PEX_FILTER;
}

int32_t pex_batch_drop(pex_batch *batch, size_t row)
{
    batch = pex__call_at(batch, &row);
    if (batch->site == NULL || row >= batch->count || !may_drop(batch->site))
        return PEX_EINVAL;
    if (use_fates(batch) == NULL)
        return PEX_ENOMEM;
    if (batch->fates[row] == PEX__FATE_STAYS)
        batch->fates[row] = is_spared(batch->site) ? PEX__FATE_SPARED : PEX__FATE_DROPPED;
    return 0;
}

int32_t pex_batch_fail_row(pex_batch *batch, size_t row, int32_t code, const char *message)
{
    struct pex__failure *failure;

    batch = pex__call_at(batch, &row);
    if (batch->site == NULL || row >= batch->count || code >= 0)
        return PEX_EINVAL;
    if (use_fates(batch) == NULL ||
        pex__batch_grow(batch->batch, &batch->failures, &batch->failure_capacity,
                        batch->failure_count + 1, sizeof *batch->failures) != 0)
        return PEX_ENOMEM;
    if (batch->fates[row] == PEX__FATE_FAILED)
        return 0;
    failure = &batch->failures[batch->failure_count];
    *failure = (struct pex__failure){(uint32_t)row, code, NULL};
    failure->message = pex__strdup(message != NULL ? message : pex_strerror(code));
    if (failure->message == NULL)
        return PEX_ENOMEM;
    batch->failure_count++;
    batch->fates[row] = PEX__FATE_FAILED;
    return 0;
}

int32_t pex_batch_append(pex_batch *batch, size_t row, size_t *child)
{
    const struct pex__site *site = batch->site;

    if (site == NULL || row >= batch->count)
        return PEX_EINVAL;
    if (batch->joint != NULL)
        return pex__joint_append(batch->joint, row, child);
    if (site->cardinality != PEX_ROW_TO_MANY &&
        !(site->cardinality == PEX_GLOBAL && site->phase == PEX__PHASE_APPLY))
        return PEX_EINVAL;
    if (pex__batch_grow(batch->batch, &batch->children, &batch->child_capacity,
                        batch->child_count + 1, sizeof *batch->children) != 0)
        return PEX_ENOMEM;
    batch->children[batch->child_count] = (uint32_t)row;
    if (child != NULL)
        *child = batch->count + batch->child_count;
    batch->child_count++;
    return 0;
}

int32_t pex_batch_consumed(pex_batch *batch, size_t count)
{
    if (batch->site == NULL || count == 0 || count > batch->count)
        return PEX_EINVAL;
    batch->consumed = count;
    return 0;
}

int32_t pex_batch_row_ids(pex_batch *batch, const struct pex_row_id **ids)
{
    if (batch->site == NULL || ids == NULL)
        return PEX_EINVAL;
    if (batch->joint != NULL)
        return pex__joint_row_ids(batch->joint, ids);
    if (batch->ids == NULL) {
        struct pex_row_id *made = pex__call_array(batch, batch->count + 1, sizeof *made);

        if (made == NULL)
            return PEX_ENOMEM;
        pex__batch_ids(batch->batch, batch->first, batch->count, made);
        batch->ids = made;
    }
    *ids = batch->ids;
    return 0;
}

int32_t pex_batch_counts(pex_batch *batch, const uint32_t **counts)
{
    if (batch->site == NULL || counts == NULL || batch->site->phase != PEX__PHASE_APPLY)
        return PEX_EINVAL;
    if (batch->joint != NULL)
        return pex__joint_counts(batch->joint, counts);
    if (!batch->batch->has_counts)
        return PEX_EINVAL;
    *counts = batch->batch->counts + batch->first;
    return 0;
}

int32_t pex_batch_told(pex_batch *batch, struct pex_string_view *told)
{
    if (batch->site == NULL || told == NULL || batch->site->phase != PEX__PHASE_APPLY)
        return PEX_EINVAL;
    if (batch->joint != NULL)
        return pex_batch_told(pex__joint_first(batch->joint), told);
    if (!batch->batch->has_counts)
        return PEX_EINVAL;
    *told = batch->batch->told;
    return 0;
}

void *pex_batch_cache_put(pex_batch *batch, int32_t field, const char *key, size_t size)
{
    int32_t column = pex__call_column(batch, field);

    if (column < 0 || key == NULL)
        return NULL;
    if (batch->joint != NULL)
        return pex__joint_cache_put(batch->joint, column, key, size);
    return pex__column_put_cached(batch->batch, &batch->batch->columns[column], key, batch->first,
                                  batch->count, size, 0);
}

void *pex_batch_cache_put_rows(pex_batch *batch, int32_t field, const char *key, size_t size)
{
    int32_t column = pex__call_column(batch, field);

    if (column < 0 || key == NULL || size == 0 || size > SIZE_MAX / (batch->count + 1))
        return NULL;
    if (batch->joint != NULL)
        return pex__joint_cache_put(batch->joint, column, key, size * batch->count);
    return pex__column_put_cached(batch->batch, &batch->batch->columns[column], key, batch->first,
                                  batch->count, size * batch->count, size);
}

void *pex_batch_cache_room(pex_batch *batch, int32_t field, size_t size)
{
    int32_t column = pex__call_column(batch, field);

    if (column < 0)
        return NULL;
    if (batch->joint != NULL)
        return pex__joint_cache_room(batch->joint, size);
    return pex__column_cache_room(batch->batch, &batch->batch->columns[column], size);
}

const void *pex_batch_cache_get(pex_batch *batch, int32_t field, const char *key, size_t *size)
{
    int32_t column = pex__call_column(batch, field);

    if (column < 0 || key == NULL)
        return NULL;
    if (batch->joint != NULL)
        return pex__joint_cache_get(batch->joint, column, key, size);
    return pex__column_get_cached(&batch->batch->columns[column], key, batch->first, batch->count,
                                  size);
}
