/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i block;

static inline block block_load(const char *text)
{
    return _mm512_loadu_si512(text);
}

static inline uint64_t block_high(block bytes)
{
    return _mm512_movepi8_mask(bytes);
}

static inline uint64_t block_equal(block bytes, char value)
{
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(value));
}

static inline uint64_t block_range(block bytes, uint8_t first, uint8_t last)
{
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8((char)first)),
                                  _mm512_set1_epi8((char)(last - first)));
}

static inline uint64_t block_lead(block bytes)
{
    return _mm512_cmpgt_epi8_mask(bytes, _mm512_set1_epi8(-65));
}

#define KERNEL pex__kernel_avx512
#define KERNEL_NAME "avx512"
#include "kernel_body.h"
