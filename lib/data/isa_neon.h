/* SPDX-License-Identifier: Apache-2.0 */
/* 64 bytes at a time with NEON; see isa_sse.h. */
#ifndef PEX_DATA_ISA_NEON_H
#define PEX_DATA_ISA_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#define VEC_COUNT 4

typedef uint8x16_t vec;

struct block {
    vec part[VEC_COUNT];
};

static inline struct block block_load(const char *p)
{
    struct block b;

    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = vld1q_u8((const uint8_t *)p + 16 * i);
    return b;
}

static inline void block_store(char *p, struct block b)
{
    for (int i = 0; i < VEC_COUNT; i++)
        vst1q_u8((uint8_t *)p + 16 * i, b.part[i]);
}

/* A bit per byte of a block of all-ones and all-zero bytes: each keeps the bit of its place in a
 * group of eight, and three rounds of adding neighbours bring each group into one byte. */
static inline uint64_t block_bits(struct block b)
{
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const vec place = vld1q_u8(places);
    vec low = vpaddq_u8(vandq_u8(b.part[0], place), vandq_u8(b.part[1], place));
    vec high = vpaddq_u8(vandq_u8(b.part[2], place), vandq_u8(b.part[3], place));
    vec sum = vpaddq_u8(low, high);

    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

static inline uint64_t block_high(struct block b)
{
    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = vcgeq_u8(b.part[i], vdupq_n_u8(0x80));
    return block_bits(b);
}

static inline uint64_t block_eq(struct block b, char c)
{
    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = vceqq_u8(b.part[i], vdupq_n_u8((uint8_t)c));
    return block_bits(b);
}

static inline uint64_t block_range(struct block b, unsigned char low, unsigned char high)
{
    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] =
            vcleq_u8(vsubq_u8(b.part[i], vdupq_n_u8(low)), vdupq_n_u8((uint8_t)(high - low)));
    return block_bits(b);
}

static inline struct block block_lower(struct block b)
{
    for (int i = 0; i < VEC_COUNT; i++)
        b.part[i] = vorrq_u8(b.part[i], vdupq_n_u8(0x20));
    return b;
}

static inline int vec_any(vec v)
{
    return vmaxvq_u8(v) != 0;
}

static inline vec vec_zero(void)
{
    return vdupq_n_u8(0);
}

static inline vec vec_and(vec a, vec b)
{
    return vandq_u8(a, b);
}

static inline vec vec_or(vec a, vec b)
{
    return vorrq_u8(a, b);
}

static inline vec vec_xor(vec a, vec b)
{
    return veorq_u8(a, b);
}

static inline vec vec_fill(unsigned char c)
{
    return vdupq_n_u8(c);
}

static inline vec vec_minus(vec a, vec b)
{
    return vqsubq_u8(a, b);
}

static inline vec vec_low_half(const uint8_t table[16], vec v)
{
    return vqtbl1q_u8(vld1q_u8(table), vandq_u8(v, vdupq_n_u8(0x0F)));
}

static inline vec vec_high_half(const uint8_t table[16], vec v)
{
    return vqtbl1q_u8(vld1q_u8(table), vshrq_n_u8(v, 4));
}

static inline vec vec_left1(vec before, vec v)
{
    return vextq_u8(before, v, 15);
}

static inline vec vec_left2(vec before, vec v)
{
    return vextq_u8(before, v, 14);
}

static inline vec vec_left3(vec before, vec v)
{
    return vextq_u8(before, v, 13);
}

#endif
