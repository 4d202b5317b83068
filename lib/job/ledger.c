/* SPDX-License-Identifier: Apache-2.0 */
/* The books of a finished job: every row is accounted for, or the job fails. */
#include "job/job.h"

static int32_t unbalanced(const struct pex_job *job, size_t i, struct pex_error *err)
{
    const struct pex__tally *t = &job->tallies[i];

    return pex_error_set(
        err, PEX_EINTERNAL,
        "the books do not balance: operator %zu (%s): in %llu + added %llu is not out "
        "%llu + dropped %llu + quarantined %llu; the output is not published",
        i, job->plan->ops[i].operator->op.name, (unsigned long long)t->in,
        (unsigned long long)t->added, (unsigned long long)t->out, (unsigned long long)t->dropped,
        (unsigned long long)t->quarantined);
}

static int32_t broken_link(const char *what, uint64_t from, uint64_t to, struct pex_error *err)
{
    return pex_error_set(
        err, PEX_EINTERNAL,
        "the books do not balance: %s: %llu is not %llu; the output is not published", what,
        (unsigned long long)from, (unsigned long long)to);
}

int32_t pex__job_check_ledger(const struct pex_job *job, struct pex_error *err)
{
    uint64_t rows = job->rows;

    if (job->lines != job->rows + job->blank + job->bad)
        return broken_link("lines of the input against rows, blank and bad", job->lines,
                           job->rows + job->blank + job->bad, err);
    for (size_t i = 0; i < job->plan->op_count; i++) {
        const struct pex__tally *t = &job->tallies[i];

        if (job->plan->ops[i].is_left_out)
            continue;
        if (t->in != rows)
            return broken_link("rows between two operators", rows, t->in, err);
        if (t->in + t->added != t->out + t->dropped + t->quarantined)
            return unbalanced(job, i, err);
        rows = t->out;
    }
    if (rows != job->rows_out)
        return broken_link("rows of the last operator against the output", rows, job->rows_out,
                           err);
    return 0;
}
