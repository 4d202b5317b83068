/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory. Every active part owns a reserve; what remains of the capacity is shared. Growth is charged
 * at once and never waited for; over the limit only the lowest unwritten ticket goes on.
 */
#include "exec/schedule_internal.h"

#include <assert.h>

void pex__account_init(struct pex__account *account, uint64_t limit, uint64_t set_aside)
{
    account->limit = limit;
    account->capacity = limit > set_aside ? limit - set_aside : 0;
    account->total = account->reserved = account->shared = 0;
}

int pex__account_over(const struct pex__account *account)
{
    return account->total > account->limit;
}

void pex__account_raise(struct pex__account *account, uint64_t limit)
{
    account->limit = account->capacity = limit;
}

void pex__account_charge(struct pex__account *account, int64_t bytes)
{
    if (bytes < 0 && (uint64_t)-bytes > account->total)
        account->total = 0;
    else
        account->total += (uint64_t)bytes;
}

static uint64_t above(uint64_t held, uint64_t reserve)
{
    return held > reserve ? held - reserve : 0;
}

static int fits_reserve(const struct pex__account *account, uint64_t reserve)
{
    return account->reserved + account->shared + reserve <= account->capacity;
}

struct pex__part *pex__sched_lowest(const struct pex__sched *sched)
{
    for (const struct pex__sjob *job = sched->jobs; job != NULL; job = job->next)
        if (!job->is_stopped && job->active != NULL)
            return job->active;
    return NULL;
}

int pex__part_admit(struct pex__part *part)
{
    struct pex__sjob *job = part->job;
    struct pex__account *all = &job->sched->account;
    struct pex__part *lowest = pex__sched_lowest(job->sched);
    int is_first = job->active == NULL && (lowest == NULL || lowest->job->age > job->age);

    if (!is_first &&
        (!fits_reserve(&job->account, part->reserve) || !fits_reserve(all, part->reserve)))
        return 0;
    job->account.reserved += part->reserve;
    all->reserved += part->reserve;
    return 1;
}

void pex__part_release(struct pex__part *part)
{
    assert(part->held == 0);
    part->job->account.reserved -= part->reserve;
    part->job->sched->account.reserved -= part->reserve;
}

static void charge(struct pex__account *account, uint64_t before, uint64_t after,
                   uint64_t shared_before, uint64_t shared_after)
{
    assert(account->total >= before && account->shared >= shared_before);
    account->total = account->total - before + after;
    account->shared = account->shared - shared_before + shared_after;
}

void pex__part_charge(struct pex__part *part, uint64_t before, uint64_t after)
{
    uint64_t held = part->held - before + after;
    uint64_t was = above(part->held, part->reserve), is = above(held, part->reserve);

    assert(part->held >= before);
    charge(&part->job->account, before, after, was, is);
    charge(&part->job->sched->account, before, after, was, is);
    part->held = held;
}

static int account_grants(const struct pex__account *account, const struct pex__part *part,
                          uint64_t cost)
{
    uint64_t more = above(part->held + cost, part->reserve) - above(part->held, part->reserve);

    if (account->total + cost > account->limit)
        return 0;
    return more == 0 || account->reserved + account->shared + more <= account->capacity;
}

int pex__part_may_grant(const struct pex__part *part, uint64_t cost)
{
    const struct pex__sched *sched = part->job->sched;

    if (account_grants(&part->job->account, part, cost) &&
        account_grants(&sched->account, part, cost))
        return 1;
    /* What does not fit waits until the part holds nothing, and passes only for the lowest. */
    return part->held == 0 && part == pex__sched_lowest(sched);
}

const struct pex__part *pex__sched_only(const struct pex__sched *sched, const struct pex__sjob *job)
{
    if (pex__account_over(&sched->account))
        return pex__sched_lowest(sched);
    return pex__account_over(&job->account) ? job->active : NULL;
}

int pex__ticket_may_go(const struct pex__sched *sched, const struct pex__ticket *ticket)
{
    const struct pex__part *only = pex__sched_only(sched, ticket->part->job);

    return only == NULL || (ticket->part == only && ticket->seq == only->head_seq);
}
