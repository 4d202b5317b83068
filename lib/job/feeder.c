/* SPDX-License-Identifier: Apache-2.0 */
#include "job/feeder.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "job/job.h"
#include "store/file.h"

#include <unistd.h>

/* Of the job's memory limit, what may be ready ahead of its workers. */
enum { AHEAD_PART = 8 };

struct pex__fed_slice {
    struct pex__fed_slice *next;
    struct pex__slice slice;
    uint64_t seq;
};

static uint64_t bytes_ahead(const struct pex__plan *plan)
{
    uint64_t wanted = (uint64_t)plan->threads * plan->slice_bytes;
    uint64_t most = plan->memory_limit / AHEAD_PART;

    return wanted < most ? wanted : most;
}

static struct pex__feeder *make_feeder(struct pex_job *job)
{
    struct pex__feeder *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    made->job = job;
    made->spool_fd = -1;
    made->ready_end = &made->ready;
    made->ahead_bytes = bytes_ahead(job->plan);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    pex__slicer_init(&made->slicer, job->plan->slice_bytes, job->input->sources->path);
    made->slicer.slice.heap = job->run.engine->heap;
    return made;
}

static void free_slices(struct pex__fed_slice *list)
{
    for (struct pex__fed_slice *item = list, *next; item != NULL; item = next) {
        next = item->next;
        pex__slice_free(&item->slice);
        pex__free(item);
    }
}

void pex__feeder_free(struct pex__feeder *feeder)
{
    if (feeder == NULL)
        return;
    free_slices(feeder->ready);
    free_slices(feeder->spare);
    pex__slicer_free(&feeder->slicer);
    if (feeder->spool_fd >= 0)
        close(feeder->spool_fd);
    free(feeder->spool_path);
    pthread_cond_destroy(&feeder->changed);
    pthread_mutex_destroy(&feeder->lock);
    pex__free(feeder);
}

/* What is ready counts against the limits until a worker has it, whose ticket stands for it then.
 */
static void charge(struct pex__feeder *feeder, int64_t bytes)
{
    pex__account_charge(&feeder->job->run.engine->sched.account, bytes);
    pex__account_charge(&feeder->job->run.job.sjob.account, bytes);
}

/* Feeder's lock. */
static void tell(struct pex__feeder *feeder, uint64_t bytes, uint64_t count, int is_end)
{
    struct pex__engine *engine = feeder->job->run.engine;

    pex__engine_lock(engine);
    charge(feeder, (int64_t)bytes);
    pex__sched_part_more(feeder->part, count, is_end);
    pex__engine_unlock(engine);
}

static struct pex__fed_slice *get_spare(struct pex__feeder *feeder)
{
    struct pex__fed_slice *item;

    pthread_mutex_lock(&feeder->lock);
    item = feeder->spare;
    if (item != NULL)
        feeder->spare = item->next;
    pthread_mutex_unlock(&feeder->lock);
    if (item == NULL) {
        item = pex__calloc(1, sizeof *item);
        if (item != NULL)
            item->slice.heap = feeder->job->run.engine->heap;
    }
    return item;
}

/* Hands the slicer's slice to the workers; waits while enough is ready. */
static int32_t push(struct pex__feeder *feeder, struct pex_error *err)
{
    struct pex__fed_slice *item = get_spare(feeder);
    uint64_t bytes;

    if (item == NULL)
        return pex__error_memory(err);
    pex__slicer_take(&feeder->slicer, &item->slice);
    item->next = NULL;
    bytes = pex__slice_bytes(&item->slice);
    pthread_mutex_lock(&feeder->lock);
    while (feeder->part != NULL && feeder->ready_bytes > 0 &&
           feeder->ready_bytes + bytes > feeder->ahead_bytes)
        pthread_cond_wait(&feeder->changed, &feeder->lock);
    item->seq = feeder->next_seq++;
    if (feeder->part != NULL) {
        *feeder->ready_end = item;
        feeder->ready_end = &item->next;
        feeder->ready_bytes += bytes;
        tell(feeder, bytes, 1, 0);
        item = NULL;
    }
    pthread_mutex_unlock(&feeder->lock);
    free_slices(item);
    return 0;
}

