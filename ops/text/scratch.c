/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <stdint.h>
#include <stdlib.h>

#define BLOCK_SIZE 16384

struct pex__block {
    struct pex__block *next;
    size_t size;
    size_t used;
    size_t reserved; /* keeps the memory behind it aligned to 16 */
};

void *pex__scratch_alloc(struct pex__scratch *scratch, size_t size)
{
    struct pex__block *block = scratch->block;
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = malloc(sizeof(*block) + room);
        if (!block)
            return NULL;
        *block = (struct pex__block){scratch->block, room, 0, 0};
        scratch->block = block;
    }
    block->used += size;
    return (char *)(block + 1) + block->used - size;
}

static void free_blocks(struct pex__block *block)
{
    while (block) {
        struct pex__block *next = block->next;
        free(block);
        block = next;
    }
}

void pex__scratch_reset(struct pex__scratch *scratch)
{
    struct pex__block *last = scratch->block;
    if (!last)
        return;
    free_blocks(last->next);
    last->next = NULL;
    last->used = 0;
}

void pex__scratch_free(struct pex__scratch *scratch)
{
    free_blocks(scratch->block);
    scratch->block = NULL;
}
