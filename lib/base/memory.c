/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <partexec/base.h>

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

void *pex__malloc(size_t size)
{
    return must_fail() ? NULL : malloc(size != 0 ? size : 1);
}

void *pex__calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : calloc(count != 0 ? count : 1, size != 0 ? size : 1);
}

void *pex__realloc(void *memory, size_t size)
{
    return must_fail() ? NULL : realloc(memory, size != 0 ? size : 1);
}

void pex__free(void *memory)
{
    free(memory);
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

int32_t pex__grow(void *array, size_t *capacity, size_t need, size_t size)
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
    grown = pex__realloc(old, room * size);
    if (grown == NULL)
        return PEX_ENOMEM;
    memcpy(array, &grown, sizeof grown);
    *capacity = room;
    return 0;
}
