/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory. Every active part owns a reserve; what remains of the capacity is shared. Growth is
 * charged at once and never waited for; over the limit only the lowest unwritten ticket goes on.
 */
#include "exec/schedule_internal.h"

#include <assert.h>

void pex__account_init(struct pex__account *account, uint64_t limit, uint64_t set_aside)
{
    account->limit = limit;
    account->total = account->outside = account->reserved = account->shared = 0;
    pex__account_set_aside(account, set_aside);
}

void pex__account_set_aside(struct pex__account *account, uint64_t set_aside)
{
    account->capacity = account->limit > set_aside ? account->limit - set_aside : 0;
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
    uint64_t outside = account->outside + (uint64_t)bytes;

    /* Who gives back more than was charged does not take it from the tickets. */
    if (bytes < 0 && (uint64_t)-bytes > account->outside)
        outside = 0;
    account->total = account->total - account->outside + outside;
    account->outside = outside;
}

static uint64_t above(uint64_t held, uint64_t reserve)
{
    return held > reserve ? held - reserve : 0;
}

static int fits_reserve(const struct pex__account *account, uint64_t reserve)
{
    return account->reserved + account->shared + reserve <= account->capacity;
}

/* Jobs at the pace of a host leave half of everything to those that are not: more than what a job
 * needs to go on is given to them up to there only. */
static int leaves_half(const struct pex__sched *sched, uint64_t more)
{
    const struct pex__account *all = &sched->account;

    return all->reserved + all->shared + more <= all->capacity / 2;
}

uint64_t pex__part_price(const struct pex__part *part)
{
    return (uint64_t)((double)part->slice_bytes * part->job->growth);
}

/* The next step of the part is the host's: it takes the rows, or its source gives more. (While a
 * part is decoded, its READ is in the window.) */
static int waits_for_host(const struct pex__part *part)
{
    const struct pex__ticket *first = pex__part_first(part);

    if (first == NULL)
        return part->is_open && !pex__part_has_unread(part);
    return first->state == PEX__TICKET_FINISHED &&
           (part->job->sink == PEX__SINK_PULL || part->job->is_held);
}

struct pex__part *pex__sched_lowest(const struct pex__sched *sched)
{
    struct pex__part *oldest = NULL;

    if (sched->oversize != NULL && !waits_for_host(sched->oversize))
        return sched->oversize;
    for (const struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        if (!pex__job_goes_on(job) || job->active == NULL)
            continue;
        if (!waits_for_host(job->active))
            return job->active;
        if (oldest == NULL)
            oldest = job->active;
    }
    return oldest;
}

/* The host may let the job's rows lie for as long as it likes. */
static int is_paced(const struct pex__sjob *job)
{
    return job->sink == PEX__SINK_PULL || job->is_held;
}

/* No part is open in the job or an older one that goes on. */
static int is_first_in_line(const struct pex__sjob *job)
{
    const struct pex__sjob *each = job->sched->jobs;

    while (each != job && (!pex__job_goes_on(each) || each->active == NULL))
        each = each->next;
    return each == job && job->active == NULL;
}

