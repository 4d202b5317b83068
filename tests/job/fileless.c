/* SPDX-License-Identifier: Apache-2.0 */
/* A host without files: rows from memory, rows pulled, records of rows that fail as events. */
#include "texts.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHAIN                                                                                      \
    "[\"whitespace_normalization_mapper\", {\"words_num_filter\": {\"min_num\": 2}}, "             \
    "{\"lab_fail_mapper\": {\"every\": 3}}]"

static struct pex_error err;

static void destroy(pex_context *ctx)
{
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}

static pex_spec *parse(const char *process, const char *more)
{
    char text[1000];
    pex_spec *spec = NULL;
    int length = snprintf(text, sizeof text, "{\"process\": %s%s}", process, more);

    ck_assert_msg(pex_spec_parse(text, (size_t)length, &spec, &err) == 0, "%s", err.message);
    return spec;
}

static pex_dataset *from_text(pex_context *ctx, const struct text *text)
{
    struct pex_memory_options options = {.struct_size = sizeof options, .identity = "rows"};
    struct pex_string_view view = {text->data, text->length};
    pex_dataset *dataset = NULL;

    ck_assert_int_eq(pex_dataset_from_memory(ctx, &view, 1, &options, &dataset, &err), 0);
    return dataset;
}

/* What the host hears. */
struct heard {
    struct text records;
    size_t rows;
    int32_t last_kind;
};

static void hear(void *user, const struct pex_event *event)
{
    struct heard *heard = user;

    heard->last_kind = event->kind;
    if (event->kind != PEX_EVENT_ROW)
        return;
    ck_assert_int_eq(event->stage, 0);
    ck_assert_ptr_null(strchr(event->text, '\n'));
    text_add(&heard->records, event->text, strlen(event->text));
    text_add(&heard->records, "\n", 1);
    heard->rows++;
}

static pex_job *start(pex_context *ctx, const struct text *text, const char *process,
                      const char *more, struct heard *heard)
{
    struct pex_job_options options = {.struct_size = sizeof options,
                                      .on_event = heard != NULL ? hear : NULL,
                                      .event_user = heard,
                                      .pull = 1,
                                      .row_events = heard != NULL};
    pex_spec *spec = parse(process, more);
    pex_dataset *dataset = from_text(ctx, text);
    pex_job *job = NULL;

    ck_assert_msg(pex_job_submit(ctx, spec, dataset, &options, &job, &err) == 0, "%s", err.message);
    ck_assert_ptr_null(pex_job_folder(job));
    pex_dataset_release(dataset);
    pex_spec_release(spec);
    return job;
}

static void add_rows(struct text *text, int count, int text_bytes)
{
    for (int i = 0; i < count; i++) {
        char row[400];
        int length = snprintf(row, sizeof row, "{\"id\": %d, \"text\": \"row %d %0*d\"}\n", i, i,
                              text_bytes, i);

        text_add(text, row, (size_t)length);
    }
}

/* The records that a run with a folder keeps. */
static struct text run_with_folder(const struct text *text)
{
    pex_context *ctx = context_make(1);
    struct folder folder;
    struct text records;
    char more[100], path[512];
    pex_job *job = NULL;
    pex_dataset *dataset = from_text(ctx, text);
    pex_spec *spec;

    folder_make(&folder);
    snprintf(more, sizeof more, ", \"export_path\": \"%s/out.jsonl\"", folder.path);
    spec = parse(CHAIN, more);
    ck_assert_int_eq(pex_job_submit(ctx, spec, dataset, NULL, &job, &err), 0);
    job_expect(job, PEX_JOB_DONE);
    snprintf(path, sizeof path, "%s/quarantine.jsonl", pex_job_folder(job));
    records = text_read(path);
    pex_job_release(job);
    pex_spec_release(spec);
    pex_dataset_release(dataset);
    destroy(ctx);
    folder_free(&folder);
    return records;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Partitions are told as they come: the same lines in any order. */
static void sort_lines(struct text *text)
{
    size_t count = text_count(text, "\n"), i = 0;
    char **lines = calloc(count + 1, sizeof *lines), *save = NULL;
    struct text sorted = {0};

    text_add(text, "", 1);
    for (char *line = strtok_r(text->data, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save))
        lines[i++] = line;
    qsort(lines, i, sizeof *lines, by_text);
    for (size_t k = 0; k < i; k++) {
        text_add(&sorted, lines[k], strlen(lines[k]));
        text_add(&sorted, "\n", 1);
    }
    free(lines);
    text_free(text);
    *text = sorted;
}

START_TEST(no_record_is_lost_without_a_folder)
{
    static const int32_t widths[] = {1, 2, 7};
    uint64_t seed = test_seed();
    struct text rows = {0}, records, expected;

    text_add_odd(&rows, 3000, &seed);
    records = run_with_folder(&rows);
    ck_assert_uint_gt(text_count(&records, "lab_fail_mapper"), 100);
    for (int i = 0; i < 9; i++) {
        pex_context *ctx = context_make(widths[i % 3]);
        struct heard heard = {.rows = 0};
        struct text out;
        char more[160];
        pex_job *job;

        snprintf(more, sizeof more,
                 ", \"partition\": {\"num_of_partitions\": %d}, \"debug\": {\"slice_bytes\": %d}",
                 i < 3 ? 1 : 1 + (int)(random_next(&seed) % 9),
                 500 + (int)(random_next(&seed) % 9000));
        job = start(ctx, &rows, CHAIN, more, &heard);
        out = pull_text(job);
        job_expect(job, PEX_JOB_DONE);
        ck_assert_int_eq(heard.last_kind, PEX_EVENT_JOB);
        ck_assert_int_eq((int64_t)heard.rows, summary_value(job, "quarantined"));
        expected = (struct text){0};
        text_add(&expected, records.data, records.length);
        if (i >= 3) {
            sort_lines(&expected);
            sort_lines(&heard.records);
        }
        text_expect(&heard.records, &expected);
        text_free(&expected);
        text_free(&heard.records);
        text_free(&out);
        pex_job_release(job);
        destroy(ctx);
    }
    text_free(&rows);
    text_free(&records);
}
END_TEST

/* Waits until the job reads no more. */
static struct pex_progress settled(pex_job *job)
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
    return progress;
}

