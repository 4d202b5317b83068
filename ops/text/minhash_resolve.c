/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that agree in a whole band are duplicates. A walk over the keys looks at as many bands as
 * there is memory for their tables; without memory for one band, at a part of its keys at a time.
 */
#include "minhash.h"
#include "groups.h"

#include <stdlib.h>
#include <string.h>

/* The first row that came with a key; 12 bytes, since there are many. */
struct slot {
    uint32_t key[2];
    uint32_t row; /* counted from 1; 0: empty */
};

/* Keys on their way into the tables, whose places are being fetched meanwhile. */
enum { PENDING = 64 };
struct pending {
    uint64_t key;
    struct slot *table;
    uint32_t place;
    uint32_t row;
};

struct join {
    const struct pex__minhash *minhash;
    pex_keys *keys;
    bool by_uid;
    struct pex__groups groups;
    struct slot *slots; /* tables of the bands of this walk, one after the other */
    uint32_t table_slots;
    uint64_t used; /* of a table that may get full: there is only one then */
    size_t first_band, band_count;
    uint32_t part, part_count; /* of the keys of the band */
    struct pending pending[PENDING];
    size_t pending_count;
    uint64_t unshinglable;
};

/* Values of a signature are small numbers where they are the key; no two keys become one. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCDu;
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53u;
    return key ^ key >> 33;
}

/* Spreads 32 bits over the numbers below `count`. */
static uint32_t spread(uint32_t bits, uint32_t count)
{
    return (uint32_t)((uint64_t)bits * count >> 32);
}

static void settle(struct join *join, const struct pending *pending)
{
    uint32_t low = (uint32_t)pending->key, high = (uint32_t)(pending->key >> 32);
    uint32_t place = pending->place;
    struct slot *slot;
    for (; (slot = &pending->table[place])->row;
         place = place + 1 < join->table_slots ? place + 1 : 0) {
        if (slot->key[0] == low && slot->key[1] == high) {
            pex__groups_join(&join->groups, slot->row - 1, pending->row);
            return;
        }
    }
    *slot = (struct slot){{low, high}, pending->row + 1};
    join->used++;
}

static void settle_all(struct join *join)
{
    for (size_t i = 0; i < join->pending_count; i++)
        settle(join, &join->pending[i]);
    join->pending_count = 0;
}

static void add_key(struct join *join, size_t band, uint64_t key, uint32_t row)
{
    key = mix(key);
    if (spread((uint32_t)key, join->part_count) != join->part)
        return;
    struct pending *pending = &join->pending[join->pending_count++];
    pending->key = key;
    pending->table = join->slots + band * join->table_slots;
    pending->place = spread((uint32_t)(key >> 32), join->table_slots);
    pending->row = row;
    __builtin_prefetch(&pending->table[pending->place], 1);
    if (join->pending_count == PENDING)
        settle_all(join);
}

/* A key with hashes of bands from `band` on. */
static void add_bands(struct join *join, const struct pex_key *key, size_t band)
{
    const char *data = key->data;
    if (key->size < sizeof(uint64_t)) {
        join->unshinglable += join->first_band == 0 && join->part == 0;
        return;
    }
    for (size_t at = 0; at < key->size; at += sizeof(uint64_t), band++) {
        uint64_t hash;
        memcpy(&hash, data + at, sizeof(hash));
        if (band >= join->first_band && band - join->first_band < join->band_count)
            add_key(join, band - join->first_band, hash, (uint32_t)key->row);
    }
}

/* The keys of a row come one behind the other; the number of this one among them. */
struct turn {
    uint64_t seen;
    uint64_t row;
    size_t number;
};

static int32_t next_key(struct join *join, struct turn *turn, struct pex_key *key)
{
    if (turn->seen++ % 65536 == 0 && pex_keys_cancelled(join->keys))
        return PEX_ECANCELLED;
    int32_t rc = pex_keys_next(join->keys, key);
    if (rc)
        return rc;
    turn->number = turn->seen > 1 && key->row == turn->row ? turn->number + 1 : 0;
    turn->row = key->row;
    return 0;
}

/* PEX_MORE: the table got full. */
static int32_t walk(struct join *join)
{
    struct turn turn = {0};
    struct pex_key key;
    bool may_be_full = join->part_count > 1;
    memset(join->slots, 0, join->band_count * join->table_slots * sizeof(*join->slots));
    join->used = join->pending_count = 0;
    int32_t rc = pex_keys_rewind(join->keys);
    while (!rc && !(rc = next_key(join, &turn, &key))) {
        if (turn.number >= join->by_uid)
            add_bands(join, &key, (turn.number - join->by_uid) * PEX__KEY_BANDS);
        if (may_be_full && join->used > join->table_slots - join->table_slots / 8)
            return PEX_MORE;
    }
    settle_all(join);
    return rc == PEX_ENOENT ? 0 : rc;
}

