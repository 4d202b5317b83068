/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a free thread does next, in this order: a task, for which a whole job waits; write what is
 * ready and its own; call the last operator that has a parked batch and a free unit; go on with a
 * ready batch, the furthest first; read the next slice; write what others finished.
 */
#include "exec/schedule_internal.h"

#include <assert.h>
#include <string.h>

/* A part that is not the head writes to a file of its own only when its window is full: else its
 * rows wait for their turn, and nothing is copied. Those of a paused job would wait too long: their
 * memory is for others. */
static int may_write(const struct pex__part *part)
{
    const struct pex__sjob *job = part->job;

    if (job->sink == PEX__SINK_OWN || part->is_through)
        return !job->is_full;
    if (job->sink == PEX__SINK_PULL || part->is_appending || part->index == job->head)
        return 0;
    return job->is_paused || part->next_seq - part->head_seq == part->ring_size;
}

/* A window that is half full has no time to wait for the right writer. */
static int is_urgent(const struct pex__part *part)
{
    return (part->next_seq - part->head_seq) * 2 >= part->ring_size;
}

/*
 * Rows are cheapest to write for the worker that encoded them: they are in its cache. Others write
 * them when the window gets full, or when there is nothing else to do (owner PEX__ANY_OWNER).
 */
static int find_write(struct pex__sched *sched, int32_t owner, struct pex__step *step)
{
    for (struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        if (job->is_stopped || job->is_held || job->sink == PEX__SINK_PULL)
            continue;
        for (struct pex__part *part = job->active; part != NULL; part = part->next) {
            struct pex__ticket *ticket = pex__part_first(part);
            int is_any = owner == PEX__ANY_OWNER || is_urgent(part);

            if (ticket == NULL || ticket->state != PEX__TICKET_FINISHED || part->is_writing ||
                !may_write(part) || (!is_any && ticket->owner != owner && ticket->owner != 0))
                continue;
            step->kind = PEX__STEP_WRITE;
            step->part = part;
            step->owner = is_any ? PEX__ANY_OWNER : ticket->owner;
            return 1;
        }
    }
    return 0;
}

/* An idle instance, for a blocking unit itself. A unit that is evicted is not idle any more. */
static int has_instance(const struct pex__pool *pool, const struct pex__agent *agent)
{
    const struct pex__unit *unit = pool->idle;

    if (pool->is_stateless || agent->unit == NULL)
        return pool->is_stateless || unit != NULL;
    while (unit != NULL && unit != agent->unit)
        unit = unit->next;
    return unit != NULL;
}

static struct pex__ticket *first_parked(const struct pex__claim *claim)
{
    return ((const struct pex__lane *)(const void *)claim)->parked;
}

static int may_call(const struct pex__claim *claim, const void *sched)
{
    return pex__ticket_may_go(sched, first_parked(claim));
}

/* The lowest unwritten ticket of all, if it is parked before this pool. Its job's share may be 0,
 * when there are more jobs than units and those that have the units can use none of them now. */
static struct pex__ticket *pick_lowest(const struct pex__sched *sched, const struct pex__pool *pool)
{
    const struct pex__part *lowest = pex__sched_lowest(sched);
    struct pex__ticket *ticket = lowest != NULL ? pex__part_first(lowest) : NULL;

    if (ticket == NULL || ticket->state != PEX__TICKET_PARKED ||
        pool->budget.out >= pool->budget.n || lowest->job->steps[ticket->step].pool != pool ||
        !pex__ticket_may_go(sched, ticket))
        return NULL;
    return lowest->job->steps[ticket->step].demand.out == 0 ? ticket : NULL;
}

/* The first parked ticket of the claim that the budget would serve now. */
static struct pex__ticket *pick_parked(const struct pex__sched *sched, struct pex__pool *pool)
{
    struct pex__claim *claim = pex__budget_pick(&pool->budget, may_call, sched);

    return claim != NULL ? first_parked(claim) : pick_lowest(sched, pool);
}

/* A call that this agent may make for the pool, or an instance that it may load. */
static int find_in_pool(struct pex__sched *sched, const struct pex__agent *agent,
                        struct pex__pool *pool, struct pex__step *step)
{
    struct pex__ticket *ticket = pick_parked(sched, pool);

    if (ticket == NULL)
        return 0;
    if (has_instance(pool, agent) && (!pool->is_blocking || agent->unit != NULL)) {
        step->kind = PEX__STEP_CALL;
        step->ticket = ticket;
        step->part = ticket->part;
        step->pool = pool;
        step->at = ticket->step;
        return 1;
    }
    if (agent->unit != NULL || has_instance(pool, agent) || sched->loading >= sched->load_limit ||
        pool->loading >= pool->budget.waiting ||
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
        if (!pex__job_goes_on(job))
            continue;
        for (size_t i = job->step_count; i-- > 0;)
            if (job->steps[i].pool != NULL && job->steps[i].demand.waiting > 0 &&
                find_in_pool(sched, agent, job->steps[i].pool, step))
                return 1;
    }
    return 0;
}

