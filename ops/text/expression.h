/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on a row, in the part of Python's expressions that looks at values and changes none:
 * names (fields of the row), attributes (fields of an object), literals, lists, tuples, sets, and,
 * or, not, unary + and -, comparisons, chains of them, in and not in.
 */
#ifndef PEX_TEXT_EXPRESSION_H
#define PEX_TEXT_EXPRESSION_H

#include "value.h"

#include <partexec/base.h>

/* Kinds of a node. */
#define PEX__NODE_LITERAL 0
#define PEX__NODE_NAME 1
#define PEX__NODE_ATTRIBUTE 2
#define PEX__NODE_BUILD 3 /* a list, tuple or set of the parts; value.type says which */
#define PEX__NODE_AND 4
#define PEX__NODE_OR 5
#define PEX__NODE_NOT 6
#define PEX__NODE_MINUS 7
#define PEX__NODE_PLUS 8
#define PEX__NODE_COMPARE 9 /* of the parts in turn, by `compare` between them */

/* Comparisons. */
#define PEX__EQ 0
#define PEX__NE 1
#define PEX__LT 2
#define PEX__LE 3
#define PEX__GT 4
#define PEX__GE 5
#define PEX__IN 6
#define PEX__NOT_IN 7
#define PEX__IS 8
#define PEX__IS_NOT 9

struct pex__node {
    int32_t kind;
    struct pex__value value;     /* LITERAL; BUILD: its type */
    struct pex_string_view name; /* ATTRIBUTE */
    size_t index;                /* NAME: in the expression's list */
    struct pex__node *const *part;
    const uint8_t *compare; /* one less than parts */
    size_t count;           /* of parts */
};

struct pex__expression {
    char *source; /* a copy; literals and names point into it */
    struct pex__scratch scratch;
    const struct pex__node *root;
    const struct pex_string_view *name; /* of the fields it looks at, each once */
    size_t name_count;
};

/*
 * Makes an expression of text that is valid UTF-8. Returns 0; PEX_EINVAL with the place and what is
 * wrong there in err; PEX_ENOMEM. Released with pex__expression_free, also after a failure.
 */
int32_t pex__expression_parse(struct pex__expression *expression, struct pex_string_view source,
                              struct pex_error *err);
void pex__expression_free(struct pex__expression *expression);

/*
 * The value for a row. fields: the JSON texts of the names' fields; data is NULL where the row has
 * none, which is null. Returns 0, PEX_ENOMEM, or PEX_EDATA with the reason in *fault: values
 * without an order, and what else Python raises.
 */
int32_t pex__expression_evaluate(const struct pex__expression *expression,
                                 struct pex__scratch *scratch, const struct pex_string_view *fields,
                                 struct pex__value *value, const char **fault);

/* A list, tuple or set of values; *fault as above. Items of a set that are equal become one. */
int32_t pex__expression_build(struct pex__scratch *scratch, int32_t type,
                              const struct pex__value *items, size_t count,
                              struct pex__value *value, const char **fault);

#endif
