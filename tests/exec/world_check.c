/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold in every state of a world, written down a second time, without the rules' own
 * code. */
#include "world.h"

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
    if (tickets > part->ring_size)
        world_fault(world, "more is in flight than the window has slots");
}

/* A claim is needed while an unread slice, one that may come or a ticket stands before its step, or
 * in it. */
static void check_needs(struct world *world, const struct world_part *own)
{
    const struct pex__part *part = &own->part;

    for (size_t i = 0; i < part->job->step_count; i++) {
        int32_t needs = part->is_open || part->next_seq < part->slice_count;

        if (part->job->steps[i].pool == NULL)
            continue;
        for (uint32_t slot = 0; slot < part->ring_size; slot++)
            needs |= part->ring[slot] != NULL && part->ring[slot]->state != PEX__TICKET_FINISHED &&
                     part->ring[slot]->step <= i;
        if (needs != own->lanes[i].claim.needs)
            world_fault(world, "a claim does not know whether rows will come");
    }
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
        uses.loaded += world->units[i].is_alive && !world->units[i].unit.is_gone &&
                       world->units[i].unit.pool == pool;
    return uses;
}

static void check_demand(struct world *world, struct world_job *job, size_t i, int32_t *out,
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
    /* It may have been made smaller. */
    if (demand->out > demand->num_proc && demand->out > job->step_out[i])
        world_fault(world, "a job holds more leases than its own num_proc");
    job->step_out[i] = demand->out;
    *out += held;
    *waiting += job->sjob.is_paused ? 0 : parked;
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
        world->spec->load_failures == 0 && world->spec->job_count == 1 && world->spec->budgets == 0)
        world_fault(world, "more instances than the budget has units");
    if (uses.idle > 0 && !pool->is_shared && pool->loaded + pool->loading > units &&
        world->spec->job_count == 1 && world->spec->load_failures == 0 &&
        pool->budget.demands != NULL)
        world_fault(world, "an idle instance stays that the budget has no unit for");
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

/* The slice that passed the limit and goes first: it stays so, unless its job does not go on. */
static void choose_passed(struct world *world)
{
    if (world->passed != NULL &&
        (world->passed->held == 0 ||
         !world_goes_on((const struct world_job *)(const void *)world->passed->job)))
        world->passed = NULL;
    for (int32_t j = 0; j < world->spec->job_count; j++) {
        struct world_job *job = &world->jobs[j];

        if (job->passed != NULL && job->passed->held == 0)
            job->passed = NULL;
        if (world->passed == NULL && world_goes_on(job))
            world->passed = job->passed;
    }
}

/* What a job that does not go on has in reserve, it holds. */
static void check_yield(struct world *world, const struct world_job *job)
{
    for (int32_t p = 0; p < job->opened && !world_goes_on(job); p++)
        if (job->own[p].part.is_active && job->own[p].part.reserve > job->own[p].part.held)
            world_fault(world, "a job that does not go on keeps memory from others");
}

void world_check(struct world *world)
{
    choose_passed(world);
    for (int32_t j = 0; j < world->spec->job_count; j++)
        check_yield(world, &world->jobs[j]);
    for (int32_t j = 0; j < world->spec->job_count; j++)
        for (int32_t p = 0; p < world->jobs[j].opened; p++)
            check_part(world, &world->jobs[j].own[p].part);
    for (int32_t j = 0; j < world->spec->job_count; j++)
        for (int32_t p = 0; p < world->jobs[j].opened && !world->jobs[j].sjob.is_stopped; p++)
            if (world->jobs[j].own[p].part.is_active)
                check_needs(world, &world->jobs[j].own[p]);
    check_accounts(world);
    for (int32_t i = 0; i < world->spec->pool_count; i++)
        check_pool(world, i);
    check_units(world);
    for (int32_t j = 0; j < world->spec->job_count; j++) {
        const struct world_job *job = &world->jobs[j];

        for (int32_t p = 0; p < job->opened && !job->sjob.is_stopped; p++)
            if (job->own[p].is_out && job->own[p].written != world_slices(world->spec, j, p))
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
            all += world_slices(world->spec, j, p);
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

/* The least that a slice of the job is ever priced at. */
static uint64_t least_price(const struct spec *spec, int32_t j)
{
    const struct spec_job *job = &spec->jobs[j];
    uint64_t least = (uint64_t)((double)job->slice_bytes * job->growth);

    for (int32_t p = 0; p < job->part_count; p++) {
        for (uint64_t seq = 0; seq < world_slices(spec, j, p); seq++) {
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

/* The most tickets that an agent may have at a time. */
static uint64_t most_joined(const struct spec_job *job)
{
    uint64_t most = 1;

    for (int32_t i = 0; i < job->step_count; i++)
        if ((job->join_rows[i] > 0 || job->is_quick) && job->ring_size / 2 > most)
            most = job->ring_size / 2;
    /* Of READs and RUNs a worker alone has eight at most. */
    if (job->is_quick && most < 8)
        most = 8;
    return most;
}

uint64_t world_bound(const struct spec *spec)
{
    uint64_t largest = 0, growth = 0, callers = (uint64_t)spec->workers, joined = 1;
    int32_t holders = 0;

    for (int32_t j = 0; j < spec->job_count; j++) {
        const struct spec_job *job = &spec->jobs[j];
        uint64_t price = (uint64_t)((double)job->slice_bytes * job->growth);

        holders += job->may_stop || spec->pauses > 0;
        largest = price > largest ? price : largest;
        joined = most_joined(job) > joined ? most_joined(job) : joined;
        for (int32_t p = 0; p < job->part_count; p++)
            for (uint64_t seq = 0; seq < world_slices(spec, j, p); seq++)
                take_item(spec, j, p, seq, &largest, &growth);
        for (int32_t i = 0; i < job->step_count; i++)
            if (job->steps[i].pool >= 0 && spec->pool_kinds[job->steps[i].pool] == WORLD_BLOCKING)
                callers += (uint64_t)job->steps[i].num_proc;
    }
    /* One for the job that goes on, and one for each that was stopped or paused meanwhile. */
    return spec->limit + (holders < spec->job_count ? holders + 1 : holders) * largest +
           callers * joined * growth;
}
