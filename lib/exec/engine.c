/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/engine.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "exec/instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* See may_wake_later. */
enum { QUEUE_AHEAD = 4 };
#define SHORT_CALL_NS INT64_C(200000)
#define TINY_NS INT64_C(300)

/* About what a free work holds: the rows of a slice. */
enum { FREE_WORK_BYTES = 256 * 1024 };

/* Steps in a hand, see struct hand. */
enum { HAND_MOST = 8 };

/* A worker without work waits so many pauses, a few us, for a hint before it sleeps. */
enum { LOOK_PAUSES = 64 };

static inline void pex__pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Under the lock, so that the notes of a part arrive in the order they were made. */
static void deliver_notes(struct pex__engine *engine)
{
    struct pex__part *part;
    int32_t notes;

    while ((part = pex__sched_take_note(&engine->sched, &notes)) != NULL)
        pex__ops_of(part->job)->note(part, notes);
}

/* Workers that look for work, or sleep and are not being woken. */
static int has_idlers(const struct pex__engine *engine)
{
    return engine->lookers > 0 || engine->sleepers > engine->waking;
}

/* Whoever changes the state calls this before it lets go of the lock; a thread that is woken does
 * the same, so one signal at a time is enough. */
static void wake_others(struct pex__engine *engine)
{
    struct pex__unit *unit;

    if (has_idlers(engine) && pex__sched_has_work(&engine->sched)) {
        if (engine->lookers > 0) {
            atomic_store_explicit(&engine->hint, 1, memory_order_relaxed);
        } else {
            engine->waking++;
            pthread_cond_signal(&engine->wake);
        }
    }
    if (engine->units != NULL && (unit = pex__sched_blocking_work(&engine->sched)) != NULL)
        pthread_cond_signal(&((struct pex__instance *)(void *)unit)->wake);
}

/* What a second worker could do of the job meanwhile, reading and what needs no lease, is so little
 * that waking it, and moving the rows into its cache, takes longer. */
static int is_tiny(const struct pex__sjob *job)
{
    int64_t ns = job->slice_ns;

    for (size_t i = 0; i < job->step_count; i++) {
        if (job->steps[i].pool == NULL)
            ns += job->steps[i].ns;
        else if (job->steps[i].ns >= PEX__QUICK_NS)
            return 0;
    }
    return ns > 0 && ns < TINY_NS;
}

/* A worker that serves a queue of short calls, with enough of them parked. */
static int is_ahead(const struct pex__step *step)
{
    const struct pex__sstep *rule = &step->part->job->steps[step->at];

    return step->kind == PEX__STEP_CALL && rule->ns < SHORT_CALL_NS &&
           step->pool->budget.waiting >= QUEUE_AHEAD;
}

/*
 * A wake-up costs as much as a short call. A worker that serves a queue of short calls lets reading
 * and writing wait for the next look: a wake-up for a dozen batches instead of one. When all the
 * rest is tiny it does that itself. A call that another thread could make never waits.
 */
static int may_wake_later(struct pex__engine *engine, const struct pex__step *step)
{
    int does_all;

    if (!has_idlers(engine) || step->part == NULL || engine->units != NULL)
        return 0;
    does_all = is_tiny(step->part->job);
    return (does_all || is_ahead(step)) && !pex__sched_has_call(&engine->sched, !does_all);
}

void pex__engine_lock(struct pex__engine *engine)
{
    pthread_mutex_lock(&engine->lock);
}

void pex__engine_unlock(struct pex__engine *engine)
{
    deliver_notes(engine);
    wake_others(engine);
    pthread_mutex_unlock(&engine->lock);
}

void pex__engine_more(struct pex__engine *engine, struct pex__part *part, uint64_t count,
                      int is_end)
{
    pex__engine_lock(engine);
    pex__sched_part_more(part, count, is_end);
    pex__engine_unlock(engine);
}

/* A worker that may read needs a ticket in hand. Without memory it goes on with what is there. */
static void take_spare(struct pex__worker *worker)
{
    struct pex__engine *engine = worker->engine;

    if (worker->agent.spare != NULL)
        return;
    if (engine->free == NULL) {
        pthread_mutex_unlock(&engine->lock);
        worker->agent.spare = pex__work_create(engine);
        pthread_mutex_lock(&engine->lock);
        return;
    }
    worker->agent.spare = engine->free;
    engine->free = engine->free->next;
    engine->free_count--;
}

