/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine of a job. Everything here but submit and the small calls of the host runs on
 * the loop thread: it opens partitions and stages, hears what became of them, and ends the job.
 */
#include "job/job.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "store/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOB_OF(message, member)                                                                    \
    ((struct pex_job *)(void *)((char *)(message)-offsetof(struct pex_job, member)))

/* When the grace is over and what the job waits for is no call. */
#define GRACE_AGAIN_NS INT64_C(100000000)

static void admit(struct pex_job *job);
static void point_to_copy(struct pex_job *job);
static void proceed(struct pex_job *job);

static struct pex__sjob *rules(struct pex_job *job)
{
    return &job->run.job.sjob;
}

static void fail_job(struct pex_job *job, int32_t code, const char *text)
{
    struct pex_error err;

    pex_error_set(&err, code, "%s", text);
    pex__run_fail(&job->run, &err);
}

/* Whoever asks for a running operator looks at the steps under this lock. */
static int32_t open_run(struct pex_job *job, size_t stage)
{
    struct pex_error err;
    int32_t failed;

    pthread_mutex_lock(&job->core->lock);
    failed = pex__run_open(&job->run, stage, job->age, &err);
    pex__engine_lock(job->core->engine);
    pex__sched_hold(rules(job), job->is_held);
    pex__engine_unlock(job->core->engine);
    pthread_mutex_unlock(&job->core->lock);
    return failed;
}

static void close_run(struct pex_job *job)
{
    pthread_mutex_lock(&job->core->lock);
    pex__run_close(&job->run);
    pthread_mutex_unlock(&job->core->lock);
}

static int32_t sink_of(const struct pex_job *job)
{
    if (job->outputs != NULL)
        return PEX__SINK_OWN;
    if (job->is_pull)
        return PEX__SINK_PULL;
    return job->plan->export.kind == PEX__EXPORT_FOLDER ? PEX__SINK_OWN : PEX__SINK_EXPORT;
}

static int32_t open_stage(struct pex_job *job, size_t stage)
{
    struct pex__engine *engine = job->core->engine;
    size_t count = job->plan->partition_count;
    struct pex__part **parts;

    pex__stage_files_free(job->inputs, count);
    job->inputs = job->outputs;
    job->outputs = NULL;
    if (stage + 1 < job->plan->stage_count) {
        job->outputs = pex__calloc(count, sizeof *job->outputs);
        if (job->outputs == NULL)
            return PEX_ENOMEM;
    }
    if (stage == 1 && job->has_feed)
        point_to_copy(job);
    job->next_partition = job->out_count = job->active_count = 0;
    pex__verdict_open(job);
    if (open_run(job, stage) != 0)
        return PEX_ENOMEM;
    parts = pex__calloc(count, sizeof *parts);
    if (parts == NULL) {
        close_run(job);
        return PEX_ENOMEM;
    }
    job->stage_is_open = 1;
    atomic_store_explicit(&job->stage_shown, (int32_t)stage, memory_order_relaxed);
    pex__engine_lock(engine);
    rules(job)->parts = parts;
    rules(job)->part_count = (int32_t)count;
    rules(job)->sink = sink_of(job);
    /* Where the host set no limit for all jobs, a job's own may be above the default. */
    if (!job->core->has_memory_limit && job->plan->memory_limit > engine->sched.account.limit)
        pex__account_raise(&engine->sched.account, job->plan->memory_limit);
    pex__sched_job_enter(&engine->sched, rules(job));
    pex__engine_unlock(engine);
    admit(job);
    return 0;
}

static void close_stage(struct pex_job *job)
{
    struct pex__engine *engine = job->core->engine;
    struct pex__part **parts = rules(job)->parts;

    pex__engine_lock(engine);
    pex__sched_job_leave(rules(job));
    rules(job)->parts = NULL;
    if (engine->sched.jobs == NULL)
        pthread_cond_broadcast(&engine->wake);
    pex__engine_unlock(engine);
    pex__free(parts);
    close_run(job);
    job->stage_is_open = 0;
}

static void on_notes(struct pex__message *message);
static void append_file(struct pex__store_task *task);

static int open_partition(struct pex_job *job, struct pex__partition *partition)
{
    struct pex__engine *engine = job->core->engine;
    int is_open;

    pex__engine_lock(engine);
    is_open = pex__sched_part_open(&partition->part);
    pex__engine_unlock(engine);
    return is_open;
}

