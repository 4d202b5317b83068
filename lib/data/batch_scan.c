/* SPDX-License-Identifier: Apache-2.0 */
/* From a slice to live rows, rejects and row ids. */
#include "data/batch_state.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/column.h"

#include <stdio.h>
#include <string.h>

static const struct pex__segment *find_segment(const struct pex__slice *slice, uint32_t at)
{
    size_t low = 0, high = slice->segment_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (slice->segments[middle].begin <= at)
            low = middle;
        else
            high = middle;
    }
    return &slice->segments[low];
}

static struct pex_row_id id_at(const struct pex__slice *slice, uint32_t at)
{
    const struct pex__segment *segment;

    if (slice->segment_count == 0)
        return (struct pex_row_id){.offset = at};
    segment = find_segment(slice, at);
    return (struct pex_row_id){segment->offset + (at - segment->begin), segment->source, 0};
}

struct pex__span pex__batch_origin(const struct pex__batch *batch, size_t row)
{
    uint32_t origin = batch->live[row].origin;

    return batch->origins != NULL ? batch->origins[origin] : batch->rows.rows[origin];
}

void pex__batch_ids(const struct pex__batch *batch, size_t first, size_t count,
                    struct pex_row_id *ids)
{
    const struct pex__slice *slice = &batch->slice;

    for (size_t i = 0; i < count; i++) {
        const struct pex__live *live = &batch->live[first + i];

        if (slice->id_count != 0)
            ids[i] = slice->ids[live->origin];
        else
            ids[i] = id_at(slice, pex__batch_origin(batch, first + i).begin);
        ids[i].child = live->child;
    }
}

static int is_sibling(const struct pex__batch *batch, size_t row)
{
    const struct pex__live *a = &batch->live[row - 1], *b = &batch->live[row];
    const struct pex_row_id *ids = batch->slice.ids;

    if (a->origin == b->origin)
        return 1;
    return batch->slice.id_count != 0 && ids[a->origin].offset == ids[b->origin].offset &&
           ids[a->origin].source == ids[b->origin].source;
}

/*
 * Rows of one source row lie together, in the order of the output. Where an operator appended to
 * them they are numbered anew: the source row itself, if it is still there, keeps 0, the others get
 * 1, 2, ... So an id is unique among the rows that are alive, ids ascend with the output, and both
 * depend on the rows alone, not on the calls they were made in: no operator meets the new numbers
 * before the next one, and numbers of source rows that got no new rows stay.
 */
void pex__batch_number_children(struct pex__batch *batch)
{
    struct pex__live *live = batch->live;

    if (!batch->has_new_children)
        return;
    for (size_t begin = 0, end; begin < batch->count; begin = end) {
        int is_new = live[begin].child == PEX__CHILD_NEW;
        uint32_t next = 1;

        for (end = begin + 1; end < batch->count && is_sibling(batch, end); end++)
            is_new |= live[end].child == PEX__CHILD_NEW;
        for (size_t i = begin; i < end && is_new; i++)
            if (live[i].child != 0)
                live[i].child = next++;
    }
    batch->has_new_children = 0;
}

void pex__batch_add_reject(struct pex__batch *batch, size_t row, int32_t op, int32_t code,
                           int32_t attempt, char *message)
{
    struct pex__reject *reject = &batch->rejects[batch->reject_count++];

    pex__batch_ids(batch, row, 1, &reject->id);
    reject->op = op;
    reject->code = code;
    reject->attempt = attempt;
    reject->message = message;
    reject->raw = pex__batch_origin(batch, row);
}

static int32_t add_bad_row(struct pex__batch *batch, const struct pex__bad_row *bad)
{
    struct pex__reject *reject = &batch->rejects[batch->reject_count];
    char message[128];

    snprintf(message, sizeof message, "%s at byte %u of the line", pex__row_reason(bad->reason),
             (unsigned)(bad->at - bad->line.begin));
    *reject = (struct pex__reject){.id = id_at(&batch->slice, bad->line.begin),
                                   .op = -1,
                                   .code = PEX_EDATA,
                                   .attempt = 1,
                                   .message = pex__strdup(message),
                                   .raw = bad->line};
    if (reject->message == NULL)
        return PEX_ENOMEM;
    batch->reject_count++;
    return 0;
}