static const char little_memory[] =
    ", \"memory_limit\": \"2MB\", \"np\": 2, \"debug\": {\"slice_bytes\": 16384}";

START_TEST(a_host_that_does_not_listen_stops_its_job_alone)
{
    pex_context *ctx = context_make(1);
    struct heard heard = {.rows = 0};
    struct text rows = {0}, found;
    struct pex_progress progress;
    pex_rows *one = NULL;
    pex_job *job, *other;

    add_rows(&rows, 40000, 100);
    /* Every row fails, so that nothing is there to be pulled. */
    job = start(ctx, &rows, "[{\"lab_fail_mapper\": {\"every\": 1}}]", little_memory, &heard);
    progress = settled(job);
    ck_assert_uint_lt(progress.quarantined, 20000);
    other = start(ctx, &rows, "[]", little_memory, NULL);
    found = pull_text(other);
    text_expect(&found, &rows);
    ck_assert_uint_eq(heard.rows, 0);
    ck_assert_int_eq(pex_job_state(job), PEX_JOB_RUNNING);
    while (pex_job_next_batch(job, 1000000000, &one, &err) == PEX_ETIMEDOUT)
        ;
    ck_assert_ptr_null(one);
    ck_assert_uint_eq(heard.rows, 40000);
    job_end(job, PEX_JOB_DONE);
    job_end(other, PEX_JOB_DONE);
    text_free(&found);
    text_free(&rows);
    text_free(&heard.records);
    destroy(ctx);
}
END_TEST

/* Its rows are exported, all but those that fail: every second. */
static pex_job *start_export(pex_context *ctx, const struct folder *folder, const struct text *text,
                             struct heard *heard)
{
    struct pex_job_options options = {
        .struct_size = sizeof options, .on_event = hear, .event_user = heard, .row_events = 1};
    pex_dataset *dataset = from_text(ctx, text);
    pex_job *job = NULL;
    char more[300];
    pex_spec *spec;

    snprintf(more, sizeof more, "%s, \"export_path\": \"%s/out.jsonl\"", little_memory,
             folder->path);
    spec = parse("[{\"lab_fail_mapper\": {\"every\": 2}}]", more);
    ck_assert_msg(pex_job_submit(ctx, spec, dataset, &options, &job, &err) == 0, "%s", err.message);
    pex_dataset_release(dataset);
    pex_spec_release(spec);
    return job;
}

START_TEST(an_export_waits_for_a_host_that_does_not_listen)
{
    pex_context *ctx = context_make(2);
    struct heard heard = {.rows = 0};
    struct text rows = {0}, found;
    struct pex_progress progress;
    struct folder folder;
    pex_job *job, *other;

    folder_make(&folder);
    add_rows(&rows, 40000, 100);
    job = start_export(ctx, &folder, &rows, &heard);
    progress = settled(job);
    ck_assert_msg(progress.quarantined > 0 && progress.quarantined < 5000, "%llu rows",
                  (unsigned long long)progress.quarantined);
    other = start(ctx, &rows, "[]", little_memory, NULL);
    found = pull_text(other);
    text_expect(&found, &rows);
    ck_assert_uint_eq(heard.rows, 0);
    job_expect(job, PEX_JOB_DONE);
    ck_assert_uint_eq(heard.rows, 20000);
    ck_assert_int_eq(summary_value(job, "quarantined"), 20000);
    pex_job_release(job);
    job_end(other, PEX_JOB_DONE);
    text_free(&found);
    text_free(&rows);
    text_free(&heard.records);
    destroy(ctx);
    folder_free(&folder);
}
END_TEST

