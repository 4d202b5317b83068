/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a free thread does next, in this order: write what is ready; call the last operator that has a
 * parked batch and a free unit; go on with a ready batch, the furthest first; read the next slice.
 */
#include "exec/schedule_internal.h"

#include <assert.h>
#include <string.h>

static uint64_t slice_price(const struct pex__part *part)
{
    return (uint64_t)((double)part->slice_bytes * part->job->growth);
}

static int has_unread(const struct pex__part *part)
{
    return part->next_seq < part->slice_count;
}

static struct pex__ticket *head_of(const struct pex__part *part)
{
    if (part->head_seq == part->next_seq)
        return NULL;
    return part->ring[part->head_seq & (part->ring_size - 1)];
}

/* A part that is not the head writes to a file of its own only while a lower one has unread input, or
 * when its window is full: else it waits for its turn, and nothing is copied. */
static int may_write(const struct pex__part *part)
{
    const struct pex__sjob *job = part->job;

    if (job->sink == PEX__SINK_OWN || part->is_through)
        return 1;
    if (job->sink == PEX__SINK_PULL || part->is_appending || part->index == job->head)
        return 0;
    if (part->next_seq - part->head_seq == part->ring_size)
        return 1;
    for (const struct pex__part *lower = job->active; lower != part; lower = lower->next)
        if (has_unread(lower))
            return 1;
    return 0;
}

static int find_write(struct pex__sched *sched, struct pex__step *step)
{
    for (struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        if (job->is_stopped || job->sink == PEX__SINK_PULL)
            continue;
        for (struct pex__part *part = job->active; part != NULL; part = part->next) {
            struct pex__ticket *ticket = head_of(part);

            if (ticket == NULL || ticket->state != PEX__TICKET_FINISHED || part->is_writing ||
                !may_write(part))
                continue;
            step->kind = PEX__STEP_WRITE;
            step->part = part;
            return 1;
        }
    }
    return 0;
}

static int has_instance(const struct pex__pool *pool)
{
    return pool->is_stateless || pool->idle != NULL;
}

/* The lowest unwritten ticket, if it alone may go on and is parked before a step of this pool. */
static struct pex__ticket *pick_lowest(const struct pex__sched *sched, const struct pex__pool *pool,
                                       const struct pex__sjob *job)
{
    const struct pex__part *only = pex__sched_only(sched, job);
    struct pex__ticket *ticket = only != NULL ? head_of(only) : NULL;
    const struct pex__demand *demand;

    if (ticket == NULL || ticket->state != PEX__TICKET_PARKED ||
        only->job->steps[ticket->step].pool != pool)
        return NULL;
    demand = &only->job->steps[ticket->step].demand;
    return demand->out < demand->num_proc ? ticket : NULL;
}

/* The first parked ticket of the claim that the budget would serve now; over the limit the lowest
 * unwritten one alone. */
static struct pex__ticket *pick_parked(const struct pex__sched *sched, struct pex__pool *pool)
{
    struct pex__claim *claim = pex__budget_pick(&pool->budget);
    struct pex__ticket *ticket;

    if (claim == NULL)
        return NULL;
    ticket = ((struct pex__lane *)(void *)claim)->parked;
    return pex__ticket_may_go(sched, ticket) ? ticket : pick_lowest(sched, pool, ticket->part->job);
}

/* A call that this agent may make for the pool, or an instance that it may load. */
static int find_in_pool(struct pex__sched *sched, const struct pex__agent *agent,
                        struct pex__pool *pool, struct pex__step *step)
{
    struct pex__ticket *ticket = pick_parked(sched, pool);

    if (ticket == NULL)
        return 0;
    if (has_instance(pool) && (!pool->is_blocking || agent->unit != NULL)) {
        step->kind = PEX__STEP_CALL;
        step->ticket = ticket;
        step->part = ticket->part;
        step->pool = pool;
        step->at = ticket->step;
        return 1;
    }
    if (agent->unit != NULL || has_instance(pool) || sched->loading >= sched->load_limit ||
        pool->loaded + pool->loading >= (pool->is_shared ? 1 : pool->budget.n))
        return 0;
    step->kind = PEX__STEP_LOAD;
    step->pool = pool;
    step->job = ticket->part->job;
    step->at = ticket->step;
    return 1;
}

static int find_call(struct pex__sched *sched, const struct pex__agent *agent,
                     struct pex__step *step)
{
    for (struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        if (job->is_stopped)
            continue;
        for (size_t i = job->step_count; i-- > 0;)
            if (job->steps[i].pool != NULL && job->steps[i].demand.waiting > 0 &&
                find_in_pool(sched, agent, job->steps[i].pool, step))
                return 1;
    }
    return 0;
}

static int find_ready(struct pex__sched *sched, struct pex__step *step)
{
    struct pex__ticket *best = NULL;

    for (struct pex__ticket *t = sched->ready; t != NULL; t = t->next)
        if (pex__ticket_may_go(sched, t) &&
            (best == NULL || t->step > best->step || (t->step == best->step && t->seq < best->seq)))
            best = t;
    if (best == NULL)
        return 0;
    step->kind = PEX__STEP_RUN;
    step->ticket = best;
    step->part = best->part;
    return 1;
}

