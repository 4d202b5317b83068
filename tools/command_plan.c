/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "engine.h"
#include "job_file.h"
#include "tool.h"

static int explain(struct engine *engine, const struct options *options, const pex_spec *spec)
{
    int32_t format = options->wants_json ? PEX_EXPLAIN_JSON : PEX_EXPLAIN_TEXT;
    struct pex_error err;
    char *text = NULL;
    int32_t code = pex_plan_explain(engine->ctx, spec, NULL, format, &text, &err);

    if (code == 0)
        command_print(text);
    else
        console_error_lines(engine->console, options->operand, text ? text : err.message);
    pex_free(text);
    return code == 0 ? TOOL_DONE : TOOL_REFUSED;
}

int command_plan(const struct options *options, struct console *console)
{
    struct engine engine;
    pex_spec *spec;
    int result = job_file_read(options, console, &spec);

    if (result != TOOL_DONE)
        return result;
    command_say_resume(options, console);
    result = engine_open(&engine, console, options, spec);
    if (result == TOOL_DONE) {
        result = explain(&engine, options, spec);
        engine_close(&engine, -1);
    }
    pex_spec_release(spec);
    return result;
}
