/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scans over whole texts that are worth vector instructions, one set per instruction set. All
 * sets give the same answers. kernel_body.h holds the algorithms, written on masks of 64 bytes;
 * kernel_ISA.c says how such a mask is made.
 */
#ifndef PEX_TEXT_KERNEL_H
#define PEX_TEXT_KERNEL_H

#include "fingerprint.h"

#include <stddef.h>
#include <stdint.h>

/* What several filters count in a text; a text has less than 2^32 bytes. */
struct pex__counts {
    uint32_t points;
    uint32_t alnum;   /* letters and numbers */
    uint32_t special; /* special characters */
    uint32_t words;   /* as count_words */
};

/* A word of a text, without the special characters at its ends. */
struct pex__word {
    uint32_t start;
    uint32_t end;
};

/* The lines of a text, which end as those of Python's str.splitlines. */
struct pex__lines {
    size_t points; /* of the whole text */
    size_t count;
    size_t longest; /* code points, without the end of the line */
};

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

    /* All of it in one pass. */
    void (*count_all)(const char *text, size_t length, struct pex__counts *counts);

    /* The words that count_words counts; words has room for them. Returns their number. */
    size_t (*split_words)(const char *text, size_t length, struct pex__word *words);

    void (*measure_lines)(const char *text, size_t length, struct pex__lines *lines);

    /* First position at or after `from` of one of four bytes, which may be equal; length if there
     * is none. */
    size_t (*find_any)(const char *text, size_t length, size_t from, const char bytes[4]);

    /* First position at or after `from` of a byte above 0x7F; length if there is none. */
    size_t (*find_high)(const char *text, size_t length, size_t from);

    /* First position at or after `from` (on a code point) where a blank other than U+0020 starts
     * that the whitespace operator replaces; length if there is none. */
    size_t (*find_blank)(const char *text, size_t length, size_t from);

    /* First position at or after `from` that may belong to the head of a link: a colon, a slash, or
     * the first of two letters w; length if there is none. */
    size_t (*find_link)(const char *text, size_t length, size_t from);

    /*
     * Puts the least of values[i] and of the low 32 bits of (hash * a[i] + b[i] mod 2^64) mod
     * (2^61 - 1), over all hashes, into values[i].
     */
    void (*min_hashes)(const uint32_t *hashes, size_t count, const uint64_t *a, const uint64_t *b,
                       size_t permutations, uint32_t *values);

    /* First item at or after `from` whose bits differ from `bits` in at most `distance` places;
     * count if there is none. */
    size_t (*find_near)(const struct pex__fingerprint *item, size_t count, size_t from,
                        uint64_t bits, uint32_t distance);
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
