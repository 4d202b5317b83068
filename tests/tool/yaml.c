/* SPDX-License-Identifier: Apache-2.0 */
/* YAML job files: each case beside the JSON, or the place and reason, that it must give. */
#include "yaml_reader.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct yaml_case {
    const char *yaml;
    const char *expected; /* JSON; or line:column: and words of the message */
};

static char *convert(const char *yaml, size_t length)
{
    /* An exact copy, so that a sanitizer sees a read past its end. */
    char *copy = malloc(length ? length : 1);
    struct yaml_error error;
    char *result;

    memcpy(copy, yaml, length);
    if (yaml_to_json(copy, length, &result, &error) &&
        asprintf(&result, "%zu:%zu: %s", error.line, error.column, error.message) < 0)
        abort();
    free(copy);
    return result;
}

static void check_values(const struct yaml_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *document, *found;

        ck_assert_int_ge(asprintf(&document, "k: %s\n", cases[i].yaml), 0);
        found = convert(document, strlen(document));
        if (found[0] == '{') {
            ck_assert_int_eq(strncmp(found, "{\"k\":", 5), 0);
            memmove(found, found + 5, strlen(found + 5) + 1);
            found[strlen(found) - 1] = '\0';
        }
        ck_assert_msg(strcmp(found, cases[i].expected) == 0, "%s: found %s, expected %s",
                      cases[i].yaml, found, cases[i].expected);
        free(found);
        free(document);
    }
}

static void check_documents(const struct yaml_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *found = convert(cases[i].yaml, strlen(cases[i].yaml));

        ck_assert_msg(strncmp(found, cases[i].expected, strlen(cases[i].expected)) == 0,
                      "%s\nfound %s, expected %s", cases[i].yaml, found, cases[i].expected);
        free(found);
    }
}

#define CHECK_VALUES(cases) check_values(cases, sizeof(cases) / sizeof(*(cases)))
#define CHECK_DOCUMENTS(cases) check_documents(cases, sizeof(cases) / sizeof(*(cases)))

START_TEST(words_are_null_true_and_false)
{
    static const struct yaml_case cases[] = {
        {"", "null"},       {"~", "null"},      {"Null", "null"},         {"nULL", "\"nULL\""},
        {"yes", "true"},    {"On", "true"},     {"TRUE", "true"},         {"yEs", "\"yEs\""},
        {"no", "false"},    {"OFF", "false"},   {"False", "false"},       {"n", "\"n\""},
        {"'no'", "\"no\""}, {"\"~\"", "\"~\""}, {"|-\n  yes", "\"yes\""},
    };

    CHECK_VALUES(cases);
}
END_TEST

START_TEST(integers_have_bases_and_underscores)
{
    static const struct yaml_case cases[] = {
        {"0", "0"},
        {"-0", "0"},
        {"+7", "7"},
        {"1_000_", "1000"},
        {"0x1F", "31"},
        {"-0x_1f", "-31"},
        {"0X1F", "\"0X1F\""},
        {"0b1_01", "5"},
        {"-0b11", "-3"},
        {"0777", "511"},
        {"-017", "-15"},
        {"08", "\"08\""},
        {"0o17", "\"0o17\""},
        {"_1", "\"_1\""},
        {"0_", "0"},
        {"0b2", "\"0b2\""},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
    };

    CHECK_VALUES(cases);
}
END_TEST

START_TEST(floats_have_a_point_and_a_signed_exponent)
{
    static const struct yaml_case cases[] = {
        {"0.5", "0.5"},       {".5", "0.5"},      {"-.5", "\"-.5\""},     {"1.", "1.0"},
        {"1_0.2_5", "10.25"}, {"1e5", "\"1e5\""}, {"1.0e5", "\"1.0e5\""}, {"1.0e+5", "100000.0"},
        {"-2.5E-1", "-0.25"}, {".5e+1", "5.0"},   {"1.2.3", "\"1.2.3\""}, {"._5", "\"._5\""},
        {".", "\".\""},       {"0e0", "\"0e0\""}, {"1.e+2", "100.0"},
    };

    CHECK_VALUES(cases);
}
END_TEST

