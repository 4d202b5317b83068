/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/registry.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/operator.h"
#include "plan/spec.h"

#include <pthread.h>
#include <string.h>

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
    char **plugins; /* paths */
    size_t plugin_count;
    size_t plugin_capacity;
    /* The plugin that loads now, and what its adds came to. */
    int is_loading;
    char *name;
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

void pex__registry_free(struct pex__registry *registry)
{
    if (registry == NULL)
        return;
    for (size_t i = 0; i < registry->count; i++) {
        struct pex__operator *op = registry->operators[i];

        if (op->has_release)
            op->release(op->user);
        pex__operator_free(op);
    }
    for (size_t i = 0; i < registry->plugin_count; i++)
        pex__free(registry->plugins[i]);
    pex__free(registry->operators);
    pex__free(registry->plugins);
    pex__free(registry->name);
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

static int32_t add_locked(struct pex__registry *registry, struct pex__operator *op,
                          struct pex_error *err)
{
    const struct pex__operator *other = find_locked(registry, op->op.name);

    if (other != NULL)
        return pex_error_set(err, PEX_EEXIST, "operator %s: registered already%s%s", op->op.name,
                             other->plugin != NULL ? " by plugin " : "",
                             other->plugin != NULL ? other->plugin : "");
    if (loads_plugin(registry)) {
        op->plugin = registry->name != NULL ? pex__strdup(registry->name) : NULL;
        if (op->plugin == NULL)
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

void pex__registry_begin(struct pex__registry *registry, const char *name)
{
    pthread_mutex_lock(&registry->loading);
    pthread_mutex_lock(&registry->lock);
    registry->name = pex__strdup(name);
    registry->failed.code = 0;
    if (registry->name == NULL)
        pex__error_memory(&registry->failed);
    registry->thread = pthread_self();
    registry->is_loading = 1;
    pthread_mutex_unlock(&registry->lock);
}

/* Takes back the operators of the plugin that loads now. */
static void take_back(struct pex__registry *registry)
{
    size_t kept = 0;

    for (size_t i = 0; i < registry->count; i++) {
        struct pex__operator *op = registry->operators[i];

        if (op->is_new)
            pex__operator_free(op);
        else
            registry->operators[kept++] = op;
    }
    registry->count = kept;
}

int32_t pex__registry_end(struct pex__registry *registry, int commit, struct pex_error *err)
{
    struct pex_error failed;

    pthread_mutex_lock(&registry->lock);
    failed = registry->failed;
    if (!commit || failed.code != 0)
        take_back(registry);
    for (size_t i = 0; i < registry->count; i++)
        registry->operators[i]->is_new = 0;
    pex__free(registry->name);
    registry->name = NULL;
    registry->is_loading = 0;
    pthread_mutex_unlock(&registry->lock);
    pthread_mutex_unlock(&registry->loading);
    if (failed.code != 0 && err != NULL)
        *err = failed;
    return failed.code;
}

int pex__registry_loaded(struct pex__registry *registry, const char *path, int note)
{
    char *copy;
    int loaded = 0;

    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < registry->plugin_count && !loaded; i++)
        loaded = strcmp(registry->plugins[i], path) == 0;
    if (!loaded && note) {
        copy = pex__strdup(path);
        if (copy != NULL && pex__grow(&registry->plugins, &registry->plugin_capacity,
                                      registry->plugin_count + 1, sizeof *registry->plugins) == 0)
            registry->plugins[registry->plugin_count++] = copy;
        else
            pex__free(copy); /* without the note a second load finds its operators there */
    }
    pthread_mutex_unlock(&registry->lock);
    return loaded;
}

const struct pex__operator *pex__registry_find(struct pex__registry *registry, const char *name)
{
    const struct pex__operator *found;

    pthread_mutex_lock(&registry->lock);
    found = find_locked(registry, name);
    pthread_mutex_unlock(&registry->lock);
    return found;
}

const char *pex__registry_nearest(struct pex__registry *registry, const char *name)
{
    const char *nearest = NULL, *pair[2] = {NULL, NULL};

    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < registry->count; i++) {
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
    size_t count;

    pthread_mutex_lock(&registry->lock);
    count = registry->count;
    copy = pex__malloc((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count && copy != NULL; i++)
        copy[i] = registry->operators[i];
    pthread_mutex_unlock(&registry->lock);
    *list = copy;
    return count;
}
