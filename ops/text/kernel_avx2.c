/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stdint.h>

typedef struct {
    __m256i low, high;
} block;

static inline block block_load(const char *text)
{
    block bytes = {_mm256_loadu_si256((const __m256i *)(const void *)text),
                   _mm256_loadu_si256((const __m256i *)(const void *)(text + 32))};
    return bytes;
}

static inline uint64_t join(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

static inline uint64_t block_high(block bytes)
{
    return join(bytes.low, bytes.high);
}

static inline uint64_t block_equal(block bytes, char value)
{
    __m256i v = _mm256_set1_epi8(value);
    return join(_mm256_cmpeq_epi8(bytes.low, v), _mm256_cmpeq_epi8(bytes.high, v));
}

static inline uint64_t block_range(block bytes, uint8_t first, uint8_t last)
{
    __m256i f = _mm256_set1_epi8((char)first), w = _mm256_set1_epi8((char)(last - first));
    __m256i low = _mm256_sub_epi8(bytes.low, f), high = _mm256_sub_epi8(bytes.high, f);
    return join(_mm256_cmpeq_epi8(_mm256_min_epu8(low, w), low),
                _mm256_cmpeq_epi8(_mm256_min_epu8(high, w), high));
}

static inline uint64_t block_lead(block bytes)
{
    __m256i v = _mm256_set1_epi8(-65);
    return join(_mm256_cmpgt_epi8(bytes.low, v), _mm256_cmpgt_epi8(bytes.high, v));
}

#define KERNEL pex__kernel_avx2
#define KERNEL_NAME "avx2"
#include "kernel_body.h"