static void show_active(struct pex_job *job)
{
    if (job->active_count > job->active_max)
        job->active_max = job->active_count;
    atomic_store_explicit(&job->active_shown, (int32_t)job->active_count, memory_order_relaxed);
}

/* A source of the host's is one partition. */
static void start_feeder(struct pex_job *job, struct pex__partition *partition)
{
    struct pex_error err;

    if (pex__feeder_start(job, &partition->part, &err) != 0)
        pex__run_fail(&job->run, &err);
}

/* Behind the first stage the source's rows are read again from their copy, for records. */
static void point_to_copy(struct pex_job *job)
{
    struct pex__source *source = job->input->sources;

    source->size = atomic_load_explicit(&job->bytes_total, memory_order_relaxed);
    source->copy = &job->feeder->spool_fd;
}

/* Opens partitions up to the limit; one that finds no room waits until another is drained. */
static void admit(struct pex_job *job)
{
    size_t most = (size_t)job->plan->max_concurrent;

    while (job->stage_is_open && !job->is_stopping && job->active_count < most &&
           !pex__verdict_is_over(job, job->next_partition)) {
        struct pex__partition *partition = pex__partition_create(job, job->next_partition);

        if (partition == NULL) {
            fail_job(job, PEX_ENOMEM, "out of memory for a partition");
            return;
        }
        partition->message.run = on_notes;
        partition->task.run = append_file;
        job->partitions[job->next_partition] = partition;
        job->active_count++;
        if (!open_partition(job, partition)) {
            job->partitions[job->next_partition] = NULL;
            job->active_count--;
            pex__partition_free(partition);
            return;
        }
        job->next_partition++;
        show_active(job);
        if (job->has_feed && job->run.stage_index == 0)
            start_feeder(job, partition);
    }
}

/* The first live job, or the next younger. Jobs leave the list on this thread only. */
static struct pex_job *next_job(struct pex__core *core, const struct pex_job *job)
{
    struct pex_job *next;

    pthread_mutex_lock(&core->lock);
    next = job != NULL ? job->next : core->jobs;
    pthread_mutex_unlock(&core->lock);
    return next;
}

/* Room that one job gives up may be what another waits for. */
static void admit_all(struct pex__core *core)
{
    struct pex_job *job = NULL;

    while ((job = next_job(core, job)) != NULL)
        admit(job);
}

static void on_appended(struct pex__message *message)
{
    struct pex__partition *partition =
        (struct pex__partition *)(void *)((char *)message -
                                          offsetof(struct pex__partition, appended));
    struct pex_job *job = partition->job;
    struct pex__engine *engine = job->core->engine;

    job->pending_appends--;
    pex__engine_lock(engine);
    pex__sched_appended(&partition->part);
    pex__engine_unlock(engine);
    proceed(job);
}

static void append_file(struct pex__store_task *task)
{
    struct pex__partition *partition =
        (struct pex__partition *)(void *)((char *)task - offsetof(struct pex__partition, task));
    struct pex_job *job = partition->job;
    struct pex_error err;

    if (!pex__run_is_cancelled(&job->run) && pex__partition_append(partition, &err) != 0)
        pex__run_fail(&job->run, &err);
    partition->appended.run = on_appended;
    pex__loop_post(job->core->loop, &partition->appended);
}

static void add_counts(struct pex_job *job, const struct pex__partition *partition)
{
    for (size_t i = 0; i < job->plan->op_count; i++)
        pex__tally_add(&job->tallies[i], &partition->tallies[i]);
    if (job->run.stage_index == 0) {
        job->lines += partition->lines;
        job->rows += partition->rows;
        job->blank += partition->blank;
        job->bad += partition->bad;
    }
    if (job->run.is_last) {
        job->rows_out += partition->rows_out;
        job->bytes_out += partition->bytes_out;
    }
}

static void keep_rejects(struct pex_job *job, struct pex__partition *partition)
{
    size_t before = (size_t)job->run.stage_index * job->plan->partition_count;

    job->reject_bytes[before + (size_t)partition->part.index] = partition->rejects_file.bytes;
}

static void post_partition(struct pex_job *job, int32_t stage, size_t index, int32_t state)
{
    static const char *const names[] = {"",       "committed", "empty",  "reused",
                                        "failed", "cancelled", "skipped"};

    pex__core_post_event(job->core, job, PEX_EVENT_PARTITION, state, stage, (int32_t)index,
                         names[state]);
}

