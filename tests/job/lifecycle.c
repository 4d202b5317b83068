/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and jobs come and go: in any number, at any moment, in any order. */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHAIN "[{\"text_length_filter\": {\"min_len\": 1}}, \"whitespace_normalization_mapper\"]"
#define FOREVER (-1)

static struct folder folder;

/* libuv opens a pipe for signals once per process, with its first loop. */
static void set_up(void)
{
    folder_make(&folder);
    ck_assert_int_eq(pex_context_destroy(context_make(1), -1, NULL), 0);
}

static void tear_down(void)
{
    folder_free(&folder);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void destroy(pex_context *ctx)
{
    struct pex_error err = {0};

    ck_assert_msg(pex_context_destroy(ctx, FOREVER, &err) == 0, "%s", err.message);
}

/* A process that ended a thread may still list it for a moment; a worker closes the input that it
 * keeps open when it goes to sleep, which can be after the job's end. */
static void expect_counts(int descriptors, int threads)
{
    for (int i = 0; i < 1000 && count_descriptors() != descriptors; i++)
        nap_us(1000);
    if (count_descriptors() != descriptors)
        print_descriptors();
    ck_assert_int_eq(count_descriptors(), descriptors);
    for (int i = 0; i < 1000 && count_threads() != threads; i++)
        nap_us(1000);
    ck_assert_int_eq(count_threads(), threads);
}

static void round_of_life(int64_t *create_ns, int64_t *run_ns, int64_t *destroy_ns)
{
    int64_t start = now_ns(), made, ran;
    pex_context *ctx = context_make(2);
    pex_job *job;

    made = now_ns();
    job = job_start(ctx, &folder, "out.jsonl", CHAIN, "");
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    ran = now_ns();
    destroy(ctx);
    *create_ns += made - start;
    *run_ns += ran - made;
    *destroy_ns += now_ns() - ran;
}

/* Half of the rounds pass first: the allocator keeps chunks per arena, and needs some hundred
 * rounds until it has enough of them. */
START_TEST(rounds_of_create_submit_destroy_leave_nothing)
{
    size_t rounds = 1000 / test_scale(), warm = rounds / 2;
    int64_t create_ns = 0, run_ns = 0, destroy_ns = 0;
    int descriptors = count_descriptors(), threads = count_threads();
    size_t heap = 0, resident = 0;

    rows_write(&folder, "rows.jsonl", 50, 20);
    for (size_t i = 0; i < rounds; i++) {
        if (i == warm) {
            heap = count_heap_bytes();
            resident = resident_bytes();
        }
        round_of_life(&create_ns, &run_ns, &destroy_ns);
    }
    printf("# %zu rounds: create %.2f ms, job %.2f ms, destroy %.2f ms each\n", rounds,
           (double)create_ns / 1e6 / (double)rounds, (double)run_ns / 1e6 / (double)rounds,
           (double)destroy_ns / 1e6 / (double)rounds);
    expect_counts(descriptors, threads);
    ck_assert_msg(count_heap_bytes() <= heap + 65536, "heap grew from %zu to %zu", heap,
                  count_heap_bytes());
    if (test_scale() == 1)
        ck_assert_msg(resident_bytes() <= resident + 4000000, "resident grew from %zu to %zu",
                      resident, resident_bytes());
}
END_TEST

START_TEST(jobs_in_one_context_leave_nothing)
{
    size_t rounds = 1000 / test_scale(), warm = rounds / 2;
    pex_context *ctx = context_make(2);
    int descriptors = count_descriptors(), threads = count_threads();
    size_t heap = 0;

    rows_write(&folder, "rows.jsonl", 50, 20);
    for (size_t i = 0; i < rounds; i++) {
        pex_job *job = job_start(ctx, &folder, "out.jsonl", CHAIN, "");

        job_expect(job, PEX_JOB_DONE);
        pex_job_release(job);
        if (i == warm)
            heap = count_heap_bytes();
    }
    expect_counts(descriptors, threads);
    ck_assert_msg(count_heap_bytes() <= heap + 65536, "heap grew from %zu to %zu", heap,
                  count_heap_bytes());
    destroy(ctx);
}
END_TEST

START_TEST(an_idle_context_uses_no_cpu)
{
    pex_context *ctx = context_make(4);
    struct rusage before, after;
    int64_t us;

    rows_write(&folder, "rows.jsonl", 200, 20);
    pex_job *job =
        job_start(ctx, &folder, "out.jsonl",
                  "[{\"lab_sleep_mapper\": {\"num_proc\": 2}}, "
                  "{\"lab_model_mapper\": {\"num_proc\": 2}}, \"document_deduplicator\"]",
                  "");
    job_expect(job, PEX_JOB_DONE);
    getrusage(RUSAGE_SELF, &before);
    nap_us(300000);
    getrusage(RUSAGE_SELF, &after);
    us = (after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec -
          before.ru_stime.tv_sec) *
             INT64_C(1000000) +
         after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
         before.ru_stime.tv_usec;
    /* TSan has a thread of its own that looks about; it is billed to the process. */
    ck_assert_msg(us < 5000 * (int64_t)(test_scale() > 1 ? 10 : 1), "%lld us in 300 ms",
                  (long long)us);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

static const char *const shapes[] = {
    CHAIN,
    "[{\"lab_spin_mapper\": {\"us_per_row\": 20}}, {\"text_length_filter\": {\"min_len\": 1}}]",
    "[{\"lab_sleep_mapper\": {\"us_per_batch\": 500, \"num_proc\": 3, \"load_ms\": 1}}]",
    "[{\"lab_model_mapper\": {\"load_ms\": 2, \"num_proc\": 2}}, {\"lab_shared_mapper\": "
    "{\"num_proc\": 2, \"load_ms\": 1}}]",
    "[\"document_deduplicator\", {\"lab_count_global\": {\"n\": 3}}]",
    "[{\"lab_fail_mapper\": {\"every\": 7, \"code\": \"eagain\"}}]",
    "[{\"lab_fail_mapper\": {\"every\": 50, \"code\": \"einstance\", \"times\": 9, "
    "\"num_proc\": 2}}]",
    "[{\"lab_expand_mapper\": {\"n\": 3, \"more_rows\": 2}}, {\"lab_repeat_global\": "
    "{\"count\": 2}}]",
    "[{\"lab_hang_mapper\": {\"on_id\": 700}}]",
    "[{\"lab_fail_mapper\": {\"rows\": [900], \"code\": \"efatal\"}}]",
    "[{\"lab_model_mapper\": {\"fail_loads\": -1, \"num_proc\": 2}}]",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Of each of three tests. PEX_TEST_MOMENTS for the long run. */
static size_t moments(void)
{
    const char *text = getenv("PEX_TEST_MOMENTS");

    return text != NULL ? strtoul(text, NULL, 10) : 325 / test_scale() + 10;
}

static pex_job *start_some_job(pex_context *ctx, uint64_t *seed, int number)
{
    char out[32], more[160];

    snprintf(out, sizeof out, "out-%d.jsonl", number);
    snprintf(more, sizeof more,
             ", \"partition\": {\"num_of_partitions\": %d, \"max_concurrent_partitions\": %d}, "
             "\"debug\": {\"slice_bytes\": %d, \"cancel_grace_ms\": %d}",
             1 + (int)(random_next(seed) % 9), 1 + (int)(random_next(seed) % 4),
             500 + (int)(random_next(seed) % 5000),
             random_next(seed) % 2 == 0 ? 10000 : (int)(random_next(seed) % 3));
    return job_start(ctx, &folder, out, shapes[random_next(seed) % SHAPES], more);
}

/* A whole export, or none. */
static void check_exports(pex_job *const *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        char out[32];
        int32_t state = pex_job_state(jobs[i]);

        snprintf(out, sizeof out, "out-%d.jsonl", i);
        ck_assert_msg(state >= PEX_JOB_DONE, "job %d: state %d", i, (int)state);
        ck_assert_int_eq(folder_has(&folder, out), state == PEX_JOB_DONE);
        unlink(folder_at(&folder, out));
    }
}

/* What a host can do to a job at any moment; whether it is still there is chance. */
static void do_something(pex_job *job, uint64_t *seed)
{
    static const char *const ops[] = {
        "lab_sleep_mapper", "lab_model_mapper", "lab_shared_mapper", "lab_fail_mapper", "0", "1"};
    const char *op = ops[random_next(seed) % (sizeof ops / sizeof *ops)];
    uint64_t what = random_next(seed) % 16;

    if (what < 5)
        ck_assert_int_eq(pex_job_pause(job, 1), 0);
    else if (what < 10)
        ck_assert_int_eq(pex_job_pause(job, 0), 0);
    else if (what < 15)
        pex_job_set_budget(job, op, 1 + (int32_t)(random_next(seed) % 4), NULL);
    else
        ck_assert_int_eq(pex_job_cancel(job), 0);
}

START_TEST(destroy_at_any_moment_ends_clean)
{
    uint64_t seed = test_seed();
    size_t rounds = moments();
    int descriptors = count_descriptors(), threads = count_threads();

    rows_write(&folder, "rows.jsonl", 1000, 30);
    for (size_t i = 0; i < rounds; i++) {
        pex_context *ctx = context_make(1 + (int32_t)(random_next(&seed) % 4));
        int count = 1 + (int)(random_next(&seed) % 3);
        pex_job *jobs[3];

        for (int j = 0; j < count; j++)
            jobs[j] = start_some_job(ctx, &seed, j);
        nap_us(random_next(&seed) % 4 == 0 ? 0 : random_next(&seed) % 8000);
        for (int j = 0; j < count && i % 2 == 0; j++)
            do_something(jobs[j], &seed);
        destroy(ctx);
        check_exports(jobs, count);
        for (int j = count; j-- > 0;)
            pex_job_release(jobs[j]);
        expect_counts(descriptors, threads);
    }
}
END_TEST

START_TEST(cancel_at_any_moment_ends_each_job_once)
{
    uint64_t seed = test_seed();
    size_t rounds = moments();
    pex_context *ctx = context_make(3);

    rows_write(&folder, "rows.jsonl", 1000, 30);
    for (size_t i = 0; i < rounds; i++) {
        int count = 1 + (int)(random_next(&seed) % 3);
        pex_job *jobs[3];

        for (int j = 0; j < count; j++)
            jobs[j] = start_some_job(ctx, &seed, j);
        nap_us(random_next(&seed) % 4 == 0 ? 0 : random_next(&seed) % 8000);
        for (int j = 0; j < count; j++)
            ck_assert_int_eq(pex_job_cancel(jobs[j]), 0);
        for (int j = 0; j < count; j++)
            ck_assert_int_eq(pex_job_wait(jobs[j], FOREVER), 0);
        check_exports(jobs, count);
        for (int j = 0; j < count; j++)
            pex_job_release(jobs[j]);
    }
    destroy(ctx);
}
END_TEST

START_TEST(pause_budget_and_cancel_at_any_moment_end_each_job_once)
{
    uint64_t seed = test_seed();
    size_t rounds = moments();
    pex_context *ctx = context_make(3);

    rows_write(&folder, "rows.jsonl", 1000, 30);
    for (size_t i = 0; i < rounds; i++) {
        int count = 1 + (int)(random_next(&seed) % 3);
        pex_job *jobs[3];

        for (int j = 0; j < count; j++)
            jobs[j] = start_some_job(ctx, &seed, j);
        for (uint64_t k = random_next(&seed) % 12; k > 0; k--) {
            do_something(jobs[random_next(&seed) % (uint64_t)count], &seed);
            if (random_next(&seed) % 2 == 0)
                nap_us(random_next(&seed) % 1000);
        }
        for (int j = 0; j < count; j++)
            ck_assert_int_eq(pex_job_pause(jobs[j], 0), 0);
        /* One of the chains hangs until it is cancelled; another may be as slow. */
        for (int j = 0; j < count; j++) {
            if (pex_job_wait(jobs[j], 100000000) != 0)
                ck_assert_int_eq(pex_job_cancel(jobs[j]), 0);
            ck_assert_int_eq(pex_job_wait(jobs[j], FOREVER), 0);
        }
        check_exports(jobs, count);
        for (int j = 0; j < count; j++)
            pex_job_release(jobs[j]);
    }
    destroy(ctx);
}
END_TEST

START_TEST(a_cancelled_job_leaves_only_its_summary)
{
    pex_context *ctx = context_make(2);
    struct gate gate;
    pex_job *job;

    gate_init(&gate);
    gate_register(&gate, ctx);
    rows_write(&folder, "rows.jsonl", 1000, 30);
    job = job_start(ctx, &folder, "out.jsonl", "[\"gate_mapper\"]",
                    ", \"job_id\": \"mine\", \"partition\": {\"num_of_partitions\": 4}");
    gate_await(&gate);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    gate_open(&gate);
    job_expect(job, PEX_JOB_CANCELLED);
    ck_assert(!folder_has(&folder, "out.jsonl"));
    ck_assert(!folder_has(&folder, ".out.jsonl.mine.partial"));
    ck_assert(folder_has(&folder, "work/mine/summary.json"));
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

START_TEST(destroy_names_the_call_that_hangs_and_can_be_called_again)
{
    pex_context *ctx = context_make(2);
    struct pex_error err = {0};
    struct gate gate;
    pex_job *job;

    gate_init(&gate);
    gate_register(&gate, ctx);
    rows_write(&folder, "rows.jsonl", 100, 10);
    job = job_start(ctx, &folder, "out.jsonl", "[\"gate_mapper\"]", "");
    gate_await(&gate);
    ck_assert_int_eq(pex_context_destroy(ctx, 20000000, &err), PEX_ETIMEDOUT);
    ck_assert_msg(strstr(err.message, "gate_mapper") != NULL, "%s", err.message);
    ck_assert_int_eq(pex_context_destroy(ctx, 0, &err), PEX_ETIMEDOUT);
    ck_assert_int_eq(gate.released, 0);
    gate_open(&gate);
    destroy(ctx);
    ck_assert_int_eq(gate.released, 1);
    ck_assert_int_eq(pex_job_state(job), PEX_JOB_CANCELLED);
    ck_assert(!folder_has(&folder, "out.jsonl"));
    pex_job_release(job);
}
END_TEST

START_TEST(two_contexts_work_side_by_side)
{
    pex_context *a = context_make(2), *b = context_make(2);
    pex_job *first, *second;

    rows_write(&folder, "rows.jsonl", 2000, 30);
    first = job_start(a, &folder, "a.jsonl", CHAIN, ", \"partition\": {\"num_of_partitions\": 5}");
    second = job_start(b, &folder, "b.jsonl", CHAIN, "");
    job_expect(second, PEX_JOB_DONE);
    pex_job_release(second);
    destroy(b);
    job_expect(first, PEX_JOB_DONE);
    rows_check(&folder, "a.jsonl", 2000);
    rows_check(&folder, "b.jsonl", 2000);
    pex_job_release(first);
    destroy(a);
}
END_TEST

START_TEST(jobs_of_one_context_share_budgets)
{
    enum { JOBS = 5 };
    pex_context *ctx = context_make(4);
    struct pex_error err;
    pex_job *jobs[JOBS];
    char out[32], *budgets = NULL, *at;

    rows_write(&folder, "rows.jsonl", 1500, 30);
    for (int i = 0; i < JOBS; i++) {
        snprintf(out, sizeof out, "out-%d.jsonl", i);
        jobs[i] = job_start(ctx, &folder, out,
                            "[{\"lab_model_mapper\": {\"num_proc\": 2, \"us_per_row\": 5}}, "
                            "{\"lab_sleep_mapper\": {\"num_proc\": 3, \"us_per_batch\": 100}}]",
                            ", \"partition\": {\"num_of_partitions\": 4}, "
                            "\"debug\": {\"slice_bytes\": 2000}");
    }
    for (int i = 0; i < JOBS; i++) {
        job_expect(jobs[i], PEX_JOB_DONE);
        snprintf(out, sizeof out, "out-%d.jsonl", i);
        rows_check(&folder, out, 1500);
    }
    ck_assert_int_eq(pex_context_budgets(ctx, &budgets, &err), 0);
    at = strstr(budgets, "lab_model_mapper");
    ck_assert_msg(at != NULL && atoi(strstr(at, "\"created\": ") + 11) <= 2, "%s", budgets);
    ck_assert_int_le(atoi(strstr(at, "\"lease_max\": ") + 13), 2);
    at = strstr(budgets, "lab_sleep_mapper");
    ck_assert_msg(at != NULL && atoi(strstr(at, "\"created\": ") + 11) <= 3, "%s", budgets);
    ck_assert_int_le(atoi(strstr(at, "\"lease_max\": ") + 13), 3);
    pex_free(budgets);
    for (int i = 0; i < JOBS; i++)
        pex_job_release(jobs[i]);
    ck_assert_int_eq(pex_context_trim(ctx), 5);
    destroy(ctx);
}
END_TEST

START_TEST(a_job_submitted_during_another_does_not_wait_for_it)
{
    pex_context *ctx = context_make(2);
    struct gate gate;
    pex_job *slow, *quick;

    gate_init(&gate);
    gate_register(&gate, ctx);
    rows_write(&folder, "rows.jsonl", 1, 30);
    slow = job_start(ctx, &folder, "slow.jsonl", "[\"gate_mapper\"]", "");
    gate_await(&gate);
    quick = job_start(ctx, &folder, "quick.jsonl", CHAIN, "");
    job_expect(quick, PEX_JOB_DONE);
    ck_assert_int_eq(pex_job_state(slow), PEX_JOB_RUNNING);
    ck_assert_int_eq(pex_job_wait(slow, 0), PEX_ETIMEDOUT);
    ck_assert_int_eq(pex_job_wait(slow, 1000000), PEX_ETIMEDOUT);
    gate_open(&gate);
    job_expect(slow, PEX_JOB_DONE);
    pex_job_release(slow);
    pex_job_release(quick);
    destroy(ctx);
    ck_assert_int_eq(gate.released, 1);
}
END_TEST

START_TEST(handles_outlive_the_context_and_say_so)
{
    pex_context *ctx = context_make(2);
    struct pex_job_options pulling = {.struct_size = sizeof pulling, .pull = 1};
    struct pex_progress progress = {.struct_size = sizeof progress};
    const char *path = folder_at(&folder, "rows.jsonl");
    pex_dataset *dataset = NULL;
    struct pex_error err = {0};
    pex_job *done, *live, *pulled;
    pex_rows *rows = NULL;
    pex_spec *spec;
    char *summary = NULL;

    rows_write(&folder, "rows.jsonl", 5000, 30);
    ck_assert_int_eq(pex_dataset_from_files(ctx, &path, 1, NULL, &dataset, &err), 0);
    spec = spec_make(&folder, "out.jsonl", CHAIN, "");
    done = job_submit(ctx, spec, NULL);
    job_expect(done, PEX_JOB_DONE);
    pulled = job_submit(ctx, spec, &pulling);
    ck_assert_int_eq(pex_job_next_batch(pulled, FOREVER, &rows, &err), 0);
    live = job_start(ctx, &folder, "live.jsonl", "[{\"lab_hang_mapper\": {}}]", "");
    destroy(ctx);
    ck_assert_uint_gt(pex_rows_count(rows), 0);
    ck_assert_int_eq(pex_job_cancel(live), PEX_ECLOSED);
    ck_assert_int_eq(pex_job_pause(live, 1), PEX_ECLOSED);
    ck_assert_int_eq(pex_job_set_budget(live, "0", 1, &err), PEX_ECLOSED);
    ck_assert_int_eq(pex_job_state(live), PEX_JOB_CANCELLED);
    ck_assert_int_eq(pex_job_state(done), PEX_JOB_DONE);
    ck_assert_int_eq(pex_job_wait(live, 0), 0);
    ck_assert_int_eq(pex_job_progress(done, &progress), 0);
    ck_assert_uint_eq(progress.rows_out, 5000);
    ck_assert_int_eq(pex_job_summary(done, &summary), 0);
    pex_free(summary);
    pex_rows_release(rows);
    rows = NULL;
    ck_assert_int_lt(pex_job_next_batch(pulled, 0, &rows, &err), 0);
    pex_job_release(live);
    pex_dataset_release(dataset);
    pex_spec_release(spec);
    pex_job_release(pulled);
    pex_job_release(done);
}
END_TEST

START_TEST(releasing_a_live_job_cancels_it)
{
    pex_context *ctx = context_make(2);
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 100, 30);
    job = job_start(ctx, &folder, "out.jsonl", "[{\"lab_hang_mapper\": {}}]", "");
    pex_job_release(job);
    destroy(ctx);
    ck_assert(!folder_has(&folder, "out.jsonl"));
}
END_TEST

static int child_of_fork(pex_context *ctx, pex_job *job, const pex_spec *spec)
{
    struct pex_progress progress = {.struct_size = sizeof progress};
    struct pex_error err;
    pex_job *other = NULL;
    char *text = NULL;

    return pex_context_fd(ctx) == PEX_EFORKED && pex_context_dispatch(ctx, 0) == PEX_EFORKED &&
           pex_context_trim(ctx) == PEX_EFORKED &&
           pex_context_budgets(ctx, &text, &err) == PEX_EFORKED &&
           pex_context_topology(ctx, &text, &err) == PEX_EFORKED &&
           pex_operators_describe(ctx, NULL, &text, &err) == PEX_EFORKED &&
           pex_plugin_load(ctx, PEX_TEST_LAB, &err) == PEX_EFORKED &&
           pex_plan_explain(ctx, spec, NULL, PEX_EXPLAIN_TEXT, &text, &err) == PEX_EFORKED &&
           pex_job_submit(ctx, spec, NULL, NULL, &other, &err) == PEX_EFORKED &&
           pex_job_state(job) == PEX_EFORKED && pex_job_wait(job, FOREVER) == PEX_EFORKED &&
           pex_job_cancel(job) == PEX_EFORKED && pex_job_pause(job, 1) == PEX_EFORKED &&
           pex_job_set_budget(job, "0", 1, &err) == PEX_EFORKED &&
           pex_job_progress(job, &progress) == PEX_EFORKED &&
           pex_job_summary(job, &text) == PEX_EFORKED && pex_job_error(job, &err) == PEX_EFORKED &&
           (pex_job_release(job), pex_context_destroy(ctx, FOREVER, &err)) == 0;
}

START_TEST(a_forked_child_is_told_and_may_let_go)
{
    pex_context *ctx = context_make(2);
    pex_spec *spec;
    pex_job *job;
    int status = 0;
    pid_t child;

    rows_write(&folder, "rows.jsonl", 3000, 30);
    spec = spec_make(&folder, "out.jsonl", "[{\"lab_spin_mapper\": {\"us_per_row\": 10}}]", "");
    job = job_submit(ctx, spec, NULL);
    child = fork();
    if (child == 0)
        _exit(child_of_fork(ctx, job, spec) ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 3000);
    pex_spec_release(spec);
    pex_job_release(job);
    destroy(ctx);
}
END_TEST

static void *wait_for_job(void *job)
{
    return (void *)(intptr_t)pex_job_wait(job, FOREVER);
}

START_TEST(many_threads_may_wait_for_a_job)
{
    enum { WAITERS = 6 };
    pex_context *ctx = context_make(2);
    pthread_t threads[WAITERS];
    pex_job *job;
    void *code;

    rows_write(&folder, "rows.jsonl", 2000, 30);
    for (int round = 0; round < 20; round++) {
        job = job_start(ctx, &folder, "out.jsonl", CHAIN, "");
        for (int i = 0; i < WAITERS; i++)
            pthread_create(&threads[i], NULL, wait_for_job, job);
        for (int i = 0; i < WAITERS; i++) {
            pthread_join(threads[i], &code);
            ck_assert_int_eq((intptr_t)code, 0);
        }
        pex_job_release(job);
    }
    destroy(ctx);
}
END_TEST

START_TEST(destroy_ends_the_waiting_of_other_threads)
{
    pthread_t waiter;
    void *code;

    rows_write(&folder, "rows.jsonl", 500, 30);
    for (int round = 0; round < 20; round++) {
        pex_context *ctx = context_make(2);
        pex_job *job = job_start(ctx, &folder, "out.jsonl", "[{\"lab_hang_mapper\": {}}]", "");

        pthread_create(&waiter, NULL, wait_for_job, job);
        if (round % 2 == 0)
            nap_us(500);
        destroy(ctx);
        pthread_join(waiter, &code);
        ck_assert_msg((intptr_t)code == 0 || (intptr_t)code == PEX_ECLOSED, "%d",
                      (int)(intptr_t)code);
        pex_job_release(job);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("lifecycle");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, rounds_of_create_submit_destroy_leave_nothing);
    tcase_add_test(tcase, jobs_in_one_context_leave_nothing);
    tcase_add_test(tcase, an_idle_context_uses_no_cpu);
    tcase_add_test(tcase, destroy_at_any_moment_ends_clean);
    tcase_add_test(tcase, cancel_at_any_moment_ends_each_job_once);
    tcase_add_test(tcase, pause_budget_and_cancel_at_any_moment_end_each_job_once);
    tcase_add_test(tcase, a_cancelled_job_leaves_only_its_summary);
    tcase_add_test(tcase, destroy_names_the_call_that_hangs_and_can_be_called_again);
    tcase_add_test(tcase, two_contexts_work_side_by_side);
    tcase_add_test(tcase, jobs_of_one_context_share_budgets);
    tcase_add_test(tcase, a_job_submitted_during_another_does_not_wait_for_it);
    tcase_add_test(tcase, handles_outlive_the_context_and_say_so);
    tcase_add_test(tcase, releasing_a_live_job_cancels_it);
    tcase_add_test(tcase, a_forked_child_is_told_and_may_let_go);
    tcase_add_test(tcase, many_threads_may_wait_for_a_job);
    tcase_add_test(tcase, destroy_ends_the_waiting_of_other_threads);
    return run_case("lifecycle", tcase);
}