/* Tickets that left are cleaned without the lock, then kept for reuse. */
static struct pex__ticket *take_freed(struct pex__engine *engine)
{
    struct pex__ticket *freed = engine->sched.freed;

    engine->sched.freed = NULL;
    return freed;
}

static struct pex__ticket *clean(struct pex__ticket *freed)
{
    for (struct pex__ticket *t = freed; t != NULL; t = t->next)
        pex__work_recycle(pex__work_of(t));
    return freed;
}

/*
 * As many as one window holds: a free work has its output buffer only, and fewer would be freed and
 * made anew whenever the writer falls behind. Free works are charged to nobody, so under a small
 * limit they are fewer: an eighth of it.
 */
static size_t most_free(const struct pex__sched *sched)
{
    size_t most = pex__window_size(sched->threads), least = 2 * (size_t)sched->threads;

    for (const struct pex__sjob *job = sched->jobs; job != NULL; job = job->next)
        if (job->account.limit / 8 / FREE_WORK_BYTES < most)
            most = (size_t)(job->account.limit / 8 / FREE_WORK_BYTES);
    return most > least ? most : least;
}

static void keep(struct pex__engine *engine, struct pex__ticket *cleaned)
{
    size_t most = most_free(&engine->sched);

    for (struct pex__ticket *t = cleaned, *next; t != NULL; t = next) {
        next = t->next;
        if (engine->free_count >= most) {
            pex__work_free(pex__work_of(t));
            continue;
        }
        t->next = engine->free;
        engine->free = t;
        engine->free_count++;
    }
}

struct outcome {
    int is_broken;
    int reports_itself;
    struct pex__unit *unit;
};

/* While its batch is being called in parts, or a call on it failed, it goes alone. */
static int is_alone(const struct pex__work *work)
{
    return work->window != 0 || work->failed_end != 0 || work->attempts != 0 ||
           work->instances != 0;
}

/* What the rules are told of a ticket whose step is done. */
static void note_state(const struct pex__engine_ops *ops, struct pex__work *list)
{
    const struct pex__sjob *job = list->ticket.part->job;

    for (struct pex__ticket *ticket = &list->ticket; ticket != NULL; ticket = ticket->next) {
        struct pex__work *work = pex__work_of(ticket);

        ticket->now = ops->cost(work);
        if (work->step == job->step_count || job->steps[work->step].join_rows == 0)
            continue;
        ticket->rows = work->batch != NULL ? pex__batch_rows(work->batch) - work->cursor : 0;
        ticket->is_alone = is_alone(work);
    }
}

static void carry_out(struct pex__engine *engine, struct pex__worker *worker,
                      struct pex__step *step, struct outcome *outcome)
{
    const struct pex__engine_ops *ops;
    struct pex__work *work;
    void *handle;

    memset(outcome, 0, sizeof *outcome);
    if (step->kind == PEX__STEP_TASK) {
        step->task->run(step->task);
        return;
    }
    if (step->kind == PEX__STEP_LOAD) {
        outcome->reports_itself = !pex__instance_load(engine, step, &outcome->unit);
        return;
    }
    work = pex__work_of(step->ticket);
    if (step->kind != PEX__STEP_WRITE)
        for (struct pex__ticket *ticket = step->ticket; ticket != NULL; ticket = ticket->next)
            pex__work_of(ticket)->step = ticket->step;
    ops = pex__ops_of(step->part->job);
    switch (step->kind) {
    case PEX__STEP_READ:
        step->ticket->end = ops->read(worker, work);
        break;
    case PEX__STEP_RUN:
        step->ticket->end = ops->run(worker, work);
        break;
    case PEX__STEP_CALL:
        handle = step->unit != NULL ? ((struct pex__instance *)(void *)step->unit)->handle : NULL;
        ops->call(worker, work, handle, &outcome->is_broken);
        break;
    default:
        ops->write(worker, step->part, work, step->through);
        return;
    }
    note_state(ops, work);
}

void pex__engine_loaded(struct pex__engine *engine, struct pex__step *step, struct pex__unit *unit)
{
    struct pex__sjob *job = step->job;

    pex__sched_done_load(&engine->sched, step, unit);
    if (step->pool->surplus > 0)
        pex__instances_shed(engine, step->pool);
    /* The parts may have come to their end without the instance, and the job waits for its thread.
     */
    if (job->busy == 0 && job->active == NULL && pex__ops_of(job)->idle != NULL)
        pex__ops_of(job)->idle(job);
}