static int is_stopped(const struct pex__feeder *feeder)
{
    return pex__run_is_cancelled(&feeder->job->run);
}

static int32_t open_spool(struct pex__feeder *feeder, struct pex_error *err)
{
    int32_t failed;

    if (feeder->job->plan->stage_count == 1)
        return 0;
    if (asprintf(&feeder->spool_path, "%s/source", feeder->job->folder) < 0) {
        feeder->spool_path = NULL;
        return pex__error_memory(err);
    }
    failed = pex__file_create(feeder->spool_path, &feeder->spool_fd, err);
    if (failed == 0)
        unlink(feeder->spool_path);
    return failed;
}

/* One piece, into as many slices as it completes. */
static int32_t take_piece(struct pex__feeder *feeder, struct pex_string_view piece,
                          struct pex_error *err)
{
    int32_t code = 0;

    if (feeder->spool_fd >= 0)
        code = pex__file_write(feeder->spool_fd, feeder->spool_path, piece.data, piece.length, err);
    while (code == 0 && !is_stopped(feeder)) {
        code = pex__slicer_add(&feeder->slicer, &piece, err);
        if (code == 0)
            return 0;
        if (code > 0)
            code = push(feeder, err);
    }
    return code;
}

static int32_t call_next(struct pex__feeder *feeder, struct pex_string_view *piece,
                         struct pex_error *err)
{
    int32_t code;

    atomic_store_explicit(&feeder->is_calling, 1, memory_order_relaxed);
    code = pex__feed_next(feeder->feed, piece, err);
    atomic_store_explicit(&feeder->is_calling, 0, memory_order_relaxed);
    return code;
}

static int32_t begin(struct pex__feeder *feeder, struct pex_error *err)
{
    int32_t failed = open_spool(feeder, err);
    uint64_t hint = 0;

    if (failed != 0)
        return failed;
    atomic_store_explicit(&feeder->is_calling, 1, memory_order_relaxed);
    failed = pex__feed_begin(feeder->feed, err);
    if (failed == 0)
        hint = pex__feed_size_hint(feeder->feed);
    atomic_store_explicit(&feeder->is_calling, 0, memory_order_relaxed);
    atomic_store_explicit(&feeder->job->bytes_total, hint, memory_order_relaxed);
    return failed;
}

static int32_t read_all(struct pex__feeder *feeder, struct pex_error *err)
{
    struct pex_string_view piece;
    int32_t code = begin(feeder, err), is_more = 1;

    while (code == 0 && is_more && !is_stopped(feeder)) {
        is_more = call_next(feeder, &piece, err);
        code = is_more < 0 ? is_more : take_piece(feeder, piece, err);
    }
    if (code != 0 || is_stopped(feeder))
        return code;
    code = pex__slicer_end(&feeder->slicer, err);
    return code > 0 ? push(feeder, err) : code;
}

/* Says how it ended, to a job that still wants to know. */
static void say_end(struct pex__feeder *feeder, int32_t failed, const struct pex_error *err)
{
    pthread_mutex_lock(&feeder->lock);
    feeder->has_ended = 1;
    if (feeder->part != NULL && failed != 0)
        pex__run_fail(&feeder->job->run, err);
    else if (feeder->part != NULL && !is_stopped(feeder))
        tell(feeder, 0, 0, 1);
    feeder->part = NULL;
    pthread_mutex_unlock(&feeder->lock);
}

static void *run_feeder(void *argument)
{
    struct pex__feeder *feeder = argument;
    struct pex__loop *loop = feeder->job->core->loop;
    struct pex_error err;
    int32_t failed = read_all(feeder, &err);

    if (failed == 0 && !is_stopped(feeder))
        atomic_store_explicit(&feeder->job->bytes_total, feeder->slicer.begin,
                              memory_order_relaxed);
    /* First: whoever hears of the end may give the source to the next job at once. */
    pex__feed_give_back(feeder->feed);
    pex__feed_unref(feeder->feed);
    say_end(feeder, failed, &err);
    pex__loop_post(loop, &feeder->ended);
    return NULL;
}

