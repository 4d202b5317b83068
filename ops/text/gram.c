/* SPDX-License-Identifier: Apache-2.0 */
#include "gram.h"

#include <partexec/base.h>

#include <stdlib.h>
#include <string.h>

#define PLACES_AT_FIRST 4096

static int32_t reserve(struct pex__grams *grams, size_t capacity)
{
    if (capacity > (size_t)UINT32_MAX + 1)
        return PEX_ENOMEM;
    struct pex__gram *place = calloc(capacity, sizeof(*place));
    if (!place)
        return PEX_ENOMEM;
    free(grams->place);
    *grams = (struct pex__grams){.place = place, .capacity = capacity, .mask = capacity - 1};
    return 0;
}

int32_t pex__grams_begin(struct pex__grams *grams, size_t most)
{
    size_t places = 64;
    if (!grams->place && reserve(grams, PLACES_AT_FIRST))
        return PEX_ENOMEM;
    while (places < grams->capacity && places / 2 < most)
        places *= 2;
    grams->mask = places - 1;
    if (++grams->round == 0) {
        memset(grams->place, 0, grams->capacity * sizeof(*grams->place));
        grams->round = 1;
    }
    grams->distinct = grams->repeated = 0;
    return 0;
}

int32_t pex__grams_grow(struct pex__grams *grams)
{
    struct pex__grams larger = {0};
    if (grams->mask + 1 < grams->capacity)
        return 0; /* there are no more hashes than said at the start: they fit */
    if (reserve(&larger, 2 * grams->capacity))
        return PEX_ENOMEM;
    larger.round = 1;
    for (size_t i = 0; i <= grams->mask; i++) {
        if (grams->place[i].round != grams->round)
            continue;
        size_t at = (size_t)((grams->place[i].hash * 0x9E3779B97F4A7C15u) >> 32) & larger.mask;
        while (larger.place[at].round)
            at = (at + 1) & larger.mask;
        larger.place[at] = grams->place[i];
        larger.place[at].round = 1;
    }
    larger.distinct = grams->distinct;
    larger.repeated = grams->repeated;
    free(grams->place);
    *grams = larger;
    return 0;
}

void pex__grams_free(struct pex__grams *grams)
{
    free(grams->place);
}