START_TEST(dates_and_other_marks_stay_text)
{
    static const struct yaml_case cases[] = {
        {"2001-01-01", "\"2001-01-01\""},
        {"2001-12-14t21:59:43.10-05:00", "\"2001-12-14t21:59:43.10-05:00\""},
        {"=", "\"=\""},
        {"<<", "\"<<\""},
        {"1:75", "\"1:75\""},
        {"./a/*.jsonl", "\"./a/*.jsonl\""},
        {">\n  two\n  lines\n", "\"two lines\\n\""},
        {"|-\n  two\n  lines", "\"two\\nlines\""},
        {"\"\\u00e9\\x41\"", "\"éA\""},
    };

    CHECK_VALUES(cases);
}
END_TEST

START_TEST(what_json_cannot_hold_is_refused_with_the_remedy)
{
    static const struct yaml_case cases[] = {
        {".inf", "1:4: \".inf\" is not finite, and JSON has no such number; leave the key out or "
                 "give a number"},
        {"[1, -.INF]", "1:8: \"-.INF\" is not finite, and JSON has no such number; leave the key "
                       "out or give a number"},
        {"12:30:45", "1:4: \"12:30:45\" is a number in base 60 to YAML 1.1; write it in quotes to "
                     "make it text"},
        {"1:30.5", "1:4: \"1:30.5\" is a number in base 60 to YAML 1.1; write it in quotes to make "
                   "it text"},
        {"9223372036854775808", "1:4: \"9223372036854775808\" is an integer of more than 64 bits; "
                                "write it in quotes to make it text"},
        {"0x_", "1:4: \"0x_\" is an integer without digits; write it in quotes to make it text"},
        {"1.0e+400", "1:4: \"1.0e+400\" is out of the range of a double; write it in quotes to "
                     "make it text"},
        {"\"\\0\"", "1:4: a NUL character in a text; expected none"},
    };

    CHECK_VALUES(cases);
}
END_TEST

START_TEST(tags_of_the_core_are_obeyed)
{
    static const struct yaml_case cases[] = {
        {"!!str 5", "\"5\""},
        {"!!int \"5\"", "5"},
        {"!!bool yes", "true"},
        {"!!null ~", "null"},
        {"!!seq [1]", "[1]"},
        {"! \"12\"", "12"},
        {"!!int x", "1:4: \"x\" is not what its tag !!int says"},
        {"!local x", "1:4: tag !local means nothing in a job; remove it"},
        {"!!set {a}", "1:4: tag tag:yaml.org,2002:set means nothing in a job; remove it"},
    };

    CHECK_VALUES(cases);
}
END_TEST

START_TEST(aliases_and_merge_keys_are_expanded)
{
    static const struct yaml_case cases[] = {
        {"a: &x {p: 1, q: 2}\nb: *x\n", "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":2}}"},
        {"a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x}\n",
         "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":3}}"},
        {"x: &x {p: 1}\ny: &y {p: 2, q: 3}\nz: {<<: [*x, *y]}\n",
         "{\"x\":{\"p\":1},\"y\":{\"p\":2,\"q\":3},\"z\":{\"p\":1,\"q\":3}}"},
        {"a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}"},
        {"a: *b\n", "1:4: alias *b: no anchor &b before it"},
        {"a: &a [1, *a]\n", "1:11: alias *a stands inside of what it names"},
        {"a: {<<: 5}\n", "1:5: << needs a mapping"},
        {"a: &x [1]\nb: {<<: [*x]}\n", "2:5: << needs a mapping"},
        {"&k a: 1\n", "1:1: an anchor on a key"},
    };

    CHECK_DOCUMENTS(cases);
}
END_TEST

