/* SPDX-License-Identifier: Apache-2.0 */
/* 64 bytes at a time with AVX-512 (F, BW, VL); see isa_sse.h. */
#ifndef PEX_DATA_ISA_AVX512_H
#define PEX_DATA_ISA_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#define VEC_COUNT 1

typedef __m512i vec;

struct block {
    vec part[VEC_COUNT];
};

static inline struct block block_load(const char *p)
{
    return (struct block){{_mm512_loadu_si512(p)}};
}

static inline void block_store(char *p, struct block b)
{
    _mm512_storeu_si512(p, b.part[0]);
}

static inline uint64_t block_high(struct block b)
{
    return _mm512_movepi8_mask(b.part[0]);
}

static inline uint64_t block_eq(struct block b, char c)
{
    return _mm512_cmpeq_epi8_mask(b.part[0], _mm512_set1_epi8(c));
}

static inline uint64_t block_range(struct block b, unsigned char low, unsigned char high)
{
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(b.part[0], _mm512_set1_epi8((char)low)),
                                  _mm512_set1_epi8((char)(high - low)));
}

static inline struct block block_lower(struct block b)
{
    b.part[0] = _mm512_or_si512(b.part[0], _mm512_set1_epi8(0x20));
    return b;
}

static inline int vec_any(vec v)
{
    return _mm512_test_epi8_mask(v, v) != 0;
}

static inline vec vec_zero(void)
{
    return _mm512_setzero_si512();
}

static inline vec vec_and(vec a, vec b)
{
    return _mm512_and_si512(a, b);
}

static inline vec vec_or(vec a, vec b)
{
    return _mm512_or_si512(a, b);
}

static inline vec vec_xor(vec a, vec b)
{
    return _mm512_xor_si512(a, b);
}

static inline vec vec_fill(unsigned char c)
{
    return _mm512_set1_epi8((char)c);
}

static inline vec vec_minus(vec a, vec b)
{
    return _mm512_subs_epu8(a, b);
}

static inline vec vec_table(const uint8_t table[16])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table));
}

static inline vec vec_low_half(const uint8_t table[16], vec v)
{
    return _mm512_shuffle_epi8(vec_table(table), _mm512_and_si512(v, _mm512_set1_epi8(0x0F)));
}

static inline vec vec_high_half(const uint8_t table[16], vec v)
{
    return _mm512_shuffle_epi8(vec_table(table),
                               _mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(0x0F)));
}

/* alignr works inside quarters, so it is given the quarter in front of each quarter. */
static inline vec vec_quarters_before(vec before, vec v)
{
    return _mm512_alignr_epi64(v, before, 6);
}

static inline vec vec_left1(vec before, vec v)
{
    return _mm512_alignr_epi8(v, vec_quarters_before(before, v), 15);
}

static inline vec vec_left2(vec before, vec v)
{
    return _mm512_alignr_epi8(v, vec_quarters_before(before, v), 14);
}

static inline vec vec_left3(vec before, vec v)
{
    return _mm512_alignr_epi8(v, vec_quarters_before(before, v), 13);
}

#endif
