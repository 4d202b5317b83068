/* SPDX-License-Identifier: Apache-2.0 */
#include "command_ops.h"
#include "commands.h"
#include "engine.h"
#include "plugins.h"
#include "table.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

#include <partexec/plugin.h>

#include <jansson.h>

static void add_note(json_t *notes, const char *text)
{
    json_array_append_new(notes, json_string(text));
}

static int accesses(const json_t *op, const char *access)
{
    const json_t *fields = json_object_get(op, "fields");

    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *list = json_object_get(json_array_get(fields, i), "access");

        for (size_t k = 0; k < json_array_size(list); k++)
            if (strcmp(json_string_value(json_array_get(list, k)), access) == 0)
                return 1;
    }
    return 0;
}

static int is_cardinality(const json_t *op, const char *name)
{
    return strcmp(json_string_value(json_object_get(op, "cardinality")), name) == 0;
}

static int has_text(const json_t *object, const char *key)
{
    return json_string_length(json_object_get(object, key)) > 0;
}

/* The library takes these tables; their author may not have meant what they say. */
static json_t *notes_on(const json_t *op)
{
    const json_t *params = json_object_get(op, "params");
    json_t *notes = json_array();

    if (!has_text(op, "help"))
        add_note(notes, "help is empty: nobody will know what it does");
    for (size_t i = 0; i < json_array_size(params); i++)
        if (!has_text(json_array_get(params, i), "help"))
            add_note(notes, "a parameter has no help");
    if (ops_has_flag(op, "reentrant") && ops_has_flag(op, "blocking"))
        add_note(notes, "PEX_OP_REENTRANT has no effect beside PEX_OP_BLOCKING or PEX_OP_GPU: each "
                        "instance has a thread of its own");
    if (ops_has_flag(op, "retry_safe") && ops_has_flag(op, "batch_sensitive"))
        add_note(notes, "PEX_OP_RETRY_SAFE has calls repeated with fewer rows, and "
                        "PEX_OP_BATCH_SENSITIVE says that this changes the result");
    if (is_cardinality(op, "row_to_row") && !accesses(op, "write"))
        add_note(notes, "it declares no field that it writes, so it cannot change a row");
    if (ops_has_flag(op, "gpu"))
        add_note(notes, "it needs a GPU, and this version has none to give it");
    return notes;
}

static void print_flags(const json_t *op)
{
    const json_t *flags = json_object_get(op, "flags");

    if (json_array_size(flags) == 0)
        return;
    printf("flags:");
    for (size_t i = 0; i < json_array_size(flags); i++)
        printf("%s %s", i > 0 ? "," : "", json_string_value(json_array_get(flags, i)));
    printf("\n");
}

/* `reads text; writes stat phrase_count`, one field a line. */
static void print_fields(const json_t *op)
{
    const json_t *fields = json_object_get(op, "fields");

    if (json_array_size(fields) > 0)
        printf("fields:\n");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *field = json_array_get(fields, i);
        const json_t *access = json_object_get(field, "access");
        const char *name = json_string_value(json_object_get(field, "name"));
        const char *param = json_string_value(json_object_get(field, "param"));

        printf("  %s %s%s:", json_string_value(json_object_get(field, "kind")),
               name ? name : "named by parameter ", name ? "" : param);
        for (size_t k = 0; k < json_array_size(access); k++)
            printf(" %s", json_string_value(json_array_get(access, k)));
        printf("\n");
    }
}

static void print_one(const json_t *op)
{
    const json_t *notes = json_object_get(op, "notes");

    printf("\n");
    ops_print_operator(op);
    print_fields(op);
    print_flags(op);
    for (size_t i = 0; i < json_array_size(notes); i++)
        printf("note: %s\n", json_string_value(json_array_get(notes, i)));
}

static void print_text(const json_t *plugin)
{
    const json_t *operators = json_object_get(plugin, "operators");

    printf("%s: plugin %s, version %s (interface %d, host table of %d bytes, here %zu)\n",
           json_string_value(json_object_get(plugin, "file")),
           json_string_value(json_object_get(plugin, "name")),
           json_string_value(json_object_get(plugin, "version")),
           (int)json_integer_value(json_object_get(plugin, "major")),
           (int)json_integer_value(json_object_get(plugin, "host_size")), sizeof(struct pex_host));
    printf("operators: %zu\n", json_array_size(operators));
    if (json_array_size(operators) == 0)
        printf("note: it registers no operator\n");
    for (size_t i = 0; i < json_array_size(operators); i++)
        print_one(json_array_get(operators, i));
}

/* The operators that the plugin, just loaded, has brought. */
static json_t *operators_of(struct engine *engine)
{
    json_t *operators;
    char *text;

    if (pex_operators_describe(engine->ctx, NULL, &text, NULL))
        return json_array();
    operators = json_loads(text, 0, NULL);
    pex_free(text);
    for (size_t i = 0; i < json_array_size(operators); i++) {
        json_t *op = json_array_get(operators, i);

        json_object_set_new(op, "notes", notes_on(op));
    }
    return operators;
}

/* Every run has the plugins of the installation beside this one. */
static int check_beside(struct engine *engine, const struct plugin_files *own, const char *file)
{
    for (size_t i = 0; i < own->count; i++) {
        struct pex_error err;

        if (pex_plugin_load(engine->ctx, own->paths[i], &err) == PEX_EEXIST) {
            console_error(engine->console,
                          "%s: cannot be used beside a plugin of this "
                          "installation: %s",
                          file, err.message);
            return TOOL_REFUSED;
        }
    }
    return TOOL_DONE;
}

static int check_loaded(struct engine *engine, const struct plugin_files *own, json_t *plugin,
                        int wants_json)
{
    const char *file = json_string_value(json_object_get(plugin, "file"));
    struct pex_error err;

    if (pex_plugin_load(engine->ctx, file, &err)) {
        console_error(engine->console, "%s", err.message);
        return TOOL_REFUSED;
    }
    json_object_set_new(plugin, "operators", operators_of(engine));
    if (wants_json)
        table_print_json(plugin);
    else
        print_text(plugin);
    return check_beside(engine, own, file);
}

static int check(struct console *console, const struct plugin_files *own, const char *file,
                 int wants_json)
{
    struct engine engine;
    struct pex_error err;
    json_t *plugin;
    char *text;
    int result;

    if (pex_plugin_describe(file, &text, &err)) {
        console_error(console, "%s", err.message);
        return TOOL_REFUSED;
    }
    plugin = json_loads(text, 0, NULL);
    pex_free(text);
    result = engine_open_bare(&engine, console);
    if (result == TOOL_DONE) {
        result = check_loaded(&engine, own, plugin, wants_json);
        engine_close(&engine, -1);
    }
    json_decref(plugin);
    return result;
}

int command_plugin_check(const struct options *options, struct console *console)
{
    struct plugin_files own, asked;
    int result = TOOL_REFUSED;

    plugin_files_find(&own);
    plugin_files_asked(&asked, &own, options->operand);
    if (asked.folder)
        console_error(console, "%s is a folder; plugin-check takes one file", options->operand);
    else
        result = check(console, &own, asked.paths[0], options->wants_json);
    plugin_files_free(&asked);
    plugin_files_free(&own);
    return result;
}
