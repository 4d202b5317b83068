/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stage 1 of the fast scanner, over the vectors of an isa_*.h included before. It knows nothing of
 * strings and rows: every rule here is about a byte and its neighbours. What it says is right where
 * a row is valid, and a row that is not gets a suspect block or trips the walk. Whatever one row
 * leaves behind ends at its LF, except that a fault at the end of a row may be noted at that LF.
 */
#ifndef PEX_DATA_SCAN_MARK_H
#define PEX_DATA_SCAN_MARK_H

#include "data/isa.h"
#include "data/text_utf8_block.h"

#include <string.h>

#define EVEN_BITS UINT64_C(0x5555555555555555)

struct mark_state {
    struct utf8_state utf8;
    uint64_t is_escaped; /* bit 0: the next byte is escaped by the last one */
    uint64_t digits_due; /* bits 0 to 3: the next bytes belong to a \u escape */
};

/*
 * Bytes behind an odd number of backslashes. Adding the first bit of each run of backslashes to the
 * run carries a bit to the byte behind it; the run was odd if it began at an even place and ended
 * at an odd one, or the other way round.
 */
static inline uint64_t find_escaped(uint64_t backslashes, uint64_t *carry)
{
    uint64_t runs = backslashes & ~*carry, starts = runs & ~(runs << 1);
    uint64_t from_even = (starts & EVEN_BITS) + runs, from_odd;
    uint64_t over = (uint64_t)__builtin_add_overflow(starts & ~EVEN_BITS, runs, &from_odd);
    uint64_t behind = (from_even & ~EVEN_BITS) | (from_odd & EVEN_BITS);
    uint64_t escaped = (behind & ~runs) | *carry;

    *carry = over;
    return escaped;
}

/* Bytes that may stand behind a backslash. */
static inline uint64_t escape_letters(struct block b)
{
    static const uint8_t low[16] = {
        [2] = 1 | 4 | 8, [4] = 8, [5] = 8, [6] = 4, [0xC] = 2, [0xE] = 4, [0xF] = 1};
    static const uint8_t high[16] = {[2] = 1, [5] = 2, [6] = 4, [7] = 8};

    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = vec_and(vec_low_half(low, b.part[i]), vec_high_half(high, b.part[i]));
    return ~block_eq(b, 0);
}

static inline uint64_t hex_digits(struct block b)
{
    return block_range(b, '0', '9') | block_range(block_lower(b), 'a', 'f');
}

/* Escaped bytes that must not be, and bytes of \u escapes that are no hex digits. */
static inline uint64_t escape_faults(struct mark_state *state, struct block b, uint64_t escaped)
{
    uint64_t units = escaped & block_eq(b, 'u'), faults = escaped & ~escape_letters(b);
    uint64_t due = units << 1 | units << 2 | units << 3 | units << 4 | state->digits_due;

    state->digits_due = units >> 63 | units >> 62 | units >> 61 | units >> 60;
    return due == 0 ? faults : faults | (due & ~hex_digits(b));
}

/* Marks one block; returns its stops, *suspect and *has_escape. */
static inline uint64_t mark_block(struct mark_state *state, struct block b, uint64_t *suspect,
                                  uint64_t *has_escape)
{
    uint64_t backslashes = block_eq(b, '\\'), quotes = block_eq(b, '"'), escaped;
    uint64_t controls = block_range(b, 0, 0x1F), faults = 0;

    if ((backslashes | state->is_escaped | state->digits_due) != 0) {
        escaped = find_escaped(backslashes, &state->is_escaped);
        quotes &= ~escaped;
        faults = escape_faults(state, b, escaped);
    }
    *suspect = (uint64_t)(utf8_check(&state->utf8, b, block_high(b), 0) | (faults != 0));
    *has_escape = backslashes != 0;
    return quotes | controls;
}

static void mark(const char *text, size_t length, struct pex__marks *marks)
{
    struct mark_state state = {.utf8 = {.last = vec_zero()}};
    size_t whole = length / 64, count = (length + 63) / 64;
    char tail[64];

    memset(tail, ' ', sizeof tail);
    memcpy(tail, text + 64 * whole, length % 64);
    for (size_t group = 0; group < count; group += 64) {
        size_t end = group + 64 < count ? group + 64 : count;
        uint64_t suspects = 0, escapes = 0, suspect, escape;

        for (size_t i = group; i < end; i++) {
            struct block b = block_load(i < whole ? text + 64 * i : tail);

            marks->stops[i] = mark_block(&state, b, &suspect, &escape);
            suspects |= suspect << (i - group);
            escapes |= escape << (i - group);
        }
        marks->suspects[group / 64] = suspects;
        marks->escapes[group / 64] = escapes;
    }
}

#endif
