/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets in the host's memory. */
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN                                                                                      \
    "[\"whitespace_normalization_mapper\", {\"words_num_filter\": {\"min_num\": 2}}, "             \
    "{\"lab_fail_mapper\": {\"every\": 7}}, \"document_deduplicator\"]"

enum { BUFFERS = 5 };

static struct folder folder;
static struct pex_error err;

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
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}

static void count_release(void *user)
{
    ++*(int *)user;
}

static pex_dataset *from_memory(pex_context *ctx, const struct pex_string_view *views, size_t count,
                                int *released)
{
    struct pex_memory_options options = {
        .struct_size = sizeof options, .release = count_release, .user = released};
    pex_dataset *dataset = NULL;

    ck_assert_msg(pex_dataset_from_memory(ctx, views, count, &options, &dataset, &err) == 0, "%s",
                  err.message);
    return dataset;
}

static pex_job *start(pex_context *ctx, pex_dataset *dataset, const char *out, const char *process,
                      const char *more, int32_t pull)
{
    struct pex_job_options options = {.struct_size = sizeof options, .pull = pull};
    pex_spec *spec = spec_make(&folder, out, process, more);
    pex_job *job = NULL;

    ck_assert_msg(pex_job_submit(ctx, spec, dataset, &options, &job, &err) == 0, "%s", err.message);
    pex_spec_release(spec);
    return job;
}

/* Buffers, the files that hold the same, and what a run over the files gives. */
struct rows {
    struct text texts[BUFFERS];
    struct pex_string_view views[BUFFERS];
    char paths[BUFFERS][160];
    struct text out;
    struct text quarantine;
};

static struct text read_quarantine(pex_job *job)
{
    char path[512];

    snprintf(path, sizeof path, "%s/quarantine.jsonl", pex_job_folder(job));
    return text_read(path);
}

static void rows_make(struct rows *rows, uint64_t *seed)
{
    struct pex_dataset_options format = {.struct_size = sizeof format, .format = PEX_FORMAT_JSONL};
    const char *paths[BUFFERS];
    pex_context *ctx = context_make(1);
    pex_dataset *dataset = NULL;
    pex_job *job;

    memset(rows, 0, sizeof *rows);
    for (int i = 0; i < BUFFERS; i++) {
        if (i != 2)
            text_add_odd(&rows->texts[i], 300, seed);
        rows->views[i] = (struct pex_string_view){rows->texts[i].data, rows->texts[i].length};
        /* The names that the buffers have, so that the quarantine is the same. */
        snprintf(rows->paths[i], sizeof rows->paths[i], "%s/memory[%d]", folder.path, i);
        text_write(&rows->texts[i], rows->paths[i]);
        paths[i] = rows->paths[i];
    }
    ck_assert_int_eq(pex_dataset_from_files(ctx, paths, BUFFERS, &format, &dataset, &err), 0);
    job = start(ctx, dataset, "files.jsonl", CHAIN, "", 0);
    pex_dataset_release(dataset);
    job_expect(job, PEX_JOB_DONE);
    rows->out = text_read(folder_at(&folder, "files.jsonl"));
    rows->quarantine = read_quarantine(job);
    ck_assert_uint_gt(rows->out.length, 1000);
    pex_job_release(job);
    destroy(ctx);
}

static void rows_free(struct rows *rows)
{
    for (int i = 0; i < BUFFERS; i++)
        text_free(&rows->texts[i]);
    text_free(&rows->out);
    text_free(&rows->quarantine);
}

/* The quarantine of the files, with the folder taken out of their names. */
static void expect_quarantine(pex_job *job, const struct rows *rows)
{
    struct text found = read_quarantine(job), expected;
    char in_folder[80];

    snprintf(in_folder, sizeof in_folder, "%s/", folder.path);
    expected = text_without(&rows->quarantine, in_folder);
    ck_assert_uint_gt(text_count(&expected, "{\"source\":\"memory[4]\","), 0);
    text_expect(&found, &expected);
    text_free(&found);
    text_free(&expected);
}

START_TEST(memory_gives_what_the_same_files_give)
{
    static const int32_t widths[] = {1, 2, 7};
    uint64_t seed = test_seed();
    struct rows rows;
    int released = 0;

    rows_make(&rows, &seed);
    for (int i = 0; i < 18; i++) {
        pex_context *ctx = context_make(widths[i % 3]);
        pex_dataset *dataset = from_memory(ctx, rows.views, BUFFERS, &released);
        struct text found;
        char more[200];
        pex_job *job;

        snprintf(more, sizeof more,
                 ", \"partition\": {\"num_of_partitions\": %d}, \"debug\": {\"slice_bytes\": %d}",
                 1 + (int)(random_next(&seed) % 40), 64 + (int)(random_next(&seed) % 9000));
        job = start(ctx, dataset, "out.jsonl", CHAIN, more, i % 2);
        pex_dataset_release(dataset);
        found = i % 2 ? pull_text(job) : (struct text){0};
        job_expect(job, PEX_JOB_DONE);
        if (i % 2 == 0)
            found = text_read(folder_at(&folder, "out.jsonl"));
        text_expect(&found, &rows.out);
        expect_quarantine(job, &rows);
        ck_assert_int_eq(released, i + 1);
        text_free(&found);
        pex_job_release(job);
        destroy(ctx);
    }
    ck_assert_int_eq(released, 18);
    rows_free(&rows);
}
END_TEST

