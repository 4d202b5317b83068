/* SPDX-License-Identifier: Apache-2.0 */
#include <partexec/partexec.h>

#include "exec/schedule.h"
#include "resource/budget.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(shares_follow_the_table)
{
    static const struct {
        int32_t num_proc, active, floor[5], balanced[5];
    } rows[] = {
        {1, 1, {1}, {1}},
        {4, 1, {4}, {4}},
        {4, 2, {2, 2}, {2, 2}},
        {4, 3, {1, 1, 1}, {2, 1, 1}},
        {5, 3, {1, 1, 1}, {2, 2, 1}},
        {2, 5, {1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}},
        {7, 5, {1, 1, 1, 1, 1}, {2, 2, 1, 1, 1}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int32_t rank = 0; rank < rows[i].active; rank++) {
            int32_t n = rows[i].num_proc, active = rows[i].active;

            ck_assert_int_eq(pex_scope_share(PEX_SCOPE_FLOOR, n, active, rank),
                             rows[i].floor[rank]);
            ck_assert_int_eq(pex_scope_share(PEX_SCOPE_BALANCED, n, active, rank),
                             rows[i].balanced[rank]);
            ck_assert_int_eq(pex_scope_share(PEX_SCOPE_ELASTIC, n, active, rank),
                             rows[i].balanced[rank]);
        }
    }
}
END_TEST

START_TEST(balanced_shares_sum_to_the_budget)
{
    for (int32_t n = 1; n <= 70; n++) {
        for (int32_t active = 1; active <= 70; active++) {
            int32_t sum = 0, before = n;

            for (int32_t rank = 0; rank < active; rank++) {
                int32_t share = pex_scope_share(PEX_SCOPE_BALANCED, n, active, rank);

                ck_assert_int_ge(share, n / active);
                ck_assert_int_le(share, before);
                before = share;
                sum += share;
            }
            ck_assert_int_eq(sum, n);
            ck_assert_int_ge(pex_scope_share(PEX_SCOPE_BALANCED, n, active, 0), 1);
        }
    }
}
END_TEST

START_TEST(arguments_are_checked_in_order)
{
    /* Policy before num_proc before active before rank. */
    ck_assert_int_eq(pex_scope_share(-1, 0, 0, -1), PEX_EINVAL);
    ck_assert_int_eq(pex_scope_share(3, -7, 0, -1), PEX_EINVAL);
    ck_assert_int_eq(pex_scope_share(INT32_MAX, 4, 2, 0), PEX_EINVAL);
    for (int32_t policy = PEX_SCOPE_FLOOR; policy <= PEX_SCOPE_ELASTIC; policy++) {
        ck_assert_int_eq(pex_scope_share(policy, 0, 0, -1), 0);
        ck_assert_int_eq(pex_scope_share(policy, -7, 0, -1), -7);
        ck_assert_int_eq(pex_scope_share(policy, INT32_MIN, 5, 9), INT32_MIN);
        ck_assert_int_eq(pex_scope_share(policy, 4, 0, 0), 0);
        ck_assert_int_eq(pex_scope_share(policy, 4, -1, 0), 0);
        ck_assert_int_eq(pex_scope_share(policy, 4, 2, -1), 0);
        ck_assert_int_eq(pex_scope_share(policy, 4, 2, 2), 0);
        ck_assert_int_eq(pex_scope_share(policy, INT32_MAX, INT32_MAX, INT32_MAX - 1), 1);
    }
}
END_TEST

static int any(const struct pex__claim *claim, const void *arg)
{
    (void)claim;
    (void)arg;
    return 1;
}

static struct pex__claim *pick(struct pex__budget *budget)
{
    return pex__budget_pick(budget, any, NULL);
}

static void attach(struct pex__budget *budget, struct pex__demand *demand, uint64_t age,
                   int32_t policy, int32_t num_proc, double weight)
{
    memset(demand, 0, sizeof *demand);
    demand->age = age;
    demand->policy = policy;
    demand->num_proc = num_proc;
    demand->weight = weight;
    pex__budget_attach(budget, demand);
}

static void claim_attach(struct pex__demand *demand, struct pex__claim *claim, int32_t index,
                         int32_t waiting)
{
    memset(claim, 0, sizeof *claim);
    claim->index = index;
    pex__claim_attach(demand, claim);
    for (int32_t i = 0; i < waiting; i++)
        pex__claim_park(claim);
}

