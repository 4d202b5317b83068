/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/schedule.h"

#include "exec/schedule_internal.h"

#include <assert.h>
#include <string.h>

void pex__sched_init(struct pex__sched *sched, uint64_t limit, uint32_t threads, int32_t load_limit)
{
    memset(sched, 0, sizeof *sched);
    pex__account_init(&sched->account, limit, 0);
    sched->threads = threads;
    sched->load_limit = load_limit;
}

static void note(struct pex__part *part, int32_t what)
{
    struct pex__part **at = &part->job->sched->noted;

    if (part->notes == 0) {
        while (*at != NULL)
            at = &(*at)->next_noted;
        part->next_noted = NULL;
        *at = part;
    }
    part->notes |= what;
}

struct pex__part *pex__sched_take_note(struct pex__sched *sched, int32_t *notes)
{
    struct pex__part *part = sched->noted;

    if (part == NULL)
        return NULL;
    sched->noted = part->next_noted;
    *notes = part->notes;
    part->notes = 0;
    return part;
}

/* A newcomer does not read alone until it has caught up. */
static void forget_reads(struct pex__sched *sched)
{
    for (struct pex__sjob *each = sched->jobs; each != NULL; each = each->next)
        each->bytes_read = 0;
}

void pex__sched_job_enter(struct pex__sched *sched, struct pex__sjob *job)
{
    struct pex__sjob **at = &sched->jobs;

    while (*at != NULL && (*at)->age < job->age)
        at = &(*at)->next;
    job->next = *at;
    job->sched = sched;
    job->active = NULL;
    job->head = 0;
    job->busy = 0;
    *at = job;
    forget_reads(sched);
    for (size_t i = 0; i < job->step_count; i++) {
        struct pex__sstep *step = &job->steps[i];

        if (step->pool == NULL)
            continue;
        step->demand.age = job->age;
        step->demand.weight = job->weight;
        pex__budget_attach(&step->pool->budget, &step->demand);
        pex__budget_pause(&step->demand, job->is_paused);
    }
}

void pex__sched_job_leave(struct pex__sjob *job)
{
    struct pex__sjob **at = &job->sched->jobs;

    assert(job->active == NULL && job->busy == 0);
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    for (size_t i = 0; i < job->step_count; i++)
        if (job->steps[i].pool != NULL)
            pex__budget_detach(&job->steps[i].demand);
    job->sched = NULL;
}

static int has_finished(const struct pex__part *part)
{
    const struct pex__ticket *first = pex__part_first(part);

    return first != NULL && first->state == PEX__TICKET_FINISHED;
}

/* The part at the head writes through, unless rows wait in a file of its own: they go first. */
static void advance_head(struct pex__sjob *job)
{
    struct pex__part *part;

    while (job->head < job->part_count && (part = job->parts[job->head]) != NULL) {
        if (part->has_file) {
            if (!part->is_writing && !part->is_appending && !job->is_stopped) {
                part->is_appending = 1;
                note(part, PEX__NOTE_APPEND);
            }
            return;
        }
        part->is_through = 1;
        if (job->sink == PEX__SINK_PULL && has_finished(part))
            note(part, PEX__NOTE_PULL);
        if (!part->is_drained)
            return;
        if (!part->is_out) {
            part->is_out = 1;
            note(part, PEX__NOTE_OUT);
        }
        job->head++;
    }
}

void pex__sched_appended(struct pex__part *part)
{
    assert(part->is_appending);
    part->is_appending = 0;
    part->has_file = 0;
    advance_head(part->job);
}

static void leave_active(struct pex__part *part)
{
    struct pex__part **at = &part->job->active;

    while (*at != part)
        at = &(*at)->next;
    *at = part->next;
    part->is_active = 0;
    for (size_t i = 0; i < part->job->step_count; i++)
        if (part->job->steps[i].pool != NULL)
            pex__claim_detach(&part->lanes[i].claim);
    pex__part_release(part);
}

/* All read and all written: the part is drained. A stopped one ends with its last ticket. */
static void settle(struct pex__part *part)
{
    if (!part->is_active || part->in_flight > 0 || part->is_writing ||
        (pex__part_goes_on(part) && !part->job->is_stopped))
        return;
    leave_active(part);
    part->is_drained = 1;
    note(part, PEX__NOTE_DRAINED);
    if (part->job->sink != PEX__SINK_OWN) {
        advance_head(part->job);
    } else {
        part->is_out = 1;
        note(part, PEX__NOTE_OUT);
    }
}

