/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold in every state of a world, written down a second time, without the rules' own
 * code. */
#include "world.h"

#include <string.h>

/* --- sums ----------------------------------------------------------------------------------- */

static uint64_t above(uint64_t held, uint64_t reserve)
{
    return held > reserve ? held - reserve : 0;
}

/* Tickets that a list of a running write holds are in the window no more. */
static uint64_t written_now(const struct world *world, const struct pex__part *part,
                            uint64_t *tickets)
{
    uint64_t sum = 0;

    for (int32_t r = 0; r < world->running_count; r++) {
        const struct pex__step *step = &world->running[r].step;

        if (step->kind != PEX__STEP_WRITE || step->part != part)
            continue;
        for (const struct pex__ticket *t = step->ticket; t != NULL; t = t->next) {
            sum += t->cost;
            ++*tickets;
        }
    }
    return sum;
}

static void check_part(struct world *world, const struct pex__part *part)
{
    uint64_t tickets = 0, held = written_now(world, part, &tickets);

    for (uint32_t slot = 0; slot < part->ring_size; slot++) {
        const struct pex__ticket *t = part->ring[slot];

        if (t == NULL)
            continue;
        tickets++;
        held += t->cost;
        if (t->part != part || (t->seq & (part->ring_size - 1)) != slot ||
            t->seq < part->head_seq || t->seq >= part->next_seq || t->state == PEX__TICKET_FREE)
            world_fault(world, "a ticket is in a slot that is not its own");
    }
    if (held != part->held)
        world_fault(world, "a part's bytes are not the sum over its tickets");
    if (tickets != part->in_flight)
        world_fault(world, "a part's tickets are not those in flight");
    if (!part->is_active && tickets > 0)
        world_fault(world, "a part that is not active has tickets");
    if (part->next_seq - part->head_seq > part->ring_size)
        world_fault(world, "the window is passed");
}

static void check_accounts(struct world *world)
{
    uint64_t all_total = 0, all_reserved = 0, all_shared = 0;

    for (int32_t j = 0; j < world->spec->job_count; j++) {
        const struct world_job *job = &world->jobs[j];
        uint64_t total = 0, reserved = 0, shared = 0;

        for (int32_t p = 0; p < job->opened; p++) {
            const struct pex__part *part = &job->own[p].part;

            total += part->held;
            reserved += part->is_active ? part->reserve : 0;
            shared += above(part->held, part->reserve);
        }
        if (total != job->sjob.account.total || reserved != job->sjob.account.reserved ||
            shared != job->sjob.account.shared)
            world_fault(world, "a job's account is not the sum over its parts");
        all_total += total;
        all_reserved += reserved;
        all_shared += shared;
    }
    if (all_total != world->sched.account.total || all_reserved != world->sched.account.reserved ||
        all_shared != world->sched.account.shared)
        world_fault(world, "the account is not the sum over the jobs");
    if (all_total > world->peak)
        world->peak = all_total;
    if (all_total > world->bound)
        world_fault(world,
                    "more is charged than the limit, one item and the growth of running calls");
}

/* --- budgets and instances ------------------------------------------------------------------ */

struct uses {
    int32_t calls, loads, idle, waiting, loaded;
};

static struct uses count_uses(const struct world *world, const struct pex__pool *pool)
{
    struct uses uses = {0};

    for (int32_t r = 0; r < world->running_count; r++) {
        uses.calls +=
            world->running[r].step.kind == PEX__STEP_CALL && world->running[r].step.pool == pool;
        uses.loads +=
            world->running[r].step.kind == PEX__STEP_LOAD && world->running[r].step.pool == pool;
    }
    for (const struct pex__unit *u = pool->idle; u != NULL; u = u->next)
        uses.idle++;
    for (int32_t i = 0; i < WORLD_UNITS; i++)
        uses.loaded += world->units[i].is_alive && world->units[i].unit.pool == pool;
    return uses;
}

