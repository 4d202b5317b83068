/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of rows that have something in common: union-find, and a table by hash. */
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

/* A number by hash: open addressing, 12 bytes for a place, at most 7/8 in use. */
struct pex__table {
    uint64_t *hash;
    uint32_t *number; /* 0: the place is free */
    size_t mask;
    size_t count;
};

/* Places for `count` hashes without growing. */
int32_t pex__table_init(struct pex__table *table, size_t count);
void pex__table_free(struct pex__table *table);
void pex__table_clear(struct pex__table *table);
/* Bytes that a table for so many hashes takes. */
uint64_t pex__table_bytes(uint64_t count);
/* The number of a hash. It is 0 if the hash is new, and then the caller changes it. Valid until the
 * next call. NULL without memory. */
uint32_t *pex__table_at(struct pex__table *table, uint64_t hash);
/* The processor fetches what pex__table_at will look at. */
static inline void pex__table_fetch(const struct pex__table *table, uint64_t hash)
{
    __builtin_prefetch(&table->hash[hash & table->mask], 1);
    __builtin_prefetch(&table->number[hash & table->mask], 1);
}

#endif
