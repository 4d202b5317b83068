/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code points: their classes (tables made by scripts/gen_unicode.py), decoding and encoding.
 *
 * Text is what pex_batch_strings hands out: valid UTF-8, except that a lone surrogate is there as
 * its three WTF-8 bytes. So decoding needs no checks.
 */
#ifndef PEX_TEXT_UNICODE_H
#define PEX_TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order of CLASSES in the generator. */
#define PEX__SPECIAL 1 /* stripped at the ends of a word */
#define PEX__STRIP 2   /* stripped at the ends of a text */
#define PEX__WORD 4    /* \w of a pattern */
#define PEX__DIGIT 8   /* \d of a pattern */
#define PEX__SPACE 16  /* \s of a pattern */
#define PEX__CASED 32  /* for the final sigma */
#define PEX__IGNORABLE 64
#define PEX__LOWERS 128 /* changes when lower-cased */
#define PEX__ALNUM 256
#define PEX__PUNCTUATION 512 /* \p{P} of a pattern */
#define PEX__PY_WORD 1024  /* \w and \d of a pattern of the standard module re, whose tables are */
#define PEX__PY_DIGIT 2048 /* older */

struct pex__lower {
    uint32_t from;
    uint32_t to[2]; /* the second is 0 if there is only one */
};

extern const uint16_t pex__unicode_index[8704];
extern const uint16_t pex__unicode_flags[][128];
extern const size_t pex__unicode_lower_count;
extern const struct pex__lower pex__unicode_lower[];

/* Ranges of PEX__WORD, PEX__DIGIT and PEX__PUNCTUATION that the properties of Unicode 14 lack. */
extern const size_t pex__unicode_newer_word_count;
extern const uint32_t pex__unicode_newer_word[][2];
extern const size_t pex__unicode_newer_digit_count;
extern const uint32_t pex__unicode_newer_digit[][2];
extern const size_t pex__unicode_newer_punctuation_count;
extern const uint32_t pex__unicode_newer_punctuation[][2];

static inline uint32_t pex__unicode_class(uint32_t point)
{
    return pex__unicode_flags[pex__unicode_index[point >> 7]][point & 127];
}

/* Lower case of a code point of class PEX__LOWERS. */
const struct pex__lower *pex__unicode_lower_of(uint32_t point);

static inline bool pex__is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The code point at `text`; *size is the number of its bytes. */
static inline uint32_t pex__decode(const char *text, size_t *size)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) {
        *size = 1;
        return s[0];
    }
    if (s[0] < 0xE0) {
        *size = 2;
        return (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
    }
    if (s[0] < 0xF0) {
        *size = 3;
        return (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
    }
    *size = 4;
    return (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 |
           (uint32_t)(s[2] & 0x3F) << 6 | (s[3] & 0x3F);
}

/* The code point that ends before `end`, and where it starts; end > 0. */
static inline uint32_t pex__decode_before(const char *text, size_t end, size_t *start)
{
    size_t at = end - 1;
    while (pex__is_continuation(text[at]))
        at--;
    *start = at;
    size_t size;
    return pex__decode(text + at, &size);
}

/* Writes a code point (surrogates too) and returns the number of bytes, at most 4. */
static inline size_t pex__encode(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xE0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

#endif
