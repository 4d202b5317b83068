/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, one sequence at a time. */
#ifndef PEX_DATA_TEXT_UTF8_H
#define PEX_DATA_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the sequence of two or more bytes at p (p[0] >= 0x80, p < end), 0 if it is damaged.
 * surrogates: non-zero if U+D800 to U+DFFF count as code points (WTF-8). */
static inline size_t pex__utf8_length(const unsigned char *p, const unsigned char *end,
                                      int surrogates)
{
    size_t left = (size_t)(end - p);
    unsigned char low = 0x80, high = 0xBF;

    if (p[0] < 0xC2 || p[0] > 0xF4 || left < 2)
        return 0;
    if (p[0] == 0xE0)
        low = 0xA0;
    else if (p[0] == 0xED && !surrogates)
        high = 0x9F;
    else if (p[0] == 0xF0)
        low = 0x90;
    else if (p[0] == 0xF4)
        high = 0x8F;
    if (p[1] < low || p[1] > high)
        return 0;
    if (p[0] < 0xE0)
        return 2;
    if (left < 3 || (p[2] & 0xC0) != 0x80)
        return 0;
    if (p[0] < 0xF0)
        return 3;
    return left < 4 || (p[3] & 0xC0) != 0x80 ? 0 : 4;
}

/* Writes a code point (or a surrogate) at out; returns how many bytes. */
static inline size_t pex__utf8_put(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

#endif
