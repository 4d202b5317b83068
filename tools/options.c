/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum option_id {
    OPTION_SET,
    OPTION_DATASET,
    OPTION_RESUME,
    OPTION_PLUGIN,
    OPTION_PROGRESS,
    OPTION_QUIET,
    OPTION_TO,
    OPTION_JSON,
    OPTION_HELP,
    OPTION_COUNT
};

struct option {
    const char *name;
    const char *value; /* what it takes, or NULL */
    const char *help;
    int calls;
};

static const struct option known[OPTION_COUNT] = {
    [OPTION_SET] = {"set", "KEY=VALUE",
                    "set a key of the job first; lists by number: process.0.OP.key=1",
                    CALL_RUN | CALL_PLAN | CALL_ANALYZE},
    [OPTION_DATASET] = {"dataset", "PATH", "read this instead of the job's dataset_path",
                        CALL_RUN | CALL_PLAN | CALL_ANALYZE},
    [OPTION_RESUME] = {"resume", NULL, "go on with an earlier run (this version starts afresh)",
                       CALL_RUN | CALL_PLAN},
    [OPTION_PLUGIN] = {"plugin", "PATH", "load operators from this file, or all *.so of a folder",
                       CALL_RUN | CALL_PLAN | CALL_OPS | CALL_ANALYZE},
    [OPTION_PROGRESS] = {"progress", "MODE",
                         "auto (a bar on a terminal, else lines), bar, json, off",
                         CALL_RUN | CALL_ANALYZE},
    [OPTION_QUIET] = {"quiet", NULL, "nothing on stderr but errors", CALL_RUN | CALL_ANALYZE},
    [OPTION_TO] = {"to", "NAME", "write NAME.json and NAME.html", CALL_ANALYZE},
    [OPTION_JSON] = {"json", NULL, "print JSON",
                     CALL_PLAN | CALL_OPS | CALL_KEYS | CALL_TOPO | CALL_PLUGIN_CHECK |
                         CALL_ANALYZE},
    [OPTION_HELP] = {"help", NULL, "this text",
                     CALL_RUN | CALL_PLAN | CALL_OPS | CALL_KEYS | CALL_TOPO | CALL_PLUGIN_CHECK |
                         CALL_ANALYZE},
};

static const char *const progress_names[] = {"auto", "bar", "json", "off"};

static void append(struct text_list *list, const char *text)
{
    list->items = tool_realloc(list->items, (list->count + 1) * sizeof(*list->items));
    list->items[list->count++] = text;
}

static int take_progress(struct options *options, struct console *console, const char *mode)
{
    for (int i = PROGRESS_AUTO; i <= PROGRESS_OFF; i++) {
        if (strcmp(mode, progress_names[i]) == 0) {
            options->progress = (enum progress_mode)i;
            return 0;
        }
    }
    console_error(console, "--progress %s: expected auto, bar, json or off", mode);
    return -1;
}

static int take_set(struct options *options, struct console *console, const char *assignment)
{
    const char *equals = strchr(assignment, '=');

    if (!equals || equals == assignment) {
        console_error(console, "--set %s: expected KEY=VALUE, as in --set np=2", assignment);
        return -1;
    }
    append(&options->sets, assignment);
    return 0;
}

static int take_to(struct options *options, struct console *console, const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || name[length - 1] == '/') {
        console_error(console, "--to %s: expected a name to put .json and .html behind", name);
        return -1;
    }
    options->to = name;
    return 0;
}

static int take(struct options *options, struct console *console, enum option_id id,
                const char *value)
{
    switch (id) {
    case OPTION_SET:
        return take_set(options, console, value);
    case OPTION_PROGRESS:
        return take_progress(options, console, value);
    case OPTION_DATASET:
        options->dataset = value;
        break;
    case OPTION_PLUGIN:
        append(&options->plugins, value);
        break;
    case OPTION_TO:
        return take_to(options, console, value);
    case OPTION_RESUME:
        options->wants_resume = 1;
        break;
    case OPTION_QUIET:
        console->is_quiet = 1;
        break;
    case OPTION_JSON:
        options->wants_json = 1;
        break;
    case OPTION_HELP:
        options->wants_help = 1;
        break;
    case OPTION_COUNT:
        break;
    }
    return 0;
}

static int is_named(const struct option *option, const char *name, size_t length)
{
    return strlen(option->name) == length && strncmp(option->name, name, length) == 0;
}

/* The option of this call, or OPTION_COUNT after saying what is wrong with `name`. */
static enum option_id find(struct console *console, int call, const char *name, size_t length)
{
    const char *names[OPTION_COUNT];
    const char *nearest;
    size_t count = 0;
    char *text;

    for (int id = 0; id < OPTION_COUNT; id++) {
        if (!(known[id].calls & call))
            continue;
        if (is_named(&known[id], name, length))
            return (enum option_id)id;
        names[count++] = known[id].name;
    }
    text = tool_format("%.*s", (int)length, name);
    nearest = tool_nearest(text, names, count);
    if (nearest)
        console_error(console, "unknown option --%s; the nearest is --%s", text, nearest);
    else
        console_error(console, "unknown option --%s; --help lists those of this call", text);
    free(text);
    return OPTION_COUNT;
}

/* One option at *argv, past its dashes; *index moves on if it takes the next argument as value. */
static int parse_option(struct options *options, struct console *console, int call, int argc,
                        char *const *argv, int *index)
{
    const char *name = argv[*index] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    enum option_id id = find(console, call, name, length);

    if (id == OPTION_COUNT)
        return -1;
    if (value && !known[id].value) {
        console_error(console, "--%s takes no value", known[id].name);
        return -1;
    }
    if (known[id].value && !value) {
        if (*index + 1 == argc) {
            console_error(console, "--%s: expected %s after it", known[id].name, known[id].value);
            return -1;
        }
        value = argv[++*index];
    }
    return take(options, console, id, value);
}

static int parse_operand(struct options *options, struct console *console, int call,
                         const char *text)
{
    if (call == CALL_TOPO) {
        console_error(console, "unexpected argument %s; topo takes none", text);
        return -1;
    }
    if (options->operand) {
        console_error(console, "unexpected argument %s after %s; expected one", text,
                      options->operand);
        return -1;
    }
    options->operand = text;
    return 0;
}

int options_parse(struct options *options, struct console *console, int call, int argc,
                  char *const *argv)
{
    int only_operands = 0;
    int result = 0;

    memset(options, 0, sizeof(*options));
    for (int i = 0; i < argc && result == 0; i++) {
        if (!only_operands && strcmp(argv[i], "--") == 0)
            only_operands = 1;
        else if (!only_operands && strcmp(argv[i], "-h") == 0)
            options->wants_help = 1;
        else if (!only_operands && strncmp(argv[i], "--", 2) == 0)
            result = parse_option(options, console, call, argc, argv, &i);
        else if (!only_operands && argv[i][0] == '-' && argv[i][1] != '\0') {
            console_error(console, "unknown option %s; options have two dashes", argv[i]);
            result = -1;
        } else
            result = parse_operand(options, console, call, argv[i]);
    }
    return result;
}

void options_free(struct options *options)
{
    free(options->sets.items);
    free(options->plugins.items);
}

void options_help(int call, FILE *to)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        char name[40];

        if (!(known[id].calls & call))
            continue;
        snprintf(name, sizeof(name), "--%s %s", known[id].name,
                 known[id].value ? known[id].value : "");
        fprintf(to, "  %-17s  %s\n", name, known[id].help);
    }
}
