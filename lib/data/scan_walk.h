/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk over one line carries; both readers of the grammar share it. */
#ifndef PEX_DATA_SCAN_WALK_H
#define PEX_DATA_SCAN_WALK_H

#include "data/rows.h"
#include "data/scan_keys.h"

#include <string.h>

/* An object or array that is open. */
struct pex__level {
    const struct pex__key *key; /* the wanted key whose value it is, or NULL */
    uint32_t begin;
    char close; /* '}' or ']' */
};

struct pex__walk {
    const char *data;
    size_t end;              /* of the line */
    struct pex__span *spans; /* per wanted field; not touched when nothing is wanted */
    uint8_t *types;
    struct pex__level levels[PEX__DEPTH_MAX + 1]; /* from 1 on: levels[depth] is the innermost */
};

static inline void pex__walk_clear(struct pex__walk *walk, size_t column)
{
    walk->types[column] = PEX__MISSING;
    walk->spans[column] = (struct pex__span){0, 0};
}

/* The last of equal keys wins, so what an earlier one held is forgotten. */
static inline void pex__walk_forget(struct pex__walk *walk, const struct pex__key *key)
{
    for (uint32_t i = 0; i < key->below_count; i++)
        pex__walk_clear(walk, key->below[i]);
}

/* Notes the value of a wanted key. */
static inline void pex__walk_note(struct pex__walk *walk, const struct pex__key *key, uint8_t type,
                                  size_t begin, size_t end)
{
    if (key == NULL || key->column < 0)
        return;
    walk->types[key->column] = type;
    walk->spans[key->column] = (struct pex__span){(uint32_t)begin, (uint32_t)(end - begin)};
}

/* The wanted child of `key` that the text between a key's quotes spells, or NULL. */
const struct pex__key *pex__key_find(const struct pex__key *key, const char *text, size_t length);

#endif
