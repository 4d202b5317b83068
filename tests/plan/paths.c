/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fixture fixture;

static void open_fixture(void)
{
    fixture_open(&fixture);
    fixture_rows(&fixture, 3, 50);
}

static void close_fixture(void)
{
    fixture_close(&fixture);
}

START_TEST(work_dir_lies_beside_the_export)
{
    static const struct {
        const char *spec;
        const char *work_dir;
        int is_folder;
    } cases[] = {
        {"{'export_path': 'no/such/out.jsonl'}", "no/such/.partexec", 0},
        {"{'export_path': '/out.jsonl'}", "/.partexec", 0},
        {"{'export_path': 'out.jsonl'}", ".partexec", 0},
        {"{'export_path': 'out'}", ".partexec", 0},
        {"{'export_path': 'out.jsonl', 'work_dir': 'w'}", "w", 0},
        {"{'export_path': 'out.jsonl', 'work_dir': 'w/x//'}", "w/x", 0},
        {"{'export_path': 'out.jsonl', 'work_dir': '/'}", "/", 0},
        {"{'export_path': 'out.jsonl', 'work_dir': 'w/{job_id}'}", "w", 1},
        {"{'export_path': 'out.jsonl', 'work_dir': 'w/{job_id}/'}", "w", 1},
        {"{'export_path': 'out.jsonl', 'work_dir': '/{job_id}'}", "/", 1},
        {"{'export_path': 'out.jsonl', 'work_dir': '{job_id}'}", ".", 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex__plan *plan = plan_of(&fixture, cases[i].spec, PEX__PLAN_RUN);

        ck_assert_str_eq(plan->work_dir, cases[i].work_dir);
        ck_assert_int_eq(plan->work_dir_is_folder, cases[i].is_folder);
        ck_assert_ptr_null(plan->job_id);
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(the_mark_of_the_job_id_must_be_last)
{
    assert_errors(&fixture, "{'work_dir': '{job_id}/w'}", "work_dir: found \"{job_id}/w\"", NULL);
    assert_errors(&fixture, "{'work_dir': 'w{job_id}'}", "last part", NULL);
    assert_errors(&fixture, "{'work_dir': 's3://b/w'}", "work_dir", "local", NULL);
    assert_errors(&fixture, "{'work_dir': ''}", "work_dir: found \"\"", NULL);
    assert_errors(&fixture, "{'work_dir': 'a\\u0000b'}", "work_dir: found \"a\\u0000b\"", NULL);
}
END_TEST

START_TEST(job_id_is_a_plain_name)
{
    struct pex__plan *plan = plan_of(&fixture, "{'job_id': 'night-1.b'}", PEX__PLAN_EXPLAIN);

    ck_assert_str_eq(plan->job_id, "night-1.b");
    pex__plan_free(plan);
    assert_errors(&fixture, "{'job_id': 'a/b'}", "job_id: found \"a/b\"", "plain file name", NULL);
    assert_errors(&fixture, "{'job_id': ''}", "job_id", NULL);
    assert_errors(&fixture, "{'job_id': '.'}", "job_id", NULL);
    assert_errors(&fixture, "{'job_id': '..'}", "job_id", NULL);
    assert_errors(&fixture, "{'job_id': 'a\\u0000'}", "job_id", NULL);
    assert_errors(&fixture, "{'job_id': 7.5}", "job_id: found 7.5, expected a string or an integer",
                  NULL);
}
END_TEST

START_TEST(a_job_id_of_digits_needs_no_quotes)
{
    struct pex__plan *plan = plan_of(&fixture, "{'job_id': 20261130}", PEX__PLAN_EXPLAIN);

    ck_assert_str_eq(plan->job_id, "20261130");
    pex__plan_free(plan);
}
END_TEST

START_TEST(export_is_needed_to_run_only)
{
    char *errors = errors_of(&fixture, "{}", PEX__PLAN_RUN, NULL);
    struct pex__plan *plan;

    ck_assert_msg(strstr(errors, "export_path: found nothing") == errors, "%s", errors);
    pex_free(errors);
    plan = plan_of(&fixture, "{}", PEX__PLAN_EXPLAIN);
    ck_assert_ptr_null(plan->export_path);
    ck_assert_ptr_null(plan->work_dir);
    pex__plan_free(plan);
    plan = plan_of(&fixture, "{'export_path': 'out.parquet'}", PEX__PLAN_PULL);
    ck_assert_ptr_null(plan->export_path);
    pex__plan_free(plan);
}
END_TEST

START_TEST(exports_that_cannot_be_are_refused)
{
    char json[256];

    assert_errors(&fixture, "{'export_path': 'a.PARQUET'}", "convert it afterwards", NULL);
    assert_errors(&fixture, "{'export_path': 'a.csv'}", "convert it afterwards", NULL);
    assert_errors(&fixture, "{'export_path': 'a.csv.gz'}", "convert it afterwards", NULL);
    assert_errors(&fixture, "{'export_path': 'a.jsonl.bz2'}", "write .jsonl.gz", NULL);
    assert_errors(&fixture, "{'export_path': 'out/', 'export_shard_size': 5}",
                  "export_shard_size: found 5", "leave one of them out", NULL);
    assert_errors(&fixture, "{'export_path': 'a.jsonl', 'export_compression': 'gz'}",
                  "export_compression: found \"gz\"", "suffix", NULL);
    assert_errors(&fixture, "{'export_path': 'a.jsonl', 'export_compression': 'lz4'}",
                  "export_compression: found \"lz4\"", "zst", NULL);
    assert_errors(&fixture, "{'export_path': 's3://b/a.jsonl'}", "local path", NULL);
    assert_errors(&fixture, "{'export_path': '{work_dir}/a.jsonl'}", "{work_dir} and {job_id}",
                  "write the path itself", NULL);
    assert_errors(&fixture, "{'export_path': ''}", "export_path: found \"\"", NULL);
    assert_errors(&fixture, "{'export_path': 5}", "export_path: found 5, expected a string", NULL);
    snprintf(json, sizeof json, "{'export_path': '%s'}", fixture.folder);
    assert_errors(&fixture, json, "found the folder", NULL);
}
END_TEST

START_TEST(an_export_replaces_regular_files_only)
{
    char json[256], name[128];
    struct pex__plan *plan;

    assert_errors(&fixture, "{'export_path': '/dev/null'}",
                  "export_path: found the device \"/dev/null\"", "regular file", NULL);
    snprintf(name, sizeof name, "%s/fifo", fixture.folder);
    snprintf(json, sizeof json, "{'export_path': '%s'}", name);
    ck_assert_int_eq(mkfifo(name, 0600), 0);
    assert_errors(&fixture, json, "found the FIFO", name, NULL);
    unlink(name);
    ck_assert_int_eq(symlink("/dev/null", name), 0);
    assert_errors(&fixture, json, "found the device", NULL);
    unlink(name);
    ck_assert_int_eq(symlink("none.jsonl", name), 0);
    plan = plan_of(&fixture, json, PEX__PLAN_RUN);
    ck_assert_str_eq(plan->export_path, name);
    pex__plan_free(plan);
    unlink(name);
}
END_TEST

START_TEST(json_lines_go_to_any_other_name)
{
    static const char *const names[] = {"a.jsonl", "a", "a.txt", "./b/a.json"};
    char json[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct pex__plan *plan;

        snprintf(json, sizeof json, "{'export_path': '%s'}", names[i]);
        plan = plan_of(&fixture, json, PEX__PLAN_RUN);
        ck_assert_str_eq(plan->export_path, names[i]);
        ck_assert_uint_eq(plan->notice_count, i == 3);
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(the_input_is_never_the_export)
{
    char json[256], link_path[128];

    snprintf(json, sizeof json, "{'export_path': '%s/../%s'}", fixture.folder,
             strrchr(fixture.folder, '/') + 1);
    strcpy(strchr(json, '\0') - 2, "/in.jsonl'}");
    assert_errors(&fixture, json, "which is the input file", NULL);
    snprintf(link_path, sizeof link_path, "%s/link.jsonl", fixture.folder);
    ck_assert_int_eq(symlink(fixture.path, link_path), 0);
    snprintf(json, sizeof json, "{'export_path': '%s'}", link_path);
    assert_errors(&fixture, json, "which is the input file", NULL);
    ck_assert_int_eq(unlink(link_path), 0);
}
END_TEST

static void assert_name(struct pex__plan *plan, size_t index, const char *expected)
{
    char *path = pex__export_path(&plan->export, index);

    ck_assert_str_eq(path, expected);
    pex__free(path);
}

START_TEST(files_of_a_set_have_names_by_number)
{
    static const struct {
        const char *path, *first, *later, *stats;
    } cases[] = {
        {"out.jsonl", "out-00000.jsonl", "out-123456.jsonl", "out_stats.jsonl"},
        {"a/b.c.jsonl.gz", "a/b.c-00000.jsonl.gz", "a/b.c-123456.jsonl.gz", "a/b.c_stats.jsonl"},
        {"x.d/out", "x.d/out-00000", "x.d/out-123456", "x.d/out_stats.jsonl"},
        {".out.ZST", ".out-00000.ZST", ".out-123456.ZST", ".out_stats.jsonl"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex__plan *plan;
        char json[256];

        snprintf(json, sizeof json,
                 "{'export_path': '%s', 'export_shard_size': 2000000, 'export_stats': true}",
                 cases[i].path);
        plan = plan_of(&fixture, json, PEX__PLAN_RUN);
        assert_name(plan, 0, cases[i].first);
        assert_name(plan, 123456, cases[i].later);
        ck_assert_str_eq(plan->export.stats, cases[i].stats);
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(a_folder_has_parts_and_its_stats_beside_it)
{
    struct pex__plan *plan = plan_of(
        &fixture, "{'export_path': 'a/p//', 'export_compression': 'zst', 'export_stats': true}",
        PEX__PLAN_RUN);

    assert_name(plan, 7, "a/p/part-00007.jsonl.zst");
    ck_assert_str_eq(plan->export.stats, "a/p_stats.jsonl");
    ck_assert_str_eq(plan->work_dir, "a/.partexec");
    ck_assert(pex__export_has_name(&plan->export, "part-00007.jsonl.zst"));
    ck_assert(pex__export_has_name(&plan->export, "part-100007.jsonl.zst"));
    ck_assert(!pex__export_has_name(&plan->export, "part-000007.jsonl.zst"));
    ck_assert(!pex__export_has_name(&plan->export, "part-0007.jsonl.zst"));
    ck_assert(!pex__export_has_name(&plan->export, "part-00007.jsonl"));
    pex__plan_free(plan);
}
END_TEST

static struct pex__input *input_of(const char *format)
{
    struct pex__input *input = NULL;
    struct pex_error err = {0};
    pex_spec *spec;
    char json[512];

    snprintf(json, sizeof json, format, fixture.path);
    spec = spec_of(json);
    ck_assert_msg(pex__spec_input(spec, &input, &err) == 0, "%s", err.message);
    pex_spec_release(spec);
    return input;
}

START_TEST(input_is_named_in_three_ways)
{
    static const char *const specs[] = {
        "{'dataset_path': '%s'}",
        "{'dataset_path': ['%s']}",
        "{'dataset': {'configs': [{'type': 'local', 'path': '%s', 'weight': 1.0}]}}",
        "{'dataset_path': '%s', 'dataset': {'configs': [{'type': 'local', 'path': 'absent'}]}}",
        "{'dataset': [{'type': 'local', 'path': '%s'}]}",
        "{'dataset_path': '%s', 'dataset': []}",
        "{'dataset_path': '%s', 'input_format': 'jsonl'}",
    };

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct pex__input *input = input_of(specs[i]);

        ck_assert_uint_eq(input->source_count, 1);
        ck_assert_int_eq(input->sources[0].format, PEX_FORMAT_JSONL);
        pex__input_free(input);
    }
}
END_TEST

START_TEST(input_format_is_followed)
{
    struct pex__input *input = input_of("{'dataset_path': '%s', 'input_format': 'text'}");

    ck_assert_int_eq(input->sources[0].format, PEX_FORMAT_TEXT);
    pex__input_free(input);
}
END_TEST

static void assert_no_input(const char *json, int32_t code, const char *text)
{
    struct pex__input *input = NULL;
    struct pex_error err = {0};
    pex_spec *spec = spec_of(json);

    ck_assert_int_eq(pex__spec_input(spec, &input, &err), code);
    ck_assert_msg(strstr(err.message, text) != NULL, "%s has not: %s", err.message, text);
    pex_spec_release(spec);
}

START_TEST(missing_input_is_told_from_wrong_keys)
{
    assert_no_input("{}", PEX_ENOENT, "dataset_path: found nothing");
    assert_no_input("{'dataset_path': ''}", PEX_ENOENT, "dataset_path: found nothing");
    assert_no_input("{'dataset_path': '/no/such/file'}", PEX_ENOENT, "/no/such/file");
    assert_no_input("{'dataset_path': '0.5 /no/a.jsonl 0.5 /no/b.jsonl'}", PEX_ENOENT,
                    "several paths are a list, as [a, b], without weights");
    assert_no_input("{'dataset_path': []}", PEX_ESPEC, "dataset_path: found no path");
    assert_no_input("{'dataset_path': 5}", PEX_ESPEC, "dataset_path");
    assert_no_input("{'dataset_path': ['a', 5]}", PEX_ESPEC, "dataset_path");
    assert_no_input("{'dataset_path': 'a\\u0000b'}", PEX_ESPEC, "dataset_path");
    assert_no_input("{'dataset': {'configs': 5}}", PEX_ESPEC, "dataset");
}
END_TEST

START_TEST(remote_input_is_named_as_such)
{
    struct pex__input *input = NULL;
    struct pex_error err = {0};
    pex_spec *spec = spec_of("{'dataset_path': 's3://bucket/x.jsonl'}");

    ck_assert_int_lt(pex__spec_input(spec, &input, &err), 0);
    ck_assert_msg(strstr(err.message, "local path") != NULL, "%s", err.message);
    pex_spec_release(spec);
}
END_TEST

START_TEST(first_rows_are_said_to_be_no_sample)
{
    struct pex__plan *plan = plan_of(
        &fixture, "{'dataset': {'max_sample_num': 9, 'configs': [{'path': 'a', 'weight': 1.0}]}}",
        PEX__PLAN_EXPLAIN);

    assert_notice(plan, "dataset.max_sample_num: the first 9 rows");
    assert_notice(plan, "random_selector");
    pex__plan_free(plan);
}
END_TEST

START_TEST(dataset_blocks_beyond_local_files_are_refused)
{
    struct pex__plan *plan;
    char *errors;

    assert_errors(&fixture, "{'dataset': {'configs': [{'type': 'hf', 'path': 'a'}]}}",
                  "dataset.configs.0.type: found \"hf\"", NULL);
    errors = errors_of(&fixture,
                       "{'dataset': {'configs': [{'type': 'remote', 'source': 'commoncrawl',"
                       " 'start_snapshot': '2020-50', 'aws': true}]}}",
                       PEX__PLAN_EXPLAIN, NULL);
    ck_assert_msg(strstr(errors, "0.type: found \"remote\", expected local: only") != NULL, "%s",
                  errors);
    ck_assert_uint_eq(count_lines(errors), 1);
    pex_free(errors);
    assert_errors(&fixture,
                  "{'dataset': {'configs': [{'type': 'local', 'path': 'a', 'weight': 0.5}]}}",
                  "dataset.configs.0.weight: found 0.5: rows are not drawn by weight", NULL);
    assert_errors(&fixture, "{'dataset': [{'type': 'remote', 'path': 'a', 'split': 'train'}]}",
                  "dataset.configs.0.type: found \"remote\"", NULL);
    assert_errors(&fixture, "{'dataset': {'max_sample_num': 0, 'configs': []}}",
                  "dataset.max_sample_num: found 0", NULL);
    assert_errors(&fixture, "{'dataset': {'max_sample_num': '9', 'configs': []}}",
                  "dataset.max_sample_num: found \"9\"", NULL);
    assert_errors(&fixture, "{'dataset': {'sampling': 9, 'configs': []}}", "dataset.sampling",
                  NULL);
    assert_errors(&fixture, "{'dataset': {'configs': [{'type': 'local'}]}}",
                  "dataset.configs.0: found", NULL);
    assert_errors(&fixture, "{'dataset': 'x'}", "dataset: found \"x\"", "dataset_path", NULL);
    assert_errors(&fixture, "{'dataset_path': ['a', 5]}", "dataset_path: found [\"a\",5]", NULL);
    plan = plan_of(&fixture, "{'dataset_path': 'x', 'dataset': {'configs': [{'type': 'hf'}]}}",
                   PEX__PLAN_EXPLAIN);
    assert_notice(plan, "dataset: not used, dataset_path counts");
    pex__plan_free(plan);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("paths");

    tcase_add_checked_fixture(cases, open_fixture, close_fixture);
    tcase_add_test(cases, work_dir_lies_beside_the_export);
    tcase_add_test(cases, the_mark_of_the_job_id_must_be_last);
    tcase_add_test(cases, job_id_is_a_plain_name);
    tcase_add_test(cases, a_job_id_of_digits_needs_no_quotes);
    tcase_add_test(cases, export_is_needed_to_run_only);
    tcase_add_test(cases, exports_that_cannot_be_are_refused);
    tcase_add_test(cases, an_export_replaces_regular_files_only);
    tcase_add_test(cases, json_lines_go_to_any_other_name);
    tcase_add_test(cases, the_input_is_never_the_export);
    tcase_add_test(cases, files_of_a_set_have_names_by_number);
    tcase_add_test(cases, a_folder_has_parts_and_its_stats_beside_it);
    tcase_add_test(cases, input_is_named_in_three_ways);
    tcase_add_test(cases, input_format_is_followed);
    tcase_add_test(cases, missing_input_is_told_from_wrong_keys);
    tcase_add_test(cases, remote_input_is_named_as_such);
    tcase_add_test(cases, first_rows_are_said_to_be_no_sample);
    tcase_add_test(cases, dataset_blocks_beyond_local_files_are_refused);
    return run_suite("paths", cases);
}
