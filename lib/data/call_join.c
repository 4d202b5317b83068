/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call on the rows of several batches. Each batch has a call of its own, its part; the handle
 * that the operator holds finds the part of a row, and puts columns together. All its memory is
 * scratch memory of the first part.
 */
#include "data/call.h"

#include <string.h>

struct child {
    uint32_t part;
    uint32_t row; /* of the part's call */
};

/* What pex_batch_cache_put made; unlike that of one batch it ends with the call. */
struct cached {
    struct cached *next;
    int32_t column;
    size_t size;
    void *memory;
    char key[];
};

struct pex__joint {
    struct pex_batch call; /* what the operator holds */
    struct pex_batch **parts;
    size_t count;
    size_t *begins; /* first row of each part; [count]: all rows */
    size_t at;      /* part of the last row asked for */
    struct child *children;
    size_t child_room;
    uint32_t *counts;
    struct cached *cached;
};

static void *make(struct pex__joint *joint, size_t count, size_t size)
{
    void *array = pex__call_array(joint->parts[0], count, size);

    if (array != NULL)
        memset(array, 0, count * size);
    return array;
}

pex_batch *pex__call_join(pex_batch *const *parts, size_t count)
{
    struct pex_batch *first = parts[0];
    struct pex__joint *joint = pex__call_array(first, 1, sizeof *joint);
    size_t fields = first->site->field_count;

    if (joint == NULL)
        return NULL;
    *joint = (struct pex__joint){.count = count};
    joint->parts = pex__call_array(first, count, sizeof *joint->parts);
    joint->begins = pex__call_array(first, count + 1, sizeof *joint->begins);
    if (joint->parts == NULL || joint->begins == NULL)
        return NULL;
    memcpy(joint->parts, parts, count * sizeof *joint->parts);
    joint->begins[0] = 0;
    for (size_t i = 0; i < count; i++)
        joint->begins[i + 1] = joint->begins[i] + parts[i]->count;
    joint->call.joint = joint;
    joint->call.site = first->site;
    joint->call.cancelled = first->cancelled;
    joint->call.count = joint->begins[count];
    joint->call.reads = make(joint, fields + 1, PEX__READ_COUNT * sizeof(struct pex__read));
    return joint->call.reads != NULL ? &joint->call : NULL;
}

size_t pex__call_split(pex_batch *call)
{
    struct pex__joint *joint = call->joint;
    size_t rows = call->consumed != 0 ? call->consumed : call->count, i = 0;

    for (; i < joint->count && joint->begins[i] < rows; i++)
        if (rows < joint->begins[i + 1])
            joint->parts[i]->consumed = rows - joint->begins[i];
    return i;
}

/* Rows are mostly asked for in order. */
static void find_part(struct pex__joint *joint, size_t row)
{
    while (row < joint->begins[joint->at])
        joint->at--;
    while (row >= joint->begins[joint->at + 1])
        joint->at++;
}

struct pex_batch *pex__joint_at(struct pex__joint *joint, size_t *row)
{
    if (*row < joint->call.count) {
        find_part(joint, *row);
        *row -= joint->begins[joint->at];
    } else if (*row - joint->call.count < joint->call.child_count) {
        const struct child *child = &joint->children[*row - joint->call.count];

        joint->at = child->part;
        *row = child->row;
    } else {
        *row = SIZE_MAX;
    }
    return joint->parts[joint->at];
}

struct pex_batch *pex__joint_last(struct pex__joint *joint)
{
    return joint->parts[joint->at];
}

static int32_t reserve_child(struct pex__joint *joint)
{
    size_t count = joint->call.child_count, room = count != 0 ? 2 * count : 64;
    struct child *children;

    if (count < joint->child_room)
        return 0;
    children = make(joint, room, sizeof *children);
    if (children == NULL)
        return PEX_ENOMEM;
    if (count != 0)
        memcpy(children, joint->children, count * sizeof *children);
    joint->children = children;
    joint->child_room = room;
    return 0;
}

