/* SPDX-License-Identifier: Apache-2.0 */
/* One changed row: what stays of its text, and the new values in between, straight to the output. */
#include "data/encode.h"

#include "data/edit_walk.h"
#include "data/number.h"
#include "data/text.h"

#include <string.h>

struct row {
    struct pex__batch *batch;
    size_t row;
    struct pex_string_view text;
    struct pex__buffer *out;
};

/* By way of the definition: taken apart and put together. */
static int32_t encode_slowly(const struct row *r, int keep_stats)
{
    int32_t failed = pex__overlay_take_apart(r->batch, r->row);

    if (failed == 0)
        failed = pex__edit_end(&r->batch->edit, keep_stats, r->out);
    return failed != 0 ? failed : pex__buffer_add(r->out, "\n", 1);
}

/* Room for the value of a cell, with what the kernels write past it. */
static size_t value_bound(const struct pex__new *value)
{
    if (value->kind == PEX__NEW_STRING)
        return pex__text_escaped_bound(value->text, value->length) + 2 + PEX__TEXT_SLACK;
    return PEX__NUMBER_TEXT;
}

/* Writes a cell's value to reserved room. */
static char *write_value(const struct pex__new *value, char *to)
{
    switch (value->kind) {
    case PEX__NEW_STRING:
        *to++ = '"';
        to += pex__text_escape(value->text, value->length, to);
        *to++ = '"';
        return to;
    case PEX__NEW_INT64:
        return to + pex__number_print_int64(value->int64, to);
    case PEX__NEW_DOUBLE:
        return to + pex__number_print_double(value->float64, to);
    default:
        return value->int64 != 0 ? stpcpy(to, "true") : stpcpy(to, "false");
    }
}

static char *write_text(char *to, const char *text, size_t length)
{
    memcpy(to, text, length);
    return to + length;
}

/* Whether the field, at this span of the row, is the only one with its key. */
static int is_unique(const struct row *r, int32_t column, struct pex__span at)
{
    const struct pex__path *path = &r->batch->layout->paths[column];
    uint32_t row_begin = r->batch->rows.rows[r->batch->live[r->row].physical].begin;
    struct pex__members members = pex__members_of(r->text.data, r->text.length);
    struct pex__member member;
    size_t key_length = strlen(path->keys[0]), count = 0;

    if (path->depth > 1)
        return pex__edit_is_unique(r->text.data, r->text.length, path->keys, path->depth);
    members.known_begin = at.begin - row_begin;
    members.known_end = members.known_begin + at.length;
    while (pex__members_next(&members, &member))
        count += (size_t)(pex__member_is(&members, &member, path->keys[0], key_length) != 0);
    return count == 1;
}

/* Notes a replaced value, in the order of the text. */
static void insert_splice(struct pex__splice *splices, size_t count, struct pex__splice new)
{
    while (count > 0 && splices[count - 1].begin > new.begin) {
        splices[count] = splices[count - 1];
        count--;
    }
    splices[count] = new;
}

/*
 * The values of the row's text that cells replace: their number, or -1 if a key is there twice. Adds
 * to *bound what the values need.
 */
static int32_t find_splices(const struct row *r, size_t *bound)
{
    struct pex__batch *batch = r->batch;
    uint32_t physical = batch->live[r->row].physical;
    uint32_t row_begin = batch->rows.rows[physical].begin;
    int32_t count = 0;

    for (size_t i = 0; i < batch->layout->count; i++) {
        struct pex__column_state *column = &batch->columns[i];
        struct pex__span at = batch->rows.columns[i].spans[physical];
        struct pex__new value;

        if (pex__column_cell(column, r->row) == NULL || batch->layout->infos[i].is_stat)
            continue;
        value = pex__column_value(column, r->row);
        *bound += value_bound(&value) + batch->layout->infos[i].key_length + 1;
        if (pex__column_type(batch, (int32_t)i, r->row) == PEX__MISSING)
            continue;
        if (!is_unique(r, (int32_t)i, at))
            return -1;
        at.begin -= row_begin;
        insert_splice(batch->splices, (size_t)count++,
                      (struct pex__splice){at.begin, at.begin + at.length, (int32_t)i});
    }
    return count;
}

