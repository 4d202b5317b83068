/* SPDX-License-Identifier: Apache-2.0 */
#include "pick.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_SORT 64 /* from here on Python merges */

static bool is_nan(const struct pex__entry *entry)
{
    return *pex__entry_key(entry) == PEX__NAN;
}

/* The order of keys that are numbers, texts or lists; the earlier one is smaller if they are equal.
 * When the largest are wanted the earlier one is larger. */
static int compare(const struct pex__entry *a, const struct pex__entry *b, bool is_largest)
{
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(pex__entry_key(a), pex__entry_key(b), common);
    if (!order)
        order = (a->length > b->length) - (a->length < b->length);
    if (order)
        return order;
    order = (a->row > b->row) - (a->row < b->row);
    return is_largest ? -order : order;
}

static bool is_less(const struct pex__pick *pick, const struct pex__entry *a,
                    const struct pex__entry *b)
{
    return !is_nan(a) && !is_nan(b) && compare(a, b, pick->is_largest) < 0;
}

/* Whether a belongs nearer to the top of the heap, where that is which goes first. */
static bool is_worse(const struct pex__pick *pick, const struct pex__entry *a,
                     const struct pex__entry *b)
{
    return pick->is_largest ? is_less(pick, a, b) : is_less(pick, b, a);
}

static void swap(struct pex__entry *a, struct pex__entry *b)
{
    struct pex__entry kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(struct pex__pick *pick, size_t top, size_t at)
{
    while (at > top) {
        size_t parent = (at - 1) / 2;
        if (!is_worse(pick, &pick->entry[at], &pick->entry[parent]))
            return;
        swap(&pick->entry[at], &pick->entry[parent]);
        at = parent;
    }
}

/* To a leaf by way of the worse children, and up again to its place. */
static void sink(struct pex__pick *pick, size_t top)
{
    size_t at = top;
    while (at < pick->count / 2) {
        size_t child = 2 * at + 1;
        if (child + 1 < pick->count) {
            const struct pex__entry *left = &pick->entry[child], *right = left + 1;
            child += pick->is_largest ? !is_less(pick, left, right) : !is_less(pick, right, left);
        }
        swap(&pick->entry[at], &pick->entry[child]);
        at = child;
    }
    rise(pick, top, at);
}

int32_t pex__pick_begin(struct pex__pick *pick, size_t limit, size_t total, bool is_largest)
{
    bool is_all = limit > 1 && limit >= total;
    *pick = (struct pex__pick){
        .limit = is_all ? total : limit, .is_largest = is_largest, .is_all = is_all};
    pick->entry = malloc((pick->limit + 1) * sizeof(*pick->entry));
    return pick->entry ? 0 : PEX_ENOMEM;
}

static void forget(struct pex__entry *entry)
{
    if (entry->length > PEX__NEAR)
        free(entry->key.far);
}

static int32_t keep(struct pex__entry *place, const struct pex__entry *entry)
{
    *place = *entry;
    if (entry->length <= PEX__NEAR)
        return 0;
    place->key.far = malloc(entry->length);
    if (!place->key.far)
        return PEX_ENOMEM;
    memcpy(place->key.far, entry->key.far, entry->length);
    return 0;
}

/* Whether a key that is there must go for the new one. */
static bool is_better(const struct pex__pick *pick, const struct pex__entry *entry)
{
    const struct pex__entry *top = &pick->entry[0];
    return pick->is_largest ? is_less(pick, top, entry) : is_less(pick, entry, top);
}

int32_t pex__pick_add(struct pex__pick *pick, uint64_t row, const char *key, size_t length)
{
    if (length > UINT32_MAX)
        return PEX_ELIMIT;
    struct pex__entry entry = {.row = row, .length = (uint32_t)length};
    if (length <= PEX__NEAR)
        memcpy(entry.key.near, key, length);
    else
        entry.key.far = (char *)(uintptr_t)key; /* keep() makes a copy */
    if (pick->count < pick->limit) {
        int32_t rc = keep(&pick->entry[pick->count], &entry);
        if (rc)
            return rc;
        pick->count++;
        if (pick->count == pick->limit && !pick->is_all)
            for (size_t i = pick->limit / 2; i > 0; i--)
                sink(pick, i - 1);
        return 0;
    }
    if (!is_better(pick, &entry))
        return 0;
    struct pex__entry kept;
    int32_t rc = keep(&kept, &entry);
    if (rc)
        return rc;
    forget(&pick->entry[0]);
    pick->entry[0] = kept;
    sink(pick, 0);
    return 0;
}

static void reverse(struct pex__entry *entry, size_t count)
{
    for (size_t i = 0; i < count / 2; i++)
        swap(&entry[i], &entry[count - 1 - i]);
}

/* Entries at the beginning that are in order, or were in the opposite one. */
static size_t find_run(struct pex__pick *pick)
{
    size_t run = 2;
    if (pick->count < 2)
        return pick->count;
    bool is_falling = is_less(pick, &pick->entry[1], &pick->entry[0]);
    while (run < pick->count &&
           is_less(pick, &pick->entry[run], &pick->entry[run - 1]) == is_falling)
        run++;
    if (is_falling)
        reverse(pick->entry, run);
    return run;
}

/* Each entry goes behind those that it is not less than, by bisection. */
static void sort_few(struct pex__pick *pick)
{
    for (size_t i = find_run(pick); i < pick->count; i++) {
        struct pex__entry entry = pick->entry[i];
        size_t low = 0, high = i;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (is_less(pick, &entry, &pick->entry[middle]))
                high = middle;
            else
                low = middle + 1;
        }
        memmove(&pick->entry[low + 1], &pick->entry[low], (i - low) * sizeof(entry));
        pick->entry[low] = entry;
    }
}

static int by_key(const void *a, const void *b, bool is_largest)
{
    const struct pex__entry *x = a, *y = b;
    if (is_nan(x) != is_nan(y))
        return is_nan(x) == is_largest ? -1 : 1;
    return compare(x, y, is_largest);
}

static int by_smallest(const void *a, const void *b)
{
    return by_key(a, b, false);
}

static int by_largest(const void *a, const void *b)
{
    return by_key(a, b, true);
}

void pex__pick_end(struct pex__pick *pick)
{
    /* Python sorts what is to descend by turning it around before and after. */
    if (pick->is_largest)
        reverse(pick->entry, pick->count);
    if (pick->count < SMALL_SORT)
        sort_few(pick);
    else
        qsort(pick->entry, pick->count, sizeof(*pick->entry),
              pick->is_largest ? by_largest : by_smallest);
    if (pick->is_largest)
        reverse(pick->entry, pick->count);
}

void pex__pick_free(struct pex__pick *pick)
{
    for (size_t i = 0; i < pick->count; i++)
        forget(&pick->entry[i]);
    free(pick->entry);
    *pick = (struct pex__pick){0};
}
