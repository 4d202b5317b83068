/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    __m128i part[4];
} block;

static inline block block_load(const char *text)
{
    block bytes;
    for (int i = 0; i < 4; i++)
        bytes.part[i] = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
    return bytes;
}

static inline uint64_t join(__m128i a, __m128i b, __m128i c, __m128i d)
{
    uint64_t low = (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
    uint64_t high = (uint32_t)_mm_movemask_epi8(c) | (uint32_t)_mm_movemask_epi8(d) << 16;
    return low | high << 32;
}

static inline uint64_t block_high(block bytes)
{
    return join(bytes.part[0], bytes.part[1], bytes.part[2], bytes.part[3]);
}

static inline uint64_t block_equal(block bytes, char value)
{
    __m128i v = _mm_set1_epi8(value);
    return join(_mm_cmpeq_epi8(bytes.part[0], v), _mm_cmpeq_epi8(bytes.part[1], v),
                _mm_cmpeq_epi8(bytes.part[2], v), _mm_cmpeq_epi8(bytes.part[3], v));
}

static inline __m128i part_range(__m128i part, __m128i first, __m128i width)
{
    __m128i offset = _mm_sub_epi8(part, first);
    return _mm_cmpeq_epi8(_mm_min_epu8(offset, width), offset);
}

static inline uint64_t block_range(block bytes, uint8_t first, uint8_t last)
{
    __m128i f = _mm_set1_epi8((char)first), w = _mm_set1_epi8((char)(last - first));
    return join(part_range(bytes.part[0], f, w), part_range(bytes.part[1], f, w),
                part_range(bytes.part[2], f, w), part_range(bytes.part[3], f, w));
}

static inline uint64_t block_lead(block bytes)
{
    __m128i v = _mm_set1_epi8(-65);
    return join(_mm_cmpgt_epi8(bytes.part[0], v), _mm_cmpgt_epi8(bytes.part[1], v),
                _mm_cmpgt_epi8(bytes.part[2], v), _mm_cmpgt_epi8(bytes.part[3], v));
}

static inline size_t min_hashes_wide(const uint32_t *hashes, size_t count, const uint64_t *a,
                                     const uint64_t *b, size_t permutations, uint32_t *values)
{
    return 0;
}

#define KERNEL pex__kernel_sse2
#define KERNEL_NAME "sse2"
#include "kernel_body.h"
