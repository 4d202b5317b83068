/* SPDX-License-Identifier: Apache-2.0 */
#include "data/slice.h"

#include "base/memory.h"
#include "data/scan.h"

int32_t pex__slice_reserve(struct pex__slice *slice, size_t length)
{
    if (length > SIZE_MAX - PEX__SCAN_SLACK)
        return PEX_ENOMEM;
    return pex__heap_grow(slice->heap, &slice->data, &slice->capacity, length + PEX__SCAN_SLACK, 1);
}

void pex__slice_reset(struct pex__slice *slice)
{
    slice->length = 0;
    slice->rows_begin = 0;
    slice->rows_end = 0;
    slice->segment_count = 0;
    slice->id_count = 0;
    slice->first_row = 0;
    slice->input_bytes = 0;
    slice->marks = 0;
}

size_t pex__slice_bytes(const struct pex__slice *slice)
{
    return slice->capacity + slice->segment_capacity * sizeof *slice->segments +
           slice->id_capacity * sizeof *slice->ids;
}

void pex__slice_free(struct pex__slice *slice)
{
    pex__free(slice->data);
    pex__free(slice->segments);
    pex__free(slice->ids);
    *slice = (struct pex__slice){.heap = slice->heap};
}
