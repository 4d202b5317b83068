/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/run.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/quarantine.h"

#include <string.h>

/* Memory that a batch keeps for the next slice, in slices: what a mapper on every row needs. */
enum { KEEP_SLICES = 8 };

static struct pex__run *run_of(const struct pex__work *work)
{
    return (struct pex__run *)(void *)work->ticket.part->job;
}

/* Fails the run for a cause in one part. */
static int32_t fail_part(struct pex__run *run, const struct pex__part *part, struct pex_error *err)
{
    pex__error_prefix(err, err->code, "partition %d", (int)part->index);
    pex__run_fail(run, err);
    return PEX__END_GONE;
}

struct pex__scan *pex__run_scan(struct pex__worker *worker, const struct pex__run *run)
{
    struct pex__scan **slot = &worker->scans[run->plan->debug_isa - PEX__ISA_BEST];

    if (*slot == NULL && pex__scan_create(run->plan->debug_isa, slot) != 0)
        return NULL;
    return *slot;
}

/* Behind a convergence point the batch has rows as the stage before left them: a record holds the
 * source row, which is read again. */
static int32_t add_rejects(struct pex__run *run, struct pex__worker *worker, struct pex__work *work,
                           struct pex_error *err)
{
    struct pex__reader *own = NULL, *reader = NULL;
    size_t count;
    int32_t failed;

    pex__batch_rejects(work->batch, &count);
    if (count == 0)
        return 0;
    if (run->stage_index > 0 && worker == NULL && pex__reader_create(&own) != 0)
        return pex__error_memory(err);
    if (own != NULL)
        pex__reader_use(own, work->engine->heap);
    if (run->stage_index > 0)
        reader = worker != NULL ? worker->reader : own;
    failed = pex__quarantine_records(work->batch, run->plan->input, reader, run->operator_names,
                                     run->plan->on_error == PEX__ON_ERROR_QUARANTINE,
                                     &work->rejects, err);
    pex__reader_free(own);
    return failed;
}

static int32_t encode_for_stage(struct pex__work *work)
{
    size_t rows = pex__batch_rows(work->batch);
    struct pex__buffer lines = {.heap = work->engine->heap};
    struct pex_row_id *ids = pex__heap_malloc(work->engine->heap, rows * sizeof *ids);
    int32_t failed = ids == NULL ? PEX_ENOMEM : 0;

    if (failed == 0)
        failed = pex__batch_encode(work->batch, 1, &lines, ids);
    if (failed == 0)
        failed = pex__block_encode(lines.data, lines.length, ids, rows, &work->out);
    pex__free(ids);
    pex__buffer_free(&lines);
    return failed;
}

static int32_t add_keys(struct pex__work *work)
{
    struct pex_string_view keys = pex__batch_keys(work->batch, &work->key_count);

    return pex__buffer_add(&work->keys, keys.data, keys.length);
}

static int32_t encode(const struct pex__run *run, struct pex__work *work)
{
    int32_t failed;

    work->out_rows = pex__batch_rows(work->batch);
    if (!run->is_last) {
        failed = encode_for_stage(work);
        return failed != 0 ? failed : add_keys(work);
    }
    failed = pex__batch_encode(work->batch, run->plan->keep_stats, &work->out, NULL);
    if (failed == 0 && run->plan->export.has_stats)
        failed = pex__batch_encode_stats(work->batch, &work->stats);
    return failed;
}

/* The batch gives its bytes up for the encoded rows; the worker keeps it for the next slice. */
static int32_t seal(struct pex__run *run, struct pex__worker *worker, struct pex__work *work,
                    struct pex_error *err)
{
    int32_t failed = 0;

