/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of execution in small worlds, exhaustively: every order in which agents ask and end,
 * the store thread appends, the host pulls, timers fire, partitions open, jobs come and are
 * stopped. In each state what must hold is checked; a state from which nothing follows must be the
 * end. The same search finds the deadlocks of rules that are known to be wrong, so it can find
 * them.
 */
#include "world.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 400

enum {
    RULES_RIGHT,
    RULES_NO_RESERVES, /* all credits are shared, and none may pass the limit */
    RULES_NO_PASSING,  /* what does not fit waits */
    RULES_NO_ORDER,    /* over the limit every ticket goes on */
    RULES_STRICT,      /* no unit for the lowest ticket of all when its job has no share */
    RULES_PAUSE_FIRST  /* the oldest job goes first over the limit, also when it is paused */
};

static int rules = RULES_RIGHT;

/* The linker puts these in front of the scheduler's own (`--wrap`). */
int __real_pex__part_may_grant(const struct pex__part *part, uint64_t cost);
int __wrap_pex__part_may_grant(const struct pex__part *part, uint64_t cost);
int __real_pex__part_admit(struct pex__part *part);
int __wrap_pex__part_admit(struct pex__part *part);
int __real_pex__ticket_may_go(const struct pex__sched *sched, const struct pex__ticket *ticket);
int __wrap_pex__ticket_may_go(const struct pex__sched *sched, const struct pex__ticket *ticket);
struct pex__part *__real_pex__sched_lowest(const struct pex__sched *sched);
struct pex__part *__wrap_pex__sched_lowest(const struct pex__sched *sched);

int __wrap_pex__part_may_grant(const struct pex__part *part, uint64_t cost)
{
    const struct pex__account *account = &part->job->sched->account;
    int fits = account->total + cost <= account->limit;

    if (rules == RULES_NO_RESERVES)
        return fits;
    return (rules != RULES_NO_PASSING || fits) && __real_pex__part_may_grant(part, cost);
}

int __wrap_pex__part_admit(struct pex__part *part)
{
    return rules == RULES_NO_RESERVES || __real_pex__part_admit(part);
}

int __wrap_pex__ticket_may_go(const struct pex__sched *sched, const struct pex__ticket *ticket)
{
    if (rules == RULES_PAUSE_FIRST && pex__account_over(&sched->account) &&
        sched->jobs->active != NULL && ticket->part != sched->jobs->active)
        return 0;
    return rules == RULES_NO_ORDER || __real_pex__ticket_may_go(sched, ticket);
}

struct pex__part *__wrap_pex__sched_lowest(const struct pex__sched *sched)
{
    return rules == RULES_STRICT ? NULL : __real_pex__sched_lowest(sched);
}

struct seen {
    uint64_t *keys; /* open addressing; 0: empty */
    size_t size, count;
};

struct level {
    struct action actions[WORLD_ACTIONS];
    size_t count, next;
    int has_moved;
};

struct search {
    const struct spec *spec;
    struct world *world;
    char *saved; /* one copy of the world per level */
    size_t world_size;
    struct level *levels;
    struct seen seen;
    size_t states, steps, deadlocks;
    uint64_t peak;
    int only_deadlocks; /* faults do not end the search */
    const char *fault;
    char trace[8192]; /* of the first fault or deadlock */
};

static int insert(uint64_t *keys, size_t size, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0xff51afd7ed558ccd) >> 20) & (size - 1);

    while (keys[at] != 0) {
        if (keys[at] == key)
            return 0;
        at = (at + 1) & (size - 1);
    }
    keys[at] = key;
    return 1;
}

static int is_new(struct seen *seen, uint64_t hash)
{
    uint64_t *old = seen->keys;
    size_t old_size = seen->size;

    if (2 * (seen->count + 1) > seen->size) {
        seen->size = seen->size > 0 ? 2 * seen->size : 1 << 16;
        seen->keys = calloc(seen->size, sizeof *seen->keys);
        ck_assert_ptr_nonnull(seen->keys);
        for (size_t i = 0; i < old_size; i++)
            if (old[i] != 0)
                insert(seen->keys, seen->size, old[i]);
        free(old);
    }
    if (!insert(seen->keys, seen->size, hash | 1))
        return 0;
    seen->count++;
    return 1;
}

static void keep_trace(struct search *search, size_t depth)
{
    size_t length = 0;
    char text[64];

    if (search->trace[0] != '\0')
        return;
    for (size_t i = 0; i <= depth && length + sizeof text < sizeof search->trace; i++) {
        if (search->levels[i].next == 0)
            break;
        world_describe(&search->levels[i].actions[search->levels[i].next - 1], text, sizeof text);
        length +=
            (size_t)snprintf(search->trace + length, sizeof search->trace - length, "%s; ", text);
    }
}

