/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest or largest of many keys, in time n log k, as Python's heapq.nsmallest and nlargest
 * have them: sorted, and of equal keys the first ones. A key that is not a number (PEX__NAN) is
 * neither smaller nor larger than any other, so that what becomes of it depends on the algorithm,
 * and this is the same one; but where Python sorts 64 or more keys such ones go last.
 */
#ifndef PEX_TEXT_PICK_H
#define PEX_TEXT_PICK_H

#include <partexec/base.h>

#include <stdbool.h>

/* The first byte of a key that is no number; it has no other. */
#define PEX__NAN 5

#define PEX__NEAR 20 /* the key of a double or int64 with its kind fits */
/* 32 bytes, and the key where it is longer. */
struct pex__entry {
    uint64_t row;
    uint32_t length;
    union {
        char near[PEX__NEAR];
        char *far; /* longer keys; owned */
    } key;
};

struct pex__pick {
    struct pex__entry *entry;
    size_t count;
    size_t limit;
    bool is_largest;
    bool is_all; /* limit is that of the keys, so they need only be sorted */
};

/* Of `total` keys to come `limit` are wanted; limit is not 0. Returns 0 or PEX_ENOMEM. */
int32_t pex__pick_begin(struct pex__pick *pick, size_t limit, size_t total, bool is_largest);
/* Rows come in ascending order. Returns 0, PEX_ENOMEM, or PEX_ELIMIT for a key of 4 GiB. */
int32_t pex__pick_add(struct pex__pick *pick, uint64_t row, const char *key, size_t length);
/* Sorts them: ascending, or descending if the largest were wanted. */
void pex__pick_end(struct pex__pick *pick);
void pex__pick_free(struct pex__pick *pick);

static inline const char *pex__entry_key(const struct pex__entry *entry)
{
    return entry->length > PEX__NEAR ? entry->key.far : entry->key.near;
}

#endif