    if (pex__run_count_errors(run, work) != 0)
        return pex__error_memory(err);
    if (work->failure == NULL)
        failed = add_rejects(run, worker, work, err);
    if (failed != 0)
        return failed;
    if (work->failure == NULL && encode(run, work) != 0)
        return pex__error_memory(err);
    pex__batch_reset(work->batch, KEEP_SLICES * run->plan->slice_bytes);
    if (worker != NULL && worker->batch == NULL)
        worker->batch = work->batch;
    else
        pex__batch_free(work->batch);
    work->batch = NULL;
    return 0;
}

/* Behind the last step the rows are encoded by whoever made that step. */
static int32_t seal_at_end(struct pex__run *run, struct pex__worker *worker, struct pex__work *work)
{
    struct pex_error err;

    if (work->step < run->job.sjob.step_count || seal(run, worker, work, &err) == 0)
        return PEX__END_NEXT;
    return fail_part(run, work->ticket.part, &err);
}

static int32_t apply_without_code(struct pex__run *run, struct pex__work *work,
                                  struct pex_error *err)
{
    struct pex__tally *tally = pex__work_tally(work, run->steps[work->step].plan->op);
    struct pex__call_result result;

    if (pex__batch_rows(work->batch) == 0) /* no counts were set either */
        return 0;
    if (pex__batch_apply_counts(work->batch, &result) != 0)
        return pex__error_memory(err);
    tally->out += result.out;
    tally->added += result.added;
    tally->dropped += result.dropped;
    return 0;
}

/* Debug mode: the rows as they would be read back from a file at this boundary. */
static int32_t next_step(struct pex__run *run, struct pex__worker *worker, struct pex__work *work,
                         struct pex_error *err)
{
    struct pex__scan *scan;

    work->step++;
    if (run->plan->debug_encode && worker != NULL) {
        scan = pex__run_scan(worker, run);
        if (scan == NULL)
            return pex__error_memory(err);
        if (pex__batch_reencode(work->batch, scan, err) != 0)
            return err->code;
    }
    pex__run_begin_step(work);
    return 0;
}

/* One unbudgeted step with all its calls. */
static int32_t run_step(struct pex__run *run, struct pex__worker *worker, struct pex__work *work,
                        struct pex_error *err)
{
    struct pex__run_step *step = &run->steps[work->step];
    int32_t end = PEX__END_NEXT;
    struct pex__handle *instance;
    int is_broken;

    if (step->instances == NULL)
        return apply_without_code(run, work, err) == 0 ? PEX__END_NEXT : err->code;
    do {
        is_broken = 0;
        if (pex__run_is_cancelled(run))
            return PEX__END_GONE;
        if (pex__instance_take(worker, step->instances, &step->env, step->op->params, &instance,
                               &work->delay_ns, err) != 0)
            return work->delay_ns != 0 ? PEX__END_LATER : err->code;
        end = pex__run_call(run, work, instance, &is_broken);
        pex__instance_give(worker, step->instances, instance, is_broken);
    } while (end == PEX__END_AGAIN);
    return end;
}

/* As far as the work goes without a lease. */
static int32_t run_steps(struct pex__worker *worker, struct pex__work *work)
{
    struct pex__run *run = run_of(work);
    struct pex__sjob *job = &run->job.sjob;
    struct pex_error err;
    int32_t end;

    while (work->step < job->step_count && job->steps[work->step].pool == NULL) {
        end = run_step(run, worker, work, &err);
        if (end == PEX__END_NEXT && next_step(run, worker, work, &err) != 0)
            end = err.code;
        if (end < 0)
            return fail_part(run, work->ticket.part, &err);
        if (end != PEX__END_NEXT)
            return end;
    }
    return seal_at_end(run, worker, work);
}

static int32_t take_batch(struct pex__worker *worker, struct pex__work *work)
{
    if (work->batch == NULL) {
        work->batch = worker->batch;
        worker->batch = NULL;
    }
    return work->batch != NULL ? 0 : pex__batch_create(work->engine->heap, &work->batch);
}

