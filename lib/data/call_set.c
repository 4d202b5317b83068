/* SPDX-License-Identifier: Apache-2.0 */
/* Sets: noted with the call, made on commit. */
#include "data/call.h"

#include "base/memory.h"
#include "data/overlay.h"
#include "data/text.h"

#include <math.h>
#include <string.h>

/* The column that a set may write to, or -1; *call and *row become those of one batch. */
static int32_t writable(struct pex_batch **call, int32_t field, size_t *row)
{
    int32_t column = pex__call_column(*call, field);

    *call = pex__call_at(*call, row);
    if (column < 0 || !pex__call_has_row(*call, *row) ||
        ((*call)->site->access[field] & PEX_FIELD_WRITE) == 0)
        return -1;
    return column;
}

static int32_t use_chains(struct pex_batch *call)
{
    size_t need = call->count + call->child_count;

    if (need <= call->chain_count)
        return 0;
    if (pex__batch_grow(call->batch, &call->chains, &call->chain_capacity, need,
                        sizeof *call->chains) != 0)
        return PEX_ENOMEM;
    memset(call->chains + call->chain_count, 0, (need - call->chain_count) * sizeof *call->chains);
    call->chain_count = need;
    return 0;
}

/* Whether an earlier set of this call may have changed what the field holds. */
static int is_pending(const struct pex_batch *call, int32_t column, size_t row)
{
    const struct pex__layout *layout = call->batch->layout;
    uint32_t next = row < call->chain_count ? call->chains[row].first : 0;

    for (; next != 0; next = call->changes[next - 1].next) {
        int32_t other = call->changes[next - 1].column;

        if (other == column || (layout->overlaps[column] &&
                                pex__path_overlaps(&layout->paths[other], &layout->paths[column])))
            return 1;
    }
    return 0;
}

static int is_there(const struct pex_batch *call, int32_t column, size_t row,
                    const struct pex__new *value)
{
    return !is_pending(call, column, row) &&
           pex__overlay_equals(call->batch, column, pex__call_row(call, row), value);
}

/* What the commit needs to know of all changes. */
static void touch(struct pex_batch *call, const struct pex__change *change)
{
    const struct pex__layout *layout = call->batch->layout;
    const struct pex__column_info *info = &layout->infos[change->column];

    call->touched[change->column] |= PEX__TOUCHED_CELLS;
    if (change->kind == PEX__NEW_STRING)
        call->touched[change->column] |= PEX__TOUCHED_TEXT;
    if (!info->is_simple || change->kind == PEX__NEW_JSON || change->kind == PEX__NEW_NONE ||
        !(info->is_stat || layout->paths[change->column].depth == 1))
        call->may_rewrite = 1;
}

static int32_t note(struct pex_batch *call, int32_t column, size_t row,
                    const struct pex__new *value)
{
    struct pex__change *change;
    struct pex__chain *chain;

    if (use_chains(call) != 0 || call->change_count == UINT32_MAX - 1 ||
        pex__batch_grow(call->batch, &call->changes, &call->change_capacity, call->change_count + 1,
                        sizeof *call->changes) != 0)
        return PEX_ENOMEM;
    change = &call->changes[call->change_count++];
    *change = (struct pex__change){.length = value->length,
                                   .column = column,
                                   .row = (uint32_t)row,
                                   .kind = (uint8_t)value->kind};
    if (value->kind == PEX__NEW_STRING || value->kind == PEX__NEW_JSON)
        change->as.text = value->text;
    else if (value->kind == PEX__NEW_DOUBLE)
        change->as.float64 = value->float64;
    else
        change->as.int64 = value->int64;
    touch(call, change);
    chain = &call->chains[row];
    if (chain->last != 0)
        call->changes[chain->last - 1].next = (uint32_t)call->change_count;
    else
        chain->first = (uint32_t)call->change_count;
    chain->last = (uint32_t)call->change_count;
    return 0;
}

int32_t pex__call_change(struct pex_batch *call, int32_t column, size_t row,
                         const struct pex__new *value)
{
    if (call->batch->layout->paths[column].depth > PEX__DEPTH_MAX)
        return PEX_EDATA;
    return is_there(call, column, row, value) ? 0 : note(call, column, row, value);
}

/* Offset of a high surrogate that a low one follows, each as three bytes, or length. */
static size_t find_pair(const char *text, size_t length)
{
    const char *p = text, *end = text + length;

    while (end - p >= 6 && (p = memchr(p, 0xED, (size_t)(end - p) - 5)) != NULL) {
        if ((p[1] & 0xF0) == 0xA0 && (unsigned char)p[3] == 0xED && (p[4] & 0xF0) == 0xB0)
            return (size_t)(p - text);
        p++;
    }
    return length;
}

static uint32_t unit_at(const char *p)
{
    return (uint32_t)(0xD000 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F));
}

/*
 * A pair of surrogates is one character, or it would be read back as another text than was set.
 * Rewrites pairs from `at` on; returns the new length.
 */
static size_t join_pairs(char *text, size_t length, size_t at)
{
    char *to = text + at;
    const char *from = to, *end = text + length;

    while (from < end) {
        size_t plain = find_pair(from, (size_t)(end - from));
        uint32_t c;

        memmove(to, from, plain);
        to += plain;
        from += plain;
        if (from == end)
            break;
        c = 0x10000 + ((unit_at(from) - 0xD800) << 10) + (unit_at(from + 3) - 0xDC00);
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
        from += 6;
    }
    return (size_t)(to - text);
}