int pex__sched_part_open(struct pex__part *part)
{
    struct pex__sjob *job = part->job;
    struct pex__part **at = &job->active;

    if (job->is_paused || !pex__part_admit(part))
        return 0;
    while (*at != NULL)
        at = &(*at)->next;
    assert(job->parts[part->index] == NULL);
    part->next = NULL;
    part->is_active = 1;
    *at = part;
    job->parts[part->index] = part;
    for (size_t i = 0; i < job->step_count; i++) {
        if (job->steps[i].pool == NULL)
            continue;
        part->lanes[i].claim.index = part->index;
        pex__claim_attach(&job->steps[i].demand, &part->lanes[i].claim);
    }
    if (job->sink != PEX__SINK_OWN)
        advance_head(job);
    settle(part);
    return 1;
}

/* A claim ends when no slice will be read any more and no ticket stands at or before its step. */
static void refresh_claims(struct pex__part *part)
{
    uint32_t lowest = UINT32_MAX;

    if (pex__part_goes_on(part) && !part->job->is_stopped)
        return;
    for (uint64_t seq = part->head_seq; seq < part->next_seq; seq++) {
        struct pex__ticket *ticket = part->ring[seq & (part->ring_size - 1)];

        if (ticket != NULL && ticket->state != PEX__TICKET_FINISHED && ticket->step < lowest)
            lowest = ticket->step;
    }
    for (size_t i = 0; i < part->job->step_count && i < lowest; i++)
        if (part->job->steps[i].pool != NULL)
            pex__claim_end(&part->lanes[i].claim);
}

void pex__sched_part_more(struct pex__part *part, uint64_t count, int is_end)
{
    if (part->job->is_stopped)
        return;
    assert(part->is_open);
    part->slice_count += count;
    part->is_open = !is_end;
    refresh_claims(part);
    settle(part);
}

static void set_cost(struct pex__ticket *ticket, uint64_t cost)
{
    if (cost != ticket->cost)
        pex__part_charge(ticket->part, ticket->cost, cost);
    ticket->cost = cost;
    if (cost > ticket->peak)
        ticket->peak = cost;
}

static void free_ticket(struct pex__ticket *ticket)
{
    struct pex__part *part = ticket->part;

    set_cost(ticket, 0);
    part->in_flight--;
    ticket->state = PEX__TICKET_FREE;
    ticket->next = part->job->sched->freed;
    part->job->sched->freed = ticket;
}

/* A ticket of a stopped job leaves its place in the window. */
static void drop_ticket(struct pex__ticket *ticket)
{
    struct pex__part *part = ticket->part;

    part->ring[ticket->seq & (part->ring_size - 1)] = NULL;
    free_ticket(ticket);
}

static void park(struct pex__ticket *ticket)
{
    struct pex__lane *lane = &ticket->part->lanes[ticket->step];
    struct pex__ticket **at = &lane->parked;

    while (*at != NULL && (*at)->seq < ticket->seq)
        at = &(*at)->next;
    ticket->next = *at;
    *at = ticket;
    ticket->state = PEX__TICKET_PARKED;
    pex__claim_park(&lane->claim);
}

static void make_ready(struct pex__ticket *ticket)
{
    struct pex__sched *sched = ticket->part->job->sched;

    ticket->state = PEX__TICKET_READY;
    ticket->next = sched->ready;
    sched->ready = ticket;
}

static void finish(struct pex__ticket *ticket)
{
    struct pex__sjob *job = ticket->part->job;
    double seen = ticket->bytes > 0 ? (double)ticket->peak / (double)ticket->bytes : job->growth;

    ticket->state = PEX__TICKET_FINISHED;
    /* Follows a rise at once and a fall slowly: too low a price means growth over the limit. */
    job->growth = seen > job->growth ? seen : job->growth + (seen - job->growth) / 16;
    if (job->growth < 1)
        job->growth = 1;
    if (job->sink == PEX__SINK_PULL && ticket->seq == ticket->part->head_seq)
        note(ticket->part, PEX__NOTE_PULL);
}