static int32_t take_tallies(const struct pex__run *run, struct pex__work *work)
{
    size_t old = work->tally_capacity;

    if (pex__grow(&work->tallies, &work->tally_capacity, run->plan->op_count,
                  sizeof *work->tallies) != 0)
        return PEX_ENOMEM;
    if (work->tally_capacity > old)
        memset(work->tallies + old, 0, (work->tally_capacity - old) * sizeof *work->tallies);
    return 0;
}

static int32_t set_counts(struct pex__run *run, struct pex__work *work, struct pex_error *err)
{
    size_t rows = pex__batch_rows(work->batch);
    uint32_t *counts;
    int32_t failed;

    if (run->stage->step_count == 0 || run->stage->steps[0].phase != PEX__PHASE_APPLY || rows == 0)
        return 0;
    counts = pex__heap_malloc(work->engine->heap, rows * sizeof *counts);
    failed = counts == NULL ? PEX_ENOMEM : 0;
    if (failed == 0)
        failed = run->hooks->counts(run, work->ticket.part,
                                    pex__batch_slice(work->batch)->first_row, rows, counts);
    if (failed == 0)
        failed = pex__batch_set_counts(work->batch, counts, run->told);
    pex__free(counts);
    return failed != 0 ? pex__error_memory(err) : 0;
}

/* Bad lines of the input; `fail` ends the job with the first of them. */
static int32_t see_bad_rows(struct pex__run *run, struct pex__work *work)
{
    const struct pex__reject *rejects;
    size_t count;

    rejects = pex__batch_rejects(work->batch, &count);
    work->rows = pex__batch_rows(work->batch);
    work->bad = count;
    work->blank = pex__batch_blank(work->batch);
    work->lines = pex__batch_lines(work->batch);
    work->input_bytes = pex__batch_slice(work->batch)->input_bytes;
    if (count == 0 || run->plan->on_error != PEX__ON_ERROR_FAIL)
        return 0;
    return pex__run_fail_row(run, work, rejects, 1);
}

static int32_t fill(struct pex__run *run, struct pex__worker *worker, struct pex__work *work,
                    struct pex_error *err)
{
    struct pex__scan *scan = pex__run_scan(worker, run);
    struct pex__ticket *ticket = &work->ticket;
    int32_t failed;

    if (scan == NULL || take_batch(worker, work) != 0 || take_tallies(run, work) != 0)
        return pex__error_memory(err);
    failed = run->hooks->read(run, ticket->part, worker->reader, ticket->seq,
                              pex__batch_slice(work->batch), err);
    if (failed == 0)
        failed = pex__batch_scan(work->batch, run->stage->layout, scan, err);
    if (failed == 0 && see_bad_rows(run, work) != 0)
        failed = pex__error_memory(err);
    if (failed == 0)
        failed = set_counts(run, work, err);
    return failed;
}

