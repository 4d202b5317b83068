/* SPDX-License-Identifier: Apache-2.0 */
/* A convergence point: all rows were observed, the operator decides once, the next stage applies.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "job/job.h"

#include <string.h>

enum { LEAST_RESOLVE_BYTES = 1024 * 1024 };

static void number_rows(struct pex_job *job, struct pex__key_file **files)
{
    uint64_t row = 0;

    for (size_t i = 0; i < job->plan->partition_count; i++) {
        job->outputs[i].first_row = row;
        row += job->outputs[i].index.rows;
        files[i] = &job->outputs[i].keys;
    }
}

/* An instance of its own: those of the workers are the workers'. */
static int32_t resolve_with(struct pex_job *job, struct pex__run_step *step, struct pex_keys *keys,
                            struct pex_error *err)
{
    const struct pex_operator *op = &step->op->operator->op;
    int64_t start = pex__now_ns();
    struct pex__handle *instance;
    int32_t failed =
        pex__instance_create(step->instances, &step->env, step->op->params, &instance, err);

    if (failed != 0)
        return failed;
    pex_error_set(err, 0, "no reason given");
    atomic_fetch_add_explicit(&step->running, 1, memory_order_relaxed);
    failed = op->resolve(instance->state, keys, err);
    atomic_fetch_sub_explicit(&step->running, 1, memory_order_relaxed);
    if (failed < 0)
        pex__error_prefix(err, failed, "operator %s: resolve", op->name);
    job->resolve_ns = pex__now_ns() - start;
    pex__instance_destroy_handle(step->instances, instance);
    return failed < 0 ? failed : 0;
}

/* No batch is in flight at a convergence point; the keys in memory and the decisions have the other
 * half of the limit. */
static uint64_t resolve_memory(const struct pex_job *job)
{
    uint64_t half = job->plan->memory_limit / 2;

    return half > LEAST_RESOLVE_BYTES ? half : LEAST_RESOLVE_BYTES;
}

static int32_t resolve(struct pex_job *job, struct pex_error *err)
{
    struct pex__run_step *step = &job->run.steps[job->run.stage->step_count - 1];
    size_t count = job->plan->partition_count;
    struct pex__key_file **files = pex__calloc(count, sizeof *files);
    struct pex__decisions *decisions = NULL;
    struct pex_keys keys;
    int32_t failed = 0;

    if (files == NULL)
        return pex__error_memory(err);
    number_rows(job, files);
    pex__keys_open(&keys, files, count, NULL, &job->run.cancelled);
    keys.window.heap = job->run.engine->heap;
    keys.memory = resolve_memory(job);
    failed = pex__decisions_create(job->run.engine->heap, keys.rows, &decisions);
    keys.decisions = decisions;
    if (failed != 0)
        pex__error_memory(err);
    else
        failed = resolve_with(job, step, &keys, err);
    if (failed == 0) {
        job->notes[step->plan->op] = keys.notes;
        keys.notes = (struct pex__notes){0};
    }
    pex__keys_close(&keys);
    pex__free(files);
    if (failed != 0) {
        pex__decisions_free(decisions);
        return failed;
    }
    for (size_t i = 0; i < count; i++)
        pex__key_file_free(&job->outputs[i].keys);
    pex__decisions_seal(decisions);
    pex__decisions_free(job->decisions);
    job->decisions = decisions;
    job->run.told = pex__decisions_told(decisions);
    return 0;
}

void pex__job_resolve(struct pex__task *task)
{
    struct pex_job *job =
        (struct pex_job *)(void *)((char *)task - offsetof(struct pex_job, resolve_task));
    struct pex_error err;

    job->resolve_ns = -1;
    if (!pex__run_is_cancelled(&job->run) && resolve(job, &err) != 0) {
        err.code = err.code < 0 ? err.code : PEX_EFATAL;
        pex__run_fail(&job->run, &err);
    }
    pex__loop_post(job->core->loop, &job->resolved);
}