/* Its rows are where they belong. */
static void out_partition(struct pex_job *job, struct pex__partition *partition)
{
    int32_t state = partition->lines == 0 && partition->input == NULL ? PEX_PARTITION_EMPTY
                                                                      : PEX_PARTITION_COMMITTED;

    add_counts(job, partition);
    keep_rejects(job, partition);
    if (job->run.is_last && job->export != NULL)
        pex__export_part_done(job->export, (size_t)partition->part.index,
                              partition->stats_file.bytes);
    job->out_count++;
    if (job->run.is_last) {
        job->committed += state == PEX_PARTITION_COMMITTED;
        job->empty += state == PEX_PARTITION_EMPTY;
    }
    post_partition(job, job->run.stage_index, (size_t)partition->part.index, state);
    job->partitions[partition->part.index] = NULL;
    pex__partition_free(partition);
}

void pex__job_wake_host(struct pex_job *job)
{
    pthread_mutex_lock(&job->lock);
    job->pull_ready = 1;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
}

static void on_drained(struct pex_job *job, const struct pex__partition *partition)
{
    struct pex_error err;

    job->active_count--;
    show_active(job);
    if (!pex__run_is_cancelled(&job->run) &&
        pex__verdict_drained(job, (size_t)partition->part.index, &err) != 0)
        pex__run_fail(&job->run, &err);
}

static void on_notes(struct pex__message *message)
{
    struct pex__partition *partition =
        (struct pex__partition *)(void *)((char *)message -
                                          offsetof(struct pex__partition, message));
    struct pex_job *job = partition->job;
    int32_t notes = atomic_exchange_explicit(&partition->notes, 0, memory_order_acq_rel);

    if ((notes & PEX__NOTE_DRAINED) != 0)
        on_drained(job, partition);
    /* The note may come when the job has ended without those rows, and its stage is closed. */
    if ((notes & PEX__NOTE_APPEND) != 0 && !job->is_stopping) {
        job->pending_appends++;
        pex__store_do(job->core->store, &partition->task);
    }
    /* A run that is cancelled leaves rows out, also before the loop hears of it. */
    if ((notes & PEX__NOTE_OUT) != 0 && !job->is_stopping && !pex__run_is_cancelled(&job->run))
        out_partition(job, partition);
    if ((notes & PEX__NOTE_DRAINED) != 0)
        admit_all(job->core);
    proceed(job);
}

static void measure_uses(struct pex_job *job)
{
    struct pex__engine *engine = job->core->engine;

    for (size_t i = 0; i < job->run.stage->step_count; i++) {
        struct pex__run_step *step = &job->run.steps[i];
        struct pex__op_use *use;

        if (step->instances == NULL)
            continue;
        use = &job->uses[step->plan->op];
        use->created += atomic_load(&step->instances->created) - step->created_before;
        use->destroyed += atomic_load(&step->instances->destroyed) - step->destroyed_before;
        pthread_mutex_lock(&engine->lock);
        if (job->run.job.sjob.steps[i].demand.out_max > use->lease_max)
            use->lease_max = job->run.job.sjob.steps[i].demand.out_max;
        pthread_mutex_unlock(&engine->lock);
    }
}

/* Here, not where it ran: the end of a job that is abandoned may be written meanwhile. */
static void count_resolve(struct pex_job *job)
{
    struct pex__tally *tally;

    if (job->resolve_ns < 0 || job->is_ending)
        return;
    tally = &job->tallies[job->run.steps[job->run.stage->step_count - 1].plan->op];
    tally->ns += job->resolve_ns;
    tally->calls++;
}

static void on_resolved(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, resolved);
    size_t next = (size_t)job->run.stage_index + 1;

    job->is_resolving = 0;
    count_resolve(job);
    if (job->is_stopping || pex__run_is_cancelled(&job->run)) {
        proceed(job);
        return;
    }
    measure_uses(job);
    close_stage(job);
    if (open_stage(job, next) != 0)
        fail_job(job, PEX_ENOMEM, "out of memory for the next stage");
    proceed(job);
}

static void finish(struct pex__store_task *task);
static void clear(struct pex__store_task *task);

/* How far the partitions came that do not get out: for the summary, and the quarantine. */
static void count_unfinished(struct pex_job *job)
{
    for (size_t i = 0; i < job->plan->partition_count; i++) {
        if (job->partitions[i] == NULL)
            continue;
        add_counts(job, job->partitions[i]);
        keep_rejects(job, job->partitions[i]);
    }
}

