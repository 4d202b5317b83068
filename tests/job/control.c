/* SPDX-License-Identifier: Apache-2.0 */
/* What a host does to jobs that run: it pauses them, changes budgets, weighs one against another.
 * What must not happen is shown by what happens instead; no test waits and hopes. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define FOREVER (-1)
#define SMALL_SLICES ", \"debug\": {\"slice_bytes\": 64}"
enum { ROW_BYTES = 64 };

static struct folder folder;
static pex_context *ctx;

/*
 * An operator of the host, `turn_mapper`: each call takes the rows of one job, by the first letter
 * of its text ('a' is job 0), and waits until it is its turn to end.
 */
struct turns {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int came;    /* calls so far: they end in this order */
    int may_end; /* so many of them may end */
    int ended;
    int inside[2]; /* by job */
    int calls[2];
};
static struct turns turns;

static void turns_init(void)
{
    memset(&turns, 0, sizeof turns);
    pthread_mutex_init(&turns.lock, NULL);
    pthread_cond_init(&turns.changed, NULL);
}

static int32_t turn_create(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    (void)params;
    (void)err;
    *instance = pex_env_user(env);
    return 0;
}

static int32_t turn_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex_string_view *texts;
    int job, number;

    (void)err;
    if (pex_batch_strings(batch, 0, &texts, NULL) != 0)
        return PEX_EFATAL;
    job = texts[0].data[0] == 'b';
    pthread_mutex_lock(&((struct turns *)instance)->lock);
    number = turns.came++;
    turns.inside[job]++;
    turns.calls[job]++;
    pthread_cond_broadcast(&turns.changed);
    while (number >= turns.may_end)
        pthread_cond_wait(&turns.changed, &turns.lock);
    turns.ended++;
    turns.inside[job]--;
    pthread_cond_broadcast(&turns.changed);
    pthread_mutex_unlock(&turns.lock);
    return 0;
}

static void turns_register(void)
{
    static const struct pex_field_def field = {
        .name = "text", .kind = PEX_FIELD_PATH, .access = PEX_FIELD_READ};
    struct pex_operator op = {
        .struct_size = sizeof op,
        .name = "turn_mapper",
        .version = "1",
        .help = "Waits for its turn.",
        .cardinality = PEX_ROW_TO_ROW,
        .flags = PEX_OP_BLOCKING | PEX_OP_RETRY_SAFE,
        .fields = &field,
        .field_count = 1,
        .field_stride = sizeof field,
        .create = turn_create,
        .process = turn_process,
    };
    struct pex_error err = {0};

    ck_assert_msg(pex_operator_register(ctx, &op, &turns, NULL, &err) == 0, "%s", err.message);
}

/* Lets so many calls end. */
static void turns_give(int count)
{
    pthread_mutex_lock(&turns.lock);
    turns.may_end += count;
    pthread_cond_broadcast(&turns.changed);
    pthread_mutex_unlock(&turns.lock);
}

/* Waits until so many calls of both jobs are inside, and no turn is left. */
static void turns_await(int inside)
{
    pthread_mutex_lock(&turns.lock);
    while (turns.ended < turns.may_end || turns.inside[0] + turns.inside[1] != inside)
        pthread_cond_wait(&turns.changed, &turns.lock);
    pthread_mutex_unlock(&turns.lock);
}

static int turns_calls(int job)
{
    int calls;

    pthread_mutex_lock(&turns.lock);
    calls = turns.calls[job];
    pthread_mutex_unlock(&turns.lock);
    return calls;
}

static void set_up(void)
{
    folder_make(&folder);
    turns_init();
    ctx = context_make(2);
    turns_register();
}

/* With one worker rows wait for their leases in the order of the input. */
static void use_one_worker(void)
{
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
    ctx = context_make(1);
    turns_register();
}

static void tear_down(void)
{
    struct pex_error err = {0};

    turns_give(1 << 20);
    ck_assert_msg(pex_context_destroy(ctx, FOREVER, &err) == 0, "%s", err.message);
    folder_free(&folder);
}

