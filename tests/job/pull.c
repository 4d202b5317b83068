/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that the host takes, and the events that it gets. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHAIN                                                                                      \
    "[{\"text_length_filter\": {\"min_len\": 1}}, {\"lab_model_mapper\": {\"num_proc\": 2, "       \
    "\"mark\": false}}]"
#define FOREVER (-1)

static struct folder folder;

static void set_up(void)
{
    folder_make(&folder);
}

static void tear_down(void)
{
    folder_free(&folder);
}

static pex_job *pull_start(pex_context *ctx, const char *process, const char *more)
{
    struct pex_job_options options = {.struct_size = sizeof options, .pull = 1};
    pex_spec *spec = spec_make(&folder, "out.jsonl", process, more);
    pex_job *job = job_submit(ctx, spec, &options);

    pex_spec_release(spec);
    return job;
}

static void destroy(pex_context *ctx)
{
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
}

/* Takes one batch and checks that its rows go on from *next. */
static int32_t take(pex_job *job, int64_t *next)
{
    struct pex_error err;
    pex_rows *rows = NULL;
    struct pex_string_view data;
    const char *line;
    int64_t id, first = *next;
    int32_t code = pex_job_next_batch(job, FOREVER, &rows, &err);

    if (code != 0)
        return code;
    data = pex_rows_data(rows);
    line = data.data;
    while ((id = rows_next_id(&line, data.data + data.length)) >= 0)
        ck_assert_int_eq(id, (*next)++);
    ck_assert_uint_eq(pex_rows_count(rows), (size_t)(*next - first));
    ck_assert_uint_gt(pex_rows_count(rows), 0);
    pex_rows_release(rows);
    return 0;
}

START_TEST(rows_come_in_order_and_end)
{
    uint64_t seed = test_seed();

    rows_write(&folder, "rows.jsonl", 3000, 40);
    for (int i = 0; i < 12; i++) {
        pex_context *ctx = context_make(1 + (int32_t)(random_next(&seed) % 4));
        int64_t next = 0;
        char more[160];
        pex_job *job;

        snprintf(more, sizeof more,
                 ", \"partition\": {\"num_of_partitions\": %d, \"max_concurrent_partitions\": %d}, "
                 "\"debug\": {\"slice_bytes\": %d}",
                 1 + (int)(random_next(&seed) % 9), 1 + (int)(random_next(&seed) % 4),
                 1000 + (int)(random_next(&seed) % 9000));
        job = pull_start(ctx, i % 3 == 2 ? "[\"document_deduplicator\"]" : CHAIN, more);
        while (take(job, &next) == 0)
            ;
        ck_assert_int_eq(take(job, &next), PEX_ENOENT);
        ck_assert_int_eq(next, 3000);
        job_expect(job, PEX_JOB_DONE);
        ck_assert(!folder_has(&folder, "out.jsonl"));
        pex_job_release(job);
        destroy(ctx);
    }
}
END_TEST

START_TEST(no_rows_are_an_end_at_once)
{
    pex_context *ctx = context_make(2);
    int64_t next = 0;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 50, 0);
    job = pull_start(ctx, "[{\"text_length_filter\": {\"min_len\": 1000}}]", "");
    ck_assert_int_eq(take(job, &next), PEX_ENOENT);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

/* Waits until the job reads no more; a job that never stops is ended by the test's time. */
static uint64_t settled_bytes(pex_job *job)
{
    struct pex_progress progress = {.struct_size = sizeof progress};
    uint64_t before;
    int same = 0;

    do {
        before = progress.bytes;
        nap_us(5000);
        ck_assert_int_eq(pex_job_progress(job, &progress), 0);
        same = progress.bytes == before && before > 0 ? same + 1 : 0;
    } while (same < 20);
    return before;
}

