/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of errors and rows that end the job, judged in the order of the input. */
#include "base/error.h"
#include "base/memory.h"
#include "job/job.h"

#include <string.h>

int32_t pex__verdict_create(struct pex_job *job)
{
    struct pex__verdict *verdict = &job->verdict;

    verdict->standings = pex__calloc(job->plan->partition_count, sizeof *verdict->standings);
    return verdict->standings != NULL ? 0 : PEX_ENOMEM;
}

static void forget(struct pex_job *job)
{
    for (size_t i = 0; job->verdict.standings != NULL && i < job->plan->partition_count; i++) {
        pex__free(job->verdict.standings[i].first);
        pex__free(job->verdict.standings[i].failure);
    }
}

void pex__verdict_free(struct pex_job *job)
{
    forget(job);
    pex__free(job->verdict.standings);
    pex__free(job->verdict.first);
    pthread_mutex_destroy(&job->verdict.lock);
}

void pex__verdict_open(struct pex_job *job)
{
    struct pex__verdict *verdict = &job->verdict;

    pthread_mutex_lock(&verdict->lock);
    forget(job);
    memset(verdict->standings, 0, job->plan->partition_count * sizeof *verdict->standings);
    verdict->head = 0;
    pthread_mutex_unlock(&verdict->lock);
    atomic_store_explicit(&verdict->ceiling, job->plan->partition_count, memory_order_relaxed);
}

static const char *first_message(const struct pex__verdict *verdict)
{
    return verdict->first != NULL ? verdict->first->message : "unknown";
}

/* How many failed when the job ends is a matter of timing: one more than allowed is not. */
static int32_t too_many(const struct pex_job *job, struct pex_error *err)
{
    int64_t most = job->plan->max_errors;

    return pex_error_set(err, PEX_EDATA,
                         "max_errors: %lld row%s failed, %lld %s allowed; the first: %s",
                         (long long)most + 1, most == 0 ? "" : "s", (long long)most,
                         most == 1 ? "is" : "are", first_message(&job->verdict));
}

/* Moves the head as far as it goes. Under the lock. */
static int32_t judge(struct pex_job *job, struct pex_error *err)
{
    struct pex__verdict *verdict = &job->verdict;

    while (verdict->head < job->plan->partition_count) {
        struct pex__standing *at = &verdict->standings[verdict->head];

        if (verdict->first == NULL) {
            verdict->first = at->first;
            at->first = NULL;
        }
        if (job->plan->max_errors >= 0 &&
            verdict->errors + at->errors > (uint64_t)job->plan->max_errors)
            return too_many(job, err);
        if (at->failure != NULL) {
            *err = *at->failure;
            return err->code;
        }
        if (!at->is_drained)
            return 0;
        verdict->errors += at->errors;
        verdict->head++;
    }
    return 0;
}

/* Whoever writes a partition that is first may know before the loop that those before it are
 * drained. Under the lock. */
static void pass(struct pex__verdict *verdict, size_t partition)
{
    for (size_t i = verdict->head; i < partition; i++)
        verdict->standings[i].is_drained = 1;
}

int32_t pex__verdict_add(struct pex_job *job, size_t partition, struct pex__work *work,
                         int is_first, struct pex_error *err)
{
    struct pex__verdict *verdict = &job->verdict;
    struct pex__standing *at = &verdict->standings[partition];
    int32_t failed = 0;

    if (work->errors == 0)
        return 0;
    pthread_mutex_lock(&verdict->lock);
    at->errors += work->errors;
    if (at->first == NULL) {
        at->first = work->first_error;
        work->first_error = NULL;
    }
    if (is_first)
        pass(verdict, partition);
    failed = judge(job, err);
    pthread_mutex_unlock(&verdict->lock);
    return failed;
}

int32_t pex__verdict_fail(struct pex_job *job, size_t partition, const struct pex_error *why,
                          int is_first, struct pex_error *err)
{
    struct pex__verdict *verdict = &job->verdict;
    struct pex_error *kept = pex__malloc(sizeof *kept);
    int32_t failed;

    if (kept == NULL)
        return pex__error_memory(err);
    *kept = *why;
    pthread_mutex_lock(&verdict->lock);
    verdict->standings[partition].failure = kept;
    if (!pex__verdict_is_over(job, partition))
        atomic_store_explicit(&verdict->ceiling, partition, memory_order_relaxed);
    if (is_first)
        pass(verdict, partition);
    failed = judge(job, err);
    pthread_mutex_unlock(&verdict->lock);
    return failed;
}

int32_t pex__verdict_drained(struct pex_job *job, size_t partition, struct pex_error *err)
{
    struct pex__verdict *verdict = &job->verdict;
    int32_t failed;

    pthread_mutex_lock(&verdict->lock);
    verdict->standings[partition].is_drained = 1;
    failed = judge(job, err);
    pthread_mutex_unlock(&verdict->lock);
    return failed;
}

int32_t pex__verdict_rate(struct pex_job *job, struct pex_error *err)
{
    struct pex__verdict *verdict = &job->verdict;
    double rows = (double)(job->rows + job->bad), most = job->plan->max_error_rate;
    int32_t failed = 0;

    if (most < 0)
        return 0;
    pthread_mutex_lock(&verdict->lock);
    /* A quotient, not a product: 29 of 100 is the very number that is written as 0.29. */
    if (verdict->errors > 0 && (double)verdict->errors / rows > most)
        failed = pex_error_set(err, PEX_EDATA,
                               "max_error_rate: %llu of %.0f rows failed, a share of %.6g; %.6g is "
                               "allowed; the first: %s",
                               (unsigned long long)verdict->errors, rows,
                               (double)verdict->errors / rows, most, first_message(verdict));
    pthread_mutex_unlock(&verdict->lock);
    return failed;
}
