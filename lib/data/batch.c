/* SPDX-License-Identifier: Apache-2.0 */
#include "data/batch_state.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/call.h"
#include "data/column.h"

#include <stdio.h>
#include <string.h>

int32_t pex__batch_grow(struct pex__batch *batch, void *array, size_t *capacity, size_t need,
                        size_t size)
{
    size_t before = *capacity;

    if (pex__heap_grow(batch->heap, array, capacity, need, size) != 0)
        return PEX_ENOMEM;
    batch->bytes += (*capacity - before) * size;
    return 0;
}

/* All that a batch of zeros needs. */
static void begin(struct pex__batch *batch, const struct pex__heap *heap)
{
    struct pex__buffer empty = {.heap = heap};

    batch->heap = heap;
    batch->pool.heap = heap;
    batch->slice.heap = heap;
    batch->rows.heap = heap;
    batch->spare_rows.heap = heap;
    batch->keys = empty;
    batch->encoded[0] = empty;
    batch->encoded[1] = empty;
    batch->call.emitted_bytes = empty;
    pex__edit_init(&batch->edit, heap);
    batch->call.batch = batch;
}

int32_t pex__batch_create(const struct pex__heap *heap, struct pex__batch **batch)
{
    struct pex__batch *made = pex__heap_calloc(heap, 1, sizeof *made);

    if (made == NULL)
        return PEX_ENOMEM;
    begin(made, heap);
    *batch = made;
    return 0;
}

/* Gives back the memory of the arrays that grow with the rows. */
static void free_arrays(struct pex__batch *batch)
{
    for (size_t i = 0; i < batch->column_capacity; i++)
        pex__column_free(&batch->columns[i]);
    pex__free(batch->columns);
    pex__free(batch->written);
    pex__free(batch->live);
    pex__free(batch->flags);
    pex__free(batch->counts);
    pex__free(batch->rejects);
    pex__free(batch->origins);
    pex__free(batch->splices);
    pex__call_free(&batch->call);
    pex__rows_free(&batch->rows);
    pex__rows_free(&batch->spare_rows);
    pex__buffer_free(&batch->keys);
    pex__buffer_free(&batch->encoded[0]);
    pex__buffer_free(&batch->encoded[1]);
    pex__edit_free(&batch->edit);
}

/* A batch of zeros but for what is listed here. */
static void start_over(struct pex__batch *batch)
{
    struct pex__slice slice = batch->slice;
    struct pex__pool pool = batch->pool;
    const struct pex__heap *heap = batch->heap;

    memset(batch, 0, sizeof *batch);
    begin(batch, heap);
    batch->slice = slice;
    batch->pool = pool;
}

void pex__pair_reset(struct pex__batch *batch, struct pex__pair *pair)
{
    pex__arena_reset(&batch->pool, &pair->arenas[0]);
    pex__arena_reset(&batch->pool, &pair->arenas[1]);
    pair->current = 0;
    pair->writer = -1;
}

void pex__batch_forget_columns(struct pex__batch *batch)
{
    for (size_t i = 0; i < batch->column_capacity; i++) {
        struct pex__column_state *column = &batch->columns[i];

        pex__pair_reset(batch, &column->pair);
        pex__column_forget_cached(batch, column);
        column->has_text = 0;
        column->has_cells = 0;
    }
}

/* Forgets rows and changes; memory goes to the pool or stays in the arrays. */
static void forget(struct pex__batch *batch)
{
    for (size_t i = 0; i < batch->reject_count; i++)
        pex__free(batch->rejects[i].message);
    pex__batch_forget_columns(batch);
    pex__pair_reset(batch, &batch->texts);
    pex__call_reset(&batch->call);
    batch->reject_count = 0;
    batch->count = 0;
    batch->scanned = 0;
    batch->rows.count = 0;
    batch->has_counts = 0;
    batch->has_stats = 0;
    batch->has_changes = 0;
    batch->has_new_children = 0;
    batch->is_in_place = 0;
    batch->last_op = -1;
    batch->order = 0;
    batch->keys.length = 0;
    batch->key_count = 0;
    batch->lines = 0;
    batch->blank = 0;
    pex__free(batch->origins);
    batch->bytes -= batch->origin_capacity * sizeof *batch->origins;
    batch->origins = NULL;
    batch->origin_capacity = 0;
}

void pex__batch_free(struct pex__batch *batch)
{
    if (batch == NULL)
        return;
    forget(batch);
    pex__pool_trim(&batch->pool, 0);
    free_arrays(batch);
    pex__slice_free(&batch->slice);
    pex__free(batch);
}

void pex__batch_reset(struct pex__batch *batch, size_t keep_bytes)
{
    size_t other;

    forget(batch);
    pex__slice_reset(&batch->slice);
    if (pex__batch_bytes(batch) <= keep_bytes)
        return;
    other = pex__batch_bytes(batch) - batch->pool.bytes;
    pex__pool_trim(&batch->pool, other < keep_bytes ? keep_bytes - other : 0);
    if (other <= keep_bytes)
        return;
    free_arrays(batch);
    start_over(batch);
    forget(batch);
    if (pex__batch_bytes(batch) > keep_bytes)
        pex__slice_free(&batch->slice);
}

struct pex__slice *pex__batch_slice(struct pex__batch *batch)
{
    return &batch->slice;
}

size_t pex__batch_rows(const struct pex__batch *batch)
{
    return batch->count;
}

uint64_t pex__batch_lines(const struct pex__batch *batch)
{
    return batch->lines;
}

uint64_t pex__batch_blank(const struct pex__batch *batch)
{
    return batch->blank;
}

size_t pex__batch_bytes(const struct pex__batch *batch)
{
    return sizeof *batch + batch->bytes + batch->pool.bytes + pex__slice_bytes(&batch->slice) +
           pex__rows_bytes(&batch->rows) + pex__rows_bytes(&batch->spare_rows) +
           batch->keys.capacity + batch->call.emitted_bytes.capacity + batch->encoded[0].capacity +
           batch->encoded[1].capacity + pex__edit_bytes(&batch->edit);
}

const struct pex__reject *pex__batch_rejects(const struct pex__batch *batch, size_t *count)
{
    *count = batch->reject_count;
    return batch->rejects;
}

struct pex_string_view pex__batch_reject_raw(const struct pex__batch *batch,
                                             const struct pex__reject *reject)
{
    return (struct pex_string_view){batch->slice.data + reject->raw.begin, reject->raw.length};
}