/* Takes the next lease; a batch parks in its place. */
static struct pex__claim *lease(struct pex__budget *budget)
{
    struct pex__claim *claim = pick(budget);

    ck_assert_ptr_nonnull(claim);
    pex__budget_lease(claim);
    pex__claim_park(claim);
    return claim;
}

START_TEST(units_are_the_largest_num_proc_of_live_jobs)
{
    struct pex__budget budget = {0};
    struct pex__demand a, b;

    attach(&budget, &a, 1, PEX_SCOPE_ELASTIC, 4, 1);
    ck_assert_int_eq(budget.n, 4);
    attach(&budget, &b, 0, PEX_SCOPE_BALANCED, 6, 1);
    ck_assert_int_eq(budget.n, 6);
    ck_assert_ptr_eq(budget.demands, &b);
    pex__budget_lower(&budget, 5);
    ck_assert_int_eq(budget.n, 5);
    pex__budget_detach(&b);
    ck_assert_int_eq(budget.n, 4);
    pex__budget_lower(&budget, 3);
    ck_assert_int_eq(budget.n, 3);
    pex__budget_detach(&a);
    ck_assert_int_eq(budget.n, 0);
    ck_assert_ptr_null(budget.demands);
    /* Who comes then may try again to have all. */
    attach(&budget, &a, 2, PEX_SCOPE_ELASTIC, 4, 1);
    ck_assert_int_eq(budget.n, 4);
}
END_TEST

START_TEST(a_job_is_capped_by_its_own_num_proc)
{
    struct pex__budget budget = {0};
    struct pex__demand small, large;
    struct pex__claim claims[2];

    attach(&budget, &small, 0, PEX_SCOPE_ELASTIC, 2, 1);
    attach(&budget, &large, 1, PEX_SCOPE_ELASTIC, 8, 1);
    claim_attach(&small, &claims[0], 0, 5);
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_eq(lease(&budget), &claims[0]);
    ck_assert_ptr_null(pick(&budget));
    /* Of eight units the small job can use two of its four: the large one has the rest. */
    claim_attach(&large, &claims[1], 0, 9);
    ck_assert_int_eq(pex__claim_share(&claims[0]), 2);
    ck_assert_int_eq(pex__claim_share(&claims[1]), 6);
    for (int i = 0; i < 6; i++)
        ck_assert_ptr_eq(lease(&budget), &claims[1]);
    ck_assert_int_eq(budget.out, 8);
    ck_assert_ptr_null(pick(&budget));
    ck_assert_int_eq(small.out_max, 2);
    ck_assert_int_eq(budget.lease_max, 8);
}
END_TEST

START_TEST(jobs_share_by_weight)
{
    struct pex__budget budget = {0};
    struct pex__demand demands[3];
    struct pex__claim claims[3];
    const double weights[] = {1, 2, 3};

    for (int j = 0; j < 3; j++) {
        attach(&budget, &demands[j], (uint64_t)j, PEX_SCOPE_BALANCED, 12, weights[j]);
        claim_attach(&demands[j], &claims[j], 0, 20);
    }
    for (int j = 0; j < 3; j++)
        ck_assert_int_eq(pex__claim_share(&claims[j]), 2 * (j + 1));
    for (int i = 0; i < 12; i++)
        lease(&budget);
    for (int j = 0; j < 3; j++)
        ck_assert_int_eq(claims[j].out, 2 * (j + 1));
}
END_TEST

/* A job holds its units for whichever of its partitions; all wait all the time. */
START_TEST(jobs_hold_their_shares_whatever_is_returned)
{
    struct pex__budget budget = {0};
    struct pex__demand demands[2];
    struct pex__claim claims[2][4];
    uint32_t random = 1;

    for (int j = 0; j < 2; j++) {
        attach(&budget, &demands[j], (uint64_t)j, PEX_SCOPE_ELASTIC, 4, j == 0 ? 1 : 3);
        for (int32_t i = 0; i < 4; i++)
            claim_attach(&demands[j], &claims[j][i], i, 9);
    }
    for (int i = 0; i < 4; i++)
        lease(&budget);
    for (int i = 0; i < 1000; i++) {
        struct pex__claim *claim;

        ck_assert_int_eq(demands[0].out, 1);
        ck_assert_int_eq(demands[1].out, 3);
        do {
            random = random * 1664525 + 1013904223;
            claim = &claims[random >> 31][random >> 28 & 3];
        } while (claim->out == 0);
        pex__budget_return(claim);
        lease(&budget);
    }
}
END_TEST

