/* SPDX-License-Identifier: Apache-2.0 */
/* What a host changes about a run while it goes on. */
#include "exec/run.h"

#include <stdio.h>

uint64_t pex__run_set_aside(const struct pex__run *run)
{
    const struct pex__sjob *job = &run->job.sjob;
    uint64_t threads = (uint64_t)run->engine->worker_count;

    for (size_t i = 0; i < job->step_count; i++)
        if (job->steps[i].pool != NULL && job->steps[i].pool->is_blocking)
            threads += (uint64_t)job->steps[i].demand.num_proc;
    return threads * run->plan->slice_bytes;
}

void pex__run_pause(struct pex__run *run, int32_t is_paused)
{
    pex__engine_lock(run->engine);
    run->is_paused = is_paused;
    pex__sched_job_pause(&run->job.sjob, is_paused);
    pex__engine_unlock(run->engine);
}

static void set_step(struct pex__run *run, size_t i, int32_t num_proc)
{
    struct pex__sjob *job = &run->job.sjob;

    if (job->sched == NULL) {
        job->steps[i].demand.num_proc = num_proc;
        return;
    }
    pex__sched_job_budget(job, i, num_proc);
    pex__instances_shed(run->engine, job->steps[i].pool);
}

void pex__run_budget(struct pex__run *run, size_t op, int32_t num_proc)
{
    struct pex__sjob *job = &run->job.sjob;

    run->units[op] = num_proc;
    if (run->steps == NULL)
        return;
    pex__engine_lock(run->engine);
    for (size_t i = 0; i < job->step_count; i++)
        if (job->steps[i].pool != NULL && (size_t)run->steps[i].plan->op == op)
            set_step(run, i, num_proc);
    pex__account_set_aside(&job->account, pex__run_set_aside(run));
    pex__engine_unlock(run->engine);
}

void pex__run_running(const struct pex__run *run, char *names, size_t size)
{
    size_t length = 0;

    names[0] = '\0';
    for (size_t i = 0; run->steps != NULL && i < run->stage->step_count; i++) {
        const char *name = run->steps[i].op->operator->op.name;

        if (atomic_load(&run->steps[i].running) == 0 || length + 1 >= size)
            continue;
        length +=
            (size_t)snprintf(names + length, size - length, "%s%s", length > 0 ? ", " : "", name);
    }
}

int pex__run_is_writing(struct pex__run *run)
{
    int is_writing = 0;

    pex__engine_lock(run->engine);
    for (const struct pex__part *part = run->job.sjob.active; part != NULL; part = part->next)
        is_writing |= part->is_writing;
    pex__engine_unlock(run->engine);
    return is_writing;
}
