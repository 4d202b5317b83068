/* SPDX-License-Identifier: Apache-2.0 */
#include "job/core.h"

#include "base/memory.h"
#include "base/thread.h"
#include "job/job.h"

#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 256 };

struct pex__core *pex__core_create(void)
{
    struct pex__core *core = pex__calloc(1, sizeof *core);

    if (core == NULL)
        return NULL;
    core->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (core->event_fd < 0) {
        pex__free(core);
        return NULL;
    }
    atomic_init(&core->refs, 1);
    core->pid = getpid();
    pthread_mutex_init(&core->lock, NULL);
    pex__cond_init(&core->changed);
    core->events_end = &core->events;
    return core;
}

struct pex__core *pex__core_ref(struct pex__core *core)
{
    atomic_fetch_add_explicit(&core->refs, 1, memory_order_relaxed);
    return core;
}

void pex__core_unref(struct pex__core *core)
{
    /* Release and acquire: what others did to the core happens before it is freed. */
    if (atomic_fetch_sub_explicit(&core->refs, 1, memory_order_acq_rel) != 1)
        return;
    close(core->event_fd);
    pthread_cond_destroy(&core->changed);
    pthread_mutex_destroy(&core->lock);
    pex__free(core);
}

int pex__core_is_forked(const struct pex__core *core)
{
    return core->pid != getpid();
}

int32_t pex__core_check(struct pex__core *core, struct pex_error *err)
{
    int32_t code = PEX_EFORKED;

    if (!pex__core_is_forked(core)) {
        pthread_mutex_lock(&core->lock);
        code = core->is_closed ? PEX_ECLOSED : 0;
        pthread_mutex_unlock(&core->lock);
    }
    return code != 0 ? pex_error_set(err, code, "%s", pex_strerror(code)) : 0;
}

int pex__core_is_current(struct pex__core *core)
{
    int is;

    /* The lock keeps the engine where it is: destroy may be under way on another thread. */
    pthread_mutex_lock(&core->lock);
    is = core->is_dispatching && pthread_equal(core->dispatcher, pthread_self());
    for (const struct pex__feeder *each = core->feeders; each != NULL && !is; each = each->next)
        is = pthread_equal(each->thread, pthread_self());
    if (!is && !core->is_gone && core->engine != NULL)
        is = pex__loop_is_current(core->loop) || pex__engine_is_current(core->engine);
    pthread_mutex_unlock(&core->lock);
    return is;
}

/*
 * Rows' events that wait are bounded: above the most the job is held, which writes nothing then and
 * so makes no more of them; at half of it it goes on. Under the core's lock; the scheduler is there
 * as long as the core is not gone.
 */
static void count_waiting(struct pex_job *job, int64_t change)
{
    struct pex__engine *engine = job->core->engine;
    int is_held;

    job->rows_waiting += (uint64_t)change;
    is_held =
        job->rows_waiting > (job->is_held ? job->rows_waiting_most / 2 : job->rows_waiting_most);
    if (is_held == job->is_held || job->core->is_gone)
        return;
    job->is_held = is_held;
    pex__engine_lock(engine);
    pex__sched_hold(&job->run.job.sjob, is_held);
    pex__engine_unlock(engine);
    /* It may take rows again, or it dispatches. */
    pex__job_wake_host(job);
}

static void post(struct pex__core *core, struct pex__event_item *item)
{
    uint64_t one = 1;

    item->event.struct_size = sizeof item->event;
    pthread_mutex_lock(&core->lock);
    *core->events_end = item;
    core->events_end = &item->next;
    if (item->bytes > 0)
        count_waiting(item->event.job, (int64_t)item->bytes);
    pthread_cond_broadcast(&core->changed);
    pthread_mutex_unlock(&core->lock);
    /* The counter can only be full when nobody ever reads it: it is readable then all the same. */
    if (write(core->event_fd, &one, sizeof one) < 0)
        return;
}

void pex__core_post_event(struct pex__core *core, struct pex_job *job, int32_t kind, int32_t state,
                          int32_t stage, int32_t partition, const char *text)
{
    struct pex__event_item *item = pex__calloc(1, sizeof *item);

    if (item == NULL)
        return;
    item->text = pex__strdup(text);
    if (item->text == NULL) {
        pex__free(item);
        return;
    }
    item->event.kind = kind;
    item->event.state = state;
    item->event.stage = stage;
    item->event.partition = partition;
    item->event.text = item->text;
    item->event.job = pex__job_ref(job);
    post(core, item);
}

static struct pex__event_item *make_row(struct pex_string_view record)
{
    struct pex__event_item *item = pex__calloc(1, sizeof *item);

    if (item == NULL)
        return NULL;
    item->text = pex__strndup(record.data, record.length);
    if (item->text == NULL) {
        pex__free(item);
        return NULL;
    }
    item->bytes = record.length + sizeof *item;
    return item;
}

int32_t pex__core_post_row(struct pex__core *core, struct pex_job *job, int32_t stage,
                           int32_t partition, struct pex_string_view record)
{
    struct pex__event_item *item = make_row(record);

    if (item == NULL)
        return PEX_ENOMEM;
    item->event.kind = PEX_EVENT_ROW;
    item->event.stage = stage;
    item->event.partition = partition;
    item->event.text = item->text;
    item->event.job = pex__job_ref(job);
    post(core, item);
    return 0;
}