START_TEST(keys_are_texts_that_come_once)
{
    static const struct yaml_case cases[] = {
        {"a: 1\nb: 2\na: 3\n", "3:1: duplicate key \"a\", first on line 1"},
        {"process:\n- op:\n    x: 1\n    \"x\": 2\n", "4:5: duplicate key \"x\", first on line 3"},
        {"a: {a: {a: 1}}\n", "{\"a\":{\"a\":{\"a\":1}}}"},
        {"1: x\n", "1:1: key 1 is not a text; write it in quotes"},
        {"on: x\n", "1:1: key on is not a text"},
        {"~: x\n", "1:1: key ~ is not a text"},
        {"'1': x\n", "{\"1\":\"x\"}"},
        {"? [a]\n: b\n", "1:3: a key that is not a text"},
    };

    CHECK_DOCUMENTS(cases);
}
END_TEST

START_TEST(errors_name_line_and_column)
{
    static const struct yaml_case cases[] = {
        {"", "1:1: the file is empty"},
        {"# nothing\n", "2:1: the file is empty"},
        {"- a\n", "1:1: expected keys of a job"},
        {"a: 1\n---\nb: 2\n", "2:1: a second document"},
        {"a: 1\nb: c: d\n", "2:5: mapping values are not allowed"},
        {"a: 1\n\tb: 2\n", "2:1: found a tab character"},
        {"a: [1,\n", "2:1: did not find expected node content"},
        {"a: b\nc: x\xffy\n", "2:5: invalid leading UTF-8 octet; expected UTF-8"},
        {"\xef\xbb\xbf%YAML 1.1\n---\na: 1\n...\n", "{\"a\":1}"},
    };

    CHECK_DOCUMENTS(cases);
}
END_TEST

START_TEST(nesting_is_bounded)
{
    char text[2000] = "a: ";
    char *found;

    memset(text + 3, '[', 900);
    memset(text + 903, ']', 900);
    found = convert(text, strlen(text));
    ck_assert_str_eq(found, "1:203: nested deeper than 200 levels");
    free(found);
}
END_TEST

START_TEST(expansion_of_aliases_is_bounded)
{
    char text[2000] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    char *found;

    for (int i = 1; i < 12; i++) {
        int end = (int)strlen(text);

        end += sprintf(text + end, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            end += sprintf(text + end, "%s*a%d", j ? ", " : "", i - 1);
        strcpy(text + end, "]\n");
    }
    found = convert(text, strlen(text));
    ck_assert_msg(strstr(found, "larger than 16 MiB") != NULL, "found %.100s", found);
    free(found);
}
END_TEST

/* No prefix of a document may crash the reader, or be taken for more than it is. */
START_TEST(every_prefix_ends_in_json_or_an_error)
{
    static const char text[] = "a: &x {p: [1, 'two', \"\\u00e9\"], q: 0x1f}\nb: {<<: *x}\n"
                               "c: |\n  block\nd: !!str 5\n";

    for (size_t length = 0; length < sizeof(text); length++)
        free(convert(text, length));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("yaml");
    TCase *tests = tcase_create("yaml");
    SRunner *runner;
    int failed;

    tcase_add_test(tests, words_are_null_true_and_false);
    tcase_add_test(tests, integers_have_bases_and_underscores);
    tcase_add_test(tests, floats_have_a_point_and_a_signed_exponent);
    tcase_add_test(tests, dates_and_other_marks_stay_text);
    tcase_add_test(tests, what_json_cannot_hold_is_refused_with_the_remedy);
    tcase_add_test(tests, tags_of_the_core_are_obeyed);
    tcase_add_test(tests, aliases_and_merge_keys_are_expanded);
    tcase_add_test(tests, keys_are_texts_that_come_once);
    tcase_add_test(tests, errors_name_line_and_column);
    tcase_add_test(tests, nesting_is_bounded);
    tcase_add_test(tests, expansion_of_aliases_is_bounded);
    tcase_add_test(tests, every_prefix_ends_in_json_or_an_error);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
