/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys are in a table of 8 bytes each: of a hash of 128 bits one half says where it belongs,
 * the other half is there. Where the keys are more than the table has room for, it takes those of a
 * range of hashes, and the keys are walked for one range after the other.
 */
#include "first_rows.h"

#include <stdlib.h>
#include <string.h>

/* Keys on their way into the table, whose places are being fetched meanwhile. */
enum { PENDING = 64 };
struct pending {
    uint64_t *place;
    uint64_t half;
    uint64_t row;
};

struct table {
    pex_keys *keys;
    uint64_t *place; /* 0: empty */
    uint64_t places, used, used_max;
    uint64_t begin, size; /* the range of this walk, of the first 32 bits of hashes */
    uint64_t seen;        /* keys of it */
    struct pending pending[PENDING];
    size_t pending_count;
};

static int32_t settle(struct table *table, const struct pending *pending)
{
    uint64_t *place = pending->place, *end = table->place + table->places;
    while (*place && *place != pending->half)
        place = place + 1 < end ? place + 1 : table->place;
    if (*place)
        return pex_keys_decide(table->keys, pending->row, 0);
    *place = pending->half;
    table->used++;
    return 0;
}

/* In the order in which they came. */
static int32_t settle_all(struct table *table)
{
    int32_t rc = 0;
    for (size_t i = 0; !rc && i < table->pending_count; i++)
        rc = settle(table, &table->pending[i]);
    table->pending_count = 0;
    return rc;
}

static int32_t add(struct table *table, const struct pex_key *key)
{
    uint64_t half[2];
    memcpy(half, key->data, sizeof(half));
    if ((half[0] >> 32) - table->begin >= table->size)
        return 0;
    struct pending *pending = &table->pending[table->pending_count++];
    pending->place = table->place + ((half[0] & UINT32_MAX) * table->places >> 32);
    pending->half = half[1] ? half[1] : 1;
    pending->row = key->row;
    __builtin_prefetch(pending->place, 1);
    return table->pending_count < PENDING ? 0 : settle_all(table);
}

/* PEX_MORE: the table got full. */
static int32_t walk(struct table *table, struct pex_error *err)
{
    struct pex_key key;
    memset(table->place, 0, table->places * sizeof(*table->place));
    table->used = table->pending_count = 0;
    int32_t rc = pex_keys_rewind(table->keys);
    for (table->seen = 0; !rc && !(rc = pex_keys_next(table->keys, &key)); table->seen++) {
        if (key.size != 2 * sizeof(uint64_t))
            return pex_error_set(err, PEX_EDATA, "row %llu: a key of %zu bytes, not 16",
                                 (unsigned long long)key.row, key.size);
        rc = add(table, &key);
        if (!rc && table->used > table->used_max)
            rc = PEX_MORE;
        else if (table->seen % 65536 == 0 && pex_keys_cancelled(table->keys))
            rc = PEX_ECANCELLED;
    }
    return rc == PEX_ENOENT ? settle_all(table) : rc;
}

/* A range that does not fit is begun anew with what is likely to; what was decided stays right. */
static int32_t walk_ranges(struct table *table, struct pex_error *err)
{
    const uint64_t end = (uint64_t)1 << 32;
    double all = (double)pex_keys_count(table->keys);
    int32_t rc = 0;
    table->size = end;
    while (!rc && table->begin < end) {
        rc = walk(table, err);
        if (rc == PEX_MORE && table->size > 1) {
            table->size = (uint64_t)((double)table->size * 0.95 * ((double)table->seen / all));
            table->size = table->size ? table->size : 1;
            rc = 0;
        } else if (!rc) {
            table->begin += table->size;
        }
    }
    return rc == PEX_MORE ? pex_error_set(err, PEX_ELIMIT,
                                          "the keys do not fit into the memory that memory_limit "
                                          "leaves for them; raise it")
                          : rc;
}

int32_t pex__first_rows_resolve(pex_keys *keys, struct pex_error *err)
{
    struct table table = {.keys = keys};
    uint64_t count = pex_keys_count(keys), most = pex_keys_memory(keys) / sizeof(*table.place);
    table.places = count * 3 / 2 + 4 * PENDING;
    table.places = table.places < most ? table.places : most;
    table.places = table.places < UINT32_MAX ? table.places : UINT32_MAX;
    table.used_max = table.places / 4 * 3;
    table.place = malloc(table.places * sizeof(*table.place));
    if (!table.place)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for a table of %llu keys",
                             (unsigned long long)table.places);
    int32_t rc = walk_ranges(&table, err);
    free(table.place);
    return rc;
}
