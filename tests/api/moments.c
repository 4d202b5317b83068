/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold at one certain moment of a job or a context. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOREVER (-1)
#define GATED "[{\"gate_mapper\": {}}]"

static struct folder folder;

static void set_up(void)
{
    folder_make(&folder);
}

static void tear_down(void)
{
    folder_free(&folder);
}

static void destroy(pex_context *ctx)
{
    struct pex_error err = {0};

    ck_assert_msg(pex_context_destroy(ctx, FOREVER, &err) == 0, "%s", err.message);
}

static _Atomic int alive;

static int32_t count_up(pex_env *env, const pex_params *params, void **instance,
                        struct pex_error *err)
{
    (void)env;
    (void)params;
    (void)instance;
    (void)err;
    alive++;
    return 0;
}

static int32_t break_down(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)batch;
    return pex_error_set(err, PEX_EINSTANCE, "broken");
}

static void count_down_slowly(void *instance)
{
    (void)instance;
    nap_us(200000);
    alive--;
}

START_TEST(destroy_waits_for_instances_that_end_by_themselves)
{
    struct pex_operator op = {.struct_size = sizeof op,
                              .name = "broken_mapper",
                              .version = "1",
                              .help = "Breaks.",
                              .flags = PEX_OP_BLOCKING,
                              .create = count_up,
                              .process = break_down,
                              .destroy = count_down_slowly};
    pex_context *ctx = context_make(2);
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 10, 10);
    ck_assert_int_eq(pex_operator_register(ctx, &op, NULL, NULL, NULL), 0);
    job = job_start(ctx, &folder, "out.jsonl", "[{\"broken_mapper\": {\"num_proc\": 1}}]", "");
    job_expect(job, PEX_JOB_FAILED);
    pex_job_release(job);
    destroy(ctx);
    ck_assert_int_eq(alive, 0);
}
END_TEST

static _Atomic int is_loading;

static int32_t load_slowly(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    (void)env;
    (void)params;
    (void)instance;
    (void)err;
    is_loading = 1;
    nap_us(1000000);
    return 0;
}

START_TEST(destroy_names_an_operator_that_is_being_loaded)
{
    struct pex_operator op = {.struct_size = sizeof op,
                              .name = "slow_mapper",
                              .version = "1",
                              .help = "Loads slowly.",
                              .create = load_slowly,
                              .process = break_down};
    pex_context *ctx = context_make(2);
    struct pex_error err = {0};
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 10, 10);
    ck_assert_int_eq(pex_operator_register(ctx, &op, NULL, NULL, NULL), 0);
    job = job_start(ctx, &folder, "out.jsonl", "[{\"slow_mapper\": {\"num_proc\": 1}}]", "");
    while (!is_loading)
        nap_us(1000);
    ck_assert_int_eq(pex_context_destroy(ctx, 1000000, &err), PEX_ETIMEDOUT);
    ck_assert_msg(strstr(err.message, "slow_mapper") != NULL, "%s", err.message);
    destroy(ctx);
    pex_job_release(job);
}
END_TEST

static int32_t say_cancelled(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)batch;
    return pex_error_set(err, PEX_ECANCELLED, "not mine");
}

START_TEST(an_operator_does_not_cancel_a_job)
{
    struct pex_operator op = {.struct_size = sizeof op,
                              .name = "cancelled_mapper",
                              .version = "1",
                              .help = "Says so.",
                              .process = say_cancelled};
    pex_context *ctx = context_make(1);
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 10, 10);
    ck_assert_int_eq(pex_operator_register(ctx, &op, NULL, NULL, NULL), 0);
    job = job_start(ctx, &folder, "out.jsonl", "[{\"cancelled_mapper\": {\"on_error\": \"fail\"}}]",
                    "");
    job_expect(job, PEX_JOB_FAILED);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

static char *text_of(const char *name)
{
    FILE *file = fopen(folder_at(&folder, name), "r");
    char *text = calloc(1, 65536);

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(text, 1, 65535, file), 0);
    fclose(file);
    return text;
}

static void filter(pex_context *ctx, const char *out, const char *params, const char *keep_stats)
{
    char process[128], more[128];
    pex_job *job;

    snprintf(process, sizeof process, "[{\"text_length_filter\": {\"min_len\": 1%s}}]", params);
    snprintf(more, sizeof more, ", \"keep_stats_in_res_ds\": %s", keep_stats);
    job = job_start(ctx, &folder, out, process, more);
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
}

static void check_stats(const char *params)
{
    pex_context *ctx = context_make(1);
    char *without, *with;

    rows_write(&folder, "rows.jsonl", 20, 10);
    filter(ctx, "without.jsonl", params, "false");
    filter(ctx, "with.jsonl", params, "true");
    without = text_of("without.jsonl");
    with = text_of("with.jsonl");
    ck_assert_ptr_null(strstr(without, "text_len"));
    ck_assert_ptr_nonnull(strstr(with, "text_len"));
    free(without);
    free(with);
    destroy(ctx);
}

