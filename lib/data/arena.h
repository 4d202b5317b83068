/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arenas of one batch: bytes that never move and are given back together. Chunks come from the
 * pool of the batch and return to it, so that a batch in steady state allocates nothing.
 */
#ifndef PEX_DATA_ARENA_H
#define PEX_DATA_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct pex__chunk;
struct pex__heap;

struct pex__pool {
    struct pex__chunk *spare;
    size_t bytes; /* of all chunks, spare or in an arena */
    const struct pex__heap *heap;
};

/* An arena of zeros is empty and valid. */
struct pex__arena {
    struct pex__chunk *top;
    size_t bytes; /* taken */
};

struct pex__arena_mark {
    struct pex__chunk *top;
    size_t used;
    size_t bytes;
};

/*
 * At least `size` bytes that stay unchanged only once they are taken, aligned to 16 if only
 * multiples of 16 were taken. PEX__TEXT_SLACK bytes behind them are readable and writable, too.
 * NULL without memory.
 */
char *pex__arena_room(struct pex__pool *pool, struct pex__arena *arena, size_t size);
/* Takes the first `size` bytes of what pex__arena_room returned last. */
void pex__arena_take(struct pex__arena *arena, size_t size);
/* Room for count elements of size bytes, aligned to 16, in an arena of such arrays. */
void *pex__arena_array(struct pex__pool *pool, struct pex__arena *arena, size_t count, size_t size);

struct pex__arena_mark pex__arena_mark(const struct pex__arena *arena);
/* Gives back what was taken after the mark. */
void pex__arena_rewind(struct pex__pool *pool, struct pex__arena *arena,
                       struct pex__arena_mark mark);
void pex__arena_reset(struct pex__pool *pool, struct pex__arena *arena);

/* Frees spare chunks until the pool holds at most keep_bytes, or has none. */
void pex__pool_trim(struct pex__pool *pool, size_t keep_bytes);

#endif