START_TEST(jobs_share_a_data_set)
{
    pex_context *ctx = context_make(2);
    struct pex_string_view view = {NULL, 0};
    struct text text = {0}, found;
    pex_dataset *dataset;
    pex_job *jobs[4];
    int released = 0;

    rows_write(&folder, "rows.jsonl", 2000, 20);
    text = text_read(folder_at(&folder, "rows.jsonl"));
    view = (struct pex_string_view){text.data, text.length};
    dataset = from_memory(ctx, &view, 1, &released);
    for (int i = 0; i < 4; i++)
        jobs[i] = start(ctx, dataset, "none", "[]", ", \"debug\": {\"slice_bytes\": 5000}", 1);
    pex_dataset_release(dataset);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(released, 0);
        found = pull_text(jobs[i]);
        text_expect(&found, &text);
        text_free(&found);
        job_expect(jobs[i], PEX_JOB_DONE);
    }
    /* The handles of the jobs live on. */
    ck_assert_int_eq(released, 1);
    for (int i = 0; i < 4; i++)
        pex_job_release(jobs[i]);
    destroy(ctx);
    text_free(&text);
}
END_TEST

START_TEST(memory_comes_back_when_nobody_reads_it)
{
    pex_context *ctx = context_make(2);
    struct pex_string_view view = {"{\"id\": 0}\n", 10}, bad = {NULL, 3};
    struct pex_memory_options options = {.struct_size = sizeof options, .release = count_release};
    pex_dataset *dataset, *none = NULL;
    pex_spec *spec = spec_make(&folder, "out.jsonl", "[\"no_such_mapper\"]", "");
    pex_job *job = NULL;
    int released = 0;

    options.user = &released;
    ck_assert_int_eq(pex_dataset_from_memory(ctx, &bad, 1, &options, &none, &err), PEX_EINVAL);
    ck_assert_msg(strstr(err.message, "buffers[0]") != NULL, "%s", err.message);
    ck_assert(none == NULL && released == 0);
    dataset = from_memory(ctx, &view, 1, &released);
    ck_assert_int_eq(pex_job_submit(ctx, spec, dataset, NULL, &job, &err), PEX_ESPEC);
    ck_assert_int_eq(released, 0);
    job = start(ctx, dataset, "out.jsonl", "[]", "", 0);
    job_end(job, PEX_JOB_DONE);
    ck_assert_int_eq(released, 0);
    pex_dataset_release(dataset);
    ck_assert_int_eq(released, 1);
    dataset = from_memory(ctx, &view, 1, &released);
    job = start(ctx, dataset, "out.jsonl", "[]", "", 1);
    pex_dataset_release(dataset);
    destroy(ctx);
    ck_assert_int_eq(released, 2);
    pex_job_release(job);
    pex_spec_release(spec);
}
END_TEST

START_TEST(no_buffers_are_no_rows)
{
    pex_context *ctx = context_make(2);
    struct pex_string_view empty[2] = {{NULL, 0}, {"", 0}};
    int released = 0;

    for (size_t count = 0; count <= 2; count++) {
        pex_dataset *dataset = from_memory(ctx, count > 0 ? empty : NULL, count, &released);
        pex_job *job = start(ctx, dataset, "out.jsonl", CHAIN, "", 1);
        struct text found = pull_text(job);

        ck_assert_uint_eq(found.length, 0);
        job_end(job, PEX_JOB_DONE);
        job = start(ctx, dataset, "out.jsonl", "[]", "", 0);
        job_expect(job, PEX_JOB_DONE);
        ck_assert_int_eq(summary_value(job, "empty"), 1);
        pex_job_release(job);
        found = text_read(folder_at(&folder, "out.jsonl"));
        ck_assert_uint_eq(found.length, 0);
        pex_dataset_release(dataset);
        ck_assert_int_eq(released, (int)count + 1);
        text_free(&found);
    }
    destroy(ctx);
}
END_TEST

START_TEST(messages_name_the_buffer)
{
    static const char rows[] = "{\"id\": 0}\n{\"id\": \n";
    pex_context *ctx = context_make(1);
    struct pex_string_view views[2] = {{rows, 10}, {rows, sizeof rows - 1}};
    struct pex_memory_options options = {.struct_size = sizeof options, .identity = "mails"};
    pex_dataset *dataset = NULL;
    pex_spec *spec = spec_make(&folder, "out.jsonl", "[]", ", \"on_error\": \"fail\"");
    pex_job *job = NULL;
    char *plan = NULL;

    ck_assert_int_eq(pex_dataset_from_memory(ctx, views, 2, &options, &dataset, &err), 0);
    ck_assert_int_eq(pex_plan_explain(ctx, spec, dataset, PEX_EXPLAIN_TEXT, &plan, &err), 0);
    ck_assert_msg(strstr(plan, "2 buffers, 28 bytes") != NULL, "%s", plan);
    pex_free(plan);
    ck_assert_int_eq(pex_job_submit(ctx, spec, dataset, NULL, &job, &err), 0);
    job_expect(job, PEX_JOB_FAILED);
    ck_assert_int_eq(pex_job_error(job, &err), PEX_EDATA);
    ck_assert_msg(strstr(err.message, "row at byte 10 of mails[1]") != NULL, "%s", err.message);
    pex_job_release(job);
    pex_dataset_release(dataset);
    pex_spec_release(spec);
    destroy(ctx);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("memory");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, memory_gives_what_the_same_files_give);
    tcase_add_test(tcase, jobs_share_a_data_set);
    tcase_add_test(tcase, memory_comes_back_when_nobody_reads_it);
    tcase_add_test(tcase, no_buffers_are_no_rows);
    tcase_add_test(tcase, messages_name_the_buffer);
    return run_case("memory", tcase);
}
