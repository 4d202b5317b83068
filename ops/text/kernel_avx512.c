/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stddef.h>
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

/*
 * Eight permutations in each vector. The product needs only its low 64 bits, from two products of
 * 32 bits. Of the remainder only the low half counts.
 */
static inline __m512i lower_with(__m512i least, __m512i a, __m512i b, __m512i hash)
{
    const __m512i prime = _mm512_set1_epi64(((int64_t)1 << 61) - 1);
    __m512i high = _mm512_slli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(a, 32), hash), 32);
    __m512i x = _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(a, hash), high), b);
    x = _mm512_add_epi64(_mm512_and_si512(x, prime), _mm512_srli_epi64(x, 61));
    x = _mm512_mask_sub_epi64(x, _mm512_cmpge_epu64_mask(x, prime), x, prime);
    return _mm512_min_epu32(least, x);
}

/* 32 permutations stay in registers while all hashes go by. */
static size_t min_hashes_wide(const uint32_t *hashes, size_t count, const uint64_t *a,
                              const uint64_t *b, size_t permutations, uint32_t *values)
{
    enum { VECTORS = 4 };
    size_t i = 0;
    for (; permutations - i >= VECTORS * 8; i += VECTORS * 8) {
        __m512i va[VECTORS], vb[VECTORS], least[VECTORS];
        for (size_t v = 0; v < VECTORS; v++) {
            va[v] = _mm512_loadu_si512(a + i + 8 * v);
            vb[v] = _mm512_loadu_si512(b + i + 8 * v);
            least[v] = _mm512_cvtepu32_epi64(
                _mm256_loadu_si256((const __m256i *)(const void *)(values + i + 8 * v)));
        }
        for (size_t k = 0; k < count; k++) {
            __m512i hash = _mm512_set1_epi64(hashes[k]);
            for (size_t v = 0; v < VECTORS; v++)
                least[v] = lower_with(least[v], va[v], vb[v], hash);
        }
        for (size_t v = 0; v < VECTORS; v++)
            _mm256_storeu_si256((__m256i *)(void *)(values + i + 8 * v),
                                _mm512_cvtepi64_epi32(least[v]));
    }
    return i;
}

#define KERNEL pex__kernel_avx512
#define KERNEL_NAME "avx512"
#include "kernel_body.h"