static void check_demand(struct world *world, const struct world_job *job, size_t i, int32_t *out,
                         int32_t *waiting)
{
    const struct pex__demand *demand = &job->steps[i].demand;
    int32_t held = 0, parked = 0;

    for (int32_t p = 0; p < job->opened; p++) {
        const struct pex__lane *lane = &job->own[p].lanes[i];
        int32_t in_lane = 0;

        for (const struct pex__ticket *t = lane->parked; t != NULL; t = t->next) {
            in_lane++;
            if (t->state != PEX__TICKET_PARKED || t->step != i ||
                (t->next != NULL && t->next->seq <= t->seq))
                world_fault(world, "a lane is not in order");
        }
        if (in_lane != lane->claim.waiting)
            world_fault(world, "a claim does not wait for what is in its lane");
        if (in_lane > 0 && !lane->claim.needs)
            world_fault(world, "a claim waits for what it does not need");
        held += lane->claim.out;
        parked += in_lane;
    }
    if (held != demand->out || parked != demand->waiting)
        world_fault(world, "a demand is not the sum over its claims");
    if (demand->out > demand->num_proc)
        world_fault(world, "a job holds more leases than its own num_proc");
    *out += held;
    *waiting += parked;
}

static void check_pool(struct world *world, int32_t which)
{
    struct pex__pool *pool = &world->pools[which];
    struct uses uses = count_uses(world, pool);
    int32_t out = 0, waiting = 0, units = pool->is_shared ? 1 : pool->budget.n;

    for (int32_t j = 0; j < world->spec->job_count; j++)
        for (size_t i = 0; i < world->jobs[j].sjob.step_count; i++)
            if (world->jobs[j].steps[i].pool == pool)
                check_demand(world, &world->jobs[j], i, &out, &waiting);
    if (out != pool->budget.out || waiting != pool->budget.waiting || out != uses.calls)
        world_fault(world, "a budget is not the sum over its demands");
    /* n may fall below what is out, when the job with the largest num_proc leaves. */
    if (out > pool->budget.n && out > world->pool_out[which])
        world_fault(world, "more leases are out than the budget has");
    world->pool_out[which] = out;
    if (uses.loads != pool->loading || uses.loaded != pool->loaded)
        world_fault(world, "a pool does not know its instances");
    if (!pool->is_stateless && !pool->is_shared && pool->loaded != out + uses.idle)
        world_fault(world, "an instance is neither idle nor in a call");
    if (pool->loading > 0 && pool->loaded + pool->loading > units && world->load_failures == 0 &&
        world->spec->load_failures == 0 && world->spec->job_count == 1)
        world_fault(world, "more instances than the budget has units");
    if (pool->is_stateless && pool->loaded + pool->loading > 0)
        world_fault(world, "a stateless pool loads instances");
}

static void check_units(struct world *world)
{
    for (int32_t i = 0; i < WORLD_UNITS; i++) {
        const struct world_unit *unit = &world->units[i];

        if (unit->is_alive && unit->calls > 1 && !unit->unit.pool->is_shared)
            world_fault(world, "an instance is in two calls");
    }
}

void world_check(struct world *world)
{
    if (world->passed != NULL && world->passed->held == 0)
        world->passed = NULL;
    for (int32_t j = 0; j < world->spec->job_count; j++)
        for (int32_t p = 0; p < world->jobs[j].opened; p++)
            check_part(world, &world->jobs[j].own[p].part);
    check_accounts(world);
    for (int32_t i = 0; i < world->spec->pool_count; i++)
        check_pool(world, i);
    check_units(world);
    for (int32_t j = 0; j < world->spec->job_count; j++) {
        const struct world_job *job = &world->jobs[j];

        for (int32_t p = 0; p < job->opened && !job->sjob.is_stopped; p++)
            if (job->own[p].is_out && job->own[p].written != job->own[p].part.slice_count)
                world_fault(world, "a part is out before all its rows are");
    }
}

void world_check_end(struct world *world)
{
    size_t free = 0, all = 1;

    for (const struct pex__ticket *t = world->free; t != NULL; t = t->next)
        free++;
    for (int32_t j = 0; j < world->spec->job_count; j++)
        for (int32_t p = 0; p < world->spec->jobs[j].part_count; p++)
            all += world->spec->jobs[j].slices[p];
    if (free != all)
        world_fault(world, "tickets are lost");
    if (world->sched.account.total != 0 || world->sched.account.reserved != 0 ||
        world->sched.account.shared != 0)
        world_fault(world, "bytes are charged and nothing is there");
    if (world->running_count > 0 || world->sched.ready != NULL || world->sched.jobs != NULL ||
        world->sched.loading != 0 || world->sched.oversize != NULL)
        world_fault(world, "something is left");
    for (int32_t i = 0; i < world->spec->pool_count; i++)
        if (world->pools[i].budget.demands != NULL || world->pools[i].budget.out != 0)
            world_fault(world, "a budget is in use and no job is there");
}

