/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/spec.h"

#include <string.h>

#define LENGTH_MAX 96

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance in which a swap of neighbours is one step, the usual typing mistake. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LENGTH_MAX + 1];
    size_t *older = rows[0], *old = rows[1], *now = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        old[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *spare = older;

        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = old[j - 1] + (a[i - 1] != b[j - 1]);

            now[j] = least(change, least(old[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], older[j - 2] + 1);
        }
        older = old, old = now, now = spare;
    }
    return old[b_length];
}

const char *pex__nearest(const char *name, const char *const *names, size_t count)
{
    size_t length = strlen(name), best = length < 4 ? 2 : length / 3 + 1;
    const char *nearest = NULL;

    if (length > LENGTH_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]), steps;

        if (other > LENGTH_MAX)
            continue;
        steps = distance(name, length, names[i], other);
        if (steps < best && steps < length) {
            best = steps;
            nearest = names[i];
        }
    }
    return nearest;
}
