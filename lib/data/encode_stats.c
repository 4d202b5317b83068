/* SPDX-License-Identifier: Apache-2.0 */
/* The stats of rows as lines of their own. */
#include "data/encode.h"

#include <string.h>

static int has_stats(const struct pex__batch *batch, size_t row)
{
    return (batch->flags[row] & (PEX__ROW_EDITED | PEX__ROW_STATED)) != 0 ||
           pex__column_type(batch, batch->layout->stats, row) != PEX__MISSING;
}

static int32_t encode_row(struct pex__batch *batch, size_t row, struct pex__buffer *out)
{
    static const char head[] = "{\"" PEX__STATS_KEY "\": ";
    const struct pex__buffer *stats = &batch->edit.stats;
    int32_t failed = has_stats(batch, row) ? pex__overlay_take_apart(batch, row) : 0;
    int is_empty = !has_stats(batch, row) || stats->length == 0;

    if (failed == 0)
        failed = pex__buffer_add(out, head, sizeof head - 1);
    if (failed == 0)
        failed = is_empty ? pex__buffer_add(out, "{}", 2)
                          : pex__buffer_add(out, stats->data, stats->length);
    return failed != 0 ? failed : pex__buffer_add(out, "}\n", 2);
}

int32_t pex__batch_encode_stats(struct pex__batch *batch, struct pex__buffer *out)
{
    size_t before = out->length;
    int32_t failed = 0;

    for (size_t i = 0; i < batch->count && failed == 0; i++)
        failed = encode_row(batch, i, out);
    if (failed != 0)
        out->length = before;
    return failed;
}