static void on_ended(struct pex__message *message)
{
    struct pex__feeder *feeder =
        (struct pex__feeder *)(void *)((char *)message - offsetof(struct pex__feeder, ended));
    struct pex__core *core = feeder->job->core;
    struct pex__feeder **at = &core->feeders;

    pthread_join(feeder->thread, NULL);
    pthread_mutex_lock(&core->lock);
    while (*at != feeder)
        at = &(*at)->next;
    *at = feeder->next;
    pthread_cond_broadcast(&core->changed);
    pthread_mutex_unlock(&core->lock);
    pex__job_unref(feeder->job);
}

int32_t pex__feeder_start(struct pex_job *job, struct pex__part *part, struct pex_error *err)
{
    struct pex__feeder *feeder = make_feeder(job);
    struct pex__core *core = job->core;
    int32_t failed;

    if (feeder == NULL)
        return pex__error_memory(err);
    feeder->part = part;
    feeder->ended.run = on_ended;
    feeder->feed = pex__feed_ref(job->input->feed);
    job->feeder = feeder;
    pex__job_ref(job);
    /* The thread's calls may ask whether they are on a thread of the context. */
    pthread_mutex_lock(&core->lock);
    failed = pex__thread_start(&feeder->thread, "pex-source", run_feeder, feeder);
    if (failed == 0) {
        feeder->next = core->feeders;
        core->feeders = feeder;
    }
    pthread_mutex_unlock(&core->lock);
    if (failed == 0)
        return 0;
    pex__feed_give_back(feeder->feed);
    pex__feed_unref(feeder->feed);
    feeder->part = NULL;
    pex__job_unref(job);
    return pex_error_set(err, failed, "%s: no thread to read it", job->input->sources->path);
}

/* The item's memory, which was the worker's, serves the thread again, unless a long row left much.
 */
static void recycle(struct pex__feeder *feeder, struct pex__fed_slice *item)
{
    if (pex__slice_bytes(&item->slice) > 2 * feeder->slicer.slice_bytes)
        pex__slice_free(&item->slice);
    item->next = feeder->spare;
    feeder->spare = item;
}

int32_t pex__feeder_take(struct pex__feeder *feeder, uint64_t seq, struct pex__slice *slice,
                         struct pex_error *err)
{
    struct pex__engine *engine = feeder->job->run.engine;
    struct pex__fed_slice **at, *item;
    struct pex__slice old = *slice;
    uint64_t bytes;

    pthread_mutex_lock(&feeder->lock);
    for (at = &feeder->ready; *at != NULL && (*at)->seq != seq;)
        at = &(*at)->next;
    item = *at;
    if (item == NULL) {
        pthread_mutex_unlock(&feeder->lock);
        return pex_error_set(err, PEX_ECANCELLED, "cancelled");
    }
    *at = item->next;
    if (item->next == NULL)
        feeder->ready_end = at;
    bytes = pex__slice_bytes(&item->slice);
    *slice = item->slice;
    item->slice = old;
    feeder->ready_bytes -= bytes;
    recycle(feeder, item);
    pex__engine_lock(engine);
    charge(feeder, -(int64_t)bytes);
    pex__engine_unlock(engine);
    pthread_cond_signal(&feeder->changed);
    pthread_mutex_unlock(&feeder->lock);
    return 0;
}

void pex__feeder_stop(struct pex__feeder *feeder)
{
    struct pex__engine *engine = feeder->job->run.engine;
    struct pex__fed_slice *ready;

    pthread_mutex_lock(&feeder->lock);
    ready = feeder->ready;
    feeder->ready = NULL;
    feeder->ready_end = &feeder->ready;
    if (feeder->ready_bytes > 0) {
        pex__engine_lock(engine);
        charge(feeder, -(int64_t)feeder->ready_bytes);
        pex__engine_unlock(engine);
    }
    feeder->ready_bytes = 0;
    feeder->part = NULL;
    pthread_cond_signal(&feeder->changed);
    pthread_mutex_unlock(&feeder->lock);
    free_slices(ready);
}

void pex__feeder_drop_copy(struct pex__feeder *feeder)
{
    pthread_mutex_lock(&feeder->lock);
    if (feeder->has_ended && feeder->spool_fd >= 0) {
        close(feeder->spool_fd);
        feeder->spool_fd = -1;
    }
    pthread_mutex_unlock(&feeder->lock);
}