/* --- one step ------------------------------------------------------------------------------- */

static const struct pex__part *first_active(const struct world_job *job)
{
    for (int32_t p = 0; p < job->opened; p++)
        if (job->own[p].part.is_active)
            return &job->own[p].part;
    return NULL;
}

/* A slice that passed the limit goes first, even if an older job comes meanwhile. */
static const struct pex__part *lowest_of_all(const struct world *world)
{
    if (world->passed != NULL && !world->passed->job->is_stopped)
        return world->passed;
    for (int32_t j = 0; j < world->spec->job_count; j++) {
        const struct world_job *job = &world->jobs[j];

        if (job->has_entered && !job->has_left && !job->sjob.is_stopped &&
            first_active(job) != NULL)
            return first_active(job);
    }
    return NULL;
}

/* Over the limit of all, or of its job, only the lowest unwritten ticket of all, or of its job. */
static int may_go(const struct world *world, const struct pex__part *part, uint64_t seq,
                  uint64_t total, uint64_t job_total)
{
    const struct world_job *job = (const struct world_job *)(const void *)part->job;
    const struct pex__part *only = NULL;

    if (total > world->spec->limit)
        only = lowest_of_all(world);
    else if (job_total > job->sjob.account.limit)
        only = first_active(job);
    return only == NULL || (part == only && seq == part->head_seq && !part->is_writing);
}

/* A strict policy never gives more than the share, unless a job has none and is first in line. */
static void check_share(struct world *world, const struct pex__step *step)
{
    const struct pex__claim *claim = &step->part->lanes[step->at].claim;
    const struct world_job *job = (const struct world_job *)(const void *)step->part->job;
    int32_t active = 0, rank = 0;

    if (claim->demand->policy != PEX_SCOPE_BALANCED || claim->demand->next != NULL ||
        step->pool->budget.demands != claim->demand)
        return;
    for (int32_t p = 0; p < job->opened; p++) {
        if (!job->own[p].part.is_active || !job->own[p].lanes[step->at].claim.needs)
            continue;
        active++;
        rank += p < step->part->index;
    }
    if (claim->out > step->pool->budget.n / active + (rank < step->pool->budget.n % active))
        world_fault(world, "a partition holds more than its balanced share");
}

static int32_t batches_at(const struct world *world, const struct pex__pool *pool)
{
    int32_t count = 0;

    for (int32_t j = 0; j < world->spec->job_count; j++)
        for (size_t i = 0; i < world->jobs[j].sjob.step_count; i++)
            if (world->jobs[j].steps[i].pool == pool)
                count +=
                    world->jobs[j].steps[i].demand.waiting + world->jobs[j].steps[i].demand.out;
    return count;
}

