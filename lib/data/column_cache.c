/* SPDX-License-Identifier: Apache-2.0 */
/* What operators derive from a column and leave for later ones. */
#include "data/column.h"

#include <string.h>

/* In the column's cache arena, as the memory it describes; newest first. */
struct pex__cached {
    struct pex__cached *older;
    size_t first; /* the rows that it was made from */
    size_t count;
    size_t size;
    size_t element; /* bytes per row; 0: the memory is not per row */
    void *memory;
    char key[];
};

static struct pex__cached *find(const struct pex__column_state *column, const char *key,
                                size_t first, size_t count)
{
    struct pex__cached *cached = column->cached;

    while (cached != NULL &&
           (cached->first != first || cached->count != count || strcmp(cached->key, key) != 0))
        cached = cached->older;
    return cached;
}

void *pex__column_put_cached(struct pex__batch *batch, struct pex__column_state *column,
                             const char *key, size_t first, size_t count, size_t size,
                             size_t element)
{
    struct pex__arena_mark mark = pex__arena_mark(&column->cache);
    size_t key_bytes = strlen(key) + 1;
    struct pex__cached *made;
    void *memory;

    if (find(column, key, first, count) != NULL)
        return NULL;
    made = pex__arena_array(&batch->pool, &column->cache, 1, sizeof *made + key_bytes);
    if (made == NULL)
        return NULL;
    memory = pex__arena_array(&batch->pool, &column->cache, size != 0 ? size : 1, 1);
    if (memory == NULL) {
        pex__arena_rewind(&batch->pool, &column->cache, mark);
        return NULL;
    }
    *made = (struct pex__cached){column->cached, first, count, size, element, memory};
    memcpy(made->key, key, key_bytes);
    memset(memory, 0, size);
    column->cached = made;
    return memory;
}

const void *pex__column_get_cached(const struct pex__column_state *column, const char *key,
                                   size_t first, size_t count, size_t *size)
{
    const struct pex__cached *cached = find(column, key, first, count);

    if (cached == NULL)
        return NULL;
    if (size != NULL)
        *size = cached->size;
    return cached->memory;
}

void *pex__column_cache_room(struct pex__batch *batch, struct pex__column_state *column,
                             size_t size)
{
    return pex__arena_array(&batch->pool, &column->cache, size != 0 ? size : 1, 1);
}

/* Non-zero if what is cached has followed the rows; it goes otherwise. */
static int follow(struct pex__cached *cached, size_t first, size_t in,
                  const struct pex__move *moves, size_t out)
{
    char *memory = cached->memory;

    if (cached->element == 0)
        return 0;
    if (cached->first + cached->count <= first)
        return 1;
    if (cached->first >= first + in) {
        cached->first = cached->first - in + out;
        return 1;
    }
    if (cached->first != first || cached->count != in)
        return 0;
    for (size_t k = 0; k < out; k++)
        if (moves[k].row - first != k)
            memcpy(memory + k * cached->element, memory + (moves[k].row - first) * cached->element,
                   cached->element);
    cached->count = out;
    cached->size = out * cached->element;
    return 1;
}

void pex__column_follow_cached(struct pex__batch *batch, struct pex__column_state *column,
                               size_t first, size_t in, const struct pex__move *moves, size_t out)
{
    struct pex__cached **link = &column->cached;

    while (*link != NULL) {
        if (follow(*link, first, in, moves, out))
            link = &(*link)->older;
        else
            *link = (*link)->older;
    }
    if (column->cached == NULL)
        pex__column_forget_cached(batch, column);
}

void pex__column_forget_cached(struct pex__batch *batch, struct pex__column_state *column)
{
    column->cached = NULL;
    pex__arena_reset(&batch->pool, &column->cache);
}
