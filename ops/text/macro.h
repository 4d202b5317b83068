/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text as a list of pieces, for replacing commands one name after the other: a command is a
 * backslash and all letters and digits behind it. Replacing one costs as much as its value has
 * pieces, not as much as the text is long, so that many macros in a long text take no longer than
 * the texts that come in and go out.
 */
#ifndef PEX_TEXT_MACRO_H
#define PEX_TEXT_MACRO_H

#include "bytes.h"

#include <partexec/base.h>

struct pex__macro {
    struct pex_string_view name;  /* the backslash included */
    struct pex_string_view value; /* its memory must stay until the end */
};

/*
 * Replaces, for each macro in turn, `name` before any character that is neither letter nor digit,
 * which must be there, by `value`. The search goes on behind that character, so that of two names
 * that touch the second stays. Names differ. Appends the result to `out`. Returns 0, PEX_ENOMEM, or
 * PEX_ELIMIT when the text would grow to more than `limit` bytes.
 */
int32_t pex__macros_expand(struct pex_string_view text, const struct pex__macro *macros,
                           size_t count, size_t limit, struct pex__bytes *out);

#endif
