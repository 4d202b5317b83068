/* SPDX-License-Identifier: Apache-2.0 */
#include "number_bag.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number as an unsigned one of the same order, its low bits cut off; a count of 0: free. */
struct number_slot {
    uint64_t key;
    uint64_t count;
};

enum { FIRST_SLOTS = 64 };

static const uint64_t sign_bit = UINT64_C(1) << 63;

static uint64_t key_of(double number)
{
    uint64_t bits;

    number += 0.0; /* -0 and 0 are one number */
    memcpy(&bits, &number, sizeof(bits));
    return bits & sign_bit ? ~bits : bits | sign_bit;
}

static double number_of(uint64_t key)
{
    uint64_t bits = key & sign_bit ? key & ~sign_bit : ~key;
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static uint64_t cut(uint64_t key, int bits)
{
    return key >> bits << bits;
}

void number_bag_init(struct number_bag *bag, size_t limit)
{
    *bag = (struct number_bag){.limit = limit, .min = INFINITY, .max = -INFINITY, .is_whole = 1};
}

void number_bag_free(struct number_bag *bag)
{
    free(bag->slots);
    free(bag->values);
    free(bag->counts);
}

/* The slot of the key, or the free one where it goes. There is always a free one. */
static struct number_slot *find(struct number_slot *slots, size_t slot_count, uint64_t key)
{
    size_t at = (size_t)((key ^ key >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 20);

    for (;; at++) {
        struct number_slot *slot = &slots[at & (slot_count - 1)];

        if (slot->count == 0 || slot->key == key)
            return slot;
    }
}

/* Puts everything into so many new slots. */
static int rebuild(struct number_bag *bag, size_t slot_count)
{
    struct number_slot *slots = calloc(slot_count, sizeof(*slots));

    if (!slots)
        return -1;
    bag->distinct = 0;
    for (size_t i = 0; i < bag->slot_count; i++) {
        struct number_slot *slot;

        if (bag->slots[i].count == 0)
            continue;
        slot = find(slots, slot_count, cut(bag->slots[i].key, bag->rounded_bits));
        bag->distinct += slot->count == 0;
        slot->key = cut(bag->slots[i].key, bag->rounded_bits);
        slot->count += bag->slots[i].count;
    }
    free(bag->slots);
    bag->slots = slots;
    bag->slot_count = slot_count;
    return 0;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = ((const struct number_slot *)left)->key;
    uint64_t b = ((const struct number_slot *)right)->key;

    return (a > b) - (a < b);
}

/* Puts the slots in use to the front, ascending; a table no more, but good for rebuild. */
static void sort_slots(struct number_bag *bag)
{
    size_t count = 0;

    for (size_t i = 0; i < bag->slot_count; i++)
        if (bag->slots[i].count != 0)
            bag->slots[count++] = bag->slots[i];
    for (size_t i = count; i < bag->slot_count; i++)
        bag->slots[i].count = 0;
    if (count)
        qsort(bag->slots, count, sizeof(*bag->slots), compare);
}

static int highest_bit(uint64_t bits)
{
    return 63 - __builtin_clzll(bits);
}

/*
 * Too many different numbers: tells them apart by so many bits less that they fit. It is the least
 * that all numbers so far need, and what the first ones need is never more than what all do, so
 * that the order does not matter. Neighbours become one when the highest bit in which they differ
 * is cut off.
 */
static int coarsen(struct number_bag *bag)
{
    size_t parted_by[64] = {0};

    sort_slots(bag);
    for (size_t i = 1; i < bag->distinct; i++)
        parted_by[highest_bit(bag->slots[i - 1].key ^ bag->slots[i].key)]++;
    for (size_t distinct = bag->distinct; distinct > bag->limit; bag->rounded_bits++)
        distinct -= parted_by[bag->rounded_bits];
    return rebuild(bag, bag->slot_count);
}

static int add_key(struct number_bag *bag, uint64_t key)
{
    struct number_slot *slot = find(bag->slots, bag->slot_count, key);

    if (slot->count++ > 0)
        return 0;
    slot->key = key;
    bag->distinct++;
    /* Half as many again are let in meanwhile, else nearly each new one would call for it. */
    if (bag->distinct > bag->limit + bag->limit / 2)
        return coarsen(bag);
    return bag->distinct <= bag->slot_count / 4 * 3 ? 0 : rebuild(bag, 2 * bag->slot_count);
}

int number_bag_add(struct number_bag *bag, double number)
{
    if (isnan(number))
        bag->nans++;
    else if (isinf(number))
        bag->infinities++;
    if (!isfinite(number))
        return 0;
    if (!bag->slots && rebuild(bag, FIRST_SLOTS))
        return -1;
    bag->count++;
    if (number < bag->min)
        bag->min = number;
    if (number > bag->max)
        bag->max = number;
    if (bag->is_whole && number != floor(number))
        bag->is_whole = 0;
    return add_key(bag, cut(key_of(number), bag->rounded_bits));
}

/*
 * What stands for all numbers of a slot: the middle of them, inside of what came. Zero, and a whole
 * number that is alone there, stand for themselves.
 */
static double value_of(const struct number_bag *bag, uint64_t key)
{
    double value = number_of(key), end;

    if (bag->rounded_bits == 0 || key == key_of(0.0))
        return value;
    end = number_of(key + (UINT64_C(1) << bag->rounded_bits));
    if (bag->is_whole && ceil(value) + 1 >= end)
        return ceil(value);
    value = number_of(key + (UINT64_C(1) << (bag->rounded_bits - 1)));
    value = value < bag->min ? bag->min : value;
    return value > bag->max ? bag->max : value;
}

int number_bag_sort(struct number_bag *bag)
{
    if (bag->distinct > bag->limit && coarsen(bag))
        return -1;
    bag->values = calloc(bag->distinct + 1, sizeof(*bag->values));
    bag->counts = calloc(bag->distinct + 1, sizeof(*bag->counts));
    if (!bag->values || !bag->counts)
        return -1;
    sort_slots(bag);
    for (size_t i = 0; i < bag->distinct; i++) {
        bag->values[i] = value_of(bag, bag->slots[i].key);
        bag->counts[i] = bag->slots[i].count;
    }
    free(bag->slots);
    bag->slots = NULL;
    bag->slot_count = 0;
    return 0;
}

double number_bag_rounding(const struct number_bag *bag)
{
    return bag->rounded_bits ? ldexp(1.0, bag->rounded_bits - DBL_MANT_DIG) : 0.0;
}

double number_bag_mean(const struct number_bag *bag)
{
    long double sum = 0;

    for (size_t i = 0; i < bag->distinct; i++)
        sum += (long double)bag->values[i] * (long double)bag->counts[i];
    return (double)(sum / (long double)bag->count);
}

double number_bag_deviation(const struct number_bag *bag, double mean)
{
    long double sum = 0;

    for (size_t i = 0; i < bag->distinct; i++) {
        long double away = (long double)bag->values[i] - (long double)mean;

        sum += away * away * (long double)bag->counts[i];
    }
    return bag->min == bag->max ? 0.0 : (double)sqrtl(sum / (long double)(bag->count - 1));
}

/* The number at a place of the sorted row of all; *index goes on from where the last call was. */
static double number_at(const struct number_bag *bag, uint64_t place, size_t *index,
                        uint64_t *before)
{
    while (*before + bag->counts[*index] <= place)
        *before += bag->counts[(*index)++];
    return bag->values[*index];
}

double number_bag_quantile(const struct number_bag *bag, double share)
{
    double place = share * (double)(bag->count - 1), whole = floor(place), low, high;
    uint64_t first = (uint64_t)whole, before = 0;
    size_t index = 0;

    if (share >= 1.0)
        return bag->max;
    if (share <= 0.0)
        return bag->min;
    low = number_at(bag, first, &index, &before);
    high = first + 1 < bag->count ? number_at(bag, first + 1, &index, &before) : low;
    /* From the nearer one, so that no rounding leads past it. */
    return place - whole < 0.5 ? low + (high - low) * (place - whole)
                               : high - (high - low) * (1.0 - (place - whole));
}

uint64_t number_bag_below(const struct number_bag *bag, double bound, int with_bound)
{
    uint64_t below = 0;

    for (size_t i = 0; i < bag->distinct; i++) {
        if (bag->values[i] > bound || (bag->values[i] == bound && !with_bound))
            break;
        below += bag->counts[i];
    }
    return below;
}
