/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "engine.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

/* A line a key; null is what the machine does not have, a quota for example. */
static void print_table(const json_t *topology)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)topology, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY);

        printf("%-20s  %s\n", key,
               json_is_null(value)     ? "-"
               : json_is_string(value) ? json_string_value(value)
                                       : text);
        free(text);
    }
}

int command_topo(const struct options *options, struct console *console)
{
    struct engine engine;
    struct pex_error err;
    json_t *topology = NULL;
    char *json;
    int result = engine_open(&engine, console, options, NULL);

    if (result != TOOL_DONE)
        return result;
    if (pex_context_topology(engine.ctx, &json, &err) == 0) {
        topology = json_loads(json, 0, NULL);
        if (options->wants_json)
            command_print(json);
        else
            print_table(topology);
        pex_free(json);
        json_decref(topology);
    } else {
        console_error(console, "%s", err.message);
        result = TOOL_FAILED;
    }
    engine_close(&engine, -1);
    return result;
}
