/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose filters drop no row: what they count is what a run without that does. */
#include "host.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1500, ROUNDS = 10 };

/* Filters in front of, between and behind operators that change, fail and multiply rows. */
#define CHAIN                                                                                      \
    "[{\"lab_drop_filter\": {\"field\": \"id\", \"modulo\": 3}},"                                  \
    " {\"lab_append_mapper\": {\"suffix\": \" and a tail that varies\"}},"                         \
    " {\"lab_fail_mapper\": {\"rows\": [6, 7]}},"                                                  \
    " {\"lab_fail_mapper\": {\"rows\": [12, 13], \"code\": \"error\"}},"                           \
    " {\"text_length_filter\": {\"min_len\": 31}},"                                                \
    " {\"lab_expand_mapper\": {\"n\": 2}},"                                                        \
    " {\"lab_drop_filter\": {\"field\": \"lab_child\", \"modulo\": 2, \"num_proc\": 2}},"          \
    " {\"lab_drop_filter\": {\"field\": \"id\", \"modulo\": 5, \"remainder\": 1}}]"

static struct folder folder;

static void set_up(void)
{
    folder_make(&folder);
}

static void tear_down(void)
{
    folder_free(&folder);
}

static json_t *run(pex_context *ctx, const char *out, const char *process, const char *more,
                   const struct pex_job_options *options)
{
    pex_spec *spec = spec_make(&folder, out, process, more);
    pex_job *job = job_submit(ctx, spec, options);
    json_t *summary;
    char *text;

    pex_spec_release(spec);
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(pex_job_summary(job, &text), 0);
    summary = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(summary);
    pex_free(text);
    pex_job_release(job);
    return summary;
}

static json_int_t count_of(const json_t *summary, size_t op, const char *key)
{
    const json_t *value =
        json_object_get(json_array_get(json_object_get(summary, "operators"), op), key);

    ck_assert_msg(json_is_integer(value), "operator %zu has no count %s", op, key);
    return json_integer_value(value);
}

static json_int_t output_rows(const json_t *summary)
{
    return json_integer_value(json_object_get(json_object_get(summary, "output"), "rows"));
}

/* Any concurrency, any cuts. */
static void make_more(char *more, size_t size, uint64_t *seed)
{
    snprintf(more, size,
             ", \"partition\": {\"num_of_partitions\": %d}, \"batch_size\": %d, \"debug\": "
             "{\"slice_bytes\": %d, \"encode_boundaries\": %s}",
             1 + (int)(random_next(seed) % 7), 1 + (int)(random_next(seed) % 40),
             1000 + (int)(random_next(seed) % 9000), random_next(seed) % 2 ? "true" : "false");
}

START_TEST(counts_are_those_of_a_run)
{
    struct pex_job_options keeping = {.struct_size = sizeof keeping, .keep_dropped = 1};
    uint64_t seed = test_seed();

    rows_write(&folder, "rows.jsonl", ROWS, 0);
    for (int round = 0; round < ROUNDS; round++) {
        pex_context *ctx = context_make(1 + (int32_t)(random_next(&seed) % 4));
        char more[200];
        json_t *plain, *kept;

        make_more(more, sizeof more, &seed);
        plain = run(ctx, "plain.jsonl", CHAIN, more, NULL);
        kept = run(ctx, "kept.jsonl", CHAIN, more, &keeping);
        for (size_t op = 0; op < 8; op++) {
            ck_assert_int_eq(count_of(kept, op, "run_in"), count_of(plain, op, "in"));
            ck_assert_int_eq(count_of(kept, op, "run_dropped"), count_of(plain, op, "dropped"));
        }
        ck_assert_int_eq(count_of(kept, 0, "dropped"), 0);
        /* Each by itself, of all rows but the four that fail. */
        ck_assert_int_eq(count_of(kept, 0, "would_drop"), ROWS / 3 * 2);
        ck_assert_int_eq(count_of(kept, 6, "would_drop"), ROWS - 4);
        ck_assert_int_eq(count_of(kept, 7, "would_drop"), 2 * (ROWS / 5 * 4 - 3));
        ck_assert_int_eq(output_rows(kept), 2 * (ROWS - 4));
        ck_assert_int_gt(output_rows(plain), 0);
        json_decref(plain);
        json_decref(kept);
        ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    }
}
END_TEST

