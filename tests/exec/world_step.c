/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of a step that an agent is given, or is not given. */
#include "world.h"

static const struct pex__part *first_active(const struct world_job *job)
{
    for (int32_t p = 0; p < job->opened; p++)
        if (job->own[p].part.is_active)
            return &job->own[p].part;
    return NULL;
}

/* What comes next is the host's part: it takes rows, or feeds some. */
static int waits_for_host(const struct world *world, const struct pex__part *part)
{
    const struct world_job *job = (const struct world_job *)(const void *)part->job;
    const struct spec_job *spec = &world->spec->jobs[job - world->jobs];

    if (part->head_seq == part->next_seq)
        return spec->slices_from == WORLD_FED && part->next_seq == part->slice_count &&
               part->is_open;
    return (spec->sink == PEX__SINK_PULL || job->sjob.is_held) &&
           part->ring[part->head_seq & (part->ring_size - 1)]->state == PEX__TICKET_FINISHED;
}

/*
 * A slice that passed the limit goes first, even if an older job comes meanwhile; not if its job
 * does not go on. A part that waits for the host lets others go, unless all wait.
 */
static const struct pex__part *lowest_of_all(const struct world *world)
{
    const struct pex__part *oldest = NULL;

    if (world->passed != NULL && !waits_for_host(world, world->passed))
        return world->passed;
    for (int32_t j = 0; j < world->spec->job_count; j++) {
        const struct world_job *job = &world->jobs[j];
        const struct pex__part *part = first_active(job);

        if (!job->has_entered || job->has_left || !world_goes_on(job) || part == NULL)
            continue;
        if (!waits_for_host(world, part))
            return part;
        if (oldest == NULL)
            oldest = part;
    }
    return oldest;
}

/* Over the limit of all, or of its job, only the lowest unwritten ticket of all, or of its job. */
static int may_go(const struct world *world, const struct pex__part *part, uint64_t seq,
                  uint64_t total, uint64_t job_total)
{
    const struct world_job *job = (const struct world_job *)(const void *)part->job;
    const struct pex__part *only = NULL;

    if (job->sjob.is_paused)
        return 0;
    if (total > world->spec->limit)
        only = lowest_of_all(world);
    else if (job_total > job->sjob.account.limit)
        only = first_active(job);
    return only == NULL || (part == only && seq == part->head_seq && !part->is_writing);
}

/* What the balanced policy gives this claim, when its job has the budget for itself; else -1. */
static int32_t balanced_share(const struct pex__claim *claim, const struct world_job *job, size_t i)
{
    int32_t active = 0, rank = 0, n = claim->demand->budget->n;

    if (claim->demand->policy != PEX_SCOPE_BALANCED || claim->demand->next != NULL ||
        claim->demand->budget->demands != claim->demand)
        return -1;
    n = claim->demand->num_proc < n ? claim->demand->num_proc : n;
    for (int32_t p = 0; p < job->opened; p++) {
        if (!job->own[p].part.is_active || !job->own[p].lanes[i].claim.needs)
            continue;
        active++;
        rank += p < claim->index;
    }
    return n / active + (rank < n % active);
}

static void check_share(struct world *world, const struct pex__step *step)
{
    const struct pex__claim *claim = &step->part->lanes[step->at].claim;
    int32_t share =
        balanced_share(claim, (const struct world_job *)(const void *)step->part->job, step->at);

    if (share >= 0 && claim->out > share)
        world_fault(world, "a partition holds more than its balanced share");
}

static int32_t batches_at(const struct world *world, const struct pex__pool *pool)
{
    int32_t count = 0;

    for (int32_t j = 0; j < world->spec->job_count; j++)
        for (size_t i = 0; i < world->jobs[j].sjob.step_count; i++)
            if (world->jobs[j].steps[i].pool == pool)
                count +=
                    (world_goes_on(&world->jobs[j]) ? world->jobs[j].steps[i].demand.waiting : 0) +
                    world->jobs[j].steps[i].demand.out;
    return count;
}

static int is_overdrawn(const struct pex__account *account)
{
    return account->reserved + account->shared > account->capacity;
}

void world_check_open(struct world *world, const struct pex__part *part)
{
    const struct pex__sjob *job = part->job;
    int is_first = job->active == part;

    for (const struct world_job *older = world->jobs; &older->sjob != job; older++)
        is_first &= !older->has_entered || !world_goes_on(older) || older->sjob.active == NULL;

    if (!is_first && (is_overdrawn(&world->sched.account) || is_overdrawn(&job->account)))
        world_fault(world, "a part opens and its reserve is not there");
}

