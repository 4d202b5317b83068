/* SPDX-License-Identifier: Apache-2.0 */
/* The fast scanner of one slice. */
#ifndef PEX_DATA_SCAN_FAST_H
#define PEX_DATA_SCAN_FAST_H

#include "data/isa.h"
#include "data/scan_walk.h"

#define PEX__TEMPLATE_COUNT 64
#define PEX__TEMPLATE_BYTES 32

/* The bytes from in front of the k-th member of a row to its value, as the last row had them. */
struct pex__template {
    uint64_t text[PEX__TEMPLATE_BYTES / 8];
    uint64_t mask[PEX__TEMPLATE_BYTES / 8]; /* which of them count */
    const struct pex__key *parent;
    const struct pex__key *key;
    size_t length; /* 0: unknown */
};

struct pex__fast {
    struct pex__walk walk;
    const struct pex__kernels *kernels;
    struct pex__marks marks; /* counted from data[base] */
    size_t base;
    size_t member; /* of the row, counted in the order of the text */
    int32_t run;   /* elements seen in the array at hand, arrays inside included */
    struct pex__template templates[PEX__TEMPLATE_COUNT];
};

/* Forgets what it knows of earlier keys. */
void pex__fast_reset(struct pex__fast *fast);

/*
 * Reads the row whose first byte is data[*pos]. Non-zero: it is good, *pos is at its LF. Zero: ask
 * the reference.
 */
int pex__fast_row(struct pex__fast *fast, const struct pex__key *root, size_t *pos,
                  struct pex__span *object);

#endif
