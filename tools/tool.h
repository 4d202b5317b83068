/* SPDX-License-Identifier: Apache-2.0 */
/* What all files of the command share: exit codes and memory that is there or ends the command. */
#ifndef TOOL_H
#define TOOL_H

#include <stddef.h>

/* Exit codes; scripts rely on them. A cancelled run adds the signal to 128. */
enum { TOOL_DONE = 0, TOOL_FAILED = 1, TOOL_REFUSED = 2, TOOL_HELD = 3, TOOL_SIGNALLED = 128 };

/* Without memory these say so and exit with TOOL_FAILED; none is called while a job runs. */
void *tool_realloc(void *memory, size_t size);
char *tool_format(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Nearest of `count` names to `name` by edit distance, or NULL when none is near. */
const char *tool_nearest(const char *name, const char *const *names, size_t count);

#endif
