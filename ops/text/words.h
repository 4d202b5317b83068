/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of the texts of a call: the pieces between blanks, tabs and line feeds, without special
 * characters at their ends; those of which nothing is left are none. They are made once, and shared
 * by the operators that follow each other on the same texts.
 */
#ifndef PEX_TEXT_WORDS_H
#define PEX_TEXT_WORDS_H

#include "kernel.h"
#include "text.h"

#include <stdbool.h>

struct pex__words {
    const char *text; /* what the words are cut from: the row's text, or its lower case */
    const struct pex__word *word;
    size_t count;
};

/* The words per row; none for rows whose text is no string. lowercase: of the text in lower case.
 * texts, states: the strings of the text field. NULL without memory. */
const struct pex__words *pex__words_of(pex_batch *batch, const struct pex__kernel *kernel,
                                       const struct pex_string_view *texts, const uint8_t *states,
                                       bool lowercase);

#endif
