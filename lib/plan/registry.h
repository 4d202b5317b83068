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
    char *plugin;      /* name of the plugin it came from, or NULL */
    char *plugin_file; /* and the file it was loaded from */
    int has_release;
    int is_new; /* of a plugin that has not ended its registration: only it sees this operator */
    struct pex__operator *next_taken; /* in the list of those taken back */
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
 * Between begin and end (one thread; add from it only) operators belong to plugin `name` of `file`.
 * end with commit = 0, or after a failed add, takes all of them back: `release` is called for those
 * whose add succeeded. Returns 0, or the code and text of the first failed add.
 */
void pex__registry_begin(struct pex__registry *registry, const char *name, const char *file);
int32_t pex__registry_end(struct pex__registry *registry, int commit, struct pex_error *err);
/* Non-zero if a plugin of this path, or of this object of the loader (NULL: any), was noted. */
int pex__registry_loaded(struct pex__registry *registry, const char *path, const void *object);
void pex__registry_note(struct pex__registry *registry, const char *path, const void *object);

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
