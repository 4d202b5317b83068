/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stddef.h>
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

/*
 * Four permutations in each vector. The product needs only its low 64 bits, from two products of
 * 32 bits. Of the remainder only the low half counts. Both sides of the comparison are below 2^62.
 */
static inline __m256i lower_with(__m256i least, __m256i a, __m256i b, __m256i hash)
{
    const __m256i prime = _mm256_set1_epi64x(((int64_t)1 << 61) - 1);
    __m256i high = _mm256_slli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), hash), 32);
    __m256i x = _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(a, hash), high), b);
    x = _mm256_add_epi64(_mm256_and_si256(x, prime), _mm256_srli_epi64(x, 61));
    __m256i is_less = _mm256_cmpgt_epi64(prime, x);
    x = _mm256_sub_epi64(x, _mm256_andnot_si256(is_less, prime));
    return _mm256_min_epu32(least, x);
}

/* Eight permutations stay in registers while all hashes go by. */
static size_t min_hashes_wide(const uint32_t *hashes, size_t count, const uint64_t *a,
                              const uint64_t *b, size_t permutations, uint32_t *values)
{
    const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    enum { VECTORS = 2 };
    size_t i = 0;
    for (; permutations - i >= VECTORS * 4; i += VECTORS * 4) {
        __m256i va[VECTORS], vb[VECTORS], least[VECTORS];
        for (size_t v = 0; v < VECTORS; v++) {
            va[v] = _mm256_loadu_si256((const __m256i *)(const void *)(a + i + 4 * v));
            vb[v] = _mm256_loadu_si256((const __m256i *)(const void *)(b + i + 4 * v));
            least[v] = _mm256_cvtepu32_epi64(
                _mm_loadu_si128((const __m128i *)(const void *)(values + i + 4 * v)));
        }
        for (size_t k = 0; k < count; k++) {
            __m256i hash = _mm256_set1_epi64x(hashes[k]);
            for (size_t v = 0; v < VECTORS; v++)
                least[v] = lower_with(least[v], va[v], vb[v], hash);
        }
        for (size_t v = 0; v < VECTORS; v++)
            _mm_storeu_si128(
                (__m128i *)(void *)(values + i + 4 * v),
                _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(least[v], low_halves)));
    }
    return i;
}

#define KERNEL pex__kernel_avx2
#define KERNEL_NAME "avx2"
#include "kernel_body.h"
