/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two jobs in the libuv loop of the host: the loop goes on with its own work, here a timer that
 * shows how far the jobs are, and hears of their ends. No thread of the host waits for anything.
 */
#include <stdio.h>
#include <string.h>

#include <partexec/partexec.h>
#include <partexec/uv.h>

static const char *const job_texts[2] = {
    "{\"process\": [{\"text_length_filter\": {\"min_len\": 0, \"max_len\": 19}}]}",
    "{\"process\": [{\"text_length_filter\": {\"min_len\": 20}}]}",
};

struct host {
    struct pex_uv watch;
    uv_timer_t timer;
    pex_job *jobs[2];
    int live;
    int failed;
};

static void on_timer(uv_timer_t *timer)
{
    const struct host *host = timer->data;

    for (int i = 0; i < 2; i++) {
        struct pex_progress progress = {.struct_size = sizeof(progress)};

        if (host->jobs[i] && pex_job_progress(host->jobs[i], &progress) == 0)
            fprintf(stderr, "job %d: %llu rows\n", i + 1, (unsigned long long)progress.rows);
    }
}

/* Nothing else keeps the loop going, so uv_run returns then. */
static void stop(struct host *host)
{
    pex_uv_close(&host->watch, NULL);
    uv_close((uv_handle_t *)&host->timer, NULL);
}

/* On the loop's thread. */
static void on_event(void *user, const struct pex_event *event)
{
    struct host *host = user;

    if (event->kind == PEX_EVENT_NOTICE)
        fprintf(stderr, "%s\n", event->text);
    if (event->kind != PEX_EVENT_JOB)
        return;
    if (event->state == PEX_JOB_DONE) {
        char *summary;
        if (pex_job_summary(event->job, &summary) == 0) {
            puts(summary);
            pex_free(summary);
        }
    } else {
        struct pex_error err = {0};
        pex_job_error(event->job, &err);
        fprintf(stderr, "uv_loop: %s\n", err.message);
        host->failed = 1;
    }
    if (--host->live == 0)
        stop(host);
}

static int32_t submit(struct host *host, pex_context *ctx, const char *input, const char *output,
                      int number, struct pex_error *err)
{
    struct pex_job_options options = {
        .struct_size = sizeof(options), .on_event = on_event, .event_user = host};
    pex_spec *spec = NULL;

    int32_t rc = pex_spec_parse(job_texts[number], strlen(job_texts[number]), &spec, err);
    if (rc == 0)
        rc = pex_spec_set(spec, "dataset_path", input, err);
    if (rc == 0)
        rc = pex_spec_set(spec, "export_path", output, err);
    if (rc == 0)
        rc = pex_job_submit(ctx, spec, NULL, &options, &host->jobs[number], err);
    if (rc == 0)
        host->live++;
    pex_spec_release(spec);
    return rc;
}

int main(int argc, char **argv)
{
    struct host host = {.live = 0};
    struct pex_error err = {0};
    pex_context *ctx = NULL;
    uv_loop_t loop;

    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: uv_loop INPUT SHORT LONG [PLUGIN]\n");
        return 2;
    }
    if (uv_loop_init(&loop) != 0)
        return 1;
    int32_t rc = pex_context_create(NULL, &ctx, &err);
    if (rc == 0)
        rc = pex_plugin_load(ctx, argc == 5 ? argv[4] : "text", &err);
    if (rc == 0)
        rc = pex_uv_start(&host.watch, &loop, ctx);
    if (rc == 0) {
        uv_timer_init(&loop, &host.timer);
        host.timer.data = &host;
        uv_timer_start(&host.timer, on_timer, 100, 100);
        for (int i = 0; rc == 0 && i < 2; i++)
            rc = submit(&host, ctx, argv[1], argv[2 + i], i, &err);
        if (host.live == 0)
            stop(&host);
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    if (rc != 0)
        fprintf(stderr, "uv_loop: %s\n", err.message[0] ? err.message : pex_strerror(rc));

    for (int i = 0; i < 2; i++)
        pex_job_release(host.jobs[i]);
    pex_context_destroy(ctx, -1, NULL);
    return rc == 0 && !host.failed && uv_loop_close(&loop) == 0 ? 0 : 1;
}
