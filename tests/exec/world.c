/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <stdio.h>
#include <string.h>

uint64_t world_slices(const struct spec *spec, int32_t job, int32_t part)
{
    uint64_t slices = spec->jobs[job].slices[part];

    return spec->jobs[job].slices_from == WORLD_DECODED && slices == 0 ? 1 : slices;
}

static size_t ticket_count(const struct spec *spec)
{
    size_t count = 1;

    for (int32_t j = 0; j < spec->job_count; j++)
        for (int32_t p = 0; p < spec->jobs[j].part_count; p++)
            count += world_slices(spec, j, p);
    return count;
}

size_t world_size(const struct spec *spec)
{
    return sizeof(struct world) + ticket_count(spec) * sizeof(struct pex__ticket);
}

static void init_part(struct world_job *job, const struct spec_job *spec, int32_t index)
{
    struct world_part *own = &job->own[index];

    own->part.job = &job->sjob;
    own->part.index = index;
    own->part.is_open = spec->slices_from != WORLD_KNOWN;
    if (spec->slices_from == WORLD_KNOWN)
        own->part.slice_count = spec->slices[index];
    else
        own->part.slice_count = spec->slices_from == WORLD_DECODED;
    own->part.slice_bytes = spec->slice_bytes;
    own->part.ring = own->ring;
    own->part.ring_size = spec->ring_size;
    own->part.lanes = own->lanes;
}

static void init_job(struct world *world, int32_t j)
{
    const struct spec_job *spec = &world->spec->jobs[j];
    struct world_job *job = &world->jobs[j];

    job->sjob.age = (uint64_t)j;
    job->sjob.weight = spec->weight;
    job->sjob.growth = spec->growth;
    job->sjob.steps = job->steps;
    job->sjob.step_count = (size_t)spec->step_count;
    job->sjob.parts = job->parts;
    job->sjob.part_count = spec->part_count;
    job->sjob.sink = spec->sink;
    job->host_is_told = spec->sink == PEX__SINK_PULL;
    pex__account_init(&job->sjob.account, spec->limit, spec->set_aside);
    job->sjob.slice_ns = spec->is_quick;
    for (int32_t i = 0; i < spec->step_count; i++) {
        job->steps[i].ns = spec->is_quick;
        if (spec->steps[i].pool < 0)
            continue;
        job->steps[i].pool = &world->pools[spec->steps[i].pool];
        job->steps[i].demand.num_proc = spec->steps[i].num_proc;
        job->steps[i].demand.policy = spec->policy;
        job->steps[i].join_rows = spec->join_rows[i];
    }
    for (int32_t p = 0; p < spec->part_count; p++)
        init_part(job, spec, p);
}

static void enter(struct world *world, int32_t j)
{
    world->jobs[j].has_entered = 1;
    pex__sched_job_enter(&world->sched, &world->jobs[j].sjob);
}

void world_init(struct world *world, const struct spec *spec)
{
    memset(world, 0, world_size(spec));
    world->spec = spec;
    world->bound = world_bound(spec);
    world->idle_workers = spec->workers;
    world->agains = spec->agains;
    world->laters = spec->laters;
    world->holds = spec->holds;
    world->breaks = spec->breaks;
    world->load_failures = spec->load_failures;
    world->evictions = spec->evictions;
    world->pauses = spec->pauses;
    world->budgets = spec->budgets;
    pex__sched_init(&world->sched, spec->limit, (uint32_t)spec->workers, spec->load_limit);
    for (int32_t i = 0; i < spec->pool_count; i++) {
        world->pools[i].is_stateless = spec->pool_kinds[i] == WORLD_STATELESS;
        world->pools[i].is_shared = spec->pool_kinds[i] == WORLD_SHARED;
        world->pools[i].is_blocking = spec->pool_kinds[i] == WORLD_BLOCKING;
    }
    for (size_t i = ticket_count(spec); i-- > 0;) {
        world->tickets[i].next = world->free;
        world->free = &world->tickets[i];
    }
    for (int32_t j = 0; j < spec->job_count; j++) {
        init_job(world, j);
        if (!spec->jobs[j].comes_late)
            enter(world, j);
    }
}

