/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation. All of the library allocates through these, so that a test build (-Dfault_injection)
 * can make the k-th allocation fail. What they return is freed with pex__free, never with free;
 * text for the host with pex_free, which is the same.
 */
#ifndef PEX_BASE_MEMORY_H
#define PEX_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *pex__malloc(size_t size);
void *pex__calloc(size_t count, size_t size);
void *pex__realloc(void *memory, size_t size);
void pex__free(void *memory);

/*
 * Where a context's memory for rows comes from when its host has an allocator of its own. A block
 * knows its heap: pex__realloc and pex__free work on blocks of every heap, and only who allocates
 * has to say which. Lives as long as its last block.
 */
struct pex__heap {
    void *(*allocate)(void *user, size_t size);
    void *(*reallocate)(void *user, void *memory, size_t size);
    void (*release)(void *user, void *memory);
    void *user;
};

/* heap: NULL is malloc. */
void *pex__heap_malloc(const struct pex__heap *heap, size_t size);
void *pex__heap_calloc(const struct pex__heap *heap, size_t count, size_t size);

char *pex__strdup(const char *text);
char *pex__strndup(const char *text, size_t length);

/*
 * Makes room for `need` elements of `size` bytes in the array at *array with capacity *capacity,
 * growing by half. Returns 0 or PEX_ENOMEM, the array unchanged then. heap: of an array that has no
 * memory yet.
 */
int32_t pex__grow(void *array, size_t *capacity, size_t need, size_t size);
int32_t pex__heap_grow(const struct pex__heap *heap, void *array, size_t *capacity, size_t need,
                       size_t size);

#ifdef PEX_FAULT_INJECTION
/* The k-th allocation from now fails (1: the next), once; 0 switches off. Returns how many
 * allocations were made since the last call. */
uint64_t pex__memory_fail_at(uint64_t k);
#endif

#endif
