/* SPDX-License-Identifier: Apache-2.0 */
#include "picking.h"

#include "numeric_key.h"
#include "selector.h"

#include <stdlib.h>

/* A row without the field counts as one whose value is unusable. */
static int32_t add_row(struct pex__picking *picking, struct pex__rows *rows,
                       const struct pex__bytes *unusable)
{
    bool is_missing = *rows->key.data == PEX__KEY_MISSING;
    const struct pex__bytes *key = is_missing ? unusable : &rows->key;
    return pex__pick_add(&picking->pick, rows->row, key->data, key->length);
}

int32_t pex__picking_run(struct pex__picking *picking, size_t limit, uint64_t total,
                         bool is_largest)
{
    struct pex__rows rows = {0};
    struct pex__bytes unusable = {0};
    int32_t rc = pex__pick_begin(&picking->pick, limit, (size_t)total, is_largest);
    if (!rc)
        rc = pex__numeric_key(&unusable, NULL, picking->unusable_is_high);
    if (!rc)
        rc = pex__rows_begin(&rows, picking->keys);
    while (!rc && !(rc = pex__rows_next(&rows)))
        rc = add_row(picking, &rows, &unusable);
    pex__rows_free(&rows);
    pex__bytes_free(&unusable);
    if (rc != PEX_ENOENT)
        return rc;
    pex__pick_end(&picking->pick);
    return 0;
}

int32_t pex__picking_narrow(struct pex__picking *picking, size_t limit)
{
    struct pex__pick all = picking->pick;
    int32_t rc = pex__pick_begin(&picking->pick, limit, all.count, true);
    for (size_t i = 0; i < all.count && !rc; i++)
        rc = pex__pick_add(&picking->pick, i, pex__entry_key(&all.entry[i]), all.entry[i].length);
    if (!rc) {
        pex__pick_end(&picking->pick);
        for (size_t i = 0; i < picking->pick.count; i++)
            picking->pick.entry[i].row = all.entry[picking->pick.entry[i].row].row;
    }
    pex__pick_free(&all);
    return rc;
}

static int by_row(const void *a, const void *b)
{
    const struct pex__entry *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

int32_t pex__picking_decide(struct pex__picking *picking)
{
    struct pex__pick *pick = &picking->pick;
    uint64_t count = pex_keys_rows(picking->keys);
    size_t at = 0;
    int32_t rc = 0;
    if (pick->count)
        qsort(pick->entry, pick->count, sizeof(*pick->entry), by_row);
    for (uint64_t row = 0; row < count && !rc; row++) {
        bool is_picked = at < pick->count && pick->entry[at].row == row;
        at += is_picked;
        rc = is_picked ? 0 : pex_keys_decide(picking->keys, row, 0);
    }
    return rc;
}

void pex__picking_free(struct pex__picking *picking)
{
    pex__pick_free(&picking->pick);
}
