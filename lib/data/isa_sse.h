/* SPDX-License-Identifier: Apache-2.0 */
/* 64 bytes at a time with SSE4.2; isa_avx2.h, isa_avx512.h and isa_neon.h define the same names. */
#ifndef PEX_DATA_ISA_SSE_H
#define PEX_DATA_ISA_SSE_H

#include <immintrin.h>
#include <stdint.h>

#define VEC_COUNT 4

typedef __m128i vec;

struct block {
    vec part[VEC_COUNT];
};

static inline struct block block_load(const char *p)
{
    struct block b;

    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = _mm_loadu_si128((const __m128i *)p + i);
    return b;
}

static inline void block_store(char *p, struct block b)
{
    for (int i = 0; i < VEC_COUNT; i++)
        _mm_storeu_si128((__m128i *)p + i, b.part[i]);
}

static inline uint64_t vec_high(vec v)
{
    return (uint32_t)_mm_movemask_epi8(v);
}

/* A bit per byte: its top bit. */
static inline uint64_t block_high(struct block b)
{
    return vec_high(b.part[0]) | vec_high(b.part[1]) << 16 | vec_high(b.part[2]) << 32 |
           vec_high(b.part[3]) << 48;
}

static inline uint64_t block_eq(struct block b, char c)
{
    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = _mm_cmpeq_epi8(b.part[i], _mm_set1_epi8(c));
    return block_high(b);
}

/* Bytes with low <= byte <= high, unsigned. */
static inline uint64_t block_range(struct block b, unsigned char low, unsigned char high)
{
    for (int i = 0; i < VEC_COUNT; i++) {
        const vec offset = _mm_sub_epi8(b.part[i], _mm_set1_epi8((char)low));

        b.part[i] = _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8((char)(high - low))), offset);
    }
    return block_high(b);
}

static inline struct block block_lower(struct block b)
{
    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = _mm_or_si128(b.part[i], _mm_set1_epi8(0x20));
    return b;
}

static inline vec vec_zero(void)
{
    return _mm_setzero_si128();
}

static inline vec vec_and(vec a, vec b)
{
    return _mm_and_si128(a, b);
}

static inline vec vec_or(vec a, vec b)
{
    return _mm_or_si128(a, b);
}

static inline vec vec_xor(vec a, vec b)
{
    return _mm_xor_si128(a, b);
}

static inline vec vec_fill(unsigned char c)
{
    return _mm_set1_epi8((char)c);
}

/* a - b, not below 0. */
static inline vec vec_minus(vec a, vec b)
{
    return _mm_subs_epu8(a, b);
}

/* Looks the low and the high half of each byte up in a table of 16. */
static inline vec vec_low_half(const uint8_t table[16], vec v)
{
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)table),
                            _mm_and_si128(v, _mm_set1_epi8(0x0F)));
}

static inline vec vec_high_half(const uint8_t table[16], vec v)
{
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)table),
                            _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(0x0F)));
}

/* Each byte's neighbour 1, 2 or 3 to the left; `before` is the vector in front of v. */
static inline vec vec_left1(vec before, vec v)
{
    return _mm_alignr_epi8(v, before, 15);
}

static inline vec vec_left2(vec before, vec v)
{
    return _mm_alignr_epi8(v, before, 14);
}

static inline vec vec_left3(vec before, vec v)
{
    return _mm_alignr_epi8(v, before, 13);
}

static inline int vec_any(vec v)
{
    return !_mm_testz_si128(v, v);
}

#endif
