/* SPDX-License-Identifier: Apache-2.0 */
#include "data/slicer.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "data/reader.h"
#include "data/scan.h"

/* Room behind a range for the end of its last row, so that most slices grow never. */
#define TAIL_BYTES 4096

void pex__slicer_init(struct pex__slicer *slicer, uint64_t slice_bytes, const char *name)
{
    *slicer = (struct pex__slicer){
        .slice_bytes = slice_bytes, .limit = UINT32_MAX - PEX__SCAN_SLACK, .name = name};
}

/* A slice without rows has no segment: the mark alone, or nothing. */
static int32_t close_slice(struct pex__slicer *slicer, struct pex_error *err)
{
    struct pex__slice *slice = &slicer->slice;
    uint64_t offset = slicer->begin;

    slice->input_bytes = slice->length;
    if (offset == 0 && slice->length >= PEX__MARK_BYTES &&
        memcmp(slice->data, PEX__MARK, PEX__MARK_BYTES) == 0) {
        offset = PEX__MARK_BYTES;
        slice->length -= PEX__MARK_BYTES;
        memmove(slice->data, slice->data + PEX__MARK_BYTES, slice->length);
        slice->marks++;
    }
    slice->rows_end = slice->length;
    if (slice->length > 0 && pex__slice_segment(slice, 0, 0, offset) != 0)
        return pex__error_memory(err);
    return 1;
}

static int32_t append(struct pex__slicer *slicer, struct pex_string_view *piece, size_t length,
                      struct pex_error *err)
{
    struct pex__slice *slice = &slicer->slice;
    size_t least = slicer->slice_bytes + TAIL_BYTES, whole = slice->length + length + 1;
    const char *lf;

    /* One more for the LF that the last row may lack. */
    if (whole > slicer->limit)
        return pex_error_set(err, PEX_ELIMIT,
                             "%s: the row at byte %" PRIu64 " does not fit into a slice of %zu "
                             "bytes; split the row, or leave it out",
                             slicer->name, slicer->row, slicer->limit);
    if (pex__slice_reserve(slice, whole > least ? whole : least) != 0)
        return pex__error_memory(err);
    memcpy(slice->data + slice->length, piece->data, length);
    lf = memrchr(piece->data, '\n', length);
    if (lf != NULL)
        slicer->row = slicer->begin + slice->length + (size_t)(lf + 1 - piece->data);
    slice->length += length;
    piece->data += length;
    piece->length -= length;
    return 0;
}

int32_t pex__slicer_add(struct pex__slicer *slicer, struct pex_string_view *piece,
                        struct pex_error *err)
{
    uint64_t at = slicer->begin + slicer->slice.length;
    /* The last byte of the range: an LF from there on ends the slice. */
    uint64_t last = (slicer->begin / slicer->slice_bytes + 1) * slicer->slice_bytes - 1;
    size_t before = last > at ? (size_t)(last - at) : 0;
    const char *lf = NULL;
    int32_t failed;

    if (piece->length == 0)
        return 0;
    if (before < piece->length)
        lf = memchr(piece->data + before, '\n', piece->length - before);
    failed =
        append(slicer, piece, lf != NULL ? (size_t)(lf + 1 - piece->data) : piece->length, err);
    if (failed != 0 || lf == NULL)
        return failed;
    return close_slice(slicer, err);
}

int32_t pex__slicer_end(struct pex__slicer *slicer, struct pex_error *err)
{
    struct pex__slice *slice = &slicer->slice;
    int32_t code;

    if (slice->length == 0)
        return 0;
    code = close_slice(slicer, err);
    if (code == 1 && slice->length > 0 && slice->data[slice->length - 1] != '\n') {
        slice->data[slice->length++] = '\n';
        slice->rows_end = slice->length;
    }
    return code;
}

void pex__slicer_take(struct pex__slicer *slicer, struct pex__slice *slice)
{
    struct pex__slice taken = slicer->slice;

    slicer->begin += taken.input_bytes;
    slicer->slice = *slice;
    pex__slice_reset(&slicer->slice);
    *slice = taken;
}

void pex__slicer_free(struct pex__slicer *slicer)
{
    pex__slice_free(&slicer->slice);
}