/* A fault ends the search: what follows from a wrong state says nothing. */
static void take_fault(struct search *search, size_t depth)
{
    if (search->world->fault == NULL || search->fault != NULL || search->only_deadlocks)
        return;
    search->fault = search->world->fault;
    keep_trace(search, depth);
}

static void open_level(struct search *search, size_t depth)
{
    struct level *level = &search->levels[depth];

    ck_assert_uint_lt(depth, DEPTH_MAX);
    memcpy(search->saved + depth * search->world_size, search->world, search->world_size);
    level->count = world_actions(search->world, level->actions);
    level->next = 0;
    level->has_moved = 0;
}

static void close_level(struct search *search, size_t depth)
{
    if (search->levels[depth].has_moved)
        return;
    memcpy(search->world, search->saved + depth * search->world_size, search->world_size);
    if (world_is_over(search->world)) {
        world_check_end(search->world);
        take_fault(search, depth);
        return;
    }
    if (world_is_paused(search->world))
        return;
    search->deadlocks++;
    search->levels[depth].next = 0;
    keep_trace(search, depth);
}

static void run_search(struct search *search)
{
    size_t depth = 0;
    uint8_t kind;

    open_level(search, 0);
    is_new(&search->seen, world_hash(search->world));
    for (;;) {
        struct level *level = &search->levels[depth];

        if (level->next == level->count) {
            close_level(search, depth);
            if (depth-- == 0)
                return;
            continue;
        }
        memcpy(search->world, search->saved + depth * search->world_size, search->world_size);
        kind = level->actions[level->next].kind;
        if (world_apply(search->world, level->actions[level->next++])) {
            /* Nobody may have to wait until a job that is paused goes on. */
            level->has_moved |= kind != ACT_RESUME;
            search->steps++;
        }
        take_fault(search, depth);
        if (search->fault != NULL)
            return;
        if (search->world->peak > search->peak)
            search->peak = search->world->peak;
        if (is_new(&search->seen, world_hash(search->world)))
            open_level(search, ++depth);
    }
}

static void explore(struct search *search, const struct spec *spec)
{
    search->spec = spec;
    search->world_size = world_size(spec);
    search->world = malloc(search->world_size);
    search->saved = malloc(search->world_size * DEPTH_MAX);
    search->levels = calloc(DEPTH_MAX, sizeof *search->levels);
    ck_assert(search->world != NULL && search->saved != NULL && search->levels != NULL);
    world_init(search->world, spec);
    run_search(search);
    search->states = search->seen.count;
    printf("# %-52s %8zu states %9zu steps, peak %" PRIu64 " of %" PRIu64 "%s%s\n", spec->name,
           search->states, search->steps, search->peak, spec->limit,
           search->deadlocks > 0 ? ", deadlock" : "", search->fault != NULL ? ", fault" : "");
    free(search->world);
    free(search->saved);
    free(search->levels);
    free(search->seen.keys);
}

/* A slice costs what was foreseen, through all steps. */
static uint64_t cost_even(const struct spec *spec, int32_t job, int32_t part, uint64_t seq,
                          uint32_t step)
{
    (void)part, (void)seq, (void)step;
    return (uint64_t)((double)spec->jobs[job].slice_bytes * spec->jobs[job].growth);
}

/* Four times as much after the first step. */
static uint64_t cost_grows(const struct spec *spec, int32_t job, int32_t part, uint64_t seq,
                           uint32_t step)
{
    return cost_even(spec, job, part, seq, step) * (step > 0 ? 4 : 1);
}

/* The second slice of each part, and the first of every other, are nine times as large. */
static uint64_t cost_odd(const struct spec *spec, int32_t job, int32_t part, uint64_t seq,
                         uint32_t step)
{
    return cost_even(spec, job, part, seq, step) *
           (seq == 1 || (seq == 0 && part % 2 == 1) ? 9 : 1);
}

#define SLICES(n) .slices = {n, n, n, n}
#define DECODED .slices_from = WORLD_DECODED
#define FED .slices_from = WORLD_FED
#define STEPS(count, ...) .step_count = count, .steps = {__VA_ARGS__}
#define BALANCED .policy = PEX_SCOPE_BALANCED
#define ELASTIC .policy = PEX_SCOPE_ELASTIC

static const struct spec worlds[] = {
#include "model_worlds.h"
};

#define DEFAULT(field, value) field = field != 0 ? field : (value)

/* What a world leaves out. */
static struct spec with_defaults(const struct spec *spec)
{
    struct spec full = *spec;