/* Rows {"id": i, "text": "LETTER"} in NAME, each as long as a slice. */
static void letters_write(const char *name, char letter, int count)
{
    FILE *file = fopen(folder_at(&folder, name), "w");

    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < count; i++) {
        int length = fprintf(file, "{\"id\": %d, \"text\": \"%c\"}", i, letter);

        fprintf(file, "%*c", ROW_BYTES - length, '\n');
    }
    ck_assert_int_eq(fclose(file), 0);
}

/* One row in a slice, one in a call. */
static pex_job *turns_start(const char *in, const char *out, int num_proc, const char *more)
{
    struct pex_error err = {0};
    char process[160];
    pex_spec *spec;
    pex_job *job;

    snprintf(process, sizeof process, "[{\"turn_mapper\": {\"num_proc\": %d, \"batch_size\": 1}}]",
             num_proc);
    spec = spec_make(&folder, out, process, more);
    ck_assert_int_eq(pex_spec_set(spec, "dataset_path", folder_at(&folder, in), &err), 0);
    job = job_submit(ctx, spec, NULL);
    pex_spec_release(spec);
    return job;
}

static struct pex_progress progress_of(pex_job *job)
{
    struct pex_progress progress = {.struct_size = sizeof progress};

    ck_assert_int_eq(pex_job_progress(job, &progress), 0);
    return progress;
}

/* Everything is read that the job may read: its rows wait for leases. */
static void await_rows(pex_job *job, uint64_t rows)
{
    while (progress_of(job).rows < rows)
        nap_us(200);
}

static int budget_of(const char *field)
{
    struct pex_error err = {0};
    char *json = NULL, *at;
    int value;

    ck_assert_int_eq(pex_context_budgets(ctx, &json, &err), 0);
    at = strstr(json, "turn_mapper");
    if (at != NULL)
        at = strstr(at, field);
    /* Before the job's first stage is open there is none. */
    value = at != NULL ? atoi(at + strlen(field) + 3) : 0;
    pex_free(json);
    return value;
}

static int64_t cpu_us(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * INT64_C(1000000) + use.ru_utime.tv_usec +
           use.ru_stime.tv_usec;
}

/* Another job on the same threads comes to its end: whatever the paused one could do, it would have
 * done. */
static void run_another(void)
{
    pex_job *other;

    rows_write(&folder, "rows.jsonl", 200, 20);
    other = job_start(ctx, &folder, "other.jsonl", "[\"whitespace_normalization_mapper\"]", "");
    job_expect(other, PEX_JOB_DONE);
    rows_check(&folder, "other.jsonl", 200);
    pex_job_release(other);
}

START_TEST(a_paused_job_makes_no_call_and_uses_no_cpu_until_it_goes_on)
{
    int64_t before;
    pex_job *job;

    letters_write("a.jsonl", 'a', 300);
    job = turns_start("a.jsonl", "out.jsonl", 2, SMALL_SLICES);
    turns_await(2);
    ck_assert_int_eq(progress_of(job).is_paused, 0);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    ck_assert_int_eq(pex_job_pause(job, 7), 0);
    ck_assert_int_eq(progress_of(job).is_paused, 1);
    ck_assert_int_eq(pex_job_state(job), PEX_JOB_RUNNING);
    turns_give(2);
    turns_await(0);
    run_another();
    ck_assert_int_eq(turns_calls(0), 2);
    before = cpu_us();
    nap_us(300000);
    /* TSan has a thread of its own that looks about; it is billed to the process. */
    ck_assert_int_lt(cpu_us() - before, 5000 * (int64_t)(test_scale() > 1 ? 10 : 1));
    ck_assert_int_eq(turns_calls(0), 2);
    ck_assert_int_eq(pex_job_pause(job, 0), 0);
    ck_assert_int_eq(progress_of(job).is_paused, 0);
    turns_give(298);
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 300);
    ck_assert_int_eq(turns_calls(0), 300);
    pex_job_release(job);
}
END_TEST