static void begin_finish(struct pex_job *job)
{
    job->is_ending = 1;
    if (job->is_stopping)
        count_unfinished(job);
    if (job->stage_is_open)
        measure_uses(job);
    if (job->stage_is_open && !job->is_abandoned)
        close_stage(job);
    job->finish_task.run = finish;
    pex__store_do(job->core->store, &job->finish_task);
}

/* Partitions can end while an instance is still being made for them. */
static int is_busy(struct pex_job *job)
{
    struct pex__engine *engine = job->core->engine;
    int is;

    if (!job->stage_is_open)
        return 0;
    pex__engine_lock(engine);
    is = rules(job)->busy > 0;
    pex__engine_unlock(engine);
    return is;
}

/* The job hears of its failure by message. */
static int exceeds_rate(struct pex_job *job)
{
    struct pex_error err;

    if (pex__verdict_rate(job, &err) == 0)
        return 0;
    pex__run_fail(&job->run, &err);
    return 1;
}

static int is_paused(struct pex_job *job)
{
    struct pex__engine *engine = job->core->engine;
    int is;

    pex__engine_lock(engine);
    is = job->run.is_paused;
    pex__engine_unlock(engine);
    return is;
}

/* What follows from where things stand: the next stage, the end, or nothing yet. */
static void proceed(struct pex_job *job)
{
    struct pex__engine *engine = job->core->engine;

    if ((job->is_ending && !job->is_reported) || job->is_resolving || job->active_count > 0 ||
        job->pending_appends > 0 || is_busy(job))
        return;
    if (job->is_reported) {
        job->is_reported = 0;
        job->finish_task.run = clear;
        pex__store_do(job->core->store, &job->finish_task);
        return;
    }
    if (job->is_stopping) {
        begin_finish(job);
        return;
    }
    if (job->out_count < job->plan->partition_count || exceeds_rate(job))
        return;
    if (job->run.is_last) {
        begin_finish(job);
        return;
    }
    if (is_paused(job))
        return;
    job->is_resolving = 1;
    job->resolve_task.run = pex__job_resolve;
    pex__engine_lock(engine);
    pex__sched_task(&engine->sched, &job->resolve_task);
    pex__engine_unlock(engine);
}

static int32_t final_state(struct pex_job *job, struct pex_error *err)
{
    pex_error_set(err, 0, "%s", "");
    pthread_mutex_lock(&job->run.error_lock);
    if (job->run.has_failed)
        *err = job->run.error;
    pthread_mutex_unlock(&job->run.error_lock);
    /* An operator may answer so too; that is a failure. */
    if (err->code == PEX_ECANCELLED &&
        atomic_load_explicit(&job->cancel_asked, memory_order_relaxed) != 0)
        return PEX_JOB_CANCELLED;
    return err->code != 0 ? PEX_JOB_FAILED : PEX_JOB_DONE;
}

/* Counts of partitions that did not get out. */
static void count_lost(struct pex_job *job, int32_t state)
{
    size_t count = job->plan->partition_count;
    size_t started = job->next_partition, out = job->committed + job->empty;

    if (state == PEX_JOB_DONE)
        return;
    if (job->run.stage_index > 0 && !job->run.is_last)
        started = count;
    if (started < out)
        started = out;
    if (state == PEX_JOB_CANCELLED)
        job->cancelled = started - out;
    else
        job->failed = started - out;
    job->skipped = count - started;
}

static void write_summary(struct pex_job *job, const char *text, int durable)
{
    struct pex_error err;
    char *path;

    if (job->folder == NULL || text == NULL || asprintf(&path, "%s/summary.json", job->folder) < 0)
        return;
    if (pex__file_replace(path, text, strlen(text), durable, &err) != 0) {
        pex__engine_log(job->core->engine, PEX_LOG_ERROR, "job %s: %s", job->id, err.message);
        pex__core_post_event(job->core, job, PEX_EVENT_NOTICE, 0, 0, 0, err.message);
    }
    free(path);
}

/* What was found wrong with the rows helps to see why the job failed. */
static void withdraw(struct pex_job *job)
{
    struct pex_error err;

    if (job->export != NULL)
        pex__export_withdraw(job->export);
    if (pex__job_write_quarantine(job, &err) != 0)
        pex__engine_log(job->core->engine, PEX_LOG_ERROR, "job %s: %s", job->id, err.message);
}

