/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of the host: `user` and `release`, and lines to its log. */
#include "host.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct folder folder;

/* What a registration hands over. */
struct owned {
    _Atomic int created;
    _Atomic int destroyed;
    _Atomic int released;
    _Atomic int alive_at_release;
};

struct log {
    pthread_mutex_t lock;
    int lines[PEX_LOG_DEBUG + 1];
    int others; /* levels that are none */
    pthread_t host;
    int on_host; /* called by the thread of the test */
    char last[256];
};

static void set_up(void)
{
    folder_make(&folder);
    rows_write(&folder, "rows.jsonl", 500, 20);
}

static void tear_down(void)
{
    folder_free(&folder);
}

static void on_log(void *user, int32_t level, const char *message)
{
    struct log *log = user;

    pthread_mutex_lock(&log->lock);
    if (level >= 0 && level <= PEX_LOG_DEBUG)
        log->lines[level]++;
    else
        log->others++;
    log->on_host += pthread_equal(log->host, pthread_self());
    snprintf(log->last, sizeof log->last, "%s", message);
    pthread_mutex_unlock(&log->lock);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct owned *owned = pex_env_user(env);

    (void)params;
    (void)err;
    owned->created++;
    for (int32_t level = PEX_LOG_ERROR; level <= PEX_LOG_DEBUG; level++)
        pex_env_log(env, level, "one more");
    pex_env_log(env, -7, "out of range");
    pex_env_log(env, 99, "out of range");
    *instance = owned;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)batch;
    (void)err;
    return 0;
}

static void destroy(void *instance)
{
    ((struct owned *)instance)->destroyed++;
}

static void release(void *user)
{
    struct owned *owned = user;

    owned->alive_at_release += owned->created - owned->destroyed;
    owned->released++;
}

static struct pex_operator operator_named(const char *name, int32_t flags)
{
    return (struct pex_operator){.struct_size = sizeof(struct pex_operator),
                                 .name = name,
                                 .version = "1",
                                 .help = "Counts its instances.",
                                 .cardinality = PEX_ROW_TO_ROW,
                                 .flags = flags,
                                 .create = create,
                                 .process = process,
                                 .destroy = destroy};
}

START_TEST(release_comes_once_behind_the_last_instance)
{
    static const int32_t flags[] = {0, PEX_OP_REENTRANT, PEX_OP_BLOCKING};
    struct pex_operator op = operator_named("owned_mapper", flags[_i]);
    struct pex_error err = {0};
    struct owned owned = {0};
    pex_context *ctx = context_make(2);
    pex_job *job;

    ck_assert_int_eq(pex_operator_register(ctx, &op, &owned, release, &err), 0);
    for (int round = 0; round < 2; round++) {
        job =
            job_start(ctx, &folder, "out",
                      round == 0 ? "[\"owned_mapper\"]" : "[{\"owned_mapper\": {\"num_proc\": 2}}]",
                      ", \"debug\": {\"slice_bytes\": 1000}");
        job_expect(job, PEX_JOB_DONE);
        pex_job_release(job);
    }
    ck_assert_int_gt(owned.created, 0);
    ck_assert_int_eq(owned.released, 0);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    ck_assert_int_eq(owned.released, 1);
    ck_assert_int_eq(owned.alive_at_release, 0);
    ck_assert_int_eq(owned.created, owned.destroyed);
}
END_TEST

START_TEST(release_comes_when_nothing_ran_too)
{
    struct pex_operator op = operator_named("owned_mapper", 0);
    struct owned owned = {0};
    pex_context *ctx = context_make(1);

    ck_assert_int_eq(pex_operator_register(ctx, &op, &owned, release, NULL), 0);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    ck_assert_int_eq(owned.released, 1);
}
END_TEST

START_TEST(a_refused_registration_releases_nothing)
{
    struct pex_operator good = operator_named("owned_mapper", 0), bad = operator_named("B", 0);
    struct owned owned = {0}, refused = {0};
    pex_context *ctx = context_make(1);

    ck_assert_int_eq(pex_operator_register(ctx, &good, &owned, release, NULL), 0);
    ck_assert_int_eq(pex_operator_register(ctx, &good, &refused, release, NULL), PEX_EEXIST);
    ck_assert_int_eq(pex_operator_register(ctx, &bad, &refused, release, NULL), PEX_EINVAL);
    bad = operator_named("text_length_filter", 0);
    ck_assert_int_eq(pex_operator_register(ctx, &bad, &refused, release, NULL), PEX_EEXIST);
    bad = operator_named("new_mapper", 0);
    bad.required_features = 1;
    ck_assert_int_eq(pex_operator_register(ctx, &bad, &refused, release, NULL), PEX_ENOTSUP);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    ck_assert_int_eq(owned.released, 1);
    ck_assert_int_eq(refused.released, 0);
}
END_TEST

START_TEST(one_user_of_two_contexts_is_released_by_each)
{
    struct pex_operator op = operator_named("owned_mapper", 0);
    struct owned owned = {0};
    pex_context *ctxs[2] = {context_make(1), context_make(1)};

    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pex_operator_register(ctxs[i], &op, &owned, release, NULL), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pex_context_destroy(ctxs[i], -1, NULL), 0);
        ck_assert_int_eq(owned.released, i + 1);
    }
}
END_TEST

START_TEST(lines_reach_the_log_with_their_level)
{
    struct pex_operator op = operator_named("owned_mapper", PEX_OP_REENTRANT);
    struct owned owned = {0};
    struct log log = {.lock = PTHREAD_MUTEX_INITIALIZER, .host = pthread_self()};
    struct pex_context_options options = {
        .struct_size = sizeof options, .workers = 2, .log = on_log, .log_user = &log};
    struct pex_error err = {0};
    pex_context *ctx = NULL;
    pex_job *job;

    ck_assert_msg(pex_context_create(&options, &ctx, &err) == 0, "%s", err.message);
    ck_assert_int_eq(pex_operator_register(ctx, &op, &owned, NULL, &err), 0);
    job = job_start(ctx, &folder, "out", "[{\"owned_mapper\": {\"num_proc\": 1}}]", "");
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    ck_assert_int_eq(owned.created, 1);
    /* A level that is none counts as the nearest that is one. */
    ck_assert_int_eq(log.others, 0);
    ck_assert_int_eq(log.lines[PEX_LOG_ERROR], 2);
    ck_assert_int_eq(log.lines[PEX_LOG_WARNING], 1);
    ck_assert_int_eq(log.lines[PEX_LOG_INFO], 1);
    ck_assert_int_eq(log.lines[PEX_LOG_DEBUG], 2);
    ck_assert_int_eq(log.on_host, 0);
    ck_assert_ptr_nonnull(strstr(log.last, "out of range"));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("operators");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, release_comes_once_behind_the_last_instance, 0, 3);
    tcase_add_test(tcase, release_comes_when_nothing_ran_too);
    tcase_add_test(tcase, a_refused_registration_releases_nothing);
    tcase_add_test(tcase, one_user_of_two_contexts_is_released_by_each);
    tcase_add_test(tcase, lines_reach_the_log_with_their_level);
    return run_case("operators", tcase);
}
