/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Back to column 0, and the rest of the line erased. */
static const char erase[] = "\r\033[K";

/* Caller holds the lock. The bar comes back at its next turn. */
static void take_bar_away(struct console *console)
{
    if (console->bar_is_shown)
        fputs(erase, stderr);
    console->bar_is_shown = 0;
}

static void write_lines(struct console *console, const char *subject, const char *text)
{
    pthread_mutex_lock(&console->lock);
    take_bar_away(console);
    do {
        size_t length = strcspn(text, "\n");

        fprintf(stderr, "partexec: %s%s%.*s\n", subject, *subject ? ": " : "", (int)length, text);
        text += length + (text[length] == '\n');
    } while (*text);
    fflush(stderr);
    pthread_mutex_unlock(&console->lock);
}

static void write_formatted(struct console *console, const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0) {
        write_lines(console, "", "out of memory");
        return;
    }
    write_lines(console, "", text);
    free(text);
}

void console_open(struct console *console)
{
    memset(console, 0, sizeof(*console));
    pthread_mutex_init(&console->lock, NULL);
    /* A line, or a frame of the bar, in one write. */
    setvbuf(stderr, NULL, _IOFBF, 4096);
}

void console_error(struct console *console, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_formatted(console, format, args);
    va_end(args);
}

void console_notice(struct console *console, const char *format, ...)
{
    va_list args;

    if (console->is_quiet)
        return;
    va_start(args, format);
    write_formatted(console, format, args);
    va_end(args);
}

void console_error_lines(struct console *console, const char *subject, const char *text)
{
    write_lines(console, subject, text);
}

void console_line(struct console *console, const char *text)
{
    pthread_mutex_lock(&console->lock);
    take_bar_away(console);
    fprintf(stderr, "%s\n", text);
    fflush(stderr);
    pthread_mutex_unlock(&console->lock);
}

void console_bar(struct console *console, const char *text)
{
    pthread_mutex_lock(&console->lock);
    if (*text) {
        /* Over what is there, then the rest of the line: erasing it first would flicker. */
        fprintf(stderr, "\r%s\033[K", text);
        console->bar_is_shown = 1;
    } else {
        take_bar_away(console);
    }
    fflush(stderr);
    pthread_mutex_unlock(&console->lock);
}
