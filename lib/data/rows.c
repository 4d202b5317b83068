/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rows.h"

#include "base/memory.h"

#include <partexec/base.h>

#include <string.h>

static void free_columns(struct pex__rows *rows)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        pex__free(rows->columns[i].spans);
        pex__free(rows->columns[i].types);
    }
    pex__free(rows->columns);
    rows->columns = NULL;
    rows->column_count = 0;
}

static int32_t resize(const struct pex__heap *heap, void *array, size_t count, size_t size)
{
    void *old, *grown;

    memcpy(&old, array, sizeof old);
    grown = old != NULL ? pex__realloc(old, count * size) : pex__heap_malloc(heap, count * size);
    if (grown == NULL)
        return PEX_ENOMEM;
    memcpy(array, &grown, sizeof grown);
    return 0;
}

/* Capacity is written last: after a failure some arrays are larger than it says, none smaller. */
static int32_t set_capacity(struct pex__rows *rows, size_t capacity)
{
    if (resize(rows->heap, &rows->rows, capacity, sizeof *rows->rows) != 0)
        return PEX_ENOMEM;
    for (size_t i = 0; i < rows->column_count; i++) {
        struct pex__column *column = &rows->columns[i];

        if (resize(rows->heap, &column->spans, capacity, sizeof *column->spans) != 0 ||
            resize(rows->heap, &column->types, capacity, sizeof *column->types) != 0)
            return PEX_ENOMEM;
    }
    rows->capacity = capacity;
    return 0;
}

int32_t pex__rows_reset(struct pex__rows *rows, size_t column_count)
{
    rows->count = 0;
    rows->bad_count = 0;
    rows->lines = 0;
    rows->blank = 0;
    if (column_count == rows->column_count)
        return 0;
    free_columns(rows);
    rows->capacity = 0;
    rows->columns = pex__calloc(column_count, sizeof *rows->columns);
    if (rows->columns == NULL)
        return PEX_ENOMEM;
    rows->column_count = column_count;
    return 0;
}

int32_t pex__rows_reserve(struct pex__rows *rows, size_t count)
{
    size_t capacity = rows->capacity + rows->capacity / 2 + 64;

    if (count <= rows->capacity)
        return 0;
    if (capacity < count)
        capacity = count;
    if (capacity > SIZE_MAX / sizeof(struct pex__span))
        return PEX_ENOMEM;
    return set_capacity(rows, capacity);
}

size_t pex__rows_bytes(const struct pex__rows *rows)
{
    size_t per_column = sizeof(struct pex__span) + sizeof(uint8_t);

    return rows->capacity * (sizeof *rows->rows + rows->column_count * per_column) +
           rows->column_count * sizeof *rows->columns + rows->bad_capacity * sizeof *rows->bad;
}

void pex__rows_free(struct pex__rows *rows)
{
    free_columns(rows);
    pex__free(rows->rows);
    pex__free(rows->bad);
    *rows = (struct pex__rows){.heap = rows->heap};
}

const char *pex__row_reason(int32_t reason)
{
    switch (reason) {
    case PEX__ROW_OK:
        return "a row";
    case PEX__ROW_NOT_OBJECT:
        return "not a JSON object";
    case PEX__ROW_SYNTAX:
        return "unexpected character";
    case PEX__ROW_UNFINISHED:
        return "the line ends inside the object";
    case PEX__ROW_TRAILING:
        return "text behind the object";
    case PEX__ROW_NUMBER:
        return "malformed number";
    case PEX__ROW_LITERAL:
        return "neither true, false nor null";
    case PEX__ROW_ESCAPE:
        return "malformed escape in a string";
    case PEX__ROW_CONTROL:
        return "control character in a string";
    case PEX__ROW_UTF8:
        return "not UTF-8";
    case PEX__ROW_DEPTH:
        return "nested deeper than 1000";
    default:
        return "unknown reason";
    }
}