static int32_t op_read(struct pex__worker *worker, struct pex__work *work)
{
    struct pex__run *run = run_of(work);
    struct pex_error err;

    /* A worker that took several may have spent long with the one before. */
    if (pex__run_is_cancelled(run))
        return PEX__END_GONE;
    if (fill(run, worker, work, &err) != 0)
        return fail_part(run, work->ticket.part, &err);
    atomic_fetch_add_explicit(run->rows_read, run->stage_index == 0 ? work->rows : 0,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(run->bytes_read, run->stage_index == 0 ? work->input_bytes : 0,
                              memory_order_relaxed);
    pex__run_begin_step(work);
    return run_steps(worker, work);
}

static int32_t go_on(struct pex__worker *worker, struct pex__work *work)
{
    struct pex__run *run = run_of(work);
    struct pex_error err;

    if (next_step(run, worker, work, &err) != 0)
        return fail_part(run, work->ticket.part, &err);
    return seal_at_end(run, worker, work);
}

/* One after the other; what comes behind a broken instance is called another time. */
static void call_each(struct pex__run *run, struct pex__work *list,
                      const struct pex__handle *instance, int *is_broken)
{
    for (struct pex__ticket *ticket = &list->ticket; ticket != NULL; ticket = ticket->next) {
        if (*is_broken)
            ticket->end = PEX__END_AGAIN;
        else
            ticket->end = pex__run_call(run, pex__work_of(ticket), instance, is_broken);
    }
}

static void op_call(struct pex__worker *worker, struct pex__work *list, void *instance,
                    int *is_broken)
{
    struct pex__run *run = run_of(list);

    if (list->ticket.next != NULL && run->job.sjob.steps[list->step].join_rows > 0)
        pex__run_call_joined(run, list, instance, is_broken);
    else
        call_each(run, list, instance, is_broken);
    for (struct pex__ticket *ticket = &list->ticket; ticket != NULL; ticket = ticket->next)
        if (ticket->end == PEX__END_NEXT)
            ticket->end = go_on(worker, pex__work_of(ticket));
}

static void op_write(struct pex__worker *worker, struct pex__part *part, struct pex__work *list,
                     int through)
{
    struct pex__run *run = (struct pex__run *)(void *)part->job;
    struct pex_error err;

    (void)worker;
    if (pex__run_is_cancelled(run))
        return;
    if (run->hooks->write(run, part, list, through, &err) != 0)
        pex__run_fail(run, &err);
}

static uint64_t op_cost(const struct pex__work *work)
{
    return (work->batch != NULL ? pex__batch_bytes(work->batch) : 0) + work->out.capacity +
           work->stats.capacity + work->rejects.capacity + work->keys.capacity;
}

static int32_t op_load(struct pex__sjob *job, uint32_t at, void **handle, struct pex_error *err)
{
    struct pex__run *run = (struct pex__run *)(void *)job;
    struct pex__run_step *step = &run->steps[at];
    struct pex__handle *made;
    int32_t failed;

    if (pex__run_is_cancelled(run))
        return pex_error_set(err, PEX_ECANCELLED, "cancelled");
    atomic_fetch_add_explicit(&step->running, 1, memory_order_relaxed);
    failed = pex__instance_create(step->instances, &step->env, step->op->params, &made, err);
    atomic_fetch_sub_explicit(&step->running, 1, memory_order_relaxed);
    if (failed == 0)
        *handle = made;
    return failed;
}

/* Goes on with the instances that are there, or being made by others; without any the job fails. */
static void op_load_failed(struct pex__sjob *job, uint32_t at, const struct pex_error *why)
{
    struct pex__run *run = (struct pex__run *)(void *)job;
    struct pex__pool *pool = &run->steps[at].instances->pool;
    int32_t left;

    if (pex__run_is_cancelled(run))
        return;
    pthread_mutex_lock(&run->engine->lock);
    left = pool->loaded + pool->loading - 1;
    if (left > 0)
        pex__budget_lower(&pool->budget, left);
    pthread_mutex_unlock(&run->engine->lock);
    if (left <= 0)
        pex__run_fail(run, why);
    else
        pex__engine_log(run->engine, PEX_LOG_WARNING, "%s; going on with %d instance%s",
                        why->message, (int)left, left > 1 ? "s" : "");
}

static void op_note(struct pex__part *part, int32_t notes)
{
    ((struct pex__run *)(void *)part->job)->hooks->note(part, notes);
}

static void op_idle(struct pex__sjob *job)
{
    struct pex__run *run = (struct pex__run *)(void *)job;

    run->hooks->idle(run);
}

const struct pex__engine_ops pex__run_ops = {
    .read = op_read,
    .run = run_steps,
    .call = op_call,
    .write = op_write,
    .cost = op_cost,
    .load = op_load,
    .load_failed = op_load_failed,
    .note = op_note,
    .idle = op_idle,
};

static int has_code(const struct pex__plan_step *step, const struct pex_operator *op)
{
    return step->phase != PEX__PHASE_APPLY || op->apply != NULL;
}

/* The first operator of the chain with the same budget. */
static const struct pex__plan_op *first_alike(const struct pex__plan *plan,
                                              const struct pex__plan_op *op)
{
    const struct pex__plan_op *first = plan->ops;

    while (strcmp(first->budget_key, op->budget_key) != 0)
        first++;
    return first;
}

/* An instance under a budget serves whoever has the key: it is told what suits all of them. */
static void set_env(const struct pex__run *run, struct pex__run_step *step)
{
    int is_common = step->op->num_proc > 0;

    step->env.user = step->op->operator->user;
    step->env.seed = is_common ? first_alike(run->plan, step->op)->seed : step->op->seed;
    step->env.stats_wanted = is_common || step->op->stats_wanted;
    step->env.device = -1;
    step->env.engine = run->engine;
}

/* What a call on several batches failed on is called again, batch by batch: only an operator that
 * allows it gets such calls. */
static uint64_t join_rows(const struct pex__plan_op *op)
{
    int32_t flags = op->operator->op.flags;

    if ((flags & PEX_OP_RETRY_SAFE) == 0 || (flags & PEX_OP_BATCH_SENSITIVE) != 0)
        return 0;
    return (uint64_t)op->batch_size;
}

static int32_t open_step(struct pex__run *run, size_t i)
{
    struct pex__run_step *step = &run->steps[i];
    struct pex__sstep *rule = &run->job.sjob.steps[i];
    int32_t units;

    step->plan = &run->stage->steps[i];
    step->op = &run->plan->ops[step->plan->op];
    if (!has_code(step->plan, &step->op->operator->op))
        return 0;
    set_env(run, step);
    step->instances = pex__instances_get(&step->env, step->op->budget_key, &step->op->operator->op);
    if (step->instances == NULL)
        return PEX_ENOMEM;
    step->created_before = atomic_load(&step->instances->created);
    step->destroyed_before = atomic_load(&step->instances->destroyed);
    units = run->units[step->plan->op];
    if (units > 0) {
        rule->pool = &step->instances->pool;
        rule->demand.num_proc = units;
        rule->demand.policy = run->plan->scope_policy;
        rule->join_rows = join_rows(step->op);
    }
    return 0;
}

void pex__run_close(struct pex__run *run)
{
    for (size_t i = 0; run->steps != NULL && i < run->stage->step_count; i++)
        if (run->steps[i].instances != NULL)
            pex__instances_put(run->steps[i].instances);
    pex__free(run->steps);
    pex__free(run->job.sjob.steps);
    run->steps = NULL;
    run->job.sjob.steps = NULL;
}

int32_t pex__run_open(struct pex__run *run, size_t stage, uint64_t age, struct pex_error *err)
{
    struct pex__sjob *job = &run->job.sjob;
    int32_t failed = 0;

    /* The host of a pull job may look at the rules. */
    pthread_mutex_lock(&run->engine->lock);
    memset(job, 0, sizeof *job);
    job->is_paused = run->is_paused;
    pthread_mutex_unlock(&run->engine->lock);
    run->job.ops = &pex__run_ops;
    run->stage = &run->plan->stages[stage];
    run->stage_index = (int32_t)stage;
    run->is_last = stage + 1 == run->plan->stage_count;
    job->age = age;
    job->weight = run->plan->weight;
    job->growth = 3;
    job->step_count = run->stage->step_count;
    job->steps = pex__calloc(job->step_count, sizeof *job->steps);
    run->steps = pex__calloc(job->step_count, sizeof *run->steps);
    if (job->steps == NULL || run->steps == NULL)
        failed = PEX_ENOMEM;
    for (size_t i = 0; i < job->step_count && failed == 0; i++)
        failed = open_step(run, i);
    if (failed == 0) {
        pex__account_init(&job->account, run->plan->memory_limit, pex__run_set_aside(run));
        return 0;
    }
    pex__run_close(run);
    return pex__error_memory(err);
}
