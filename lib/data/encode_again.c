/* SPDX-License-Identifier: Apache-2.0 */
/* The debug mode: a batch as if it came from a stage file. */
#include "data/encode.h"

#include "base/error.h"

#include <string.h>

static int32_t keep_origins(struct pex__batch *batch)
{
    if (batch->origins != NULL)
        return 0;
    if (pex__batch_grow(batch, &batch->origins, &batch->origin_capacity, batch->scanned + 1,
                        sizeof *batch->origins) != 0)
        return PEX_ENOMEM;
    if (batch->scanned != 0)
        memcpy(batch->origins, batch->rows.rows, batch->scanned * sizeof *batch->origins);
    return 0;
}

static int32_t scan_encoded(struct pex__batch *batch, struct pex__scan *scan,
                            struct pex__buffer *encoded)
{
    encoded->length = 0;
    if (pex__batch_encode(batch, 1, encoded, NULL) != 0 ||
        pex__buffer_reserve(encoded, PEX__SCAN_SLACK) != 0 || encoded->length > UINT32_MAX ||
        pex__rows_reset(&batch->spare_rows, batch->layout->count) != 0)
        return PEX_ENOMEM;
    if (encoded->length == 0)
        return 0;
    return pex__scan_slice(scan, batch->layout->set, encoded->data, 0, encoded->length,
                           encoded->length, &batch->spare_rows);
}

static void use_encoded(struct pex__batch *batch, const struct pex__buffer *encoded)
{
    struct pex__rows old = batch->rows;

    batch->rows = batch->spare_rows;
    batch->spare_rows = old;
    batch->text = encoded->data;
    batch->scanned = batch->count;
    pex__batch_forget_columns(batch);
    pex__pair_reset(batch, &batch->texts);
    for (size_t i = 0; i < batch->count; i++) {
        batch->live[i].physical = (uint32_t)i;
        batch->flags[i] &= PEX__ROW_SPARED;
    }
    batch->has_changes = 0;
    batch->is_in_place = 1;
    batch->has_stats = pex__batch_any_stats(batch, 0);
}

int32_t pex__batch_reencode(struct pex__batch *batch, struct pex__scan *scan, struct pex_error *err)
{
    uint8_t other = !batch->encoded_current;
    struct pex__buffer *encoded = &batch->encoded[other];
    const struct pex__rows *rows = &batch->spare_rows;

    if (keep_origins(batch) != 0 || scan_encoded(batch, scan, encoded) != 0)
        return pex__error_memory(err);
    if (rows->count != batch->count || rows->bad_count != 0 || rows->blank != 0)
        return pex_error_set(err, PEX_EINTERNAL,
                             "%zu rows were encoded to %zu rows, %zu lines that are none and %llu "
                             "blank ones; this is a fault of the library",
                             batch->count, rows->count, rows->bad_count,
                             (unsigned long long)rows->blank);
    use_encoded(batch, encoded);
    batch->encoded_current = other;
    return 0;
}
