/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text kernels over the vectors of an isa_*.h included before. Both directions work on a mask of 64
 * bytes: what lies between two escapes is copied as one whole block, too much of it, and the
 * surplus is overwritten by what comes next; so nothing is searched twice and short pieces cost no
 * loop.
 */
#ifndef PEX_DATA_TEXT_KERNEL_H
#define PEX_DATA_TEXT_KERNEL_H

#include "data/text_escapes.h"
#include "data/text_utf8_block.h"

/* Bits of `mask` from place `from` on. */
static inline uint64_t bits_from(uint64_t mask, size_t from)
{
    return from < 64 ? mask & (~UINT64_C(0) << from) : 0;
}

static inline uint64_t bits_below(uint64_t mask, size_t to)
{
    return to < 64 ? mask & ((UINT64_C(1) << to) - 1) : mask;
}

static size_t decode(const char *text, size_t length, char *out)
{
    const char *end = text + length;
    char *to = out;
    size_t used;

    while (text < end) {
        struct block b = block_load(text);
        size_t width = end - text < 64 ? (size_t)(end - text) : 64, from = 0;
        uint64_t escapes = bits_below(block_eq(b, '\\'), width);

        block_store(to, b);
        while (escapes != 0) {
            size_t at = (size_t)__builtin_ctzll(escapes);

            to += at - from;
            from = at;
            do {
                to += pex__unescape(text + from, end, to, &used);
                from += used;
            } while (text + from < end && text[from] == '\\');
            escapes = bits_from(escapes, from);
            block_store(to, block_load(text + from));
        }
        if (from < width) {
            to += width - from;
            from = width;
        }
        text += from;
    }
    return (size_t)(to - out);
}

/* Bytes of a block that need an escape; `next` is the byte behind it. */
static inline uint64_t escape_mask(struct block b, char next)
{
    uint64_t mask = block_eq(b, '"') | block_eq(b, '\\') | block_range(b, 0, 0x1F);
    uint64_t leads = block_eq(b, (char)0xED), after;

    if (leads == 0)
        return mask;
    after = block_range(b, 0xA0, 0xBF) >> 1 | (uint64_t)((unsigned char)next >= 0xA0) << 63;
    return mask | (leads & after);
}

/* What escape_block may read from its text on: a surrogate reaches two bytes over the end of the
 * block, and what follows it is copied as a block. */
#define ESCAPE_REACH (64 + 2 + 64)

/* Escapes the block at text, of which `width` bytes count; returns how many bytes were used, which
 * is more when a surrogate reaches over its end. */
static inline size_t escape_block(const char *text, size_t width, char **out)
{
    struct block b = block_load(text);
    uint64_t mask = bits_below(escape_mask(b, text[64]), width);
    char *to = *out;
    size_t from = 0, used;

    block_store(to, b);
    while (mask != 0) {
        size_t at = (size_t)__builtin_ctzll(mask);

        to += at - from;
        to += pex__escape_one(text + at, to, &used);
        from = at + used;
        mask = bits_from(mask, from);
        block_store(to, block_load(text + from));
    }
    if (from < width) {
        to += width - from;
        from = width;
    }
    *out = to;
    return from;
}

static size_t escape(const char *text, size_t length, char *out)
{
    const char *end = text + length;
    char *to = out, tail[2 * ESCAPE_REACH];
    size_t left, at = 0;

    while (end - text >= ESCAPE_REACH)
        text += escape_block(text, 64, &to);
    left = (size_t)(end - text);
    memcpy(tail, text, left);
    memset(tail + left, 0, sizeof tail - left);
    while (at < left)
        at += escape_block(tail + at, left - at < 64 ? left - at : 64, &to);
    return (size_t)(to - out);
}

static size_t escaped_bound(const char *text, size_t length)
{
    size_t whole = length / 64, count = 0;
    char tail[64];

    for (size_t i = 0; i < whole; i++) {
        char next = 64 * (i + 1) < length ? text[64 * (i + 1)] : 0;

        count += (size_t)__builtin_popcountll(escape_mask(block_load(text + 64 * i), next));
    }
    memset(tail, ' ', sizeof tail);
    memcpy(tail, text + 64 * whole, length % 64);
    count += (size_t)__builtin_popcountll(escape_mask(block_load(tail), 0));
    return length + 5 * count;
}

static int valid(const char *text, size_t length)
{
    struct utf8_state state = {.last = vec_zero()};
    size_t whole = length / 64;
    struct block b;
    int faults = 0;
    char tail[64];

    for (size_t i = 0; i < whole; i++) {
        b = block_load(text + 64 * i);
        faults |= utf8_check(&state, b, block_high(b), SURROGATE);
    }
    memset(tail, ' ', sizeof tail);
    memcpy(tail, text + 64 * whole, length % 64);
    b = block_load(tail);
    return !(faults | utf8_check(&state, b, block_high(b), SURROGATE));
}

#endif