/* Before the rules are told: they put the tickets into lists of their own. A timer that fires comes
 * to nothing before the lock is free. */
static void start_timers(struct pex__engine *engine, const struct pex__step *step)
{
    for (struct pex__ticket *ticket = step->ticket; ticket != NULL; ticket = ticket->next)
        if (ticket->end == PEX__END_LATER && !step->part->job->is_stopped)
            pex__loop_after(engine->loop, &pex__work_of(ticket)->timer,
                            pex__work_of(ticket)->delay_ns);
}

static void report(struct pex__engine *engine, struct pex__step *step,
                   const struct outcome *outcome)
{
    struct pex__sched *sched = &engine->sched;

    switch (step->kind) {
    case PEX__STEP_TASK:
        return;
    case PEX__STEP_LOAD:
        if (!outcome->reports_itself)
            pex__engine_loaded(engine, step, outcome->unit);
        return;
    case PEX__STEP_WRITE:
        pex__sched_done_write(sched, step);
        return;
    default:
        for (struct pex__ticket *ticket = step->ticket; ticket != NULL; ticket = ticket->next)
            ticket->step = pex__work_of(ticket)->step;
        start_timers(engine, step);
        if (outcome->is_broken)
            pex__sched_done_broken(sched, step);
        else
            pex__sched_done(sched, step);
        if (step->kind == PEX__STEP_CALL && step->pool->surplus > 0)
            pex__instances_shed(engine, step->pool);
    }
}

/* What remains after a step and is done without the lock: tickets to clean, a broken instance. */
struct rest {
    struct pex__ticket *trash;
    struct pex__instance *broken;
};

static int has_rest(const struct rest *rest)
{
    return rest->trash != NULL || rest->broken != NULL;
}

static void see_to_rest(struct rest *rest)
{
    clean(rest->trash);
    if (rest->broken != NULL)
        pex__instance_end(rest->broken);
    rest->broken = NULL;
}

static void take_rest(struct pex__engine *engine, struct rest *rest)
{
    keep(engine, rest->trash);
    rest->trash = take_freed(engine);
    deliver_notes(engine);
}

/* A moment without the lock, until somebody says that there is work: shorter than a sleep takes.
 * What the hint is about is looked up under the lock. */
static void look_away(struct pex__engine *engine)
{
    engine->lookers++;
    pthread_mutex_unlock(&engine->lock);
    for (int i = 0; i < LOOK_PAUSES; i++) {
        if (atomic_load_explicit(&engine->hint, memory_order_relaxed) != 0)
            break;
        pex__pause();
    }
    pthread_mutex_lock(&engine->lock);
    engine->lookers--;
    atomic_store_explicit(&engine->hint, 0, memory_order_relaxed);
}

static void sleep_worker(struct pex__engine *engine, struct pex__worker *worker)
{
    /* Nobody's input stays open when there is no job. */
    if (engine->sched.jobs == NULL)
        pex__reader_close(worker->reader);
    engine->sleepers++;
    pthread_cond_wait(&engine->wake, &engine->lock);
    engine->sleepers--;
    /* A wake-up out of nothing counts one too many: that costs a signal, and loses none. */
    if (engine->waking > 0)
        engine->waking--;
}

/* What a worker carries out between two visits to the lock: one step, or a handful of quick READs
 * or RUNs. Each is a step of its own to the rules. */
struct hand {
    struct pex__step steps[HAND_MOST];
    struct outcome outcomes[HAND_MOST];
    int count;
    int64_t ns; /* that it took, per ticket; for READ, RUN and CALL */
};

static int is_timed(const struct pex__step *step)
{
    return step->kind == PEX__STEP_READ || step->kind == PEX__STEP_RUN ||
           step->kind == PEX__STEP_CALL;
}

/* Where the time of such steps is kept. */
static int64_t *time_of(const struct pex__step *step)
{
    struct pex__sjob *job = step->part->job;

    return step->kind == PEX__STEP_READ ? &job->slice_ns : &job->steps[step->at].ns;
}

