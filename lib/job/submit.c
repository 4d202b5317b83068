/* SPDX-License-Identifier: Apache-2.0 */
/* From a spec to a job that the loop may start; and the end of its memory. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Events of rows that fail, for which the host is waited for. */
#define ROWS_WAITING_BYTES ((uint64_t)1 << 20)
#define ROWS_WAITING_PART 16 /* of the memory limit, if that is less */

/* UTC stamp and six hex digits, as the reference makes them. */
static char *make_id(void)
{
    time_t now = time(NULL);
    unsigned char random[3];
    struct tm utc;
    char stamp[32], *id;

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        memcpy(random, &now, sizeof random);
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", &utc);
    if (asprintf(&id, "%s_%02x%02x%02x", stamp, random[0], random[1], random[2]) < 0)
        return NULL;
    return id;
}

static void see_machine(const struct pex__core *core, struct pex__machine *machine)
{
    machine->workers = core->engine->worker_count;
    machine->usable_cpus = core->topology.usable_cpus;
    machine->memory_limit = core->memory_limit;
    machine->memory_bytes = core->topology.memory_bytes;
    if (core->topology.cgroup_memory_bytes != 0 &&
        core->topology.cgroup_memory_bytes < machine->memory_bytes)
        machine->memory_bytes = core->topology.cgroup_memory_bytes;
    if (core->has_memory_limit && core->memory_limit < machine->memory_bytes)
        machine->memory_bytes = core->memory_limit;
}

int32_t pex__job_plan(struct pex__core *core, const pex_spec *spec, const struct pex__input *input,
                      int32_t mode, struct pex__plan **plan, struct pex__machine *machine,
                      struct pex__buffer *errors, struct pex_error *err)
{
    see_machine(core, machine);
    return pex__plan_create(spec, core->registry, machine, input, mode, plan, errors, err);
}

/* All errors of the spec, as far as the message holds them. */
static void join_errors(struct pex_error *err, int32_t code, const struct pex__buffer *errors)
{
    if (err != NULL && errors->length > 0)
        pex_error_set(
            err, code, "%.*s",
            (int)(errors->data[errors->length - 1] == '\n' ? errors->length - 1 : errors->length),
            errors->data);
}

int32_t pex__job_purpose(const struct pex_job_options *options)
{
    return (options->pull != 0 ? PEX__PLAN_PULL : PEX__PLAN_RUN) |
           (options->keep_dropped != 0 ? PEX__PLAN_KEEP_DROPPED : 0);
}

static int32_t make_plan(struct pex_job *job, const pex_spec *spec, struct pex_error *err)
{
    struct pex__buffer errors = {0};
    struct pex__machine machine;
    const struct pex__input *input = job->input;
    int32_t code;

    code = pex__job_plan(job->core, spec, input, job->purpose, &job->plan, &machine, &errors, err);
    if (code != 0)
        join_errors(err, code, &errors);
    pex__buffer_free(&errors);
    return code;
}

static uint64_t most_waiting(const struct pex__plan *plan)
{
    uint64_t most = plan->memory_limit / ROWS_WAITING_PART;

    return most < ROWS_WAITING_BYTES ? most : ROWS_WAITING_BYTES;
}

static int32_t make_names(struct pex_job *job)
{
    size_t count = job->plan->op_count;

    job->run.operator_names = pex__calloc(count, sizeof *job->run.operator_names);
    if (job->run.operator_names == NULL)
        return PEX_ENOMEM;
    /* Rows that only skip leave no record: their operator has no name here. */
    for (size_t i = 0; i < count; i++)
        if (job->plan->ops[i].on_error == PEX__ON_ERROR_QUARANTINE)
            job->run.operator_names[i] = job->plan->ops[i].operator->op.name;
    return 0;
}

static int32_t make_tables(struct pex_job *job, struct pex_error *err)
{
    size_t partitions = job->plan->partition_count, files = partitions * job->plan->stage_count;

    job->id = job->plan->job_id != NULL ? strdup(job->plan->job_id) : make_id();
    job->partitions = pex__calloc(partitions, sizeof *job->partitions);
    job->tallies = pex__calloc(job->plan->op_count, sizeof *job->tallies);
    job->uses = pex__calloc(job->plan->op_count, sizeof *job->uses);
    job->notes = pex__calloc(job->plan->op_count, sizeof *job->notes);
    job->reject_bytes = pex__calloc(files, sizeof *job->reject_bytes);
    job->end_event = pex__calloc(1, sizeof *job->end_event);
    job->run.units = pex__calloc(job->plan->op_count, sizeof *job->run.units);
    if (job->id == NULL || job->partitions == NULL || job->tallies == NULL || job->uses == NULL ||
        job->notes == NULL || job->reject_bytes == NULL || job->end_event == NULL ||
        job->run.units == NULL || make_names(job) != 0 || pex__verdict_create(job) != 0)
        return pex__error_memory(err);
    for (size_t i = 0; i < job->plan->op_count; i++)
        job->run.units[i] = job->plan->ops[i].num_proc;
    return 0;
}

