/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

int32_t pex__groups_init(struct pex__groups *groups, uint64_t rows)
{
    *groups = (struct pex__groups){.count = rows};
    if (rows >= UINT32_MAX)
        return PEX_ELIMIT;
    groups->parent = malloc((rows + 1) * sizeof(*groups->parent));
    if (!groups->parent)
        return PEX_ENOMEM;
    for (uint32_t row = 0; row < rows; row++)
        groups->parent[row] = row;
    return 0;
}

void pex__groups_free(struct pex__groups *groups)
{
    free(groups->parent);
}

uint32_t pex__groups_first(struct pex__groups *groups, uint32_t row)
{
    uint32_t *parent = groups->parent;
    while (parent[row] != row) {
        parent[row] = parent[parent[row]];
        row = parent[row];
    }
    return row;
}

void pex__groups_join(struct pex__groups *groups, uint32_t a, uint32_t b)
{
    a = pex__groups_first(groups, a);
    b = pex__groups_first(groups, b);
    if (a < b)
        groups->parent[b] = a;
    else
        groups->parent[a] = b;
}

static size_t places_for(uint64_t count)
{
    size_t places = 1024;
    while (places / 8 * 7 <= count)
        places *= 2;
    return places;
}

uint64_t pex__firsts_bytes(uint64_t count)
{
    return places_for(count) * (sizeof(uint64_t) + sizeof(uint32_t));
}

static int32_t init_places(struct pex__firsts *firsts, size_t places)
{
    firsts->mask = places - 1;
    firsts->count = 0;
    firsts->hash = malloc(places * sizeof(*firsts->hash));
    firsts->row = calloc(places, sizeof(*firsts->row));
    return firsts->hash && firsts->row ? 0 : PEX_ENOMEM;
}

int32_t pex__firsts_init(struct pex__firsts *firsts, size_t count)
{
    return init_places(firsts, places_for(count));
}

void pex__firsts_free(struct pex__firsts *firsts)
{
    free(firsts->hash);
    free(firsts->row);
}

void pex__firsts_clear(struct pex__firsts *firsts)
{
    memset(firsts->row, 0, (firsts->mask + 1) * sizeof(*firsts->row));
    firsts->count = 0;
}

/* The place of the hash, or the free one where it belongs. */
static size_t find(const struct pex__firsts *firsts, uint64_t hash)
{
    size_t at = (size_t)hash & firsts->mask;
    while (firsts->row[at] && firsts->hash[at] != hash)
        at = (at + 1) & firsts->mask;
    return at;
}

static int32_t grow(struct pex__firsts *firsts)
{
    struct pex__firsts larger = {0};
    if (init_places(&larger, 2 * (firsts->mask + 1))) {
        pex__firsts_free(&larger);
        return PEX_ENOMEM;
    }
    for (size_t i = 0; i <= firsts->mask; i++) {
        if (!firsts->row[i])
            continue;
        size_t at = find(&larger, firsts->hash[i]);
        larger.hash[at] = firsts->hash[i];
        larger.row[at] = firsts->row[i];
    }
    larger.count = firsts->count;
    pex__firsts_free(firsts);
    *firsts = larger;
    return 0;
}

int32_t pex__firsts_add(struct pex__firsts *firsts, uint64_t hash, uint32_t row, uint32_t *first)
{
    size_t at = find(firsts, hash);
    if (!firsts->row[at]) {
        if (firsts->count >= (firsts->mask + 1) / 8 * 7) {
            if (grow(firsts))
                return PEX_ENOMEM;
            at = find(firsts, hash);
        }
        firsts->hash[at] = hash;
        firsts->row[at] = row + 1;
        firsts->count++;
    }
    *first = firsts->row[at] - 1;
    return 0;
}
