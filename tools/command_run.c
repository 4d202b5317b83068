/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "engine.h"
#include "job_file.h"
#include "progress.h"
#include "signals.h"
#include "summary.h"
#include "tool.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

/* A call that is still out when its job is over was already given its grace. */
static const int64_t close_timeout_ns = 2 * NS_PER_S;

struct run {
    struct console *console;
    struct progress progress;
    struct engine engine;
    pex_spec *spec;
    pex_job *job;
    int signal_fd;
    int is_over;
};

static void on_event(void *user, const struct pex_event *event)
{
    struct run *run = user;

    if (event->kind == PEX_EVENT_NOTICE)
        console_notice(run->console, "notice: %s", event->text);
    else if (event->kind == PEX_EVENT_PARTITION)
        progress_partition(&run->progress, event);
    else if (event->kind == PEX_EVENT_JOB)
        run->is_over = 1;
}

/* A message holds the first errors of a long list; the plan has all of them. */
static void say_refusal(struct run *run, const char *job_file, const struct pex_error *err)
{
    char *text = NULL;
    int32_t code = PEX_OK;

    if (err->code == PEX_ESPEC)
        code = pex_plan_explain(run->engine.ctx, run->spec, NULL, PEX_EXPLAIN_TEXT, &text, NULL);
    if (code == PEX_ESPEC && text && strlen(text) > strlen(err->message))
        console_error_lines(run->console, job_file, text);
    else
        console_error_lines(run->console, job_file, err->message);
    pex_free(text);
}

static int submit(struct run *run, const char *job_file)
{
    struct pex_job_options options = {
        .struct_size = sizeof(options), .on_event = on_event, .event_user = run};
    struct pex_error err;
    int32_t code = pex_job_submit(run->engine.ctx, run->spec, NULL, &options, &run->job, &err);
    const char *folder;

    if (code) {
        say_refusal(run, job_file, &err);
        return code == PEX_EBUSY ? TOOL_HELD : TOOL_REFUSED;
    }
    folder = pex_job_folder(run->job);
    console_notice(run->console, "job %s%s%s", pex_job_id(run->job), folder ? " in " : "",
                   folder ? folder : "");
    return TOOL_DONE;
}

static void cancel(struct run *run)
{
    console_notice(run->console, "%s: cancelling; once more ends at once",
                   signals_first() == SIGINT ? "SIGINT" : "SIGTERM");
    pex_job_cancel(run->job);
}

/* Until the job's last event. Only poll waits. Returns 0, or the code of a dispatch that failed. */
static int32_t follow(struct run *run)
{
    struct pollfd fds[] = {{.fd = run->signal_fd, .events = POLLIN},
                           {.fd = pex_context_fd(run->engine.ctx), .events = POLLIN}};

    if (fds[1].fd < 0)
        return fds[1].fd;
    while (!run->is_over) {
        int32_t delivered = 0;
        int ready = poll(fds, 2, progress_wait_ms(&run->progress));

        if (ready > 0 && fds[0].revents) {
            fds[0].fd = -1;
            cancel(run);
        }
        if (ready > 0 && fds[1].revents)
            delivered = pex_context_dispatch(run->engine.ctx, 0);
        if (delivered < 0)
            return delivered;
        if (!run->is_over)
            progress_tick(&run->progress, run->job);
    }
    return 0;
}

static int exit_code(struct run *run)
{
    int32_t state = pex_job_state(run->job);
    struct pex_error err = {.message = "the job failed without a reason"};

    if (state == PEX_JOB_DONE)
        return TOOL_DONE;
    if (state == PEX_JOB_CANCELLED && signals_first())
        return TOOL_SIGNALLED + signals_first();
    pex_job_error(run->job, &err);
    console_error(run->console, "failed: %s", err.message);
    return TOOL_FAILED;
}

static int run_job(struct run *run, const struct options *options)
{
    int32_t code;
    int result;

    signals_hold();
    result = submit(run, options->operand);
    if (result != TOOL_DONE)
        return result;
    progress_open(&run->progress, run->console, options->progress);
    code = follow(run);
    progress_close(&run->progress, run->job);
    if (code) {
        console_error(run->console, "events of the job cannot be read: %s", pex_strerror(code));
        result = TOOL_FAILED;
    } else {
        result = exit_code(run);
        summary_show(run->console, run->job, run->spec);
    }
    pex_job_release(run->job);
    return result;
}

int command_run(const struct options *options, struct console *console)
{
    struct run run = {.console = console, .signal_fd = signals_open(console)};
    int result;

    if (run.signal_fd < 0) {
        console_error(console, "no pipe for signals: %s", strerror(errno));
        return TOOL_FAILED;
    }
    result = job_file_read(options, console, &run.spec);
    if (result != TOOL_DONE)
        return result;
    command_say_resume(options, console);
    result = engine_open(&run.engine, console, options, run.spec);
    if (result == TOOL_DONE) {
        result = run_job(&run, options);
        if (engine_close(&run.engine, close_timeout_ns))
            _exit(result);
    }
    pex_spec_release(run.spec);
    return result;
}