START_TEST(rows_that_are_finished_are_written_while_the_job_is_paused)
{
    pex_job *job;

    use_one_worker();
    letters_write("a.jsonl", 'a', 40);
    job = turns_start("a.jsonl", "out.jsonl", 4,
                      SMALL_SLICES ", \"partition\": {\"num_of_partitions\": 2, "
                                   "\"max_concurrent_partitions\": 2}");
    turns_await(4);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    turns_give(4);
    turns_await(0);
    while (progress_of(job).rows_out < 4)
        nap_us(200);
    ck_assert_int_eq(turns_calls(0), 4);
    turns_give(36);
    ck_assert_int_eq(pex_job_pause(job, 0), 0);
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 40);
    pex_job_release(job);
}
END_TEST

START_TEST(a_job_whose_last_call_ends_while_it_is_paused_is_done)
{
    pex_job *job;

    letters_write("a.jsonl", 'a', 1);
    job = turns_start("a.jsonl", "out.jsonl", 1, "");
    turns_await(1);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    turns_give(1);
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(progress_of(job).is_paused, 0);
    rows_check(&folder, "out.jsonl", 1);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    ck_assert_int_eq(progress_of(job).is_paused, 0);
    pex_job_release(job);
}
END_TEST

/* The gate has no budget: the same worker goes on to what the global operator observes. */
START_TEST(a_job_paused_at_a_convergence_point_does_not_pass_it)
{
    static struct gate gate; /* the context lets go of it in tear_down */
    pex_job *job;

    gate_init(&gate);
    gate_register(&gate, ctx);
    rows_write(&folder, "rows.jsonl", 1, 20);
    job = job_start(ctx, &folder, "out.jsonl",
                    "[\"gate_mapper\", {\"lab_count_global\": {\"n\": 3}}]", "");
    gate_await(&gate);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    gate_open(&gate);
    while (progress_of(job).active_partitions > 0)
        nap_us(200);
    run_another();
    ck_assert_int_eq(progress_of(job).stage, 0);
    ck_assert_int_eq(pex_job_state(job), PEX_JOB_RUNNING);
    ck_assert_int_eq(pex_job_pause(job, 0), 0);
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(progress_of(job).stage, 1);
    pex_job_release(job);
}
END_TEST

START_TEST(a_paused_job_is_cancelled_and_released)
{
    pex_job *job, *other;

    letters_write("a.jsonl", 'a', 50);
    job = turns_start("a.jsonl", "out.jsonl", 1, SMALL_SLICES);
    other = turns_start("a.jsonl", "other.jsonl", 1, SMALL_SLICES);
    turns_await(1);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    ck_assert_int_eq(pex_job_pause(other, 1), 0);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    turns_give(1);
    job_expect(job, PEX_JOB_CANCELLED);
    ck_assert_int_eq(progress_of(job).is_paused, 0);
    ck_assert(!folder_has(&folder, "out.jsonl"));
    pex_job_release(job);
    pex_job_release(other);
}
END_TEST

START_TEST(the_rows_of_a_paused_job_can_be_pulled_as_far_as_they_are)
{
    struct pex_job_options pulling = {.struct_size = sizeof pulling, .pull = 1};
    struct pex_error err = {0};
    pex_rows *rows = NULL;
    size_t count = 0;
    pex_spec *spec;
    pex_job *job;

    use_one_worker();
    letters_write("a.jsonl", 'a', 30);
    spec = spec_make(&folder, "unused", "[{\"turn_mapper\": {\"num_proc\": 2, \"batch_size\": 1}}]",
                     SMALL_SLICES ", \"partition\": {\"num_of_partitions\": 1}");
    ck_assert_int_eq(pex_spec_set(spec, "dataset_path", folder_at(&folder, "a.jsonl"), &err), 0);
    job = job_submit(ctx, spec, &pulling);
    turns_await(2);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    turns_give(2);
    while (count < 2) {
        ck_assert_int_eq(pex_job_next_batch(job, FOREVER, &rows, &err), 0);
        count += pex_rows_count(rows);
        pex_rows_release(rows);
        rows = NULL;
    }
    run_another();
    ck_assert_int_eq(pex_job_next_batch(job, 1000000, &rows, &err), PEX_ETIMEDOUT);
    ck_assert_int_eq(pex_job_pause(job, 0), 0);
    turns_give(28);
    while (pex_job_next_batch(job, FOREVER, &rows, &err) == 0) {
        count += pex_rows_count(rows);
        pex_rows_release(rows);
        rows = NULL;
    }
    ck_assert_uint_eq(count, 30);
    job_expect(job, PEX_JOB_DONE);
    pex_spec_release(spec);
    pex_job_release(job);
}
END_TEST