enum { BUDGET_MAX = 3 };

struct list {
    struct action *actions;
    size_t count;
};

static void add(struct list *list, int32_t kind, int32_t a, int32_t b, int32_t c)
{
    struct action *action = &list->actions[list->count++];

    action->kind = (uint8_t)kind;
    action->a = (uint8_t)a;
    action->b = (uint8_t)b;
    action->c = (uint8_t)c;
}

static int32_t index_of(const struct world *world, const struct pex__sjob *sjob)
{
    return (int32_t)((const struct world_job *)(const void *)sjob - world->jobs);
}

static uint64_t slices_of(const struct world *world, const struct pex__part *part)
{
    return world_slices(world->spec, index_of(world, part->job), part->index);
}

static int has_append(const struct world_job *job)
{
    int32_t appends = 0;

    for (int32_t p = 0; p < job->sjob.part_count; p++)
        appends += job->own[p].append_asked;
    return appends > 0;
}

static int is_over(const struct world_job *job)
{
    if (job->sjob.is_stopped)
        return job->sjob.active == NULL && job->sjob.busy == 0 && !has_append(job);
    return job->out == job->sjob.part_count && job->sjob.busy == 0;
}

static void add_control(const struct world *world, int32_t j, struct list *list)
{
    const struct world_job *job = &world->jobs[j];

    if (world->pauses > 0 && world_goes_on(job))
        add(list, ACT_PAUSE, j, 0, 0);
    for (int32_t i = 0; world->budgets > 0 && i < world->spec->jobs[j].step_count; i++)
        for (int32_t n = 1; job->steps[i].pool != NULL && n <= BUDGET_MAX; n++)
            if (n != job->steps[i].demand.num_proc)
                add(list, ACT_BUDGET, j, i, n);
    if (job->sjob.is_paused && !job->sjob.is_stopped)
        add(list, ACT_RESUME, j, 0, 0);
}

static void add_of_job(const struct world *world, int32_t j, struct list *list)
{
    const struct spec_job *spec = &world->spec->jobs[j];
    const struct world_job *job = &world->jobs[j];

    if (job->has_left)
        return;
    if (!job->has_entered) {
        add(list, ACT_ENTER, j, 0, 0);
        return;
    }
    if (is_over(job)) {
        add(list, ACT_LEAVE, j, 0, 0);
        return;
    }
    if (!job->sjob.is_stopped && job->opened < spec->part_count && job->active < spec->active_max)
        add(list, ACT_OPEN, j, 0, 0);
    add_control(world, j, list);
    if (spec->may_stop && !job->sjob.is_stopped)
        add(list, ACT_STOP, j, 0, 0);
    if (job->sjob.is_held)
        add(list, ACT_RELEASE, j, 0, 0);
    else if (world->holds > 0 && !job->sjob.is_stopped)
        add(list, ACT_HOLD, j, 0, 0);
    if (job->host_is_told && !job->host_is_busy && !job->sjob.is_stopped)
        add(list, ACT_PULL, j, 0, 0);
    for (int32_t p = 0; p < job->opened; p++) {
        const struct world_part *own = &job->own[p];

        if (own->append_asked)
            add(list, ACT_APPENDED, j, p, 0);
        if (spec->slices_from == WORLD_FED && own->part.is_open && own->part.is_active)
            add(list, own->part.slice_count < spec->slices[p] ? ACT_FEED : ACT_FEED_END, j, p, 0);
        for (uint32_t slot = 0; slot < spec->ring_size; slot++)
            if (own->ring[slot] != NULL && own->ring[slot]->state == PEX__TICKET_BACKOFF)
                add(list, ACT_WAKE, j, p, (int32_t)slot);
    }
}

static uint64_t cost_at(const struct world *world, const struct pex__ticket *ticket, uint32_t step)
{
    return world->spec->cost(world->spec, index_of(world, ticket->part->job), ticket->part->index,
                             ticket->seq, step);
}