START_TEST(rows_that_stay_are_in_the_output)
{
    struct pex_job_options keeping = {.struct_size = sizeof keeping, .keep_dropped = 1};
    pex_context *ctx = context_make(2);

    rows_write(&folder, "rows.jsonl", ROWS, 0);
    json_decref(run(ctx, "out.jsonl",
                    "[{\"lab_drop_filter\": {\"field\": \"id\", \"modulo\": 3}},"
                    " {\"text_length_filter\": {\"min_len\": 1000}}]",
                    "", &keeping));
    rows_check(&folder, "out.jsonl", ROWS);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}
END_TEST

static void hear_notice(void *user, const struct pex_event *event)
{
    if (event->kind == PEX_EVENT_NOTICE && strstr(event->text, "process.1.document_deduplicator") &&
        strstr(event->text, "left out"))
        ++*(int *)user;
}

START_TEST(global_operators_are_left_out_with_a_notice)
{
    int notices = 0;
    struct pex_job_options keeping = {.struct_size = sizeof keeping,
                                      .on_event = hear_notice,
                                      .event_user = &notices,
                                      .keep_dropped = 1};
    pex_context *ctx = context_make(2);
    json_t *summary;

    rows_write(&folder, "rows.jsonl", ROWS, 0);
    summary = run(ctx, "out.jsonl",
                  "[{\"lab_drop_filter\": {\"field\": \"id\", \"modulo\": 3}},"
                  " \"document_deduplicator\", {\"lab_count_global\": {\"n\": 2}},"
                  " {\"lab_drop_filter\": {\"field\": \"id\", \"modulo\": 2}}]",
                  "", &keeping);
    ck_assert_int_eq(notices, 1);
    ck_assert_int_eq(count_of(summary, 1, "in"), 0);
    ck_assert_int_eq(count_of(summary, 3, "in"), ROWS);
    ck_assert_int_eq(count_of(summary, 3, "run_in"), ROWS / 3);
    rows_check(&folder, "out.jsonl", ROWS);
    json_decref(summary);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}
END_TEST

START_TEST(a_plain_summary_has_none_of_these_counts)
{
    pex_context *ctx = context_make(1);
    json_t *summary;

    rows_write(&folder, "rows.jsonl", 10, 0);
    summary = run(ctx, "out.jsonl", "[{\"text_length_filter\": {\"min_len\": 1}}]", "", NULL);
    ck_assert_ptr_null(
        json_object_get(json_array_get(json_object_get(summary, "operators"), 0), "run_in"));
    json_decref(summary);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}
END_TEST

START_TEST(what_is_reserved_is_zero)
{
    struct pex_job_options options = {.struct_size = sizeof options, .reserved = 1};
    pex_context *ctx = context_make(1);
    pex_spec *spec = spec_make(&folder, "out.jsonl", "[]", "");
    struct pex_error err;
    pex_job *job = NULL;

    rows_write(&folder, "rows.jsonl", 1, 0);
    ck_assert_int_eq(pex_job_submit(ctx, spec, NULL, &options, &job, &err), PEX_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "reserved"));
    pex_spec_release(spec);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("kept");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, counts_are_those_of_a_run);
    tcase_add_test(tcase, rows_that_stay_are_in_the_output);
    tcase_add_test(tcase, global_operators_are_left_out_with_a_notice);
    tcase_add_test(tcase, a_plain_summary_has_none_of_these_counts);
    tcase_add_test(tcase, what_is_reserved_is_zero);
    return run_case("kept", tcase);
}
