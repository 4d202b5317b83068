/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the public functions that cannot be right, and options of another age. */
#include "host.h"

#include <string.h>

static struct folder folder;
static pex_context *ctx;
static pex_spec *spec;
static struct pex_error err;

static void set_up(void)
{
    folder_make(&folder);
    rows_write(&folder, "rows.jsonl", 10, 0);
    ctx = context_make(1);
    spec = spec_make(&folder, "out.jsonl", "[]", "");
}

static void tear_down(void)
{
    pex_spec_release(spec);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    folder_free(&folder);
}

#define REFUSES(call) ck_assert_int_eq(call, PEX_EINVAL)

START_TEST(null_is_refused_by_contexts)
{
    char *text = NULL;

    REFUSES(pex_context_create(NULL, NULL, &err));
    ck_assert_int_eq(pex_context_destroy(NULL, 0, NULL), 0);
    REFUSES(pex_context_fd(NULL));
    REFUSES(pex_context_dispatch(NULL, 0));
    REFUSES(pex_context_dispatch(ctx, -1));
    REFUSES(pex_context_trim(NULL));
    REFUSES(pex_context_budgets(NULL, &text, &err));
    REFUSES(pex_context_budgets(ctx, NULL, NULL));
    REFUSES(pex_context_topology(NULL, &text, NULL));
    REFUSES(pex_context_topology(ctx, NULL, &err));
    REFUSES(pex_operators_describe(NULL, NULL, &text, &err));
    REFUSES(pex_operators_describe(ctx, NULL, NULL, NULL));
    REFUSES(pex_operator_register(NULL, NULL, NULL, NULL, NULL));
    REFUSES(pex_operator_register(ctx, NULL, NULL, NULL, &err));
    REFUSES(pex_plugin_load(NULL, "text", &err));
    REFUSES(pex_plugin_load(ctx, NULL, NULL));
    REFUSES(pex_plugin_load(ctx, "", NULL));
    ck_assert_ptr_null(text);
    pex_free(NULL);
}
END_TEST

START_TEST(null_is_refused_by_specs_and_data_sets)
{
    const char *none = NULL, *empty = "", *path = "x";
    struct pex_string_view view = {path, 1};
    pex_dataset *dataset = NULL;
    pex_spec *made = NULL;
    char *text = NULL;

    REFUSES(pex_spec_parse(NULL, 0, &made, &err));
    REFUSES(pex_spec_parse("{}", 2, NULL, NULL));
    REFUSES(pex_spec_set(NULL, "a", "1", &err));
    REFUSES(pex_spec_set(spec, NULL, "1", NULL));
    REFUSES(pex_spec_set(spec, "np", NULL, NULL));
    REFUSES(pex_spec_get(NULL, "np", &text));
    REFUSES(pex_spec_get(spec, NULL, &text));
    REFUSES(pex_spec_get(spec, "process", NULL));
    REFUSES(pex_dataset_from_files(NULL, &path, 1, NULL, &dataset, &err));
    REFUSES(pex_dataset_from_files(ctx, NULL, 1, NULL, &dataset, NULL));
    REFUSES(pex_dataset_from_files(ctx, &path, 0, NULL, &dataset, NULL));
    REFUSES(pex_dataset_from_files(ctx, &none, 1, NULL, &dataset, NULL));
    REFUSES(pex_dataset_from_files(ctx, &empty, 1, NULL, &dataset, &err));
    REFUSES(pex_dataset_from_files(ctx, &path, 1, NULL, NULL, &err));
    REFUSES(pex_dataset_from_memory(NULL, &view, 1, NULL, &dataset, &err));
    REFUSES(pex_dataset_from_memory(ctx, NULL, 1, NULL, &dataset, NULL));
    REFUSES(pex_dataset_from_memory(ctx, &view, 1, NULL, NULL, &err));
    ck_assert(made == NULL && dataset == NULL && text == NULL);
    pex_spec_release(NULL);
    pex_dataset_release(NULL);
}
END_TEST

START_TEST(null_is_refused_by_jobs)
{
    struct pex_progress progress = {.struct_size = sizeof progress};
    pex_rows *rows = NULL;
    pex_job *job = NULL;
    char *text = NULL;

    REFUSES(pex_plan_explain(NULL, spec, NULL, PEX_EXPLAIN_TEXT, &text, &err));
    REFUSES(pex_plan_explain(ctx, NULL, NULL, PEX_EXPLAIN_TEXT, &text, NULL));
    REFUSES(pex_plan_explain(ctx, spec, NULL, PEX_EXPLAIN_TEXT, NULL, NULL));
    REFUSES(pex_plan_explain(ctx, spec, NULL, 7, &text, &err));
    REFUSES(pex_job_submit(NULL, spec, NULL, NULL, &job, &err));
    REFUSES(pex_job_submit(ctx, NULL, NULL, NULL, &job, NULL));
    REFUSES(pex_job_submit(ctx, spec, NULL, NULL, NULL, NULL));
    ck_assert_ptr_null(job);
    REFUSES(pex_job_wait(NULL, 0));
    REFUSES(pex_job_cancel(NULL));
    REFUSES(pex_job_pause(NULL, 1));
    REFUSES(pex_job_set_budget(NULL, "0", 1, NULL));
    REFUSES(pex_job_state(NULL));
    REFUSES(pex_job_progress(NULL, &progress));
    REFUSES(pex_job_summary(NULL, &text));
    REFUSES(pex_job_error(NULL, &err));
    ck_assert_ptr_null(pex_job_id(NULL));
    ck_assert_ptr_null(pex_job_folder(NULL));
    REFUSES(pex_job_next_batch(NULL, 0, &rows, &err));
    ck_assert_uint_eq(pex_rows_count(NULL), 0);
    ck_assert_uint_eq(pex_rows_data(NULL).length, 0);
    pex_rows_release(NULL);
    pex_job_release(NULL);

    job = job_submit(ctx, spec, NULL);
    REFUSES(pex_job_progress(job, NULL));
    progress.struct_size = 4;
    REFUSES(pex_job_progress(job, &progress));
    REFUSES(pex_job_summary(job, NULL));
    REFUSES(pex_job_next_batch(job, 0, NULL, NULL));
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(pex_job_error(job, NULL), 0);
    pex_job_release(job);
}
END_TEST

