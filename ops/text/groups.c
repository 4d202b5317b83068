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

uint64_t pex__table_bytes(uint64_t count)
{
    return places_for(count) * (sizeof(uint64_t) + sizeof(uint32_t));
}

static int32_t init_places(struct pex__table *table, size_t places)
{
    table->mask = places - 1;
    table->count = 0;
    table->hash = malloc(places * sizeof(*table->hash));
    table->number = calloc(places, sizeof(*table->number));
    return table->hash && table->number ? 0 : PEX_ENOMEM;
}

int32_t pex__table_init(struct pex__table *table, size_t count)
{
    return init_places(table, places_for(count));
}

void pex__table_free(struct pex__table *table)
{
    free(table->hash);
    free(table->number);
}

void pex__table_clear(struct pex__table *table)
{
    memset(table->number, 0, (table->mask + 1) * sizeof(*table->number));
    table->count = 0;
}

/* The place of the hash, or the free one where it belongs. */
static size_t find(const struct pex__table *table, uint64_t hash)
{
    size_t at = (size_t)hash & table->mask;
    while (table->number[at] && table->hash[at] != hash)
        at = (at + 1) & table->mask;
    return at;
}

static int32_t grow(struct pex__table *table)
{
    struct pex__table larger = {0};
    if (init_places(&larger, 2 * (table->mask + 1))) {
        pex__table_free(&larger);
        return PEX_ENOMEM;
    }
    for (size_t i = 0; i <= table->mask; i++) {
        if (!table->number[i])
            continue;
        size_t at = find(&larger, table->hash[i]);
        larger.hash[at] = table->hash[i];
        larger.number[at] = table->number[i];
    }
    larger.count = table->count;
    pex__table_free(table);
    *table = larger;
    return 0;
}

uint32_t *pex__table_at(struct pex__table *table, uint64_t hash)
{
    size_t at = find(table, hash);
    if (table->number[at])
        return &table->number[at];
    if (table->count >= (table->mask + 1) / 8 * 7) {
        if (grow(table))
            return NULL;
        at = find(table, hash);
    }
    table->hash[at] = hash;
    table->count++;
    return &table->number[at];
}