/* The older job is paused with all the memory that a job may have, then the younger one runs. */
START_TEST(the_memory_of_a_paused_job_holds_nobody_up)
{
    pex_job *held, *other;

    letters_write("a.jsonl", 'a', 400);
    letters_write("b.jsonl", 'b', 400);
    held = turns_start("a.jsonl", "a-out.jsonl", 1,
                       SMALL_SLICES ", \"memory_limit\": 100000, "
                                    "\"partition\": {\"num_of_partitions\": 8}");
    turns_await(1);
    ck_assert_int_eq(pex_job_pause(held, 1), 0);
    other = turns_start("b.jsonl", "b-out.jsonl", 1, SMALL_SLICES ", \"memory_limit\": 100000");
    turns_give(401);
    job_expect(other, PEX_JOB_DONE);
    rows_check(&folder, "b-out.jsonl", 400);
    ck_assert_int_eq(turns_calls(0), 1);
    ck_assert_int_eq(pex_job_pause(held, 0), 0);
    turns_give(399);
    job_expect(held, PEX_JOB_DONE);
    rows_check(&folder, "a-out.jsonl", 400);
    pex_job_release(held);
    pex_job_release(other);
}
END_TEST

START_TEST(other_jobs_get_the_units_of_a_paused_one)
{
    pex_job *held, *other;

    letters_write("a.jsonl", 'a', 30);
    letters_write("b.jsonl", 'b', 30);
    held =
        turns_start("a.jsonl", "a-out.jsonl", 4, SMALL_SLICES ", \"scope_policy\": \"balanced\"");
    other =
        turns_start("b.jsonl", "b-out.jsonl", 4, SMALL_SLICES ", \"scope_policy\": \"balanced\"");
    turns_await(4);
    ck_assert_int_eq(pex_job_pause(held, 1), 0);
    for (int i = 0; i < 12; i++) {
        turns_give(1);
        turns_await(4);
    }
    pthread_mutex_lock(&turns.lock);
    ck_assert_int_eq(turns.inside[0], 0);
    ck_assert_int_eq(turns.inside[1], 4);
    pthread_mutex_unlock(&turns.lock);
    ck_assert_int_eq(pex_job_pause(held, 0), 0);
    turns_give(60);
    job_expect(held, PEX_JOB_DONE);
    job_expect(other, PEX_JOB_DONE);
    pex_job_release(held);
    pex_job_release(other);
}
END_TEST

START_TEST(a_budget_grows_and_shrinks_while_the_job_runs)
{
    struct pex_error err = {0};
    char *summary = NULL;
    pex_job *job;

    letters_write("a.jsonl", 'a', 60);
    job = turns_start("a.jsonl", "out.jsonl", 1, SMALL_SLICES);
    turns_await(1);
    ck_assert_int_eq(pex_job_set_budget(job, "turn_mapper", 4, &err), 0);
    turns_await(4);
    ck_assert_int_eq(budget_of("num_proc"), 4);
    ck_assert_int_eq(pex_job_set_budget(job, "0", 2, &err), 0);
    ck_assert_int_eq(budget_of("num_proc"), 2);
    ck_assert_int_eq(budget_of("out"), 4);
    turns_give(2);
    turns_await(2);
    ck_assert_int_eq(turns_calls(0), 4);
    /* What the two returned ended; the other two go on with one batch after the other. */
    while (budget_of("destroyed") < 2)
        nap_us(200);
    for (int i = 0; i < 10; i++) {
        turns_give(1);
        turns_await(2);
    }
    ck_assert_int_eq(budget_of("created"), 4);
    ck_assert_int_eq(budget_of("loaded"), 2);
    /* And up again. */
    ck_assert_int_eq(pex_job_set_budget(job, "turn_mapper", 3, &err), 0);
    turns_await(3);
    turns_give(60);
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 60);
    ck_assert_int_eq(pex_job_summary(job, &summary), 0);
    ck_assert_msg(strstr(summary, "\"lease_max\": 4,") != NULL, "%s", summary);
    pex_free(summary);
    ck_assert_int_eq(pex_job_set_budget(job, "turn_mapper", 2, &err), PEX_EINVAL);
    ck_assert_msg(strstr(err.message, "is over") != NULL, "%s", err.message);
    pex_job_release(job);
}
END_TEST

