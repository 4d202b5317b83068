/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/registry.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/operator.h"
#include "plan/spec.h"

#include <pthread.h>
#include <string.h>

/* A plugin that was loaded. */
struct plugin {
    char *path;
    const void *object; /* of the loader; another path may lead to the same one */
};

/*
 * `loading` is held from begin to end, so plugins load one after the other; `lock` only for a look
 * or a change, and nothing is called under it. Order: loading before lock.
 */
struct pex__registry {
    pthread_mutex_t loading;
    pthread_mutex_t lock;
    struct pex__operator **operators; /* in the order of their registration */
    size_t count;
    size_t capacity;
    struct plugin *plugins;
    size_t plugin_count;
    size_t plugin_capacity;
    /* The plugin that loads now, and what its adds came to. */
    int is_loading;
    char *name;
    char *file;
    pthread_t thread;
    struct pex_error failed; /* of the first add that failed; code 0: none */
};

int32_t pex__registry_create(struct pex__registry **registry)
{
    struct pex__registry *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return PEX_ENOMEM;
    pthread_mutex_init(&made->loading, NULL);
    pthread_mutex_init(&made->lock, NULL);
    *registry = made;
    return 0;
}

/* Frees an operator whose registration was granted, so that `user` is ours to give back. */
static void let_go(struct pex__operator *op)
{
    if (op->has_release)
        op->release(op->user);
    pex__operator_free(op);
}

void pex__registry_free(struct pex__registry *registry)
{
    if (registry == NULL)
        return;
    for (size_t i = 0; i < registry->count; i++)
        let_go(registry->operators[i]);
    for (size_t i = 0; i < registry->plugin_count; i++)
        pex__free(registry->plugins[i].path);
    pex__free(registry->operators);
    pex__free(registry->plugins);
    pex__free(registry->name);
    pex__free(registry->file);
    pthread_mutex_destroy(&registry->lock);
    pthread_mutex_destroy(&registry->loading);
    pex__free(registry);
}

static struct pex__operator *find_locked(const struct pex__registry *registry, const char *name)
{
    for (size_t i = 0; i < registry->count; i++) {
        if (strcmp(registry->operators[i]->op.name, name) == 0)
            return registry->operators[i];
    }
    return NULL;
}

/* Non-zero if this thread registers for the plugin that loads now. */
static int loads_plugin(const struct pex__registry *registry)
{
    return registry->is_loading && pthread_equal(registry->thread, pthread_self());
}

/* An operator that others may see. */
static const struct pex__operator *find_committed(const struct pex__registry *registry,
                                                  const char *name)
{
    const struct pex__operator *found = find_locked(registry, name);

    return found != NULL && !found->is_new ? found : NULL;
}

static int32_t refuse_twice(const struct pex__operator *other, struct pex_error *err)
{
    const char *name = other->op.name;

    if (other->plugin == NULL)
        return pex_error_set(err, PEX_EEXIST, "operator %s: registered already, by the host", name);
    return pex_error_set(err, PEX_EEXIST, "operator %s: registered already, by plugin %s (%s)",
                         name, other->plugin, other->plugin_file);
}

static int32_t add_locked(struct pex__registry *registry, struct pex__operator *op,
                          struct pex_error *err)
{
    const struct pex__operator *other = find_locked(registry, op->op.name);

    if (other != NULL)
        return refuse_twice(other, err);
    if (loads_plugin(registry)) {
        op->plugin = registry->name != NULL ? pex__strdup(registry->name) : NULL;
        op->plugin_file = registry->file != NULL ? pex__strdup(registry->file) : NULL;
        if (op->plugin == NULL || op->plugin_file == NULL)
            return pex__error_memory(err);
        op->is_new = 1;
    }
    if (pex__grow(&registry->operators, &registry->capacity, registry->count + 1,
                  sizeof *registry->operators) != 0)
        return pex__error_memory(err);
    registry->operators[registry->count++] = op;
    return 0;
}

int32_t pex__registry_add(struct pex__registry *registry, const struct pex_operator *op, void *user,
                          void (*release)(void *user), struct pex_error *err)
{
    struct pex__operator *made;
    struct pex_error why;
    int32_t code = pex__operator_copy(op, &made, &why);

    if (code == 0) {
        made->user = user;
        made->release = release;
        made->has_release = release != NULL;
    }
    pthread_mutex_lock(&registry->lock);
    if (code == 0) {
        code = add_locked(registry, made, &why);
        if (code != 0)
            pex__operator_free(made);
    }
    if (code != 0 && loads_plugin(registry) && registry->failed.code == 0)
        registry->failed = why;
    pthread_mutex_unlock(&registry->lock);
    if (code != 0 && err != NULL)
        *err = why;
    return code;
}