/* Of READ, RUN, CALL. The tickets of a call all stand before the same step. */
static uint32_t next_step(const struct pex__step *step)
{
    const struct pex__sjob *job = step->part->job;
    uint32_t at = step->ticket->step;

    if (step->kind == PEX__STEP_CALL)
        return step->at + 1;
    while (at < job->step_count && job->steps[at].pool == NULL)
        at++;
    return at;
}

/* Growth that does not fit, for the broken rule that waits for it. */
static int is_stuck(const struct world *world, const struct pex__step *step)
{
    uint64_t before = 0, after = 0;

    for (const struct pex__ticket *t = step->ticket; t != NULL; t = t->next) {
        before += t->cost;
        after += cost_at(world, t, next_step(step));
    }
    return world->spec->calls_wait_for_memory && after > before &&
           world->sched.account.total - before + after > world->sched.account.limit;
}

/* A READ of a decoded part whose slice is not cut yet. */
static int is_decoding(const struct world *world, const struct running *running)
{
    const struct pex__step *step = &running->step;

    return step->kind == PEX__STEP_READ && !running->is_cut &&
           world->spec->jobs[index_of(world, step->part->job)].slices_from == WORLD_DECODED;
}

static void add_ends(const struct world *world, int32_t r, struct list *list)
{
    const struct pex__step *step = &world->running[r].step;
    int is_repeatable;

    if (is_decoding(world, &world->running[r])) {
        add(list, ACT_CUT, r, 0, 0);
        if (step->part->job->is_stopped)
            add(list, ACT_END, r, OUTCOME_GONE, 0);
        return;
    }

    if (step->kind == PEX__STEP_WRITE) {
        add(list, ACT_END, r, OUTCOME_NEXT, 0);
        return;
    }
    if (step->kind == PEX__STEP_LOAD) {
        add(list, ACT_END, r, OUTCOME_NEXT, 0);
        if (world->load_failures > 0)
            add(list, ACT_END, r, OUTCOME_FAILED, 0);
        return;
    }
    if (!is_stuck(world, step))
        add(list, ACT_END, r, OUTCOME_NEXT, 0);
    if (world->agains > 0 && step->ticket->next != NULL)
        add(list, ACT_END, r, OUTCOME_FIRST, 0);
    is_repeatable = step->kind == PEX__STEP_CALL || next_step(step) > step->ticket->step;
    if (world->agains > 0 && is_repeatable)
        add(list, ACT_END, r, OUTCOME_AGAIN, 0);
    if (world->laters > 0 && is_repeatable)
        add(list, ACT_END, r, OUTCOME_LATER, 0);
    if (step->part->job->is_stopped)
        add(list, ACT_END, r, OUTCOME_GONE, 0);
    if (world->breaks > 0 && step->unit != NULL)
        add(list, ACT_END, r, OUTCOME_BROKEN, 0);
}

size_t world_actions(const struct world *world, struct action *actions)
{
    struct list list = {actions, 0};

    for (int32_t r = 0; r < world->running_count; r++)
        add_ends(world, r, &list);
    for (int32_t j = 0; j < world->spec->job_count; j++)
        add_of_job(world, j, &list);
    if (world->idle_workers > 0)
        add(&list, ACT_ASK, 0, 0, 0);
    for (int32_t i = 0; i < world->spec->pool_count; i++) {
        if (world->pools[i].is_blocking && world->pools[i].idle != NULL)
            add(&list, ACT_ASK_UNIT, i, 0, 0);
        if (world->evictions > 0 && world->pools[i].idle != NULL && world->pools[i].budget.out == 0)
            add(&list, ACT_EVICT, i, 0, 0);
    }
    return list.count;
}

static void start(struct world *world, const struct pex__step *step, int of_worker)
{
    struct running *running = &world->running[world->running_count++];

    memset(running, 0, sizeof *running);
    running->step = *step;
    running->of_worker = of_worker;
    world->idle_workers -= of_worker;
    if (step->unit != NULL)
        ((struct world_unit *)(void *)step->unit)->calls++;
    if (step->kind == PEX__STEP_WRITE && step->through) {
        struct world_job *job = (struct world_job *)(void *)step->part->job;

        if (job->export_is_busy || has_append(job))
            world_fault(world, "two write to the export at a time");
        job->export_is_busy = step->part->job->sink != PEX__SINK_OWN;
    }
}

