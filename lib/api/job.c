/* SPDX-License-Identifier: Apache-2.0 */
#include "api/context.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"

#include <string.h>

static int32_t list_input(const pex_spec *spec, const pex_dataset *dataset,
                          struct pex__input **input, struct pex_error *err)
{
    return dataset != NULL ? pex__dataset_list(dataset, input, err)
                           : pex__spec_input(spec, input, err);
}

static int32_t explain(struct pex__core *core, const pex_spec *spec, struct pex__input *input,
                       int32_t format, char **text, struct pex_error *err)
{
    struct pex__buffer out = {0};
    struct pex__machine machine;
    struct pex__plan *plan = NULL;
    int32_t failed =
        pex__job_plan(core, spec, input, PEX__PLAN_EXPLAIN, &plan, &machine, &out, err);

    if (failed != 0) {
        if (out.length > 0)
            pex__buffer_give(&out, text);
        pex__buffer_free(&out);
        return failed;
    }
    failed = pex__plan_explain(plan, &machine, format, &out);
    pex__plan_free(plan);
    if (failed == 0)
        failed = pex__buffer_give(&out, text);
    pex__buffer_free(&out);
    return failed != 0 ? pex__error_memory(err) : 0;
}

int32_t pex_plan_explain(pex_context *ctx, const pex_spec *spec, pex_dataset *dataset,
                         int32_t format, char **text, struct pex_error *err)
{
    struct pex__input *input = NULL;
    struct pex_error why;
    int32_t failed;

    if (ctx == NULL || spec == NULL || text == NULL || format < PEX_EXPLAIN_TEXT ||
        format > PEX_EXPLAIN_JSON)
        return pex_error_set(err, PEX_EINVAL,
                             "ctx, spec or text is NULL, or the format is unknown");
    failed = pex__core_check(ctx->core, err);
    if (failed != 0)
        return failed;
    *text = NULL;
    /* Without input the plan says so; a key that is wrong is among the plan's own errors. */
    failed = list_input(spec, dataset, &input, &why);
    if (failed != 0 && failed != PEX_ENOENT && failed != PEX_ESPEC)
        return pex_error_set(err, failed, "%s", why.message);
    failed = explain(ctx->core, spec, input, format, text, err);
    pex__input_free(input);
    return failed;
}

/* The errors of the spec come first, and all of them: the input only when it is all that is wrong.
 */
static int32_t refuse_input(struct pex__core *core, const pex_spec *spec,
                            const struct pex_job_options *options, int32_t code,
                            struct pex_error *err)
{
    struct pex__buffer errors = {0};
    struct pex__machine machine;
    struct pex__plan *plan = NULL;
    struct pex_error why;
    int32_t failed =
        pex__job_plan(core, spec, NULL, pex__job_purpose(options), &plan, &machine, &errors, &why);

    if (failed == 0) {
        pex__plan_free(plan);
    } else if (failed == PEX_ESPEC && err != NULL && errors.length > 0) {
        char input_text[sizeof err->message];

        memcpy(input_text, err->message, sizeof input_text);
        pex_error_set(err, failed, "%.*s%s", (int)errors.length, errors.data,
                      code == PEX_ESPEC ? "" : input_text);
        code = failed;
    }
    pex__buffer_free(&errors);
    return code;
}

int32_t pex_job_submit(pex_context *ctx, const pex_spec *spec, pex_dataset *dataset,
                       const struct pex_job_options *options, pex_job **job, struct pex_error *err)
{
    struct pex_job_options known;
    struct pex__input *input = NULL;
    int32_t failed;

    if (ctx == NULL || spec == NULL || job == NULL)
        return pex_error_set(err, PEX_EINVAL, "%s: NULL",
                             ctx == NULL    ? "ctx"
                             : spec == NULL ? "spec"
                                            : "job");
    failed = pex__core_check(ctx->core, err);
    if (failed != 0)
        return failed;
    failed = pex__options_copy(&known, sizeof known, options, err);
    if (failed != 0)
        return failed;
    if (known.row_events != 0 && known.on_event == NULL)
        return pex_error_set(err, PEX_EINVAL, "row_events: nobody hears them; set on_event too");
    if (known.reserved != 0)
        return pex_error_set(err, PEX_EINVAL, "reserved: found %d, expected 0", known.reserved);
    failed = list_input(spec, dataset, &input, err);
    if (failed != 0)
        return refuse_input(ctx->core, spec, &known, failed, err);
    return pex__job_submit(ctx->core, spec, input, &known, job, err);
}

