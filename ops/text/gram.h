/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts how often 64-bit hashes come. Two things are taken for the same one if their hashes are
 * equal: among a million different ones that happens by chance once in some ten million texts.
 */
#ifndef PEX_TEXT_GRAM_H
#define PEX_TEXT_GRAM_H

#include <stddef.h>
#include <stdint.h>

struct pex__gram {
    uint64_t hash; /* 0: an empty place */
    uint32_t count;
};

/*
 * Open addressing, kept from text to text; all zero is an empty one. Most runs of a text come once,
 * so the first table has only their hashes; those that come again have a count in the second.
 */
struct pex__grams {
    uint64_t *seen; /* 0: an empty place */
    size_t seen_capacity;
    size_t seen_mask; /* a short text uses fewer places */
    size_t distinct;
    struct pex__gram *again;
    size_t again_capacity;
    size_t again_mask;
    size_t repeated; /* of the distinct ones: those in `again` */
};

/* Begins with an empty table for at most `most` hashes. Returns 0 or PEX_ENOMEM. */
int32_t pex__grams_begin(struct pex__grams *grams, size_t most);

int32_t pex__grams_grow(struct pex__grams *grams);
int32_t pex__grams_repeat(struct pex__grams *grams, uint64_t hash);

/* The product's upper half depends on all bits; a rolling hash has weak low ones. */
static inline size_t pex__gram_place(uint64_t hash)
{
    return (size_t)((hash * 0x9E3779B97F4A7C15u) >> 32);
}

/* Counts one. Returns 0 or PEX_ENOMEM. */
static inline int32_t pex__grams_add(struct pex__grams *grams, uint64_t hash)
{
    hash += hash == 0;
    size_t at = pex__gram_place(hash) & grams->seen_mask;
    while (grams->seen[at]) {
        if (grams->seen[at] == hash)
            return pex__grams_repeat(grams, hash);
        at = (at + 1) & grams->seen_mask;
    }
    grams->seen[at] = hash;
    return ++grams->distinct > grams->seen_mask / 2 ? pex__grams_grow(grams) : 0;
}

void pex__grams_free(struct pex__grams *grams);

#endif
