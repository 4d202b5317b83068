/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"
#include "plugins.h"
#include "tool.h"

#include <jansson.h>

enum { WIDTH_PER_CORE_MAX = 4 };

/* From any thread of the library. */
static void on_log(void *user, int32_t level, const char *message)
{
    if (level == PEX_LOG_ERROR)
        console_error(user, "%s", message);
    else if (level == PEX_LOG_WARNING)
        console_notice(user, "%s", message);
}

static int create_context(struct engine *engine, int32_t workers, const char *plugin_folder)
{
    struct pex_context_options options = {.struct_size = sizeof(options),
                                          .workers = workers,
                                          .plugin_dir = plugin_folder,
                                          .log = on_log,
                                          .log_user = engine->console};
    struct pex_error err;

    if (pex_context_create(&options, &engine->ctx, &err) == 0)
        return TOOL_DONE;
    console_error(engine->console, "%s", err.message);
    return TOOL_FAILED;
}

/* `np` of the spec, or 0 when it gives none that a context could have. */
static json_int_t wanted_width(const pex_spec *spec)
{
    json_int_t width = 0;
    json_t *value;
    char *json;

    if (!spec || pex_spec_get(spec, "np", &json))
        return 0;
    value = json_loads(json, JSON_DECODE_ANY, NULL);
    if (json_is_integer(value) && json_integer_value(value) > 0)
        width = json_integer_value(value);
    json_decref(value);
    pex_free(json);
    return width;
}

/* A context of default width is as wide as the machine has usable cores. */
static json_int_t default_width(struct engine *engine)
{
    json_int_t width;
    json_t *topology;
    char *json;

    if (pex_context_topology(engine->ctx, &json, NULL))
        return 0;
    topology = json_loads(json, 0, NULL);
    width = json_integer_value(json_object_get(topology, "workers"));
    json_decref(topology);
    pex_free(json);
    return width;
}

/* The plan has a notice when this is less than what was wanted. */
static int32_t clipped_width(json_int_t wanted, json_int_t usable)
{
    json_int_t most = WIDTH_PER_CORE_MAX * usable;

    return (int32_t)(wanted < most ? wanted : most);
}

static int widen_context(struct engine *engine, json_int_t wanted, const char *plugin_folder)
{
    json_int_t usable = wanted > 0 ? default_width(engine) : 0;

    if (usable <= 0 || wanted == usable)
        return TOOL_DONE;
    engine_close(engine, -1);
    return create_context(engine, clipped_width(wanted, usable), plugin_folder);
}

static void load_own_plugins(struct engine *engine, const struct plugin_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct pex_error err;

        if (pex_plugin_load(engine->ctx, files->paths[i], &err))
            console_notice(engine->console, "notice: plugin %s left out: %s", files->paths[i],
                           err.message);
    }
}

/* All plugins of one --plugin; the first that cannot be loaded is told. */
static int load_asked(struct engine *engine, const char *name, const struct plugin_files *files)
{
    struct pex_error err;

    if (files->count == 0) {
        console_error(engine->console, "--plugin %s: the folder holds no .so file", name);
        return TOOL_REFUSED;
    }
    for (size_t i = 0; i < files->count; i++) {
        if (pex_plugin_load(engine->ctx, files->paths[i], &err)) {
            console_error(engine->console, "--plugin %s: %s", name, err.message);
            return TOOL_REFUSED;
        }
    }
    return TOOL_DONE;
}

static int load_asked_plugins(struct engine *engine, const struct plugin_files *own,
                              const struct text_list *plugins)
{
    int result = TOOL_DONE;

    for (size_t i = 0; i < plugins->count && result == TOOL_DONE; i++) {
        struct plugin_files asked;

        plugin_files_asked(&asked, own, plugins->items[i]);
        result = load_asked(engine, plugins->items[i], &asked);
        plugin_files_free(&asked);
    }
    return result;
}

int engine_open_bare(struct engine *engine, struct console *console)
{
    *engine = (struct engine){.console = console};
    return create_context(engine, 1, NULL);
}

int engine_open(struct engine *engine, struct console *console, const struct options *options,
                const pex_spec *spec)
{
    struct plugin_files files;
    int result;

    *engine = (struct engine){.console = console};
    plugin_files_find(&files);
    result = create_context(engine, 0, files.folder);
    if (result == TOOL_DONE)
        result = widen_context(engine, wanted_width(spec), files.folder);
    if (result == TOOL_DONE) {
        load_own_plugins(engine, &files);
        result = load_asked_plugins(engine, &files, &options->plugins);
        if (result != TOOL_DONE)
            engine_close(engine, -1);
    }
    plugin_files_free(&files);
    return result;
}

int engine_close(struct engine *engine, int64_t timeout_ns)
{
    struct pex_error err;
    int32_t code = pex_context_destroy(engine->ctx, timeout_ns, &err);

    if (code)
        console_notice(engine->console, "notice: left behind at exit: %s", err.message);
    engine->ctx = NULL;
    return code;
}