int pex__part_admit(struct pex__part *part)
{
    struct pex__sjob *job = part->job;
    struct pex__account *all = &job->sched->account;

    part->reserve = pex__part_price(part);
    if (!is_first_in_line(job) &&
        (!fits_reserve(&job->account, part->reserve) || !fits_reserve(all, part->reserve)))
        return 0;
    if (is_paced(job) && job->active != NULL && !leaves_half(job->sched, part->reserve))
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

static void change_reserve(struct pex__part *part, uint64_t reserve)
{
    struct pex__account *own = &part->job->account, *all = &part->job->sched->account;

    own->reserved = own->reserved - part->reserve + reserve;
    all->reserved = all->reserved - part->reserve + reserve;
    part->reserve = reserve;
}

/* The part holds nothing: its reserve follows what a slice costs now, upwards if there is room. */
static void set_reserve(struct pex__part *part)
{
    const struct pex__account *own = &part->job->account, *all = &part->job->sched->account;
    uint64_t price = pex__part_price(part);

    if (price > part->reserve &&
        (!fits_reserve(own, price - part->reserve) || !fits_reserve(all, price - part->reserve)))
        return;
    change_reserve(part, price);
}

/* The shared sums stay as they are: nothing is held above what was in reserve and is not held. */
static void trim_reserve(struct pex__part *part)
{
    if (part->reserve > part->held)
        change_reserve(part, part->held);
}

/* Of the jobs that go on, the oldest with a slice that passed the limit; another had passed while
 * that job did not go on. */
static void choose_oversize(struct pex__sched *sched)
{
    sched->oversize = NULL;
    for (struct pex__sjob *job = sched->jobs; job != NULL && sched->oversize == NULL;
         job = job->next)
        for (struct pex__part *part = job->active;
             pex__job_goes_on(job) && part != NULL && sched->oversize == NULL; part = part->next)
            if (part->has_passed)
                sched->oversize = part;
}

void pex__job_yield(struct pex__sjob *job)
{
    struct pex__sched *sched = job->sched;

    for (struct pex__part *part = job->active; part != NULL; part = part->next)
        trim_reserve(part);
    if (sched->oversize != NULL && sched->oversize->job == job)
        choose_oversize(sched);
}

void pex__job_reclaim(struct pex__sjob *job)
{
    for (struct pex__part *part = job->active; part != NULL; part = part->next)
        if (part->held == 0)
            set_reserve(part);
    if (job->sched->oversize == NULL)
        choose_oversize(job->sched);
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
    struct pex__sched *sched = part->job->sched;
    uint64_t held = part->held - before + after;
    uint64_t was = above(part->held, part->reserve), is = above(held, part->reserve);

    assert(part->held >= before);
    charge(&part->job->account, before, after, was, is);
    charge(&sched->account, before, after, was, is);
    part->held = held;
    if (!pex__job_goes_on(part->job))
        trim_reserve(part);
    else if (held == 0)
        set_reserve(part);
    if (held > 0)
        return;
    part->has_passed = 0;
    if (sched->oversize == part)
        choose_oversize(sched);
}

/* Bytes above the reserve that the part would hold with `cost` more. */
static uint64_t more_shared(const struct pex__part *part, uint64_t cost)
{
    return above(part->held + cost, part->reserve) - above(part->held, part->reserve);
}

static int account_grants(const struct pex__account *account, const struct pex__part *part,
                          uint64_t cost)
{
    uint64_t more = more_shared(part, cost);

    if (account->total + cost > account->limit)
        return 0;
    return more == 0 || account->reserved + account->shared + more <= account->capacity;
}

int pex__part_may_grant(const struct pex__part *part, uint64_t cost)
{
    const struct pex__sched *sched = part->job->sched;

    /* What does not fit waits until nothing of the part is in flight, and passes only for the
     * lowest. */
    if (!account_grants(&part->job->account, part, cost) &&
        (part->in_flight > 0 || part != part->job->active))
        return 0;
    if (is_paced(part->job) && part->in_flight > 0 && more_shared(part, cost) > 0 &&
        !leaves_half(sched, more_shared(part, cost)))
        return 0;
    return account_grants(&sched->account, part, cost) ||
           (part->in_flight == 0 && sched->oversize == NULL && part == pex__sched_lowest(sched));
}

const struct pex__part *pex__sched_only(const struct pex__sched *sched, const struct pex__sjob *job)
{
    if (pex__account_over(&sched->account))
        return pex__sched_lowest(sched);
    return pex__account_over(&job->account) ? job->active : NULL;
}

int pex__ticket_may_go(const struct pex__sched *sched, const struct pex__ticket *ticket)
{
    const struct pex__part *only;

    if (ticket->part->job->is_paused)
        return 0;
    only = pex__sched_only(sched, ticket->part->job);
    /* What is being written comes first, and still holds its bytes. */
    return only == NULL ||
           (ticket->part == only && ticket->seq == only->head_seq && !only->is_writing);
}
