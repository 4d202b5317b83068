/* SPDX-License-Identifier: Apache-2.0 */
/* A selection of the smallest or largest of all keys, and what becomes of the rows. */
#ifndef PEX_TEXT_PICKING_H
#define PEX_TEXT_PICKING_H

#include "pick.h"

#include <partexec/plugin.h>

/* Zeros but for the keys and what a row without the field counts as. */
struct pex__picking {
    pex_keys *keys;
    bool unusable_is_high;
    struct pex__pick pick; /* in order, once it was run */
};

/* Walks the keys; limit is not 0. Returns 0, PEX_ECANCELLED, PEX_ENOMEM, PEX_EIO, PEX_ELIMIT. */
int32_t pex__picking_run(struct pex__picking *picking, size_t limit, uint64_t total,
                         bool is_largest);
/* Of the rows that were picked the largest ones stay picked. limit is not 0. */
int32_t pex__picking_narrow(struct pex__picking *picking, size_t limit);
/* Every row goes but those picked. Puts the entries in the order of rows. */
int32_t pex__picking_decide(struct pex__picking *picking);
void pex__picking_free(struct pex__picking *picking);

#endif
