/* SPDX-License-Identifier: Apache-2.0 */
#include "gram.h"

#include <partexec/base.h>

#include <stdlib.h>
#include <string.h>

#define PLACES_AT_LEAST 64
#define PLACES_AT_FIRST 65536 /* more only for texts that have so many different ones */

static size_t places_for(size_t most)
{
    size_t places = PLACES_AT_LEAST;
    while (places < PLACES_AT_FIRST && places / 2 <= most)
        places *= 2;
    return places;
}

static int32_t reserve(void *array, size_t *capacity, size_t places, size_t size)
{
    void **memory = array;
    if (places <= *capacity)
        return 0;
    void *made = places > UINT32_MAX ? NULL : malloc(places * size);
    if (!made)
        return PEX_ENOMEM;
    free(*memory);
    *memory = made;
    *capacity = places;
    return 0;
}

int32_t pex__grams_begin(struct pex__grams *grams, size_t most)
{
    size_t places = places_for(most);
    if (reserve(&grams->seen, &grams->seen_capacity, places, sizeof(*grams->seen)) ||
        reserve(&grams->again, &grams->again_capacity, PLACES_AT_LEAST, sizeof(*grams->again)))
        return PEX_ENOMEM;
    memset(grams->seen, 0, places * sizeof(*grams->seen));
    memset(grams->again, 0, PLACES_AT_LEAST * sizeof(*grams->again));
    grams->seen_mask = places - 1;
    grams->again_mask = PLACES_AT_LEAST - 1;
    grams->distinct = grams->repeated = 0;
    return 0;
}

/* Twice as many places for the hashes that were seen. */
int32_t pex__grams_grow(struct pex__grams *grams)
{
    size_t places = 2 * (grams->seen_mask + 1);
    uint64_t *larger = places > UINT32_MAX ? NULL : calloc(places, sizeof(*larger));
    if (!larger)
        return PEX_ENOMEM;
    for (size_t i = 0; i <= grams->seen_mask; i++) {
        if (!grams->seen[i])
            continue;
        size_t at = pex__gram_place(grams->seen[i]) & (places - 1);
        while (larger[at])
            at = (at + 1) & (places - 1);
        larger[at] = grams->seen[i];
    }
    free(grams->seen);
    grams->seen = larger;
    grams->seen_capacity = places;
    grams->seen_mask = places - 1;
    return 0;
}

static struct pex__gram *find_again(struct pex__gram *again, size_t mask, uint64_t hash)
{
    size_t at = pex__gram_place(hash) & mask;
    while (again[at].hash && again[at].hash != hash)
        at = (at + 1) & mask;
    return &again[at];
}

static int32_t grow_again(struct pex__grams *grams)
{
    size_t places = 2 * (grams->again_mask + 1);
    struct pex__gram *larger = calloc(places, sizeof(*larger));
    if (!larger)
        return PEX_ENOMEM;
    for (size_t i = 0; i <= grams->again_mask; i++)
        if (grams->again[i].hash)
            *find_again(larger, places - 1, grams->again[i].hash) = grams->again[i];
    free(grams->again);
    grams->again = larger;
    grams->again_capacity = places;
    grams->again_mask = places - 1;
    return 0;
}

/* Counts a hash that was seen before. */
int32_t pex__grams_repeat(struct pex__grams *grams, uint64_t hash)
{
    struct pex__gram *gram = find_again(grams->again, grams->again_mask, hash);
    if (gram->hash) {
        gram->count++;
        return 0;
    }
    *gram = (struct pex__gram){hash, 2};
    return ++grams->repeated > grams->again_mask / 2 ? grow_again(grams) : 0;
}

void pex__grams_free(struct pex__grams *grams)
{
    free(grams->seen);
    free(grams->again);
}
