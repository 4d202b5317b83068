/* SPDX-License-Identifier: Apache-2.0 */
/* Registration: operators of the host, and of plugins through the table of host functions. */
#include "api/context.h"
#include "api/plugin_open.h"

#include "base/error.h"
#include "plan/writer.h"

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
    .batch_row_json = pex_batch_row_json,
    .keys_tell = pex_keys_tell,
    .batch_told = pex_batch_told,
    .keys_note = pex_keys_note,
};

/* One plugin's init at a time in the process: it sets the plugin's pointer to the table. */
static pthread_mutex_t init_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

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

/* The plugin is open, and noted if it comes to stay. */
static int32_t register_all(pex_context *ctx, const struct pex__plugin *plugin, const char *file,
                            struct pex_error *err)
{
    struct pex__registry *registry = ctx->core->registry;
    struct pex_error why;
    int32_t failed, added;

    pex__registry_begin(registry, plugin->info->name, file);
    failed = plugin->init(&host, ctx);
    if (failed > 0)
        failed = pex_error_set(&why, PEX_EABI,
                               "pex_plugin_init returned %d; it returns 0 or a negative code",
                               (int)failed);
    else if (failed < 0)
        pex_error_set(&why, failed, "pex_plugin_init failed: %s", pex_strerror(failed));
    /* What a failed registration said is more to the point than what init made of it. */
    added = pex__registry_end(registry, failed == 0, &why);
    if (added != 0)
        failed = added;
    if (failed != 0)
        return pex_error_set(err, failed, "plugin %s: %s", file, why.message);
    pex__registry_note(registry, file, plugin->object);
    return 0;
}

/* Under init_lock: of two threads that load one plugin, the second finds it there. */
static int32_t load(pex_context *ctx, const char *file, struct pex_error *err)
{
    struct pex__registry *registry = ctx->core->registry;
    struct pex__plugin plugin;
    int32_t failed;

    if (pex__registry_loaded(registry, file, NULL))
        return 0;
    failed = pex__plugin_open(file, sizeof host, &plugin, err);
    if (failed != 0)
        return failed;
    if (pex__registry_loaded(registry, file, plugin.object)) {
        pex__plugin_close(&plugin); /* gives one use of it back; the first load keeps the other */
        return 0;
    }
    /* Not closed any more: instances, and what a plugin started, may outlive the context. */
    return register_all(ctx, &plugin, file, err);
}

/* A bare name is a file of the plugin folder. Frees *file with free(). */
static int32_t find_plugin(const struct pex__core *core, const char *path, char **file,
                           struct pex_error *err)
{
    char *in_folder = NULL;
    const char *wanted = path;
    int32_t code = 0;

    if (strchr(path, '/') == NULL) {
        if (asprintf(&in_folder, "%s/%s.so", core->plugin_dir, path) < 0)
            return pex__error_memory(err);
        wanted = in_folder;
    }
    *file = realpath(wanted, NULL);
    if (*file == NULL && errno == ENOENT && in_folder != NULL)
        code = pex_error_set(err, PEX_ENOENT,
                             "plugin %s: there is no %s; a file elsewhere needs a path with a "
                             "slash, as in ./%s",
                             path, in_folder, path);
    else if (*file == NULL)
        code = pex__error_system(err, "cannot find the plugin", wanted, errno);
    free(in_folder);
    return code;
}

/* Errors of init_lock: the thread holds it, so it is inside a plugin's init. */
static int32_t enter(struct pex_error *err)
{
    if (pthread_mutex_lock(&init_lock) != 0)
        return pex_error_set(err, PEX_EDEADLK, "a plugin's init must not load or describe plugins");
    return 0;
}

int32_t pex_plugin_load(pex_context *ctx, const char *path, struct pex_error *err)
{
    char *file;
    int32_t failed;

    if (ctx == NULL || path == NULL || path[0] == '\0')
        return pex_error_set(err, PEX_EINVAL, "ctx and path must not be NULL, nor path empty");
    failed = pex__core_check(ctx->core, err);
    if (failed == 0)
        failed = find_plugin(ctx->core, path, &file, err);
    if (failed != 0)
        return failed;
    failed = enter(err);
    if (failed == 0) {
        failed = load(ctx, file, err);
        pthread_mutex_unlock(&init_lock);
    }
    free(file);
    return failed;
}

static int32_t write_info(const char *file, const struct pex_plugin_info *info, char **json)
{
    struct pex__buffer text = {0};
    struct pex__writer out = {.out = &text};

    pex__write_open(&out, NULL, '{');
    pex__write_text(&out, "file", file);
    pex__write_text(&out, "name", info->name);
    pex__write_text(&out, "version", info->version);
    pex__write_int64(&out, "major", info->major);
    pex__write_int64(&out, "host_size", info->host_size);
    pex__write_close(&out, '}');
    if (out.failed == 0)
        return pex__buffer_give(&text, json);
    pex__buffer_free(&text);
    return out.failed;
}

static int32_t describe(const char *file, char **json, struct pex_error *err)
{
    struct pex__plugin plugin;
    int32_t failed = pex__plugin_open(file, sizeof host, &plugin, err);

    if (failed != 0)
        return failed;
    failed = write_info(file, plugin.info, json);
    /* A plugin whose init has run keeps the use that the load made of it. */
    pex__plugin_close(&plugin);
    return failed != 0 ? pex__error_memory(err) : 0;
}

int32_t pex_plugin_describe(const char *path, char **json, struct pex_error *err)
{
    char *file;
    int32_t failed;

    if (path == NULL || path[0] == '\0' || json == NULL)
        return pex_error_set(err, PEX_EINVAL, "path and json must not be NULL, nor path empty");
    file = realpath(path, NULL);
    if (file == NULL)
        return pex__error_system(err, "cannot find the plugin", path, errno);
    failed = enter(err);
    if (failed == 0) {
        failed = describe(file, json, err);
        pthread_mutex_unlock(&init_lock);
    }
    free(file);
    return failed;
}