/* Leases of one unit, taken and returned in turn, by jobs that always wait. */
static void take_turns(struct pex__budget *budget, int32_t rounds)
{
    for (int32_t i = 0; i < rounds; i++)
        pex__budget_return(lease(budget));
}

START_TEST(remainders_rotate_by_deficit)
{
    struct pex__budget budget = {0};
    struct pex__demand demands[3];
    struct pex__claim claims[3];
    const double weights[] = {1, 3, 1};

    for (int j = 0; j < 3; j++) {
        attach(&budget, &demands[j], (uint64_t)j, PEX_SCOPE_BALANCED, 1, weights[j]);
        claim_attach(&demands[j], &claims[j], 0, 1);
    }
    take_turns(&budget, 500);
    ck_assert_int_eq((int)demands[0].granted, 100);
    ck_assert_int_eq((int)demands[1].granted, 300);
    ck_assert_int_eq((int)demands[2].granted, 100);
}
END_TEST

START_TEST(a_newcomer_does_not_get_back_what_others_had)
{
    struct pex__budget budget = {0};
    struct pex__demand old, young;
    struct pex__claim claims[2];

    attach(&budget, &old, 0, PEX_SCOPE_ELASTIC, 1, 1);
    claim_attach(&old, &claims[0], 0, 1);
    take_turns(&budget, 1000);
    attach(&budget, &young, 1, PEX_SCOPE_ELASTIC, 1, 1);
    claim_attach(&young, &claims[1], 0, 1);
    take_turns(&budget, 100);
    ck_assert_int_eq((int)old.granted, 50);
    ck_assert_int_eq((int)young.granted, 50);
}
END_TEST

START_TEST(a_job_that_neither_waits_nor_holds_leaves_its_units)
{
    struct pex__budget budget = {0};
    struct pex__demand idle, busy;
    struct pex__claim claims[2];

    attach(&budget, &idle, 0, PEX_SCOPE_BALANCED, 4, 1);
    attach(&budget, &busy, 1, PEX_SCOPE_BALANCED, 4, 1);
    claim_attach(&idle, &claims[0], 0, 0);
    claim_attach(&busy, &claims[1], 0, 5);
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_eq(lease(&budget), &claims[1]);
    /* It is back: served at the next return, until both have two. */
    pex__claim_park(&claims[0]);
    pex__budget_return(&claims[1]);
    ck_assert_ptr_eq(lease(&budget), &claims[0]);
    pex__budget_return(&claims[1]);
    ck_assert_ptr_eq(lease(&budget), &claims[0]);
    pex__budget_return(&claims[1]);
    ck_assert_ptr_eq(lease(&budget), &claims[1]);
}
END_TEST

START_TEST(a_paused_job_leaves_its_units)
{
    struct pex__budget budget = {0};
    struct pex__demand demands[2];
    struct pex__claim claims[2];

    for (int j = 0; j < 2; j++) {
        attach(&budget, &demands[j], (uint64_t)j, PEX_SCOPE_BALANCED, 4, 1);
        claim_attach(&demands[j], &claims[j], 0, 9);
    }
    pex__budget_pause(&demands[0], 1);
    ck_assert_int_eq(budget.waiting, 9);
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_eq(lease(&budget), &claims[1]);
    ck_assert_ptr_null(pick(&budget));
    /* What parks or leaves meanwhile counts when the job goes on. */
    pex__claim_park(&claims[0]);
    pex__claim_unpark(&claims[0]);
    pex__claim_park(&claims[0]);
    ck_assert_int_eq(budget.waiting, 9);
    pex__budget_pause(&demands[0], 0);
    ck_assert_int_eq(budget.waiting, 19);
    for (int i = 0; i < 2; i++) {
        pex__budget_return(&claims[1]);
        ck_assert_ptr_eq(lease(&budget), &claims[0]);
    }
    pex__budget_return(&claims[1]);
    ck_assert_ptr_eq(lease(&budget), &claims[1]);
}
END_TEST

