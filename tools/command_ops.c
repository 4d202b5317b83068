/* SPDX-License-Identifier: Apache-2.0 */
#include "command_ops.h"
#include "commands.h"
#include "engine.h"
#include "table.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

int ops_has_flag(const json_t *object, const char *flag)
{
    const json_t *flags = json_object_get(object, "flags");

    for (size_t i = 0; i < json_array_size(flags); i++) {
        if (strcmp(json_string_value(json_array_get(flags, i)), flag) == 0)
            return 1;
    }
    return 0;
}

/* A help text is a sentence, and may go on in further lines. */
static int summary_length(const char *help)
{
    return (int)strcspn(help, "\n");
}

static void print_list(const json_t *operators)
{
    int name = table_width(operators, "name");
    int cardinality = table_width(operators, "cardinality");
    int plugin = table_width(operators, "plugin");

    for (size_t i = 0; i < json_array_size(operators); i++) {
        const json_t *op = json_array_get(operators, i);
        const char *help = table_text(op, "help");

        printf("%-*s  %-*s  %-*s  %.*s\n", name, table_text(op, "name"), cardinality,
               table_text(op, "cardinality"), plugin, table_text(op, "plugin"),
               summary_length(help), help);
    }
}

/* `default 10`, or `required`; then what bounds the value. */
static void print_bounds(const json_t *param)
{
    char *fallback = json_dumps(json_object_get(param, "default"), JSON_ENCODE_ANY);

    if (ops_has_flag(param, "required"))
        printf("required");
    else
        printf("default %s", fallback ? fallback : "null");
    free(fallback);
    table_print_choices(param);
    table_print_range(param);
    if (ops_has_flag(param, "nullable"))
        printf(", may be null");
    if (ops_has_flag(param, "ignored"))
        printf(", accepted and ignored");
}

void ops_print_operator(const json_t *op)
{
    const json_t *params = json_object_get(op, "params");
    int name = table_width(params, "name");
    int type = table_width(params, "type");

    printf("%s (%s, version %s, plugin %s)\n%s\n", table_text(op, "name"),
           table_text(op, "cardinality"), table_text(op, "version"), table_text(op, "plugin"),
           table_text(op, "help"));
    printf(json_array_size(params) > 0 ? "\nparameters:\n" : "\nno parameters\n");
    for (size_t i = 0; i < json_array_size(params); i++) {
        const json_t *param = json_array_get(params, i);

        printf("  %-*s  %-*s  ", name, table_text(param, "name"), type, table_text(param, "type"));
        print_bounds(param);
        printf("\n  %-*s  %s\n", name, "", table_text(param, "help"));
    }
}

static int show_one(struct console *console, const json_t *operators, int wants_json)
{
    const json_t *op = json_array_get(operators, 0);

    if (wants_json)
        table_print_json(op);
    else
        ops_print_operator(op);
    if (!ops_has_flag(op, "gpu"))
        return TOOL_DONE;
    console_error(console, "%s needs a GPU, and this version has none to give it",
                  table_text(op, "name"));
    return TOOL_REFUSED;
}

static int show(struct console *console, const struct options *options, const json_t *operators)
{
    if (options->operand)
        return show_one(console, operators, options->wants_json);
    if (options->wants_json)
        table_print_json(operators);
    else
        print_list(operators);
    return TOOL_DONE;
}

int command_ops(const struct options *options, struct console *console)
{
    struct engine engine;
    struct pex_error err;
    json_t *operators;
    char *json;
    int result = engine_open(&engine, console, options, NULL);

    if (result != TOOL_DONE)
        return result;
    if (pex_operators_describe(engine.ctx, options->operand, &json, &err) == 0) {
        operators = json_loads(json, 0, NULL);
        result = show(console, options, operators);
        json_decref(operators);
        pex_free(json);
    } else {
        console_error(console, "%s", err.message);
        result = TOOL_REFUSED;
    }
    engine_close(&engine, -1);
    return result;
}
