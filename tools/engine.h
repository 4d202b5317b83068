/* SPDX-License-Identifier: Apache-2.0 */
/* The library's context as the command wants it: as wide as the job says, with all plugins. */
#ifndef TOOL_ENGINE_H
#define TOOL_ENGINE_H

#include "console.h"
#include "options.h"

#include <partexec/partexec.h>

struct engine {
    pex_context *ctx;
    struct console *console;
};

/*
 * Makes a context as wide as `np` of spec says (NULL: as wide as the machine), loads the plugins of
 * the installation (a broken one is a notice) and those of --plugin (a broken one is an error).
 * Returns TOOL_DONE, or another exit code after saying what is wrong; nothing is to be closed then.
 */
int engine_open(struct engine *engine, struct console *console, const struct options *options,
                const pex_spec *spec);

/* A small context without any plugin. Returns as engine_open does. */
int engine_open_bare(struct engine *engine, struct console *console);

/*
 * Ends the context. Returns 0, or non-zero after saying which call keeps it from ending within
 * `timeout_ns`; its threads still run then, and only _exit ends the process safely.
 */
int engine_close(struct engine *engine, int64_t timeout_ns);

#endif