static size_t stats_bound(const struct row *r)
{
    size_t bound = sizeof PEX__STATS_KEY + 8;
    uint64_t order = 0;
    int32_t column;

    while ((column = pex__overlay_next(r->batch, r->row, 1, &order)) >= 0) {
        struct pex__new value = pex__column_value(&r->batch->columns[column], r->row);

        bound += value_bound(&value) + r->batch->layout->infos[column].key_length + 1;
    }
    return bound;
}

/* Fields that the row's text lacks (stats: all that were set), in the order of setting. */
static char *write_fields(const struct row *r, int stats, int *is_first, char *to)
{
    uint64_t order = 0;
    int32_t column;

    while ((column = pex__overlay_next(r->batch, r->row, stats, &order)) >= 0) {
        const struct pex__column_info *info = &r->batch->layout->infos[column];
        struct pex__new value;

        if (!stats && pex__column_type(r->batch, column, r->row) != PEX__MISSING)
            continue;
        if (!*is_first)
            *to++ = ',';
        *is_first = 0;
        to = write_text(to, info->key, info->key_length);
        value = pex__column_value(&r->batch->columns[column], r->row);
        to = write_value(&value, to);
    }
    return to;
}

static char *write_stats(const struct row *r, int is_first, char *to)
{
    static const char head[] = ",\"" PEX__STATS_KEY "\":{";

    to = write_text(to, head + is_first, sizeof head - 1 - (size_t)is_first);
    is_first = 1;
    to = write_fields(r, 1, &is_first, to);
    *to++ = '}';
    return to;
}

/* The row's text with its splices, from *from on up to `until`. */
static char *write_spliced(const struct row *r, const struct pex__splice *splices, int32_t count,
                           size_t until, char *to)
{
    size_t from = 0;

    for (int32_t i = 0; i < count; i++) {
        struct pex__new value = pex__column_value(&r->batch->columns[splices[i].column], r->row);

        to = write_text(to, r->text.data + from, splices[i].begin - from);
        to = write_value(&value, to);
        from = splices[i].end;
    }
    return write_text(to, r->text.data + from, until - from);
}

/* A row without stats in its text. */
static int32_t encode_spliced(const struct row *r, int keep_stats)
{
    int with_stats = keep_stats && (r->batch->flags[r->row] & PEX__ROW_STATED) != 0, is_first;
    size_t bound = r->text.length + 1 + (with_stats ? stats_bound(r) : 0), at;
    int32_t count = find_splices(r, &bound);
    char *to;

    if (count < 0)
        return encode_slowly(r, keep_stats);
    if (pex__buffer_reserve(r->out, bound) != 0)
        return PEX_ENOMEM;
    to = r->out->data + r->out->length;
    at = pex__edit_insertion(r->text.data, r->text.length, &is_first);
    to = write_spliced(r, r->batch->splices, count, at, to);
    to = write_fields(r, 0, &is_first, to);
    if (with_stats)
        to = write_stats(r, is_first, to);
    to = write_text(to, r->text.data + at, r->text.length - at);
    *to++ = '\n';
    r->out->length = (size_t)(to - r->out->data);
    return 0;
}

int32_t pex__encode_row(struct pex__batch *batch, size_t row, int keep_stats,
                        struct pex__buffer *out)
{
    const struct row r = {batch, row, pex__row_text(batch, row), out};
    uint8_t flags = keep_stats ? PEX__ROW_EDITED | PEX__ROW_STATED : PEX__ROW_EDITED;
    int has_stats = pex__column_type(batch, batch->layout->stats, row) != PEX__MISSING;

    if (!has_stats)
        return encode_spliced(&r, keep_stats);
    if ((batch->flags[row] & flags) == 0 && keep_stats &&
        pex__edit_stats_last(r.text.data, r.text.length)) {
        if (pex__buffer_add(out, r.text.data, r.text.length) != 0)
            return PEX_ENOMEM;
        return pex__buffer_add(out, "\n", 1);
    }
    return encode_slowly(&r, keep_stats);
}
