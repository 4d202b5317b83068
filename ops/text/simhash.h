/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of document_simhash_deduplicator share. */
#ifndef PEX_TEXT_SIMHASH_H
#define PEX_TEXT_SIMHASH_H

#include "kernel.h"
#include "shingles.h"

struct pex__simhash {
    const struct pex__kernel *kernel;
    char *text_key;
    struct pex__shingling shingling;
    bool keeps_unshinglable;
    unsigned distance; /* bits in which the hashes of two duplicates may differ */
};

/* The key of a row is its hash, 8 bytes as they are in memory. One byte more follows where the text
 * has no shingle, and the hash is 0. */

int32_t pex__simhash_resolve(void *instance, pex_keys *keys, struct pex_error *err);

#endif
