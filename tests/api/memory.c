/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a context's and a job's life fails once: the job ends, and nothing is lost.
 */
#include "host.h"

#include "base/memory.h"

#include <stdio.h>

#define SECOND INT64_C(1000000000)

static struct folder folder;

static void set_up(void)
{
    folder_make(&folder);
    rows_write(&folder, "rows.jsonl", 60, 20);
}

static void tear_down(void)
{
    folder_free(&folder);
}

/* Whatever fails, each call answers, and the job ends. Returns how many allocations were made. */
static uint64_t live(const pex_spec *spec, int32_t pull, uint64_t fail_at)
{
    struct pex_job_options job_options = {.struct_size = sizeof job_options, .pull = pull};
    struct pex_error err = {0};
    pex_context *ctx = context_make(2);
    pex_rows *rows = NULL;
    pex_job *job = NULL;
    char *text = NULL;
    uint64_t made;
    int32_t code;

    pex__memory_fail_at(fail_at);
    code = pex_job_submit(ctx, spec, NULL, &job_options, &job, &err);
    ck_assert_msg(code == 0 || code == PEX_ENOMEM, "%d: %s", (int)code, err.message);
    if (code == 0) {
        while (pull && (code = pex_job_next_batch(job, 20 * SECOND, &rows, &err)) == 0)
            pex_rows_release(rows);
        if (pull)
            ck_assert_int_ne(code, PEX_ETIMEDOUT);
        if (pull && code == PEX_ENOMEM)
            pex_job_cancel(job);
        ck_assert_msg(pex_job_wait(job, 20 * SECOND) == 0, "the job does not end");
        if (pex_job_state(job) != PEX_JOB_DONE)
            ck_assert_int_ne(pex_job_error(job, &err), 0);
        if (pex_job_summary(job, &text) == 0)
            pex_free(text);
        pex_job_release(job);
    }
    ck_assert_int_eq(pex_context_destroy(ctx, 20 * SECOND, &err), 0);
    made = pex__memory_fail_at(0);
    return made;
}

static void assert_survives_in(int parts, int slice_bytes, const char *export, const char *process,
                               int32_t pull, const char *more)
{
    uint64_t k = 0, made;
    pex_spec *spec;
    char keys[512];

    snprintf(keys, sizeof keys,
             ", \"partition\": {\"num_of_partitions\": %d}, \"job_id\": \"j\", "
             "\"durability\": \"process\", \"debug\": {\"slice_bytes\": %d}%s",
             parts, slice_bytes, more);
    spec = spec_make(&folder, export, process, keys);

    do {
        made = live(spec, pull, ++k);
    } while (made >= k);
    printf("# %llu allocations\n", (unsigned long long)made);
    pex_spec_release(spec);
}

static void assert_survives_as(const char *export, const char *process, int32_t pull,
                               const char *more)
{
    assert_survives_in(3, 500, export, process, pull, more);
}

static void assert_survives(const char *process, int32_t pull)
{
    assert_survives_as("out.jsonl", process, pull, "");
}

START_TEST(contexts_survive_every_failed_allocation)
{
    pex_context *ctx;
    uint64_t k = 0;
    int32_t code;

    do {
        pex__memory_fail_at(++k);
        code = pex_context_create(NULL, &ctx, NULL);
        pex__memory_fail_at(0);
        ck_assert(code == 0 || code == PEX_ENOMEM);
        if (code == 0)
            ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    } while (code != 0);
    ck_assert_uint_gt(k, 5);
}
END_TEST

START_TEST(jobs_survive_every_failed_allocation)
{
    assert_survives("[{\"text_length_filter\": {\"min_len\": 15}}, "
                    "{\"whitespace_normalization_mapper\": {\"num_proc\": 1}}]",
                    0);
}
END_TEST

/* Slices of some rows, and an operator in front that is slow enough for the other to wait. */
START_TEST(joined_calls_survive_every_failed_allocation)
{
    assert_survives_in(1, 200, "out.jsonl",
                       "[{\"lab_sleep_mapper\": {\"num_proc\": 1, \"batch_size\": 64, "
                       "\"us_per_batch\": 1000}}, "
                       "{\"lab_expand_mapper\": {\"num_proc\": 1, \"batch_size\": 64}}]",
                       0, "");
}
END_TEST

START_TEST(convergence_points_survive_every_failed_allocation)
{
    assert_survives("[\"document_deduplicator\"]", 0);
}
END_TEST

START_TEST(pulls_survive_every_failed_allocation)
{
    assert_survives("[{\"text_length_filter\": {\"min_len\": 15}}]", 1);
}
END_TEST