/* Makes the tables: of as many bands as fit, or of a part of one. */
static int32_t make_tables(struct join *join, struct pex_error *err)
{
    uint64_t slots = (uint64_t)join->groups.rows * 3 / 2 + PENDING;
    uint64_t most = join->groups.memory / sizeof(struct slot);
    most = most < UINT32_MAX ? most : UINT32_MAX;
    join->part_count = (uint32_t)(slots / most + 1);
    join->band_count = most / slots;
    if (join->band_count < 2)
        join->band_count = 1;
    else
        join->part_count = 1;
    if (join->band_count > join->minhash->bands)
        join->band_count = join->minhash->bands;
    join->table_slots = (uint32_t)(slots < most ? slots : most);
    join->slots = malloc(join->band_count * join->table_slots * sizeof(*join->slots));
    return join->slots ? 0
                       : pex_error_set(err, PEX_ENOMEM, "out of memory for tables of %zu bytes",
                                       join->band_count * join->table_slots * sizeof(*join->slots));
}

static int32_t join_band(struct join *join)
{
    int32_t rc = 0;
    for (join->part = 0; !rc && join->part < join->part_count; join->part++) {
        rc = walk(join);
        /* Keys are spread evenly, but nothing promises it: begin the band anew with smaller parts.
         * What was joined stays right. */
        if (rc == PEX_MORE) {
            join->part_count *= 2;
            join->part = UINT32_MAX;
            join->unshinglable = join->first_band == 0 ? 0 : join->unshinglable;
            rc = 0;
        }
    }
    return rc;
}

static int32_t join_bands(struct join *join)
{
    size_t at_once = join->band_count, all = join->minhash->bands;
    int32_t rc = 0;
    for (; !rc && join->first_band < all; join->first_band += at_once) {
        join->band_count = all - join->first_band < at_once ? all - join->first_band : at_once;
        rc = join_band(join);
    }
    return rc;
}

/* The row with the smallest uid of a group, and the first of equal ones. */
struct smallest {
    int64_t uid;
    uint32_t row; /* counted from 1; 0: none yet */
};

/* For the groups whose first row is from `first` on, `count` rows of them. */
static int32_t find_smallest(struct join *join, struct smallest *smallest, size_t first,
                             size_t count)
{
    struct turn turn = {0};
    struct pex_key key;
    int32_t rc = pex_keys_rewind(join->keys);
    memset(smallest, 0, count * sizeof(*smallest));
    while (!rc && !(rc = next_key(join, &turn, &key))) {
        size_t group = pex__groups_first(&join->groups, (uint32_t)key.row) - first;
        int64_t uid;
        if (turn.number != 0 || group >= count)
            continue;
        memcpy(&uid, key.data, sizeof(uid));
        if (!smallest[group].row || uid < smallest[group].uid)
            smallest[group] = (struct smallest){uid, (uint32_t)key.row + 1};
    }
    return rc == PEX_ENOENT ? 0 : rc;
}

static int32_t drop_larger(struct join *join, const struct smallest *smallest, size_t first,
                           size_t count)
{
    int32_t rc = 0;
    for (size_t row = 0; !rc && row < join->groups.rows; row++) {
        size_t group = pex__groups_first(&join->groups, (uint32_t)row) - first;
        if (group < count && smallest[group].row != row + 1)
            rc = pex_keys_decide(join->keys, row, 0);
    }
    return rc;
}

static int32_t keep_smallest(struct join *join, struct pex_error *err)
{
    size_t rows = join->groups.rows, room = join->groups.memory / sizeof(struct smallest);
    room = room < rows ? room : rows;
    struct smallest *smallest = malloc(room ? room * sizeof(*smallest) : 1);
    if (!smallest)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for the uids of %zu rows", room);
    int32_t rc = 0;
    for (size_t first = 0; !rc && first < rows; first += room) {
        size_t count = rows - first < room ? rows - first : room;
        rc = find_smallest(join, smallest, first, count);
        if (!rc)
            rc = drop_larger(join, smallest, first, count);
    }
    free(smallest);
    return rc;
}

static int32_t resolve(const struct pex__minhash *minhash, pex_keys *keys, bool by_uid,
                       struct pex_error *err)
{
    struct join join = {.minhash = minhash, .keys = keys, .by_uid = by_uid};
    int32_t rc = pex__groups_init(&join.groups, keys, err);
    if (!rc)
        rc = make_tables(&join, err);
    if (!rc)
        rc = join_bands(&join);
    free(join.slots);
    if (!rc && join.unshinglable)
        rc = pex_keys_note(keys, PEX__UNSHINGLABLE_NOTE, join.unshinglable);
    if (!rc)
        rc = by_uid ? keep_smallest(&join, err) : pex__groups_keep_first(&join.groups, keys);
    pex__groups_free(&join.groups);
    return rc;
}

int32_t pex__minhash_resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    return resolve(instance, keys, false, err);
}

int32_t pex__minhash_resolve_by_uid(void *instance, pex_keys *keys, struct pex_error *err)
{
    return resolve(instance, keys, true, err);
}
