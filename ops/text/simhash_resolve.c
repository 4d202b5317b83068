/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All pairs of fingerprints that differ in at most `distance` bits. The 64 bits are divided into
 * blocks, more than `distance` of them: of two such fingerprints all blocks but `distance` are
 * equal. So for each choice of blocks to leave out, only fingerprints that agree in the others are
 * compared: they are sorted by those. With too little memory for all of them a choice takes several
 * walks over the keys.
 */
#include "fingerprint.h"
#include "simhash.h"
#include "groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a choice from which on it is not the memory that is short. */
#define PARTS_MAX (1u << 20)

struct search {
    const struct pex__simhash *simhash;
    pex_keys *keys;
    struct pex__groups groups;
    struct pex__fingerprint *item;
    size_t item_count, item_room;
    unsigned blocks;
    unsigned char shift[64], width[64]; /* of the blocks: those of this choice, then the others */
    unsigned key_bits;                  /* of this choice */
    uint32_t part, part_count;
    uint64_t unshinglable;
    bool is_first; /* walk of all */
};

static double choices_of(unsigned blocks, unsigned out)
{
    double count = 1;
    for (unsigned i = 0; i < out; i++)
        count = count * (blocks - i) / (i + 1);
    return count;
}

/* The number of blocks with the least work: each choice sorts all fingerprints, and compares each
 * with those that agree in its bits. */
static unsigned best_blocks(double rows, unsigned distance)
{
    static const double sort_cost = 50;
    unsigned best = distance + 1;
    double least = INFINITY;
    for (unsigned blocks = distance + 1; blocks <= 64; blocks++) {
        double bits = 64.0 * (blocks - distance) / blocks;
        double cost = choices_of(blocks, distance) * rows * (sort_cost + rows / exp2(bits + 1));
        if (cost < least) {
            least = cost;
            best = blocks;
        }
    }
    return best;
}

/* Lays the blocks of the choice (a bit each) in front of the others. */
static void choose(struct search *search, uint64_t choice)
{
    unsigned at = 0;
    search->key_bits = 0;
    for (int is_chosen = 1; is_chosen >= 0; is_chosen--) {
        for (unsigned i = 0; i < search->blocks; i++) {
            unsigned begin = 64 * i / search->blocks, end = 64 * (i + 1) / search->blocks;
            if ((choice >> i & 1) != (uint64_t)is_chosen)
                continue;
            search->shift[at] = (unsigned char)begin;
            search->width[at++] = (unsigned char)(end - begin);
            search->key_bits += is_chosen ? end - begin : 0;
        }
    }
}

/* Distances stay what they are. */
static uint64_t arrange(const struct search *search, uint64_t bits)
{
    uint64_t arranged = 0;
    for (unsigned i = 0; i < search->blocks; i++) {
        unsigned width = search->width[i];
        uint64_t block = bits >> search->shift[i] & (UINT64_MAX >> (64 - width));
        arranged = width == 64 ? block : arranged << width | block;
    }
    return arranged;
}

/* What the fingerprints of the choice have in common that are compared. */
static uint64_t key_of(const struct search *search, uint64_t arranged)
{
    return arranged >> (64 - search->key_bits);
}

static bool is_in_part(const struct search *search, uint64_t arranged)
{
    uint64_t mixed = key_of(search, arranged) * 0x9E3779B97F4A7C15u;
    return (mixed >> 32) * search->part_count >> 32 == search->part;
}

/* Sorts the fingerprints and leaves one of equal ones. */
static void unite_equal(struct search *search)
{
    struct pex__fingerprint *item = search->item;
    size_t kept = 0;
    pex__fingerprints_sort(item, search->item_count);
    for (size_t i = 0; i < search->item_count; i++) {
        if (kept && item[kept - 1].bits == item[i].bits)
            pex__groups_join(&search->groups, item[kept - 1].row, item[i].row);
        else
            item[kept++] = item[i];
    }
    search->item_count = kept;
}

static int32_t compare_run(struct search *search, const struct pex__fingerprint *item, size_t count)
{
    const struct pex__kernel *kernel = search->simhash->kernel;
    for (size_t i = 0; i + 1 < count; i++) {
        if (i % 1024 == 1023 && pex_keys_cancelled(search->keys))
            return PEX_ECANCELLED;
        size_t near = i;
        while ((near = kernel->find_near(item, count, near + 1, item[i].bits,
                                         search->simhash->distance)) < count)
            pex__groups_join(&search->groups, item[i].row, item[near].row);
    }
    return 0;
}

