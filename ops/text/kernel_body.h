/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms of kernel.h. The including file has defined KERNEL (the name of the set), the type
 * `block` of 64 bytes, and, each giving a bit per byte, lowest bit first:
 *
 *     block_load(const char *)            64 bytes from anywhere
 *     block_equal(block, char)            bytes equal to a value
 *     block_range(block, first, last)     bytes of an unsigned range
 *     block_lead(block)                   bytes that start a code point
 *     block_high(block)                   bytes above 0x7F
 */
#include "kernel.h"
#include "unicode.h"

#include <string.h>

#define BLOCK 64

static inline block block_load_tail(const char *text, size_t length)
{
    char copy[BLOCK] = {0};
    memcpy(copy, text, length);
    return block_load(copy);
}

static inline block block_load_at(const char *text, size_t left)
{
    return left >= BLOCK ? block_load(text) : block_load_tail(text, left);
}

static inline uint64_t low_bits(size_t count)
{
    return count >= BLOCK ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

static inline size_t popcount(uint64_t mask)
{
    return (size_t)__builtin_popcountll(mask);
}

static inline size_t first_bit(uint64_t mask)
{
    return (size_t)__builtin_ctzll(mask);
}

static size_t count_points(const char *text, size_t length)
{
    size_t count = 0, at = 0;
    for (; length - at >= BLOCK; at += BLOCK)
        count += popcount(block_lead(block_load(text + at)));
    if (at < length)
        count +=
            popcount(block_lead(block_load_tail(text + at, length - at)) & low_bits(length - at));
    return count;
}

/* The hex digits of the first, or the second, half of a surrogate pair. */
static inline bool is_first_half(const char *hex)
{
    char digit = hex[1] | 0x20;
    return (hex[0] | 0x20) == 'd' &&
           (hex[1] == '8' || hex[1] == '9' || digit == 'a' || digit == 'b');
}

static inline bool is_second_half(const char *hex)
{
    char digit = hex[1] | 0x20;
    return (hex[0] | 0x20) == 'd' && digit >= 'c' && digit <= 'f';
}

/* Bytes of the escape at `token`, which stand for one code point. */
static inline size_t escape_size(const char *token, size_t left)
{
    if (token[1] != 'u')
        return 2;
    if (left >= 12 && is_first_half(token + 2) && token[6] == '\\' && token[7] == 'u' &&
        is_second_half(token + 8))
        return 12;
    return 6;
}

static size_t count_escaped(const char *token, size_t length)
{
    size_t count = 0, resume = 0;
    for (size_t at = 0; at < length; at += BLOCK) {
        block bytes = block_load_at(token + at, length - at);
        count += popcount(block_lead(bytes) & low_bits(length - at));
        uint64_t slashes = block_equal(bytes, '\\');
        for (; slashes; slashes &= slashes - 1) {
            size_t escape = at + first_bit(slashes);
            if (escape < resume)
                continue;
            size_t size = escape_size(token + escape, length - escape);
            count -= size - 1;
            resume = escape + size;
        }
    }
    return count;
}

/* Those of `leads` where a code point starts that is not special. */
static uint64_t core_leads(const char *text, uint64_t leads)
{
    uint64_t core = 0;
    for (; leads; leads &= leads - 1) {
        size_t size, at = first_bit(leads);
        if (!(pex__unicode_class(pex__decode(text + at, &size)) & PEX__SPECIAL))
            core |= (uint64_t)1 << at;
    }
    return core;
}

/*
 * A word is a run of bits in `inside`. Adding to such a run any bits of its own carries out of the
 * run's end exactly once, so the sums' bits outside of runs are the words that hold a core bit; the
 * carry of the 64 bits goes on with a word that crosses blocks.
 */
static size_t count_words(const char *text, size_t length, size_t enough)
{
    size_t count = 0;
    uint64_t carry = 0;
    for (size_t at = 0; at < length && count < enough; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t valid = low_bits(length - at);
        uint64_t inside = valid & ~(block_equal(bytes, ' ') | block_equal(bytes, '\n') |
                                    block_equal(bytes, '\t'));
        uint64_t high = block_high(bytes);
        uint64_t core = block_range(bytes, 'a', 'z') | block_range(bytes, 'A', 'Z') |
                        block_range(bytes, 0, 8) | block_range(bytes, 14, 31) |
                        block_equal(bytes, 127);
        if (high)
            core |= core_leads(text + at, block_lead(bytes) & high);
        uint64_t sum, total;
        uint64_t over = __builtin_add_overflow(inside, core & inside, &sum);
        over |= __builtin_add_overflow(sum, carry, &total);
        carry = over;
        count += popcount(total & ~inside);
    }
    return count + carry;
}

static size_t find_blank(const char *text, size_t length, size_t from)
{
    /* The second byte of the last one of a block is not at hand: let the full test say. */
    const uint64_t unseen = (uint64_t)1 << (BLOCK - 1);
    for (size_t at = from; at < length; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t found = block_equal(bytes, '\t');
        if (block_high(bytes)) {
            uint64_t zero = block_equal(bytes, (char)0x80);
            found |=
                block_equal(bytes, (char)0xC2) |
                (block_equal(bytes, (char)0xE2) &
                 ((zero | block_equal(bytes, (char)0x81)) >> 1 | unseen)) |
                (block_equal(bytes, (char)0xE3) & (zero >> 1 | unseen)) |
                (block_equal(bytes, (char)0xEF) & (block_equal(bytes, (char)0xBF) >> 1 | unseen));
        }
        for (; found; found &= found - 1) {
            size_t place = at + first_bit(found);
            if (pex__blank_size(text + place, length - place))
                return place;
        }
    }
    return length;
}

static size_t find_link(const char *text, size_t length, size_t from)
{
    const uint64_t last = (uint64_t)1 << (BLOCK - 1);
    for (size_t at = from; at < length; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t w = block_equal(bytes, 'w') | block_equal(bytes, 'W');
        /* No link has a blank after its colon. */
        uint64_t colon = block_equal(bytes, ':') & ~(block_equal(bytes, ' ') >> 1);
        uint64_t found = (w & (w >> 1 | last)) | colon | block_equal(bytes, '/');
        if (found)
            return at + first_bit(found);
    }
    return length;
}

const struct pex__kernel KERNEL = {
    .name = KERNEL_NAME,
    .count_points = count_points,
    .count_escaped = count_escaped,
    .count_words = count_words,
    .find_blank = find_blank,
    .find_link = find_link,
};
