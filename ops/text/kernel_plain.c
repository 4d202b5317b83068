/* SPDX-License-Identifier: Apache-2.0 */
/* Portable masks: what other machines run, and what the other sets are compared with. */
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

#define KERNEL pex__kernel_plain
#define KERNEL_NAME "plain"
#include "kernel_body.h"
