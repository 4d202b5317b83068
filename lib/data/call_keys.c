/* SPDX-License-Identifier: Apache-2.0 */
/* Global operators: keys that observe emits, counts that apply goes by. */
#include "data/call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 64

/* A record: u32 row, u8 size, bytes. */
#define RECORD_HEAD 5

static uint32_t record_row(const char *record)
{
    uint32_t row;

    memcpy(&row, record, sizeof row);
    return row;
}

static size_t record_bytes(const char *record)
{
    return RECORD_HEAD + (uint8_t)record[4];
}

int32_t pex_keys_emit(pex_batch *batch, size_t row, const void *key, size_t size)
{
    struct pex__emitted *emitted;

    batch = pex__call_at(batch, &row);
    if (batch->site == NULL || row >= batch->count || key == NULL || size == 0 || size > KEY_MAX ||
        batch->site->phase != PEX__PHASE_OBSERVE)
        return PEX_EINVAL;
    if (batch->emitted_bytes.length > UINT32_MAX - KEY_MAX ||
        pex__batch_grow(batch->batch, &batch->emitted, &batch->emitted_capacity,
                        batch->emitted_count + 1, sizeof *batch->emitted) != 0)
        return PEX_ENOMEM;
    emitted = &batch->emitted[batch->emitted_count];
    *emitted = (struct pex__emitted){(uint32_t)row, (uint32_t)batch->emitted_count,
                                     (uint32_t)batch->emitted_bytes.length, (uint8_t)size};
    if (pex__buffer_add(&batch->emitted_bytes, key, size) != 0)
        return PEX_ENOMEM;
    batch->emitted_count++;
    return 0;
}

int32_t pex__keys_reserve(struct pex_batch *call)
{
    return pex__buffer_reserve(&call->batch->keys,
                               call->emitted_count * RECORD_HEAD + call->emitted_bytes.length);
}

static int compare_emitted(const void *left, const void *right)
{
    const struct pex__emitted *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Operators mostly emit in row order, and there is nothing to sort. */
static void sort_emitted(struct pex_batch *call)
{
    for (size_t i = 1; i < call->emitted_count; i++)
        if (call->emitted[i].row < call->emitted[i - 1].row) {
            qsort(call->emitted, call->emitted_count, sizeof *call->emitted, compare_emitted);
            return;
        }
}

/* Writes the record of live row `row` behind the keys; there is room. */
static void add_record(struct pex_batch *call, const struct pex__emitted *emitted, uint32_t row)
{
    struct pex__buffer *keys = &call->batch->keys;
    char *record = keys->data + keys->length;

    memcpy(record, &row, sizeof row);
    record[4] = (char)emitted->size;
    memcpy(record + RECORD_HEAD, call->emitted_bytes.data + emitted->offset, emitted->size);
    keys->length += RECORD_HEAD + emitted->size;
    call->batch->key_count++;
}

static void reverse(char *begin, char *end)
{
    while (begin < end) {
        char c = *begin;

        *begin++ = *--end;
        *end = c;
    }
}

/* Puts the records from `added` on, which are of rows of one window, in their place among the rest.
 */
static void order_records(struct pex__buffer *keys, size_t added)
{
    uint32_t row = record_row(keys->data + added);
    size_t at = 0;

    while (at < added && record_row(keys->data + at) < row)
        at += record_bytes(keys->data + at);
    /* Two runs change places when both, and then the whole, are reversed. */
    reverse(keys->data + at, keys->data + added);
    reverse(keys->data + added, keys->data + keys->length);
    reverse(keys->data + at, keys->data + keys->length);
}

void pex__keys_commit(struct pex_batch *call, const struct pex__move *moves, size_t in, size_t out)
{
    struct pex__batch *batch = call->batch;
    size_t before = batch->keys.length, k = 0;
    uint32_t last = 0;

    sort_emitted(call);
    for (size_t i = 0; i < call->emitted_count; i++) {
        size_t row = call->emitted[i].row;

        if (row >= in)
            break;
        if (moves != NULL) {
            while (k < out && moves[k].row < call->first + row)
                k++;
            if (k == out || moves[k].row != call->first + row || moves[k].child != 0)
                continue;
            row = k;
        }
        last = (uint32_t)(call->first + row);
        add_record(call, &call->emitted[i], last);
    }
    if (batch->keys.length == before)
        return;
    if (before != 0 && last < batch->key_last)
        order_records(&batch->keys, before);
    else
        batch->key_last = last;
}

void pex__keys_follow(struct pex__batch *batch, size_t first, size_t in,
                      const struct pex__move *moves, size_t out)
{
    char *from = batch->keys.data, *to = from;
    char *end = batch->keys.length != 0 ? from + batch->keys.length : from;
    size_t k = 0, count = 0;

    while (from < end) {
        size_t bytes = record_bytes(from);
        uint32_t row = record_row(from);
        int stays = 1;

        if (row >= first + in) {
            row = (uint32_t)(row - in + out);
        } else if (row >= first) {
            while (k < out && moves[k].row < row)
                k++;
            stays = k < out && moves[k].row == row && moves[k].child == 0;
            row = (uint32_t)(first + k);
        }
        memmove(to, from, bytes);
        from += bytes;
        if (!stays)
            continue;
        memcpy(to, &row, sizeof row);
        batch->key_last = row;
        to += bytes;
        count++;
    }
    batch->keys.length = to != NULL ? (size_t)(to - batch->keys.data) : 0;
    batch->key_count = count;
}

struct pex_string_view pex__batch_keys(const struct pex__batch *batch, size_t *count)
{
    *count = batch->key_count;
    return (struct pex_string_view){batch->keys.data, batch->keys.length};
}

int32_t pex__batch_set_counts(struct pex__batch *batch, const uint32_t *counts,
                              struct pex_string_view told)
{
    if (pex__batch_grow(batch, &batch->counts, &batch->counts_capacity, batch->count + 1,
                        sizeof *batch->counts) != 0)
        return PEX_ENOMEM;
    if (batch->count != 0)
        memcpy(batch->counts, counts, batch->count * sizeof *counts);
    batch->has_counts = 1;
    batch->told = told;
    return 0;
}

static size_t count_out(const struct pex__batch *batch, struct pex__call_result *result)
{
    for (size_t i = 0; i < batch->count; i++) {
        result->out += batch->counts[i];
        result->dropped += batch->counts[i] == 0;
    }
    result->in = batch->count;
    result->added = result->out + result->dropped - result->in;
    return result->out;
}

int32_t pex__batch_apply_counts(struct pex__batch *batch, struct pex__call_result *result)
{
    struct pex__call_result counted = {0};
    size_t out = count_out(batch, &counted), k = 0;
    struct pex__move *moves;
    int32_t failed;

    assert(batch->has_counts && batch->call.site == NULL);
    if (out > UINT32_MAX)
        return PEX_ENOMEM;
    pex__batch_number_children(batch);
    moves = pex__call_array(&batch->call, out + 1, sizeof *moves);
    failed = moves == NULL ? PEX_ENOMEM
                           : pex__batch_reserve_moves(batch, batch->count, out, counted.added != 0);
    if (failed == 0) {
        for (size_t i = 0; i < batch->count; i++)
            for (uint32_t copy = 0; copy < batch->counts[i]; copy++)
                moves[k++] = (struct pex__move){(uint32_t)i, copy};
        pex__batch_gather(batch, 0, batch->count, moves, out, counted.added != 0);
        *result = counted;
    }
    pex__call_reset(&batch->call);
    return failed;
}