START_TEST(an_earlier_job_does_not_decide_what_a_later_one_gets)
{
    check_stats("");
    check_stats(", \"num_proc\": 1");
}
END_TEST

START_TEST(a_job_goes_on_among_a_hundred_younger_ones)
{
    enum { OTHERS = 100 };
    struct pex_job_options options = {.struct_size = sizeof options, .pull = 1};
    pex_context *ctx = context_make(2);
    struct gate gate;
    pex_spec *spec;
    pex_job *job, *others[OTHERS];

    rows_write(&folder, "rows.jsonl", 100, 10);
    gate_init(&gate);
    gate_register(&gate, ctx);
    job =
        job_start(ctx, &folder, "out.jsonl", GATED,
                  ", \"partition\": {\"num_of_partitions\": 5, \"max_concurrent_partitions\": 1}");
    gate_await(&gate);
    spec = spec_make(&folder, "pulled", "[]", "");
    for (int i = 0; i < OTHERS; i++)
        others[i] = job_submit(ctx, spec, &options);
    gate_open(&gate);
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 100);
    for (int i = 0; i < OTHERS; i++)
        pex_job_release(others[i]);
    pex_spec_release(spec);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

START_TEST(a_forked_child_does_not_keep_the_job_folder)
{
    pex_context *ctx = context_make(1);
    struct gate gate;
    pex_job *job;
    pid_t child;

    rows_write(&folder, "rows.jsonl", 10, 10);
    gate_init(&gate);
    gate_register(&gate, ctx);
    job = job_start(ctx, &folder, "out.jsonl", GATED, ", \"job_id\": \"same\"");
    gate_await(&gate);
    child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    gate_open(&gate);
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    job = job_start(ctx, &folder, "out.jsonl", GATED, ", \"job_id\": \"same\"");
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    destroy(ctx);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

START_TEST(the_longest_timeout_is_for_ever)
{
    struct pex_job_options options = {.struct_size = sizeof options, .pull = 1};
    pex_context *ctx = context_make(1);
    pex_spec *spec;
    pex_rows *rows = NULL;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 10, 10);
    job = job_start(ctx, &folder, "out.jsonl", "[]", "");
    ck_assert_int_eq(pex_job_wait(job, INT64_MAX), 0);
    pex_job_release(job);
    spec = spec_make(&folder, "pulled", "[]", "");
    job = job_submit(ctx, spec, &options);
    ck_assert_int_eq(pex_job_next_batch(job, INT64_MAX, &rows, NULL), 0);
    ck_assert_uint_gt(pex_rows_count(rows), 0);
    pex_rows_release(rows);
    pex_job_release(job);
    pex_spec_release(spec);
    ck_assert_int_eq(pex_context_destroy(ctx, INT64_MAX, NULL), 0);
}
END_TEST

static int partition_events[2][8]; /* by stage and partition */

static void on_event(void *user, const struct pex_event *event)
{
    (void)user;
    if (event->kind == PEX_EVENT_PARTITION)
        partition_events[event->stage][event->partition]++;
}

static void fail_at_row(int64_t row, const char *chain)
{
    struct pex_job_options options = {.struct_size = sizeof options, .on_event = on_event};
    pex_context *ctx = context_make(2);
    char process[256];
    pex_spec *spec;
    pex_job *job;

    memset(partition_events, 0, sizeof partition_events);
    snprintf(process, sizeof process, chain, (long long)row);
    spec = spec_make(&folder, "out.jsonl", process, ", \"partition\": {\"num_of_partitions\": 8}");
    job = job_submit(ctx, spec, &options);
    job_expect(job, PEX_JOB_FAILED);
    pex_job_release(job);
    pex_spec_release(spec);
    destroy(ctx);
    for (int stage = 0; stage < 2; stage++)
        for (int i = 0; i < 8; i++)
            ck_assert_msg(partition_events[stage][i] == 1, "stage %d, partition %d: %d events",
                          stage, i, partition_events[stage][i]);
}

START_TEST(partitions_of_stages_that_never_began_end_too)
{
    rows_write(&folder, "rows.jsonl", 800, 10);
    fail_at_row(300, "[{\"lab_fail_mapper\": {\"rows\": [%lld], \"code\": \"efatal\"}}, "
                     "\"document_deduplicator\"]");
    fail_at_row(300, "[\"document_deduplicator\", "
                     "{\"lab_fail_mapper\": {\"rows\": [%lld], \"code\": \"efatal\"}}]");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("moments");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, destroy_waits_for_instances_that_end_by_themselves);
    tcase_add_test(tcase, destroy_names_an_operator_that_is_being_loaded);
    tcase_add_test(tcase, an_operator_does_not_cancel_a_job);
    tcase_add_test(tcase, an_earlier_job_does_not_decide_what_a_later_one_gets);
    tcase_add_test(tcase, a_job_goes_on_among_a_hundred_younger_ones);
    tcase_add_test(tcase, a_forked_child_does_not_keep_the_job_folder);
    tcase_add_test(tcase, the_longest_timeout_is_for_ever);
    tcase_add_test(tcase, partitions_of_stages_that_never_began_end_too);
    return run_case("moments", tcase);
}
