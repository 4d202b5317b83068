/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of an expression in Python's syntax. */
#ifndef PEX_TEXT_TOKEN_H
#define PEX_TEXT_TOKEN_H

#include "value.h"

#include <partexec/base.h>

#define PEX__TOKEN_END 0
#define PEX__TOKEN_NAME 1
#define PEX__TOKEN_LITERAL 2 /* a number or a string */
#define PEX__TOKEN_SIGN 3    /* brackets and operators */

struct pex__token {
    int32_t kind;
    struct pex_string_view text; /* as it stands in the source */
    struct pex__value value;     /* LITERAL */
};

struct pex__tokens {
    struct pex__scratch *scratch;
    struct pex_string_view source;
    size_t at;
    size_t depth;            /* of open brackets, in which lines may end */
    const char *fault;       /* what is wrong at `at`, once a call failed with PEX_EINVAL */
    struct pex__token token; /* the present one */
};

/* Goes to the first token. Returns 0, PEX_ENOMEM, PEX_EINVAL. */
int32_t pex__tokens_begin(struct pex__tokens *tokens, struct pex__scratch *scratch,
                          struct pex_string_view source);
/* Goes to the next one. */
int32_t pex__tokens_next(struct pex__tokens *tokens);
/* Whether the present token is this sign or word. */
bool pex__token_is(const struct pex__tokens *tokens, const char *text);

#endif
