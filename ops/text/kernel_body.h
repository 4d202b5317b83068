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
 *
 * and min_hashes_wide(), which does what min_hashes does for the first permutations, and returns
 * for how many: none, if there are no vectors.
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

/* Lanes whose next byte, or whose next two, are in the same block. */
#define ONE_MORE (~(uint64_t)0 >> 1)
#define TWO_MORE (~(uint64_t)0 >> 2)

/* Where an ideograph of U+4E00 to U+9FFF starts whose bytes are all in the block. They are letters,
 * and none is special but U+4E00, U+4E0A and U+58EB. */
static inline uint64_t block_ideographs(block bytes, uint64_t *core)
{
    uint64_t e4 = block_equal(bytes, (char)0xE4), e5 = block_equal(bytes, (char)0xE5);
    uint64_t b8 = block_equal(bytes, (char)0xB8), second = block_range(bytes, 0xB8, 0xBF);
    uint64_t low = block_equal(bytes, (char)0x80) | block_equal(bytes, (char)0x8A);
    uint64_t found = ((e4 & second >> 1) | block_range(bytes, 0xE5, 0xE9)) & TWO_MORE;
    uint64_t special = (e4 & b8 >> 1 & low >> 2) | (e5 & block_equal(bytes, (char)0xA3) >> 1 &
                                                    block_equal(bytes, (char)0xAB) >> 2);
    *core |= found & ~special;
    return found;
}

