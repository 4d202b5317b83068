/* SPDX-License-Identifier: Apache-2.0 */
#include "job_run.h"
#include "signals.h"
#include "tool.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

/* A call that is still out when its job is over was already given its grace. */
static const int64_t close_timeout_ns = 2 * NS_PER_S;

int job_run_open(struct job_run *run, struct console *console)
{
    *run = (struct job_run){.console = console, .signal_fd = signals_open(console)};
    if (run->signal_fd >= 0)
        return TOOL_DONE;
    console_error(console, "no pipe for signals: %s", strerror(errno));
    return TOOL_FAILED;
}

void job_run_close(struct job_run *run, int result)
{
    pex_job_release(run->job);
    if (engine_close(&run->engine, close_timeout_ns))
        _exit(result);
}

static void on_event(void *user, const struct pex_event *event)
{
    struct job_run *run = user;

    if (event->kind == PEX_EVENT_NOTICE)
        console_notice(run->console, "notice: %s", event->text);
    else if (event->kind == PEX_EVENT_PARTITION)
        progress_partition(&run->progress, event);
    else if (event->kind == PEX_EVENT_ROW && run->on_row)
        run->on_row(run->user, event->text);
    else if (event->kind == PEX_EVENT_JOB)
        run->is_over = 1;
}

/* A message holds the first errors of a long list; the plan has all of them. */
static void say_refusal(struct job_run *run, const char *job_file, const struct pex_error *err)
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

int job_run_submit(struct job_run *run, const char *job_file, struct pex_job_options *options)
{
    struct pex_error err;
    int32_t code;

    options->struct_size = sizeof(*options);
    options->on_event = on_event;
    options->event_user = run;
    run->is_pull = options->pull;
    signals_hold();
    code = pex_job_submit(run->engine.ctx, run->spec, NULL, options, &run->job, &err);
    if (code == 0)
        return TOOL_DONE;
    say_refusal(run, job_file, &err);
    return code == PEX_EBUSY ? TOOL_HELD : TOOL_REFUSED;
}

static void cancel(struct job_run *run)
{
    console_notice(run->console, "%s: cancelling; once more ends at once",
                   signals_first() == SIGINT ? "SIGINT" : "SIGTERM");
    pex_job_cancel(run->job);
}

/* As far as rows are there; why there are no more is told by the job's end. */
static void take_rows(struct job_run *run)
{
    pex_rows *rows;

    while (pex_job_next_batch(run->job, 0, &rows, NULL) == 0)
        pex_rows_release(rows);
}

/* Until the job's last event. Only poll waits. Returns 0, or the code of a dispatch that failed. */
static int32_t follow(struct job_run *run)
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
        if (run->is_pull && !run->is_over)
            take_rows(run);
        if (!run->is_over)
            progress_tick(&run->progress, run->job);
    }
    return 0;
}

static int exit_code(struct job_run *run)
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

int job_run_follow(struct job_run *run, enum progress_mode mode)
{
    int32_t code;

    progress_open(&run->progress, run->console, mode);
    code = follow(run);
    progress_close(&run->progress, run->job);
    if (code == 0)
        return exit_code(run);
    console_error(run->console, "events of the job cannot be read: %s", pex_strerror(code));
    return TOOL_FAILED;
}