void pex__registry_begin(struct pex__registry *registry, const char *name, const char *file)
{
    pthread_mutex_lock(&registry->loading);
    pthread_mutex_lock(&registry->lock);
    registry->name = pex__strdup(name);
    registry->file = pex__strdup(file);
    registry->failed.code = 0;
    if (registry->name == NULL || registry->file == NULL)
        pex__error_memory(&registry->failed);
    registry->thread = pthread_self();
    registry->is_loading = 1;
    pthread_mutex_unlock(&registry->lock);
}

/* Takes back the operators of the plugin that loads now; they come as a list. */
static struct pex__operator *take_back(struct pex__registry *registry)
{
    struct pex__operator *taken = NULL, **end = &taken;
    size_t kept = 0;

    for (size_t i = 0; i < registry->count; i++) {
        struct pex__operator *op = registry->operators[i];

        if (op->is_new) {
            *end = op;
            end = &op->next_taken;
        } else {
            registry->operators[kept++] = op;
        }
    }
    registry->count = kept;
    return taken;
}

int32_t pex__registry_end(struct pex__registry *registry, int commit, struct pex_error *err)
{
    struct pex__operator *taken = NULL;
    struct pex_error failed;

    pthread_mutex_lock(&registry->lock);
    failed = registry->failed;
    if (!commit || failed.code != 0)
        taken = take_back(registry);
    for (size_t i = 0; i < registry->count; i++)
        registry->operators[i]->is_new = 0;
    pex__free(registry->name);
    pex__free(registry->file);
    registry->name = NULL;
    registry->file = NULL;
    registry->is_loading = 0;
    pthread_mutex_unlock(&registry->lock);
    pthread_mutex_unlock(&registry->loading);
    while (taken != NULL) {
        struct pex__operator *op = taken;

        taken = op->next_taken;
        let_go(op);
    }
    if (failed.code != 0 && err != NULL)
        *err = failed;
    return failed.code;
}

int pex__registry_loaded(struct pex__registry *registry, const char *path, const void *object)
{
    int loaded = 0;

    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < registry->plugin_count && !loaded; i++)
        loaded = strcmp(registry->plugins[i].path, path) == 0 ||
                 (object != NULL && registry->plugins[i].object == object);
    pthread_mutex_unlock(&registry->lock);
    return loaded;
}

void pex__registry_note(struct pex__registry *registry, const char *path, const void *object)
{
    char *copy = pex__strdup(path);

    pthread_mutex_lock(&registry->lock);
    if (copy != NULL && pex__grow(&registry->plugins, &registry->plugin_capacity,
                                  registry->plugin_count + 1, sizeof *registry->plugins) == 0)
        registry->plugins[registry->plugin_count++] = (struct plugin){copy, object};
    else
        pex__free(copy); /* without the note a second load finds its operators there */
    pthread_mutex_unlock(&registry->lock);
}

const struct pex__operator *pex__registry_find(struct pex__registry *registry, const char *name)
{
    const struct pex__operator *found;

    pthread_mutex_lock(&registry->lock);
    found = find_committed(registry, name);
    pthread_mutex_unlock(&registry->lock);
    return found;
}

const char *pex__registry_nearest(struct pex__registry *registry, const char *name)
{
    const char *nearest = NULL, *pair[2] = {NULL, NULL};

    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < registry->count; i++) {
        if (registry->operators[i]->is_new)
            continue;
        /* The nearer of the best so far and this one; equal steps keep the first by bytes. */
        pair[0] = registry->operators[i]->op.name;
        if (nearest != NULL) {
            int first = strcmp(nearest, pair[0]) < 0;

            pair[1] = first ? pair[0] : nearest;
            pair[0] = first ? nearest : pair[0];
        }
        nearest = pex__nearest(name, pair, nearest != NULL ? 2 : 1);
    }
    pthread_mutex_unlock(&registry->lock);
    return nearest;
}

size_t pex__registry_snapshot(struct pex__registry *registry, const struct pex__operator ***list)
{
    const struct pex__operator **copy;
    size_t count = 0;

    pthread_mutex_lock(&registry->lock);
    copy = pex__malloc((registry->count + 1) * sizeof *copy);
    for (size_t i = 0; i < registry->count && copy != NULL; i++)
        if (!registry->operators[i]->is_new)
            copy[count++] = registry->operators[i];
    pthread_mutex_unlock(&registry->lock);
    *list = copy;
    return count;
}