/* Where a ticket goes whose thread is done with it. */
static void place(struct pex__ticket *ticket)
{
    struct pex__sjob *job = ticket->part->job;

    if (ticket->end == PEX__END_GONE || job->is_stopped)
        drop_ticket(ticket);
    else if (ticket->end == PEX__END_LATER)
        ticket->state = PEX__TICKET_BACKOFF;
    else if (ticket->step == job->step_count)
        finish(ticket);
    else if (job->steps[ticket->step].pool != NULL)
        park(ticket);
    else
        make_ready(ticket);
}

static void leave_shared(struct pex__unit *unit, int keep)
{
    unit->calls--;
    if (keep || unit->is_gone)
        return;
    unit->is_gone = 1;
    unit->pool->idle = NULL;
    unit->pool->loaded--;
}

static void return_lease(const struct pex__step *step, int keep_unit)
{
    struct pex__pool *pool = step->pool;

    pex__budget_return(&step->part->lanes[step->at].claim);
    if (step->unit == NULL)
        return;
    if (pool->is_shared) {
        leave_shared(step->unit, keep_unit);
    } else if (keep_unit) {
        step->unit->next = pool->idle;
        pool->idle = step->unit;
    } else {
        pool->loaded--;
    }
}

static void done_tickets(struct pex__step *step)
{
    step->part->job->busy--;
    for (struct pex__ticket *ticket = step->ticket, *next; ticket != NULL; ticket = next) {
        next = ticket->next;
        set_cost(ticket, ticket->now);
        place(ticket);
    }
    refresh_claims(step->part);
    settle(step->part);
}

void pex__sched_done(struct pex__sched *sched, struct pex__step *step)
{
    (void)sched;
    if (step->kind == PEX__STEP_CALL)
        return_lease(step, 1);
    done_tickets(step);
}

void pex__sched_done_broken(struct pex__sched *sched, struct pex__step *step)
{
    (void)sched;
    assert(step->kind == PEX__STEP_CALL);
    return_lease(step, 0);
    done_tickets(step);
}

void pex__sched_wake(struct pex__ticket *ticket)
{
    struct pex__part *part = ticket->part;

    if (ticket->state != PEX__TICKET_BACKOFF)
        return;
    ticket->end = PEX__END_AGAIN;
    place(ticket);
    refresh_claims(part);
    settle(part);
}

uint32_t pex__window_size(uint32_t threads)
{
    uint32_t size = 16;

    while (size < 4 * threads)
        size *= 2;
    return size;
}

struct pex__ticket *pex__window_take(struct pex__part *part, int32_t owner)
{
    struct pex__ticket *first = NULL, **end = &first, *ticket;

    while (part->head_seq < part->next_seq) {
        struct pex__ticket **slot = &part->ring[part->head_seq & (part->ring_size - 1)];

        ticket = *slot;
        if (ticket == NULL || ticket->state != PEX__TICKET_FINISHED ||
            (owner != PEX__ANY_OWNER && ticket->owner != owner))
            break;
        *slot = NULL;
        *end = ticket;
        end = &ticket->next;
        part->head_seq++;
    }
    *end = NULL;
    if (first != NULL) {
        part->is_writing = 1;
        part->job->busy++;
        if (part->job->sink == PEX__SINK_EXPORT && !part->is_through)
            part->has_file = 1;
    }
    return first;
}

struct pex__ticket *pex__sched_pull(struct pex__part *part)
{
    if (part->is_writing || part->job->is_stopped || part->job->is_held ||
        part->index != part->job->head)
        return NULL;
    return pex__window_take(part, PEX__ANY_OWNER);
}

void pex__sched_hold(struct pex__sjob *job, int is_held)
{
    job->is_held = is_held;
    if (!is_held && job->sink == PEX__SINK_PULL && job->active != NULL && has_finished(job->active))
        note(job->active, PEX__NOTE_PULL);
}

void pex__sched_done_write(struct pex__sched *sched, struct pex__step *step)
{
    struct pex__part *part = step->part;

    (void)sched;
    part->is_writing = 0;
    part->job->busy--;
    for (struct pex__ticket *ticket = step->ticket, *next; ticket != NULL; ticket = next) {
        next = ticket->next;
        free_ticket(ticket);
    }
    if (part->job->sink == PEX__SINK_EXPORT && part->index == part->job->head)
        advance_head(part->job);
    /* Another thread of the host may have looked in vain meanwhile. */
    if (part->job->sink == PEX__SINK_PULL && has_finished(part))
        note(part, PEX__NOTE_PULL);
    settle(part);
}

