/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operators have set in front of a row's text. Two ways, equal in their bytes: cells for the
 * common cases (a string, number or bool in a field that is there, or a new field at the top, or a
 * stat); everything else, and all of it in one row, is done on the row's text, which is written
 * anew.
 */
#ifndef PEX_DATA_OVERLAY_H
#define PEX_DATA_OVERLAY_H

#include "data/column.h"

/* A row written anew but not yet in place of the live one. */
struct pex__rewritten {
    const char *text;
    uint32_t length;
    int is_changed; /* 0: the changes come to nothing */
    struct pex__span *spans;
    uint8_t *types;
};

/* The row with its cells in batch->edit. */
int32_t pex__overlay_take_apart(struct pex__batch *batch, size_t row);
/* Non-zero if the change can be a cell of the live row. */
int pex__overlay_is_simple(const struct pex__batch *batch, size_t row,
                           const struct pex__change *change);
/* Makes the change a cell of the live row; prepared. */
void pex__overlay_put(struct pex__batch *batch, size_t row, const struct pex__change *change);
/* Writes the live row anew with a chain of changes. */
int32_t pex__overlay_rewrite(struct pex_batch *call, size_t row, uint32_t change,
                             struct pex__rewritten *rewritten);
/* Puts it in place of a live row; room for one more physical row is there. */
void pex__overlay_replace(struct pex__batch *batch, size_t row,
                          const struct pex__rewritten *rewritten);
/* Non-zero if the field has this value already. */
int pex__overlay_equals(const struct pex__batch *batch, int32_t column, size_t row,
                        const struct pex__new *value);

#endif
