/* SPDX-License-Identifier: Apache-2.0 */
#include "data/path.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/scan_keys.h"

#include <stdlib.h>
#include <string.h>

static char *join(const char *const *keys, size_t depth)
{
    size_t length = 0;
    char *name, *end;

    for (size_t i = 0; i < depth; i++)
        length += strlen(keys[i]) + 1;
    name = end = pex__malloc(length);
    if (name == NULL)
        return NULL;
    for (size_t i = 0; i < depth; i++) {
        end = stpcpy(end, keys[i]);
        *end++ = i + 1 < depth ? '.' : '\0';
    }
    return name;
}

int32_t pex__path_keys(const char *const *keys, size_t depth, struct pex__path *path)
{
    struct pex__path made = {.name = join(keys, depth), .keys = pex__calloc(depth, sizeof(char *))};

    if (made.name == NULL || made.keys == NULL)
        goto no_memory;
    for (; made.depth < depth; made.depth++) {
        made.keys[made.depth] = pex__strdup(keys[made.depth]);
        if (made.keys[made.depth] == NULL)
            goto no_memory;
    }
    *path = made;
    return 0;

no_memory:
    pex__path_free(&made);
    return PEX_ENOMEM;
}

int32_t pex__path_parse(const char *dotted, struct pex__path *path, struct pex_error *err)
{
    char *text = pex__strdup(dotted), *rest = text;
    const char **keys;
    size_t depth = 1, count = 0;
    int32_t code = 0;

    for (const char *p = dotted; *p != '\0'; p++)
        depth += *p == '.';
    keys = pex__calloc(depth, sizeof *keys);
    if (text == NULL || keys == NULL)
        code = pex__error_memory(err);
    for (char *key; code == 0 && (key = strsep(&rest, ".")) != NULL; keys[count++] = key)
        if (*key == '\0')
            code =
                pex_error_set(err, PEX_EINVAL,
                              "field path \"%s\": part %zu is empty; write keys joined by single "
                              "dots, such as meta.lang",
                              dotted, count + 1);
    if (code == 0 && pex__path_keys(keys, depth, path) != 0)
        code = pex__error_memory(err);
    pex__free(keys);
    pex__free(text);
    return code;
}

void pex__path_free(struct pex__path *path)
{
    for (size_t i = 0; i < path->depth; i++)
        pex__free(path->keys[i]);
    pex__free(path->keys);
    pex__free(path->name);
    memset(path, 0, sizeof *path);
}

/* Number of leading keys that a and b have in common. */
static size_t common_depth(const struct pex__path *a, const struct pex__path *b)
{
    size_t i = 0;

    while (i < a->depth && i < b->depth && strcmp(a->keys[i], b->keys[i]) == 0)
        i++;
    return i;
}

int pex__path_equal(const struct pex__path *a, const struct pex__path *b)
{
    return a->depth == b->depth && common_depth(a, b) == a->depth;
}

int pex__path_overlaps(const struct pex__path *a, const struct pex__path *b)
{
    size_t shorter = a->depth < b->depth ? a->depth : b->depth;

    return a->depth != b->depth && common_depth(a, b) == shorter;
}

/* A path and its column, to be sorted: paths with a common beginning come to lie together. */
struct entry {
    const struct pex__path *path;
    uint32_t column;
};

static int compare_entries(const void *left, const void *right)
{
    const struct pex__path *a = ((const struct entry *)left)->path;
    const struct pex__path *b = ((const struct entry *)right)->path;
    size_t i = common_depth(a, b);

    if (i == a->depth || i == b->depth)
        return (a->depth > b->depth) - (a->depth < b->depth);
    return strcmp(a->keys[i], b->keys[i]);
}

struct builder {
    struct pex__paths *set;
    const struct entry *entries;
    size_t key_count;
    char *text; /* where the next key's text goes */
};

/* Appends the key at `depth` of the entries from `first` on that share it; returns their number. */
static size_t add_key(struct builder *builder, size_t first, size_t last, size_t depth)
{
    const char *text = builder->entries[first].path->keys[depth];
    struct pex__key *key = &builder->set->keys[builder->key_count++];
    size_t count = 1;

    while (first + count < last &&
           strcmp(text, builder->entries[first + count].path->keys[depth]) == 0)
        count++;
    key->text = builder->text;
    key->length = (uint32_t)strlen(text);
    builder->text = stpcpy(builder->text, text) + 1;
    key->below = builder->set->columns + first;
    key->below_count = (uint32_t)count;
    return count;
}

/* Finds the own column and the children of a key whose depth is `depth` (the root's is 0). */
static void add_children(struct builder *builder, struct pex__key *key, size_t depth)
{
    size_t first = (size_t)(key->below - builder->set->columns), last = first + key->below_count;

    key->column = -1;
    if (first < last && builder->entries[first].path->depth == depth)
        key->column = (int32_t)builder->entries[first++].column;
    key->children = builder->set->keys + builder->key_count;
    while (first < last) {
        first += add_key(builder, first, last, depth);
        key->child_count++;
    }
}

/* Breadth first, so that children lie together. */
static void build(struct builder *builder, size_t count)
{
    size_t begin = 0, end = 1;

    for (size_t i = 0; i < count; i++)
        builder->set->columns[i] = builder->entries[i].column;
    builder->set->keys[0] = (struct pex__key){
        .text = "", .below = builder->set->columns, .below_count = (uint32_t)count};
    builder->key_count = 1;
    for (size_t depth = 0; begin < end; depth++) {
        for (; begin < end; begin++)
            add_children(builder, &builder->set->keys[begin], depth);
        end = builder->key_count;
    }
}

static struct pex__paths *allocate(const struct pex__path *paths, size_t count)
{
    struct pex__paths *set = pex__calloc(1, sizeof *set);
    size_t keys = 1, bytes = 1;

    if (set == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        keys += paths[i].depth;
        for (size_t k = 0; k < paths[i].depth; k++)
            bytes += strlen(paths[i].keys[k]) + 1;
    }
    set->count = count;
    set->keys = pex__calloc(keys, sizeof *set->keys);
    set->columns = pex__calloc(count, sizeof *set->columns);
    set->text = pex__malloc(bytes);
    if (set->keys != NULL && set->columns != NULL && set->text != NULL)
        return set;
    pex__paths_free(set);
    return NULL;
}

int32_t pex__paths_create(const struct pex__path *paths, size_t count, struct pex__paths **set)
{
    struct pex__paths *made = allocate(paths, count);
    struct entry *entries = pex__calloc(count, sizeof *entries);
    int32_t code = made == NULL || entries == NULL ? PEX_ENOMEM : 0;

    if (code == 0) {
        for (size_t i = 0; i < count; i++)
            entries[i] = (struct entry){&paths[i], (uint32_t)i};
        qsort(entries, count, sizeof *entries, compare_entries);
        for (size_t i = 1; i < count; i++)
            if (compare_entries(&entries[i - 1], &entries[i]) == 0)
                code = PEX_EINVAL;
    }
    if (code == 0) {
        build(&(struct builder){.set = made, .entries = entries, .text = made->text}, count);
        *set = made;
    } else {
        pex__paths_free(made);
    }
    pex__free(entries);
    return code;
}

void pex__paths_free(struct pex__paths *set)
{
    if (set == NULL)
        return;
    pex__free(set->keys);
    pex__free(set->columns);
    pex__free(set->text);
    pex__free(set);
}

size_t pex__paths_count(const struct pex__paths *set)
{
    return set->count;
}
