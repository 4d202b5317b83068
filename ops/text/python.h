/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns in Python's syntax, told to PCRE2. Every token is parsed and written anew, so nothing
 * reaches PCRE2 that means something else there; what has no translation is an error that names its
 * place. Classes such as \w are those of Python, names of groups become numbers.
 */
#ifndef PEX_TEXT_PYTHON_H
#define PEX_TEXT_PYTHON_H

#include "bytes.h"

#include <stdbool.h>

/* Which module the recipe's operator takes its patterns to. */
#define PEX__PYTHON_RE 0    /* the standard one */
#define PEX__PYTHON_REGEX 1 /* the module regex, in its default version 0 */

#define PEX__PYTHON_CASELESS 1
#define PEX__PYTHON_MULTILINE 2
#define PEX__PYTHON_DOTALL 4
#define PEX__PYTHON_VERBOSE 8
#define PEX__PYTHON_ASCII 16

struct pex__group_name {
    struct pex_string_view name; /* in the source */
    size_t group;
};

struct pex__group_names {
    struct pex__group_name *item;
    size_t count;
};

/* Where in the source the output from `out` on comes from. */
struct pex__python_place {
    size_t out;
    size_t source;
};

struct pex__python {
    struct pex__bytes out;
    uint32_t flags;     /* those it starts with: PEX__PYTHON_.. */
    bool can_go_back;   /* a try may look at more than it matches; see pattern.c */
    size_t group_count; /* with group 0, the whole match */
    struct pex__group_names names;
    struct pex__python_place *place;
    size_t place_count;
    char error[240]; /* what is wrong with the source; empty if it is usable */
};

/* Translates; `source` must outlive the names. Returns 0 (also with an error in the source) or
 * PEX_ENOMEM. Released with pex__python_free in both cases. */
int32_t pex__python_translate(struct pex__python *made, struct pex_string_view source,
                              uint32_t dialect, uint32_t flags);
void pex__python_free(struct pex__python *made);

/* Position in the source, in code points, of a position in the output. */
size_t pex__python_position(const struct pex__python *made, struct pex_string_view source,
                            size_t out);

/* The group of that name; 0 if there is none. */
size_t pex__group_of(const struct pex__group_names *names, struct pex_string_view name);

#endif
