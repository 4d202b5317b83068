/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts without some of their words. What stays is joined again by one separator: a line feed if
 * there was one between two words that stay, else a tab, else a blank. So runs of them collapse,
 * and lines without a word vanish, also where no word goes.
 */
#ifndef PEX_TEXT_KEPT_WORDS_H
#define PEX_TEXT_KEPT_WORDS_H

#include "mapper.h"

#include <stdbool.h>

/* Whether a word, a piece between separators, stays. */
typedef bool pex__keep_fn(const struct pex__mapper *mapper, struct pex_string_view word);

int32_t pex__kept_words_map(const struct pex__mapper *mapper, const struct pex__mapping *at,
                            pex__keep_fn *keep);

/* A word without the special characters at its ends. */
struct pex_string_view pex__word_strip(struct pex_string_view word);

#endif
