/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM: the first can be waited for and is answered with a cancel, a second ends. */
#ifndef TOOL_SIGNALS_H
#define TOOL_SIGNALS_H

#include "console.h"

/*
 * From now on a SIGINT or SIGTERM ends the process at once with 128 + its number, whatever the main
 * thread does; one that was ignored so far stays ignored. SIGPIPE is ignored: a job outlives
 * whoever reads its progress. Returns a descriptor for signals_hold, or -1 (errno).
 */
int signals_open(struct console *console);

/*
 * There is something to cancel now: the first signal makes the descriptor readable, and only a
 * second one ends the process.
 */
void signals_hold(void);

/* The first signal, or 0 if there was none. */
int signals_first(void);

#endif