START_TEST(a_job_that_goes_on_does_not_get_back_what_others_had)
{
    struct pex__budget budget = {0};
    struct pex__demand held, busy;
    struct pex__claim claims[2];

    attach(&budget, &held, 0, PEX_SCOPE_ELASTIC, 1, 1);
    attach(&budget, &busy, 1, PEX_SCOPE_ELASTIC, 1, 1);
    claim_attach(&held, &claims[0], 0, 1);
    claim_attach(&busy, &claims[1], 0, 1);
    pex__budget_pause(&held, 1);
    take_turns(&budget, 1000);
    ck_assert_int_eq((int)held.granted, 0);
    pex__budget_pause(&held, 0);
    take_turns(&budget, 100);
    ck_assert_int_eq((int)held.granted, 50);
    ck_assert_int_eq((int)busy.granted, 50);
}
END_TEST

START_TEST(another_num_proc_counts_from_the_next_lease_on)
{
    struct pex__budget budget = {0};
    struct pex__demand demand;
    struct pex__claim claim;

    attach(&budget, &demand, 0, PEX_SCOPE_ELASTIC, 4, 1);
    claim_attach(&demand, &claim, 0, 9);
    for (int i = 0; i < 4; i++)
        lease(&budget);
    pex__budget_change(&demand, 2);
    ck_assert_int_eq(budget.n, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(pick(&budget));
        pex__budget_return(&claim);
    }
    ck_assert_ptr_null(pick(&budget));
    pex__budget_return(&claim);
    lease(&budget);
    ck_assert_ptr_null(pick(&budget));
    pex__budget_change(&demand, 5);
    for (int i = 0; i < 3; i++)
        lease(&budget);
    ck_assert_ptr_null(pick(&budget));
}
END_TEST

START_TEST(who_asks_for_more_tries_again_what_could_not_be_loaded)
{
    struct pex__budget budget = {0};
    struct pex__demand demand;

    attach(&budget, &demand, 0, PEX_SCOPE_ELASTIC, 4, 1);
    pex__budget_lower(&budget, 1);
    pex__budget_change(&demand, 3);
    ck_assert_int_eq(budget.n, 1);
    pex__budget_change(&demand, 4);
    ck_assert_int_eq(budget.n, 4);
}
END_TEST

START_TEST(a_smaller_budget_sheds_idle_units_and_no_more)
{
    struct pex__unit units[4] = {{0}};
    struct pex__pool pool = {.loaded = 4};
    struct pex__sstep step = {.pool = &pool};
    struct pex__sjob job = {.steps = &step, .step_count = 1};

    attach(&pool.budget, &step.demand, 0, PEX_SCOPE_ELASTIC, 4, 1);
    for (int i = 0; i < 2; i++) {
        units[i].next = pool.idle;
        pool.idle = &units[i];
    }
    ck_assert_ptr_null(pex__pool_shed(&pool));
    pex__sched_job_budget(&job, 0, 1);
    ck_assert_ptr_eq(pex__pool_shed(&pool), &units[1]);
    ck_assert_ptr_eq(pex__pool_shed(&pool), &units[0]);
    ck_assert_ptr_null(pex__pool_shed(&pool));
    /* One of the two in calls has to go yet; not if there is room for it again. */
    pool.idle = &units[2];
    pex__sched_job_budget(&job, 0, 2);
    ck_assert_ptr_null(pex__pool_shed(&pool));
    pex__sched_job_budget(&job, 0, 1);
    ck_assert_ptr_eq(pex__pool_shed(&pool), &units[2]);
    ck_assert_int_eq(pool.loaded, 1);
    /* When a job leaves, its instances stay for others. */
    pex__budget_detach(&step.demand);
    pool.idle = &units[3];
    ck_assert_ptr_null(pex__pool_shed(&pool));
}
END_TEST

START_TEST(balanced_gives_no_more_than_the_share)
{
    struct pex__budget budget = {0};
    struct pex__demand demand;
    struct pex__claim claims[3];
    /* Of three partitions, of the last two, alone. */
    static const int32_t shares[] = {2, 3, 5};

    attach(&budget, &demand, 0, PEX_SCOPE_BALANCED, 5, 1);
    for (int i = 2; i >= 0; i--)
        claim_attach(&demand, &claims[i], i, i == 1 ? 6 : 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pex__claim_share(&claims[1]), shares[i]);
        while (claims[1].out < shares[i])
            ck_assert_ptr_eq(lease(&budget), &claims[1]);
        ck_assert_ptr_null(pick(&budget));
        if (i < 2)
            pex__claim_end(&claims[2 * i]);
    }
    ck_assert_int_eq(pex__claim_share(&claims[0]), 0);
    pex__claim_detach(&claims[0]);
    pex__claim_detach(&claims[2]);
    ck_assert_int_eq(pex__claim_share(&claims[1]), 5);
}
END_TEST