static void take_spare(struct world *world, struct pex__agent *agent)
{
    agent->spare = world->free;
    world->free = agent->spare->next;
}

static void give_spare(struct world *world, const struct pex__agent *agent)
{
    if (agent->spare == NULL)
        return;
    agent->spare->next = world->free;
    world->free = agent->spare;
}

static void get_totals(const struct world *world, uint64_t *total, uint64_t *job_totals)
{
    *total = world->sched.account.total;
    for (int32_t j = 0; j < WORLD_JOBS; j++)
        job_totals[j] = world->jobs[j].sjob.account.total;
}

static int is_quick(const struct pex__step *step)
{
    if (step->kind == PEX__STEP_READ)
        return pex__is_quick(step->part->job->slice_ns);
    return step->kind == PEX__STEP_RUN && pex__is_quick(step->part->job->steps[step->at].ns);
}

/* A worker that was given a quick step takes more of the kind. */
static void ask_for_more(struct world *world, struct pex__agent *agent,
                         const struct pex__step *first)
{
    struct running *running = &world->running[world->running_count - 1];
    uint64_t total, job_totals[WORLD_JOBS];
    struct pex__step next;

    if (!is_quick(first))
        return;
    running->hand_part = first->part;
    running->hand_seq = first->ticket->seq;
    for (uint32_t i = 1; i < pex__sched_handful(&world->sched); i++) {
        get_totals(world, &total, job_totals);
        take_spare(world, agent);
        pex__sched_next_alike(&world->sched, agent, first, &next);
        give_spare(world, agent);
        if (next.kind == PEX__STEP_NONE)
            return;
        if (next.kind != first->kind || next.at != first->at)
            world_fault(world, "a worker is given something else by the handful");
        world_check_step(world, &next, total, job_totals);
        start(world, &next, 0);
        running = &world->running[world->running_count - 1];
        running->hand_part = first->part;
        running->hand_seq = first->ticket->seq;
    }
}

/* The worker is busy with what else it was given. */
static int has_more(struct world *world, const struct running *ended)
{
    for (int32_t r = 0; r < world->running_count && ended->hand_part != NULL; r++) {
        struct running *other = &world->running[r];

        if (other->hand_part != ended->hand_part || other->hand_seq != ended->hand_seq)
            continue;
        other->of_worker |= ended->of_worker;
        return 1;
    }
    return 0;
}

static int ask(struct world *world, struct pex__unit *unit)
{
    struct pex__agent agent = {.unit = unit};
    struct pex__step step;
    uint64_t total, job_totals[WORLD_JOBS];
    const struct pex__unit *told = pex__sched_blocking_work(&world->sched);
    int is_expected = unit == NULL ? pex__sched_has_work(&world->sched) : told != NULL;

    get_totals(world, &total, job_totals);
    if (unit == NULL) {
        agent.served = world->served;
        /* Two that alternate are enough to own tickets. */
        agent.id = world->spec->has_names ? 1 + world->running_count % 2 : 0;
        take_spare(world, &agent);
    }
    pex__sched_next(&world->sched, &agent, &step);
    if (unit == NULL)
        world->served = NULL;
    give_spare(world, &agent);
    if (unit == NULL && is_expected != (step.kind != PEX__STEP_NONE))
        world_fault(world, "has_work is not what a worker finds");
    if (unit != NULL && step.kind != PEX__STEP_NONE && !is_expected)
        world_fault(world, "blocking_work misses the work of a unit");
    if (unit != NULL && step.kind == PEX__STEP_NONE && told == unit)
        world_fault(world, "blocking_work names a unit that finds nothing");
    if (step.kind == PEX__STEP_NONE) {
        world_check_idle(world, unit);
        return 0;
    }
    world_check_step(world, &step, total, job_totals);
    start(world, &step, unit == NULL);
    if (unit == NULL)
        ask_for_more(world, &agent, &step);
    return 1;
}