/* Rows on their way, in the folder and in tables; while the folder is the job's. */
static void drop_rows(struct pex_job *job)
{
    pex__stage_files_free(job->inputs, job->plan->partition_count);
    pex__stage_files_free(job->outputs, job->plan->partition_count);
    job->inputs = job->outputs = NULL;
    if (job->folder != NULL)
        pex__spools_remove(job->folder);
    if (job->feeder != NULL)
        pex__feeder_drop_copy(job->feeder);
}

static void give_back(struct pex_job *job)
{
    pex__job_unlock_folder(job);
    pex__job_let_go(job);
}

/* Store thread: publishes the export, or takes it back, and writes the summary. What calls may read
 * that do not return stays, and so does the folder. */
static void finish(struct pex__store_task *task)
{
    struct pex_job *job = JOB_OF(task, finish_task);
    struct pex_error err;
    int32_t state = final_state(job, &err);
    char *summary;

    if (state == PEX_JOB_DONE &&
        (pex__job_check_ledger(job, &err) != 0 || pex__job_write_quarantine(job, &err) != 0 ||
         (job->export != NULL && pex__export_publish(job->export, &err) != 0)))
        state = PEX_JOB_FAILED;
    if (state != PEX_JOB_DONE)
        withdraw(job);
    /* First: on a full disk the summary needs the room that they take. */
    if (!job->is_abandoned)
        drop_rows(job);
    count_lost(job, state);
    summary = pex__job_summary_text(job, state, &err);
    write_summary(job, summary, job->plan->durability == PEX__DURABILITY_POWER);
    if (!job->is_abandoned)
        give_back(job);
    pthread_mutex_lock(&job->lock);
    job->shown.state = state;
    job->shown.error = err;
    job->shown.summary = summary;
    job->shown.ended_ns = pex__now_ns();
    pthread_mutex_unlock(&job->lock);
    pex__loop_post(job->core->loop, &job->finished);
}

static void post_lost_partitions(struct pex_job *job)
{
    int32_t state =
        job->shown.state == PEX_JOB_CANCELLED ? PEX_PARTITION_CANCELLED : PEX_PARTITION_FAILED;
    int32_t stage = job->run.stage_index;
    size_t count = job->plan->partition_count;

    for (size_t i = 0; i < count; i++) {
        if (job->partitions[i] != NULL) {
            post_partition(job, stage, i, state);
        } else if (i >= job->next_partition) {
            post_partition(job, stage, i, PEX_PARTITION_SKIPPED);
        }
    }
    while ((size_t)++stage < job->plan->stage_count)
        for (size_t i = 0; i < count; i++)
            post_partition(job, stage, i, PEX_PARTITION_SKIPPED);
}

static void free_partitions(struct pex_job *job)
{
    for (size_t i = 0; i < job->plan->partition_count; i++) {
        pex__partition_free(job->partitions[i]);
        job->partitions[i] = NULL;
    }
}

static void leave_core(struct pex_job *job)
{
    struct pex__core *core = job->core;
    struct pex_job **at = &core->jobs;

    pthread_mutex_lock(&core->lock);
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    core->live_jobs--;
    pthread_cond_broadcast(&core->changed);
    pthread_mutex_unlock(&core->lock);
}

/* Nothing knows the job any more but the handles of the host. */
static void leave(struct pex_job *job)
{
    if (job->stage_is_open)
        close_stage(job);
    free_partitions(job);
    leave_core(job);
    admit_all(job->core);
    pex__job_unref(job);
}

static void on_cleared(struct pex__message *message)
{
    leave(JOB_OF(message, cleared));
}

/* Store thread: the last call of an abandoned job has returned. */
static void clear(struct pex__store_task *task)
{
    struct pex_job *job = JOB_OF(task, finish_task);

    drop_rows(job);
    give_back(job);
    pex__loop_post(job->core->loop, &job->cleared);
}

static void on_finished(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, finished);

    if (job->has_grace && pex__loop_forget(job->core->loop, &job->grace)) {
        job->has_grace = 0;
        pex__job_unref(job);
    }

    if (job->shown.state != PEX_JOB_DONE)
        post_lost_partitions(job);
    /* Before the event: whoever gets it may ask for state, error and summary at once. */
    pthread_mutex_lock(&job->lock);
    job->shown.is_over = 1;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
    pex__core_post_end(job->core, job, job->shown.state,
                       job->shown.error.code != 0 ? job->shown.error.message
                                                  : pex__job_state_name(job->shown.state));
    if (!job->is_abandoned) {
        leave(job);
        return;
    }
    job->is_reported = 1;
    proceed(job);
}

