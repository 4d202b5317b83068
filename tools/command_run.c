/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "job_file.h"
#include "job_run.h"
#include "summary.h"
#include "tool.h"

static int run_job(struct job_run *run, const struct options *options)
{
    struct pex_job_options plain = {0};
    const char *folder;
    int result = job_run_submit(run, options->operand, &plain);

    if (result != TOOL_DONE)
        return result;
    folder = pex_job_folder(run->job);
    console_notice(run->console, "job %s%s%s", pex_job_id(run->job), folder ? " in " : "",
                   folder ? folder : "");
    result = job_run_follow(run, options->progress);
    if (run->is_over)
        summary_show(run->console, run->job, run->spec);
    return result;
}

int command_run(const struct options *options, struct console *console)
{
    struct job_run run;
    int result = job_run_open(&run, console);

    if (result != TOOL_DONE)
        return result;
    result = job_file_read(options, console, &run.spec);
    if (result != TOOL_DONE)
        return result;
    command_say_resume(options, console);
    result = engine_open(&run.engine, console, options, run.spec);
    if (result == TOOL_DONE) {
        result = run_job(&run, options);
        job_run_close(&run, result);
    }
    pex_spec_release(run.spec);
    return result;
}