static struct pex__unit *new_unit(struct world *world)
{
    for (int32_t i = 0; i < WORLD_UNITS; i++) {
        if (world->units[i].is_alive)
            continue;
        world->units[i].is_alive = 1;
        world->units[i].unit.is_gone = 0;
        return &world->units[i].unit;
    }
    world_fault(world, "more units than the world has room for");
    return NULL;
}

static void end_load(struct world *world, struct pex__step *step, int32_t outcome)
{
    struct pex__pool *pool = step->pool;
    struct world_unit *unit;

    pex__sched_done_load(&world->sched, step, outcome == OUTCOME_NEXT ? new_unit(world) : NULL);
    if (outcome == OUTCOME_NEXT) {
        unit = (struct world_unit *)(void *)pool->idle;
        unit->calls = 0;
        return;
    }
    world->load_failures--;
    if (pool->loaded > 0)
        pex__budget_lower(&pool->budget, pool->loaded);
    else
        pex__sched_job_stop(step->job);
}

/* The slices of the list reach the sink, or the part's own file, in order. */
static void count_written(struct world *world, const struct running *running)
{
    struct world_part *own = (struct world_part *)(void *)running->step.part;
    struct world_job *job = (struct world_job *)(void *)own->part.job;
    int to_sink = running->is_host || running->step.through || job->sjob.sink == PEX__SINK_OWN;

    for (const struct pex__ticket *t = running->step.ticket; t != NULL; t = t->next) {
        if (t->seq != own->written + own->in_file)
            world_fault(world, "slices are written out of order");
        if (to_sink && own->in_file > 0)
            world_fault(world, "rows pass those in the part's own file");
        own->written += (uint64_t)to_sink;
        own->in_file += (uint64_t)!to_sink;
    }
    if (!to_sink || job->sjob.sink == PEX__SINK_OWN)
        return;
    for (int32_t p = 0; p < own->part.index; p++)
        if (job->own[p].written < slices_of(world, &job->own[p].part))
            world_fault(world, "a part is written before the one in front of it");
}

/* The call saw as many rows as it may: the last ticket may have some left. */
static void end_rows(struct pex__ticket *ticket, uint32_t next, uint64_t *left)
{
    uint64_t seen = ticket->rows < *left ? ticket->rows : *left;

    *left -= seen;
    if (seen < ticket->rows) {
        ticket->rows -= seen;
        ticket->end = PEX__END_AGAIN;
        return;
    }
    ticket->step = next;
    ticket->rows = world_rows(ticket->seq);
    ticket->end = PEX__END_NEXT;
}

static void end_tickets(struct world *world, struct pex__step *step, int32_t outcome)
{
    uint64_t most = step->kind == PEX__STEP_CALL ? step->part->job->steps[step->at].join_rows : 0;
    uint64_t left = most > 0 ? most : UINT64_MAX;
    uint32_t next = next_step(step);

    for (struct pex__ticket *ticket = step->ticket; ticket != NULL; ticket = ticket->next) {
        int is_done =
            outcome == OUTCOME_NEXT || (outcome == OUTCOME_FIRST && ticket == step->ticket);

        /* A call that failed on several tickets is made again on each. */
        ticket->is_alone = outcome != OUTCOME_NEXT && outcome != OUTCOME_FIRST;
        if (is_done)
            end_rows(ticket, next, &left);
        else
            ticket->end = outcome == OUTCOME_LATER  ? PEX__END_LATER
                          : outcome == OUTCOME_GONE ? PEX__END_GONE
                                                    : PEX__END_AGAIN;
        ticket->now = cost_at(world, ticket, ticket->step);
    }
    world->agains -= outcome == OUTCOME_AGAIN || outcome == OUTCOME_FIRST;
    world->laters -= outcome == OUTCOME_LATER;
    world->breaks -= outcome == OUTCOME_BROKEN;
    if (outcome == OUTCOME_BROKEN) {
        ((struct world_unit *)(void *)step->unit)->is_alive = step->pool->is_shared;
        pex__sched_done_broken(&world->sched, step);
    } else {
        pex__sched_done(&world->sched, step);
    }
}

/* A broken one ends with the last of its calls. */
static void end_shared(struct world_unit *unit, struct world *world)
{
    if (unit->calls != unit->unit.calls)
        world_fault(world, "a shared instance does not know its calls");
    unit->is_alive = unit->unit.calls > 0;
}

