/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two contexts in one loop of the host's own making. A context has a descriptor that is readable
 * while events wait, so any loop will do that can watch one: epoll here, poll or select elsewhere.
 * The contexts share nothing: each has its threads, its operators and its memory limit.
 */
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <partexec/partexec.h>

static const char *const job_texts[2] = {
    "{\"process\": [{\"text_length_filter\": {\"min_len\": 0, \"max_len\": 19}}]}",
    "{\"process\": [{\"text_length_filter\": {\"min_len\": 20}}]}",
};

struct engine {
    pex_context *ctx;
    pex_job *job;
    int is_live;
};

/* From any thread of the library: stderr takes one line at a time. */
static void on_log(void *user, int32_t level, const char *message)
{
    if (level <= PEX_LOG_WARNING)
        fprintf(stderr, "engine %d: %s\n", *(int *)user, message);
}

/* On the thread that calls pex_context_dispatch, which is the loop's. */
static void on_event(void *user, const struct pex_event *event)
{
    struct engine *engine = user;

    if (event->kind == PEX_EVENT_JOB)
        engine->is_live = 0;
}

static int32_t start(struct engine *engine, int *number, char **argv, const char *plugin,
                     struct pex_error *err)
{
    struct pex_context_options options = {.struct_size = sizeof(options),
                                          .workers = 1,
                                          .memory_limit_bytes = 256 << 20,
                                          .log = on_log,
                                          .log_user = number};
    struct pex_job_options job_options = {
        .struct_size = sizeof(job_options), .on_event = on_event, .event_user = engine};
    const char *text = job_texts[*number];
    pex_spec *spec = NULL;

    int32_t rc = pex_context_create(&options, &engine->ctx, err);
    if (rc == 0)
        rc = pex_plugin_load(engine->ctx, plugin, err);
    if (rc == 0)
        rc = pex_spec_parse(text, strlen(text), &spec, err);
    if (rc == 0)
        rc = pex_spec_set(spec, "dataset_path", argv[1], err);
    if (rc == 0)
        rc = pex_spec_set(spec, "export_path", argv[2 + *number], err);
    if (rc == 0)
        rc = pex_job_submit(engine->ctx, spec, NULL, &job_options, &engine->job, err);
    engine->is_live = rc == 0;
    pex_spec_release(spec);
    return rc;
}

static int watch(int loop, struct engine *engine)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = engine};

    return epoll_ctl(loop, EPOLL_CTL_ADD, pex_context_fd(engine->ctx), &event);
}

/* Until both jobs are over. */
static void run(int loop, const struct engine *engines)
{
    struct epoll_event ready[8];

    while (engines[0].is_live || engines[1].is_live) {
        int count = epoll_wait(loop, ready, 8, -1);
        for (int i = 0; i < count; i++)
            pex_context_dispatch(((struct engine *)ready[i].data.ptr)->ctx, 0);
    }
}

static int32_t print_end(const struct engine *engine, struct pex_error *err)
{
    char *summary;
    int32_t rc = pex_job_error(engine->job, err);
    if (rc == 0)
        rc = pex_job_summary(engine->job, &summary);
    if (rc == 0) {
        puts(summary);
        pex_free(summary);
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct engine engines[2] = {{0}, {0}};
    struct pex_error err = {0};
    int numbers[2] = {0, 1};

    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: epoll INPUT SHORT LONG [PLUGIN]\n");
        return 2;
    }
    int loop = epoll_create1(EPOLL_CLOEXEC);
    int32_t rc = loop >= 0 ? 0 : pex_error_set(&err, PEX_EIO, "no epoll descriptor");
    for (int i = 0; rc == 0 && i < 2; i++) {
        rc = start(&engines[i], &numbers[i], argv, argc == 5 ? argv[4] : "text", &err);
        if (rc == 0 && watch(loop, &engines[i]) != 0)
            rc = pex_error_set(&err, PEX_EIO, "epoll does not take the descriptor");
    }
    if (rc == 0)
        run(loop, engines);
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = print_end(&engines[i], &err);
    if (rc != 0)
        fprintf(stderr, "epoll: %s\n", err.message[0] ? err.message : pex_strerror(rc));

    for (int i = 0; i < 2; i++) {
        pex_job_release(engines[i].job);
        pex_context_destroy(engines[i].ctx, -1, NULL);
    }
    if (loop >= 0)
        close(loop);
    return rc == 0 ? 0 : 1;
}
