/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds links by the default pattern of clean_links_mapper, in linear time. A link has
 *
 *  - a head that starts at a word boundary, one of
 *      scheme: letter, one or more of (word character, '-'), ':', then 1 to 3 slashes or one of
 *              [a-z0-9%];
 *      www:    "www", at most three digits, '.';
 *      host:   one or more of [a-z0-9.-], '.', two to four letters, '/';
 *  - then two units or more, the last of them a *good* one. A unit is a character other than white
 *    space, '<', '>' and parentheses, or a whole group "( ... )", nested once at most. Good are
 *    groups, and characters other than quotes and punctuation.
 *
 * Upper and lower case are the same. The first start wins, then the order above, then the longest
 * end. A backtracking engine takes exponential time for some of these texts.
 */
#ifndef PEX_TEXT_LINK_H
#define PEX_TEXT_LINK_H

#include "bytes.h"
#include "kernel.h"

#include <stdbool.h>

/*
 * What the pattern captures, by number (an empty span is nothing): 0 and 1 the link; 2 the last
 * item inside of the last filled group before the last unit, and 3 the last nested group there; 4
 * and 5 the same inside of the last unit, if that is a group.
 */
#define PEX__LINK_GROUPS 6

struct pex__link {
    struct pex__span group[PEX__LINK_GROUPS];
};

/* Finds the first link at or after `from`, which is 0 or the end of the link before. */
bool pex__link_find(const struct pex__kernel *kernel, struct pex_string_view text, size_t from,
                    struct pex__link *link);

#endif
