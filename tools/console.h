/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that goes to stderr: errors, notices, and the progress bar that they must not tear. */
#ifndef TOOL_CONSOLE_H
#define TOOL_CONSOLE_H

#include <pthread.h>
#include <signal.h>

struct console {
    pthread_mutex_t lock; /* one line at a time: the library's log comes from any thread */
    int is_quiet;         /* notices are left out; errors never are */
    volatile sig_atomic_t bar_is_shown;
};

void console_open(struct console *console);

/* A line, `partexec: ...`; text of several lines becomes several. */
void console_error(struct console *console, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
/* The same, left out with --quiet. */
void console_notice(struct console *console, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
/* Each line of text as an error of `subject` (a file, an option). */
void console_error_lines(struct console *console, const char *subject, const char *text);

/* A line as it is. */
void console_line(struct console *console, const char *text);
/* Draws text over the line of the bar; "" takes the bar away. */
void console_bar(struct console *console, const char *text);

#endif
