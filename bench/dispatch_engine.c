/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our side: the engine below the row path. The table of a job is filled with bodies that spin, and
 * the order of calls is the job layer's: enter, open the parts, wait for the notes, leave.
 */
#include "base/memory.h"
#include "dispatch.h"
#include "exec/engine.h"
#include "exec/instance.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_BYTES = 256 * 1024, PARTS = 8 };

#define MEMORY_LIMIT (UINT64_C(1) << 30)

struct engine_part {
    struct pex__part part; /* first */
    struct pex__message message;
    struct pex__ticket *ring[DISPATCH_FLIGHT];
    struct pex__lane lanes[DISPATCH_OPERATORS];
    _Atomic int32_t notes;
};

struct engine_job {
    struct pex__engine_job job; /* first */
    const struct cell *cell;
    struct pex__sstep steps[DISPATCH_OPERATORS];
    struct pex__part *by_index[PARTS];
    struct engine_part parts[PARTS];
    uint64_t written[PARTS];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int32_t out_count; /* under lock */
};

static struct pex__loop *loop;
static struct pex__engine *engine;
static struct pex__instances *pool;

static struct engine_job *job_of(const struct pex__sjob *job)
{
    return (struct engine_job *)(uintptr_t)job;
}

static int32_t op_run(struct pex__worker *worker, struct pex__work *work)
{
    struct engine_job *job = job_of(work->ticket.part->job);

    (void)worker;
    while (work->step < job->job.sjob.step_count && job->steps[work->step].pool == NULL) {
        dispatch_spin(job->cell->turns);
        work->step++;
    }
    return PEX__END_NEXT;
}

static void op_call(struct pex__worker *worker, struct pex__work *list, void *instance,
                    int *is_broken)
{
    (void)worker;
    (void)instance;
    (void)is_broken;
    for (struct pex__ticket *t = &list->ticket; t != NULL; t = t->next) {
        dispatch_spin(job_of(t->part->job)->cell->turns);
        pex__work_of(t)->step++;
        t->end = PEX__END_NEXT;
    }
}

static void op_write(struct pex__worker *worker, struct pex__part *part, struct pex__work *list,
                     int through)
{
    uint64_t *written = &job_of(part->job)->written[part->index];

    (void)worker;
    (void)through;
    for (struct pex__ticket *t = &list->ticket; t != NULL; t = t->next)
        dispatch_finish(written, t->seq);
}

static uint64_t op_cost(const struct pex__work *work)
{
    (void)work;
    return SLICE_BYTES;
}

static int32_t op_load(struct pex__sjob *job, uint32_t step, void **handle, struct pex_error *err)
{
    struct pex_env env = {.engine = engine};
    struct pex__handle *made;
    int32_t failed = pex__instance_create(pool, &env, NULL, &made, err);

    (void)job;
    (void)step;
    if (failed == 0)
        *handle = made;
    return failed;
}

static void op_load_failed(struct pex__sjob *job, uint32_t step, const struct pex_error *why)
{
    (void)job;
    fprintf(stderr, "dispatch: step %u: %s\n", step, why->message);
    exit(1);
}

/* OUT is the last note of a part: no message of it is under way behind that one. A part that wrote
 * while it was not the head has nothing to append here. */
static void on_notes(struct pex__message *message)
{
    struct engine_part *part =
        (struct engine_part *)(void *)((char *)message - offsetof(struct engine_part, message));
    struct engine_job *job = job_of(part->part.job);
    int32_t notes = atomic_exchange(&part->notes, 0);

    if ((notes & PEX__NOTE_APPEND) != 0) {
        pex__engine_lock(engine);
        pex__sched_appended(&part->part);
        pex__engine_unlock(engine);
    }
    if ((notes & PEX__NOTE_OUT) == 0)
        return;
    pthread_mutex_lock(&job->lock);
    job->out_count++;
    pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->lock);
}

static void op_note(struct pex__part *part, int32_t notes)
{
    struct engine_part *own = (struct engine_part *)(void *)part;

    if (atomic_fetch_or(&own->notes, notes) == 0)
        pex__loop_post(loop, &own->message);
}

static const struct pex__engine_ops ops = {
    .read = op_run,
    .run = op_run,
    .call = op_call,
    .write = op_write,
    .cost = op_cost,
    .load = op_load,
    .load_failed = op_load_failed,
    .note = op_note,
};

/* An instance without state; that there is a `create` makes the pool one with instances. */
static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    (void)env;
    (void)params;
    (void)err;
    *instance = NULL;
    return 0;
}

static const struct pex_operator spinner = {
    .struct_size = sizeof spinner,
    .name = "spinner",
    .create = create,
};

void engine_open(void)
{
    struct pex_error err;

    if (pex__loop_create(&loop, &err) != 0 ||
        pex__engine_create(&engine, DISPATCH_THREADS, MEMORY_LIMIT, 2, NULL, loop, &err) != 0) {
        fprintf(stderr, "dispatch: %s\n", err.message);
        exit(1);
    }
    pool = pex__instances_get(&(struct pex_env){.engine = engine}, "spinner", &spinner);
    if (pool == NULL)
        abort();
}

void engine_close(void)
{
    pex__instances_put(pool);
    pex__engine_free(engine);
    pex__loop_free(loop);
}

static void open_part(struct engine_job *job, int32_t index)
{
    struct engine_part *own = &job->parts[index];
    struct pex__part *part = &own->part;
    uint64_t count = (uint64_t)job->cell->parts, i = (uint64_t)index;

    own->message.run = on_notes;
    part->job = &job->job.sjob;
    part->index = index;
    part->slice_count = job->cell->batches * (i + 1) / count - job->cell->batches * i / count;
    part->slice_bytes = SLICE_BYTES;
    part->ring = own->ring;
    part->ring_size = DISPATCH_FLIGHT;
    part->lanes = own->lanes;
    pex__engine_lock(engine);
    if (!pex__sched_part_open(part))
        abort();
    pex__engine_unlock(engine);
}

static struct engine_job *make_job(const struct cell *cell)
{
    struct engine_job *job = calloc(1, sizeof *job);
    struct pex__sjob *rules;

    if (job == NULL)
        abort();
    job->cell = cell;
    job->job.ops = &ops;
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->changed, NULL);
    rules = &job->job.sjob;
    rules->weight = 1;
    rules->growth = 1;
    rules->steps = job->steps;
    rules->step_count = (size_t)cell->operators;
    rules->parts = job->by_index;
    rules->part_count = cell->parts;
    rules->sink = PEX__SINK_EXPORT;
    pex__account_init(&rules->account, MEMORY_LIMIT, DISPATCH_THREADS * SLICE_BYTES);
    if (cell->budgeted >= 0) {
        job->steps[cell->budgeted].pool = &pool->pool;
        job->steps[cell->budgeted].demand.num_proc = 1;
        job->steps[cell->budgeted].demand.policy = PEX_SCOPE_ELASTIC;
    }
    return job;
}

void engine_run(const struct cell *cell)
{
    struct engine_job *job = make_job(cell);

    pex__engine_lock(engine);
    pex__sched_job_enter(&engine->sched, &job->job.sjob);
    pex__engine_unlock(engine);
    for (int32_t i = 0; i < cell->parts; i++)
        open_part(job, i);
    pthread_mutex_lock(&job->lock);
    while (job->out_count < cell->parts)
        pthread_cond_wait(&job->changed, &job->lock);
    pthread_mutex_unlock(&job->lock);
    pex__engine_lock(engine);
    pex__sched_job_leave(&job->job.sjob);
    pex__engine_unlock(engine);
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->lock);
    free(job);
}
