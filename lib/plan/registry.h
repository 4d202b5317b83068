/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a context: deep copies of their tables, added one by one or all of a plugin. */
#ifndef PEX_PLAN_REGISTRY_H
#define PEX_PLAN_REGISTRY_H

#include <partexec/operator.h>

/* A registered operator; immutable, lives until the registry is freed. */
struct pex__operator {
    struct pex_operator op; /* of this library's size; everything it points to is owned */
    void *user;
    void (*release)(void *user);
    char *plugin; /* name of the plugin it came from, or NULL */
    int has_release;
    int is_new; /* of a plugin that has not ended its registration */
};

/* Locks itself; any thread. */
struct pex__registry;
int32_t pex__registry_create(struct pex__registry **registry);
/* Calls the release hooks; no instance may be left. */
void pex__registry_free(struct pex__registry *registry);

/* Checks and copies a table. PEX_EINVAL names what is wrong with it, PEX_EEXIST, PEX_ENOTSUP. */
int32_t pex__registry_add(struct pex__registry *registry, const struct pex_operator *op, void *user,
                          void (*release)(void *user), struct pex_error *err);
/*
 * Between begin and end (one thread; add from it only) operators belong to plugin `name`. end with
 * commit = 0, or after a failed add, takes all of them back without calling release. Returns 0, or
 * the code and text of the first failed add.
 */
void pex__registry_begin(struct pex__registry *registry, const char *name);
int32_t pex__registry_end(struct pex__registry *registry, int commit, struct pex_error *err);
/* Non-zero if a plugin of this path was loaded; notes it otherwise when `note` is set. */
int pex__registry_loaded(struct pex__registry *registry, const char *path, int note);

const struct pex__operator *pex__registry_find(struct pex__registry *registry, const char *name);
/* The known name that is nearest to `name`, or NULL; lives as long as the registry. */
const char *pex__registry_nearest(struct pex__registry *registry, const char *name);
/* All operators as they stand, in the order of registration; *list (NULL without memory) is freed
 * by the caller, what it points to is not. Returns their number. */
size_t pex__registry_snapshot(struct pex__registry *registry, const struct pex__operator ***list);
/* See pex_operators_describe. */
int32_t pex__registry_describe(struct pex__registry *registry, const char *name, char **json,
                               struct pex_error *err);

#endif
