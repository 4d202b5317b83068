/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static void assert_parse_fails(const char *text, size_t length, const char *message)
{
    struct pex_error err = {0};
    pex_spec *spec = NULL;

    ck_assert_int_eq(pex_spec_parse(text, length, &spec, &err), PEX_ESPEC);
    ck_assert_ptr_null(spec);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
}

START_TEST(syntax_errors_have_line_and_column)
{
    static const char broken[] = "{\n  \"np\": 4,,\n}";

    assert_parse_fails(broken, strlen(broken), "line 2, column");
    assert_parse_fails("[]", 2, "expected an object");
    assert_parse_fails("", 0, "line 1");
    assert_parse_fails("{\"a\":1}x", 8, "line 1");
    assert_parse_fails("{\"a\":\"\xff\"}", 9, "decode byte 0xff");
}
END_TEST

START_TEST(a_key_that_is_there_twice_is_an_error)
{
    static const char text[] = "{\"np\": 4, \"np\": 5}";

    assert_parse_fails(text, strlen(text), "duplicate");
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    pex_spec *spec = NULL;
    char *json = NULL;

    ck_assert_int_eq(pex_spec_parse(NULL, 0, &spec, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_spec_parse("{}", 2, NULL, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_spec_parse("{}", 2, &spec, NULL), 0);
    ck_assert_int_eq(pex_spec_set(NULL, "a", "1", NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_spec_set(spec, "", "1", NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_spec_set(spec, "a", NULL, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_spec_get(spec, NULL, &json), PEX_EINVAL);
    ck_assert_int_eq(pex_spec_get(spec, "a", NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_spec_get(spec, "a", &json), PEX_ENOENT);
    pex_spec_release(spec);
    pex_spec_release(NULL);
}
END_TEST

struct set_case {
    const char *before, *path, *value, *get, *after;
};

START_TEST(set_follows_key_paths)
{
    static const struct set_case cases[] = {
        {"{}", "np", "4", "np", "4"},
        {"{'np': 1}", "np", "4", "np", "4"},
        {"{}", "export_path", "out.jsonl", "export_path", "\"out.jsonl\""},
        {"{}", "export_path", "\"7\"", "export_path", "\"7\""},
        {"{}", "a", "1.50", "a", "1.5"},
        {"{}", "a", "true", "a", "true"},
        {"{}", "a", "null", "a", "null"},
        {"{}", "a", "[1, {\"b\": 2}]", "a.1.b", "2"},
        {"{}", "a", "{\"b\": 1, \"b\": 2}", "a", "\"{\\\"b\\\": 1, \\\"b\\\": 2}\""},
        {"{}", "a", "", "a", "\"\""},
        {"{}", "a", "99999999999999999999", "a", "\"99999999999999999999\""},
        {"{}", "a", "9223372036854775807", "a", "9223372036854775807"},
        {"{}", "partition.num_of_partitions", "4", "partition", "{\"num_of_partitions\":4}"},
        {"{'partition': null}", "partition.size", "4", "partition", "{\"size\":4}"},
        {"{'process': [{'a': {'x': 1}}]}", "process.0.a.x", "2", "process", "[{\"a\":{\"x\":2}}]"},
        {"{'process': [{'a': null}]}", "process.0.a.x", "2", "process", "[{\"a\":{\"x\":2}}]"},
        {"{'process': ['a']}", "process.0.a.x", "2", "process", "[{\"a\":{\"x\":2}}]"},
        {"{'process': ['a']}", "process.1", "b", "process", "[\"a\",\"b\"]"},
        {"{'process': ['a']}", "process.1.b.x", "1", "process", "[\"a\",{\"b\":{\"x\":1}}]"},
        {"{}", "process.0.b.x", "1", "process", "[{\"b\":{\"x\":1}}]"},
        {"{}", "a.b.c", "1", "a.b", "{\"c\":1}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pex_spec *spec = spec_of(cases[i].before);
        struct pex_error err = {0};
        char *json = NULL;

        ck_assert_msg(pex_spec_set(spec, cases[i].path, cases[i].value, &err) == 0, "%s",
                      err.message);
        ck_assert_int_eq(pex_spec_get(spec, cases[i].get, &json), 0);
        ck_assert_str_eq(json, cases[i].after);
        pex_free(json);
        pex_spec_release(spec);
    }
}
END_TEST

START_TEST(set_that_cannot_follow_changes_nothing)
{
    static const struct set_case cases[] = {
        {"{'np': 4}", "np.x", "1", "np", "\"np\" is a value"},
        {"{'process': ['a']}", "process.x", "1", "process",
         "expected the number of a list element"},
        {"{'process': ['a']}", "process.5", "1", "process", "(0 to 1)"},
        {"{'process': ['a']}", "process.5.b.c", "1", "process", "(0 to 1)"},
        {"{'process': ['a']}", "process.0.b.c", "1", "process", "is a value"},
        {"{'a': 1}", "b..c", "1", "a", "empty part"},
        {"{'a': 1}", "b.", "1", "a", "empty part"},
        {"{'a': 1}", ".b", "1", "a", "empty part"},
        {"{'a': 1}", "b", "\xff", "a", "UTF-8"},
        {"{'a': 1}", "\xff", "1", "a", "UTF-8"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pex_spec *spec = spec_of(cases[i].before), *untouched = spec_of(cases[i].before);
        struct pex_error err = {0};

        ck_assert_int_eq(pex_spec_set(spec, cases[i].path, cases[i].value, &err), PEX_ESPEC);
        ck_assert_msg(strstr(err.message, cases[i].after) != NULL, "%s", err.message);
        ck_assert(json_equal(spec->root, untouched->root));
        pex_spec_release(spec);
        pex_spec_release(untouched);
    }
}
END_TEST

START_TEST(get_gives_canonical_json)
{
    pex_spec *spec = spec_of("{'b': {'z': 1e3, 'a': [0.1, 'x\\u0000y', null, true]}}");
    char *json = NULL;

    ck_assert_int_eq(pex_spec_get(spec, "b", &json), 0);
    ck_assert_str_eq(json, "{\"a\":[0.1,\"x\\u0000y\",null,true],\"z\":1000.0}");
    pex_free(json);
    ck_assert_int_eq(pex_spec_get(spec, "b.a.0", &json), 0);
    ck_assert_str_eq(json, "0.1");
    pex_free(json);
    ck_assert_int_eq(pex_spec_get(spec, "b.a.9", &json), PEX_ENOENT);
    ck_assert_int_eq(pex_spec_get(spec, "b.z.q", &json), PEX_ENOENT);
    pex_spec_release(spec);
}
END_TEST

START_TEST(nearest_counts_a_swap_as_one_step)
{
    static const char *const names[] = {"text_length_filter", "words_num_filter", "np"};

    ck_assert_str_eq(pex__nearest("text_lenght_filter", names, 3), "text_length_filter");
    ck_assert_str_eq(pex__nearest("word_num_filters", names, 3), "words_num_filter");
    ck_assert_str_eq(pex__nearest("npp", names, 3), "np");
    ck_assert_ptr_null(pex__nearest("completely_else", names, 3));
    ck_assert_ptr_null(pex__nearest("", names, 3));
    ck_assert_ptr_null(pex__nearest("x", names, 0));
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("spec");

    tcase_add_test(cases, syntax_errors_have_line_and_column);
    tcase_add_test(cases, a_key_that_is_there_twice_is_an_error);
    tcase_add_test(cases, bad_arguments_are_refused);
    tcase_add_test(cases, set_follows_key_paths);
    tcase_add_test(cases, set_that_cannot_follow_changes_nothing);
    tcase_add_test(cases, get_gives_canonical_json);
    tcase_add_test(cases, nearest_counts_a_swap_as_one_step);
    return run_suite("spec", cases);
}