static struct pex__part *readable(struct pex__sched *sched, struct pex__sjob *job)
{
    int over = pex__account_over(&sched->account) || pex__account_over(&job->account);

    for (struct pex__part *part = job->active; part != NULL; part = part->next) {
        if (!has_unread(part) || part->next_seq - part->head_seq == part->ring_size)
            continue;
        if (over && !(part == pex__sched_lowest(sched) && part->held == 0))
            continue;
        if (pex__part_may_grant(part, slice_price(part)))
            return part;
    }
    return NULL;
}

static int find_read(struct pex__sched *sched, const struct pex__agent *agent,
                     struct pex__step *step)
{
    double best = 0;

    if (agent->spare == NULL)
        return 0;
    for (struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        double progress = (double)job->bytes_read / job->weight;
        struct pex__part *part;

        if (job->is_stopped || (step->part != NULL && progress >= best))
            continue;
        part = readable(sched, job);
        if (part == NULL)
            continue;
        step->kind = PEX__STEP_READ;
        step->part = part;
        best = progress;
    }
    return step->part != NULL;
}

/* Finds without taking. */
static void find(struct pex__sched *sched, const struct pex__agent *agent, struct pex__step *step)
{
    memset(step, 0, sizeof *step);
    if (agent->unit != NULL) {
        find_in_pool(sched, agent, agent->unit->pool, step);
        return;
    }
    if (find_write(sched, step) || find_call(sched, agent, step) || find_ready(sched, step) ||
        find_read(sched, agent, step))
        return;
    if (sched->tasks != NULL)
        step->kind = PEX__STEP_TASK;
}

static void take_ready(struct pex__sched *sched, struct pex__ticket *ticket)
{
    struct pex__ticket **at = &sched->ready;

    while (*at != ticket)
        at = &(*at)->next;
    *at = ticket->next;
}

static void take_parked(struct pex__step *step)
{
    struct pex__lane *lane = &step->part->lanes[step->at];
    struct pex__ticket **at = &lane->parked;

    while (*at != step->ticket)
        at = &(*at)->next;
    *at = step->ticket->next;
    pex__budget_lease(&lane->claim);
}

/* The unit for a call: a blocking thread's own, any idle one, the shared one that stays idle. */
static struct pex__unit *take_unit(const struct pex__agent *agent, struct pex__pool *pool)
{
    struct pex__unit **at = &pool->idle, *unit;

    if (pool->is_stateless && agent->unit == NULL)
        return NULL;
    while (agent->unit != NULL && *at != agent->unit)
        at = &(*at)->next;
    unit = *at;
    if (!pool->is_shared)
        *at = unit->next;
    return unit;
}

/* Number, window slot and credit in one step. */
static void take_slice(struct pex__agent *agent, struct pex__step *step)
{
    struct pex__part *part = step->part;
    struct pex__ticket *ticket = agent->spare;

    agent->spare = NULL;
    ticket->next = NULL;
    ticket->part = part;
    ticket->seq = part->next_seq++;
    ticket->bytes = part->slice_bytes;
    ticket->cost = slice_price(part);
    ticket->peak = 0;
    ticket->step = 0;
    part->ring[ticket->seq & (part->ring_size - 1)] = ticket;
    part->in_flight++;
    part->job->bytes_read += part->slice_bytes;
    pex__part_charge(part, 0, ticket->cost);
    step->ticket = ticket;
}

void pex__sched_next(struct pex__sched *sched, struct pex__agent *agent, struct pex__step *step)
{
    find(sched, agent, step);
    switch (step->kind) {
    case PEX__STEP_READ:
        take_slice(agent, step);
        break;
    case PEX__STEP_RUN:
        take_ready(sched, step->ticket);
        break;
    case PEX__STEP_CALL:
        take_parked(step);
        step->unit = take_unit(agent, step->pool);
        break;
    case PEX__STEP_WRITE:
        step->through = step->part->is_through;
        step->ticket = pex__window_take(step->part);
        return;
    case PEX__STEP_LOAD:
        sched->loading++;
        step->pool->loading++;
        step->job->busy++;
        return;
    case PEX__STEP_TASK:
        step->task = sched->tasks;
        sched->tasks = step->task->next;
        return;
    default:
        return;
    }
    step->ticket->state = PEX__TICKET_BUSY;
    step->part->job->busy++;
}

int pex__sched_has_work(struct pex__sched *sched)
{
    struct pex__ticket spare;
    struct pex__agent anybody = {&spare, NULL};
    struct pex__step step;

    find(sched, &anybody, &step);
    return step.kind != PEX__STEP_NONE;
}

struct pex__unit *pex__sched_blocking_work(struct pex__sched *sched)
{
    for (struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        if (job->is_stopped)
            continue;
        for (size_t i = 0; i < job->step_count; i++) {
            struct pex__pool *pool = job->steps[i].pool;

            if (pool != NULL && pool->is_blocking && pool->idle != NULL &&
                pick_parked(sched, pool) != NULL)
                return pool->idle;
        }
    }
    return NULL;
}