/* Those of `leads`, of code points above 0x7F, where one starts that is not special. */
static inline uint64_t core_leads(const char *text, block bytes, uint64_t leads)
{
    uint64_t core = 0;
    leads &= ~block_ideographs(bytes, &core);
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
static inline size_t words_ended(uint64_t inside, uint64_t core, uint64_t *carry)
{
    uint64_t sum, total;
    uint64_t over = __builtin_add_overflow(inside, core & inside, &sum);
    over |= __builtin_add_overflow(sum, *carry, &total);
    *carry = over;
    return popcount(total & ~inside);
}

static inline uint64_t block_between_words(block bytes)
{
    return block_equal(bytes, ' ') | block_equal(bytes, '\n') | block_equal(bytes, '\t');
}

static inline uint64_t block_letter(block bytes)
{
    return block_range(bytes, 'a', 'z') | block_range(bytes, 'A', 'Z');
}

/* Besides letters, the ASCII bytes that are not special: control characters but white space. */
static inline uint64_t block_control(block bytes)
{
    return block_range(bytes, 0, 8) | block_range(bytes, 14, 31) | block_equal(bytes, 127);
}

static size_t count_words(const char *text, size_t length, size_t enough)
{
    size_t count = 0;
    uint64_t carry = 0;
    for (size_t at = 0; at < length && count < enough; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t inside = low_bits(length - at) & ~block_between_words(bytes);
        uint64_t high = block_high(bytes);
        uint64_t core = block_letter(bytes) | block_control(bytes);
        if (high)
            core |= core_leads(text + at, bytes, block_lead(bytes) & high);
        count += words_ended(inside, core, &carry);
    }
    return count + carry;
}

static inline size_t point_size(char lead)
{
    unsigned char byte = (unsigned char)lead;
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/* A word goes from its first core bit to the end of its last one. */
static size_t split_words(const char *text, size_t length, struct pex__word *words)
{
    size_t count = 0, first = 0, last = 0;
    bool is_open = false;
    for (size_t at = 0; at < length; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t valid = low_bits(length - at), high = block_high(bytes);
        uint64_t between = block_between_words(bytes) & valid;
        uint64_t core = (block_letter(bytes) | block_control(bytes)) & valid;
        if (high)
            core |= core_leads(text + at, bytes, block_lead(bytes) & high & valid);
        for (;;) {
            /* All bits up to the next end of a word. */
            uint64_t here = between ^ (between - 1);
            uint64_t inside = core & here;
            if (inside) {
                first = is_open ? first : at + first_bit(inside);
                last = at + BLOCK - 1 - (size_t)__builtin_clzll(inside);
                is_open = true;
            }
            if (!between)
                break;
            if (is_open)
                words[count++] =
                    (struct pex__word){(uint32_t)first, (uint32_t)(last + point_size(text[last]))};
            is_open = false;
            core &= ~here;
            between &= between - 1;
        }
    }
    if (is_open)
        words[count++] =
            (struct pex__word){(uint32_t)first, (uint32_t)(last + point_size(text[last]))};
    return count;
}

/* Those of `leads`, of code points above 0x7F, where a letter or number starts, and where one
 * starts that is not special. */
static inline uint64_t class_leads(const char *text, block bytes, uint64_t leads, uint64_t *core)
{
    uint64_t alnum = block_ideographs(bytes, core);
    leads &= ~alnum;
    for (; leads; leads &= leads - 1) {
        size_t size, at = first_bit(leads);
        uint64_t class = pex__unicode_class(pex__decode(text + at, &size));
        alnum |= ((class & PEX__ALNUM) != 0 ? (uint64_t)1 : 0) << at;
        *core |= ((class & PEX__SPECIAL) == 0 ? (uint64_t)1 : 0) << at;
    }
    return alnum;
}

static void count_all(const char *text, size_t length, struct pex__counts *counts)
{
    size_t points = 0, alnums = 0, cores = 0, words = 0;
    uint64_t carry = 0;
    for (size_t at = 0; at < length; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t valid = low_bits(length - at), high = block_high(bytes);
        uint64_t alnum = block_letter(bytes), core = (alnum | block_control(bytes)) & valid;
        uint64_t leads = valid;
        alnum |= block_range(bytes, '0', '9');
        if (high) {
            leads &= block_lead(bytes);
            alnum |= class_leads(text + at, bytes, leads & high, &core);
        }
        points += popcount(leads);
        alnums += popcount(alnum & valid);
        cores += popcount(core);
        words += words_ended(valid & ~block_between_words(bytes), core, &carry);
    }
    counts->points = (uint32_t)points;
    counts->alnum = (uint32_t)alnums;
    counts->special = (uint32_t)(points - cores);
    counts->words = (uint32_t)(words + carry);
}

/* Those of `leads` where one of U+0085, U+2028 and U+2029 starts. */
static inline uint64_t line_leads(const char *text, uint64_t leads)
{
    uint64_t ends = 0;
    for (; leads; leads &= leads - 1) {
        size_t size, at = first_bit(leads);
        uint32_t point = pex__decode(text + at, &size);
        if (point == 0x85 || point == 0x2028 || point == 0x2029)
            ends |= (uint64_t)1 << at;
    }
    return ends;
}

static void measure_lines(const char *text, size_t length, struct pex__lines *lines)
{
    size_t points = 0, count = 0, longest = 0, line = 0;
    uint64_t was_return = 0;
    bool is_open = false;
    for (size_t at = 0; at < length; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t valid = low_bits(length - at), high = block_high(bytes), leads = valid;
        uint64_t returns = block_equal(bytes, '\r');
        uint64_t ends = block_range(bytes, '\n', '\r') | block_range(bytes, 0x1C, 0x1E);
        if (high) {
            leads &= block_lead(bytes);
            ends |= line_leads(text + at, leads & (block_equal(bytes, (char)0xC2) |
                                                   block_equal(bytes, (char)0xE2)));
        }
        ends &= valid;
        points += popcount(leads);
        /* The LF of a CR LF ends nothing. */
        uint64_t follows = block_equal(bytes, '\n') & (returns << 1 | was_return);
        was_return = returns >> (BLOCK - 1);
        count += popcount(ends & ~follows);
        uint64_t inside = leads & ~ends;
        is_open = (ends | inside) ? (inside > ends) : is_open;
        for (uint64_t left = ends; left; left &= left - 1) {
            uint64_t before = left & -left;
            line += popcount(inside & (before - 1));
            inside &= ~(before - 1);
            longest = line > longest ? line : longest;
            line = 0;
        }
        line += popcount(inside);
    }
    lines->points = points;
    lines->count = count + is_open;
    lines->longest = line > longest ? line : longest;
}

static size_t find_any(const char *text, size_t length, size_t from, const char wanted[4])
{
    for (size_t at = from; at < length; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t found = block_equal(bytes, wanted[0]) | block_equal(bytes, wanted[1]) |
                         block_equal(bytes, wanted[2]) | block_equal(bytes, wanted[3]);
        found &= low_bits(length - at);
        if (found)
            return at + first_bit(found);
    }
    return length;
}

static size_t find_high(const char *text, size_t length, size_t from)
{
    for (size_t at = from; at < length; at += BLOCK) {
        uint64_t high = block_high(block_load_at(text + at, length - at));
        if (high)
            return at + first_bit(high);
    }
    return length;
}

/* Where a blank of three bytes may start that the whitespace operator replaces. What stands in the
 * next block is not at hand: there the full test says. */
static inline uint64_t block_wide_blanks(block bytes)
{
    uint64_t x80 = block_equal(bytes, (char)0x80), x81 = block_equal(bytes, (char)0x81);
    uint64_t dashes = block_range(bytes, 0x80, 0x8D) | block_equal(bytes, (char)0xAF);
    uint64_t joiners = block_range(bytes, 0x9F, 0xA0);
    uint64_t e2 = (x80 & (dashes >> 1 | ~ONE_MORE)) | (x81 & (joiners >> 1 | ~ONE_MORE));
    uint64_t e3 = x80 & (x80 >> 1 | ~ONE_MORE);
    uint64_t ef =
        block_equal(bytes, (char)0xBF) & (block_equal(bytes, (char)0xBC) >> 1 | ~ONE_MORE);
    return (block_equal(bytes, (char)0xE2) & (e2 >> 1 | ~ONE_MORE)) |
           (block_equal(bytes, (char)0xE3) & (e3 >> 1 | ~ONE_MORE)) |
           (block_equal(bytes, (char)0xEF) & (ef >> 1 | ~ONE_MORE));
}

static size_t find_blank(const char *text, size_t length, size_t from)
{
    for (size_t at = from; at < length; at += BLOCK) {
        block bytes = block_load_at(text + at, length - at);
        uint64_t found = block_equal(bytes, '\t');
        if (block_high(bytes))
            found |= block_equal(bytes, (char)0xC2) | block_wide_blanks(bytes);
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

static uint32_t permute(uint32_t hash, uint64_t a, uint64_t b)
{
    const uint64_t prime = ((uint64_t)1 << 61) - 1;
    uint64_t x = hash * a + b;
    x = (x & prime) + (x >> 61);
    return (uint32_t)(x >= prime ? x - prime : x);
}

static void min_hashes(const uint32_t *hashes, size_t count, const uint64_t *a, const uint64_t *b,
                       size_t permutations, uint32_t *values)
{
    size_t i = min_hashes_wide(hashes, count, a, b, permutations, values);
    for (; i < permutations; i++) {
        uint32_t least = values[i];
        for (size_t k = 0; k < count; k++) {
            uint32_t value = permute(hashes[k], a[i], b[i]);
            least = value < least ? value : least;
        }
        values[i] = least;
    }
}

static size_t find_near(const struct pex__fingerprint *item, size_t count, size_t from,
                        uint64_t bits, uint32_t distance)
{
    for (size_t i = from; i < count; i++)
        if (popcount(item[i].bits ^ bits) <= distance)
            return i;
    return count;
}

const struct pex__kernel KERNEL = {
    .name = KERNEL_NAME,
    .count_points = count_points,
    .count_escaped = count_escaped,
    .count_words = count_words,
    .count_all = count_all,
    .split_words = split_words,
    .measure_lines = measure_lines,
    .find_any = find_any,
    .find_high = find_high,
    .find_blank = find_blank,
    .find_link = find_link,
    .min_hashes = min_hashes,
    .find_near = find_near,
};
