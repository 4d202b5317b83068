/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

/* Odd, with about half of their bits set; fractions of the square roots of 2, 3, 5 and 7. */
#define K0 0x6A09E667F3BCC909u
#define K1 0xBB67AE8584CAA73Bu
#define K2 0x3C6EF372FE94F82Bu
#define K3 0xA54FF53A5F1D36F1u

__extension__ typedef unsigned __int128 wide;

static uint64_t mix(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word(const unsigned char *p)
{
    uint64_t value;

    memcpy(&value, p, sizeof value);
    return value;
}

uint64_t pex__hash64(const void *data, size_t length, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t a = seed ^ K0, b = seed ^ K1, last[2] = {0, 0};
    size_t left = length;

    /* Two chains, so that their multiplications overlap. */
    for (; left >= 32; left -= 32, p += 32) {
        a = mix(word(p) ^ a, word(p + 8) ^ K2);
        b = mix(word(p + 16) ^ b, word(p + 24) ^ K3);
    }
    if (left >= 16) {
        a = mix(word(p) ^ a, word(p + 8) ^ K2);
        left -= 16;
        p += 16;
    }
    if (left != 0)
        memcpy(last, p, left);
    b = mix(last[0] ^ b, last[1] ^ K3);
    return mix(a ^ K2 ^ length, b ^ K3);
}
