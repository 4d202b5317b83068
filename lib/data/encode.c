/* SPDX-License-Identifier: Apache-2.0 */
#include "data/encode.h"

#include <string.h>

static int32_t add_line(struct pex__buffer *out, const char *text, size_t length)
{
    char *to;

    if (pex__buffer_reserve(out, length + 1) != 0)
        return PEX_ENOMEM;
    to = out->data + out->length;
    memcpy(to, text, length);
    to[length] = '\n';
    out->length += length + 1;
    return 0;
}

/* Whether live row i goes out as it came in, as a piece of batch->text. */
static inline int is_untouched(const struct pex__batch *batch, size_t i, uint8_t flags,
                               const uint8_t *stats)
{
    uint32_t physical = batch->live[i].physical;

    return (batch->flags[i] & flags) == 0 && physical < batch->scanned &&
           (stats == NULL || stats[physical] == PEX__MISSING);
}

/*
 * Rows whose texts are one byte apart: between two rows of different lines that byte can only be
 * the LF. Returns the row behind the run that starts with the untouched row i, and its end in *end.
 */
static size_t find_run(const struct pex__batch *batch, size_t i, uint8_t flags,
                       const uint8_t *stats, uint32_t *end)
{
    const struct pex__span *rows = batch->rows.rows;
    const struct pex__span *first = &rows[batch->live[i].physical], *last = first;

    if (batch->is_in_place && !batch->has_changes && stats == NULL) {
        while (++i < batch->count && last[1].begin == last->begin + last->length + 1)
            last++;
    } else {
        while (++i < batch->count && is_untouched(batch, i, flags, stats) &&
               rows[batch->live[i].physical].begin == last->begin + last->length + 1)
            last = &rows[batch->live[i].physical];
    }
    *end = last->begin + last->length;
    return i;
}

static int32_t encode_rows(struct pex__batch *batch, int keep_stats, struct pex__buffer *out)
{
    uint8_t flags = keep_stats ? PEX__ROW_EDITED | PEX__ROW_STATED : PEX__ROW_EDITED;
    const uint8_t *stats =
        batch->has_stats ? batch->rows.columns[batch->layout->stats].types : NULL;
    int32_t failed = 0;
    uint32_t begin, end;

    for (size_t i = 0; i < batch->count && failed == 0;) {
        if (!is_untouched(batch, i, flags, stats)) {
            failed = pex__encode_row(batch, i++, keep_stats, out);
            continue;
        }
        begin = batch->rows.rows[batch->live[i].physical].begin;
        i = find_run(batch, i, flags, stats, &end);
        failed = add_line(out, batch->text + begin, end - begin);
    }
    return failed;
}

int32_t pex__batch_encode(struct pex__batch *batch, int keep_stats, struct pex__buffer *out,
                          struct pex_row_id *ids)
{
    size_t before = out->length;
    int32_t failed = 0;

    if (batch->count == 0)
        return 0;
    pex__batch_number_children(batch);
    failed = encode_rows(batch, keep_stats, out);
    if (failed != 0)
        out->length = before;
    else if (ids != NULL)
        pex__batch_ids(batch, 0, batch->count, ids);
    return failed;
}
