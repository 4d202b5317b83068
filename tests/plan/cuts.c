/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fixture fixture;

static void open_fixture(void)
{
    fixture_open(&fixture);
}

static void close_fixture(void)
{
    fixture_close(&fixture);
}

static void assert_cuts(const struct pex__plan *plan)
{
    ck_assert_uint_ge(plan->partition_count, 1);
    ck_assert_uint_eq(plan->cuts[0].at, 0);
    ck_assert_uint_eq(plan->cuts[plan->partition_count].at, plan->input->bytes);
    for (size_t i = 0; i < plan->partition_count; i++)
        ck_assert(plan->cuts[i].at < plan->cuts[i + 1].at || plan->input->bytes == 0);
    ck_assert_int_ge(plan->max_concurrent, 1);
    ck_assert_int_le(plan->max_concurrent, (int)plan->partition_count);
}

struct count_case {
    size_t rows, bytes; /* of the input, bytes per row */
    const char *spec;
    size_t partitions;
    int32_t active;
    const char *notice;
};

START_TEST(partitions_and_concurrency_follow_the_table)
{
    static const struct count_case cases[] = {
        /* automatic: by size, raised to the concurrency, never above the rows */
        {0, 100, "{}", 1, 1, NULL},
        {1, 100, "{}", 1, 1, NULL},
        {100, 100, "{}", 2, 2, NULL},
        {10000, 100, "{}", 2, 2, NULL},
        {1, 1000000, "{}", 1, 1, NULL},
        {10000, 100, "{'partition': {'target_size_mb': 0.1}}", 10, 4, NULL},
        {10000, 100, "{'partition': {'max_concurrent_partitions': 5}}", 5, 5, NULL},
        {3, 100, "{'partition': {'max_concurrent_partitions': 5}}", 3, 3, NULL},
        {10000, 100, "{'partition': {'max_concurrent_partitions': 1}}", 1, 1, NULL},
        {10000, 100, "{'partition': {'max_concurrent_partitions': '3'}}", 3, 3, NULL},
        {10000, 100, "{'partition': {'num_of_partitions': 'auto'}}", 2, 2, NULL},
        /* explicit: kept */
        {10000, 100, "{'partition': {'num_of_partitions': 1}}", 1, 1, NULL},
        {10000, 100, "{'partition': {'num_of_partitions': 64}}", 64, 4, NULL},
        {10000, 100, "{'partition': {'num_of_partitions': '7'}}", 7, 4, NULL},
        {100, 100, "{'partition': {'num_of_partitions': 8, 'max_concurrent_partitions': 20}}", 8, 8,
         NULL},
        {10000, 100,
         "{'partition': {'mode': 'manual', 'num_of_partitions': 2, 'max_concurrent_partitions': "
         "9}}",
         2, 2, NULL},
        {3, 100, "{'partition': {'num_of_partitions': 8}}", 3, 3, "8 lowered to the 3 rows"},
        {0, 100, "{'partition': {'num_of_partitions': 8}}", 1, 1, NULL},
        /* by rows */
        {10, 100, "{'partition': {'size': 4}}", 3, 3, NULL},
        {10, 100, "{'partition': {'size': 100}}", 1, 1, NULL},
        {0, 100, "{'partition': {'size': 4}}", 1, 1, NULL},
        {10, 100, "{'partition': {'mode': 'manual', 'size': 5}}", 2, 2, NULL},
        {10, 100, "{'partition': {'size': 4, 'num_of_partitions': 2}}", 2, 2,
         "partition.size: not used"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex__plan *plan;

        fixture_rows(&fixture, cases[i].rows, cases[i].bytes);
        plan = plan_of(&fixture, cases[i].spec, PEX__PLAN_EXPLAIN);
        assert_cuts(plan);
        ck_assert_msg(plan->partition_count == cases[i].partitions &&
                          plan->max_concurrent == cases[i].active,
                      "%zu: %s gives %zu partitions, %d active", i, cases[i].spec,
                      plan->partition_count, plan->max_concurrent);
        if (cases[i].notice != NULL)
            assert_notice(plan, cases[i].notice);
        else
            ck_assert_uint_eq(plan->notice_count, 0);
        pex__plan_free(plan);
    }
}
END_TEST

#define WIDE "'process': [{'network_mapper': {'num_proc': 8}}]" /* with two workers: 10 threads */

START_TEST(an_automatic_concurrency_keeps_every_thread_busy)
{
    static const struct {
        size_t rows, bytes;
        const char *spec;
        size_t partitions;
        int32_t active;
        const char *count_reason, *limit;
    } cases[] = {
        {0, 100, "{" WIDE "}", 1, 1, "the input has no more rows", "the number of partitions"},
        {8, 100, "{" WIDE "}", 8, 8, "the input has no more rows", "the number of partitions"},
        {1000, 100, "{" WIDE "}", 10, 10, "as many as may be active",
         "the input has less than two slices for each of the 10 threads"},
        /* 20 slices of 50 kB are two for each thread, 19 are not. */
        {1000, 1000, "{" WIDE ", 'debug': {'slice_bytes': 50000}}", 2, 2,
         "as many as may be active",
         "workers share a partition's batches, the next is open when it runs out of them"},
        {1000, 950, "{" WIDE ", 'debug': {'slice_bytes': 50000}}", 10, 10,
         "as many as may be active",
         "the input has less than two slices for each of the 10 threads"},
        /* Room for 7 reserves: (31 - 10) / 3. */
        {1000, 100, "{" WIDE ", 'memory_limit': 507904, 'debug': {'slice_bytes': 16384}}", 7, 7,
         "as many as may be active", "memory_limit (room for 7 reserves)"},
        {1000, 1000,
         "{" WIDE ", 'debug': {'slice_bytes': 10000}, 'partition': "
         "{'num_of_partitions': 25}}",
         25, 5, "partition.num_of_partitions",
         "two slices for each of the 10 threads, 4 in a partition"},
        {1000, 1000, "{" WIDE ", 'debug': {'slice_bytes': 10000}, 'partition': {'size': 10}}", 100,
         20, "partition.size: 10 rows each",
         "two slices for each of the 10 threads, 1 in a partition"},
        {1000, 1000,
         "{" WIDE ", 'debug': {'slice_bytes': 10000}, 'partition': "
         "{'target_size_mb': 0.02}}",
         48, 7, "partition.target_size_mb: at most 0.02 MB each",
         "two slices for each of the 10 threads, 3 in a partition"},
        {1000, 1000, "{" WIDE ", 'partition': {'num_of_partitions': 1}}", 1, 1,
         "partition.num_of_partitions", "the number of partitions"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex__plan *plan;

        fixture_rows(&fixture, cases[i].rows, cases[i].bytes);
        plan = plan_of(&fixture, cases[i].spec, PEX__PLAN_EXPLAIN);
        assert_cuts(plan);
        ck_assert_msg(
            plan->partition_count == cases[i].partitions && plan->max_concurrent == cases[i].active,
            "%zu: %zu partitions, %d active", i, plan->partition_count, plan->max_concurrent);
        ck_assert_str_eq(plan->count_reason, cases[i].count_reason);
        ck_assert_str_eq(plan->limit, cases[i].limit);
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(few_rows_of_any_length_get_a_partition_each)
{
    const char *paths[] = {fixture.path};
    struct pex_error err = {0};
    struct pex__plan *plan;
    FILE *file = fopen(fixture.path, "w");

    fprintf(file, "{\"n\":%-1000d}\n{}\n{}\n{}\n", 1);
    fclose(file);
    ck_assert_int_eq(pex__input_list(paths, 1, PEX_FORMAT_AUTO, NULL, &fixture.input, &err), 0);
    plan = plan_of(&fixture, "{" WIDE "}", PEX__PLAN_EXPLAIN);
    assert_cuts(plan);
    ck_assert_uint_eq(plan->partition_count, 4);
    pex__plan_free(plan);
}
END_TEST

#define RAW_BLOCK (128 * 1024) /* the largest of a zstd frame */

/* Frames of eight blocks that are not compressed, each a row. */
static void write_frames(FILE *file, int count)
{
    static const unsigned char head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 16, 0};
    uint32_t block;

    for (int i = 0; i < count; i++) {
        fwrite(head, 1, sizeof head, file);
        for (int left = 7; left >= 0; left--) {
            block = RAW_BLOCK << 3 | (left == 0);
            fwrite(&block, 1, 3, file);
            fprintf(file, "{\"n\":%-*d}\n", RAW_BLOCK - 7, i);
        }
    }
}

START_TEST(large_archives_of_frames_get_several_partitions_for_each_active_one)
{
    static const struct {
        int frames; /* of 1 MiB */
        size_t partitions;
    } cases[] = {{1, 1}, {6, 2}, {13, 3}, {40, 8}};
    struct pex_error err = {0};
    char path[112];
    const char *paths[] = {path};

    snprintf(path, sizeof path, "%s.zst", fixture.path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = fopen(path, "w");
        struct pex__plan *plan;

        write_frames(file, cases[i].frames);
        fclose(file);
        pex__input_free(fixture.input);
        ck_assert_msg(pex__input_list(paths, 1, PEX_FORMAT_AUTO, NULL, &fixture.input, &err) == 0,
                      "%s", err.message);
        plan = plan_of(&fixture, "{}", PEX__PLAN_EXPLAIN);
        ck_assert_uint_eq(plan->partition_count, cases[i].partitions);
        ck_assert_int_eq(plan->max_concurrent, cases[i].partitions == 1 ? 1 : 2);
        pex__plan_free(plan);
    }
    unlink(path);
}
END_TEST

START_TEST(row_cuts_are_exact)
{
    struct pex__plan *plan;

    fixture_rows(&fixture, 10, 100);
    plan = plan_of(&fixture, "{'partition': {'size': 4}}", PEX__PLAN_EXPLAIN);
    ck_assert_uint_eq(plan->cuts[1].at, 4 * 100);
    ck_assert_uint_eq(plan->cuts[2].at, 7 * 100);
    pex__plan_free(plan);
}
END_TEST

START_TEST(equal_cuts_merge_with_a_notice)
{
    struct pex__plan *plan;
    FILE *file;
    struct pex_error err = {0};
    const char *paths[] = {fixture.path};

    file = fopen(fixture.path, "w");
    fprintf(file, "{\"n\":%-1000d}\n{}\n{}\n{}\n{}\n", 1);
    fclose(file);
    ck_assert_int_eq(pex__input_list(paths, 1, PEX_FORMAT_AUTO, NULL, &fixture.input, &err), 0);
    plan = plan_of(&fixture, "{'partition': {'num_of_partitions': 4}}", PEX__PLAN_EXPLAIN);
    assert_cuts(plan);
    ck_assert_uint_lt(plan->partition_count, 4);
    assert_notice(plan, "cuts fell on the same row");
    pex__plan_free(plan);
}
END_TEST

START_TEST(slices_follow_memory_and_threads)
{
    static const struct {
        const char *spec;
        uint64_t slice;
    } cases[] = {
        {"{}", 256 << 10},
        {"{'memory_limit': '1MB'}", 128 << 10},
        {"{'memory_limit': '200KB'}", 25 << 10},
        {"{'memory_limit': 100000}", 16 << 10},
        {"{'debug': {'slice_bytes': 1}}", 1},
        {"{'debug': {'slice_bytes': 4194304}}", 4 << 20},
        {"{'memory_limit': '2MiB', 'process': [{'network_mapper': {'num_proc': 6}}]}", 64 << 10},
    };

    fixture_rows(&fixture, 10, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex__plan *plan = plan_of(&fixture, cases[i].spec, PEX__PLAN_EXPLAIN);

        ck_assert_uint_eq(plan->slice_bytes, cases[i].slice);
        ck_assert_uint_ge(plan->memory_limit,
                          pex__plan_least_memory(plan->slice_bytes, plan->threads));
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(memory_is_read_with_suffixes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"67108864", 64 * MIB},    {"'67108864'", 64 * MIB},  {"'64MB'", 64 * MIB},
        {"'64 MiB'", 64 * MIB},    {"'64m'", 64 * MIB},       {"'0.0625GB'", 64 * MIB},
        {"'65536k'", 64 * MIB},    {"'65536KiB'", 64 * MIB},  {"'10%'", 1024 * MIB / 10},
        {"'67108864B'", 64 * MIB}, {"6.7108864e7", 64 * MIB}, {"'1G'", 1024 * MIB},
    };
    char json[64];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex__plan *plan;

        snprintf(json, sizeof json, "{'memory_limit': %s}", cases[i].text);
        plan = plan_of(&fixture, json, PEX__PLAN_EXPLAIN);
        ck_assert_msg(plan->memory_limit == cases[i].bytes, "%s gives %llu", cases[i].text,
                      (unsigned long long)plan->memory_limit);
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(memory_above_the_machine_is_clipped)
{
    struct pex__plan *plan = plan_of(&fixture, "{'memory_limit': '1TB'}", PEX__PLAN_EXPLAIN);

    ck_assert_uint_eq(plan->memory_limit, fixture.machine.memory_bytes);
    assert_notice(plan, "memory_limit: 1099511627776 bytes clipped to the 1073741824");
    pex__plan_free(plan);
}
END_TEST

START_TEST(too_little_memory_is_refused_with_the_need)
{
    static const struct {
        const char *spec;
        const char *need;
    } cases[] = {
        {"{'memory_limit': 81919}", "at least 81920"}, /* (2 + 3) x 16 KiB */
        {"{'memory_limit': '1MB', 'process': [{'network_mapper': {'num_proc': 100}}]}",
         "at least 1720320"}, /* (102 + 3) x 16 KiB */
        {"{'memory_limit': '1MB', 'debug': {'slice_bytes': 1000000}}", "at least 5000000"},
    };

    fixture_rows(&fixture, 10, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t code;
        char *errors = errors_of(&fixture, cases[i].spec, PEX__PLAN_EXPLAIN, &code);

        ck_assert_int_eq(code, PEX_ELIMIT);
        ck_assert_msg(strstr(errors, "memory_limit: ") == errors, "%s", errors);
        ck_assert_msg(strstr(errors, cases[i].need) != NULL, "%s", errors);
        pex_free(errors);
    }
    pex__plan_free(plan_of(&fixture, "{'memory_limit': 81920}", PEX__PLAN_EXPLAIN));
}
END_TEST

START_TEST(memory_bounds_the_concurrency)
{
    struct pex__plan *plan;

    fixture_rows(&fixture, 1000, 1000);
    /* 10 slices of 16 KiB: 2 for the workers, 8 granted, room for 2 reserves of 3. */
    plan = plan_of(&fixture,
                   "{'memory_limit': 163840, 'debug': {'slice_bytes': 16384},"
                   " 'partition': {'num_of_partitions': 20, 'max_concurrent_partitions': 9}}",
                   PEX__PLAN_EXPLAIN);
    ck_assert_int_eq(plan->max_concurrent, 2);
    assert_notice(plan, "partition.max_concurrent_partitions: 9 clipped to the 2");
    ck_assert_str_eq(plan->limit, "memory_limit (room for 2 reserves)");
    pex__plan_free(plan);
    /* 7 slices: room for one. */
    plan = plan_of(&fixture, "{'memory_limit': 114688, 'debug': {'slice_bytes': 16384}}",
                   PEX__PLAN_EXPLAIN);
    ck_assert_int_eq(plan->max_concurrent, 1);
    ck_assert_str_eq(plan->limit, "memory_limit (room for one reserve)");
    pex__plan_free(plan);
}
END_TEST

START_TEST(np_is_noted_when_the_context_differs)
{
    struct pex__plan *plan = plan_of(&fixture, "{'np': 50}", PEX__PLAN_EXPLAIN);

    assert_notice(plan, "np: 50 asked for, the context has 2 workers");
    pex__plan_free(plan);
    fixture_rows(&fixture, 1, 100);
    plan = plan_of(&fixture, "{'np': 2}", PEX__PLAN_EXPLAIN);
    ck_assert_uint_eq(plan->notice_count, 0);
    pex__plan_free(plan);
}
END_TEST

START_TEST(input_that_cannot_be_read_is_an_error_of_its_own)
{
    struct pex__buffer errors = {0};
    struct pex_error err = {0};
    struct pex__plan *plan = NULL;
    pex_spec *spec = spec_of("{'partition': {'num_of_partitions': 3}}");
    int32_t code;

    fixture_rows(&fixture, 100, 100);
    ck_assert_int_eq(remove(fixture.path), 0);
    code = pex__plan_create(spec, fixture.registry, &fixture.machine, fixture.input,
                            PEX__PLAN_EXPLAIN, &plan, &errors, &err);
    ck_assert_int_lt(code, 0);
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(strstr(err.message, fixture.path) != NULL, "%s", err.message);
    pex__buffer_free(&errors);
    pex_spec_release(spec);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("cuts");

    tcase_add_checked_fixture(cases, open_fixture, close_fixture);
    tcase_add_test(cases, partitions_and_concurrency_follow_the_table);
    tcase_add_test(cases, an_automatic_concurrency_keeps_every_thread_busy);
    tcase_add_test(cases, few_rows_of_any_length_get_a_partition_each);
    tcase_add_test(cases, large_archives_of_frames_get_several_partitions_for_each_active_one);
    tcase_add_test(cases, row_cuts_are_exact);
    tcase_add_test(cases, equal_cuts_merge_with_a_notice);
    tcase_add_test(cases, slices_follow_memory_and_threads);
    tcase_add_test(cases, memory_is_read_with_suffixes);
    tcase_add_test(cases, memory_above_the_machine_is_clipped);
    tcase_add_test(cases, too_little_memory_is_refused_with_the_need);
    tcase_add_test(cases, memory_bounds_the_concurrency);
    tcase_add_test(cases, np_is_noted_when_the_context_differs);
    tcase_add_test(cases, input_that_cannot_be_read_is_an_error_of_its_own);
    return run_suite("cuts", cases);
}
