/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM: the first can be waited for and is answered with a cancel, a second ends. */
#ifndef TOOL_SIGNALS_H
#define TOOL_SIGNALS_H

#include "console.h"

/*
 * From now on the first SIGINT or SIGTERM makes the returned descriptor readable, and a second one
 * ends the process at once with 128 + its number, whatever the main thread does. SIGPIPE is
 * ignored: a job outlives whoever reads its progress. Returns the descriptor, or -1 (errno).
 */
int signals_open(struct console *console);

/* The first signal, or 0 if there was none. */
int signals_first(void);

#endif
