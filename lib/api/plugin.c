/* SPDX-License-Identifier: Apache-2.0 */
/* Registration: operators of the host, and of plugins through the table of host functions. */
#include "api/context.h"

#include "base/error.h"
#include "base/memory.h"

#include <partexec/plugin.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same for every plugin and context; slots are only ever added at the end. */
static const struct pex_host host = {
    .struct_size = sizeof host,
    .operator_register = pex_operator_register,
    .error_set = pex_error_set,
    .params_is_null = pex_params_is_null,
    .params_int64 = pex_params_int64,
    .params_double = pex_params_double,
    .params_bool = pex_params_bool,
    .params_string = pex_params_string,
    .params_count = pex_params_count,
    .params_string_at = pex_params_string_at,
    .params_int64_at = pex_params_int64_at,
    .params_json = pex_params_json,
    .env_user = pex_env_user,
    .env_seed = pex_env_seed,
    .env_stats_wanted = pex_env_stats_wanted,
    .env_device = pex_env_device,
    .env_charge = pex_env_charge,
    .env_log = pex_env_log,
    .batch_rows = pex_batch_rows,
    .batch_strings = pex_batch_strings,
    .batch_tokens = pex_batch_tokens,
    .batch_int64 = pex_batch_int64,
    .batch_double = pex_batch_double,
    .batch_bool = pex_batch_bool,
    .batch_json = pex_batch_json,
    .batch_set_string = pex_batch_set_string,
    .batch_set_int64 = pex_batch_set_int64,
    .batch_set_double = pex_batch_set_double,
    .batch_set_bool = pex_batch_set_bool,
    .batch_set_json = pex_batch_set_json,
    .batch_set_missing = pex_batch_set_missing,
    .batch_alloc = pex_batch_alloc,
    .batch_drop = pex_batch_drop,
    .batch_fail_row = pex_batch_fail_row,
    .batch_append = pex_batch_append,
    .batch_consumed = pex_batch_consumed,
    .batch_row_ids = pex_batch_row_ids,
    .batch_cancelled = pex_batch_cancelled,
    .batch_stat_get = pex_batch_stat_get,
    .batch_stat_set = pex_batch_stat_set,
    .batch_cache_put = pex_batch_cache_put,
    .batch_cache_get = pex_batch_cache_get,
    .batch_counts = pex_batch_counts,
    .keys_emit = pex_keys_emit,
    .keys_rows = pex_keys_rows,
    .keys_count = pex_keys_count,
    .keys_next = pex_keys_next,
    .keys_rewind = pex_keys_rewind,
    .keys_decide = pex_keys_decide,
    .keys_cancelled = pex_keys_cancelled,
    .keys_memory = pex_keys_memory,
    .batch_cache_put_rows = pex_batch_cache_put_rows,
    .batch_cache_room = pex_batch_cache_room,
};

/* One plugin's init at a time in the process: it sets the plugin's pointer to the table. */
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

int32_t pex_operator_register(pex_context *ctx, const struct pex_operator *op, void *user,
                              void (*release)(void *user), struct pex_error *err)
{
    int32_t failed;

    if (ctx == NULL || op == NULL)
        return pex_error_set(err, PEX_EINVAL, "%s: NULL", ctx == NULL ? "ctx" : "op");
    failed = pex__core_check(ctx->core, err);
    if (failed != 0)
        return failed;
    return pex__registry_add(ctx->core->registry, op, user, release, err);
}

static int32_t check_info(const struct pex_plugin_info *info, const char *path,
                          struct pex_error *err)
{
    if (info == NULL || info->magic != PEX_PLUGIN_MAGIC)
        return pex_error_set(err, PEX_EABI, "%s is no plugin: it exports no valid pex_plugin_info",
                             path);
    if (info->major != PEX_PLUGIN_MAJOR)
        return pex_error_set(err, PEX_EABI,
                             "%s is built for plugin interface %d, this library has %d: rebuild it",
                             path, (int)info->major, PEX_PLUGIN_MAJOR);
    if (info->required_features != 0)
        return pex_error_set(
            err, PEX_ENOTSUP,
            "%s needs features (%#llx) that this library does not have: use a newer "
            "library",
            path, (unsigned long long)info->required_features);
    if ((size_t)info->host_size > sizeof host)
        return pex_error_set(err, PEX_EABI,
                             "%s is built for a newer library (host table of %d bytes, here %zu)",
                             path, (int)info->host_size, sizeof host);
    return 0;
}

static int32_t register_all(pex_context *ctx, void *object, const char *path, struct pex_error *err)
{
    const struct pex_plugin_info *info = dlsym(object, "pex_plugin_info");
    struct pex__registry *registry = ctx->core->registry;
    pex_plugin_init_fn init;
    struct pex_error why;
    int32_t failed = check_info(info, path, err), added;

    if (failed != 0)
        return failed;
    *(void **)&init = dlsym(object, "pex_plugin_init");
    if (init == NULL)
        return pex_error_set(err, PEX_EABI, "%s is no plugin: it exports no pex_plugin_init", path);
    pex__registry_begin(registry, info->name);
    failed = init(&host, ctx);
    if (failed != 0)
        pex_error_set(&why, failed, "pex_plugin_init failed: %s", pex_strerror(failed));
    /* What a failed registration said is more to the point than what init made of it. */
    added = pex__registry_end(registry, failed == 0, &why);
    if (added != 0)
        failed = added;
    return failed != 0 ? pex_error_set(err, failed, "%s: %s", path, why.message) : 0;
}

/* Under init_lock: of two threads that load one plugin, the second finds it there. */
static int32_t load(pex_context *ctx, const char *path, const char *file, struct pex_error *err)
{
    struct pex__registry *registry = ctx->core->registry;
    void *object;
    int32_t failed;

    if (pex__registry_loaded(registry, file, 0))
        return 0;
    /* Never closed: instances, and what a plugin started, may outlive the context. */
    object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL)
        return pex_error_set(err, PEX_ENOENT, "plugin %s cannot be loaded: %s", path, dlerror());
    failed = register_all(ctx, object, file, err);
    if (failed == 0)
        pex__registry_loaded(registry, file, 1);
    return failed;
}

/* A bare name is a file of the plugin folder. */
static char *find_plugin(const struct pex__core *core, const char *path)
{
    char *found;

    if (strchr(path, '/') != NULL)
        return realpath(path, NULL);
    if (asprintf(&found, "%s/%s.so", core->plugin_dir, path) < 0)
        return NULL;
    return found;
}

int32_t pex_plugin_load(pex_context *ctx, const char *path, struct pex_error *err)
{
    char *file;
    int32_t failed;

    if (ctx == NULL || path == NULL || path[0] == '\0')
        return pex_error_set(err, PEX_EINVAL, "ctx and path must not be NULL, nor path empty");
    failed = pex__core_check(ctx->core, err);
    if (failed != 0)
        return failed;
    file = find_plugin(ctx->core, path);
    if (file == NULL)
        return errno == ENOMEM ? pex__error_memory(err)
                               : pex__error_system(err, "cannot find the plugin", path, errno);
    pthread_mutex_lock(&init_lock);
    failed = load(ctx, path, file, err);
    pthread_mutex_unlock(&init_lock);
    free(file);
    return failed;
}