static int32_t compare_all(struct search *search)
{
    const struct pex__fingerprint *item = search->item;
    int32_t rc = 0;
    unite_equal(search);
    for (size_t first = 0, end; !rc && first < search->item_count; first = end) {
        uint64_t key = key_of(search, item[first].bits);
        for (end = first + 1; end < search->item_count; end++)
            if (key_of(search, item[end].bits) != key)
                break;
        rc = compare_run(search, item + first, end - first);
    }
    return rc;
}

/* PEX_MORE: there is no room. */
static int32_t add(struct search *search, const struct pex_key *key)
{
    uint64_t bits;
    search->unshinglable += key->size > sizeof(bits) && search->is_first && search->part == 0;
    memcpy(&bits, key->data, sizeof(bits));
    bits = arrange(search, bits);
    if (!is_in_part(search, bits))
        return 0;
    if (search->item_count == search->item_room) {
        unite_equal(search);
        if (search->item_count > search->item_room / 8 * 7)
            return PEX_MORE;
    }
    search->item[search->item_count++] = (struct pex__fingerprint){bits, (uint32_t)key->row};
    return 0;
}

static int32_t walk(struct search *search)
{
    struct pex_key key;
    int32_t rc = pex_keys_rewind(search->keys);
    search->item_count = 0;
    for (uint64_t seen = 0; !rc && !(rc = pex_keys_next(search->keys, &key)); seen++)
        rc = seen % 65536 == 0 && pex_keys_cancelled(search->keys) ? PEX_ECANCELLED
                                                                   : add(search, &key);
    return rc == PEX_ENOENT ? compare_all(search) : rc;
}

/* Begins anew with smaller parts where one does not fit. What was joined stays right. */
static int32_t walk_parts(struct search *search, struct pex_error *err)
{
    int32_t rc = 0;
    for (search->part = 0; !rc && search->part < search->part_count; search->part++) {
        rc = walk(search);
        if (rc != PEX_MORE)
            continue;
        if (search->part_count >= PARTS_MAX)
            return pex_error_set(err, PEX_ELIMIT,
                                 "%zu fingerprints that are much alike do not fit into the memory "
                                 "that memory_limit leaves; raise it",
                                 search->item_room);
        search->part_count *= 2;
        search->part = UINT32_MAX;
        search->unshinglable = search->is_first ? 0 : search->unshinglable;
        rc = 0;
    }
    search->is_first = false;
    return rc;
}

/* All choices of as many blocks as must be equal. */
static int32_t walk_choices(struct search *search, struct pex_error *err)
{
    unsigned count = search->blocks - search->simhash->distance;
    uint64_t choice = UINT64_MAX >> (64 - count), last = choice << (search->blocks - count);
    for (;;) {
        choose(search, choice);
        int32_t rc = walk_parts(search, err);
        if (rc || choice == last)
            return rc;
        /* The next larger number with as many bits. */
        uint64_t lowest = choice & -choice, ripple = choice + lowest;
        choice = ripple | (choice ^ ripple) / lowest >> 2;
    }
}

static int32_t make_room(struct search *search, struct pex_error *err)
{
    size_t rows = search->groups.rows, most = search->groups.memory / sizeof(*search->item);
    search->blocks = best_blocks((double)rows, search->simhash->distance);
    search->item_room = rows + 8 < most ? rows + 8 : most;
    search->part_count = (uint32_t)(rows / search->item_room + 1);
    search->item = malloc(search->item_room * sizeof(*search->item));
    return search->item ? 0
                        : pex_error_set(err, PEX_ENOMEM, "out of memory for %zu fingerprints",
                                        search->item_room);
}

int32_t pex__simhash_resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    struct search search = {.simhash = instance, .keys = keys, .is_first = true};
    int32_t rc = pex__groups_init(&search.groups, keys, err);
    if (!rc)
        rc = make_room(&search, err);
    if (!rc)
        rc = walk_choices(&search, err);
    free(search.item);
    if (!rc && search.unshinglable)
        rc = pex_keys_note(keys, PEX__UNSHINGLABLE_NOTE, search.unshinglable);
    if (!rc)
        rc = pex__groups_keep_first(&search.groups, keys);
    pex__groups_free(&search.groups);
    return rc;
}