START_TEST(idle_instances_above_a_smaller_budget_end)
{
    struct pex_error err = {0};
    pex_job *job;

    /* All four are idle when the first four rows are through, and the job is paused. */
    letters_write("a.jsonl", 'a', 40);
    job = turns_start("a.jsonl", "out.jsonl", 4, SMALL_SLICES);
    turns_await(4);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    turns_give(4);
    turns_await(0);
    while (budget_of("out") > 0)
        nap_us(200);
    ck_assert_int_eq(budget_of("loaded"), 4);
    ck_assert_int_eq(pex_job_set_budget(job, "turn_mapper", 1, &err), 0);
    ck_assert_int_eq(budget_of("loaded"), 1);
    while (budget_of("destroyed") < 3)
        nap_us(200);
    ck_assert_int_eq(pex_job_pause(job, 0), 0);
    turns_give(36);
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 40);
    pex_job_release(job);
}
END_TEST

/* Not on threads of their own. */
START_TEST(a_budget_of_instances_on_workers_changes_as_well)
{
    struct pex_error err = {0};
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 3000, 20);
    job = job_start(ctx, &folder, "out.jsonl",
                    "[{\"lab_model_mapper\": {\"num_proc\": 2, \"us_per_row\": 10}}, "
                    "\"document_deduplicator\", "
                    "{\"lab_model_mapper\": {\"num_proc\": 2, \"us_per_row\": 10}}]",
                    ", \"debug\": {\"slice_bytes\": 1000}");
    for (int32_t i = 0; pex_job_state(job) <= PEX_JOB_RUNNING; i++) {
        int32_t code = pex_job_set_budget(job, "lab_model_mapper", 1 + i % 3, &err);

        ck_assert_msg(code == 0 || pex_job_state(job) == PEX_JOB_DONE, "%s", err.message);
        nap_us(100);
    }
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 3000);
    pex_job_release(job);
}
END_TEST

static void refuses(pex_job *job, const char *op, int32_t num_proc, int32_t code, const char *says)
{
    struct pex_error err = {0};

    ck_assert_int_eq(pex_job_set_budget(job, op, num_proc, &err), code);
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
    ck_assert_int_eq(pex_job_set_budget(job, op, num_proc, NULL), code);
}

START_TEST(a_budget_that_is_none_is_refused_by_name)
{
    struct pex_error err = {0};
    pex_spec *spec;
    pex_job *job;

    letters_write("a.jsonl", 'a', 1);
    spec = spec_make(&folder, "out.jsonl",
                     "[{\"turn_mapper\": {\"num_proc\": 1}}, \"whitespace_normalization_mapper\"]",
                     "");
    ck_assert_int_eq(pex_spec_set(spec, "dataset_path", folder_at(&folder, "a.jsonl"), &err), 0);
    job = job_submit(ctx, spec, NULL);
    turns_await(1);
    refuses(NULL, "turn_mapper", 1, PEX_EINVAL, "job: NULL");
    refuses(job, NULL, 1, PEX_EINVAL, "op: NULL");
    refuses(job, "turn_mapper", 0, PEX_EINVAL, "num_proc: 0");
    refuses(job, "turn_mapper", INT32_MIN, PEX_EINVAL, "num_proc: -2147483648");
    refuses(job, "turn", 1, PEX_ENOENT, "no operator turn");
    refuses(job, "", 1, PEX_ENOENT, "no operator");
    refuses(job, "2", 1, PEX_ENOENT, "no operator 2");
    refuses(job, "00", 1, PEX_ENOENT, "no operator 00");
    refuses(job, "1", 1, PEX_ENOTSUP, "has no budget");
    refuses(job, "whitespace_normalization_mapper", 1, PEX_ENOTSUP, "num_proc");
    ck_assert_int_eq(pex_job_pause(NULL, 1), PEX_EINVAL);
    turns_give(1);
    job_expect(job, PEX_JOB_DONE);
    refuses(job, "turn_mapper", 1, PEX_EINVAL, "is over");
    pex_spec_release(spec);
    pex_job_release(job);
}
END_TEST

