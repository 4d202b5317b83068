/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <jansson.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;

static const char spec[] =
    "{'export_path': 'out/x.jsonl', 'job_id': 'night', 'project_name': 'p', 'use_cache': true,"
    " 'memory_limit': '64MB', 'partition': {'num_of_partitions': 5, 'max_concurrent_partitions': "
    "3},"
    " 'process': ['text_mapper', {'length_filter': {'min_len': 12, 'max_len': 9223372036854775807,"
    " 'batch_size': 50}}, 'text_deduplicator', {'network_mapper': {'num_proc': 4}},"
    " {'network_mapper': {'on_error': 'fail'}}, 'shared_mapper']}";

static void open_fixture(void)
{
    fixture_open(&fixture);
    fixture_rows(&fixture, 1000, 1000);
}

static void close_fixture(void)
{
    fixture_close(&fixture);
}

static char *explain(const char *json, int32_t format)
{
    struct pex__plan *plan = plan_of(&fixture, json, PEX__PLAN_EXPLAIN);
    struct pex__buffer out = {0};

    ck_assert_int_eq(pex__plan_explain(plan, &fixture.machine, format, &out), 0);
    ck_assert_int_eq(pex__buffer_add(&out, "", 1), 0);
    pex__plan_free(plan);
    return out.data;
}

START_TEST(text_says_everything)
{
    static const char expected[] =
        "6 operators in 2 stages, 5 partitions, 3 active at once\n"
        "\n"
        "input        1 file, 976.5 KiB (1000000 bytes)\n"
        "export       out/x.jsonl\n"
        "work         out/.partexec/night\n"
        "\n"
        "stage 0\n"
        "    0  text_mapper\n"
        "    1  length_filter               min_len=12  batch_size=50\n"
        "    2  text_deduplicator  observe\n"
        "  convergence point: operator 2 decides when all rows were observed\n"
        "\n"
        "stage 1\n"
        "    2  text_deduplicator  apply\n"
        "    3  network_mapper\n"
        "    4  network_mapper              on_error=fail\n"
        "    5  shared_mapper\n"
        "\n"
        "partitions   5 of 195.3 KiB (200000 bytes)\n"
        "             because: partition.num_of_partitions\n"
        "active       3 at once\n"
        "             because: partition.max_concurrent_partitions\n"
        "threads      2 workers, 4 for blocking operators\n"
        "\n"
        "budgets      elastic\n"
        "       operator           num_proc  shares of the active partitions\n"
        "    0  text_mapper            auto  not shared: an instance per worker\n"
        "    1  length_filter          auto  not shared: an instance per worker\n"
        "    2  text_deduplicator      auto  not shared: an instance per worker\n"
        "    3  network_mapper            4  2 1 1\n"
        "    4  network_mapper            2  the budget of operator 3\n"
        "    5  shared_mapper          auto  not shared: one instance for all workers\n"
        "\n"
        "memory       limit 64.0 MiB (67108864 bytes)\n"
        "             granted at most 62.5 MiB (65536000 bytes)\n"
        "             reserve of a partition 768.0 KiB (786432 bytes)\n"
        "slice        256.0 KiB (262144 bytes)\n"
        "errors       quarantine\n"
        "durability   power, checkpoints on\n"
        "\n"
        "notices\n"
        "  - ignored, without meaning here: project_name (a job has job_id), use_cache (there is "
        "no "
        "cache)\n";
    char *text = explain(spec, PEX_EXPLAIN_TEXT);

    ck_assert_str_eq(text, expected);
    pex_free(text);
}
END_TEST

START_TEST(the_same_plan_gives_the_same_text)
{
    for (int32_t format = PEX_EXPLAIN_TEXT; format <= PEX_EXPLAIN_JSON; format++) {
        char *first = explain(spec, format), *second = explain(spec, format);

        ck_assert_str_eq(first, second);
        pex_free(first);
        pex_free(second);
    }
}
END_TEST

START_TEST(json_has_stable_keys)
{
    static const char *const keys[] = {"version",        "input",        "export",
                                       "export_path",    "work_dir",     "job_id",
                                       "operators",      "stages",       "partitions",
                                       "concurrency",    "scope_policy", "threads",
                                       "memory",         "on_error",     "max_errors",
                                       "max_error_rate", "durability",   "checkpoint_enabled",
                                       "notices"};
    char *text = explain(spec, PEX_EXPLAIN_JSON);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

    ck_assert_msg(root != NULL, "%s", text);
    ck_assert_uint_eq(json_object_size(root), sizeof keys / sizeof *keys);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert_msg(json_object_get(root, keys[i]) != NULL, "%s", keys[i]);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "operators")), 6);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "stages")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(json_object_get(root, "partitions"), "cuts")),
                      6);
    json_decref(root);
    pex_free(text);
}
END_TEST

START_TEST(limits_of_errors_are_said)
{
    const char *limited = "{'max_errors': 3, 'max_error_rate': 0.25}";
    char *text = explain(limited, PEX_EXPLAIN_TEXT);

    ck_assert_ptr_nonnull(
        strstr(text, "errors       quarantine, max_errors 3, max_error_rate 0.25\n"));
    pex_free(text);
    text = explain(limited, PEX_EXPLAIN_JSON);
    ck_assert_ptr_nonnull(strstr(text, "\"max_errors\":3"));
    ck_assert_ptr_nonnull(strstr(text, "\"max_error_rate\":0.25"));
    pex_free(text);
}
END_TEST

START_TEST(a_plan_without_input_says_so)
{
    char *text;

    pex__input_free(fixture.input);
    fixture.input = NULL;
    text = explain("{}", PEX_EXPLAIN_TEXT);
    ck_assert_ptr_nonnull(strstr(text, "input        missing\n"));
    ck_assert_ptr_nonnull(strstr(text, "export       none\n"));
    ck_assert_ptr_nonnull(strstr(text, "planned as if it were empty"));
    ck_assert_ptr_nonnull(strstr(text, "rows are copied"));
    pex_free(text);
    text = explain("{}", PEX_EXPLAIN_JSON);
    ck_assert_ptr_nonnull(strstr(text, "\"missing\":true"));
    pex_free(text);
}
END_TEST

START_TEST(long_parameters_are_not_cut)
{
    size_t size = 20000;
    char *json = malloc(size + 100), *text;

    strcpy(json, "{'process': [{'every_mapper': {'words': '");
    memset(json + strlen(json), 'w', size - strlen(json));
    strcpy(json + size, "'}}]}");
    text = explain(json, PEX_EXPLAIN_TEXT);
    ck_assert_uint_gt(strlen(text), size - 50);
    pex_free(text);
    free(json);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("explain");

    tcase_add_checked_fixture(cases, open_fixture, close_fixture);
    tcase_add_test(cases, text_says_everything);
    tcase_add_test(cases, the_same_plan_gives_the_same_text);
    tcase_add_test(cases, json_has_stable_keys);
    tcase_add_test(cases, limits_of_errors_are_said);
    tcase_add_test(cases, a_plan_without_input_says_so);
    tcase_add_test(cases, long_parameters_are_not_cut);
    return run_suite("explain", cases);
}
