/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of execution under random schedules on a virtual clock: random machines, jobs, budgets,
 * sizes and durations; jobs come and are stopped at random times, calls fail, back off and break
 * their instances. What must hold is checked at every step (world_check.c), completeness at the
 * end.
 */
#include "world.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEDULES 10000

struct random {
    uint64_t state;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t draw(struct random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(random->state);
}

/* From low to high, both included. */
static int32_t between(struct random *random, int32_t low, int32_t high)
{
    return low + (int32_t)(draw(random) % (uint64_t)(high - low + 1));
}

static int one_in(struct random *random, int32_t count)
{
    return between(random, 1, count) == 1;
}

/* A slice is full or not, and one in sixteen is far too large; each step lets it grow, or shrink.
 */
static uint64_t cost_random(const struct spec *spec, int32_t job, int32_t part, uint64_t seq,
                            uint32_t step)
{
    uint64_t draw = mix(spec->seed ^ (uint64_t)job << 40 ^ (uint64_t)part << 20 ^ seq);
    uint64_t bytes = 1 + draw % spec->jobs[job].slice_bytes;

    bytes *= draw >> 60 == 0 ? 40 : 1;
    for (uint32_t i = 0; i <= step; i++) {
        draw = mix(draw + i);
        bytes = bytes * (1 + draw % 8) / 3;
    }
    return bytes;
}

static void draw_steps(struct random *random, const struct spec *spec, struct spec_job *job)
{
    job->step_count = between(random, 0, WORLD_STEPS);
    for (int32_t i = 0; i < job->step_count; i++) {
        job->steps[i].pool = spec->pool_count > 0 && !one_in(random, 3)
                                 ? between(random, 0, spec->pool_count - 1)
                                 : -1;
        job->steps[i].num_proc = between(random, 1, 4);
        job->join_rows[i] = one_in(random, 2) ? 0 : (uint64_t)between(random, 1, 9);
    }
}

static void draw_job(struct random *random, struct spec *spec, struct spec_job *job)
{
    static const double weights[] = {0.5, 1, 1, 3};

    job->part_count = between(random, 1, WORLD_PARTS);
    for (int32_t p = 0; p < job->part_count; p++)
        job->slices[p] = (uint32_t)between(random, 0, 7);
    job->slices_from = one_in(random, 3) ? between(random, WORLD_DECODED, WORLD_FED) : WORLD_KNOWN;
    draw_steps(random, spec, job);
    job->sink = between(random, PEX__SINK_OWN, PEX__SINK_PULL);
    job->policy = one_in(random, 2) ? PEX_SCOPE_BALANCED : PEX_SCOPE_ELASTIC;
    job->active_max = between(random, 1, 5);
    job->ring_size = (uint32_t)1 << between(random, 0, 3);
    job->weight = weights[between(random, 0, 3)];
    job->growth = between(random, 1, 3);
    job->slice_bytes = (uint64_t)between(random, 4, 64);
    job->limit = job->slice_bytes * (uint64_t)between(random, 1, 40);
    job->set_aside = job->limit * (uint64_t)between(random, 0, 4) / 4;
    job->may_stop = one_in(random, 5);
    job->comes_late = one_in(random, 3);
    job->is_quick = one_in(random, 3);
    if (job->limit > spec->limit || one_in(random, 2))
        spec->limit = job->limit;
}

static void draw_spec(struct spec *spec, uint64_t seed)
{
    struct random random = {seed};

    memset(spec, 0, sizeof *spec);
    spec->name = "random";
    spec->has_names = 1;
    spec->seed = seed;
    spec->workers = between(&random, 1, 4);
    spec->load_limit = between(&random, 1, 3);
    spec->pool_count = between(&random, 0, 4);
    for (int32_t i = 0; i < spec->pool_count; i++)
        spec->pool_kinds[i] = between(&random, WORLD_STATELESS, WORLD_BLOCKING);
    spec->job_count = between(&random, 1, WORLD_JOBS);
    for (int32_t j = 0; j < spec->job_count; j++)
        draw_job(&random, spec, &spec->jobs[j]);
    spec->agains = one_in(&random, 2) ? 5 : 0;
    spec->laters = one_in(&random, 2) ? 5 : 0;
    spec->holds = one_in(&random, 4) ? 3 : 0;
    spec->breaks = one_in(&random, 3) ? 3 : 0;
    spec->load_failures = one_in(&random, 6) ? 1 : 0;
    spec->evictions = one_in(&random, 3) ? 3 : 0;
    spec->pauses = one_in(&random, 3) ? between(&random, 1, 6) : 0;
    spec->budgets = one_in(&random, 3) ? between(&random, 1, 6) : 0;
    spec->cost = cost_random;
}

struct schedule {
    struct world *world;
    struct random random;
    int64_t now;
    int is_lazy; /* agents take their time before they ask */
    struct action actions[WORLD_ACTIONS];
    size_t count;
};

static int is_ask(const struct action *action)
{
    return action->kind == ACT_ASK || action->kind == ACT_ASK_UNIT;
}

static void set_duration(struct schedule *schedule)
{
    struct running *running = &schedule->world->running[schedule->world->running_count - 1];
    const struct pex__step *step = &running->step;
    int32_t most = step->kind == PEX__STEP_LOAD ? 500 : step->kind == PEX__STEP_WRITE ? 10 : 60;

    if (step->kind == PEX__STEP_CALL && step->pool->is_blocking)
        most = 300;
    running->until = schedule->now + between(&schedule->random, 1, most);
}

static int apply(struct schedule *schedule, size_t at)
{
    int32_t before = schedule->world->running_count;
    int has_changed = world_apply(schedule->world, schedule->actions[at]);

    if (schedule->world->running_count > before)
        set_duration(schedule);
    return has_changed;
}

/* Whoever is idle asks, as long as somebody finds something; the loop opens what it may. */
static int ask_all(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct action *action = &schedule->actions[i];

        if (is_ask(action) && schedule->is_lazy && !one_in(&schedule->random, 4))
            continue;
        if ((is_ask(action) || action->kind == ACT_OPEN || action->kind == ACT_LEAVE) &&
            apply(schedule, i))
            return 1;
    }
    return 0;
}