    DEFAULT(full.workers, 2);
    DEFAULT(full.load_limit, 2);
    DEFAULT(full.limit, 1000);
    DEFAULT(full.job_count, 1);
    full.cost = full.cost != NULL ? full.cost : cost_even;
    for (int32_t j = 0; j < full.job_count; j++) {
        struct spec_job *job = &full.jobs[j];

        DEFAULT(job->weight, 1);
        DEFAULT(job->growth, 1);
        DEFAULT(job->slice_bytes, 1);
        DEFAULT(job->ring_size, 4);
        DEFAULT(job->limit, 1000);
        DEFAULT(job->active_max, 3);
    }
    return full;
}

START_TEST(no_deadlock_and_no_fault_in_any_order)
{
    struct spec spec = with_defaults(&worlds[_i]);
    const char *scale = getenv("PEX_TEST_SCALE");
    struct search search = {.spec = NULL};

    rules = RULES_RIGHT;
    if (scale != NULL && atoi(scale) > 1 && spec.is_large)
        return;
    explore(&search, &spec);
    ck_assert_msg(search.fault == NULL, "%s: %s after: %s", spec.name, search.fault, search.trace);
    ck_assert_msg(search.deadlocks == 0, "%s: %zu deadlocks, the first after: %s", spec.name,
                  search.deadlocks, search.trace);
}
END_TEST

struct broken {
    int rules;
    int is_deadlock; /* else a fault */
    struct spec spec;
};

static const struct broken broken_worlds[] = {
    /* clang-format off */
    {RULES_NO_RESERVES, 1,
     {.name = "no reserves, strict shares", .limit = 8, .pool_count = 2, .cost = cost_grows,
      .jobs = {{.part_count = 2, SLICES(3), STEPS(2, {0, 2}, {1, 1}), BALANCED, .ring_size = 2}}}},
    {RULES_NO_RESERVES, 1,
     {.name = "no reserves, rows leave in order from memory", .workers = 3, .limit = 10,
      .pool_count = 1, .cost = cost_grows,
      .jobs = {{.part_count = 2, SLICES(3), STEPS(1, {0, 2}), ELASTIC, .sink = PEX__SINK_PULL,
                 .ring_size = 2}}}},
    {RULES_NO_PASSING, 1,
     {.name = "nothing passes the limit", .limit = 6, .pool_count = 1, .cost = cost_odd,
      .jobs = {{.part_count = 2, SLICES(3), STEPS(1, {0, 1}), ELASTIC}}}},
    {RULES_STRICT, 1,
     {.name = "no unit for the lowest ticket of all", .limit = 5, .pool_count = 2,
      .job_count = 2, .cost = cost_grows,
      .jobs = {{.part_count = 2, SLICES(2), STEPS(2, {0, 1}, {1, 1}), BALANCED, .limit = 3},
               {.part_count = 2, SLICES(2), STEPS(2, {1, 1}, {0, 1}), BALANCED, .limit = 3}}}},
    {RULES_RIGHT, 1,
     {.name = "calls wait for memory", .workers = 3, .limit = 5, .pool_count = 1,
      .cost = cost_grows,
      .calls_wait_for_memory = 1,
      .jobs = {{.part_count = 3, SLICES(2), STEPS(1, {0, 3}), ELASTIC}}}},
    {RULES_PAUSE_FIRST, 1,
     {.name = "a paused job stays the first over the limit", .limit = 5, .pool_count = 1,
      .job_count = 2, .pauses = 1, .cost = cost_grows,
      .jobs = {{.part_count = 1, SLICES(2), STEPS(2, {0, 1}, {0, 1}), ELASTIC},
               {.part_count = 1, SLICES(2), STEPS(2, {0, 1}, {0, 1}), ELASTIC}}}},
    {RULES_NO_ORDER, 0,
     {.name = "over the limit everything goes on", .limit = 5, .pool_count = 1, .cost = cost_grows,
      .jobs = {{.part_count = 3, SLICES(3), STEPS(1, {0, 1}), ELASTIC}}}},
    /* clang-format on */
};

START_TEST(broken_rules_are_found)
{
    const struct broken *broken = &broken_worlds[_i];
    struct spec spec = with_defaults(&broken->spec);
    struct search search = {.only_deadlocks = broken->is_deadlock};

    rules = broken->rules;
    explore(&search, &spec);
    rules = RULES_RIGHT;
    ck_assert_msg(broken->is_deadlock ? search.deadlocks > 0 : search.fault != NULL,
                  "%s: nothing was found", broken->spec.name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *tcase = tcase_create("model");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, no_deadlock_and_no_fault_in_any_order, 0,
                        (int)(sizeof worlds / sizeof *worlds));
    tcase_add_loop_test(tcase, broken_rules_are_found, 0,
                        (int)(sizeof broken_worlds / sizeof *broken_worlds));
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