void pex__sched_done_load(struct pex__sched *sched, struct pex__step *step, struct pex__unit *unit)
{
    struct pex__pool *pool = step->pool;

    sched->loading--;
    pool->loading--;
    step->job->busy--;
    if (unit != NULL) {
        unit->pool = pool;
        unit->next = pool->idle;
        pool->idle = unit;
        pool->loaded++;
    }
}

struct pex__unit *pex__pool_evict(struct pex__pool *pool)
{
    struct pex__unit *unit = pool->idle;

    if (unit == NULL || (pool->is_shared && pool->budget.out > 0))
        return NULL;
    pool->idle = unit->next;
    pool->loaded--;
    return unit;
}

struct pex__unit *pex__pool_shed(struct pex__pool *pool)
{
    int32_t excess = pool->loaded + pool->loading - pool->budget.n;
    struct pex__unit *unit;

    /* Some may have ended otherwise, or another job needs more units now. */
    if (pool->surplus > excess)
        pool->surplus = excess > 0 ? excess : 0;
    unit = pool->surplus > 0 ? pex__pool_evict(pool) : NULL;
    pool->surplus -= unit != NULL;
    return unit;
}

static void stop_part(struct pex__part *part)
{
    for (uint64_t seq = part->head_seq; seq < part->next_seq; seq++) {
        struct pex__ticket *ticket = part->ring[seq & (part->ring_size - 1)];

        /* A thread, or a timer, still knows these: they leave when it reports. */
        if (ticket == NULL || ticket->state == PEX__TICKET_BUSY ||
            ticket->state == PEX__TICKET_BACKOFF)
            continue;
        if (ticket->state == PEX__TICKET_PARKED)
            pex__claim_unpark(&part->lanes[ticket->step].claim);
        drop_ticket(ticket);
    }
    for (size_t i = 0; i < part->job->step_count; i++)
        if (part->job->steps[i].pool != NULL)
            part->lanes[i].parked = NULL;
    refresh_claims(part);
    settle(part);
}

void pex__sched_job_stop(struct pex__sjob *job)
{
    struct pex__ticket **at = &job->sched->ready;

    if (job->is_stopped)
        return;
    job->is_stopped = 1;
    while (*at != NULL) {
        if ((*at)->part->job == job)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
    for (struct pex__part *part = job->active, *next; part != NULL; part = next) {
        next = part->next;
        stop_part(part);
    }
    pex__job_yield(job);
}

void pex__sched_job_pause(struct pex__sjob *job, int32_t is_paused)
{
    if (job->is_paused == is_paused)
        return;
    job->is_paused = is_paused;
    if (job->sched == NULL || job->is_stopped)
        return;
    for (size_t i = 0; i < job->step_count; i++)
        if (job->steps[i].pool != NULL)
            pex__budget_pause(&job->steps[i].demand, is_paused);
    if (is_paused) {
        pex__job_yield(job);
        return;
    }
    forget_reads(job->sched);
    pex__job_reclaim(job);
}

void pex__sched_job_budget(struct pex__sjob *job, size_t step, int32_t num_proc)
{
    struct pex__pool *pool = job->steps[step].pool;
    int32_t excess;

    pex__budget_change(&job->steps[step].demand, num_proc);
    excess = pool->loaded + pool->loading - pool->budget.n;
    if (!pool->is_shared)
        pool->surplus = excess > 0 ? excess : 0;
}

void pex__sched_task(struct pex__sched *sched, struct pex__task *task)
{
    struct pex__task **at = &sched->tasks;

    while (*at != NULL)
        at = &(*at)->next;
    task->next = NULL;
    *at = task;
}

int pex__sched_untask(struct pex__sched *sched, const struct pex__task *task)
{
    struct pex__task **at = &sched->tasks;

    while (*at != NULL && *at != task)
        at = &(*at)->next;
    if (*at == NULL)
        return 0;
    *at = task->next;
    return 1;
}
