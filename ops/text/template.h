/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacement templates as recipes write them: \1, \g<1> and \g<name> insert what the pattern
 * captured, \n \t \\ and the like are characters, so are \x41, \u0041, \U00000041 and octal \101; a
 * backslash before any other ASCII letter is an error, before anything else it stands for itself.
 */
#ifndef PEX_TEXT_TEMPLATE_H
#define PEX_TEXT_TEMPLATE_H

#include "python.h"

struct pex__template_part {
    size_t start; /* in `literal` */
    size_t length;
    size_t group; /* inserted after the literal part; SIZE_MAX: nothing */
};

struct pex__template {
    struct pex__template_part *part;
    size_t part_count;
    char *literal;
    char error[200]; /* what is wrong with the template; empty if it is usable */
};

/* Parses `text` for a pattern with groups 0 .. group_count - 1, of which some have names (NULL:
 * none has). Returns 0 (also with an error in the template) or PEX_ENOMEM. Released with
 * pex__template_free. */
int32_t pex__template_parse(struct pex__template *made, struct pex_string_view text,
                            size_t group_count, const struct pex__group_names *names);
void pex__template_free(struct pex__template *made);

#endif
