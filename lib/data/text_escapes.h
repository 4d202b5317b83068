/* SPDX-License-Identifier: Apache-2.0 */
/* Single escapes of JSON strings, both ways. */
#ifndef PEX_DATA_TEXT_ESCAPES_H
#define PEX_DATA_TEXT_ESCAPES_H

#include "data/text_utf8.h"

#include <string.h>

/* How a byte that needs an escape is written: up to 6 characters, the length in the last byte. */
extern const char pex__text_escape_table[256][8];

/* What the letter of a short escape stands for; 0 for letters that are none. */
extern const char pex__text_letter_table[256];

/* The value of the four hex digits at p; some number up to 0xFFFF where they are none. */
static inline uint32_t pex__hex_unit(const char *p)
{
    const unsigned char *digits = (const unsigned char *)p;
    uint32_t value = 0;

    /* The low half of a letter is 9 less than its value, and letters alone have bit 6. */
    for (int i = 0; i < 4; i++)
        value = value << 4 | (((digits[i] & 0xFu) + (digits[i] >> 6) * 9u) & 0xF);
    return value;
}

/*
 * Decodes the valid escape at p (*p is the backslash; the text ends at end) to out, and writes up
 * to four bytes there. *used gets its length, 2, 6, or 12 for a pair of surrogates. Returns how
 * many bytes it became.
 */
static inline size_t pex__unescape(const char *p, const char *end, char *out, size_t *used)
{
    uint32_t unit, low;

    if (p[1] != 'u') {
        *out = pex__text_letter_table[(unsigned char)p[1]];
        *used = 2;
        return 1;
    }
    unit = pex__hex_unit(p + 2);
    *used = 6;
    if (unit >= 0xD800 && unit < 0xDC00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
        low = pex__hex_unit(p + 8);
        if (low >= 0xDC00 && low < 0xE000) {
            unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            *used = 12;
        }
    }
    return pex__utf8_put(unit, out);
}

/* Non-zero if the three bytes at p are a surrogate in WTF-8. */
static inline int pex__is_surrogate(const char *p, size_t left)
{
    return (unsigned char)p[0] == 0xED && left >= 3 && (unsigned char)p[1] >= 0xA0;
}

/* Writes the escape of the byte or surrogate at p to out, 8 bytes of which are overwritten. *used
 * gets 1 or 3. Returns the escape's length. */
static inline size_t pex__escape_one(const char *p, char *out, size_t *used)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *bytes = (const unsigned char *)p;

    if (bytes[0] == 0xED) {
        memcpy(out, "\\ud", 3);
        out[3] = hex[bytes[1] >> 2 & 0xF];
        out[4] = hex[(bytes[1] << 2 & 0xC) | (bytes[2] >> 4 & 3)];
        out[5] = hex[bytes[2] & 0xF];
        *used = 3;
        return 6;
    }
    memcpy(out, pex__text_escape_table[bytes[0]], 8);
    *used = 1;
    return (size_t)pex__text_escape_table[bytes[0]][7];
}

#endif