START_TEST(a_host_that_does_not_pull_stops_the_reading)
{
    size_t rows = 200000 / test_scale();
    pex_context *ctx = context_make(2);
    struct pex_progress progress = {.struct_size = sizeof progress};
    int64_t next = 0;
    uint64_t bytes;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", rows, 100);
    job = pull_start(ctx, CHAIN,
                     ", \"memory_limit\": \"2MB\", \"np\": 2, \"debug\": {\"slice_bytes\": 16384}");
    bytes = settled_bytes(job);
    ck_assert_int_eq(pex_job_progress(job, &progress), 0);
    ck_assert_msg(bytes <= 2000000 && bytes < progress.bytes_total, "read %llu of %llu",
                  (unsigned long long)bytes, (unsigned long long)progress.bytes_total);
    ck_assert_int_eq(pex_job_state(job), PEX_JOB_RUNNING);
    ck_assert_int_eq(take(job, &next), 0);
    ck_assert_uint_gt(settled_bytes(job), bytes);
    while (take(job, &next) == 0)
        ;
    ck_assert_int_eq(next, (int64_t)rows);
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

/* As context_make, with a limit for all jobs together. */
static pex_context *small_context(int32_t workers, uint64_t bytes)
{
    struct pex_context_options options = {
        .struct_size = sizeof options, .workers = workers, .memory_limit_bytes = bytes};
    struct pex_error err = {0};
    pex_context *ctx = NULL;

    ck_assert_msg(pex_context_create(&options, &ctx, &err) == 0, "%s", err.message);
    ck_assert_int_eq(pex_plugin_load(ctx, PEX_TEST_TEXT, NULL), 0);
    ck_assert_int_eq(pex_plugin_load(ctx, PEX_TEST_LAB, NULL), 0);
    return ctx;
}

/* The rows are expanded, so that what waits for the host is more than its slices. */
START_TEST(a_host_that_does_not_pull_stalls_no_other_job)
{
    static const char *const more[] = {
        ", \"np\": 2, \"debug\": {\"slice_bytes\": 16384}",
        ", \"np\": 2, \"partition\": {\"num_of_partitions\": 30, "
        "\"max_concurrent_partitions\": 8}, \"debug\": {\"slice_bytes\": 16384}"};

    rows_write(&folder, "rows.jsonl", 40000, 100);
    for (int i = 0; i < 8; i++) {
        pex_context *ctx = small_context(1 + i % 2, i < 4 ? 2000000 : 600000);
        int64_t next = 0;
        pex_job *slow[2], *other;

        for (int j = 0; j < 2; j++) {
            slow[j] = pull_start(ctx, "[{\"lab_append_mapper\": {}}]", more[i / 2 % 2]);
            settled_bytes(slow[j]);
        }
        other = job_start(ctx, &folder, "out.jsonl", "[{\"lab_append_mapper\": {}}]", more[0]);
        job_expect(other, PEX_JOB_DONE);
        pex_job_release(other);
        for (int j = 0; j < 2; j++) {
            next = 0;
            while (take(slow[j], &next) == 0)
                ;
            ck_assert_int_eq(next, 40000);
            job_expect(slow[j], PEX_JOB_DONE);
            pex_job_release(slow[j]);
        }
        destroy(ctx);
    }
}
END_TEST

START_TEST(waiting_for_rows_has_an_end)
{
    pex_context *ctx = context_make(2);
    struct pex_error err = {0};
    pex_rows *rows = NULL;
    struct gate gate;
    int64_t next = 0;
    pex_job *job;

    gate_init(&gate);
    gate_register(&gate, ctx);
    rows_write(&folder, "rows.jsonl", 50, 0);
    job = pull_start(ctx, "[\"gate_mapper\"]", ", \"partition\": {\"num_of_partitions\": 1}");
    gate_await(&gate);
    ck_assert_int_eq(pex_job_next_batch(job, 0, &rows, &err), PEX_ETIMEDOUT);
    ck_assert_int_eq(pex_job_next_batch(job, 3000000, &rows, &err), PEX_ETIMEDOUT);
    ck_assert_ptr_null(rows);
    gate_open(&gate);
    ck_assert_int_eq(take(job, &next), 0);
    ck_assert_int_eq(take(job, &next), PEX_ENOENT);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

START_TEST(a_cancelled_pull_says_so)
{
    pex_context *ctx = context_make(2);
    int64_t next = 0;
    int32_t code;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 3000, 40);
    for (int i = 0; i < 20; i++) {
        next = 0;
        job = pull_start(ctx, CHAIN, ", \"debug\": {\"slice_bytes\": 1000}");
        for (int j = 0; j < i % 4; j++)
            ck_assert_int_eq(take(job, &next), 0);
        ck_assert_int_eq(pex_job_cancel(job), 0);
        while ((code = take(job, &next)) == 0)
            ;
        ck_assert(code == PEX_ECANCELLED || (code == PEX_ENOENT && next == 3000));
        pex_job_release(job);
    }
    destroy(ctx);
}
END_TEST

START_TEST(a_failed_pull_gives_the_reason)
{
    pex_context *ctx = context_make(2);
    struct pex_error err = {0};
    pex_rows *rows = NULL;
    int32_t code;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 3000, 40);
    job = pull_start(ctx, "[{\"lab_fail_mapper\": {\"rows\": [2000], \"code\": \"efatal\"}}]",
                     ", \"debug\": {\"slice_bytes\": 1000}");
    while ((code = pex_job_next_batch(job, FOREVER, &rows, &err)) == 0)
        pex_rows_release(rows);
    ck_assert_int_eq(code, PEX_EFATAL);
    ck_assert_msg(strstr(err.message, "lab_fail says so") != NULL, "%s", err.message);
    job_expect(job, PEX_JOB_FAILED);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

struct puller {
    pex_job *job;
    int32_t code;
};

static void *pull_all(void *argument)
{
    struct puller *puller = argument;
    int64_t next = 0;

    while ((puller->code = take(puller->job, &next)) == 0)
        ;
    return NULL;
}

START_TEST(destroy_ends_a_pull_of_another_thread)
{
    uint64_t seed = test_seed();

    rows_write(&folder, "rows.jsonl", 20000, 40);
    for (int i = 0; i < 30; i++) {
        pex_context *ctx = context_make(2);
        struct puller puller = {pull_start(ctx, CHAIN, ", \"debug\": {\"slice_bytes\": 1000}"), 0};
        pthread_t thread;

        pthread_create(&thread, NULL, pull_all, &puller);
        nap_us(random_next(&seed) % 3000);
        destroy(ctx);
        pthread_join(thread, NULL);
        ck_assert_msg(puller.code == PEX_ECANCELLED || puller.code == PEX_ECLOSED ||
                          puller.code == PEX_ENOENT,
                      "%d", (int)puller.code);
        pex_job_release(puller.job);
    }
}
END_TEST

START_TEST(a_pull_is_asked_for_at_submit)
{
    pex_context *ctx = context_make(1);
    struct pex_error err;
    pex_rows *rows = NULL;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 5, 0);
    job = job_start(ctx, &folder, "out.jsonl", "[]", "");
    ck_assert_int_eq(pex_job_next_batch(job, 0, &rows, &err), PEX_EINVAL);
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

enum { MOST = 80 };

struct seen {
    int partition[MOST]; /* terminal events of the last stage */
    int states[8];
    int job_events;
    int32_t job_state;
    int late; /* events after the job's */
    int32_t wait_code, dispatch_code, destroy_code;
    pex_context *ctx;
};

static void on_event(void *user, const struct pex_event *event)
{
    struct seen *seen = user;
    struct pex_error err;

    ck_assert_ptr_nonnull(event->text);
    seen->late += seen->job_events > 0;
    if (event->kind == PEX_EVENT_PARTITION && event->stage == 0) {
        ck_assert_int_lt(event->partition, MOST);
        seen->partition[event->partition]++;
        seen->states[event->state]++;
    }
    if (event->kind != PEX_EVENT_JOB)
        return;
    seen->job_events++;
    seen->job_state = event->state;
    seen->wait_code = pex_job_wait(event->job, FOREVER);
    seen->dispatch_code = pex_context_dispatch(seen->ctx, 0);
    seen->destroy_code = pex_context_destroy(seen->ctx, FOREVER, &err);
    ck_assert_int_eq(pex_job_state(event->job), event->state);
}

static void watch(pex_context *ctx, const char *process, int32_t state, struct seen *seen)
{
    struct pex_job_options options = {
        .struct_size = sizeof options, .on_event = on_event, .event_user = seen};
    pex_spec *spec = spec_make(&folder, "out.jsonl", process,
                               ", \"partition\": {\"num_of_partitions\": 40, "
                               "\"max_concurrent_partitions\": 3}, "
                               "\"debug\": {\"slice_bytes\": 1000}");
    pex_job *job;

    memset(seen, 0, sizeof *seen);
    seen->ctx = ctx;
    job = job_submit(ctx, spec, &options);
    if (state == PEX_JOB_CANCELLED)
        ck_assert_int_eq(pex_job_cancel(job), 0);
    job_expect(job, state);
    pex_spec_release(spec);
    pex_job_release(job);
    ck_assert_int_eq(seen->job_events, 1);
    ck_assert_int_eq(seen->job_state, state);
    ck_assert_int_eq(seen->late, 0);
    for (int i = 0; i < MOST; i++)
        ck_assert_msg(seen->partition[i] == (i < 40), "partition %d: %d events", i,
                      seen->partition[i]);
}

START_TEST(every_partition_and_job_has_one_terminal_event)
{
    pex_context *ctx = context_make(3);
    struct seen seen;

    rows_write(&folder, "rows.jsonl", 2000, 30);
    watch(ctx, CHAIN, PEX_JOB_DONE, &seen);
    ck_assert_int_eq(seen.states[PEX_PARTITION_COMMITTED], 40);
    watch(ctx, "[{\"lab_fail_mapper\": {\"rows\": [700], \"code\": \"efatal\"}}]", PEX_JOB_FAILED,
          &seen);
    ck_assert_int_gt(seen.states[PEX_PARTITION_SKIPPED], 0);
    ck_assert_int_gt(seen.states[PEX_PARTITION_FAILED], 0);
    for (int i = 0; i < 20; i++)
        watch(ctx, "[{\"lab_hang_mapper\": {\"on_id\": 1500}}]", PEX_JOB_CANCELLED, &seen);
    destroy(ctx);
}
END_TEST

START_TEST(a_callback_may_not_wait)
{
    pex_context *ctx = context_make(2);
    struct seen seen;

    rows_write(&folder, "rows.jsonl", 2000, 30);
    watch(ctx, CHAIN, PEX_JOB_DONE, &seen);
    ck_assert_int_eq(seen.wait_code, PEX_EDEADLK);
    ck_assert_int_eq(seen.dispatch_code, PEX_EDEADLK);
    ck_assert_int_eq(seen.destroy_code, PEX_EDEADLK);
    destroy(ctx);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("pull");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, rows_come_in_order_and_end);
    tcase_add_test(tcase, no_rows_are_an_end_at_once);
    tcase_add_test(tcase, a_host_that_does_not_pull_stops_the_reading);
    tcase_add_test(tcase, a_host_that_does_not_pull_stalls_no_other_job);
    tcase_add_test(tcase, waiting_for_rows_has_an_end);
    tcase_add_test(tcase, a_cancelled_pull_says_so);
    tcase_add_test(tcase, a_failed_pull_gives_the_reason);
    tcase_add_test(tcase, destroy_ends_a_pull_of_another_thread);
    tcase_add_test(tcase, a_pull_is_asked_for_at_submit);
    tcase_add_test(tcase, every_partition_and_job_has_one_terminal_event);
    tcase_add_test(tcase, a_callback_may_not_wait);
    return run_case("pull", tcase);
}
