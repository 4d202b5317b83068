/* SPDX-License-Identifier: Apache-2.0 */
/* One changed row: what stays of its text, and the new values in between, straight to the output.
 */
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
    /* The cells: in the place of values, by their begin; then in the order of setting new fields at
     * the top, and stats. */
    struct pex__splice *replaced, *added, *stats;
    size_t replaced_count, added_count, stat_count;
    size_t bound;                     /* bytes that the line may have, with slack */
    size_t at;                        /* where fields are added */
    int is_empty;                     /* no field is in front of `at` */
    size_t cut_begin, cut_end;        /* what goes of the text behind `at`: its stats */
    struct pex_string_view old_stats; /* to be written again, or empty */
};

/* By way of the definition: taken apart and put together. */
static int32_t encode_slowly(const struct row *r, int keep_stats)
{
    int32_t failed = pex__overlay_take_apart(r->batch, r->row);

    if (failed == 0)
        failed = pex__edit_end(&r->batch->edit, keep_stats, r->out);
    return failed != 0 ? failed : pex__buffer_add(r->out, "\n", 1);
}

/* Strings up to this length get the room for the worst that escaping can do, without a look. */
#define SHORT_TEXT ((size_t)32 << 10)

/* Room for the value of a cell, with what the kernels write past it. */
static size_t value_bound(const struct pex__new *value)
{
    if (value->kind == PEX__NEW_STRING && value->length <= SHORT_TEXT)
        return 6 * value->length + 2 + PEX__TEXT_SLACK;
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

static void insert(struct pex__splice *list, size_t *count, struct pex__splice new)
{
    size_t at = (*count)++;

    while (at > 0 && (list[at - 1].begin > new.begin ||
                      (list[at - 1].begin == new.begin &&list[at - 1].order > new.order))) {
        list[at] = list[at - 1];
        at--;
    }
    list[at] = new;
}

/* Non-zero if the cell asks for the slow way: its field is there twice, or is a stat that is there.
 */
static int add_cell(struct row *r, int32_t index, const struct pex__cell *cell, int keep_stats)
{
    struct pex__batch *batch = r->batch;
    const struct pex__column_info *info = &batch->layout->infos[index];
    uint32_t physical = batch->live[r->row].physical;
    struct pex__span at = batch->rows.columns[index].spans[physical];
    struct pex__splice splice = {.order = cell->order, .column = index};
    struct pex__new value;

    if (info->is_stat && !keep_stats)
        return 0;
    value = pex__column_value(&batch->columns[index], r->row);
    r->bound += value_bound(&value) + info->key_length + 1;
    if (info->is_stat) {
        if (batch->rows.columns[index].types[physical] != PEX__MISSING)
            return 1;
        insert(r->stats, &r->stat_count, splice);
    } else if (batch->rows.columns[index].types[physical] == PEX__MISSING) {
        insert(r->added, &r->added_count, splice);
    } else {
        if (!is_unique(r, index, at))
            return 1;
        splice.begin = at.begin - batch->rows.rows[physical].begin;
        splice.end = splice.begin + at.length;
        insert(r->replaced, &r->replaced_count, splice);
    }
    return 0;
}

/* Sorts the cells of the row into its lists. Non-zero: the slow way. */
static int find_cells(struct row *r, int keep_stats)
{
    const struct pex__layout *layout = r->batch->layout;

    r->replaced = r->batch->splices;
    r->added = r->replaced + layout->count;
    r->stats = r->added + layout->count;
    r->bound = r->text.length + 1 + sizeof PEX__STATS_KEY + 8;
    for (size_t i = 0; i < layout->count; i++) {
        const struct pex__cell *cell = pex__column_cell(&r->batch->columns[i], r->row);

        if (cell != NULL && add_cell(r, (int32_t)i, cell, keep_stats))
            return 1;
    }
    return 0;
}

static char *write_cell(const struct row *r, int32_t column, char *to)
{
    const struct pex__new value = pex__column_value(&r->batch->columns[column], r->row);

    return write_value(&value, to);
}

static char *write_fields(const struct row *r, const struct pex__splice *fields, size_t count,
                          int is_first, char *to)
{
    for (size_t i = 0; i < count; i++) {
        const struct pex__column_info *info = &r->batch->layout->infos[fields[i].column];

        if (!is_first)
            *to++ = ',';
        is_first = 0;
        to = write_text(to, info->key, info->key_length);
        to = write_cell(r, fields[i].column, to);
    }
    return to;
}

/* Finds the ends of what stays of the row's text. Non-zero: the slow way. */
static int find_ends(struct row *r, int keep_stats)
{
    int32_t stats = r->batch->layout->stats;

    if (pex__column_type(r->batch, stats, r->row) == PEX__MISSING) {
        r->at = pex__edit_insertion(r->text.data, r->text.length, &r->is_empty);
        r->cut_begin = r->cut_end = r->at;
        return 0;
    }
    if (pex__column_type(r->batch, stats, r->row) != PEX__OBJECT ||
        !pex__edit_stats_last(r->text.data, r->text.length, &r->cut_begin, &r->cut_end))
        return 1;
    for (r->at = r->cut_begin; (unsigned char)r->text.data[r->at - 1] <= ' ';)
        r->at--;
    if (keep_stats)
        r->old_stats = pex__column_json(r->batch, stats, r->row);
    return 0;
}

static char *write_stats(const struct row *r, int is_first, char *to)
{
    static const char head[] = ",\"" PEX__STATS_KEY "\":";
    const struct pex_string_view none = {"{}", 2};
    struct pex_string_view old = r->old_stats.length != 0 ? r->old_stats : none;
    int is_empty;
    size_t at = pex__edit_insertion(old.data, old.length, &is_empty);

    to = write_text(to, head + is_first, sizeof head - 1 - (size_t)is_first);
    to = write_text(to, old.data, at);
    to = write_fields(r, r->stats, r->stat_count, is_empty, to);
    return write_text(to, old.data + at, old.length - at);
}

/* The row's text up to `until`, with other values in it. */
static char *write_replaced(const struct row *r, size_t until, char *to)
{
    size_t from = 0;

    for (size_t i = 0; i < r->replaced_count; i++) {
        const struct pex__splice *splice = &r->replaced[i];

        to = write_text(to, r->text.data + from, splice->begin - from);
        to = write_cell(r, splice->column, to);
        from = splice->end;
    }
    return write_text(to, r->text.data + from, until - from);
}

static int32_t encode_spliced(struct row *r, int keep_stats)
{
    const char *text = r->text.data;
    char *to;

    if (find_ends(r, keep_stats) || find_cells(r, keep_stats))
        return encode_slowly(r, keep_stats);
    if (pex__buffer_reserve(r->out, r->bound) != 0)
        return PEX_ENOMEM;
    to = r->out->data + r->out->length;
    to = write_replaced(r, r->at, to);
    to = write_fields(r, r->added, r->added_count, r->is_empty, to);
    if (r->stat_count != 0 || r->old_stats.length != 0)
        to = write_stats(r, r->is_empty && r->added_count == 0, to);
    to = write_text(to, text + r->at, r->cut_begin - r->at);
    to = write_text(to, text + r->cut_end, r->text.length - r->cut_end);
    *to++ = '\n';
    r->out->length = (size_t)(to - r->out->data);
    return 0;
}

/*
 * A row with stats in its text that has no cells to go out: they are its last field mostly, and it
 * is there once. Returns 1 if it is otherwise.
 */
static int32_t encode_stats_last(const struct row *r, int keep_stats)
{
    size_t begin, end;
    int32_t failed;

    if (!pex__edit_stats_last(r->text.data, r->text.length, &begin, &end))
        return 1;
    if (keep_stats)
        failed = pex__buffer_add(r->out, r->text.data, r->text.length);
    else
        failed = pex__buffer_add(r->out, r->text.data, begin);
    if (failed == 0 && !keep_stats)
        failed = pex__buffer_add(r->out, r->text.data + end, r->text.length - end);
    return failed != 0 ? failed : pex__buffer_add(r->out, "\n", 1);
}

int32_t pex__encode_row(struct pex__batch *batch, size_t row, int keep_stats,
                        struct pex__buffer *out)
{
    struct row r = {.batch = batch, .row = row, .text = pex__row_text(batch, row), .out = out};
    uint8_t flags = keep_stats ? PEX__ROW_EDITED | PEX__ROW_STATED : PEX__ROW_EDITED;
    int32_t failed;

    if (pex__column_type(batch, batch->layout->stats, row) == PEX__MISSING ||
        (batch->flags[row] & flags) != 0)
        return encode_spliced(&r, keep_stats);
    failed = encode_stats_last(&r, keep_stats);
    return failed == 1 ? encode_slowly(&r, keep_stats) : failed;
}