static int32_t add_bad_rows(struct pex__batch *batch)
{
    const struct pex__rows *rows = &batch->rows;
    int32_t failed = pex__batch_grow(batch, &batch->rejects, &batch->reject_capacity,
                                     batch->reject_count + rows->bad_count, sizeof *batch->rejects);

    for (size_t i = 0; i < rows->bad_count && failed == 0; i++)
        failed = add_bad_row(batch, &rows->bad[i]);
    return failed;
}

int pex__batch_any_stats(const struct pex__batch *batch, size_t first)
{
    const uint8_t *types = batch->rows.columns[batch->layout->stats].types;

    for (size_t i = first; i < batch->rows.count; i++)
        if (types[i] != PEX__MISSING)
            return 1;
    return 0;
}

static int32_t check_ids(const struct pex__batch *batch, struct pex_error *err)
{
    const struct pex__slice *slice = &batch->slice;

    if (slice->id_count == 0)
        return 0;
    if (batch->rows.bad_count == 0 && batch->rows.count == slice->id_count)
        return 0;
    return pex_error_set(
        err, PEX_EIO,
        "stage file is damaged behind row %llu: %zu ids for %zu rows and %zu lines "
        "that are none; remove the job folder's stage files and run again",
        (unsigned long long)slice->first_row, slice->id_count, batch->rows.count,
        batch->rows.bad_count);
}

static int32_t reserve_columns(struct pex__batch *batch)
{
    size_t before = batch->column_capacity, count = batch->layout->count;

    if (pex__batch_grow(batch, &batch->columns, &batch->column_capacity, count,
                        sizeof *batch->columns) != 0)
        return PEX_ENOMEM;
    for (size_t i = before; i < batch->column_capacity; i++) {
        batch->columns[i] = (struct pex__column_state){0};
        batch->columns[i].pair.writer = -1;
    }
    return pex__batch_grow(batch, &batch->splices, &batch->splice_capacity, 3 * count,
                           sizeof *batch->splices);
}

static void make_live(struct pex__batch *batch)
{
    const struct pex__slice *slice = &batch->slice;
    size_t count = batch->rows.count;

    for (size_t i = 0; i < count; i++)
        batch->live[i] = (struct pex__live){(uint32_t)i, (uint32_t)i, 0};
    for (size_t i = 0; i < slice->id_count; i++)
        batch->live[i].child = slice->ids[i].child;
    if (count != 0)
        memset(batch->flags, 0, count);
    batch->count = count;
    batch->scanned = count;
    batch->text = slice->data;
    batch->is_in_place = 1;
    batch->has_stats = pex__batch_any_stats(batch, 0);
}

int32_t pex__batch_scan(struct pex__batch *batch, const struct pex__layout *layout,
                        struct pex__scan *scan, struct pex_error *err)
{
    struct pex__slice *slice = &batch->slice;
    int32_t failed;

    batch->layout = layout;
    failed = pex__rows_reset(&batch->rows, layout->count);
    if (failed == 0)
        failed = reserve_columns(batch);
    if (failed == 0 && slice->length != 0)
        failed = pex__scan_slice(scan, layout->set, slice->data, slice->rows_begin, slice->rows_end,
                                 slice->length, &batch->rows);
    if (failed == 0)
        failed = pex__batch_reserve(batch, batch->rows.count);
    if (failed != 0)
        return pex__error_memory(err);
    failed = check_ids(batch, err);
    if (failed != 0)
        return failed;
    if (add_bad_rows(batch) != 0)
        return pex__error_memory(err);
    batch->lines = batch->rows.lines;
    batch->blank = batch->rows.blank;
    make_live(batch);
    return 0;
}
