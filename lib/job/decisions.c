/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A count per row in one byte, in pages that exist only where something was decided; counts that do
 * not fit a byte are in a list beside, the last decision of a row wins.
 */
#include "base/memory.h"
#include "job/keys.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_ROWS = 65536, LISTED = 255 };

struct large {
    uint64_t row;
    uint64_t order;
    uint32_t count;
};

struct pex__decisions {
    uint8_t **pages;
    size_t page_count;
    struct large *list;
    size_t list_count;
    size_t list_capacity;
    void *told;
    size_t told_size;
    const struct pex__heap *heap; /* of pages, list, told */
};

int32_t pex__decisions_create(const struct pex__heap *heap, uint64_t rows,
                              struct pex__decisions **result)
{
    struct pex__decisions *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return PEX_ENOMEM;
    made->heap = heap;
    made->page_count = (size_t)(rows / PAGE_ROWS + 1);
    made->pages = pex__calloc(made->page_count, sizeof *made->pages);
    if (made->pages == NULL) {
        pex__free(made);
        return PEX_ENOMEM;
    }
    *result = made;
    return 0;
}

static int32_t add_large(struct pex__decisions *decisions, uint64_t row, uint32_t count)
{
    struct large *large;

    if (pex__heap_grow(decisions->heap, &decisions->list, &decisions->list_capacity,
                       decisions->list_count + 1, sizeof *decisions->list) != 0)
        return PEX_ENOMEM;
    large = &decisions->list[decisions->list_count];
    large->row = row;
    large->order = decisions->list_count++;
    large->count = count;
    return 0;
}

int32_t pex__decisions_set(struct pex__decisions *decisions, uint64_t row, uint32_t count)
{
    uint8_t **page = &decisions->pages[row / PAGE_ROWS];

    if (*page == NULL) {
        if (count == 1)
            return 0;
        *page = pex__heap_malloc(decisions->heap, PAGE_ROWS);
        if (*page == NULL)
            return PEX_ENOMEM;
        memset(*page, 1, PAGE_ROWS);
    }
    if (count >= LISTED && add_large(decisions, row, count) != 0)
        return PEX_ENOMEM;
    (*page)[row % PAGE_ROWS] = (uint8_t)(count < LISTED ? count : LISTED);
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct large *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->order < b->order ? 1 : a->order > b->order ? -1 : 0;
}

void pex__decisions_seal(struct pex__decisions *decisions)
{
    size_t kept = 0;

    if (decisions->list_count == 0)
        return;
    qsort(decisions->list, decisions->list_count, sizeof *decisions->list, compare);
    for (size_t i = 0; i < decisions->list_count; i++)
        if (kept == 0 || decisions->list[kept - 1].row != decisions->list[i].row)
            decisions->list[kept++] = decisions->list[i];
    decisions->list_count = kept;
}

uint32_t pex__decisions_get(const struct pex__decisions *decisions, uint64_t row)
{
    const uint8_t *page = decisions->pages[row / PAGE_ROWS];
    size_t low = 0, high = decisions->list_count;

    if (page == NULL)
        return 1;
    if (page[row % PAGE_ROWS] != LISTED)
        return page[row % PAGE_ROWS];
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (decisions->list[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return decisions->list[low].count;
}

void pex__decisions_free(struct pex__decisions *decisions)
{
    if (decisions == NULL)
        return;
    for (size_t i = 0; i < decisions->page_count; i++)
        pex__free(decisions->pages[i]);
    pex__free(decisions->pages);
    pex__free(decisions->list);
    pex__free(decisions->told);
    pex__free(decisions);
}

int32_t pex__decisions_tell(struct pex__decisions *decisions, struct pex_string_view told)
{
    void *copy = NULL;

    if (told.length > 0) {
        copy = pex__heap_malloc(decisions->heap, told.length);
        if (copy == NULL)
            return PEX_ENOMEM;
        memcpy(copy, told.data, told.length);
    }
    pex__free(decisions->told);
    decisions->told = copy;
    decisions->told_size = told.length;
    return 0;
}

struct pex_string_view pex__decisions_told(const struct pex__decisions *decisions)
{
    return (struct pex_string_view){decisions->told, decisions->told_size};
}