START_TEST(a_job_that_is_held_can_be_given_up)
{
    struct text rows = {0};

    add_rows(&rows, 20000, 100);
    for (int i = 0; i < 4; i++) {
        pex_context *ctx = context_make(2);
        struct heard heard = {.rows = 0};
        struct folder folder;
        pex_job *job;

        folder_make(&folder);
        job = start_export(ctx, &folder, &rows, &heard);
        settled(job);
        if (i % 2 == 0) {
            ck_assert_int_eq(pex_job_cancel(job), 0);
            job_expect(job, PEX_JOB_CANCELLED);
            ck_assert_uint_gt(heard.rows, 0);
            ck_assert_int_eq(heard.last_kind, PEX_EVENT_JOB);
        }
        if (i < 2)
            pex_job_release(job);
        destroy(ctx);
        if (i >= 2)
            pex_job_release(job);
        ck_assert(!folder_has(&folder, "out.jsonl"));
        text_free(&heard.records);
        folder_free(&folder);
    }
    text_free(&rows);
}
END_TEST

START_TEST(events_nobody_hears_are_refused)
{
    struct pex_job_options options = {.struct_size = sizeof options, .pull = 1, .row_events = 1};
    pex_context *ctx = context_make(1);
    pex_spec *spec = parse("[]", ", \"dataset_path\": \"x\"");
    pex_job *job = NULL;

    ck_assert_int_eq(pex_job_submit(ctx, spec, NULL, &options, &job, &err), PEX_EINVAL);
    ck_assert_msg(strstr(err.message, "on_event") != NULL, "%s", err.message);
    pex_spec_release(spec);
    destroy(ctx);
}
END_TEST

START_TEST(a_global_operator_asks_for_a_folder)
{
    struct pex_job_options options = {.struct_size = sizeof options, .pull = 1};
    pex_context *ctx = context_make(1);
    pex_spec *spec = parse("[\"document_deduplicator\"]", "");
    struct text rows = {0};
    pex_dataset *dataset;
    pex_job *job = NULL;

    add_rows(&rows, 3, 1);
    dataset = from_text(ctx, &rows);
    ck_assert_int_eq(pex_job_submit(ctx, spec, dataset, &options, &job, &err), PEX_ESPEC);
    ck_assert_msg(strstr(err.message, "work_dir: missing") != NULL, "%s", err.message);
    ck_assert_ptr_null(job);
    pex_dataset_release(dataset);
    pex_spec_release(spec);
    destroy(ctx);
    text_free(&rows);
}
END_TEST

enum { JOBS = 6 };

/* One host thread, one descriptor, several jobs: rows are taken as events say that there may be. */
START_TEST(one_thread_pulls_several_jobs)
{
    pex_context *ctx = context_make(2);
    struct heard heard[JOBS];
    struct text rows[JOBS], found[JOBS];
    pex_job *jobs[JOBS];
    int left = JOBS;

    memset(heard, 0, sizeof heard);
    memset(rows, 0, sizeof rows);
    memset(found, 0, sizeof found);
    for (int i = 0; i < JOBS; i++) {
        add_rows(&rows[i], i == 0 ? 0 : 500 << i, 20);
        jobs[i] = start(ctx, &rows[i], "[]", ", \"debug\": {\"slice_bytes\": 9000}", &heard[i]);
    }
    while (left > 0) {
        struct pollfd fd = {.fd = pex_context_fd(ctx), .events = POLLIN};

        ck_assert_int_ge(poll(&fd, 1, -1), 0);
        ck_assert_int_ge(pex_context_dispatch(ctx, 0), 0);
        left = 0;
        for (int i = 0; i < JOBS; i++) {
            pex_rows *one = NULL;
            int32_t code;

            while ((code = pex_job_next_batch(jobs[i], 0, &one, &err)) == 0) {
                struct pex_string_view data = pex_rows_data(one);

                text_add(&found[i], data.data, data.length);
                pex_rows_release(one);
            }
            ck_assert(code == PEX_ETIMEDOUT || code == PEX_ENOENT);
            left += code == PEX_ETIMEDOUT;
        }
    }
    for (int i = 0; i < JOBS; i++) {
        text_expect(&found[i], &rows[i]);
        job_end(jobs[i], PEX_JOB_DONE);
        text_free(&found[i]);
        text_free(&rows[i]);
    }
    destroy(ctx);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("fileless");

    tcase_add_test(tcase, no_record_is_lost_without_a_folder);
    tcase_add_test(tcase, a_host_that_does_not_listen_stops_its_job_alone);
    tcase_add_test(tcase, an_export_waits_for_a_host_that_does_not_listen);
    tcase_add_test(tcase, a_job_that_is_held_can_be_given_up);
    tcase_add_test(tcase, events_nobody_hears_are_refused);
    tcase_add_test(tcase, a_global_operator_asks_for_a_folder);
    tcase_add_test(tcase, one_thread_pulls_several_jobs);
    return run_case("fileless", tcase);
}
