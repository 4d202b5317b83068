/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 validation, 64 bytes at a time, over the vectors of an isa_*.h included before.
 *
 * Each byte is judged with its left neighbour: three tables, for the neighbour's high half, its low
 * half and the byte's own high half, name the faults that each half allows; a fault that all three
 * allow is one (the method of Keiser and Lemire). That a third or fourth byte continues a sequence
 * is checked by the lead byte two or three places to the left.
 */
#ifndef PEX_DATA_TEXT_UTF8_BLOCK_H
#define PEX_DATA_TEXT_UTF8_BLOCK_H

enum {
    TOO_SHORT = 0x01,  /* a lead byte without its continuation */
    TOO_LONG = 0x02,   /* a continuation behind ASCII */
    OVERLONG_3 = 0x04, /* E0 80..9F */
    TOO_LARGE = 0x08,  /* F4 90.. and above, as far as the neighbour's high half is F */
    SURROGATE = 0x10,  /* ED A0..BF */
    OVERLONG_2 = 0x20, /* C0, C1 */
    OVERLONG_4 = 0x40, /* F0 80..8F; and F5..FF followed by 80..8F */
    TWO_MORE = 0x80,   /* a continuation behind a continuation: right only in a longer sequence */
    ANY_LOW = TOO_SHORT | TOO_LONG | TWO_MORE /* faults that do not depend on the low half */
};

static const uint8_t utf8_left_high[16] = {TOO_LONG,
                                           TOO_LONG,
                                           TOO_LONG,
                                           TOO_LONG,
                                           TOO_LONG,
                                           TOO_LONG,
                                           TOO_LONG,
                                           TOO_LONG,
                                           TWO_MORE,
                                           TWO_MORE,
                                           TWO_MORE,
                                           TWO_MORE,
                                           TOO_SHORT | OVERLONG_2,
                                           TOO_SHORT,
                                           TOO_SHORT | OVERLONG_3 | SURROGATE,
                                           TOO_SHORT | TOO_LARGE | OVERLONG_4};

static const uint8_t utf8_left_low[16] = {ANY_LOW | OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
                                          ANY_LOW | OVERLONG_2,
                                          ANY_LOW,
                                          ANY_LOW,
                                          ANY_LOW | TOO_LARGE,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4 | SURROGATE,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4,
                                          ANY_LOW | TOO_LARGE | OVERLONG_4};

static const uint8_t utf8_own_high[16] = {TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_LONG | OVERLONG_2 | TWO_MORE | OVERLONG_3 |
                                              OVERLONG_4,
                                          TOO_LONG | OVERLONG_2 | TWO_MORE | OVERLONG_3 | TOO_LARGE,
                                          TOO_LONG | OVERLONG_2 | TWO_MORE | SURROGATE | TOO_LARGE,
                                          TOO_LONG | OVERLONG_2 | TWO_MORE | SURROGATE | TOO_LARGE,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT,
                                          TOO_SHORT};

/* Non-zero bytes where v, behind `before`, is not UTF-8. */
static inline vec utf8_faults(vec before, vec v)
{
    const vec left = vec_left1(before, v);
    const vec pairs =
        vec_and(vec_and(vec_high_half(utf8_left_high, left), vec_low_half(utf8_left_low, left)),
                vec_high_half(utf8_own_high, v));
    const vec third = vec_minus(vec_left2(before, v), vec_fill(0xE0 - 0x80));
    const vec fourth = vec_minus(vec_left3(before, v), vec_fill(0xF0 - 0x80));

    return vec_xor(vec_and(vec_or(third, fourth), vec_fill(TWO_MORE)), pairs);
}

/* What one block leaves for the next. */
struct utf8_state {
    vec last;
    int is_open; /* the block had bytes above 7F, so the next is looked at whatever it is */
};

/* Non-zero if the block, or a sequence that reaches into it, is damaged. */
static inline int utf8_check(struct utf8_state *state, struct block b, uint64_t high,
                             unsigned char forgiven)
{
    const vec counted = vec_fill((unsigned char)~forgiven);
    struct block faults;

    if (high == 0 && !state->is_open)
        return 0;
    faults.part[0] = utf8_faults(state->is_open ? state->last : vec_zero(), b.part[0]);
    for (int i = 1; i < VEC_COUNT; i++)
        faults.part[i] = utf8_faults(b.part[i - 1], b.part[i]);
    for (int i = 1; i < VEC_COUNT; i++)
        faults.part[0] = vec_or(faults.part[0], faults.part[i]);
    state->last = b.part[VEC_COUNT - 1];
    state->is_open = high != 0;
    return vec_any(vec_and(faults.part[0], counted));
}

#endif
