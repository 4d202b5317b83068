/* SPDX-License-Identifier: Apache-2.0 */
/* What operators of the host answer, and when. */
#include "host.h"

#include <stdio.h>
#include <string.h>

#define FOREVER (-1)

static struct folder folder;
static pex_context *ctx;

/* An operator whose create and process do as told. */
static struct {
    struct gate gate; /* creates but the first wait for it */
    int creates;
    int calls;
    int32_t create_code, process_code;
} told;

static int32_t told_create(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    int number;

    (void)env;
    (void)params;
    (void)err;
    pthread_mutex_lock(&told.gate.lock);
    number = told.creates++;
    pthread_cond_broadcast(&told.gate.changed);
    while (number > 0 && !told.gate.is_open)
        pthread_cond_wait(&told.gate.changed, &told.gate.lock);
    pthread_mutex_unlock(&told.gate.lock);
    *instance = &told;
    return told.create_code;
}

static int32_t told_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)batch;
    (void)err;
    pthread_mutex_lock(&told.gate.lock);
    told.calls++;
    /* The first call waits until a second instance is in the making. */
    while (!told.gate.is_open && told.creates < 2)
        pthread_cond_wait(&told.gate.changed, &told.gate.lock);
    pthread_mutex_unlock(&told.gate.lock);
    return told.process_code;
}

static void register_told(const char *name, int32_t flags)
{
    struct pex_operator op = {
        .struct_size = sizeof op,
        .name = name,
        .version = "1",
        .help = "Does as told.",
        .cardinality = PEX_ROW_TO_ROW,
        .flags = flags,
        .create = told_create,
        .process = told_process,
    };
    struct pex_error err = {0};

    ck_assert_msg(pex_operator_register(ctx, &op, NULL, NULL, &err) == 0, "%s", err.message);
}

static void set_up(void)
{
    folder_make(&folder);
    ctx = context_make(2);
    memset(&told, 0, sizeof told);
    gate_init(&told.gate);
    register_told("told_mapper", PEX_OP_RETRY_SAFE);
    register_told("told_blocking_mapper", PEX_OP_RETRY_SAFE | PEX_OP_BLOCKING);
    rows_write(&folder, "rows.jsonl", 200, 20);
}

static void tear_down(void)
{
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
    folder_free(&folder);
}

static void expect_failure(const char *process, int32_t code)
{
    pex_job *job = job_start(ctx, &folder, "out.jsonl", process, "");
    struct pex_error err = {0};

    job_expect(job, PEX_JOB_FAILED);
    ck_assert_int_eq(pex_job_error(job, &err), code);
    ck_assert_msg(strstr(err.message, "told_") != NULL, "%s", err.message);
    ck_assert(!folder_has(&folder, "out.jsonl"));
    pex_job_release(job);
}

START_TEST(a_failure_without_a_reason_is_a_failure)
{
    gate_open(&told.gate);
    told.process_code = PEX_EFATAL;
    expect_failure("[\"told_mapper\"]", PEX_EFATAL);
    expect_failure("[{\"told_blocking_mapper\": {\"num_proc\": 2}}]", PEX_EFATAL);
    told.process_code = PEX_EIO;
    expect_failure("[{\"told_mapper\": {\"on_error\": \"fail\"}}]", PEX_EIO);
    told.process_code = 0;
    told.create_code = PEX_EIO;
    expect_failure("[{\"told_mapper\": {\"num_proc\": 3}}]", PEX_EIO);
}
END_TEST

START_TEST(an_answer_that_is_no_code_fails_the_rows)
{
    pex_job *job;
    char *summary = NULL;

    gate_open(&told.gate);
    told.process_code = 7;
    job = job_start(ctx, &folder, "out.jsonl", "[\"told_mapper\"]", "");
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(pex_job_summary(job, &summary), 0);
    ck_assert_msg(strstr(summary, "\"quarantined\": 200") != NULL, "%s", summary);
    pex_free(summary);
    pex_job_release(job);
}
END_TEST

static pex_job *start_with_late_instance(const char *name)
{
    char process[96];

    snprintf(process, sizeof process, "[{\"%s\": {\"num_proc\": 2}}]", name);
    return job_start(ctx, &folder, "out.jsonl", process, ", \"debug\": {\"slice_bytes\": 3000}");
}

/* All rows go through the first instance while the second is in the making. */
static void await_rows(pex_job *job)
{
    struct pex_progress progress = {.struct_size = sizeof progress};

    while (progress.rows_out < 200) {
        ck_assert_int_eq(pex_job_progress(job, &progress), 0);
        nap_us(200);
    }
}

START_TEST(a_job_is_not_over_while_an_instance_is_in_the_making)
{
    static const char *const names[] = {"told_mapper", "told_blocking_mapper"};

    for (size_t i = 0; i < 2; i++) {
        pex_job *job;

        told.creates = told.gate.is_open = 0;
        job = start_with_late_instance(names[i]);
        await_rows(job);
        ck_assert_int_eq(pex_job_wait(job, 20000000), PEX_ETIMEDOUT);
        gate_open(&told.gate);
        job_expect(job, PEX_JOB_DONE);
        rows_check(&folder, "out.jsonl", 200);
        pex_job_release(job);
    }
}
END_TEST

START_TEST(a_cancelled_job_waits_for_an_instance_in_the_making)
{
    pex_job *job = start_with_late_instance("told_blocking_mapper");

    await_rows(job);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    ck_assert_int_eq(pex_job_wait(job, 20000000), PEX_ETIMEDOUT);
    gate_open(&told.gate);
    ck_assert_int_eq(pex_job_wait(job, FOREVER), 0);
    ck_assert_int_eq(pex_job_state(job), PEX_JOB_CANCELLED);
    pex_job_release(job);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("answers");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_failure_without_a_reason_is_a_failure);
    tcase_add_test(tcase, an_answer_that_is_no_code_fails_the_rows);
    tcase_add_test(tcase, a_job_is_not_over_while_an_instance_is_in_the_making);
    tcase_add_test(tcase, a_cancelled_job_waits_for_an_instance_in_the_making);
    return run_case("answers", tcase);
}