/* Makes value->text a copy in the column's current arena, not yet taken. */
static int32_t copy_text(struct pex_batch *call, int32_t column, struct pex__new *value)
{
    struct pex__column_state *state = &call->batch->columns[column];
    struct pex__arena *arena = &state->pair.arenas[state->pair.current];
    char *room = state->room;

    if (value->text != room || value->length > state->room_size) {
        room = pex__arena_room(&call->batch->pool, arena, value->length);
        if (room == NULL)
            return PEX_ENOMEM;
        memmove(room, value->text, value->length);
        value->text = room;
    }
    return 0;
}

static int32_t set_text(struct pex_batch *call, int32_t column, size_t row, struct pex__new *value)
{
    struct pex__column_state *state = &call->batch->columns[column];
    struct pex__arena *arena = &state->pair.arenas[state->pair.current];
    size_t pair = find_pair(value->text, value->length);
    int has_pair = pair < value->length;
    int32_t failed = 0;

    if (has_pair) {
        failed = copy_text(call, column, value);
        if (failed == 0)
            value->length = join_pairs((char *)(uintptr_t)value->text, value->length, pair);
    }
    if (failed != 0 || is_there(call, column, row, value))
        return failed;
    if (!has_pair)
        failed = copy_text(call, column, value);
    if (failed == 0)
        failed = note(call, column, row, value);
    if (failed != 0)
        return failed;
    pex__arena_take(arena, value->length);
    state->room = NULL;
    state->room_size = 0;
    return 0;
}

int32_t pex_batch_set_string(pex_batch *batch, int32_t field, size_t row,
                             struct pex_string_view value)
{
    struct pex__new made = {.kind = PEX__NEW_STRING, .text = value.data, .length = value.length};
    int32_t column = writable(&batch, field, &row);

    if (column < 0 || (value.data == NULL && value.length != 0))
        return PEX_EINVAL;
    if (batch->batch->layout->paths[column].depth > PEX__DEPTH_MAX)
        return PEX_EDATA;
    if (value.length == 0)
        made.text = "";
    if (value.length > UINT32_MAX / 6)
        return PEX_ENOMEM;
    if (!pex__text_valid(made.text, made.length))
        return PEX_EDATA;
    return set_text(batch, column, row, &made);
}

int32_t pex_batch_set_int64(pex_batch *batch, int32_t field, size_t row, int64_t value)
{
    const struct pex__new made = {.kind = PEX__NEW_INT64, .int64 = value};
    int32_t column = writable(&batch, field, &row);

    return column < 0 ? PEX_EINVAL : pex__call_change(batch, column, row, &made);
}

int32_t pex_batch_set_double(pex_batch *batch, int32_t field, size_t row, double value)
{
    const struct pex__new made = {.kind = PEX__NEW_DOUBLE, .float64 = value};
    int32_t column = writable(&batch, field, &row);

    if (column < 0)
        return PEX_EINVAL;
    return isfinite(value) ? pex__call_change(batch, column, row, &made) : PEX_EDATA;
}

int32_t pex_batch_set_bool(pex_batch *batch, int32_t field, size_t row, int32_t value)
{
    const struct pex__new made = {.kind = PEX__NEW_BOOL, .int64 = value != 0};
    int32_t column = writable(&batch, field, &row);

    return column < 0 ? PEX_EINVAL : pex__call_change(batch, column, row, &made);
}

/* Levels of objects and arrays in valid JSON text. */
static size_t depth_of(const char *json, size_t length)
{
    size_t depth = 0, deepest = 0;
    int in_string = 0;

    for (size_t i = 0; i < length; i++) {
        char c = json[i];

        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '{' || c == '[') {
            depth++;
            deepest = depth > deepest ? depth : deepest;
        } else {
            depth -= c == '}' || c == ']';
            in_string = c == '"';
        }
    }
    return deepest;
}

int32_t pex_batch_set_json(pex_batch *batch, int32_t field, size_t row, struct pex_string_view json)
{
    struct pex__new made = {.kind = PEX__NEW_JSON};
    int32_t column = writable(&batch, field, &row);
    struct pex__span span;
    uint8_t type;
    char *copy;

    if (column < 0 || json.data == NULL)
        return PEX_EINVAL;
    if (json.length > UINT32_MAX / 2)
        return PEX_ENOMEM;
    if (!pex__scan_value(json.data, json.length, &type, &span) ||
        batch->batch->layout->paths[column].depth + depth_of(json.data, json.length) >
            PEX__DEPTH_MAX)
        return PEX_EDATA;
    copy = pex__call_array(batch, span.length, 1);
    if (copy == NULL)
        return PEX_ENOMEM;
    /* A line end can only be a blank here, and would end the row. */
    for (size_t i = 0; i < span.length; i++) {
        char c = json.data[span.begin + i];

        copy[i] = c == '\n' || c == '\r' ? ' ' : c;
    }
    made.text = copy;
    made.length = span.length;
    return pex__call_change(batch, column, row, &made);
}

int32_t pex_batch_set_missing(pex_batch *batch, int32_t field, size_t row)
{
    const struct pex__new made = {.kind = PEX__NEW_NONE};
    int32_t column = writable(&batch, field, &row);

    return column < 0 ? PEX_EINVAL : pex__call_change(batch, column, row, &made);
}

char *pex_batch_alloc(pex_batch *batch, int32_t field, size_t size)
{
    int32_t column = pex__call_column(batch, field);
    struct pex__column_state *state;

    if (column < 0 || (batch->site->access[field] & PEX_FIELD_WRITE) == 0 || size > UINT32_MAX)
        return NULL;
    /* Most likely the next set is on a row of the same batch; else it copies. */
    if (batch->joint != NULL)
        batch = pex__joint_last(batch->joint);
    state = &batch->batch->columns[column];
    state->room =
        pex__arena_room(&batch->batch->pool, &state->pair.arenas[state->pair.current], size);
    state->room_size = state->room != NULL ? size : 0;
    return state->room;
}