/* The furthest first, then by age of the job, part and number. */
static int goes_before(const struct pex__ticket *a, const struct pex__ticket *b)
{
    if (a->step != b->step)
        return a->step > b->step;
    if (a->part->job != b->part->job)
        return a->part->job->age < b->part->job->age;
    if (a->part != b->part)
        return a->part->index < b->part->index;
    return a->seq < b->seq;
}

static int find_ready(struct pex__sched *sched, struct pex__step *step)
{
    struct pex__ticket *best = NULL;

    for (struct pex__ticket *t = sched->ready; t != NULL; t = t->next)
        if (pex__ticket_may_go(sched, t) && (best == NULL || goes_before(t, best)))
            best = t;
    if (best == NULL)
        return 0;
    step->kind = PEX__STEP_RUN;
    step->ticket = best;
    step->part = best->part;
    step->at = best->step;
    return 1;
}

/* A slot is free, and what is being written, which has none any more, does not hold more than all
 * slots would: a writer that is held up holds up the part as well. */
static int has_slot(const struct pex__part *part)
{
    return part->next_seq - part->head_seq < part->ring_size && part->in_flight < part->ring_size;
}

static int may_read(const struct pex__part *part)
{
    return pex__part_has_unread(part) && has_slot(part) &&
           pex__part_may_grant(part, pex__part_price(part));
}

/* The lowest part; but a worker goes on with the stream that it read last: the decoder and what it
 * looks back at are in its cache, and two workers would swap theirs with every slice. */
static struct pex__part *readable(struct pex__sjob *job, const struct pex__agent *agent)
{
    struct pex__part *lowest = NULL;

    for (struct pex__part *part = job->active; part != NULL; part = part->next) {
        int is_own = part->is_open && agent->id != 0 && part->reader == agent->id;

        if ((lowest != NULL && !is_own) || !may_read(part))
            continue;
        if (is_own)
            return part;
        lowest = part;
    }
    return lowest;
}

static void find_read(struct pex__sched *sched, const struct pex__agent *agent,
                      struct pex__step *step)
{
    double best = 0;

    if (agent->spare == NULL)
        return;
    for (struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        double progress = (double)job->bytes_read / job->weight;
        struct pex__part *part;

        if (!pex__job_goes_on(job) || (step->part != NULL && progress >= best))
            continue;
        part = readable(job, agent);
        if (part == NULL)
            continue;
        step->kind = PEX__STEP_READ;
        step->part = part;
        best = progress;
    }
}

/* Whoever returns a lease that others wait for takes the next batch of that queue at once: the unit
 * would lie idle until another thread is awake, and that thread can write, or go on with what was
 * called, as well. */
static int serves_queue(struct pex__sched *sched, const struct pex__agent *agent,
                        struct pex__step *step)
{
    return agent->served != NULL && sched->threads > 1 && agent->served->budget.waiting > 0 &&
           find_in_pool(sched, agent, agent->served, step);
}

/* Finds without taking. */
static void find(struct pex__sched *sched, const struct pex__agent *agent, struct pex__step *step)
{
    memset(step, 0, sizeof *step);
    if (agent->unit != NULL) {
        find_in_pool(sched, agent, agent->unit->pool, step);
        return;
    }
    if (sched->tasks != NULL) {
        step->kind = PEX__STEP_TASK;
        return;
    }
    if (serves_queue(sched, agent, step) || find_write(sched, agent->id, step) ||
        find_call(sched, agent, step) || find_ready(sched, step))
        return;
    find_read(sched, agent, step);
    if (step->kind == PEX__STEP_NONE)
        find_write(sched, PEX__ANY_OWNER, step);
}

static void take_ready(struct pex__sched *sched, struct pex__ticket *ticket)
{
    struct pex__ticket **at = &sched->ready;

    while (*at != ticket)
        at = &(*at)->next;
    *at = ticket->next;
    ticket->next = NULL;
}

/*
 * How many tickets one call may take, the first included: its unit's part of what was parked, so
 * that the other units of the claim find some as well, and no more than half of the window, so that
 * reading goes on.
 */
static uint32_t most_of_call(const struct pex__part *part, const struct pex__claim *claim)
{
    uint32_t share = (uint32_t)pex__claim_share(claim), most = (uint32_t)claim->waiting + 1;

    if (share > 1)
        most = (most + share - 1) / share;
    if (most > part->ring_size / 2)
        most = part->ring_size / 2;
    return most < PEX__CALL_TICKETS ? most : PEX__CALL_TICKETS;
}

/* Takes the tickets behind step->ticket along that are parked without a gap, until the call has
 * rows enough, or there is a handful of quick calls. Nobody waits for more of them. */
