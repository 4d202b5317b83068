/* SPDX-License-Identifier: Apache-2.0 */
/* Instances that cannot be made, or break: what takes their place, and when they end. */
#include "host.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOREVER (-1)
#define SMALL_SLICES ", \"debug\": {\"slice_bytes\": 500}"

enum { ROWS = 400, WORKERS = 4 };

static struct folder folder;
static pex_context *ctx;

/* Instances of the test, by number, from 1. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int creates, made, ended;
    int fail_first, fail_after; /* creates with a number up to, or above, this fail */
    int break_until;            /* instances with a number up to this answer PEX_EINSTANCE */
    int await_creates;          /* the first call waits for so many creates */
    int is_exclusive;
    int faults; /* calls of an ended instance, or two at a time of an exclusive one */
    int warnings;
    struct instance *first;
} all;

struct instance {
    struct instance *next;
    int number;
    _Atomic int32_t calls;
    _Atomic int32_t is_ended;
};

static int32_t make(pex_env *env, const pex_params *params, void **made, struct pex_error *err)
{
    struct instance *instance;
    int number;

    (void)env;
    (void)params;
    pthread_mutex_lock(&all.lock);
    number = ++all.creates;
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.lock);
    if (number <= all.fail_first || (all.fail_after > 0 && number > all.fail_after))
        return pex_error_set(err, PEX_EIO, "create %d fails", number);
    instance = calloc(1, sizeof *instance);
    ck_assert_ptr_nonnull(instance);
    instance->number = number;
    pthread_mutex_lock(&all.lock);
    instance->next = all.first;
    all.first = instance;
    all.made++;
    pthread_mutex_unlock(&all.lock);
    *made = instance;
    return 0;
}

static void note_fault(int is_fault)
{
    pthread_mutex_lock(&all.lock);
    all.faults += is_fault;
    pthread_mutex_unlock(&all.lock);
}

static int32_t process(void *state, pex_batch *batch, struct pex_error *err)
{
    struct instance *instance = state;
    int before = atomic_fetch_add(&instance->calls, 1);

    (void)batch;
    pthread_mutex_lock(&all.lock);
    while (all.creates < all.await_creates)
        pthread_cond_wait(&all.changed, &all.lock);
    pthread_mutex_unlock(&all.lock);
    note_fault(atomic_load(&instance->is_ended) || (all.is_exclusive && before > 0));
    nap_us(50);
    note_fault(atomic_load(&instance->is_ended));
    atomic_fetch_sub(&instance->calls, 1);
    if (instance->number <= all.break_until)
        return pex_error_set(err, PEX_EINSTANCE, "instance %d is broken", instance->number);
    return 0;
}

/* Freed in the end, so that a call that comes too late is seen. */
static void end(void *state)
{
    struct instance *instance = state;

    note_fault(atomic_exchange(&instance->is_ended, 1) || atomic_load(&instance->calls) > 0);
    pthread_mutex_lock(&all.lock);
    all.ended++;
    pthread_mutex_unlock(&all.lock);
}

static void on_log(void *user, int32_t level, const char *message)
{
    (void)user;
    pthread_mutex_lock(&all.lock);
    all.warnings += level == PEX_LOG_WARNING && strstr(message, "going on with 1 instance") != NULL;
    pthread_mutex_unlock(&all.lock);
}

static void register_operator(const char *name, int32_t flags)
{
    struct pex_operator op = {
        .struct_size = sizeof op,
        .name = name,
        .version = "1",
        .help = "Has instances that fail.",
        .cardinality = PEX_ROW_TO_ROW,
        .flags = flags,
        .create = make,
        .process = process,
        .destroy = end,
    };
    struct pex_error err = {0};

    ck_assert_msg(pex_operator_register(ctx, &op, NULL, NULL, &err) == 0, "%s", err.message);
}

static void set_up(void)
{
    struct pex_context_options options = {
        .struct_size = sizeof options, .workers = WORKERS, .log = on_log};

    folder_make(&folder);
    memset(&all, 0, sizeof all);
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.changed, NULL);
    ck_assert_int_eq(pex_context_create(&options, &ctx, NULL), 0);
    register_operator("own_mapper", PEX_OP_RETRY_SAFE);
    register_operator("shared_mapper", PEX_OP_RETRY_SAFE | PEX_OP_REENTRANT);
    register_operator("blocking_mapper", PEX_OP_RETRY_SAFE | PEX_OP_BLOCKING);
    rows_write(&folder, "rows.jsonl", ROWS, 20);
}

