/* SPDX-License-Identifier: Apache-2.0 */
/* What a host does to a job that runs. */
#include "api/context.h"

/* Takes core->lock: under it a live job stays live, and so does the engine. is_live: not when the
 * job is over. Returns 0, or a code and takes no lock. */
static int32_t lock_job(pex_job *job, int *is_live)
{
    struct pex__core *core;

    if (job == NULL)
        return PEX_EINVAL;
    core = job->core;
    if (pex__core_is_forked(core))
        return PEX_EFORKED;
    pthread_mutex_lock(&core->lock);
    *is_live = 0;
    for (struct pex_job *live = core->jobs; live != NULL; live = live->next)
        *is_live |= live == job;
    pthread_mutex_lock(&job->lock);
    *is_live &= !job->shown.is_over;
    pthread_mutex_unlock(&job->lock);
    return 0;
}

/* The answer of a context that is open, or goes. */
static int32_t unlock_job(pex_job *job)
{
    int32_t code = job->core->is_closed ? PEX_ECLOSED : 0;

    pthread_mutex_unlock(&job->core->lock);
    return code;
}

int32_t pex_job_cancel(pex_job *job)
{
    int is_live;
    int32_t code = lock_job(job, &is_live);

    if (code != 0)
        return code;
    if (is_live)
        pex__job_cancel(job);
    return unlock_job(job);
}

int32_t pex_job_pause(pex_job *job, int32_t is_paused)
{
    int is_live;
    int32_t code = lock_job(job, &is_live);

    if (code != 0)
        return code;
    if (is_live)
        pex__job_pause(job, is_paused != 0);
    return unlock_job(job);
}

int32_t pex_job_set_budget(pex_job *job, const char *op, int32_t num_proc, struct pex_error *err)
{
    int is_live;
    int32_t code, gone;

    if (job == NULL || op == NULL)
        return pex_error_set(err, PEX_EINVAL, "%s: NULL", job == NULL ? "job" : "op");
    if (num_proc < 1)
        return pex_error_set(err, PEX_EINVAL, "num_proc: %d; a budget has at least 1 unit",
                             (int)num_proc);
    code = lock_job(job, &is_live);
    if (code != 0)
        return pex_error_set(err, code, "%s", pex_strerror(code));
    if (is_live)
        code = pex__job_set_budget(job, op, num_proc, err);
    else
        code = pex_error_set(err, PEX_EINVAL, "job %s is over", job->id);
    gone = unlock_job(job);
    return gone != 0 ? pex_error_set(err, gone, "%s", pex_strerror(gone)) : code;
}