void world_check_step(struct world *world, const struct pex__step *step, uint64_t total,
                      const uint64_t *job_totals)
{
    const struct pex__ticket *ticket = step->ticket;
    int32_t j = -1;

    if (step->kind == PEX__STEP_LOAD) {
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
    if (!may_go(world, step->part, ticket->seq, total, job_totals[j]))
        world_fault(world, "over the limit another than the lowest ticket goes on");
    if (step->kind == PEX__STEP_READ && world->sched.account.total > world->spec->limit) {
        if (step->part != lowest_of_all(world) || step->part->held != ticket->cost)
            world_fault(world, "a slice is read that does not fit");
        if (world->passed != NULL)
            world_fault(world, "two slices pass the limit");
        world->passed = step->part;
    }
    if (step->kind == PEX__STEP_CALL) {
        check_share(world, step);
        if (step->pool->budget.out > step->pool->budget.n)
            world_fault(world, "a lease is given that the budget does not have");
        if (!step->pool->is_stateless && step->unit == NULL)
            world_fault(world, "a call has no instance");
    }
}

/* The first parked ticket of a lane could be called now, by whoever asks. */
static int could_call(const struct world *world, const struct pex__lane *lane,
                      const struct pex__pool *pool)
{
    const struct pex__ticket *ticket = lane->parked;

    return ticket != NULL && pool->budget.out < pool->budget.n &&
           lane->claim.demand->out < lane->claim.demand->num_proc &&
           lane->claim.demand->policy == PEX_SCOPE_ELASTIC &&
           may_go(world, ticket->part, ticket->seq, world->sched.account.total,
                  ticket->part->job->account.total);
}

static int could_load(const struct world *world, const struct pex__pool *pool)
{
    return !pool->is_stateless && pool->idle == NULL && pool->loading < pool->budget.waiting &&
           pool->loaded + pool->loading < (pool->is_shared ? 1 : pool->budget.n) &&
           world->sched.loading < world->sched.load_limit;
}

void world_check_idle(struct world *world, const struct pex__unit *unit)
{
    for (int32_t j = 0; j < world->spec->job_count; j++) {
        const struct world_job *job = &world->jobs[j];

        for (size_t i = 0; i < job->sjob.step_count && !job->sjob.is_stopped; i++) {
            const struct pex__pool *pool = job->steps[i].pool;
            int can = unit != NULL ? pool == unit->pool
                                   : pool != NULL && !pool->is_blocking &&
                                         (pool->is_stateless || pool->idle != NULL);

            if (pool == NULL || (unit == NULL && could_load(world, pool)))
                can = pool != NULL;
            for (int32_t p = 0; p < job->opened && can; p++)
                if (could_call(world, &job->own[p].lanes[i], pool))
                    world_fault(world, "an agent idles while a batch, a unit and memory are there");
        }
    }
}

/* --- bounds --------------------------------------------------------------------------------- */

/* The least that a slice of the job is ever priced at. */
static uint64_t least_price(const struct spec *spec, int32_t j)
{
    const struct spec_job *job = &spec->jobs[j];
    uint64_t least = (uint64_t)((double)job->slice_bytes * job->growth);

    for (int32_t p = 0; p < job->part_count; p++) {
        for (uint64_t seq = 0; seq < job->slices[p]; seq++) {
            uint64_t peak = 0;

            for (uint32_t step = 0; step <= (uint32_t)job->step_count; step++)
                if (spec->cost(spec, j, p, seq, step) > peak)
                    peak = spec->cost(spec, j, p, seq, step);
            least = peak < least ? peak : least;
        }
    }
    return least > job->slice_bytes ? least : job->slice_bytes;
}

/* A call, or a read with the plain steps behind it, may let an item grow from any size to a later
 * one. */
static void take_item(const struct spec *spec, int32_t j, int32_t p, uint64_t seq,
                      uint64_t *largest, uint64_t *growth)
{
    uint64_t least = least_price(spec, j);

    for (uint32_t step = 0; step <= (uint32_t)spec->jobs[j].step_count; step++) {
        uint64_t cost = spec->cost(spec, j, p, seq, step);

        if (cost > *largest)
            *largest = cost;
        if (cost > least && cost - least > *growth)
            *growth = cost - least;
        least = cost < least ? cost : least;
    }
}

uint64_t world_bound(const struct spec *spec)
{
    uint64_t largest = 0, growth = 0, callers = (uint64_t)spec->workers;

    for (int32_t j = 0; j < spec->job_count; j++) {
        const struct spec_job *job = &spec->jobs[j];
        uint64_t price = (uint64_t)((double)job->slice_bytes * job->growth);

        largest = price > largest ? price : largest;
        for (int32_t p = 0; p < job->part_count; p++)
            for (uint64_t seq = 0; seq < job->slices[p]; seq++)
                take_item(spec, j, p, seq, &largest, &growth);
        for (int32_t i = 0; i < job->step_count; i++)
            if (job->steps[i].pool >= 0 && spec->pool_kinds[job->steps[i].pool] == WORLD_BLOCKING)
                callers += (uint64_t)job->steps[i].num_proc;
    }
    return spec->limit + largest + callers * growth;
}

/* --- identity of a state -------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_part(const struct world_part *own, size_t steps, uint64_t hash)
{
    const struct pex__part *part = &own->part;
    uint64_t flags = 0;

    hash = mix(hash, part->next_seq << 32 | part->head_seq);
    hash = mix(hash, part->reserve);
    flags = (uint64_t)part->is_active | (uint64_t)part->is_writing << 1 |
            (uint64_t)part->is_through << 2 | (uint64_t)part->has_file << 3 |
            (uint64_t)part->is_appending << 4 | (uint64_t)part->is_drained << 5 |
            (uint64_t)part->is_out << 6 | (uint64_t)own->append_asked << 7 |
            (uint64_t)own->is_out << 8;
    hash = mix(hash, flags << 32 | own->in_file << 16 | own->written);
    for (uint64_t seq = part->head_seq; seq < part->next_seq; seq++) {
        const struct pex__ticket *t = part->ring[seq & (part->ring_size - 1)];

        if (t == NULL)
            continue;
        hash = mix(hash, seq << 32 | (uint64_t)t->step << 8 | (uint64_t)t->state);
        hash = mix(hash, t->cost);
        hash = mix(hash, t->peak);
    }
    for (size_t i = 0; i < steps; i++)
        hash = mix(hash, (uint64_t)own->lanes[i].claim.needs);
    return hash;
}

static uint64_t hash_job(const struct world *world, int32_t j, uint64_t hash)
{
    const struct world_job *job = &world->jobs[j];
    uint64_t growth;

    memcpy(&growth, &job->sjob.growth, sizeof growth);
    hash = mix(hash, growth);
    hash = mix(hash, (uint64_t)job->has_entered | (uint64_t)job->has_left << 1 |
                         (uint64_t)job->sjob.is_stopped << 2 | (uint64_t)job->export_is_busy << 3 |
                         (uint64_t)job->host_is_told << 4 | (uint64_t)job->host_is_busy << 5 |
                         (uint64_t)job->sjob.head << 8 | (uint64_t)job->opened << 16 |
                         (uint64_t)job->active << 24 | (uint64_t)job->out << 32);
    /* Alone, a job's progress and deficits decide nothing. */
    if (world->spec->job_count > 1) {
        hash = mix(hash, job->sjob.bytes_read);
        for (size_t i = 0; i < job->sjob.step_count; i++)
            hash = mix(hash, job->steps[i].demand.granted);
    }
    for (int32_t p = 0; p < job->opened; p++)
        hash = hash_part(&job->own[p], job->sjob.step_count, hash);
    return hash;
}