/* Two jobs of weights 1 and 3, all their rows read and waiting for a budget of so many units. */
static void start_two(pex_job **jobs, int units)
{
    static const char *const more[] = {
        SMALL_SLICES ", \"partition\": {\"num_of_partitions\": 4, "
                     "\"max_concurrent_partitions\": 4}, \"weight\": 1",
        SMALL_SLICES ", \"partition\": {\"num_of_partitions\": 4, "
                     "\"max_concurrent_partitions\": 4}, \"weight\": 3"};

    letters_write("a.jsonl", 'a', 60);
    letters_write("b.jsonl", 'b', 60);
    jobs[0] = turns_start("a.jsonl", "a-out.jsonl", units, more[0]);
    jobs[1] = turns_start("b.jsonl", "b-out.jsonl", units, more[1]);
    for (int j = 0; j < 2; j++)
        await_rows(jobs[j], 60);
}

static void end_two(pex_job **jobs)
{
    turns_give(200);
    for (int j = 0; j < 2; j++) {
        job_expect(jobs[j], PEX_JOB_DONE);
        pex_job_release(jobs[j]);
    }
}

START_TEST(a_shared_budget_is_split_by_weight)
{
    int is_split = 0;
    pex_job *jobs[2];

    start_two(jobs, 4);
    /* What the first job took before both waited, it gives back as its calls end. */
    for (int i = 0; i < 36; i++) {
        turns_await(4);
        pthread_mutex_lock(&turns.lock);
        is_split |= turns.inside[0] == 1;
        ck_assert_int_eq(turns.inside[0] == 1 && turns.inside[1] == 3, is_split);
        pthread_mutex_unlock(&turns.lock);
        turns_give(1);
    }
    ck_assert(is_split);
    end_two(jobs);
}
END_TEST

/* Of any four leases in a row one is the first job's. */
START_TEST(a_single_unit_goes_round_by_weight)
{
    pex_job *jobs[2];
    int first, second;

    start_two(jobs, 1);
    for (int i = 0; i < 4; i++) {
        turns_await(1);
        turns_give(1);
    }
    turns_await(1);
    first = turns_calls(0);
    second = turns_calls(1);
    for (int i = 1; i <= 40; i++) {
        turns_give(1);
        turns_await(1);
        if (i % 4 != 0)
            continue;
        ck_assert_int_eq(turns_calls(0) - first, i / 4);
        ck_assert_int_eq(turns_calls(1) - second, 3 * i / 4);
    }
    end_two(jobs);
}
END_TEST

static pex_job *start_late(int grace_ms)
{
    char more[160];

    letters_write("a.jsonl", 'a', 60);
    snprintf(more, sizeof more,
             ", \"job_id\": \"mine\", \"debug\": {\"slice_bytes\": 64, "
             "\"cancel_grace_ms\": %d}",
             grace_ms);
    return turns_start("a.jsonl", "out.jsonl", 2, more);
}