static void take_more(struct pex__worker *worker, struct hand *hand)
{
    struct pex__engine *engine = worker->engine;
    int most = (int)pex__sched_handful(&engine->sched);
    int is_read = hand->steps[0].kind == PEX__STEP_READ;

    most = most < HAND_MOST ? most : HAND_MOST;
    while (hand->count < most && (!is_read || engine->free != NULL)) {
        struct pex__step *step = &hand->steps[hand->count];

        if (is_read)
            take_spare(worker);
        pex__sched_next_alike(&engine->sched, &worker->agent, &hand->steps[0], step);
        if (step->kind == PEX__STEP_NONE)
            return;
        hand->count++;
    }
}

/* Returns what there is to do: 0 for nothing. */
static int take_hand(struct pex__worker *worker, struct hand *hand)
{
    const struct pex__step *first = &hand->steps[0];

    take_spare(worker);
    pex__sched_next(&worker->engine->sched, &worker->agent, &hand->steps[0]);
    hand->count = first->kind != PEX__STEP_NONE;
    if ((first->kind == PEX__STEP_READ || first->kind == PEX__STEP_RUN) &&
        pex__is_quick(*time_of(first)))
        take_more(worker, hand);
    return hand->count;
}

static void carry_out_hand(struct pex__worker *worker, struct hand *hand)
{
    int has_time = hand->count > 0 && is_timed(&hand->steps[0]);
    int64_t start = has_time ? pex__now_ns() : 0, tickets = hand->count;

    for (int i = 0; i < hand->count; i++)
        carry_out(worker->engine, worker, &hand->steps[i], &hand->outcomes[i]);
    if (!has_time)
        return;
    for (const struct pex__ticket *t = hand->steps[0].ticket->next; t != NULL; t = t->next)
        tickets++;
    hand->ns = (pex__now_ns() - start) / tickets + 1;
}

/* After the report: this call was the last of a broken instance. Under the lock. */
static int ends_unit(const struct pex__step *step, const struct outcome *outcome)
{
    if (step->kind != PEX__STEP_CALL || step->unit == NULL)
        return 0;
    if (step->pool->is_shared)
        return step->unit->is_gone && step->unit->calls == 0;
    return outcome->is_broken;
}

static void report_hand(struct pex__engine *engine, struct hand *hand, struct rest *rest)
{
    if (hand->count > 0 && is_timed(&hand->steps[0]))
        *time_of(&hand->steps[0]) = hand->ns;
    for (int i = 0; i < hand->count; i++) {
        report(engine, &hand->steps[i], &hand->outcomes[i]);
        if (ends_unit(&hand->steps[i], &hand->outcomes[i]))
            rest->broken = (struct pex__instance *)(void *)hand->steps[i].unit;
    }
}

static void *run_worker(void *argument)
{
    struct pex__worker *worker = argument;
    struct pex__engine *engine = worker->engine;
    struct rest rest = {.trash = NULL};
    struct hand hand;
    int looks = 0;

    pthread_mutex_lock(&engine->lock);
    for (;;) {
        take_rest(engine, &rest);
        if (!take_hand(worker, &hand) && !has_rest(&rest)) {
            if (engine->is_ending)
                break;
            if (engine->units != NULL)
                wake_others(engine);
            if (looks++ == 0)
                look_away(engine);
            else
                sleep_worker(engine, worker);
            continue;
        }
        looks = 0;
        if (!may_wake_later(engine, &hand.steps[0]))
            wake_others(engine);
        pthread_mutex_unlock(&engine->lock);
        see_to_rest(&rest);
        carry_out_hand(worker, &hand);
        pthread_mutex_lock(&engine->lock);
        report_hand(engine, &hand, &rest);
    }
    pthread_mutex_unlock(&engine->lock);
    pex__instances_leave(worker);
    return NULL;
}

