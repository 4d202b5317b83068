/* SPDX-License-Identifier: Apache-2.0 */
#include "fingerprint.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FEW = 40 };

static void sort_few(struct pex__fingerprint *item, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct pex__fingerprint moved = item[i];
        size_t at = i;
        for (; at > 0 && item[at - 1].bits > moved.bits; at--)
            item[at] = item[at - 1];
        item[at] = moved;
    }
}

/* By the digit at `shift`: each item is swapped to the next free place of its digit, until all are
 * there. begin[d] is where digit d begins, with one place behind the last. */
static void distribute(struct pex__fingerprint *item, size_t count, unsigned shift,
                       size_t begin[DIGITS + 1])
{
    size_t next[DIGITS];
    memset(begin, 0, (DIGITS + 1) * sizeof(*begin));
    for (size_t i = 0; i < count; i++)
        begin[(item[i].bits >> shift) % DIGITS + 1]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        begin[digit + 1] += begin[digit];
        next[digit] = begin[digit];
    }
    for (size_t digit = 0; digit < DIGITS; digit++) {
        while (next[digit] < begin[digit + 1]) {
            struct pex__fingerprint moved = item[next[digit]];
            size_t home = (moved.bits >> shift) % DIGITS;
            while (home != digit) {
                struct pex__fingerprint other = item[next[home]];
                item[next[home]++] = moved;
                moved = other;
                home = (moved.bits >> shift) % DIGITS;
            }
            item[next[digit]++] = moved;
        }
    }
}

static void sort_from(struct pex__fingerprint *item, size_t count, unsigned shift)
{
    if (count <= FEW) {
        sort_few(item, count);
        return;
    }
    size_t begin[DIGITS + 1];
    distribute(item, count, shift, begin);
    for (size_t digit = 0; shift > 0 && digit < DIGITS; digit++)
        sort_from(item + begin[digit], begin[digit + 1] - begin[digit], shift - DIGIT_BITS);
}

void pex__fingerprints_sort(struct pex__fingerprint *item, size_t count)
{
    sort_from(item, count, 64 - DIGIT_BITS);
}
