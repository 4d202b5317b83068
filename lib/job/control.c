/* SPDX-License-Identifier: Apache-2.0 */
/* What a host does to a job that is live: any thread, under core->lock. */
#include "job/job.h"

#include <stdio.h>
#include <string.h>

/* The loop opens what may open now. One message stands for all that was done before it runs. */
static void tell_loop(struct pex_job *job)
{
    if (atomic_exchange_explicit(&job->control_posted, 1, memory_order_acq_rel))
        return;
    pex__job_ref(job);
    pex__loop_post(job->core->loop, &job->control);
}

void pex__job_pause(struct pex_job *job, int32_t is_paused)
{
    atomic_store_explicit(&job->paused_shown, is_paused, memory_order_relaxed);
    pex__run_pause(&job->run, is_paused);
    tell_loop(job);
}

/* The operator at `index` is meant by `op`: its name, or its place in decimal digits. */
static int is_meant(const struct pex__plan *plan, size_t index, const char *op)
{
    char place[24];

    snprintf(place, sizeof place, "%zu", index);
    return strcmp(plan->ops[index].operator->op.name, op) == 0 || strcmp(place, op) == 0;
}

int32_t pex__job_set_budget(struct pex_job *job, const char *op, int32_t num_proc,
                            struct pex_error *err)
{
    const struct pex__plan *plan = job->plan;
    size_t found = 0, changed = 0;

    for (size_t i = 0; i < plan->op_count; i++) {
        if (!is_meant(plan, i, op))
            continue;
        found++;
        if (plan->ops[i].num_proc <= 0)
            continue;
        pex__run_budget(&job->run, i, num_proc);
        changed++;
    }
    if (changed > 0) {
        tell_loop(job);
        return 0;
    }
    if (found > 0)
        return pex_error_set(err, PEX_ENOTSUP,
                             "operator %s has no budget: it runs on every worker; submit it with "
                             "num_proc to give it one",
                             op);
    return pex_error_set(err, PEX_ENOENT, "the chain of job %s has no operator %s", job->id, op);
}