static void end(struct world *world, int32_t r, int32_t outcome)
{
    struct running running = world->running[r];
    struct pex__step *step = &running.step;

    world->running[r] = world->running[--world->running_count];
    world->idle_workers += running.of_worker && !has_more(world, &running);
    if (running.of_worker && world->spec->has_names)
        world->served = step->kind == PEX__STEP_CALL ? step->pool : NULL;
    if (step->unit != NULL)
        ((struct world_unit *)(void *)step->unit)->calls--;
    if (step->kind == PEX__STEP_LOAD) {
        end_load(world, step, outcome);
    } else if (step->kind == PEX__STEP_WRITE) {
        count_written(world, &running);
        if (step->through)
            ((struct world_job *)(void *)step->part->job)->export_is_busy = 0;
        if (running.is_host)
            ((struct world_job *)(void *)step->part->job)->host_is_busy = 0;
        pex__sched_done_write(&world->sched, step);
    } else {
        end_tickets(world, step, outcome);
    }
    if (step->unit != NULL && step->unit->is_gone)
        end_shared((struct world_unit *)(void *)step->unit, world);
}

static void append(struct world *world, struct world_job *job, struct world_part *own)
{
    for (int32_t p = 0; p < own->part.index; p++)
        if (job->own[p].written < slices_of(world, &job->own[p].part) && !job->sjob.is_stopped)
            world_fault(world, "a file is appended before the part in front of it");
    own->append_asked = 0;
    own->written += own->in_file;
    own->in_file = 0;
    pex__sched_appended(&own->part);
}

static int pull(struct world *world, struct world_job *job)
{
    struct running *running = &world->running[world->running_count];
    struct pex__step step = {.kind = PEX__STEP_WRITE};

    if (job->sjob.head < job->opened)
        step.part = job->parts[job->sjob.head];
    if (step.part != NULL && step.part->is_active)
        step.ticket = pex__sched_pull(step.part);
    /* Whatever it found: the thread of the host that asks next does so when it is told. */
    job->host_is_told = 0;
    if (step.ticket == NULL)
        return 1;
    start(world, &step, 0);
    running->is_host = 1;
    job->host_is_busy = 1;
    return 1;
}

static int open_part(struct world *world, struct world_job *job)
{
    if (!pex__sched_part_open(&job->own[job->opened].part))
        return 0;
    job->opened++;
    job->active++;
    if (job->own[job->opened - 1].part.is_active)
        world_check_open(world, &job->own[job->opened - 1].part);
    return 1;
}

static void evict(struct world *world, struct pex__pool *pool)
{
    struct pex__unit *unit = pex__pool_evict(pool);

    if (unit == NULL)
        world_fault(world, "an idle unit of an idle pool is not given away");
    else
        ((struct world_unit *)(void *)unit)->is_alive = 0;
    world->evictions--;
}

/* As the engine does before it lets go of its lock. */
static void take_notes(struct world *world)
{
    struct pex__part *part;
    int32_t notes;

    while ((part = pex__sched_take_note(&world->sched, &notes)) != NULL) {
        struct world_part *own = (struct world_part *)(void *)part;
        struct world_job *job = (struct world_job *)(void *)part->job;

        if (((notes & PEX__NOTE_DRAINED) && own->is_drained) ||
            ((notes & PEX__NOTE_OUT) && own->is_out) ||
            ((notes & PEX__NOTE_APPEND) && own->append_asked))
            world_fault(world, "a part is told twice");
        if (notes & PEX__NOTE_DRAINED) {
            own->is_drained = 1;
            job->active--;
        }
        if (notes & PEX__NOTE_OUT) {
            own->is_out = 1;
            job->out++;
        }
        if ((notes & PEX__NOTE_APPEND) && (job->export_is_busy || has_append(job)))
            world_fault(world, "an append begins while another writes to the export");
        if (notes & PEX__NOTE_APPEND)
            own->append_asked = 1;
        if (notes & PEX__NOTE_PULL)
            job->host_is_told = 1;
    }
    while (world->sched.freed != NULL) {
        struct pex__ticket *ticket = world->sched.freed;

        world->sched.freed = ticket->next;
        ticket->next = world->free;
        world->free = ticket;
    }
}