static uint64_t hash_running(const struct world *world, const struct running *running)
{
    const struct pex__step *step = &running->step;
    uint64_t hash = mix(1, (uint64_t)step->kind << 1 | (uint64_t)running->is_host);

    if (step->part != NULL)
        hash = mix(hash,
                   (uint64_t)((const struct world_job *)(const void *)step->part->job - world->jobs)
                           << 8 |
                       (uint64_t)step->part->index);
    if (step->job != NULL)
        hash = mix(hash, step->job->age);
    if (step->pool != NULL)
        hash = mix(hash, (uint64_t)(step->pool - world->pools) << 8 | step->at);
    if (step->kind != PEX__STEP_WRITE)
        return step->ticket != NULL ? mix(hash, step->ticket->seq << 32 | step->ticket->cost)
                                    : hash;
    for (const struct pex__ticket *t = step->ticket; t != NULL; t = t->next)
        hash = mix(hash, t->seq << 32 | t->cost);
    return mix(hash, (uint64_t)step->through);
}

uint64_t world_hash(const struct world *world)
{
    uint64_t hash = 1, running = 0;

    for (int32_t j = 0; j < world->spec->job_count; j++)
        hash = hash_job(world, j, hash);
    for (int32_t i = 0; i < world->spec->pool_count; i++) {
        const struct pex__pool *pool = &world->pools[i];
        uint64_t idle = 0;

        for (const struct pex__unit *u = pool->idle; u != NULL; u = u->next)
            idle++;
        hash = mix(hash, idle | (uint64_t)pool->loaded << 8 | (uint64_t)pool->loading << 16 |
                             (uint64_t)pool->budget.ceiling << 24 | (uint64_t)pool->budget.n << 32);
    }
    /* Workers are alike: which of them does what makes no difference. */
    for (int32_t r = 0; r < world->running_count; r++)
        running += hash_running(world, &world->running[r]);
    hash = mix(hash, running);
    hash = mix(hash, world->passed != NULL ? world->passed->job->age + 1 : 0);
    hash = mix(hash, (uint64_t)world->agains | (uint64_t)world->laters << 8 |
                         (uint64_t)world->breaks << 16 | (uint64_t)world->load_failures << 24 |
                         (uint64_t)world->evictions << 32);
    return hash;
}
