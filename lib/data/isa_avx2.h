/* SPDX-License-Identifier: Apache-2.0 */
/* 64 bytes at a time with AVX2; see isa_sse.h. */
#ifndef PEX_DATA_ISA_AVX2_H
#define PEX_DATA_ISA_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define VEC_COUNT 2

typedef __m256i vec;

struct block {
    vec part[VEC_COUNT];
};

static inline struct block block_load(const char *p)
{
    struct block b;

    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = _mm256_loadu_si256((const __m256i *)p + i);
    return b;
}

static inline void block_store(char *p, struct block b)
{
    for (int i = 0; i < VEC_COUNT; i++)
        _mm256_storeu_si256((__m256i *)p + i, b.part[i]);
}

static inline uint64_t bits(vec low, vec high)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline uint64_t block_high(struct block b)
{
    return bits(b.part[0], b.part[1]);
}

static inline uint64_t block_eq(struct block b, char c)
{
    const vec wanted = _mm256_set1_epi8(c);

    return bits(_mm256_cmpeq_epi8(b.part[0], wanted), _mm256_cmpeq_epi8(b.part[1], wanted));
}

static inline vec vec_is_inside(vec v, unsigned char low, unsigned char high)
{
    const vec offset = _mm256_sub_epi8(v, _mm256_set1_epi8((char)low));

    return _mm256_cmpeq_epi8(_mm256_min_epu8(offset, _mm256_set1_epi8((char)(high - low))), offset);
}

static inline uint64_t block_range(struct block b, unsigned char low, unsigned char high)
{
    return bits(vec_is_inside(b.part[0], low, high), vec_is_inside(b.part[1], low, high));
}

static inline struct block block_lower(struct block b)
{
    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = _mm256_or_si256(b.part[i], _mm256_set1_epi8(0x20));
    return b;
}

static inline int vec_any(vec v)
{
    return !_mm256_testz_si256(v, v);
}

static inline vec vec_zero(void)
{
    return _mm256_setzero_si256();
}

static inline vec vec_and(vec a, vec b)
{
    return _mm256_and_si256(a, b);
}

static inline vec vec_or(vec a, vec b)
{
    return _mm256_or_si256(a, b);
}

static inline vec vec_xor(vec a, vec b)
{
    return _mm256_xor_si256(a, b);
}

static inline vec vec_fill(unsigned char c)
{
    return _mm256_set1_epi8((char)c);
}

static inline vec vec_minus(vec a, vec b)
{
    return _mm256_subs_epu8(a, b);
}

static inline vec vec_table(const uint8_t table[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
}

static inline vec vec_low_half(const uint8_t table[16], vec v)
{
    return _mm256_shuffle_epi8(vec_table(table), _mm256_and_si256(v, _mm256_set1_epi8(0x0F)));
}

static inline vec vec_high_half(const uint8_t table[16], vec v)
{
    return _mm256_shuffle_epi8(vec_table(table),
                               _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F)));
}

/* alignr works inside halves, so it is given the half in front of each half. */
static inline vec vec_halves_before(vec before, vec v)
{
    return _mm256_permute2x128_si256(before, v, 0x21);
}

static inline vec vec_left1(vec before, vec v)
{
    return _mm256_alignr_epi8(v, vec_halves_before(before, v), 15);
}

static inline vec vec_left2(vec before, vec v)
{
    return _mm256_alignr_epi8(v, vec_halves_before(before, v), 14);
}

static inline vec vec_left3(vec before, vec v)
{
    return _mm256_alignr_epi8(v, vec_halves_before(before, v), 13);
}

#endif