START_TEST(outputs_survive_every_failed_allocation)
{
    static const char chain[] = "[{\"text_length_filter\": {\"min_len\": 15}}]";

    assert_survives_as("out.jsonl.gz", chain, 0, ", \"export_stats\": true");
    assert_survives_as("out.jsonl.zst", chain, 0, ", \"export_shard_size\": 900");
    assert_survives_as("parts/", chain, 0,
                       ", \"export_compression\": \"zst\", \"export_stats\": true");
}
END_TEST

/* Rows of the host's: each third fails, and is told. */
static const char own_rows[] = "{\"id\": 0, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"b\"}\n"
                               "{\"id\": 2, \"text\": \"c\"}\n{\"id\": 3, \"text\": \"d\"}\n"
                               "no row\n{\"id\": 4, \"text\": \"e\"}\n";

static int32_t next_byte(void *user, struct pex_string_view *piece, struct pex_error *err)
{
    size_t *at = user;

    (void)err;
    *piece = (struct pex_string_view){own_rows + *at, 1};
    ++*at;
    return *at < sizeof own_rows - 1 ? PEX_MORE : 0;
}

static void give_back(void *user)
{
    *(size_t *)user = SIZE_MAX;
}

static int32_t make_own(pex_context *ctx, int is_source, size_t *at, pex_dataset **dataset)
{
    struct pex_source source = {.struct_size = sizeof source, .next = next_byte};
    struct pex_memory_options memory = {
        .struct_size = sizeof memory, .release = give_back, .user = at};
    struct pex_string_view view = {own_rows, sizeof own_rows - 1};

    return is_source ? pex_dataset_from_source(ctx, &source, at, give_back, dataset, NULL)
                     : pex_dataset_from_memory(ctx, &view, 1, &memory, dataset, NULL);
}

static void ignore(void *user, const struct pex_event *event)
{
    (void)user;
    (void)event;
}

/* As live, with a data set of the host's and records of rows as events. */
static uint64_t live_own(const pex_spec *spec, int is_source, int32_t pull, uint64_t fail_at)
{
    struct pex_job_options options = {
        .struct_size = sizeof options, .pull = pull, .on_event = ignore, .row_events = 1};
    struct pex_error err = {0};
    pex_context *ctx = context_make(2);
    pex_dataset *dataset = NULL;
    pex_rows *rows = NULL;
    pex_job *job = NULL;
    size_t at = 0;
    int32_t code;

    pex__memory_fail_at(fail_at);
    code = make_own(ctx, is_source, &at, &dataset);
    ck_assert(code == 0 || code == PEX_ENOMEM);
    if (code == 0) {
        code = pex_job_submit(ctx, spec, dataset, &options, &job, &err);
        ck_assert_msg(code == 0 || code == PEX_ENOMEM, "%d: %s", (int)code, err.message);
    }
    if (code == 0) {
        while (pull && (code = pex_job_next_batch(job, 20 * SECOND, &rows, &err)) == 0)
            pex_rows_release(rows);
        if (pull && code == PEX_ENOMEM)
            pex_job_cancel(job);
        ck_assert_msg(pex_job_wait(job, 20 * SECOND) == 0, "the job does not end");
        pex_job_release(job);
    }
    pex_dataset_release(dataset);
    ck_assert_int_eq(pex_context_destroy(ctx, 20 * SECOND, &err), 0);
    ck_assert_uint_eq(at, dataset != NULL ? SIZE_MAX : 0);
    return pex__memory_fail_at(0);
}

START_TEST(rows_of_the_host_survive_every_failed_allocation)
{
    const char *process = _i < 4 ? "[{\"lab_fail_mapper\": {\"every\": 2}}]"
                                 : "[\"document_deduplicator\", {\"lab_fail_mapper\": "
                                   "{\"every\": 2}}]";
    pex_spec *spec = spec_make(&folder, "out.jsonl", process,
                               ", \"job_id\": \"j\", \"durability\": \"process\", "
                               "\"debug\": {\"slice_bytes\": 30}");
    uint64_t k = 0, made;

    do {
        made = live_own(spec, _i % 2, _i / 2 % 2, ++k);
    } while (made >= k);
    printf("# %llu allocations\n", (unsigned long long)made);
    pex_spec_release(spec);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("memory");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, contexts_survive_every_failed_allocation);
    tcase_add_test(tcase, jobs_survive_every_failed_allocation);
    tcase_add_test(tcase, joined_calls_survive_every_failed_allocation);
    tcase_add_test(tcase, convergence_points_survive_every_failed_allocation);
    tcase_add_test(tcase, pulls_survive_every_failed_allocation);
    tcase_add_test(tcase, outputs_survive_every_failed_allocation);
    tcase_add_loop_test(tcase, rows_of_the_host_survive_every_failed_allocation, 0, 8);
    return run_case("memory", tcase);
}
