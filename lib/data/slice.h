/* SPDX-License-Identifier: Apache-2.0 */
/* A slice: the bytes of the rows that start in one fixed range of a partition's input. */
#ifndef PEX_DATA_SLICE_H
#define PEX_DATA_SLICE_H

#include <partexec/batch.h>

struct pex__heap;

/* Bytes of a slice that lie together in one source. */
struct pex__segment {
    uint32_t begin;  /* first byte in the slice's data */
    uint32_t source; /* index in the listing */
    uint64_t offset; /* of that byte in its source */
};

struct pex__slice {
    char *data; /* `length` bytes, the last an LF, then PEX__SCAN_SLACK readable bytes */
    size_t length;
    size_t capacity;   /* slack included */
    size_t rows_begin; /* rows that start in data[rows_begin .. rows_end) belong to the slice */
    size_t rows_end;
    struct pex__segment *segments; /* raw input: ascending by begin */
    size_t segment_count;
    size_t segment_capacity;
    struct pex_row_id *ids; /* stage files: one per row; raw input: NULL */
    size_t id_count;
    size_t id_capacity;
    uint64_t first_row;           /* stage files: number of the first row in its partition */
    uint64_t input_bytes;         /* bytes of the range that this slice covers, for progress */
    uint64_t marks;               /* byte order marks skipped */
    const struct pex__heap *heap; /* of data */
};

/* Room for `length` bytes of data and the slack. Returns 0 or PEX_ENOMEM. */
int32_t pex__slice_reserve(struct pex__slice *slice, size_t length);
/* Forgets the content, keeps the memory. */
void pex__slice_reset(struct pex__slice *slice);
size_t pex__slice_bytes(const struct pex__slice *slice);
void pex__slice_free(struct pex__slice *slice);

#endif
