/* SPDX-License-Identifier: Apache-2.0 */
/* Files that cannot be written: the job ends, says where and what to do, and leaves nothing. */
#include "host.h"

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOREVER (-1)

static struct folder folder;

/* libuv opens a pipe for signals once per process, with its first loop. */
static void set_up(void)
{
    folder_make(&folder);
    ck_assert_int_eq(pex_context_destroy(context_make(1), FOREVER, NULL), 0);
}

static void tear_down(void)
{
    folder_free(&folder);
}

/* Hidden files and unfinished ones below a folder. */
static int count_leftovers(const char *path)
{
    DIR *entries = opendir(path);
    struct dirent *entry;
    char inner[512];
    int count = 0;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, name);
        count += name[0] == '.' || strstr(name, ".tmp") != NULL || count_leftovers(inner) > 0;
    }
    if (entries != NULL)
        closedir(entries);
    return count;
}

/* No file may be longer than a part of the rows: as a disk that is full. */
static void fail_to_write(const char *process, const char *more, const char *file)
{
    struct rlimit before, limit;
    int descriptors = count_descriptors();
    pex_context *ctx = context_make(2);
    struct pex_error err = {0};
    char *summary = NULL;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 2000, 50);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 30000;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    job = job_start(ctx, &folder, "out.jsonl", process, more);
    job_expect(job, PEX_JOB_FAILED);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(pex_job_error(job, &err), PEX_EIO);
    ck_assert_msg(strstr(err.message, file) != NULL && strstr(err.message, "cannot write") != NULL,
                  "%s", err.message);
    ck_assert_int_eq(pex_job_summary(job, &summary), 0);
    ck_assert_ptr_nonnull(strstr(summary, "\"failed\""));
    pex_free(summary);
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
    ck_assert_int_eq(count_descriptors(), descriptors);
    ck_assert_int_eq(folder_has(&folder, "out.jsonl"), 0);
    ck_assert_int_eq(count_leftovers(folder.path), 0);
}

START_TEST(an_export_that_cannot_be_written_fails_the_job)
{
    fail_to_write("[]", "", "out.jsonl");
}
END_TEST

START_TEST(a_part_that_cannot_be_written_fails_the_job)
{
    fail_to_write("[]",
                  ", \"partition\": {\"num_of_partitions\": 4}, \"debug\": {\"slice_bytes\": 2000}",
                  "");
}
END_TEST

START_TEST(a_stage_file_that_cannot_be_written_fails_the_job)
{
    fail_to_write("[\"document_deduplicator\"]", "", "stage-00-0000");
}
END_TEST

START_TEST(rejects_that_cannot_be_written_fail_the_job)
{
    fail_to_write("[{\"lab_fail_mapper\": {\"every\": 1}}]", "", "rejects-00-00000");
}
END_TEST

/* A name that is taken by a folder cannot be renamed to. */
static void block(const char *name)
{
    char inner[512];

    snprintf(inner, sizeof inner, "%s/inner", folder_at(&folder, name));
    ck_assert_int_eq(mkdir(folder_at(&folder, name), 0700), 0);
    ck_assert_int_eq(mkdir(inner, 0700), 0);
}

static int notices;

static void on_event(void *user, const struct pex_event *event)
{
    (void)user;
    notices += event->kind == PEX_EVENT_NOTICE && strstr(event->text, "summary.json") != NULL;
}

START_TEST(a_summary_that_cannot_be_written_is_told)
{
    struct pex_job_options options = {.struct_size = sizeof options, .on_event = on_event};
    pex_context *ctx = context_make(1);
    pex_spec *spec = spec_make(&folder, "out.jsonl", "[]", ", \"job_id\": \"j\"");
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 10, 10);
    ck_assert_int_eq(mkdir(folder_at(&folder, "work"), 0700), 0);
    ck_assert_int_eq(mkdir(folder_at(&folder, "work/j"), 0700), 0);
    block("work/j/summary.json");
    job = job_submit(ctx, spec, &options);
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(notices, 1);
    pex_job_release(job);
    pex_spec_release(spec);
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
    ck_assert_int_eq(count_leftovers(folder.path), 0);
}
END_TEST

START_TEST(a_folder_that_vanishes_fails_the_job)
{
    pex_context *ctx = context_make(1);
    struct pex_error err = {0};
    struct gate gate;
    pex_job *job;

    rows_write(&folder, "rows.jsonl", 10, 10);
    gate_init(&gate);
    gate_register(&gate, ctx);
    job = job_start(ctx, &folder, "deep/out.jsonl", "[{\"gate_mapper\": {}}]", "");
    gate_await(&gate);
    ck_assert_int_eq(rename(folder_at(&folder, "deep"), folder_at(&folder, "gone")), 0);
    gate_open(&gate);
    job_expect(job, PEX_JOB_FAILED);
    ck_assert_int_ne(pex_job_error(job, &err), 0);
    ck_assert_msg(strstr(err.message, "deep/out.jsonl") != NULL, "%s", err.message);
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
}
END_TEST

START_TEST(a_summary_does_not_follow_the_locale)
{
    pex_context *ctx;
    char *json = NULL;
    pex_job *job;

    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL &&
        setlocale(LC_NUMERIC, "fr_FR.UTF-8") == NULL) {
        printf("# no locale here that has another mark than a point\n");
        return;
    }
    rows_write(&folder, "rows.jsonl", 10, 10);
    ctx = context_make(1);
    job = job_start(ctx, &folder, "out.jsonl", "[]", "");
    job_expect(job, PEX_JOB_DONE);
    ck_assert_int_eq(pex_job_summary(job, &json), 0);
    ck_assert_ptr_nonnull(strstr(json, "\"seconds\": 0."));
    pex_free(json);
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, FOREVER, NULL), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("faults");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, an_export_that_cannot_be_written_fails_the_job);
    tcase_add_test(tcase, a_part_that_cannot_be_written_fails_the_job);
    tcase_add_test(tcase, a_stage_file_that_cannot_be_written_fails_the_job);
    tcase_add_test(tcase, rejects_that_cannot_be_written_fail_the_job);
    tcase_add_test(tcase, a_summary_that_cannot_be_written_is_told);
    tcase_add_test(tcase, a_folder_that_vanishes_fails_the_job);
    tcase_add_test(tcase, a_summary_does_not_follow_the_locale);
    return run_case("faults", tcase);
}
