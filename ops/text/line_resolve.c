/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table counts in how many rows each line is. Where the lines are more than it has room for, it
 * counts those of a range of hashes, and the keys are walked for one range after the other.
 */
#include "line_resolve.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    uint64_t hash; /* 0: empty */
    uint32_t rows; /* that have the line; not counted on past the threshold */
    uint32_t last; /* of them */
};

/* Lines on their way into the table, whose places are being fetched meanwhile. */
enum { PENDING = 64 };
struct pending {
    uint64_t hash;
    uint32_t row;
    struct slot *slot;
};

struct count {
    pex_keys *keys;
    uint32_t threshold;
    struct slot *slot;
    uint32_t slot_count, used, used_max;
    uint64_t begin, size; /* the range of this walk, of the high halves of hashes */
    uint64_t seen;        /* keys of it */
    struct pending pending[PENDING];
    size_t pending_count;
    uint64_t *frequent;
    size_t frequent_count, frequent_room, frequent_max;
};

/* Spreads 32 bits over the numbers below `count`. */
static size_t spread(uint64_t bits, size_t count)
{
    return (size_t)((bits & UINT32_MAX) * count >> 32);
}

static int32_t add_frequent(struct count *count, uint64_t hash)
{
    if (count->frequent_count == count->frequent_max)
        return PEX_ELIMIT;
    if (count->frequent_count == count->frequent_room) {
        size_t room = count->frequent_room ? count->frequent_room + count->frequent_room / 2 : 256;
        uint64_t *grown = realloc(count->frequent, room * sizeof(*grown));
        if (!grown)
            return PEX_ENOMEM;
        count->frequent = grown;
        count->frequent_room = room;
    }
    count->frequent[count->frequent_count++] = hash;
    return 0;
}

static int32_t settle(struct count *count, const struct pending *pending)
{
    struct slot *slot = pending->slot, *end = count->slot + count->slot_count;
    while (slot->hash && slot->hash != pending->hash)
        slot = slot + 1 < end ? slot + 1 : count->slot;
    if (!slot->hash) {
        slot->hash = pending->hash;
        count->used++;
    } else if (slot->last == pending->row || slot->rows > count->threshold) {
        return 0;
    }
    slot->last = pending->row;
    return ++slot->rows > count->threshold ? add_frequent(count, slot->hash) : 0;
}

static int32_t settle_all(struct count *count)
{
    int32_t rc = 0;
    for (size_t i = 0; !rc && i < count->pending_count; i++)
        rc = settle(count, &count->pending[i]);
    count->pending_count = 0;
    return rc;
}

static int32_t add(struct count *count, uint64_t hash, uint32_t row)
{
    if ((hash >> 32) - count->begin >= count->size)
        return 0;
    struct pending *pending = &count->pending[count->pending_count++];
    *pending = (struct pending){hash, row, count->slot + spread(hash, count->slot_count)};
    __builtin_prefetch(pending->slot, 1);
    return count->pending_count < PENDING ? 0 : settle_all(count);
}

static int32_t add_key(struct count *count, const struct pex_key *key)
{
    const char *data = key->data;
    int32_t rc = 0;
    for (size_t at = 0; !rc && at + sizeof(uint64_t) <= key->size; at += sizeof(uint64_t)) {
        uint64_t hash;
        memcpy(&hash, data + at, sizeof(hash));
        rc = add(count, hash, (uint32_t)key->row);
    }
    return rc;
}

/* PEX_MORE: the table got full. */
static int32_t walk(struct count *count)
{
    struct pex_key key;
    memset(count->slot, 0, count->slot_count * sizeof(*count->slot));
    count->used = 0;
    count->pending_count = 0;
    int32_t rc = pex_keys_rewind(count->keys);
    for (count->seen = 0; !rc && !(rc = pex_keys_next(count->keys, &key)); count->seen++) {
        rc = add_key(count, &key);
        if (!rc && count->used > count->used_max)
            rc = PEX_MORE;
        else if (count->seen % 65536 == 0 && pex_keys_cancelled(count->keys))
            rc = PEX_ECANCELLED;
    }
    return rc == PEX_ENOENT ? settle_all(count) : rc;
}

