/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH_MAX = 63 };

static void out_of_memory(void)
{
    fputs("partexec: out of memory\n", stderr);
    exit(TOOL_FAILED);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions and replacements that turn a into b; both at most NAME_LENGTH_MAX long. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[NAME_LENGTH_MAX + 1];
    size_t length = strlen(b);

    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = least(replace, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[length];
}

void *tool_realloc(void *memory, size_t size)
{
    void *grown = realloc(memory, size);

    if (!grown)
        out_of_memory();
    return grown;
}

char *tool_format(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        out_of_memory();
    va_end(args);
    return text;
}

const char *tool_nearest(const char *name, const char *const *names, size_t count)
{
    size_t length = strlen(name);
    size_t best_distance = length / 3 + 2;
    const char *best = NULL;

    if (length > NAME_LENGTH_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(name, names[i]);

        if (distance < best_distance) {
            best_distance = distance;
            best = names[i];
        }
    }
    return best;
}