static void join_parked(const struct pex__sched *sched, const struct pex__step *step,
                        struct pex__ticket **at)
{
    struct pex__claim *claim = &step->part->lanes[step->at].claim;
    const struct pex__sstep *rule = &step->part->job->steps[step->at];
    int is_handful = rule->join_rows == 0 && pex__is_quick(rule->ns);
    uint64_t rows = step->ticket->rows, enough = is_handful ? UINT64_MAX : rule->join_rows;
    struct pex__ticket *last = step->ticket;
    uint32_t most;

    if (rows >= enough || last->is_alone || *at == NULL)
        return;
    most = most_of_call(step->part, claim);
    if (is_handful && most > pex__sched_handful(sched))
        most = pex__sched_handful(sched);
    for (; most > 1 && rows < enough; most--) {
        struct pex__ticket *next = *at;

        if (next == NULL || next->seq != last->seq + 1 || next->is_alone ||
            !pex__ticket_may_go(sched, next))
            break;
        *at = next->next;
        pex__claim_unpark(claim);
        last->next = next;
        last = next;
        rows += next->rows;
    }
    last->next = NULL;
}

static void take_parked(const struct pex__sched *sched, struct pex__step *step)
{
    struct pex__lane *lane = &step->part->lanes[step->at];
    struct pex__ticket **at = &lane->parked;

    while (*at != step->ticket)
        at = &(*at)->next;
    *at = step->ticket->next;
    step->ticket->next = NULL;
    pex__budget_lease(&lane->claim);
    join_parked(sched, step, at);
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
    if (pool->is_shared)
        unit->calls++;
    else
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
    ticket->cost = pex__part_price(part);
    ticket->peak = 0;
    ticket->step = 0;
    ticket->rows = 0;
    ticket->is_alone = 0;
    part->ring[ticket->seq & (part->ring_size - 1)] = ticket;
    part->in_flight++;
    part->reader = agent->id;
    part->job->bytes_read += part->slice_bytes;
    pex__part_charge(part, 0, ticket->cost);
    if (pex__account_over(&part->job->sched->account)) {
        part->has_passed = 1;
        part->job->sched->oversize = part;
    }
    step->ticket = ticket;
}

static void begin(const struct pex__agent *agent, struct pex__step *step)
{
    for (struct pex__ticket *ticket = step->ticket; ticket != NULL; ticket = ticket->next) {
        ticket->state = PEX__TICKET_BUSY;
        ticket->owner = agent->id;
    }
    step->part->job->busy++;
}

void pex__sched_next(struct pex__sched *sched, struct pex__agent *agent, struct pex__step *step)
{
    find(sched, agent, step);
    agent->served = NULL;
    switch (step->kind) {
    case PEX__STEP_READ:
        take_slice(agent, step);
        break;
    case PEX__STEP_RUN:
        take_ready(sched, step->ticket);
        break;
    case PEX__STEP_CALL:
        take_parked(sched, step);
        step->unit = take_unit(agent, step->pool);
        agent->served = step->pool;
        break;
    case PEX__STEP_WRITE:
        step->through = step->part->is_through;
        step->ticket = pex__window_take(step->part, step->owner);
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
    begin(agent, step);
}

uint32_t pex__sched_handful(const struct pex__sched *sched)
{
    return pex__window_size(sched->threads) / (2 * sched->threads);
}

void pex__sched_next_alike(struct pex__sched *sched, struct pex__agent *agent,
                           const struct pex__step *step, struct pex__step *next)
{
    memset(next, 0, sizeof *next);
    if (step->kind == PEX__STEP_READ) {
        find_read(sched, agent, next);
        if (next->kind != PEX__STEP_NONE && next->part->job != step->part->job)
            next->kind = PEX__STEP_NONE;
        if (next->kind == PEX__STEP_NONE)
            return;
        take_slice(agent, next);
    } else {
        if (!find_ready(sched, next) || next->at != step->at ||
            next->part->job != step->part->job) {
            next->kind = PEX__STEP_NONE;
            return;
        }
        take_ready(sched, next->ticket);
    }
    begin(agent, next);
}

int pex__sched_has_work(struct pex__sched *sched)
{
    struct pex__ticket spare;
    struct pex__agent anybody = {.spare = &spare};
    struct pex__step step;

    find(sched, &anybody, &step);
    return step.kind != PEX__STEP_NONE;
}

int pex__sched_has_call(struct pex__sched *sched, int or_ready)
{
    struct pex__agent anybody = {.spare = NULL};
    struct pex__step step;

    memset(&step, 0, sizeof step);
    return find_call(sched, &anybody, &step) || (or_ready && find_ready(sched, &step));
}

struct pex__unit *pex__sched_blocking_work(struct pex__sched *sched)
{
    for (struct pex__sjob *job = sched->jobs; job != NULL; job = job->next) {
        if (!pex__job_goes_on(job))
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
