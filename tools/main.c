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
    const char *purpose;
    const char *examples;
    const char *operand; /* what it needs and did not get */
};

static const struct call calls[] = {
    {"run", CALL_RUN, 1, command_run, "run JOB [OPTION]..", "run a job",
     "Takes every row of the input through the operators of the job, on every core, and writes\n"
     "what comes out, in the order of the input. JOB is a file: YAML if it is named .yaml or "
     ".yml,\n"
     "else JSON; - is JSON from stdin. Relative paths, also those in the job, start at the "
     "current\n"
     "folder. The output is complete under its final name, or not there. Rows that fail go to\n"
     "quarantine.jsonl in the job's folder. SIGINT (Ctrl-C) and SIGTERM cancel cleanly, a second\n"
     "one ends at once.\n",
     "  partexec run job.yaml\n"
     "  partexec run job.yaml --set np=2 --set process.1.text_length_filter.min_len=10\n"
     "  partexec run job.yaml --dataset more.jsonl --set export_path=more-out.jsonl\n",
     "a job file, as in partexec run job.yaml"},
    {"plan", CALL_PLAN, 1, command_plan, "plan JOB [OPTION]..",
     "show what would run: stages, partitions, budgets, shares",
     "Checks a job as run does, lists all of its errors, and prints how it would be cut and "
     "shared\n"
     "out, and which limit binds. Nothing is written. The input may be missing; the plan then "
     "says\n"
     "so.\n",
     "  partexec plan job.yaml\n"
     "  partexec plan job.yaml --set partition.num_of_partitions=8\n",
     "a job file, as in partexec plan job.yaml"},
    {"analyze", CALL_ANALYZE, 1, command_analyze, "analyze JOB [OPTION]..",
     "show what filters compute, to choose their bounds",
     "Takes every row of the input through the chain of the job, in which filters drop none, and\n"
     "tells of each stat its mean, spread and quantiles, and of each filter how many rows its "
     "bounds\n"
     "would drop: as a table here, as JSON in NAME.analysis.json, and as a page with histograms "
     "in\n"
     "NAME.analysis.html, beside the job's export NAME.jsonl, which is not touched. Mappers work "
     "as\n"
     "in a run; de-duplicators and selectors are left out.\n",
     "  partexec analyze job.yaml\n"
     "  partexec analyze job.yaml --to first-look --dataset sample.jsonl\n"
     "  partexec analyze job.yaml --json --quiet\n",
     "a job file, as in partexec analyze job.yaml"},
    {"ops", CALL_OPS, 0, command_ops, "ops [NAME] [OPTION]..",
     "list the operators, or show the parameters of one",
     "Lists what can stand in a job's process, from all plugins of the installation: what an\n"
     "operator does to rows, and its plugin. With NAME: its parameters, their types, defaults and\n"
     "bounds; ends with 0 if it can run here, else with 2.\n",
     "  partexec ops\n"
     "  partexec ops text_length_filter\n",
     NULL},
    {"keys", CALL_KEYS, 0, command_keys, "keys [NAME] [OPTION]..",
     "list the keys of a job, or say what one is",
     "Lists the keys that a job can have. With NAME: its type, default and bounds, or why a key "
     "of\n"
     "Data-Juicer is ignored or refused; NAME may be the first part of a dotted key.\n",
     "  partexec keys memory_limit\n"
     "  partexec keys partition\n",
     NULL},
    {"plugin-check", CALL_PLUGIN_CHECK, 1, command_plugin_check, "plugin-check FILE",
     "show what a plugin is, and check its operators",
     "Says what the file is before anything in it is called, loads it, and prints each operator\n"
     "with its table and notes on what looks unintended. Ends with 0 if --plugin would take it\n"
     "here, else with 2 and the reason.\n",
     "  partexec plugin-check ./mine.so\n"
     "  partexec plugin-check text --json\n",
     "a plugin, as in partexec plugin-check ./mine.so"},
    {"topo", CALL_TOPO, 0, command_topo, "topo [OPTION]..",
     "show the machine as the library sees it",
     "Prints the processors and the memory that a job can use here, after affinity mask and\n"
     "cgroup limits, and the instruction set that the scanner takes.\n",
     "  partexec topo\n"
     "  partexec topo --json\n",
     NULL},
};

enum { CALL_COUNT = sizeof(calls) / sizeof(*calls) };

/* Of the contract, but of later versions. */
static const char *const later_calls[] = {"status", "verify"};

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
          "Runs a chain of operators over a data set of JSON lines, inside one process: on every\n"
          "core, within a bound of memory, in the order of the input, with the same output bytes\n"
          "whatever the concurrency. Rows that an operator fails are set aside with the reason.\n"
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
          "    - whitespace_normalization_mapper\n"
          "    - text_length_filter: {min_len: 100}\n"
          "\n"
          "  partexec plan job.yaml     # what would run\n"
          "  partexec run job.yaml      # run it\n"
          "  partexec analyze job.yaml  # look at what its filters compute\n"
          "  partexec ops               # what else can stand in process\n"
          "  partexec keys              # what else can stand in a job\n"
          "  partexec help run          # options and examples of a call\n"
          "\n"
          "exit status: 0 done, 1 failed, 2 refused before any row was read, 3 job folder held by\n"
          "another process, 130 or 143 cancelled by SIGINT or SIGTERM\n",
          to);
}

static void print_call_help(const struct call *call)
{
    printf("usage: partexec %s\n\n%s\noptions:\n", call->usage, call->purpose);
    options_help(call->id, stdout);
    printf("\nexamples:\n%s", call->examples);
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
    const char *names[CALL_COUNT + 2];
    const char *nearest;

    for (size_t i = 0; i < sizeof(later_calls) / sizeof(*later_calls); i++) {
        if (strcmp(name, later_calls[i]) == 0) {
            console_error(console,
                          "%s is not in this version (%d.%d.%d); it has run, plan, analyze, "
                          "ops, keys, plugin-check, topo",
                          name, PEX_VERSION_MAJOR, PEX_VERSION_MINOR, PEX_VERSION_PATCH);
            return TOOL_REFUSED;
        }
    }
    for (size_t i = 0; i < CALL_COUNT; i++)
        names[i] = calls[i].name;
    names[CALL_COUNT] = "help";
    names[CALL_COUNT + 1] = "version";
    nearest = tool_nearest(name, names, CALL_COUNT + 2);
    if (nearest)
        console_error(console, "unknown call %s; the nearest is %s", name, nearest);
    else
        console_error(console,
                      "unknown call %s; expected run, plan, analyze, ops, keys, plugin-check "
                      "or topo",
                      name);
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
        console_error(console, "%s: expected %s", call->name, call->operand);
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
