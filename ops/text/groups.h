/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of rows that are duplicates of each other: a union-find of four bytes per row. */
#ifndef PEX_TEXT_GROUPS_H
#define PEX_TEXT_GROUPS_H

#include <partexec/plugin.h>

/* A group is known by its first row. */
struct pex__groups {
    uint32_t *parent; /* of each row, one before it or itself */
    size_t rows;
    uint64_t memory; /* what pex_keys_memory leaves for the rest of resolve */
};

/* Less is not left for the rest. */
#define PEX__GROUPS_REST 16384

/* Every row of the keys is a group. Returns 0, PEX_ENOMEM, or PEX_ELIMIT: more rows than 32 bits
 * count, or than there is memory for. */
int32_t pex__groups_init(struct pex__groups *groups, const pex_keys *keys, struct pex_error *err);
void pex__groups_free(struct pex__groups *groups);

static inline uint32_t pex__groups_first(struct pex__groups *groups, uint32_t row)
{
    uint32_t *parent = groups->parent;
    while (parent[row] != row) {
        parent[row] = parent[parent[row]];
        row = parent[row];
    }
    return row;
}

static inline void pex__groups_join(struct pex__groups *groups, uint32_t a, uint32_t b)
{
    a = pex__groups_first(groups, a);
    b = pex__groups_first(groups, b);
    if (a < b)
        groups->parent[b] = a;
    else
        groups->parent[a] = b;
}

/* Decides that of each group only the first row stays. */
int32_t pex__groups_keep_first(struct pex__groups *groups, pex_keys *keys);

#endif
