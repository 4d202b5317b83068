/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of document_minhash_deduplicator share. */
#ifndef PEX_TEXT_MINHASH_H
#define PEX_TEXT_MINHASH_H

#include "kernel.h"
#include "shingles.h"

struct pex__minhash {
    char *text_key;
    const struct pex__kernel *kernel;
    struct pex__shingling shingling;
    bool keeps_unshinglable;
    size_t permutations, bands, rows; /* rows: values of a band */
    uint64_t *a, *b;
};

/*
 * Keys of a row: the uid, 8 bytes, where the operator has it; then hashes of the bands, 8 bytes
 * each, so many in a key; then a key of one byte, if the text has no shingle.
 */
enum { PEX__KEY_BANDS = 8 };

/* Of rows that agree in a band, or are joined by others, the first stays. */
int32_t pex__minhash_resolve(void *instance, pex_keys *keys, struct pex_error *err);
/* The one with the least uid, the first of several. */
int32_t pex__minhash_resolve_by_uid(void *instance, pex_keys *keys, struct pex_error *err);

#endif