int32_t pex__joint_append(struct pex__joint *joint, size_t row, size_t *child)
{
    struct pex_batch *part;
    int32_t failed;
    size_t made;

    if (reserve_child(joint) != 0)
        return PEX_ENOMEM;
    part = pex__joint_at(joint, &row);
    failed = pex_batch_append(part, row, &made);
    if (failed != 0)
        return failed;
    joint->children[joint->call.child_count] = (struct child){(uint32_t)joint->at, (uint32_t)made};
    if (child != NULL)
        *child = joint->call.count + joint->call.child_count;
    joint->call.child_count++;
    return 0;
}

int32_t pex__joint_read(struct pex__joint *joint, pex__read_part read_part, int32_t field,
                        int accessor, size_t size)
{
    char *values = make(joint, joint->call.count + 1, size);
    uint8_t *states = make(joint, joint->call.count + 1, 1);
    struct pex__read read;

    if (values == NULL || states == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < joint->count; i++) {
        int32_t failed = read_part(joint->parts[i], field, accessor, &read);

        if (failed != 0)
            return failed;
        memcpy(values + joint->begins[i] * size, read.values, joint->parts[i]->count * size);
        memcpy(states + joint->begins[i], read.states, joint->parts[i]->count);
    }
    joint->call.reads[(size_t)field * PEX__READ_COUNT + (size_t)accessor] =
        (struct pex__read){values, states};
    return 0;
}

int32_t pex__joint_row_ids(struct pex__joint *joint, const struct pex_row_id **ids)
{
    struct pex_row_id *made = joint->call.ids;

    if (made == NULL)
        made = make(joint, joint->call.count + 1, sizeof *made);
    if (made == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < joint->count && joint->call.ids == NULL; i++)
        pex__batch_ids(joint->parts[i]->batch, joint->parts[i]->first, joint->parts[i]->count,
                       made + joint->begins[i]);
    *ids = joint->call.ids = made;
    return 0;
}

pex_batch *pex__joint_first(struct pex__joint *joint)
{
    return joint->parts[0];
}

int32_t pex__joint_counts(struct pex__joint *joint, const uint32_t **counts)
{
    uint32_t *made = joint->counts;
    const uint32_t *own;

    if (made == NULL)
        made = make(joint, joint->call.count + 1, sizeof *made);
    if (made == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < joint->count && joint->counts == NULL; i++) {
        int32_t failed = pex_batch_counts(joint->parts[i], &own);

        if (failed != 0)
            return failed;
        memcpy(made + joint->begins[i], own, joint->parts[i]->count * sizeof *own);
    }
    *counts = joint->counts = made;
    return 0;
}

static struct cached *find_cached(const struct pex__joint *joint, int32_t column, const char *key)
{
    struct cached *cached = joint->cached;

    while (cached != NULL && (cached->column != column || strcmp(cached->key, key) != 0))
        cached = cached->next;
    return cached;
}

void *pex__joint_cache_put(struct pex__joint *joint, int32_t column, const char *key, size_t size)
{
    size_t key_bytes = strlen(key) + 1;
    struct cached *cached;
    void *memory;

    if (find_cached(joint, column, key) != NULL)
        return NULL;
    cached = make(joint, 1, sizeof *cached + key_bytes);
    memory = make(joint, size != 0 ? size : 1, 1);
    if (cached == NULL || memory == NULL)
        return NULL;
    *cached = (struct cached){joint->cached, column, size, memory};
    memcpy(cached->key, key, key_bytes);
    joint->cached = cached;
    return memory;
}

void *pex__joint_cache_room(struct pex__joint *joint, size_t size)
{
    return pex__call_array(joint->parts[0], size != 0 ? size : 1, 1);
}

const void *pex__joint_cache_get(const struct pex__joint *joint, int32_t column, const char *key,
                                 size_t *size)
{
    const struct cached *cached = find_cached(joint, column, key);

    if (cached == NULL)
        return NULL;
    if (size != NULL)
        *size = cached->size;
    return cached->memory;
}
