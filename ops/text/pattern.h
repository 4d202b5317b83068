/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns that a recipe brings along, matched by PCRE2. A pattern is shared by threads; what a
 * search needs of its own is in a session, one per call of an operator.
 *
 * A text is not checked again: it is UTF-8, except that a lone surrogate is there as its three
 * bytes, which PCRE2 reads as the code point that they denote.
 */
#ifndef PEX_TEXT_PATTERN_H
#define PEX_TEXT_PATTERN_H

#include "python.h"

#include <stdbool.h>

struct pex__pattern;
struct pex__session;

/* Limits, beyond which a search is given up: of one match, and of all matches in a text. */
#define PEX__PATTERN_STEPS 10000000    /* of backtracking, for one match */
#define PEX__PATTERN_KIB 32768         /* of memory to remember them */
#define PEX__PATTERN_WORK 500000000    /* characters looked at in a text, ... */
#define PEX__PATTERN_WORK_PER_BYTE 256 /* ... and so many more for each byte of it */

/* Makes a pattern of Python's syntax; dialect and flags are those of python.h. Returns 0,
 * PEX_ENOMEM or PEX_EINVAL with the reason in err. */
int32_t pex__pattern_create(struct pex__pattern **made, struct pex_string_view source,
                            uint32_t dialect, uint32_t flags, char error[300]);
void pex__pattern_free(struct pex__pattern *pattern);

/* With group 0. */
size_t pex__pattern_groups(const struct pex__pattern *pattern);
const struct pex__group_names *pex__pattern_names(const struct pex__pattern *pattern);

/* NULL without memory. */
struct pex__session *pex__session_create(const struct pex__pattern *pattern);
void pex__session_free(struct pex__session *session);

/* Starts to look through a text, which must stay. */
void pex__session_text(struct pex__session *session, struct pex_string_view text);
/* Starts to look through a part of that text as if it were all; the limit stays that of the text.
 */
void pex__session_part(struct pex__session *session, struct pex_string_view part);

/*
 * The next match as Python's finditer finds them: an empty one may follow on another, but not on an
 * empty one at its place. Returns 1 with *groups, what each group matched (both ends SIZE_MAX if it
 * took no part; valid until the next call), 0 if there is none, or a negative code: PEX_ELIMIT if
 * the search was given up.
 */
int32_t pex__session_next(struct pex__session *session, const struct pex__span **groups);

/* What a code of pex__session_next means, for the message of a row. */
const char *pex__session_reason(int32_t code);

#endif