/* A range that does not fit is begun anew with what is likely to. */
static int32_t walk_ranges(struct count *count)
{
    const uint64_t end = (uint64_t)1 << 32;
    double all = (double)pex_keys_count(count->keys);
    int32_t rc = 0;
    count->size = end;
    while (!rc && count->begin < end) {
        size_t before = count->frequent_count;
        rc = walk(count);
        if (rc == PEX_MORE && count->size > 1) {
            count->frequent_count = before;
            count->size = (uint64_t)((double)count->size * 0.95 * ((double)count->seen / all));
            count->size = count->size ? count->size : 1;
            rc = 0;
        } else if (!rc) {
            count->begin += count->size;
        }
    }
    return rc == PEX_MORE ? PEX_ELIMIT : rc;
}

/* A set of hashes, zeros where a place is empty. */
static int32_t tell(const struct count *count)
{
    size_t places = count->frequent_count * 3 / 2 + 1;
    if (count->frequent_count == 0)
        return 0;
    uint64_t *place = calloc(places, sizeof(*place));
    if (!place)
        return PEX_ENOMEM;
    for (size_t i = 0; i < count->frequent_count; i++) {
        size_t at = spread(count->frequent[i], places);
        while (place[at])
            at = at + 1 < places ? at + 1 : 0;
        place[at] = count->frequent[i];
    }
    int32_t rc = pex_keys_tell(count->keys, place, places * sizeof(*place));
    free(place);
    return rc;
}

bool pex__line_is_frequent(struct pex_string_view told, uint64_t hash)
{
    const uint64_t *place = (const uint64_t *)(const void *)told.data;
    size_t places = told.length / sizeof(*place), at = spread(hash, places);
    while (place[at] && place[at] != hash)
        at = at + 1 < places ? at + 1 : 0;
    return place[at] != 0;
}

static int32_t explain(const struct count *count, int32_t rc, struct pex_error *err)
{
    if (rc == PEX_ELIMIT)
        return pex_error_set(err, rc,
                             "more than %zu lines are in more than %u rows, and memory_limit "
                             "leaves no room for more; raise it, or frequency_threshold",
                             count->frequent_count, count->threshold);
    if (rc == PEX_ENOMEM)
        return pex_error_set(err, rc, "out of memory to count the rows that a line is in");
    return rc;
}

/* Half of the memory is for the table, a quarter for what it finds. The set of that and its copy
 * take the table's place. */
static int32_t make_table(struct count *count)
{
    uint64_t memory = pex_keys_memory(count->keys), hashes = pex_keys_count(count->keys);
    uint64_t slots = memory / 2 / sizeof(*count->slot);
    hashes *= PEX__LINE_KEY_HASHES;
    if (slots > hashes * 3 / 2 + 4 * PENDING)
        slots = hashes * 3 / 2 + 4 * PENDING;
    count->slot_count = (uint32_t)(slots < UINT32_MAX ? slots : UINT32_MAX);
    count->used_max = count->slot_count / 4 * 3 - PENDING;
    count->frequent_max = memory / 4 / sizeof(*count->frequent);
    count->slot = malloc(count->slot_count * sizeof(*count->slot));
    return count->slot ? 0 : PEX_ENOMEM;
}

int32_t pex__line_resolve(pex_keys *keys, uint64_t threshold, struct pex_error *err)
{
    uint64_t rows = pex_keys_rows(keys);
    if (rows <= 1 || threshold >= rows)
        return 0;
    if (rows > UINT32_MAX)
        return pex_error_set(err, PEX_ELIMIT,
                             "%llu rows are more than the 4294967295 whose lines can be compared "
                             "in one job; divide the input",
                             (unsigned long long)rows);
    struct count count = {.keys = keys, .threshold = (uint32_t)threshold};
    int32_t rc = make_table(&count);
    if (!rc)
        rc = walk_ranges(&count);
    free(count.slot);
    if (!rc)
        rc = tell(&count);
    free(count.frequent);
    return explain(&count, rc, err);
}
