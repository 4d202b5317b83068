/* SPDX-License-Identifier: Apache-2.0 */
/* The form of a text in which two documents are compared. */
#ifndef PEX_TEXT_NORMAL_H
#define PEX_TEXT_NORMAL_H

#include "bytes.h"

#include <partexec/base.h>

#include <stdbool.h>

struct pex__normal {
    bool lowercase;
    uint32_t ignored;        /* classes left out, with ASCII punctuation; 0: nothing is */
    char ascii[128];         /* what becomes of each, */
    uint8_t ascii_size[128]; /* and how many bytes of it: 0 or 1 */
    char *buffer;
    size_t capacity;
};

void pex__normal_init(struct pex__normal *normal, bool lowercase, uint32_t ignored);

/*
 * *out is the normal form of `text`, stripped at both ends: a part of it, or in the buffer until
 * the next call. Returns 0 or PEX_ENOMEM. The owner frees `buffer` in the end.
 */
int32_t pex__normal_form(struct pex__normal *normal, struct pex_string_view text,
                         struct pex_string_view *out);

/* Appends the text in lower case. Returns 0 or PEX_ENOMEM. */
int32_t pex__lower_append(struct pex__bytes *out, struct pex_string_view text);

/* Whether a lone surrogate is in the text, which then has no UTF-8 form. */
bool pex__has_surrogate(struct pex_string_view text);

#endif
