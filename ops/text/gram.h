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
    uint64_t hash;
    uint32_t count;
    uint32_t round; /* empty unless it is that of the table */
};

/* Open addressing; kept from text to text. All zero is an empty one. */
struct pex__grams {
    struct pex__gram *place;
    size_t capacity; /* places; a short text uses fewer of them: */
    size_t mask;
    size_t distinct;
    size_t repeated; /* of these */
    uint32_t round;
};

/* Begins with an empty table for at most `most` hashes. Returns 0 or PEX_ENOMEM. */
int32_t pex__grams_begin(struct pex__grams *grams, size_t most);

/* Counts one. Returns 0 or PEX_ENOMEM. */
int32_t pex__grams_grow(struct pex__grams *grams);
static inline int32_t pex__grams_add(struct pex__grams *grams, uint64_t hash)
{
    /* The product's upper half depends on all bits; a rolling hash has weak low ones. */
    size_t at = (size_t)((hash * 0x9E3779B97F4A7C15u) >> 32) & grams->mask;
    while (grams->place[at].round == grams->round) {
        if (grams->place[at].hash == hash) {
            grams->repeated += ++grams->place[at].count == 2;
            return 0;
        }
        at = (at + 1) & grams->mask;
    }
    grams->place[at] = (struct pex__gram){hash, 1, grams->round};
    return ++grams->distinct > grams->mask / 2 ? pex__grams_grow(grams) : 0;
}

void pex__grams_free(struct pex__grams *grams);

#endif