static int32_t check_job(const pex_job *job)
{
    if (job == NULL)
        return PEX_EINVAL;
    return pex__core_is_forked(job->core) ? PEX_EFORKED : 0;
}

int32_t pex_job_wait(pex_job *job, int64_t timeout_ns)
{
    struct pex__core *core;
    int64_t deadline = pex__deadline_ns(timeout_ns);
    int32_t code = check_job(job);
    int is_done;

    if (code != 0)
        return code;
    core = job->core;
    if (pex__core_is_current(core))
        return PEX_EDEADLK;
    for (;;) {
        pex__core_dispatch(core, 0);
        pthread_mutex_lock(&core->lock);
        is_done = job->shown.is_delivered;
        if (!is_done && pex__now_ns() < deadline && (core->events == NULL || core->is_dispatching))
            pex__cond_wait_until(&core->changed, &core->lock, deadline);
        is_done = job->shown.is_delivered;
        pthread_mutex_unlock(&core->lock);
        if (is_done)
            return 0;
        if (pex__now_ns() >= deadline)
            return PEX_ETIMEDOUT;
    }
}

int32_t pex_job_state(pex_job *job)
{
    int32_t state = check_job(job);

    if (state != 0)
        return state;
    pthread_mutex_lock(&job->lock);
    state = job->shown.is_over || job->shown.state <= PEX_JOB_RUNNING ? job->shown.state
                                                                      : PEX_JOB_RUNNING;
    pthread_mutex_unlock(&job->lock);
    return state;
}

int32_t pex_job_progress(pex_job *job, struct pex_progress *progress)
{
    struct pex_progress now = {.struct_size = sizeof now};
    int32_t code = check_job(job);
    size_t given;

    if (code != 0)
        return code;
    if (progress == NULL || progress->struct_size < sizeof progress->struct_size)
        return PEX_EINVAL;
    given = progress->struct_size;
    now.rows = atomic_load_explicit(&job->rows_read, memory_order_relaxed);
    now.rows_out = atomic_load_explicit(&job->rows_written, memory_order_relaxed);
    now.bytes = atomic_load_explicit(&job->bytes_read, memory_order_relaxed);
    now.bytes_total = atomic_load_explicit(&job->bytes_total, memory_order_relaxed);
    now.active_partitions = atomic_load_explicit(&job->active_shown, memory_order_relaxed);
    now.partitions = (int32_t)job->plan->partition_count;
    now.stage = atomic_load_explicit(&job->stage_shown, memory_order_relaxed);
    now.stages = (int32_t)job->plan->stage_count;
    now.quarantined = atomic_load_explicit(&job->rejected, memory_order_relaxed);
    now.is_paused = atomic_load_explicit(&job->paused_shown, memory_order_relaxed);
    pthread_mutex_lock(&job->lock);
    if (job->shown.is_over)
        now.is_paused = 0;
    now.elapsed_ns =
        (job->shown.ended_ns != 0 ? job->shown.ended_ns : pex__now_ns()) - job->started_ns;
    pthread_mutex_unlock(&job->lock);
    memset(progress, 0, given);
    memcpy(progress, &now, given < sizeof now ? given : sizeof now);
    progress->struct_size = given;
    return 0;
}

int32_t pex_job_summary(pex_job *job, char **json)
{
    int32_t code = check_job(job);

    if (code != 0)
        return code;
    if (json == NULL)
        return PEX_EINVAL;
    pthread_mutex_lock(&job->lock);
    if (!job->shown.is_over) {
        code = PEX_EAGAIN;
    } else {
        char *copy = job->shown.summary != NULL ? pex__strdup(job->shown.summary) : NULL;

        code = copy != NULL ? 0 : PEX_ENOMEM;
        if (copy != NULL)
            *json = copy;
    }
    pthread_mutex_unlock(&job->lock);
    return code;
}

int32_t pex_job_error(pex_job *job, struct pex_error *err)
{
    int32_t code = check_job(job);

    if (code != 0)
        return code;
    pthread_mutex_lock(&job->lock);
    code = job->shown.is_over ? job->shown.error.code : 0;
    if (code != 0 && err != NULL)
        *err = job->shown.error;
    pthread_mutex_unlock(&job->lock);
    return code;
}

const char *pex_job_id(pex_job *job)
{
    return job != NULL ? job->id : NULL;
}

const char *pex_job_folder(pex_job *job)
{
    return job != NULL ? job->folder : NULL;
}

void pex_job_release(pex_job *job)
{
    if (job == NULL || pex__core_is_forked(job->core))
        return;
    pex_job_cancel(job);
    pex__job_unref(job);
}
