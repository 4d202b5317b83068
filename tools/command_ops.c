/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "engine.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static const char *text_in(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "-";
}

static int has_flag(const json_t *object, const char *flag)
{
    const json_t *flags = json_object_get(object, "flags");

    for (size_t i = 0; i < json_array_size(flags); i++) {
        if (strcmp(json_string_value(json_array_get(flags, i)), flag) == 0)
            return 1;
    }
    return 0;
}

/* Width of the column `key` over all objects of a list. */
static int column_width(const json_t *list, const char *key)
{
    size_t widest = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t length = strlen(text_in(json_array_get(list, i), key));

        widest = length > widest ? length : widest;
    }
    return (int)widest;
}

static void print_list(const json_t *operators)
{
    int name = column_width(operators, "name");
    int cardinality = column_width(operators, "cardinality");
    int plugin = column_width(operators, "plugin");

    for (size_t i = 0; i < json_array_size(operators); i++) {
        const json_t *op = json_array_get(operators, i);

        printf("%-*s  %-*s  %-*s  %s\n", name, text_in(op, "name"), cardinality,
               text_in(op, "cardinality"), plugin, text_in(op, "plugin"), text_in(op, "help"));
    }
}

static void print_choices(const json_t *choices)
{
    for (size_t i = 0; i < json_array_size(choices); i++)
        printf("%s%s", i == 0 ? ", one of " : " | ", json_string_value(json_array_get(choices, i)));
}

static void print_range(const json_t *min, const json_t *max)
{
    if (json_is_number(min) && json_is_number(max))
        printf(", %.15g to %.15g", json_number_value(min), json_number_value(max));
    else if (json_is_number(min))
        printf(", at least %.15g", json_number_value(min));
    else if (json_is_number(max))
        printf(", at most %.15g", json_number_value(max));
}

/* `default 10`, or `required`; then what bounds the value. */
static void print_bounds(const json_t *param)
{
    char *fallback = json_dumps(json_object_get(param, "default"), JSON_ENCODE_ANY);

    if (has_flag(param, "required"))
        printf("required");
    else
        printf("default %s", fallback ? fallback : "null");
    free(fallback);
    print_choices(json_object_get(param, "choices"));
    print_range(json_object_get(param, "min"), json_object_get(param, "max"));
    if (has_flag(param, "nullable"))
        printf(", may be null");
    if (has_flag(param, "ignored"))
        printf(", accepted and ignored");
}

static void print_operator(const json_t *op)
{
    const json_t *params = json_object_get(op, "params");
    int name = column_width(params, "name");
    int type = column_width(params, "type");

    printf("%s (%s, version %s, plugin %s)\n%s\n", text_in(op, "name"), text_in(op, "cardinality"),
           text_in(op, "version"), text_in(op, "plugin"), text_in(op, "help"));
    printf(json_array_size(params) > 0 ? "\nparameters:\n" : "\nno parameters\n");
    for (size_t i = 0; i < json_array_size(params); i++) {
        const json_t *param = json_array_get(params, i);

        printf("  %-*s  %-*s  ", name, text_in(param, "name"), type, text_in(param, "type"));
        print_bounds(param);
        printf("\n  %-*s  %s\n", name, "", text_in(param, "help"));
    }
}

static void print_json(const json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17));

    if (text)
        command_print(text);
    free(text);
}

static int show_one(struct console *console, const json_t *operators, int wants_json)
{
    const json_t *op = json_array_get(operators, 0);

    if (wants_json)
        print_json(op);
    else
        print_operator(op);
    if (!has_flag(op, "gpu"))
        return TOOL_DONE;
    console_error(console, "%s needs a GPU, and this version has none to give it",
                  text_in(op, "name"));
    return TOOL_REFUSED;
}

static int show(struct console *console, const struct options *options, const json_t *operators)
{
    if (options->operand)
        return show_one(console, operators, options->wants_json);
    if (options->wants_json)
        print_json(operators);
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
