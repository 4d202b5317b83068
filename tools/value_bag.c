/* SPDX-License-Identifier: Apache-2.0 */
#include "value_bag.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { FIRST_SLOTS = 64, KEPT_BYTES = 200 };

void value_bag_init(struct value_bag *bag, size_t limit)
{
    *bag = (struct value_bag){.limit = limit};
}

static void forget(struct value_bag *bag)
{
    for (size_t i = 0; i < bag->slot_count; i++)
        free(bag->slots[i].json);
    free(bag->slots);
    bag->slots = NULL;
    bag->slot_count = 0;
}

void value_bag_free(struct value_bag *bag)
{
    forget(bag);
}

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* Long values are told apart by hash, length and beginning. */
static size_t kept_length(const char *text, size_t length)
{
    size_t kept = length < KEPT_BYTES ? length : KEPT_BYTES;

    while (kept < length && kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80)
        kept--;
    return kept;
}

static struct value_slot *find(struct value_slot *slots, size_t slot_count, const char *text,
                               size_t length, uint64_t hash)
{
    size_t at = (size_t)hash;

    for (;; at++) {
        struct value_slot *slot = &slots[at & (slot_count - 1)];

        if (slot->count == 0 || (slot->hash == hash && slot->length == length &&
                                 memcmp(slot->json, text, kept_length(text, length)) == 0))
            return slot;
    }
}

static int grow(struct value_bag *bag)
{
    size_t slot_count = bag->slots ? 2 * bag->slot_count : FIRST_SLOTS;
    struct value_slot *slots = calloc(slot_count, sizeof(*slots));

    if (!slots)
        return -1;
    for (size_t i = 0; i < bag->slot_count; i++) {
        const struct value_slot *old = &bag->slots[i];

        if (old->count != 0)
            *find(slots, slot_count, old->json, old->length, old->hash) = *old;
    }
    free(bag->slots);
    bag->slots = slots;
    bag->slot_count = slot_count;
    return 0;
}

static int add_text(struct value_bag *bag, const char *text, size_t length)
{
    uint64_t hash = hash_of(text, length);
    size_t kept = kept_length(text, length);
    struct value_slot *slot;

    bag->count++;
    if (bag->is_full)
        return 0;
    if (bag->distinct >= bag->slot_count / 2 && grow(bag))
        return -1;
    slot = find(bag->slots, bag->slot_count, text, length, hash);
    if (slot->count++ > 0)
        return 0;
    *slot = (struct value_slot){malloc(kept + 1), length, hash, 1};
    if (!slot->json)
        return -1;
    memcpy(slot->json, text, kept);
    slot->json[kept] = '\0';
    if (++bag->distinct > bag->limit) {
        bag->is_full = 1;
        forget(bag);
    }
    return 0;
}

static int add_value(struct value_bag *bag, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    int result = text ? add_text(bag, text, strlen(text)) : -1;

    free(text);
    return result;
}

static int add_items(struct value_bag *bag, const json_t *list)
{
    int result = 0;

    for (size_t i = 0; i < json_array_size(list) && result == 0; i++)
        result = add_value(bag, json_array_get(list, i));
    return result;
}

int value_bag_add(struct value_bag *bag, const char *json, size_t length)
{
    json_t *value = json_loadb(json, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    int result;

    bag->rows++;
    if (!value) /* half a surrogate pair, which is no text, or a number beyond all bounds */
        return add_text(bag, json, length);
    result = json_is_array(value) ? add_items(bag, value) : add_value(bag, value);
    json_decref(value);
    return result;
}

static int compare(const void *left, const void *right)
{
    const struct value_slot *a = left, *b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->json, b->json) ? strcmp(a->json, b->json)
                                    : (a->hash > b->hash) - (a->hash < b->hash);
}

void value_bag_sort(struct value_bag *bag)
{
    size_t count = 0;

    for (size_t i = 0; i < bag->slot_count; i++)
        if (bag->slots[i].count != 0)
            bag->slots[count++] = bag->slots[i];
    bag->slot_count = count;
    if (count)
        qsort(bag->slots, count, sizeof(*bag->slots), compare);
}