START_TEST(a_cancelled_job_ends_without_the_calls_that_do_not_return)
{
    struct pex_error err = {0};
    char *summary = NULL;
    pex_job *job = start_late(20);

    turns_await(2);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    job_expect(job, PEX_JOB_CANCELLED);
    ck_assert_int_eq(pex_job_error(job, &err), PEX_ECANCELLED);
    ck_assert_msg(strstr(err.message, "cancelled; calls that have not returned after 20 ms: "
                                      "turn_mapper") != NULL,
                  "%s", err.message);
    ck_assert_int_eq(pex_job_summary(job, &summary), 0);
    ck_assert_msg(strstr(summary, "turn_mapper\",") != NULL, "%s", summary);
    pex_free(summary);
    ck_assert(folder_has(&folder, "work/mine/summary.json"));
    ck_assert(!folder_has(&folder, "out.jsonl"));
    ck_assert(!folder_has(&folder, ".out.jsonl.mine.partial"));
    /* The calls are still there, with what is theirs. */
    ck_assert_int_eq(budget_of("out"), 2);
    ck_assert_int_eq(budget_of("loaded"), 2);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    ck_assert_int_eq(pex_job_pause(job, 1), 0);
    ck_assert_int_eq(pex_job_set_budget(job, "turn_mapper", 1, &err), PEX_EINVAL);
    run_another();
    turns_give(2);
    while (budget_of("out") > 0)
        nap_us(200);
    ck_assert_int_eq(budget_of("loaded"), 2);
    ck_assert_int_eq(turns_calls(0), 2);
    pex_job_release(job);
}
END_TEST

/* The same export and budget serve another job, also while the call is there; the folder does when
 * it is gone. */
START_TEST(what_a_late_call_keeps_is_in_nobodys_way)
{
    struct pex_error err = {0};
    pex_job *job = start_late(0), *other;
    pex_spec *spec;

    turns_await(2);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    job_expect(job, PEX_JOB_CANCELLED);
    pex_job_release(job);
    spec = spec_make(&folder, "out.jsonl", "[]", ", \"job_id\": \"mine\"");
    ck_assert_int_eq(pex_spec_set(spec, "dataset_path", folder_at(&folder, "a.jsonl"), &err), 0);
    ck_assert_int_eq(pex_job_submit(ctx, spec, NULL, NULL, &other, &err), PEX_EBUSY);
    other = turns_start("a.jsonl", "out.jsonl", 2, SMALL_SLICES);
    turns_give(62);
    job_expect(other, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 60);
    ck_assert_int_eq(turns_calls(0), 62);
    pex_job_release(other);
    while (pex_job_submit(ctx, spec, NULL, NULL, &other, &err) == PEX_EBUSY)
        nap_us(200);
    job_expect(other, PEX_JOB_DONE);
    pex_job_release(other);
    pex_spec_release(spec);
}
END_TEST

START_TEST(destroy_waits_for_late_calls_and_names_them)
{
    struct pex_error err = {0};
    pex_job *job = start_late(10);

    turns_await(2);
    ck_assert_int_eq(pex_context_destroy(ctx, 0, &err), PEX_ETIMEDOUT);
    job_expect(job, PEX_JOB_CANCELLED);
    ck_assert_int_eq(pex_context_destroy(ctx, 1000000, &err), PEX_ETIMEDOUT);
    ck_assert_msg(strstr(err.message, "turn_mapper") != NULL, "%s", err.message);
    pex_job_release(job);
}
END_TEST

static void await_gate(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->inside++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->is_open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static int32_t late_create(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    (void)params;
    (void)err;
    await_gate(pex_env_user(env));
    *instance = pex_env_user(env);
    return 0;
}

static int32_t late_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)batch;
    return pex_error_set(err, PEX_EFATAL, "the job was cancelled before");
}

/* Not in process, and not under a lease: a create that takes its time. */
START_TEST(a_job_ends_without_an_instance_that_is_late)
{
    struct pex_operator op = {.struct_size = sizeof op,
                              .name = "late_mapper",
                              .version = "1",
                              .help = "Is created late.",
                              .cardinality = PEX_ROW_TO_ROW,
                              .create = late_create,
                              .process = late_process};
    struct pex_error err = {0};
    struct gate gate;
    pex_job *job;

    gate_init(&gate);
    ck_assert_msg(pex_operator_register(ctx, &op, &gate, NULL, &err) == 0, "%s", err.message);
    rows_write(&folder, "rows.jsonl", 10, 20);
    job = job_start(ctx, &folder, "out.jsonl", "[{\"late_mapper\": {\"num_proc\": 1}}]",
                    ", \"debug\": {\"cancel_grace_ms\": 1}");
    gate_await(&gate);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    job_expect(job, PEX_JOB_CANCELLED);
    ck_assert_int_eq(pex_job_error(job, &err), PEX_ECANCELLED);
    ck_assert_msg(strstr(err.message, "late_mapper") != NULL, "%s", err.message);
    pex_job_release(job);
    gate_open(&gate);
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
    ctx = NULL;
}
END_TEST

