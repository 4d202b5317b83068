/* SPDX-License-Identifier: Apache-2.0 */
/* Portable masks: what other machines run, and what the other sets are compared with. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint8_t byte[64];
} block;

static inline block block_load(const char *text)
{
    block bytes;
    memcpy(&bytes, text, sizeof(bytes));
    return bytes;
}

static inline uint64_t block_range(block bytes, uint8_t first, uint8_t last)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i++)
        mask |= (uint64_t)(bytes.byte[i] >= first && bytes.byte[i] <= last) << i;
    return mask;
}

static inline uint64_t block_equal(block bytes, char value)
{
    return block_range(bytes, (uint8_t)value, (uint8_t)value);
}

static inline uint64_t block_lead(block bytes)
{
    return ~block_range(bytes, 0x80, 0xBF);
}

static inline uint64_t block_high(block bytes)
{
    return block_range(bytes, 0x80, 0xFF);
}

static inline size_t min_hashes_wide(const uint32_t *hashes, size_t count, const uint64_t *a,
                                     const uint64_t *b, size_t permutations, uint32_t *values)
{
    return 0;
}

#define KERNEL pex__kernel_plain
#define KERNEL_NAME "plain"
#include "kernel_body.h"