static void set_grace(struct pex_job *job, int64_t ns)
{
    job->has_grace = 1;
    pex__job_ref(job);
    pex__loop_after(job->core->loop, &job->grace, ns);
}

/* The error of the run says what the job does not wait for. */
static void name_late(struct pex_job *job, const char *names)
{
    struct pex_error *err = &job->run.error;
    size_t length;

    pthread_mutex_lock(&job->run.error_lock);
    length = strlen(err->message);
    snprintf(err->message + length, sizeof err->message - length,
             "; calls that have not returned after %lld ms: %s",
             (long long)(job->plan->grace_ns / 1000000), names);
    pthread_mutex_unlock(&job->run.error_lock);
}

/*
 * The job ends without the calls that do not return: they keep their batches, leases and instances.
 * What they may read stays for them: memory of the job and of the host, rows between stages, and so
 * the folder. Only when nobody writes: what writes is no operator.
 */
static void on_grace(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, grace);
    char names[512];

    job->has_grace = 0;
    if (!job->is_ending) {
        pex__run_running(&job->run, names, sizeof names);
        if (names[0] == '\0' || job->pending_appends > 0 || pex__run_is_writing(&job->run)) {
            set_grace(job, GRACE_AGAIN_NS);
        } else {
            name_late(job, names);
            job->is_abandoned = 1;
            begin_finish(job);
        }
    }
    pex__job_unref(job);
}

static void on_fail(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, fail);
    struct pex__engine *engine = job->core->engine;

    job->is_stopping = 1;
    if (job->feeder != NULL)
        pex__feeder_stop(job->feeder);
    if (job->stage_is_open) {
        pex__engine_lock(engine);
        pex__sched_job_stop(rules(job));
        pex__engine_unlock(engine);
    }
    pex__job_wake_host(job);
    proceed(job);
    if (!job->is_ending)
        set_grace(job, job->plan->grace_ns);
    pex__job_unref(job);
}

static void on_idle(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, idle);

    atomic_store_explicit(&job->idle_posted, 0, memory_order_release);
    proceed(job);
}

static void on_pull(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, pull);

    pex__core_post_pull(job->core, job);
}

/* It was paused, which gives room to others, or it goes on. */
static void on_control(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, control);

    atomic_store_explicit(&job->control_posted, 0, memory_order_release);
    admit_all(job->core);
    proceed(job);
    pex__job_unref(job);
}

static void on_cancel(struct pex__message *message)
{
    fail_job(JOB_OF(message, cancel), PEX_ECANCELLED, "cancelled");
    pex__job_unref(JOB_OF(message, cancel));
}

static void on_start(struct pex__message *message)
{
    struct pex_job *job = JOB_OF(message, start);

    pthread_mutex_lock(&job->lock);
    job->shown.state = PEX_JOB_RUNNING;
    pthread_mutex_unlock(&job->lock);
    if (open_stage(job, 0) != 0)
        fail_job(job, PEX_ENOMEM, "out of memory for the first stage");
    proceed(job);
}

void pex__job_set_messages(struct pex_job *job)
{
    job->start.run = on_start;
    job->fail.run = on_fail;
    job->cancel.run = on_cancel;
    job->control.run = on_control;
    job->grace.run = on_grace;
    job->cleared.run = on_cleared;
    job->idle.run = on_idle;
    job->pull.run = on_pull;
    job->resolved.run = on_resolved;
    job->finished.run = on_finished;
}

void pex__job_cancel(struct pex_job *job)
{
    if (atomic_exchange_explicit(&job->cancel_asked, 1, memory_order_acq_rel))
        return;
    pex__job_ref(job);
    pex__loop_post(job->core->loop, &job->cancel);
}

struct pex_job *pex__job_ref(struct pex_job *job)
{
    atomic_fetch_add_explicit(&job->refs, 1, memory_order_relaxed);
    return job;
}

void pex__job_unref(struct pex_job *job)
{
    /* Release and acquire: what others did to the job happens before it is freed. */
    if (atomic_fetch_sub_explicit(&job->refs, 1, memory_order_acq_rel) == 1)
        pex__job_free(job);
}