/* The running step comes to its end, or to the cut of its slice. */
static int is_of_step(const struct action *action, int32_t running)
{
    return (action->kind == ACT_END || action->kind == ACT_CUT) && action->a == running;
}

/* The step that ends first, mostly well. */
static int end_next(struct schedule *schedule)
{
    const struct world *world = schedule->world;
    size_t first = 0, last;
    int32_t next = 0;

    if (world->running_count == 0)
        return 0;
    for (int32_t r = 1; r < world->running_count; r++)
        if (world->running[r].until < world->running[next].until)
            next = r;
    while (!is_of_step(&schedule->actions[first], next))
        first++;
    for (last = first; last + 1 < schedule->count; last++)
        if (!is_of_step(&schedule->actions[last + 1], next))
            break;
    if (one_in(&schedule->random, 8))
        first = (size_t)between(&schedule->random, (int32_t)first, (int32_t)last);
    schedule->now = world->running[next].until;
    if (schedule->actions[first].kind == ACT_CUT)
        schedule->world->running[next].until += between(&schedule->random, 1, 60);
    return apply(schedule, first);
}

/* The store, the host, timers, jobs that come and are stopped. */
static int do_other(struct schedule *schedule)
{
    size_t others[WORLD_ACTIONS], count = 0;

    for (size_t i = 0; i < schedule->count; i++)
        if (!is_ask(&schedule->actions[i]) && schedule->actions[i].kind != ACT_END &&
            schedule->actions[i].kind != ACT_OPEN)
            others[count++] = i;
    if (count == 0)
        return 0;
    return apply(schedule, others[between(&schedule->random, 0, (int32_t)count - 1)]);
}

/* Every action in turn: only when none does anything it is the end, or a deadlock. Jobs that are
 * paused go on when nothing else is left to do, so that none of the others waits for it. */
static int do_any(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->actions[i].kind != ACT_RESUME && apply(schedule, i))
            return 1;
    for (size_t i = 0; i < schedule->count; i++) {
        if (schedule->actions[i].kind != ACT_RESUME)
            continue;
        if (!world_is_paused(schedule->world))
            world_fault(schedule->world, "a job waits for one that is paused");
        return apply(schedule, i);
    }
    return 0;
}

static int advance(struct schedule *schedule)
{
    schedule->count = world_actions(schedule->world, schedule->actions);
    if (ask_all(schedule))
        return 1;
    if (one_in(&schedule->random, 6) && do_other(schedule))
        return 1;
    return end_next(schedule) || do_any(schedule);
}

static const char *run_schedule(uint64_t seed, uint64_t *steps)
{
    struct schedule schedule = {.random = {seed + 1}, .is_lazy = seed % 3 == 0};
    const char *fault;
    struct spec spec;

    draw_spec(&spec, seed);
    schedule.world = malloc(world_size(&spec));
    ck_assert_ptr_nonnull(schedule.world);
    world_init(schedule.world, &spec);
    while (schedule.world->fault == NULL && advance(&schedule))
        ++*steps;
    if (schedule.world->fault == NULL && !world_is_over(schedule.world))
        world_fault(schedule.world, "deadlock");
    if (schedule.world->fault == NULL)
        world_check_end(schedule.world);
    fault = schedule.world->fault;
    free(schedule.world);
    return fault;
}

START_TEST(random_schedules_end_complete)
{
    const char *scale = getenv("PEX_TEST_SCALE"), *one = getenv("PEX_TEST_SEED");
    int64_t count = SCHEDULES / (scale != NULL && atoi(scale) > 0 ? atoi(scale) : 1);
    uint64_t first = one != NULL ? strtoull(one, NULL, 10) : 1, steps = 0;

    count = one != NULL ? 1 : count;
    for (uint64_t seed = first; seed < first + (uint64_t)count; seed++) {
        const char *fault = run_schedule(seed, &steps);

        ck_assert_msg(fault == NULL, "seed %" PRIu64 " (PEX_TEST_SEED): %s", seed, fault);
    }
    printf("# %" PRId64 " schedules, %" PRIu64 " steps\n", count, steps);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schedules");
    TCase *tcase = tcase_create("schedules");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, random_schedules_end_complete);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