void *pex__unit_run(void *argument)
{
    struct pex__instance *instance = argument;
    struct pex__engine *engine = instance->of->engine;
    struct rest rest = {.trash = NULL};
    struct outcome outcome;
    struct pex__step step;

    pthread_mutex_lock(&engine->lock);
    while (!instance->is_ending && !instance->is_broken) {
        take_rest(engine, &rest);
        pex__sched_next(&engine->sched, &instance->agent, &step);
        wake_others(engine);
        if (step.kind == PEX__STEP_NONE && !has_rest(&rest)) {
            pthread_cond_wait(&instance->wake, &engine->lock);
            continue;
        }
        pthread_mutex_unlock(&engine->lock);
        see_to_rest(&rest);
        if (step.kind != PEX__STEP_NONE)
            carry_out(engine, NULL, &step, &outcome);
        pthread_mutex_lock(&engine->lock);
        if (step.kind == PEX__STEP_NONE)
            continue;
        report(engine, &step, &outcome);
        /* Or it has to go, and was told so. */
        instance->is_broken |= outcome.is_broken;
    }
    take_rest(engine, &rest);
    pex__engine_unlock(engine);
    see_to_rest(&rest);
    pthread_mutex_lock(&engine->lock);
    keep(engine, rest.trash);
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

int pex__engine_is_current(struct pex__engine *engine)
{
    pthread_t self = pthread_self();
    int found = 0;

    for (int32_t i = 0; i < engine->worker_count && !found; i++)
        found = pthread_equal(engine->workers[i].thread, self);
    if (!found)
        found = pex__instances_has_thread(engine, self);
    return found;
}

void pex__engine_log(const struct pex__engine *engine, int32_t level, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (engine->log == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    engine->log(engine->log_user, level, text);
}

static void end_workers(struct pex__engine *engine, int32_t count)
{
    pthread_mutex_lock(&engine->lock);
    engine->is_ending = 1;
    pthread_cond_broadcast(&engine->wake);
    pthread_mutex_unlock(&engine->lock);
    for (int32_t i = 0; i < count; i++)
        pthread_join(engine->workers[i].thread, NULL);
}

static void free_worker(struct pex__worker *worker)
{
    pex__reader_free(worker->reader);
    for (int i = 0; i <= PEX__ISA_COUNT; i++)
        pex__scan_free(worker->scans[i]);
    pex__batch_free(worker->batch);
    if (worker->agent.spare != NULL)
        pex__work_free(pex__work_of(worker->agent.spare));
}

static void free_engine(struct pex__engine *engine)
{
    for (int32_t i = 0; engine->workers != NULL && i < engine->worker_count; i++)
        free_worker(&engine->workers[i]);
    pex__free(engine->workers);
    for (struct pex__ticket *t = engine->free, *next; t != NULL; t = next) {
        next = t->next;
        pex__work_free(pex__work_of(t));
    }
    pex__instances_free(engine);
    pthread_cond_destroy(&engine->wake);
    pthread_mutex_destroy(&engine->lock);
    pex__free(engine);
}

void pex__engine_free(struct pex__engine *engine)
{
    if (engine == NULL)
        return;
    pex__instances_end(engine);
    end_workers(engine, engine->worker_count);
    free_engine(engine);
}

/* Held for some hundred ns: a short spin is cheaper than a sleep in the kernel. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t adaptive;

    pthread_mutexattr_init(&adaptive);
    pthread_mutexattr_settype(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &adaptive);
    pthread_mutexattr_destroy(&adaptive);
}

int32_t pex__engine_create(struct pex__engine **result, int32_t workers, uint64_t memory_limit,
                           int32_t load_limit, const struct pex__heap *heap, struct pex__loop *loop,
                           struct pex_error *err)
{
    struct pex__engine *engine = pex__calloc(1, sizeof *engine);

    if (engine == NULL)
        return pex__error_memory(err);
    init_lock(&engine->lock);
    pthread_cond_init(&engine->wake, NULL);
    pex__sched_init(&engine->sched, memory_limit, (uint32_t)workers, load_limit);
    engine->heap = heap;
    engine->loop = loop;
    engine->workers = pex__calloc((size_t)workers, sizeof *engine->workers);
    if (engine->workers == NULL)
        goto fail;
    engine->worker_count = workers;
    for (int32_t i = 0; i < workers; i++) {
        engine->workers[i].engine = engine;
        engine->workers[i].index = i;
        engine->workers[i].agent.id = i + 1;
        if (pex__reader_create(&engine->workers[i].reader) != 0)
            goto fail;
        pex__reader_use(engine->workers[i].reader, heap);
        /* With one from the start some ticket always comes back, and reading goes on without
         * memory. */
        engine->workers[i].agent.spare = pex__work_create(engine);
        if (engine->workers[i].agent.spare == NULL)
            goto fail;
    }
    for (int32_t i = 0; i < workers; i++) {
        if (pex__thread_start(&engine->workers[i].thread, "pex-worker", run_worker,
                              &engine->workers[i]) != 0) {
            end_workers(engine, i);
            goto fail;
        }
    }
    *result = engine;
    return 0;

fail:
    free_engine(engine);
    return pex_error_set(err, PEX_ENOMEM, "no memory or no threads for %d workers", (int)workers);
}