/* The slice is cut: the next can be read while this one goes on. */
static void cut(struct world *world, struct running *running)
{
    struct pex__part *part = running->step.part;
    uint64_t next = running->step.ticket->seq + 1, all = slices_of(world, part);

    if (next != part->next_seq)
        world_fault(world, "two threads decode one stream");
    running->is_cut = 1;
    pex__sched_part_more(part, next < all, next == all);
}

static int carry_out(struct world *world, struct action action)
{
    struct world_job *job = action.a < WORLD_JOBS ? &world->jobs[action.a] : NULL;

    switch (action.kind) {
    case ACT_ASK:
        return ask(world, NULL);
    case ACT_ASK_UNIT:
        return ask(world, world->pools[action.a].idle);
    case ACT_END:
        end(world, action.a, action.b);
        return 1;
    case ACT_CUT:
        cut(world, &world->running[action.a]);
        return 1;
    case ACT_FEED:
        pex__sched_part_more(&job->own[action.b].part, 1, 0);
        return 1;
    case ACT_FEED_END:
        pex__sched_part_more(&job->own[action.b].part, 0, 1);
        return 1;
    case ACT_APPENDED:
        append(world, job, &job->own[action.b]);
        return 1;
    case ACT_PULL:
        return pull(world, job);
    case ACT_WAKE:
        pex__sched_wake(job->own[action.b].ring[action.c]);
        return 1;
    case ACT_OPEN:
        return open_part(world, job);
    case ACT_ENTER:
        enter(world, action.a);
        return 1;
    case ACT_LEAVE:
        pex__sched_job_leave(&job->sjob);
        job->has_left = 1;
        return 1;
    case ACT_HOLD:
    case ACT_RELEASE:
        world->holds -= action.kind == ACT_HOLD;
        pex__sched_hold(&job->sjob, action.kind == ACT_HOLD);
        return 1;
    case ACT_STOP:
        pex__sched_job_stop(&job->sjob);
        return 1;
    case ACT_PAUSE:
    case ACT_RESUME:
        pex__sched_job_pause(&job->sjob, action.kind == ACT_PAUSE);
        world->pauses -= action.kind == ACT_PAUSE;
        return 1;
    case ACT_BUDGET:
        pex__sched_job_budget(&job->sjob, action.b, action.c);
        world->budgets--;
        return 1;
    default:
        evict(world, &world->pools[action.a]);
        return 1;
    }
}

/* As the engine does whenever a unit may have become idle. */
static void shed(struct world *world)
{
    struct pex__unit *unit;

    for (int32_t i = 0; i < world->spec->pool_count; i++)
        while ((unit = pex__pool_shed(&world->pools[i])) != NULL)
            ((struct world_unit *)(void *)unit)->is_alive = 0;
}

int world_apply(struct world *world, struct action action)
{
    int has_changed = carry_out(world, action);

    if (has_changed) {
        take_notes(world);
        shed(world);
        world_check(world);
    }
    return has_changed;
}

int world_is_over(const struct world *world)
{
    for (int32_t j = 0; j < world->spec->job_count; j++)
        if (!world->jobs[j].has_left)
            return 0;
    return 1;
}

int world_is_paused(const struct world *world)
{
    for (int32_t j = 0; j < world->spec->job_count; j++)
        if (!world->jobs[j].has_left &&
            !(world->jobs[j].sjob.is_paused && world->jobs[j].has_entered))
            return 0;
    return 1;
}

void world_describe(const struct action *action, char *text, size_t size)
{
    static const char *const kinds[] = {"ask",      "ask-unit", "end",    "cut",   "feed",
                                        "feed-end", "appended", "pull",   "wake",  "open",
                                        "enter",    "leave",    "stop",   "hold",  "release",
                                        "evict",    "pause",    "budget", "resume"};

    snprintf(text, size, "%s %d %d %d", kinds[action->kind], action->a, action->b, action->c);
}
