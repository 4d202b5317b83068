/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <partexec/partexec.h>

struct call {
    const char *name;
    int id;
    int needs_operand;
    int (*run)(const struct options *options, struct console *console);
    const char *usage;
    const char *help;
    const char *more;
};

static const struct call calls[] = {
    {"run", CALL_RUN, 1, command_run, "run JOB [OPTION]..", "run a job",
     "JOB is a file: YAML if it is named .yaml or .yml, else JSON; - is JSON from stdin.\n"
     "Relative paths, also those in the job, start at the current folder. The output is complete\n"
     "under its final name, or not there. Rows that fail go to quarantine.jsonl in the job's\n"
     "folder. SIGINT (Ctrl-C) and SIGTERM cancel cleanly, a second one ends at once.\n\n"
     "  partexec run job.yaml\n"
     "  partexec run job.yaml --set np=2 --set process.1.text_length_filter.min_len=10\n"
     "  partexec run job.yaml --dataset more.jsonl --set export_path=more-out.jsonl\n"},
    {"plan", CALL_PLAN, 1, command_plan, "plan JOB [OPTION]..",
     "show what would run: stages, partitions, budgets, shares",
     "Nothing is written. The input may be missing; the plan then says so.\n\n"
     "  partexec plan job.yaml --set partition.num_of_partitions=8\n"},
    {"ops", CALL_OPS, 0, command_ops, "ops [NAME] [OPTION]..",
     "list the operators, or show the parameters of one",
     "Ends with 0 if operator NAME can run here, else with 2.\n\n"
     "  partexec ops text_length_filter\n"},
    {"topo", CALL_TOPO, 0, command_topo, "topo [--json]", "show the machine as the library sees it",
     "  partexec topo --json\n"},
};

enum { CALL_COUNT = sizeof(calls) / sizeof(*calls) };

/* Of the contract, but of later versions. */
static const char *const later_calls[] = {"status", "verify", "analyze", "plugin-check"};

static const struct call *find_call(const char *name)
{
    for (size_t i = 0; i < CALL_COUNT; i++) {
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    }
    return NULL;
}

static void print_usage(FILE *to)
{
    fputs("usage: partexec CALL [ARGUMENT]..\n"
          "\n"
          "Runs a chain of operators over a data set: on every core, in order, the same output\n"
          "bytes whatever the concurrency.\n"
          "\n"
          "calls:\n",
          to);
    for (size_t i = 0; i < CALL_COUNT; i++)
        fprintf(to, "  %-22s  %s\n", calls[i].usage, calls[i].help);
    fputs("  help [CALL]             this text, or that of a call\n"
          "  version                 the version of command and library\n"
          "\n"
          "A job is a file, for example job.yaml:\n"
          "\n"
          "  dataset_path: books.jsonl\n"
          "  export_path: out/books.jsonl\n"
          "  process:\n"
          "    - whitespace_normalization_mapper:\n"
          "    - text_length_filter: {min_len: 100}\n"
          "\n"
          "  partexec plan job.yaml\n"
          "  partexec run job.yaml\n"
          "\n"
          "exit status: 0 done, 1 failed, 2 refused before any row was read, 3 job folder held by\n"
          "another process, 130 or 143 cancelled by SIGINT or SIGTERM\n",
          to);
}

static void print_call_help(const struct call *call)
{
    printf("usage: partexec %s\n\n%s\n\noptions:\n", call->usage, call->help);
    options_help(call->id, stdout);
    printf("\n%s", call->more);
}

static void print_version(void)
{
    int32_t version = pex_version();

    printf("partexec %d.%d.%d (library %d.%d.%d, ABI %d)\n", PEX_VERSION_MAJOR, PEX_VERSION_MINOR,
           PEX_VERSION_PATCH, version / 1000000, version / 1000 % 1000, version % 1000,
           pex_abi_version());
}

static int refuse_call(struct console *console, const char *name)
{
    const char *names[CALL_COUNT];
    const char *nearest;

    for (size_t i = 0; i < sizeof(later_calls) / sizeof(*later_calls); i++) {
        if (strcmp(name, later_calls[i]) == 0) {
            console_error(console,
                          "%s is not in this version (%d.%d.%d); it has run, plan, ops, "
                          "topo",
                          name, PEX_VERSION_MAJOR, PEX_VERSION_MINOR, PEX_VERSION_PATCH);
            return TOOL_REFUSED;
        }
    }
    for (size_t i = 0; i < CALL_COUNT; i++)
        names[i] = calls[i].name;
    nearest = tool_nearest(name, names, CALL_COUNT);
    if (nearest)
        console_error(console, "unknown call %s; the nearest is %s", name, nearest);
    else
        console_error(console, "unknown call %s; expected run, plan, ops or topo", name);
    console_line(console, "usage: partexec CALL [ARGUMENT]..; partexec --help says more");
    return TOOL_REFUSED;
}

static int run_call(const struct call *call, struct console *console, int argc, char **argv)
{
    struct options options;
    int result = TOOL_REFUSED;
    int is_valid = options_parse(&options, console, call->id, argc, argv) == 0;

    if (is_valid && options.wants_help) {
        print_call_help(call);
        result = TOOL_DONE;
    } else if (is_valid && call->needs_operand && !options.operand) {
        console_error(console, "%s: expected a job file, as in partexec %s job.yaml", call->name,
                      call->name);
        is_valid = 0;
    } else if (is_valid) {
        result = call->run(&options, console);
    }
    if (!is_valid) {
        char *usage = tool_format("usage: partexec %s", call->usage);

        console_line(console, usage);
        free(usage);
    }
    options_free(&options);
    return result;
}

static int help(struct console *console, int argc, char **argv)
{
    const struct call *call = argc > 0 ? find_call(argv[0]) : NULL;

    if (argc > 0 && !call)
        return refuse_call(console, argv[0]);
    if (call)
        print_call_help(call);
    else
        print_usage(stdout);
    return TOOL_DONE;
}

static int dispatch(struct console *console, int argc, char **argv)
{
    const struct call *call;

    if (argc < 2) {
        print_usage(stderr);
        return TOOL_REFUSED;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return help(console, argc - 2, argv + 2);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        print_version();
        return TOOL_DONE;
    }
    call = find_call(argv[1]);
    return call ? run_call(call, console, argc - 2, argv + 2) : refuse_call(console, argv[1]);
}

int main(int argc, char **argv)
{
    struct console console;
    int result;

    console_open(&console);
    result = dispatch(&console, argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        console_error(&console, "stdout: %s", strerror(errno));
        result = result == TOOL_DONE ? TOOL_FAILED : result;
    }
    return result;
}
