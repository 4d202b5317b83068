/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: which options a call takes, and what was given. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "console.h"

#include <stdio.h>

/* Calls, as bits, so that an option can name those that take it. */
enum {
    CALL_RUN = 1,
    CALL_PLAN = 2,
    CALL_OPS = 4,
    CALL_TOPO = 8,
    CALL_KEYS = 16,
    CALL_PLUGIN_CHECK = 32,
    CALL_ANALYZE = 64
};

enum progress_mode { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_JSON, PROGRESS_OFF };

/* Arguments in the order they were given; they belong to argv. */
struct text_list {
    const char **items;
    size_t count;
};

struct options {
    const char *operand; /* JOB or NAME; NULL: not given */
    struct text_list sets;
    struct text_list plugins;
    const char *dataset;
    const char *to; /* NULL: not given */
    enum progress_mode progress;
    int wants_resume;
    int wants_json;
    int wants_help;
};

/*
 * Reads the arguments after the call's name into options (freed with options_free, also after a
 * failure). --quiet takes effect on the console at once. Returns 0, or -1 after saying what is
 * wrong.
 */
int options_parse(struct options *options, struct console *console, int call, int argc,
                  char *const *argv);
void options_free(struct options *options);

/* Lines `  --name VALUE  help` of the options that a call takes. */
void options_help(int call, FILE *to);

#endif
