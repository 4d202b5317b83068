/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the command. Each returns the exit code. */
#ifndef TOOL_COMMANDS_H
#define TOOL_COMMANDS_H

#include "console.h"
#include "options.h"

int command_run(const struct options *options, struct console *console);
int command_analyze(const struct options *options, struct console *console);
int command_plan(const struct options *options, struct console *console);
int command_ops(const struct options *options, struct console *console);
int command_keys(const struct options *options, struct console *console);
int command_plugin_check(const struct options *options, struct console *console);
int command_topo(const struct options *options, struct console *console);

/* Prints text to stdout, with a last newline if it has none. */
void command_print(const char *text);
/* What --resume comes to in this version, for those who asked. */
void command_say_resume(const struct options *options, struct console *console);

#endif
