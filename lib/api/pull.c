/* SPDX-License-Identifier: Apache-2.0 */
/* The pull sink: the host plays the writer of the head partition. */
#include "api/context.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"

struct pex_rows {
    struct pex__buffer data;
    size_t count;
    struct pex__core *core; /* the heap of data is in it */
};

/* Takes one work's rows out of the list that the scheduler gave. */
static int32_t add_work(struct pex_rows *rows, struct pex__work *work)
{
    if (rows->count == 0 && rows->data.length == 0) {
        struct pex__buffer empty = rows->data;

        rows->data = work->out;
        work->out = empty;
    } else if (pex__buffer_add(&rows->data, work->out.data, work->out.length) != 0) {
        return PEX_ENOMEM;
    }
    rows->count += work->out_rows;
    return 0;
}

/* The finished works at the head, all at once. */
static int32_t take_list(struct pex_job *job, struct pex__part *part, struct pex__ticket *list,
                         struct pex_rows *rows)
{
    struct pex__engine *engine = job->run.engine;
    struct pex__step step = {.kind = PEX__STEP_WRITE, .part = part, .ticket = list};
    struct pex_error err;
    int32_t failed = 0;

    for (struct pex__ticket *t = list; t != NULL && failed == 0; t = t->next) {
        struct pex__work *work = pex__work_of(t);

        /* Counted before its buffer goes. */
        failed = pex__partition_take((struct pex__partition *)(void *)part, work, &err);
        if (failed == 0 && add_work(rows, work) != 0)
            failed = pex__error_memory(&err);
    }
    if (failed != 0)
        pex__run_fail(&job->run, &err);
    pex__engine_lock(engine);
    pex__sched_done_write(&engine->sched, &step);
    pex__engine_unlock(engine);
    return failed;
}

static int32_t try_take(struct pex_job *job, struct pex_rows *rows)
{
    struct pex__engine *engine = job->run.engine;
    struct pex__sjob *rules = &job->run.job.sjob;
    struct pex__ticket *list = NULL;
    struct pex__part *part = NULL;

    pex__engine_lock(engine);
    if (rules->parts != NULL && rules->sink == PEX__SINK_PULL && rules->head < rules->part_count)
        part = rules->parts[rules->head];
    if (part != NULL && part->is_active)
        list = pex__sched_pull(part);
    pex__engine_unlock(engine);
    return list != NULL ? take_list(job, part, list, rows) : 0;
}

static int32_t end_code(struct pex_job *job, struct pex_error *err)
{
    int32_t state = job->shown.state;

    if (state == PEX_JOB_DONE)
        return pex_error_set(err, PEX_ENOENT, "all rows were taken");
    if (err != NULL)
        *err = job->shown.error;
    return state == PEX_JOB_CANCELLED ? PEX_ECANCELLED : job->shown.error.code;
}

/* Waits for a word of the engine. Returns 0 to look again, else the answer. */
static int32_t wait_for_word(struct pex_job *job, int64_t deadline, struct pex_error *err)
{
    int32_t code = 0;

    pthread_mutex_lock(&job->lock);
    if (job->shown.is_over)
        code = end_code(job, err);
    else if (!job->pull_ready && pex__now_ns() >= deadline)
        code = pex_error_set(err, PEX_ETIMEDOUT, "no rows yet");
    else if (!job->pull_ready)
        pex__cond_wait_until(&job->changed, &job->lock, deadline);
    job->pull_ready = 0;
    pthread_mutex_unlock(&job->lock);
    return code;
}

static int32_t check_pull(const pex_job *job, pex_rows *const *result, struct pex_error *err)
{
    int32_t code = 0;

    if (job == NULL || result == NULL)
        return pex_error_set(err, PEX_EINVAL, "%s: NULL", job == NULL ? "job" : "rows");
    if (!job->is_pull)
        return pex_error_set(err, PEX_EINVAL, "the job was not submitted with `pull`");
    if (pex__core_is_forked(job->core))
        code = PEX_EFORKED;
    else if (pex__core_is_current(job->core))
        code = PEX_EDEADLK;
    return code != 0 ? pex_error_set(err, code, "%s", pex_strerror(code)) : 0;
}

/* The engine stays while a thread is between these two. */
static int enter(struct pex__core *core)
{
    int is_there;

    pthread_mutex_lock(&core->lock);
    is_there = !core->is_gone;
    core->pullers += is_there;
    pthread_mutex_unlock(&core->lock);
    return is_there;
}

static void leave(struct pex__core *core)
{
    pthread_mutex_lock(&core->lock);
    core->pullers--;
    pthread_cond_broadcast(&core->changed);
    pthread_mutex_unlock(&core->lock);
}

static int32_t fill(struct pex_job *job, int64_t timeout_ns, struct pex_rows *rows,
                    struct pex_error *err)
{
    int64_t deadline = pex__deadline_ns(timeout_ns);
    int32_t code = 0;

    while (code == 0 && rows->count == 0) {
        while (job->tells_rows && pex__core_dispatch(job->core, 0) > 0)
            ;
        pthread_mutex_lock(&job->lock);
        code = job->shown.is_over ? end_code(job, err) : 0;
        pthread_mutex_unlock(&job->lock);
        if (code == 0)
            try_take(job, rows);
        if (code == 0 && rows->count == 0)
            code = wait_for_word(job, deadline, err);
    }
    return rows->count > 0 ? 0 : code;
}

int32_t pex_job_next_batch(pex_job *job, int64_t timeout_ns, pex_rows **result,
                           struct pex_error *err)
{
    struct pex_rows *rows;
    int32_t code = check_pull(job, result, err);

    if (code != 0)
        return code;
    if (!enter(job->core))
        return end_code(job, err); /* a context goes when its jobs are over */
    rows = pex__calloc(1, sizeof *rows);
    if (rows != NULL)
        rows->core = pex__core_ref(job->core);
    code = rows != NULL ? fill(job, timeout_ns, rows, err) : pex__error_memory(err);
    leave(job->core);
    if (code == 0)
        *result = rows;
    else
        pex_rows_release(rows);
    return code;
}

size_t pex_rows_count(const pex_rows *rows)
{
    return rows != NULL ? rows->count : 0;
}

struct pex_string_view pex_rows_data(const pex_rows *rows)
{
    struct pex_string_view view = {NULL, 0};

    if (rows != NULL) {
        view.data = rows->data.data;
        view.length = rows->data.length;
    }
    return view;
}

void pex_rows_release(pex_rows *rows)
{
    if (rows == NULL)
        return;
    pex__buffer_free(&rows->data);
    pex__core_unref(rows->core);
    pex__free(rows);
}