/* Which tickets a call takes: those parked behind the first without a gap, until it has rows
 * enough, of which other units and the window leave some; `first` is parked no more. */
static uint64_t tickets_of_call(const struct world *world, const struct pex__step *step, int can_go)
{
    const struct pex__lane *lane = &step->part->lanes[step->at];
    const struct pex__sstep *rule = &step->part->job->steps[step->at];
    int is_handful = rule->join_rows == 0 && pex__is_quick(rule->ns);
    uint64_t enough = is_handful ? UINT64_MAX : rule->join_rows;
    uint64_t taken = 0, waiting, share, most, rows = 0, count = 0, seq = step->ticket->seq;
    const struct pex__ticket *of_slot;

    for (const struct pex__ticket *t = step->ticket; t != NULL; t = t->next)
        taken++;
    waiting = taken + (uint64_t)lane->claim.waiting;
    share = (uint64_t)(pex__claim_share(&lane->claim) > 1 ? pex__claim_share(&lane->claim) : 1);
    most = (waiting + share - 1) / share;
    if (most > step->part->ring_size / 2)
        most = step->part->ring_size / 2;
    if (is_handful && most > pex__sched_handful(&world->sched))
        most = pex__sched_handful(&world->sched);
    if (step->ticket->is_alone || !can_go)
        most = 1;
    do {
        of_slot = step->part->ring[(seq + count) & (step->part->ring_size - 1)];
        rows += of_slot->rows;
        count++;
        of_slot = seq + count < step->part->next_seq
                      ? step->part->ring[(seq + count) & (step->part->ring_size - 1)]
                      : NULL;
    } while (count < most && rows < enough && of_slot != NULL && of_slot->step == step->at &&
             !of_slot->is_alone && (of_slot->state == PEX__TICKET_PARKED || count < taken));
    return count;
}

static void check_call(struct world *world, const struct pex__step *step, uint64_t total,
                       uint64_t job_total)
{
    uint64_t seq = step->ticket->seq, count = 0;
    int is_free = total <= world->spec->limit && job_total <= step->part->job->account.limit;

    check_share(world, step);
    if (step->pool->budget.out > step->pool->budget.n)
        world_fault(world, "a lease is given that the budget does not have");
    if (!step->pool->is_stateless && step->unit == NULL)
        world_fault(world, "a call has no instance");
    for (const struct pex__ticket *t = step->ticket; t != NULL; t = t->next, count++) {
        if (t->seq != seq + count || t->part != step->part || t->step != step->at ||
            t->state != PEX__TICKET_BUSY)
            world_fault(world, "a call takes tickets that do not follow each other");
        if (count > 0 && (t->is_alone || step->ticket->is_alone))
            world_fault(world, "a ticket that goes alone is in a call with others");
    }
    if (count != tickets_of_call(world, step, is_free))
        world_fault(world, "a call does not take what is parked");
}

void world_check_step(struct world *world, const struct pex__step *step, uint64_t total,
                      const uint64_t *job_totals)
{
    const struct pex__ticket *ticket = step->ticket;
    int32_t j = -1;

    if (step->kind == PEX__STEP_LOAD) {
        if (step->job->is_paused)
            world_fault(world, "an instance is made for a paused job");
        if (step->pool->loaded + step->pool->loading > batches_at(world, step->pool))
            world_fault(world, "more instances than batches are loaded");
        if (step->pool->loaded + step->pool->loading >
            (step->pool->is_shared ? 1 : step->pool->budget.n))
            world_fault(world, "more instances than units are loaded");
        if (world->sched.loading > world->sched.load_limit)
            world_fault(world, "more loads than the load limit");
        return;
    }
    if (step->kind == PEX__STEP_WRITE || step->kind == PEX__STEP_TASK)
        return;
    j = (int32_t)((const struct world_job *)(const void *)step->part->job - world->jobs);
    if (step->part->job->is_stopped)
        world_fault(world, "a stopped job gets a step");
    if (step->part->job->is_paused)
        world_fault(world, "a paused job gets a step");
    if (!may_go(world, step->part, ticket->seq, total, job_totals[j]))
        world_fault(world, "over the limit another than the lowest ticket goes on");
    if (step->kind == PEX__STEP_READ && world->sched.account.total > world->spec->limit) {
        if (step->part != lowest_of_all(world) || step->part->held != ticket->cost)
            world_fault(world, "a slice is read that does not fit");
        if (world->passed != NULL)
            world_fault(world, "two slices pass the limit");
        world->passed = step->part;
        world->jobs[j].passed = step->part;
    }
    if (step->kind == PEX__STEP_READ && step->part->in_flight > 1 &&
        step->part->held > step->part->reserve &&
        (is_overdrawn(&world->sched.account) || is_overdrawn(&step->part->job->account)))
        world_fault(world, "a slice takes what others have in reserve");
    if (step->kind == PEX__STEP_CALL)
        check_call(world, step, total, job_totals[j]);
}

