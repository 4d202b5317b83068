/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of rows that have something in common: union-find, and the first row with a hash. */
#ifndef PEX_TEXT_GROUPS_H
#define PEX_TEXT_GROUPS_H

#include <partexec/plugin.h>

/* A group is known by its first row. */
struct pex__groups {
    uint32_t *parent; /* of each row, one before it or itself */
    uint64_t count;
};

/* Every row is a group. PEX_ELIMIT: more rows than 32 bits count; PEX_ENOMEM. */
int32_t pex__groups_init(struct pex__groups *groups, uint64_t rows);
void pex__groups_free(struct pex__groups *groups);
uint32_t pex__groups_first(struct pex__groups *groups, uint32_t row);
void pex__groups_join(struct pex__groups *groups, uint32_t a, uint32_t b);

/* The first row with a hash: open addressing, 12 bytes for a place, at most 7/8 in use. */
struct pex__firsts {
    uint64_t *hash;
    uint32_t *row; /* 1 more than the row; 0: the place is free */
    size_t mask;
    size_t count;
};

/* Places for `count` hashes without growing. */
int32_t pex__firsts_init(struct pex__firsts *firsts, size_t count);
void pex__firsts_free(struct pex__firsts *firsts);
void pex__firsts_clear(struct pex__firsts *firsts);
/* Bytes that a table for so many hashes takes. */
uint64_t pex__firsts_bytes(uint64_t count);
/* Adds the row if there is none with this hash. *first is the one that is there. Returns 0 or
 * PEX_ENOMEM. */
int32_t pex__firsts_add(struct pex__firsts *firsts, uint64_t hash, uint32_t row, uint32_t *first);
/* The processor fetches what pex__firsts_add will look at. */
static inline void pex__firsts_fetch(const struct pex__firsts *firsts, uint64_t hash)
{
    __builtin_prefetch(&firsts->hash[hash & firsts->mask], 1);
    __builtin_prefetch(&firsts->row[hash & firsts->mask], 1);
}

#endif