static struct pex_job *make_job(struct pex__core *core, struct pex__input *input,
                                const struct pex_job_options *options)
{
    struct pex_job *job = pex__calloc(1, sizeof *job);

    if (job == NULL)
        return NULL;
    atomic_init(&job->refs, 1);
    job->core = pex__core_ref(core);
    job->input = input;
    job->on_event = options->on_event;
    job->event_user = options->event_user;
    job->is_pull = options->pull != 0;
    job->purpose = pex__job_purpose(options);
    job->tells_rows = options->row_events != 0;
    job->lock_fd = -1;
    job->started_ns = pex__now_ns();
    job->started_cpu_ns = pex__process_cpu_ns();
    pthread_mutex_init(&job->lock, NULL);
    pex__cond_init(&job->changed);
    pthread_mutex_init(&job->run.error_lock, NULL);
    pthread_mutex_init(&job->verdict.lock, NULL);
    job->run.engine = core->engine;
    job->run.hooks = &pex__job_hooks;
    job->run.rows_read = &job->rows_read;
    job->run.bytes_read = &job->bytes_read;
    atomic_init(&job->bytes_total, input->bytes);
    return job;
}

void pex__job_let_go(struct pex_job *job)
{
    /* The thread that reads a source gives it back itself. */
    if (job->has_feed && job->feeder == NULL)
        pex__feed_give_back(job->input->feed);
    job->has_feed = 0;
    pex__input_let_go(job->input);
}

static void free_notes(struct pex_job *job)
{
    for (size_t i = 0; job->notes != NULL && i < job->plan->op_count; i++)
        pex__notes_free(&job->notes[i]);
    pex__free(job->notes);
}

void pex__job_free(struct pex_job *job)
{
    pex__job_unlock_folder(job);
    pex__export_free(job->export);
    pex__stage_files_free(job->inputs, job->plan != NULL ? job->plan->partition_count : 0);
    pex__stage_files_free(job->outputs, job->plan != NULL ? job->plan->partition_count : 0);
    pex__job_let_go(job);
    pex__feeder_free(job->feeder);
    pex__decisions_free(job->decisions);
    free_notes(job);
    pex__verdict_free(job);
    pex__free(job->partitions);
    pex__free(job->tallies);
    pex__free(job->uses);
    pex__free(job->reject_bytes);
    pex__free(job->end_event);
    pex__free(job->run.operator_names);
    pex__free(job->run.units);
    pex__plan_free(job->plan);
    pex__input_free(job->input);
    free(job->id);
    free(job->folder);
    pex__free(job->shown.summary);
    pthread_mutex_destroy(&job->run.error_lock);
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->lock);
    pex__core_unref(job->core);
    pex__free(job);
}

/* The loop holds a reference of its own until the job is over. */
static int32_t enter_core(struct pex_job *job, struct pex_error *err)
{
    struct pex__core *core = job->core;
    struct pex_job **end = &core->jobs;
    int is_closed;

    pthread_mutex_lock(&core->lock);
    is_closed = core->is_closed;
    if (!is_closed) {
        pex__job_ref(job);
        job->age = core->next_age++;
        while (*end != NULL)
            end = &(*end)->next;
        *end = job;
        core->live_jobs++;
        /* Under the lock: destroy waits for live jobs before it ends the loop. */
        pex__loop_post(core->loop, &job->start);
    }
    pthread_mutex_unlock(&core->lock);
    return is_closed ? pex_error_set(err, PEX_ECLOSED, "the context is being destroyed") : 0;
}

static void post_notices(struct pex_job *job)
{
    for (size_t i = 0; i < job->plan->notice_count; i++)
        pex__core_post_event(job->core, job, PEX_EVENT_NOTICE, 0, 0, 0, job->plan->notices[i]);
}

static int32_t open_files(struct pex_job *job, struct pex_error *err)
{
    int32_t failed = pex__job_open_folder(job, err);

    if (failed != 0 || job->is_pull)
        return failed;
    failed = pex__export_open(job, &job->export, err);
    if (failed != 0)
        pex__job_remove_folder(job);
    return failed;
}

int32_t pex__job_submit(struct pex__core *core, const pex_spec *spec, struct pex__input *input,
                        const struct pex_job_options *options, struct pex_job **result,
                        struct pex_error *err)
{
    struct pex_job *job = make_job(core, input, options);
    int32_t failed;

    if (job == NULL) {
        pex__input_free(input);
        return pex__error_memory(err);
    }
    pex__job_set_messages(job);
    failed = make_plan(job, spec, err);
    job->run.plan = job->plan;
    if (failed == 0)
        job->rows_waiting_most = most_waiting(job->plan);
    if (failed == 0 && input->feed != NULL) {
        failed = pex__feed_take(input->feed, err);
        job->has_feed = failed == 0;
    }
    if (failed == 0)
        failed = make_tables(job, err);
    if (failed == 0)
        failed = open_files(job, err);
    if (failed == 0) {
        post_notices(job);
        failed = enter_core(job, err);
        if (failed != 0 && job->export != NULL)
            pex__export_withdraw(job->export);
    }
    if (failed != 0) {
        pex__job_unref(job);
        return failed;
    }
    *result = job;
    return 0;
}
