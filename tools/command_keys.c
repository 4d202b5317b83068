/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "table.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <partexec/partexec.h>

static int is_of(const json_t *key, const char *class)
{
    return strcmp(table_text(key, "class"), class) == 0;
}

/* A title before the first key of each section. */
static void print_title(const json_t *key, const char **last)
{
    int is_job = strcmp(table_text(key, "of"), "job") == 0;
    const char *title =
        is_job ? table_text(key, "section") : "Beside the parameters of an operator";

    if (strcmp(title, *last) != 0)
        printf("%s%s\n", **last ? "\n" : "", title);
    *last = title;
}

static void print_list(const json_t *keys)
{
    int ignored = 0, refused = 0;
    const char *title = "";

    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *key = json_array_get(keys, i);

        ignored += is_of(key, "ignored");
        refused += is_of(key, "refused");
        if (!is_of(key, "ours"))
            continue;
        print_title(key, &title);
        printf("  %-35s  %s\n", table_text(key, "key"), table_text(key, "help"));
    }
    printf(
        "\nOf Data-Juicer's keys %d more are accepted and ignored, and %d refused: --json lists\n"
        "them, and `partexec keys NAME` says why.\n",
        ignored, refused);
}

static void print_ours(const json_t *key)
{
    const json_t *fallback = json_object_get(key, "default");
    const char *type = table_text(key, "type");
    char *text = json_dumps(fallback, JSON_ENCODE_ANY);

    printf("%s", strcmp(type, "count") == 0 ? "auto or a count" : type);
    if (text && !json_is_null(fallback))
        printf(", default %s", text);
    free(text);
    table_print_choices(key);
    table_print_range(key);
    if (json_is_true(json_object_get(key, "without_effect")))
        printf("; checked, without effect in this version");
}

static void print_refused(const json_t *key)
{
    char *accepted = json_dumps(json_object_get(key, "accepted"), JSON_ENCODE_ANY);

    printf("of Data-Juicer, refused");
    if (accepted)
        printf(" unless it is %s", accepted);
    free(accepted);
}

static void print_key(const json_t *key)
{
    printf("%s (%s; ", table_text(key, "key"),
           strcmp(table_text(key, "of"), "job") == 0 ? "of the job" : "of an operator in process");
    if (is_of(key, "ours"))
        print_ours(key);
    else if (is_of(key, "refused"))
        print_refused(key);
    else
        printf("of Data-Juicer, accepted and ignored");
    printf(")\n  %s\n", table_text(key, "help"));
}

static void print_keys(const json_t *keys)
{
    for (size_t i = 0; i < json_array_size(keys); i++)
        print_key(json_array_get(keys, i));
}

int command_keys(const struct options *options, struct console *console)
{
    struct pex_error err;
    json_t *keys;
    char *json;

    if (pex_spec_describe(options->operand, &json, &err) != 0) {
        console_error(console, "%s", err.message);
        return err.code == PEX_ENOENT ? TOOL_REFUSED : TOOL_FAILED;
    }
    keys = json_loads(json, 0, NULL);
    pex_free(json);
    if (options->wants_json)
        table_print_json(keys);
    else if (options->operand)
        print_keys(keys);
    else
        print_list(keys);
    json_decref(keys);
    return TOOL_DONE;
}
