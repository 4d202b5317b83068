/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON strings: decoding and escaping, with the kernels of the best instruction set. A lone
 * surrogate escape decodes to its three WTF-8 bytes and is written back as \uXXXX.
 */
#ifndef PEX_DATA_TEXT_H
#define PEX_DATA_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that both may write past the end of their result. */
#define PEX__TEXT_SLACK 64

/* Decodes the valid escaped text (without quotes) into out, room for length + slack bytes; reads up
 * to slack bytes past the end of text. Returns the decoded length. */
size_t pex__text_decode(const char *text, size_t length, char *out);

/* Escapes UTF-8 or WTF-8 text into out, room for 6 * length + slack bytes; writes no quotes; reads
 * no byte past the end. Escapes `"`, `\`, controls (short forms where JSON has them) and lone
 * surrogates; everything else stays. Returns the length. */
size_t pex__text_escape(const char *text, size_t length, char *out);

/* Upper bound of pex__text_escape's result, found by one look at the text (length where nothing
 * needs an escape). */
size_t pex__text_escaped_bound(const char *text, size_t length);

/* Non-zero if text is UTF-8 in which surrogates (WTF-8) are allowed. */
int pex__text_valid(const char *text, size_t length);

#endif
