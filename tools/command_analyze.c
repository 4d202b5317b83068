/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis_files.h"
#include "commands.h"
#include "job_file.h"
#include "job_run.h"
#include "tool.h"

#include <stdlib.h>

struct analyzing {
    struct job_run run;
    struct analysis analysis;
    struct analysis_files files;
    char *failure; /* the record of a row that failed, as an example */
};

static void on_row(void *user, const char *record)
{
    struct analyzing *analyzing = user;

    if (!analyzing->failure)
        analyzing->failure = tool_format("%s", record);
}

/* All errors of the job as it was written, before anything is added to it. */
static int check_job(struct analyzing *analyzing, const struct options *options)
{
    struct job_run *run = &analyzing->run;
    struct pex_error err;
    char *text = NULL;
    int32_t code =
        pex_plan_explain(run->engine.ctx, run->spec, NULL, PEX_EXPLAIN_JSON, &text, &err);

    if (code)
        console_error_lines(run->console, options->operand, text ? text : err.message);
    pex_free(text);
    return code ? TOOL_REFUSED : TOOL_DONE;
}

static int has_filter(const struct chain *chain)
{
    for (size_t i = 0; i < chain->link_count; i++)
        if (link_is_filter(&chain->links[i]))
            return 1;
    return 0;
}

/* What the analysis needs of the job; nothing is written yet. */
static int prepare(struct analyzing *analyzing, const struct options *options)
{
    struct job_run *run = &analyzing->run;
    struct analysis *analysis = &analyzing->analysis;
    int result = check_job(analyzing, options);

    if (result != TOOL_DONE)
        return result;
    analysis->job_file = options->operand;
    if (analysis_read_shares(analysis, run->spec, options->operand, run->console))
        return TOOL_REFUSED;
    chain_read(&analysis->chain, run->engine.ctx, run->spec);
    if (!has_filter(&analysis->chain)) {
        console_error(run->console,
                      "%s: process: found no filter, so there is nothing to analyze; add one, as "
                      "text_length_filter",
                      options->operand);
        return TOOL_REFUSED;
    }
    stats_counts_init(&analysis->counts, analysis->chain.stat_count);
    if (pex_spec_get(run->spec, "dataset_path", &analysis->dataset))
        analysis->dataset = NULL;
    return analysis_files_name(&analyzing->files, options->to, run->spec, options->operand,
                               run->console);
}

/*
 * The operator that counts goes behind the chain. The job writes nothing of its own, and what the
 * analysis has taken from it is not told to be ignored.
 */
static int32_t change_job(struct analyzing *analyzing, struct pex_error *err)
{
    static const char *const unused[] = {"work_dir", "job_id", "percentiles"};
    const struct analysis *analysis = &analyzing->analysis;
    pex_spec *spec = analyzing->run.spec;
    char *place = tool_format("process.%zu", analysis->chain.link_count);
    int32_t code = stats_operator_register(analyzing->run.engine.ctx, analysis->chain.stats,
                                           &analyzing->analysis.counts, err);

    if (code == 0)
        code = pex_spec_set(spec, place, stats_operator_name, err);
    for (size_t i = 0; i < sizeof(unused) / sizeof(*unused) && code == 0; i++)
        code = pex_spec_set(spec, unused[i], "null", err);
    free(place);
    return code;
}

static int run_job(struct analyzing *analyzing, const struct options *options)
{
    struct pex_job_options keeping = {.pull = 1, .row_events = 1, .keep_dropped = 1};
    struct job_run *run = &analyzing->run;
    struct pex_error err;
    int result;

    if (change_job(analyzing, &err)) {
        console_error(run->console, "%s", err.message);
        return TOOL_FAILED;
    }
    run->on_row = on_row;
    run->user = analyzing;
    result = job_run_submit(run, options->operand, &keeping);
    return result == TOOL_DONE ? job_run_follow(run, options->progress) : result;
}

/* The record is JSON: source, offset, operator, message. */
static void say_failures(const struct analyzing *analyzing)
{
    json_t *record = analyzing->failure ? json_loads(analyzing->failure, 0, NULL) : NULL;
    const char *source = json_string_value(json_object_get(record, "source"));
    const char *operator= json_string_value(json_object_get(record, "operator"));
    const char *message = json_string_value(json_object_get(record, "message"));

    if (record)
        console_notice(analyzing->run.console,
                       "%llu rows failed, and are in no statistic; one of them, %s at byte %lld: "
                       "%s: %s",
                       (unsigned long long)analyzing->analysis.failed, source ? source : "a row",
                       (long long)json_integer_value(json_object_get(record, "offset")),
                       operator? operator: "reader", message ? message : "no reason given");
    json_decref(record);
}

static int tell(struct analyzing *analyzing, const struct options *options)
{
    struct job_run *run = &analyzing->run;
    char *summary = NULL;
    int result = TOOL_FAILED;

    if (pex_job_summary(run->job, &summary) || analysis_finish(&analyzing->analysis, summary)) {
        console_error(run->console, "out of memory for the analysis");
    } else {
        result = analysis_files_write(&analyzing->files, &analyzing->analysis, run->console);
        say_failures(analyzing);
    }
    pex_free(summary);
    if (result != TOOL_DONE)
        return result;
    console_notice(run->console, "analysis: %s, %s", analyzing->files.json, analyzing->files.html);
    if (options->wants_json)
        analysis_write_json(&analyzing->analysis, stdout);
    else
        analysis_write_text(&analyzing->analysis, stdout);
    return TOOL_DONE;
}

static int analyze(struct analyzing *analyzing, const struct options *options)
{
    int result = prepare(analyzing, options);

    if (result == TOOL_DONE)
        result = run_job(analyzing, options);
    return result == TOOL_DONE ? tell(analyzing, options) : result;
}

int command_analyze(const struct options *options, struct console *console)
{
    struct analyzing analyzing = {0};
    struct job_run *run = &analyzing.run;
    int result = job_run_open(run, console);

    if (result != TOOL_DONE)
        return result;
    result = job_file_read(options, console, &run->spec);
    if (result != TOOL_DONE)
        return result;
    result = engine_open(&run->engine, console, options, run->spec);
    if (result == TOOL_DONE) {
        result = analyze(&analyzing, options);
        job_run_close(run, result);
    }
    analysis_files_free(&analyzing.files);
    analysis_free(&analyzing.analysis);
    free(analyzing.failure);
    pex_spec_release(run->spec);
    return result;
}
