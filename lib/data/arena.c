/* SPDX-License-Identifier: Apache-2.0 */
#include "data/arena.h"

#include "base/memory.h"
#include "data/text.h"

#define CHUNK_BYTES ((size_t)64 << 10)

struct pex__chunk {
    struct pex__chunk *below;
    size_t size; /* of data, slack not counted */
    size_t used;
    _Alignas(16) char data[];
};

static size_t chunk_bytes(const struct pex__chunk *chunk)
{
    return sizeof *chunk + chunk->size + PEX__TEXT_SLACK;
}

static struct pex__chunk *find_spare(struct pex__pool *pool, size_t size)
{
    struct pex__chunk **link = &pool->spare;

    for (; *link != NULL; link = &(*link)->below) {
        struct pex__chunk *chunk = *link;

        if (chunk->size >= size) {
            *link = chunk->below;
            return chunk;
        }
    }
    return NULL;
}

static struct pex__chunk *make_chunk(struct pex__pool *pool, size_t size)
{
    struct pex__chunk *chunk;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
    chunk = pex__heap_malloc(pool->heap, sizeof *chunk + size + PEX__TEXT_SLACK);
    if (chunk == NULL)
        return NULL;
    chunk->size = size;
    pool->bytes += chunk_bytes(chunk);
    return chunk;
}

char *pex__arena_room(struct pex__pool *pool, struct pex__arena *arena, size_t size)
{
    struct pex__chunk *chunk = arena->top;

    if (chunk != NULL && chunk->size - chunk->used >= size)
        return chunk->data + chunk->used;
    chunk = find_spare(pool, size);
    if (chunk == NULL)
        chunk = make_chunk(pool, size != 0 ? size : 1);
    if (chunk == NULL)
        return NULL;
    chunk->used = 0;
    chunk->below = arena->top;
    arena->top = chunk;
    return chunk->data;
}

void pex__arena_take(struct pex__arena *arena, size_t size)
{
    arena->top->used += size;
    arena->bytes += size;
}

void *pex__arena_array(struct pex__pool *pool, struct pex__arena *arena, size_t count, size_t size)
{
    void *array;

    if (count > (SIZE_MAX / 2) / size)
        return NULL;
    size = (count * size + 15) & ~(size_t)15;
    array = pex__arena_room(pool, arena, size);
    if (array != NULL)
        pex__arena_take(arena, size);
    return array;
}

struct pex__arena_mark pex__arena_mark(const struct pex__arena *arena)
{
    return (struct pex__arena_mark){arena->top, arena->top != NULL ? arena->top->used : 0,
                                    arena->bytes};
}

void pex__arena_rewind(struct pex__pool *pool, struct pex__arena *arena,
                       struct pex__arena_mark mark)
{
    while (arena->top != mark.top) {
        struct pex__chunk *chunk = arena->top;

        arena->top = chunk->below;
        chunk->below = pool->spare;
        pool->spare = chunk;
    }
    if (arena->top != NULL)
        arena->top->used = mark.used;
    arena->bytes = mark.bytes;
}

void pex__arena_reset(struct pex__pool *pool, struct pex__arena *arena)
{
    pex__arena_rewind(pool, arena, (struct pex__arena_mark){0});
}

void pex__pool_trim(struct pex__pool *pool, size_t keep_bytes)
{
    struct pex__chunk **link = &pool->spare;

    /* The largest go first: one value of 100 MB must not cost all the chunks of usual size. */
    while (pool->spare != NULL && pool->bytes > keep_bytes) {
        struct pex__chunk **largest = link, *chunk;

        for (link = &pool->spare; *link != NULL; link = &(*link)->below)
            if ((*link)->size > (*largest)->size)
                largest = link;
        chunk = *largest;
        *largest = chunk->below;
        pool->bytes -= chunk_bytes(chunk);
        pex__free(chunk);
        link = &pool->spare;
    }
}
