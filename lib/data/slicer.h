/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a stream that comes in pieces into slices, just as a file of the same bytes is cut: a slice
 * has the rows that start in one range of slice_bytes. Where the pieces end makes no difference.
 */
#ifndef PEX_DATA_SLICER_H
#define PEX_DATA_SLICER_H

#include "data/slice.h"

struct pex__slicer {
    struct pex__slice slice; /* in the making */
    uint64_t slice_bytes;
    uint64_t begin;   /* in the stream, of slice.data[0] */
    uint64_t row;     /* where the row begins that goes on */
    size_t limit;     /* most bytes of a slice; spans have 32 bits */
    const char *name; /* of the stream, for messages; not owned */
};

void pex__slicer_init(struct pex__slicer *slicer, uint64_t slice_bytes, const char *name);
/* Takes bytes off the front of the piece. Returns 1: a slice is complete, 0: the piece is used up,
 * PEX_ELIMIT (a row is too long), PEX_ENOMEM. */
int32_t pex__slicer_add(struct pex__slicer *slicer, struct pex_string_view *piece,
                        struct pex_error *err);
/* The stream is at its end; its last row may lack an LF. Returns 1: there is a last slice, 0 or a
 * code. */
int32_t pex__slicer_end(struct pex__slicer *slicer, struct pex_error *err);
/* Hands the complete slice over; the slicer goes on with the memory that *slice has. */
void pex__slicer_take(struct pex__slicer *slicer, struct pex__slice *slice);
void pex__slicer_free(struct pex__slicer *slicer);

#endif
