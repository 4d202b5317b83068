/* SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"

#define KEY "text.counts"

struct pex__counts *pex__counts_made(pex_batch *batch)
{
    return (struct pex__counts *)pex_batch_cache_get(batch, PEX__FIELD_TEXT, KEY, NULL);
}

struct pex__counts *pex__counts_of(pex_batch *batch, const struct pex__kernel *kernel,
                                   const struct pex_string_view *texts, const uint8_t *states)
{
    struct pex__counts *counts = pex__counts_made(batch);
    if (counts)
        return counts;
    struct pex__counts *made = pex_batch_cache_put_rows(batch, PEX__FIELD_TEXT, KEY, sizeof(*made));
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; made && row < count; row++)
        if (states[row] == PEX_STATE_VALUE)
            kernel->count_all(texts[row].data, texts[row].length, &made[row]);
    return made;
}