void pex__core_post_pull(struct pex__core *core, struct pex_job *job)
{
    struct pex__event_item *item = &job->pull_event;

    item->next = NULL;
    item->event.kind = PEX_EVENT_PULL;
    item->event.state = PEX_JOB_RUNNING;
    item->event.text = "rows may wait";
    item->event.job = pex__job_ref(job);
    post(core, item);
}

void pex__core_post_end(struct pex__core *core, struct pex_job *job, int32_t state,
                        const char *text)
{
    struct pex__event_item *item = job->end_event;

    job->end_event = NULL;
    item->event.kind = PEX_EVENT_JOB;
    item->event.state = state;
    item->event.text = text;
    item->event.job = pex__job_ref(job);
    post(core, item);
}

static struct pex__event_item *take_event(struct pex__core *core)
{
    struct pex__event_item *item;

    pthread_mutex_lock(&core->lock);
    item = core->events;
    if (item != NULL) {
        core->events = item->next;
        if (core->events == NULL)
            core->events_end = &core->events;
        if (item->bytes > 0)
            count_waiting(item->event.job, -(int64_t)item->bytes);
    }
    pthread_mutex_unlock(&core->lock);
    return item;
}

static void free_event(struct pex__core *core, struct pex__event_item *item)
{
    struct pex_job *job = item->event.job;

    if (item == &job->pull_event) {
        pex__job_unref(job);
        return;
    }
    if (item->event.kind == PEX_EVENT_JOB) {
        pthread_mutex_lock(&core->lock);
        job->shown.is_delivered = 1;
        pthread_cond_broadcast(&core->changed);
        pthread_mutex_unlock(&core->lock);
    }
    pex__job_unref(job);
    pex__free(item->text);
    pex__free(item);
}

static void deliver(struct pex__core *core, struct pex__event_item *item)
{
    struct pex_job *job = item->event.job;

    if (item == &job->pull_event) {
        struct pex_event copy = item->event;

        /* From here on it can be queued again. */
        atomic_store_explicit(&job->pull_posted, 0, memory_order_release);
        job->on_event(job->event_user, &copy);
        pex__job_unref(job);
        return;
    }
    if (job->on_event != NULL)
        job->on_event(job->event_user, &item->event);
    free_event(core, item);
}

void pex__core_drop_events(struct pex__core *core)
{
    for (struct pex__event_item *item; (item = take_event(core)) != NULL;)
        free_event(core, item);
}

void pex__core_running_operator(struct pex__core *core, char *name, size_t size)
{
    name[0] = '\0';
    pthread_mutex_lock(&core->lock);
    for (struct pex_job *job = core->jobs; job != NULL; job = job->next) {
        for (size_t i = 0; job->run.steps != NULL && i < job->run.stage->step_count; i++)
            if (atomic_load(&job->run.steps[i].running) > 0)
                snprintf(name, size, "%s", job->run.steps[i].op->operator->op.name);
    }
    pthread_mutex_unlock(&core->lock);
}

void pex__core_running_source(struct pex__core *core, char *name, size_t size)
{
    name[0] = '\0';
    pthread_mutex_lock(&core->lock);
    for (struct pex__feeder *feeder = core->feeders; feeder != NULL; feeder = feeder->next)
        if (atomic_load_explicit(&feeder->is_calling, memory_order_relaxed))
            snprintf(name, size, "%s", feeder->job->input->sources->path);
    pthread_mutex_unlock(&core->lock);
}

static int32_t begin_dispatch(struct pex__core *core)
{
    int32_t code = 0;

    pthread_mutex_lock(&core->lock);
    if (core->is_dispatching) {
        code = pthread_equal(core->dispatcher, pthread_self()) ? PEX_EDEADLK : PEX_EBUSY;
    } else {
        core->is_dispatching = 1;
        core->dispatcher = pthread_self();
    }
    pthread_mutex_unlock(&core->lock);
    return code;
}

static void end_dispatch(struct pex__core *core)
{
    uint64_t one = 1;
    int is_left;

    pthread_mutex_lock(&core->lock);
    core->is_dispatching = 0;
    is_left = core->events != NULL;
    pthread_cond_broadcast(&core->changed);
    pthread_mutex_unlock(&core->lock);
    if (is_left && write(core->event_fd, &one, sizeof one) < 0)
        return;
}

int32_t pex__core_dispatch(struct pex__core *core, int32_t max_events)
{
    struct pex__event_item *item;
    uint64_t count;
    int32_t delivered = 0, code = begin_dispatch(core);

    if (code != 0)
        return code;
    if (read(core->event_fd, &count, sizeof count) < 0)
        count = 0;
    if (max_events <= 0)
        max_events = EVENTS_AT_ONCE;
    while (delivered < max_events && (item = take_event(core)) != NULL) {
        deliver(core, item);
        delivered++;
    }
    end_dispatch(core);
    return delivered;
}
