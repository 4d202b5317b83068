/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <partexec/base.h>

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef PEX_FAULT_INJECTION
#include <stdatomic.h>

static _Atomic uint64_t made, fail_at;

uint64_t pex__memory_fail_at(uint64_t k)
{
    uint64_t count = atomic_exchange(&made, 0);

    atomic_store(&fail_at, k);
    return count;
}

static int must_fail(void)
{
    uint64_t at = atomic_load(&fail_at);

    return atomic_fetch_add(&made, 1) + 1 == at && at != 0;
}
#else
static int must_fail(void)
{
    return 0;
}
#endif

/* In front of every block; its size keeps the alignment that malloc gives. */
struct head {
    _Alignas(max_align_t) const struct pex__heap *heap; /* NULL: malloc */
    uint32_t mark; /* what asprintf and its like return has none */
};
#define MARK 0x6b6c6278u

static struct head *head_of(void *memory)
{
    struct head *head = (struct head *)memory - 1;

    assert(head->mark == MARK);
    return head;
}

static void *begin_block(struct head *head, const struct pex__heap *heap)
{
    if (head == NULL)
        return NULL;
    head->heap = heap;
    head->mark = MARK;
    return head + 1;
}

void *pex__heap_malloc(const struct pex__heap *heap, size_t size)
{
    if (must_fail() || size > SIZE_MAX - sizeof(struct head))
        return NULL;
    size += sizeof(struct head);
    return begin_block(heap != NULL ? heap->allocate(heap->user, size) : malloc(size), heap);
}

void *pex__heap_calloc(const struct pex__heap *heap, size_t count, size_t size)
{
    void *memory;

    if (size != 0 && count > (SIZE_MAX - sizeof(struct head)) / size)
        return NULL;
    size *= count;
    if (heap == NULL)
        return must_fail() ? NULL : begin_block(calloc(1, size + sizeof(struct head)), NULL);
    memory = pex__heap_malloc(heap, size);
    return memory != NULL ? memset(memory, 0, size) : NULL;
}

void *pex__malloc(size_t size)
{
    return pex__heap_malloc(NULL, size);
}

void *pex__calloc(size_t count, size_t size)
{
    return pex__heap_calloc(NULL, count, size);
}

void *pex__realloc(void *memory, size_t size)
{
    const struct pex__heap *heap;
    struct head *head;

    if (memory == NULL)
        return pex__malloc(size);
    if (must_fail() || size > SIZE_MAX - sizeof *head)
        return NULL;
    size += sizeof *head;
    head = head_of(memory);
    heap = head->heap;
    return begin_block(
        heap != NULL ? heap->reallocate(heap->user, head, size) : realloc(head, size), heap);
}

void pex__free(void *memory)
{
    struct head *head;

    if (memory == NULL)
        return;
    head = head_of(memory);
    if (head->heap != NULL)
        head->heap->release(head->heap->user, head);
    else
        free(head);
}

char *pex__strndup(const char *text, size_t length)
{
    char *copy = pex__malloc(length + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *pex__strdup(const char *text)
{
    return pex__strndup(text, strlen(text));
}

int32_t pex__heap_grow(const struct pex__heap *heap, void *array, size_t *capacity, size_t need,
                       size_t size)
{
    void *old, *grown;
    size_t room = *capacity;

    if (need <= room)
        return 0;
    room += room / 2 + 8;
    if (room < need)
        room = need;
    if (room > SIZE_MAX / size)
        return PEX_ENOMEM;
    memcpy(&old, array, sizeof old);
    grown = old != NULL ? pex__realloc(old, room * size) : pex__heap_malloc(heap, room * size);
    if (grown == NULL)
        return PEX_ENOMEM;
    memcpy(array, &grown, sizeof grown);
    *capacity = room;
    return 0;
}

int32_t pex__grow(void *array, size_t *capacity, size_t need, size_t size)
{
    return pex__heap_grow(NULL, array, capacity, need, size);
}

void pex_free(void *text)
{
    pex__free(text);
}
