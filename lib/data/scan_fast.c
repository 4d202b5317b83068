/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast walk: the grammar over the bitmaps of stage 1. It never passes the LF of its row,
 * because an LF is a stop inside of strings and fits nowhere outside, so it needs no other end.
 */
#include "data/scan_fast.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* An array of numbers is handed to the kernel from this element on (below that its start-up does
 * not pay), and not for so many elements more once it turned out to hold something else. */
#define RUN_OF_NUMBERS 8
#define RUN_AFTER_FAILURE 32

typedef struct pex__fast reader;

static inline int at_end(const reader *r, size_t pos)
{
    return r->walk.data[pos] == '\n';
}

static inline int peek(const reader *r, size_t pos)
{
    return (unsigned char)r->walk.data[pos];
}

static inline size_t skip_blanks(const reader *r, size_t pos)
{
    const char *data = r->walk.data;

    while (data[pos] == ' ' || data[pos] == '\t' || data[pos] == '\r')
        pos++;
    return pos;
}

static inline size_t skip_digits(const reader *r, size_t pos)
{
    const char *data = r->walk.data;

#if defined(__SSE2__)
    for (;; pos += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(data + pos));
        const __m128i offset = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(9)), offset);
        unsigned others = (unsigned)_mm_movemask_epi8(is_digit) ^ 0xFFFF;

        if (others != 0)
            return pos + (size_t)__builtin_ctz(others);
    }
#else
    while (data[pos] >= '0' && data[pos] <= '9')
        pos++;
    return pos;
#endif
}

static inline int32_t read_string(const reader *r, size_t *pos)
{
    size_t first = *pos + 1 - r->base, word = first / 64;
    uint64_t stops = r->marks.stops[word] >> first % 64;
    size_t stop;

    if (stops != 0) {
        stop = *pos + 1 + (size_t)__builtin_ctzll(stops);
    } else {
        while ((stops = r->marks.stops[++word]) == 0)
            ;
        stop = r->base + 64 * word + (size_t)__builtin_ctzll(stops);
    }
    *pos = stop + 1;
    return r->walk.data[stop] == '"' ? PEX__ROW_OK : PEX__ROW_CONTROL;
}

/* Whether one of the blocks that data[begin .. end) touches has its bit set. */
static inline int any_block(const reader *r, const uint64_t *set, size_t begin, size_t end)
{
    size_t first = (begin - r->base) / 64, last = (end - 1 - r->base) / 64;
    uint64_t from = ~UINT64_C(0) << first % 64, to = ~UINT64_C(0) >> (63 - last % 64), found = 0;

    if (first / 64 == last / 64)
        return (set[first / 64] & from & to) != 0;
    for (size_t i = first / 64 + 1; i < last / 64; i++)
        found |= set[i];
    return (found | (set[first / 64] & from) | (set[last / 64] & to)) != 0;
}

static inline int has_escape(const reader *r, size_t begin, size_t end)
{
    return any_block(r, r->marks.escapes, begin, end) &&
           memchr(r->walk.data + begin, '\\', end - begin) != NULL;
}

static inline uint64_t load_word(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* Rows of one source mostly have the same keys in the same order, spelled the same way. */
static inline int known_member(reader *r, size_t *pos, const struct pex__key *parent,
                               const struct pex__key **key)
{
    const char *text = r->walk.data + *pos;
    const struct pex__template *known;
    uint64_t differs = 0;

    if (r->member >= PEX__TEMPLATE_COUNT)
        return 0;
    known = &r->templates[r->member];
    for (int i = 0; i < PEX__TEMPLATE_BYTES / 8; i++)
        differs |= (load_word(text + 8 * i) ^ known->text[i]) & known->mask[i];
    if (differs != 0 || known->length == 0 || known->parent != parent)
        return 0;
    r->member++;
    *pos = skip_blanks(r, *pos + known->length);
    *key = known->key;
    return 1;
}

static void learn_member(reader *r, size_t begin, size_t end, const struct pex__key *parent,
                         const struct pex__key *key)
{
    static const uint8_t ones[2 * PEX__TEMPLATE_BYTES] = {
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    };
    struct pex__template *known;

    if (r->member >= PEX__TEMPLATE_COUNT)
        return;
    known = &r->templates[r->member++];
    known->length = 0;
    if (end - begin > PEX__TEMPLATE_BYTES)
        return;
    memcpy(known->text, r->walk.data + begin, sizeof known->text);
    memcpy(known->mask, ones + PEX__TEMPLATE_BYTES - (end - begin), sizeof known->mask);
    known->parent = parent;
    known->key = key;
    known->length = end - begin;
}

static inline void begin_array(reader *r)
{
    r->run = 0;
}

static inline int skip_numbers(reader *r, size_t *pos, size_t room)
{
    const char *text = r->walk.data + *pos;
    size_t length;

    if (++r->run < RUN_OF_NUMBERS || (*text != '[' && (*text < '-' || *text > '9')))
        return 0;
    if (r->kernels->numbers(text, room, &length)) {
        *pos += length;
        return 1;
    }
    /* Not all numbers. Each byte looked at in vain, here and inside of it, is paid for by a share
     * of the elements to come: no array, however it is nested, costs more than its length twice. */
    r->run = -(int32_t)(length / 4) - RUN_AFTER_FAILURE;
    return 0;
}

#include "data/scan_grammar.h"

void pex__fast_reset(struct pex__fast *fast)
{
    for (size_t i = 0; i < PEX__TEMPLATE_COUNT; i++)
        fast->templates[i].length = 0;
}

int pex__fast_row(struct pex__fast *fast, const struct pex__key *root, size_t *pos,
                  struct pex__span *object)
{
    size_t begin = *pos;

    fast->member = 0;
    if (root != NULL)
        pex__walk_forget(&fast->walk, root);
    return read_row(fast, pos, root, object) == PEX__ROW_OK &&
           !any_block(fast, fast->marks.suspects, begin, *pos + 1);
}