/* The first parked ticket of a lane could be called now, by whoever asks. */
static int could_call(const struct world *world, const struct pex__lane *lane, size_t i,
                      const struct pex__pool *pool)
{
    const struct pex__ticket *ticket = lane->parked;
    const struct world_job *job;

    if (ticket == NULL)
        return 0;
    job = (const struct world_job *)(const void *)ticket->part->job;
    return pool->budget.out < pool->budget.n &&
           lane->claim.demand->out < lane->claim.demand->num_proc &&
           (lane->claim.demand->policy == PEX_SCOPE_ELASTIC ||
            lane->claim.out < balanced_share(&lane->claim, job, i)) &&
           may_go(world, ticket->part, ticket->seq, world->sched.account.total,
                  ticket->part->job->account.total);
}

static int could_load(const struct world *world, const struct pex__pool *pool)
{
    return !pool->is_stateless && pool->idle == NULL && pool->loading < pool->budget.waiting &&
           pool->loaded + pool->loading < (pool->is_shared ? 1 : pool->budget.n) &&
           world->sched.loading < world->sched.load_limit;
}

/* A part that stays within its reserve and its window may read while the limits are kept. */
static int could_read(const struct world *world, const struct world_job *job,
                      const struct world_part *own)
{
    const struct pex__part *part = &own->part;
    uint64_t price = (uint64_t)((double)part->slice_bytes * job->sjob.growth);

    return part->is_active && part->next_seq < part->slice_count &&
           part->next_seq - part->head_seq < part->ring_size && part->in_flight < part->ring_size &&
           part->held + price <= part->reserve &&
           world->sched.account.total + price <= world->spec->limit &&
           job->sjob.account.total + price <= job->sjob.account.limit;
}

/* Finished rows of a paused job, which hold memory. */
static int could_free(const struct world_job *job, const struct world_part *own)
{
    const struct pex__ticket *first = own->ring[own->part.head_seq & (own->part.ring_size - 1)];

    return job->sjob.is_paused && !job->sjob.is_held && job->sjob.sink != PEX__SINK_PULL &&
           first != NULL && first->state == PEX__TICKET_FINISHED && !own->part.is_writing &&
           !own->append_asked;
}

static void check_idle_worker(struct world *world, const struct world_job *job)
{
    for (int32_t p = 0; p < job->opened && !job->sjob.is_stopped; p++) {
        const struct world_part *own = &job->own[p];
        uint64_t finished = 0;

        if (!job->sjob.is_paused && could_read(world, job, own))
            world_fault(world, "a worker idles while a slice could be read");
        for (uint64_t seq = own->part.head_seq; seq < own->part.next_seq; seq++)
            finished += own->ring[seq & (own->part.ring_size - 1)]->state == PEX__TICKET_FINISHED;
        if (job->sjob.sink != PEX__SINK_PULL && !job->sjob.is_held &&
            finished == own->part.ring_size && !own->part.is_writing && !own->append_asked)
            world_fault(world, "a worker idles while a window is full of finished batches");
        if (could_free(job, own))
            world_fault(world, "a worker idles while a paused job's rows could be written");
    }
    for (const struct pex__ticket *t = world->sched.ready; t != NULL; t = t->next)
        if (may_go(world, t->part, t->seq, world->sched.account.total, t->part->job->account.total))
            world_fault(world, "a worker idles while a batch is ready");
}

void world_check_idle(struct world *world, const struct pex__unit *unit)
{
    for (int32_t j = 0; j < world->spec->job_count && unit == NULL; j++)
        check_idle_worker(world, &world->jobs[j]);
    for (int32_t j = 0; j < world->spec->job_count; j++) {
        const struct world_job *job = &world->jobs[j];

        for (size_t i = 0; i < job->sjob.step_count && world_goes_on(job); i++) {
            const struct pex__pool *pool = job->steps[i].pool;
            int can = unit != NULL ? pool == unit->pool
                                   : pool != NULL && !pool->is_blocking &&
                                         (pool->is_stateless || pool->idle != NULL);

            if (pool == NULL || (unit == NULL && could_load(world, pool)))
                can = pool != NULL;
            for (int32_t p = 0; p < job->opened && can; p++)
                if (could_call(world, &job->own[p].lanes[i], i, pool))
                    world_fault(world, "an agent idles while a batch, a unit and memory are there");
        }
    }
}
