/* SPDX-License-Identifier: Apache-2.0 */
/* Replacing what a pattern, or a scanner in its place, finds in a text. */
#ifndef PEX_TEXT_REPLACE_H
#define PEX_TEXT_REPLACE_H

#include "mapper.h"
#include "pattern.h"
#include "template.h"

#define PEX__SCAN_GROUPS_MAX 6

/* Finds what a pattern of ours finds, without an engine. */
struct pex__scanner {
    /* The first match at or after `from`, which is 0 or the end of the match before; a group that
     * took no part is empty. */
    bool (*next)(const struct pex__kernel *kernel, struct pex_string_view text, size_t from,
                 struct pex__span groups[PEX__SCAN_GROUPS_MAX]);
    size_t group_count; /* with group 0 */
};

struct pex__replacer {
    const struct pex__scanner *scanner; /* used where there is no pattern */
    struct pex__pattern *pattern;
    struct pex__template repl;
};

/* A text with the form r'..' or r".." of a Python source stands for what is in it. */
struct pex_string_view pex__pattern_unwrap(struct pex_string_view source);

/* Compiles a pattern as those of the mappers are: unwrapped, the dot matches line feeds too. `name`
 * is what messages call it. Returns 0 or a code with its text in err. */
int32_t pex__replacer_compile(struct pex__pattern **made, struct pex_string_view source,
                              const char *name, struct pex_error *err);

/* Parses the template after scanner and pattern are set; an error in it is logged now, and fails
 * rows with a match later. Returns 0 or a code with its text in err. */
int32_t pex__replacer_template(struct pex__replacer *replacer, struct pex_string_view repl,
                               pex_env *env, struct pex_error *err);
void pex__replacer_release(struct pex__replacer *replacer);

/* Makes the session that the pattern needs (NULL stays NULL without one). Returns 0 or PEX_ENOMEM.
 */
int32_t pex__replacer_session(const struct pex__replacer *replacer, struct pex__session **session);

/* Appends `text` with every match replaced to `out`. Returns 1, 0 if there is no match (out is as
 * it was), or a negative code for pex__replace_fail. */
int32_t pex__replace(const struct pex__replacer *replacer, struct pex__session *session,
                     const struct pex__kernel *kernel, struct pex_string_view text,
                     struct pex__bytes *out);

/* Fails the row, or, without memory, the call: a result for a pex__map_fn. */
int32_t pex__replace_fail(const struct pex__replacer *replacer, const struct pex__mapping *at,
                          int32_t code);

#endif
