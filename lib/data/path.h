/* SPDX-License-Identifier: Apache-2.0 */
/* Field paths and the compiled set of them that a scan looks for. */
#ifndef PEX_DATA_PATH_H
#define PEX_DATA_PATH_H

#include <partexec/base.h>

/* A path into a row: the keys from the outside in, unescaped UTF-8. */
struct pex__path {
    char *name; /* for messages: "meta.lang", "__dj__stats__.text_len" */
    char **keys;
    size_t depth; /* at least 1 */
};

/* From a dotted path; empty segments are PEX_EINVAL. */
int32_t pex__path_parse(const char *dotted, struct pex__path *path, struct pex_error *err);
/* From literal keys; copies them. */
int32_t pex__path_keys(const char *const *keys, size_t depth, struct pex__path *path);
void pex__path_free(struct pex__path *path);
int pex__path_equal(const struct pex__path *a, const struct pex__path *b);
/* Non-zero if a is a proper prefix of b, or b of a: setting one changes the other. */
int pex__path_overlaps(const struct pex__path *a, const struct pex__path *b);

/* Compiled, immutable, shared by threads. Column i of a scan is paths[i]; equal paths are
 * PEX_EINVAL. */
struct pex__paths;
int32_t pex__paths_create(const struct pex__path *paths, size_t count, struct pex__paths **set);
void pex__paths_free(struct pex__paths *set);
size_t pex__paths_count(const struct pex__paths *set);

#endif
