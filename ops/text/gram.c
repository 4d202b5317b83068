/* SPDX-License-Identifier: Apache-2.0 */
#include "gram.h"

#include <partexec/base.h>

#include <stdlib.h>
#include <string.h>

#define PLACES_AT_FIRST 4096

int32_t pex__grams_begin(struct pex__grams *grams)
{
    if (!grams->place) {
        grams->place = calloc(PLACES_AT_FIRST, sizeof(*grams->place));
        if (!grams->place)
            return PEX_ENOMEM;
        grams->mask = PLACES_AT_FIRST - 1;
    }
    if (++grams->round == 0) {
        memset(grams->place, 0, (grams->mask + 1) * sizeof(*grams->place));
        grams->round = 1;
    }
    grams->distinct = 0;
    return 0;
}

int32_t pex__grams_grow(struct pex__grams *grams)
{
    struct pex__grams larger = {.mask = 2 * grams->mask + 1, .round = 1};
    if (larger.mask > UINT32_MAX)
        return PEX_ENOMEM;
    larger.place = calloc(larger.mask + 1, sizeof(*larger.place));
    if (!larger.place)
        return PEX_ENOMEM;
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
    free(grams->place);
    *grams = larger;
    return 0;
}

void pex__grams_free(struct pex__grams *grams)
{
    free(grams->place);
}