START_TEST(elastic_lends_and_serves_the_owner_next)
{
    struct pex__budget budget = {0};
    struct pex__demand demand;
    struct pex__claim claims[2];

    attach(&budget, &demand, 0, PEX_SCOPE_ELASTIC, 2, 1);
    claim_attach(&demand, &claims[0], 0, 0);
    claim_attach(&demand, &claims[1], 1, 5);
    ck_assert_ptr_eq(lease(&budget), &claims[1]);
    ck_assert_ptr_eq(lease(&budget), &claims[1]);
    pex__claim_park(&claims[0]);
    ck_assert_ptr_null(pick(&budget));
    pex__budget_return(&claims[1]);
    ck_assert_ptr_eq(lease(&budget), &claims[0]);
}
END_TEST

START_TEST(elastic_picks_the_furthest_below_its_share)
{
    struct pex__budget budget = {0};
    struct pex__demand demand;
    struct pex__claim claims[3];
    /* Shares 2, 2, 1. */
    static const int order[] = {0, 1, 0, 1, 2};

    attach(&budget, &demand, 0, PEX_SCOPE_ELASTIC, 5, 1);
    for (int i = 0; i < 3; i++)
        claim_attach(&demand, &claims[i], i, 3);
    for (int i = 0; i < 5; i++)
        ck_assert_ptr_eq(lease(&budget), &claims[order[i]]);
    ck_assert_ptr_null(pick(&budget));
    pex__budget_return(&claims[1]);
    ck_assert_ptr_eq(lease(&budget), &claims[1]);
    pex__budget_return(&claims[2]);
    ck_assert_ptr_eq(lease(&budget), &claims[2]);
}
END_TEST

START_TEST(ties_go_by_age_of_the_job_then_partition)
{
    struct pex__budget budget = {0};
    struct pex__demand demands[2];
    struct pex__claim claims[4];
    static const int order[] = {2, 3, 0, 1};

    attach(&budget, &demands[0], 7, PEX_SCOPE_ELASTIC, 4, 1);
    attach(&budget, &demands[1], 3, PEX_SCOPE_ELASTIC, 4, 1);
    for (int i = 3; i >= 0; i--)
        claim_attach(&demands[i / 2], &claims[i], i % 2, 2);
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_eq(lease(&budget), &claims[order[i]]);
}
END_TEST

static int is_index(const struct pex__claim *claim, const void *arg)
{
    return claim->index == *(const int32_t *)arg;
}

START_TEST(only_claims_that_may_go_are_picked)
{
    struct pex__budget budget = {0};
    struct pex__demand demand;
    struct pex__claim claims[3];

    attach(&budget, &demand, 0, PEX_SCOPE_ELASTIC, 3, 1);
    for (int32_t i = 0; i < 3; i++)
        claim_attach(&demand, &claims[i], i, 1);
    for (int32_t i = 0; i < 4; i++)
        ck_assert_ptr_eq(pex__budget_pick(&budget, is_index, &i), i < 3 ? &claims[i] : NULL);
}
END_TEST

START_TEST(nothing_is_picked_from_an_empty_budget)
{
    struct pex__budget budget = {0};
    struct pex__demand demand;
    struct pex__claim claim;

    ck_assert_ptr_null(pick(&budget));
    attach(&budget, &demand, 0, PEX_SCOPE_ELASTIC, 1, 1);
    claim_attach(&demand, &claim, 0, 0);
    ck_assert_ptr_null(pick(&budget));
    pex__claim_park(&claim);
    ck_assert_ptr_eq(pick(&budget), &claim);
    pex__claim_unpark(&claim);
    ck_assert_ptr_null(pick(&budget));
}
END_TEST

/* A job with one part of so many slices, all in memory. */
struct reading {
    struct pex__sjob job;
    struct pex__part part;
    struct pex__part *parts[1];
    struct pex__ticket *ring[16];
    struct pex__ticket tickets[16];
};

static void reading_enter(struct reading *reading, struct pex__sched *sched, uint64_t age)
{
    memset(reading, 0, sizeof *reading);
    reading->job.age = age;
    reading->job.weight = reading->job.growth = 1;
    reading->job.part_count = 1;
    reading->job.parts = reading->parts;
    reading->job.sink = PEX__SINK_OWN;
    pex__account_init(&reading->job.account, 1000, 0);
    pex__sched_job_enter(sched, &reading->job);
    reading->part.job = &reading->job;
    reading->part.slice_count = 16;
    reading->part.slice_bytes = 10;
    reading->part.ring = reading->ring;
    reading->part.ring_size = 16;
    ck_assert(pex__sched_part_open(&reading->part));
}

