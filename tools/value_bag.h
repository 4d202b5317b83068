/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often which value that is no number came, as JSON text; of a list each of its items. When
 * there are too many different ones they are no longer told apart. Not thread-safe.
 */
#ifndef TOOL_VALUE_BAG_H
#define TOOL_VALUE_BAG_H

#include <stddef.h>
#include <stdint.h>

struct value_slot {
    char *json; /* a long one without its end */
    size_t length;
    uint64_t hash; /* of all of it */
    uint64_t count;
};

struct value_bag {
    struct value_slot *slots;
    size_t slot_count;
    size_t distinct;
    size_t limit;
    uint64_t rows;
    uint64_t count; /* values; a list has none, one or several */
    int is_full;    /* there are more than `limit` different ones */
};

void value_bag_init(struct value_bag *bag, size_t limit);
void value_bag_free(struct value_bag *bag);

/* The value of a row, JSON text. Returns 0, or -1 without memory. */
int value_bag_add(struct value_bag *bag, const char *json, size_t length);

/* Sorts the slots, most frequent first, equally frequent ones by their text; `distinct` of them. */
void value_bag_sort(struct value_bag *bag);

#endif