START_TEST(options_without_their_size_are_refused)
{
    struct pex_context_options context = {.struct_size = 0};
    struct pex_dataset_options files = {.struct_size = 3};
    struct pex_job_options options = {.struct_size = 0};
    const char *path = "x";
    pex_context *other = NULL;
    pex_dataset *dataset = NULL;
    pex_job *job = NULL;

    REFUSES(pex_context_create(&context, &other, &err));
    REFUSES(pex_dataset_from_files(ctx, &path, 1, &files, &dataset, &err));
    REFUSES(pex_job_submit(ctx, spec, NULL, &options, &job, &err));
    ck_assert(strstr(err.message, "struct_size") != NULL);
    ck_assert(other == NULL && dataset == NULL && job == NULL);
}
END_TEST

START_TEST(short_options_have_defaults)
{
    struct pex_job_options options = {.struct_size = sizeof(size_t), .pull = 1};
    struct pex_progress progress;
    pex_job *job = job_submit(ctx, spec, &options);

    job_expect(job, PEX_JOB_DONE);
    ck_assert(folder_has(&folder, "out.jsonl"));
    memset(&progress, 0xA5, sizeof progress);
    progress.struct_size = 2 * sizeof(uint64_t);
    ck_assert_int_eq(pex_job_progress(job, &progress), 0);
    ck_assert_uint_eq(progress.rows, 10);
    ck_assert_uint_eq(progress.rows_out, UINT64_C(0xA5A5A5A5A5A5A5A5));
    ck_assert_uint_eq(progress.struct_size, 2 * sizeof(uint64_t));
    pex_job_release(job);
}
END_TEST

START_TEST(longer_options_must_end_in_zeros)
{
    struct {
        struct pex_job_options known;
        uint64_t unknown;
    } options = {{.struct_size = sizeof options}, 0};
    struct {
        struct pex_progress known;
        uint64_t unknown;
    } progress = {{.struct_size = sizeof progress}, 7};
    pex_job *job = NULL;

    options.unknown = 1;
    ck_assert_int_eq(pex_job_submit(ctx, spec, NULL, &options.known, &job, &err), PEX_ENOTSUP);
    ck_assert_ptr_null(job);
    options.unknown = 0;
    job = job_submit(ctx, spec, &options.known);
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(pex_job_progress(job, &progress.known), 0);
    ck_assert_uint_eq(progress.unknown, 0);
    ck_assert_uint_eq(progress.known.rows_out, 10);
    pex_job_release(job);
}
END_TEST

START_TEST(values_out_of_range_are_refused)
{
    struct pex_context_options context = {.struct_size = sizeof context, .workers = -1};
    struct pex_dataset_options files = {.struct_size = sizeof files, .format = 99};
    const char *path = "x";
    pex_context *other = NULL;
    pex_dataset *dataset = NULL;

    REFUSES(pex_context_create(&context, &other, &err));
    context.workers = 1;
    context.load_limit = -5;
    REFUSES(pex_context_create(&context, &other, &err));
    REFUSES(pex_dataset_from_files(ctx, &path, 1, &files, &dataset, &err));
}
END_TEST

START_TEST(a_data_set_replaces_the_path_of_the_spec)
{
    const char *path = folder_at(&folder, "other.jsonl");
    pex_dataset *dataset = NULL;
    pex_job *job = NULL;

    rows_write(&folder, "other.jsonl", 25, 3);
    ck_assert_int_eq(pex_dataset_from_files(ctx, &path, 1, NULL, &dataset, &err), 0);
    ck_assert_int_eq(pex_job_submit(ctx, spec, dataset, NULL, &job, &err), 0);
    pex_dataset_release(dataset);
    job_expect(job, PEX_JOB_DONE);
    rows_check(&folder, "out.jsonl", 25);
    pex_job_release(job);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("arguments");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, null_is_refused_by_contexts);
    tcase_add_test(tcase, null_is_refused_by_specs_and_data_sets);
    tcase_add_test(tcase, null_is_refused_by_jobs);
    tcase_add_test(tcase, options_without_their_size_are_refused);
    tcase_add_test(tcase, short_options_have_defaults);
    tcase_add_test(tcase, longer_options_must_end_in_zeros);
    tcase_add_test(tcase, values_out_of_range_are_refused);
    tcase_add_test(tcase, a_data_set_replaces_the_path_of_the_spec);
    return run_case("arguments", tcase);
}