/* Else one job would wait behind the calls of another. */
START_TEST(slices_that_are_taken_together_are_of_one_job)
{
    struct reading first, second;
    struct pex__agent agent = {.id = 1};
    struct pex__sched sched;
    struct pex__step step, taken;

    pex__sched_init(&sched, 1000, 2, 1);
    reading_enter(&first, &sched, 0);
    agent.spare = &first.tickets[0];
    pex__sched_next(&sched, &agent, &step);
    ck_assert_int_eq(step.kind, PEX__STEP_READ);
    taken = step;
    agent.spare = &first.tickets[1];
    pex__sched_next_alike(&sched, &agent, &taken, &step);
    ck_assert_int_eq(step.kind, PEX__STEP_READ);
    reading_enter(&second, &sched, 1);
    agent.spare = &first.tickets[2];
    pex__sched_next(&sched, &agent, &step);
    ck_assert_ptr_eq(step.part, &first.part);
    taken = step;
    agent.spare = &first.tickets[3];
    pex__sched_next_alike(&sched, &agent, &taken, &step);
    ck_assert_int_eq(step.kind, PEX__STEP_NONE);
    ck_assert_ptr_nonnull(agent.spare);
    pex__sched_next(&sched, &agent, &step);
    ck_assert_ptr_eq(step.part, &second.part);
}
END_TEST

START_TEST(who_gives_back_too_much_takes_nothing_from_others)
{
    struct pex__account account;

    pex__account_init(&account, 100, 30);
    ck_assert_uint_eq(account.capacity, 70);
    account.total = 40; /* of tickets */
    pex__account_charge(&account, 70);
    ck_assert_uint_eq(account.total, 110);
    ck_assert(pex__account_over(&account));
    pex__account_charge(&account, -20);
    ck_assert_uint_eq(account.total, 90);
    ck_assert(!pex__account_over(&account));
    pex__account_charge(&account, -80);
    ck_assert_uint_eq(account.total, 40);
    ck_assert_uint_eq(account.outside, 0);
    pex__account_init(&account, 10, 30);
    ck_assert_uint_eq(account.capacity, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("budget");
    TCase *tcase = tcase_create("budget");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, shares_follow_the_table);
    tcase_add_test(tcase, balanced_shares_sum_to_the_budget);
    tcase_add_test(tcase, arguments_are_checked_in_order);
    tcase_add_test(tcase, units_are_the_largest_num_proc_of_live_jobs);
    tcase_add_test(tcase, a_job_is_capped_by_its_own_num_proc);
    tcase_add_test(tcase, jobs_share_by_weight);
    tcase_add_test(tcase, jobs_hold_their_shares_whatever_is_returned);
    tcase_add_test(tcase, remainders_rotate_by_deficit);
    tcase_add_test(tcase, a_newcomer_does_not_get_back_what_others_had);
    tcase_add_test(tcase, a_job_that_neither_waits_nor_holds_leaves_its_units);
    tcase_add_test(tcase, a_paused_job_leaves_its_units);
    tcase_add_test(tcase, a_job_that_goes_on_does_not_get_back_what_others_had);
    tcase_add_test(tcase, another_num_proc_counts_from_the_next_lease_on);
    tcase_add_test(tcase, who_asks_for_more_tries_again_what_could_not_be_loaded);
    tcase_add_test(tcase, a_smaller_budget_sheds_idle_units_and_no_more);
    tcase_add_test(tcase, balanced_gives_no_more_than_the_share);
    tcase_add_test(tcase, elastic_lends_and_serves_the_owner_next);
    tcase_add_test(tcase, elastic_picks_the_furthest_below_its_share);
    tcase_add_test(tcase, ties_go_by_age_of_the_job_then_partition);
    tcase_add_test(tcase, only_claims_that_may_go_are_picked);
    tcase_add_test(tcase, nothing_is_picked_from_an_empty_budget);
    tcase_add_test(tcase, slices_that_are_taken_together_are_of_one_job);
    tcase_add_test(tcase, who_gives_back_too_much_takes_nothing_from_others);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