static int32_t row_observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)err;
    for (size_t row = 0; row < pex_batch_rows(batch); row++)
        if (pex_keys_emit(batch, row, "key", 3) != 0)
            return PEX_EFATAL;
    return 0;
}

/* Waits, whatever becomes of the job, and walks the keys then. */
static int32_t late_resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    struct gate *gate = instance;
    struct pex_key key;

    (void)err;
    await_gate(gate);
    while (pex_keys_next(keys, &key) == 0)
        gate->calls++;
    return 0;
}

/* A resolve that does not look whether it is cancelled. */
START_TEST(a_late_resolve_keeps_what_it_reads)
{
    struct pex_operator op = {.struct_size = sizeof op,
                              .name = "late_global",
                              .version = "1",
                              .help = "Decides late.",
                              .cardinality = PEX_GLOBAL,
                              .flags = PEX_OP_REENTRANT,
                              .create = turn_create,
                              .observe = row_observe,
                              .resolve = late_resolve};
    struct pex_error err = {0};
    struct gate gate;
    pex_job *job;

    gate_init(&gate);
    ck_assert_msg(pex_operator_register(ctx, &op, &gate, NULL, &err) == 0, "%s", err.message);
    rows_write(&folder, "rows.jsonl", 500, 20);
    job = job_start(ctx, &folder, "out.jsonl", "[\"late_global\"]",
                    ", \"debug\": {\"cancel_grace_ms\": 1}");
    gate_await(&gate);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    job_expect(job, PEX_JOB_CANCELLED);
    ck_assert_int_eq(pex_job_error(job, &err), PEX_ECANCELLED);
    ck_assert_msg(strstr(err.message, "late_global") != NULL, "%s", err.message);
    pex_job_release(job);
    gate_open(&gate);
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
    ck_assert_int_eq(gate.calls, 500);
    ctx = NULL;
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("control");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_paused_job_makes_no_call_and_uses_no_cpu_until_it_goes_on);
    tcase_add_test(tcase, rows_that_are_finished_are_written_while_the_job_is_paused);
    tcase_add_test(tcase, a_job_whose_last_call_ends_while_it_is_paused_is_done);
    tcase_add_test(tcase, a_job_paused_at_a_convergence_point_does_not_pass_it);
    tcase_add_test(tcase, a_paused_job_is_cancelled_and_released);
    tcase_add_test(tcase, the_rows_of_a_paused_job_can_be_pulled_as_far_as_they_are);
    tcase_add_test(tcase, the_memory_of_a_paused_job_holds_nobody_up);
    tcase_add_test(tcase, other_jobs_get_the_units_of_a_paused_one);
    tcase_add_test(tcase, a_budget_grows_and_shrinks_while_the_job_runs);
    tcase_add_test(tcase, idle_instances_above_a_smaller_budget_end);
    tcase_add_test(tcase, a_budget_of_instances_on_workers_changes_as_well);
    tcase_add_test(tcase, a_budget_that_is_none_is_refused_by_name);
    tcase_add_test(tcase, a_shared_budget_is_split_by_weight);
    tcase_add_test(tcase, a_single_unit_goes_round_by_weight);
    tcase_add_test(tcase, a_cancelled_job_ends_without_the_calls_that_do_not_return);
    tcase_add_test(tcase, what_a_late_call_keeps_is_in_nobodys_way);
    tcase_add_test(tcase, destroy_waits_for_late_calls_and_names_them);
    tcase_add_test(tcase, a_job_ends_without_an_instance_that_is_late);
    tcase_add_test(tcase, a_late_resolve_keeps_what_it_reads);
    return run_case("control", tcase);
}
