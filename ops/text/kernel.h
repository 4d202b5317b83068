/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scans over whole texts that are worth vector instructions, one set per instruction set. All
 * sets give the same answers. kernel_body.h holds the algorithms, written on masks of 64 bytes;
 * kernel_ISA.c says how such a mask is made.
 */
#ifndef PEX_TEXT_KERNEL_H
#define PEX_TEXT_KERNEL_H

#include <stddef.h>

struct pex__kernel {
    const char *name;

    /* Number of code points of a text. */
    size_t (*count_points)(const char *text, size_t length);

    /* Number of code points of the string that a JSON token (valid, without its quotes) denotes. */
    size_t (*count_escaped)(const char *token, size_t length);

    /*
     * Number of pieces between blanks, tabs and line feeds that hold a code point that is not
     * special. Counting may stop at `enough` or more.
     */
    size_t (*count_words)(const char *text, size_t length, size_t enough);

    /* First position at or after `from` (on a code point) where a blank other than U+0020 starts
     * that the whitespace operator replaces; length if there is none. */
    size_t (*find_blank)(const char *text, size_t length, size_t from);

    /* First position at or after `from` that may belong to the head of a link: a colon, a slash, or
     * the first of two letters w; length if there is none. */
    size_t (*find_link)(const char *text, size_t length, size_t from);
};

/* The set for this machine. */
const struct pex__kernel *pex__kernel_best(void);

/* All sets that this machine can run, the portable one first; NULL past the last. For tests. */
const struct pex__kernel *pex__kernel_at(size_t index);

/* Number of bytes (0: none) of the blank at `text` that the whitespace operator replaces; U+0020 is
 * not one of them. */
size_t pex__blank_size(const char *text, size_t length);

extern const struct pex__kernel pex__kernel_plain;
extern const struct pex__kernel pex__kernel_sse2;
extern const struct pex__kernel pex__kernel_avx2;
extern const struct pex__kernel pex__kernel_avx512;

#endif