static void tear_down(void)
{
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
    ck_assert_int_eq(all.faults, 0);
    ck_assert_int_eq(all.made, all.ended);
    for (struct instance *at = all.first, *next; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    folder_free(&folder);
}

static void expect_rows(const char *chain)
{
    pex_job *job = job_start(ctx, &folder, "out.jsonl", chain, SMALL_SLICES);

    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", ROWS);
    pex_job_release(job);
}

static const char *const chains[] = {
    "[{\"own_mapper\": {}}]",
    "[{\"own_mapper\": {\"num_proc\": 3}}]",
    "[{\"shared_mapper\": {}}]",
    "[{\"shared_mapper\": {\"num_proc\": 3}}]",
    "[{\"blocking_mapper\": {\"num_proc\": 2}}]",
};
enum { CHAINS = sizeof chains / sizeof *chains };

START_TEST(a_broken_instance_is_replaced)
{
    all.is_exclusive = strstr(chains[_i], "shared") == NULL;
    all.break_until = 3;
    expect_rows(chains[_i]);
    ck_assert_int_gt(all.made, 3);
    ck_assert_int_ge(all.ended, 3);
}
END_TEST

START_TEST(an_instance_that_breaks_for_ever_fails_the_job)
{
    struct pex_error err = {0};
    pex_job *job;

    all.break_until = 1 << 30;
    job = job_start(ctx, &folder, "out.jsonl", chains[_i], SMALL_SLICES);
    job_expect(job, PEX_JOB_FAILED);
    ck_assert_int_eq(pex_job_error(job, &err), PEX_EINSTANCE);
    ck_assert_msg(strstr(err.message, "is broken") != NULL, "%s", err.message);
    pex_job_release(job);
}
END_TEST

START_TEST(a_create_that_fails_is_tried_twice_more)
{
    all.fail_first = 2;
    expect_rows(chains[_i]);
    ck_assert_int_ge(all.creates, 3);
}
END_TEST

START_TEST(an_instance_that_cannot_be_made_fails_the_job)
{
    struct pex_error err = {0};
    pex_job *job;

    for (int round = 0; round < 2; round++) {
        all.creates = 0;
        all.fail_first = 1 << 30;
        job = job_start(ctx, &folder, "out.jsonl", chains[_i], SMALL_SLICES);
        job_expect(job, PEX_JOB_FAILED);
        ck_assert_int_eq(pex_job_error(job, &err), PEX_EIO);
        ck_assert_msg(strstr(err.message, "_mapper: create ") != NULL, "%s", err.message);
        ck_assert_int_ge(all.creates, 3);
        ck_assert_int_le(all.creates, 3 * WORKERS);
        pex_job_release(job);
    }
    /* What failed is not held against a later job. */
    all.fail_first = 0;
    expect_rows(chains[_i]);
}
END_TEST

START_TEST(one_instance_serves_workers_that_cannot_have_their_own)
{
    all.is_exclusive = 1;
    all.fail_after = 1;
    /* Another worker wants one while the first call runs. */
    all.await_creates = 4;
    expect_rows(chains[_i]);
    ck_assert_int_eq(all.made, 1);
    ck_assert_int_ge(all.warnings, 1);
}
END_TEST

START_TEST(a_job_ends_while_a_create_waits_for_its_next_try)
{
    pex_job *job;

    all.fail_first = 1 << 30;
    job = job_start(ctx, &folder, "out.jsonl", chains[_i], SMALL_SLICES);
    pthread_mutex_lock(&all.lock);
    while (all.creates == 0)
        pthread_cond_wait(&all.changed, &all.lock);
    pthread_mutex_unlock(&all.lock);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    ck_assert_int_eq(pex_job_wait(job, FOREVER), 0);
    pex_job_release(job);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("instances");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, a_broken_instance_is_replaced, 0, CHAINS);
    tcase_add_loop_test(tcase, an_instance_that_breaks_for_ever_fails_the_job, 0, CHAINS);
    tcase_add_loop_test(tcase, a_create_that_fails_is_tried_twice_more, 0, CHAINS);
    tcase_add_loop_test(tcase, an_instance_that_cannot_be_made_fails_the_job, 0, CHAINS);
    tcase_add_loop_test(tcase, one_instance_serves_workers_that_cannot_have_their_own, 0, 1);
    tcase_add_loop_test(tcase, a_job_ends_while_a_create_waits_for_its_next_try, 0, CHAINS);
    return run_case("instances", tcase);
}
