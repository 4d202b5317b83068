/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "plan/operator.h"

#include <stdlib.h>
#include <string.h>

static struct fixture fixture;

static void open_fixture(void)
{
    fixture_open(&fixture);
}

static void close_fixture(void)
{
    fixture_close(&fixture);
}

static pex_params *params_of(const char *name, const char *json)
{
    const struct pex__operator *operator= pex__registry_find(fixture.registry, name);
    struct pex__buffer errors = {0};
    pex_params *params = NULL;
    pex_spec *spec = spec_of(json);

    ck_assert_msg(pex__params_create(&operator->op, spec->root, "p", &params, &errors) == 0, "%.*s",
                  (int)errors.length, errors.data);
    pex_spec_release(spec);
    pex__buffer_free(&errors);
    return params;
}

/* The errors of every_mapper's parameters. */
static void assert_wrong(const char *json, const char *expected)
{
    const struct pex__operator *operator= pex__registry_find(fixture.registry, "every_mapper");
    struct pex__buffer errors = {0};
    pex_params *params = NULL;
    pex_spec *spec = spec_of(json);

    ck_assert_int_eq(pex__params_create(&operator->op, spec->root, "p", &params, &errors),
                     PEX_ESPEC);
    ck_assert_int_eq(pex__buffer_add(&errors, "", 1), 0);
    ck_assert_msg(strstr(errors.data, expected) != NULL, "%s has not: %s", errors.data, expected);
    pex_spec_release(spec);
    pex__buffer_free(&errors);
}

START_TEST(a_single_value_of_a_list_is_told_from_a_list)
{
    static const char *const given[] = {"'w'", "['w']"};
    struct pex_string_view view;

    for (size_t i = 0; i < 2; i++) {
        char json[32];
        pex_params *params;

        snprintf(json, sizeof json, "{'words': %s}", given[i]);
        params = params_of("every_mapper", json);
        ck_assert_int_eq(pex_params_count(params, "words"), 1);
        ck_assert_int_eq(pex_params_json(params, "words", &view), 0);
        ck_assert_int_eq(view.data[0], i == 0 ? '"' : '[');
        pex__params_free(params);
    }
}
END_TEST

START_TEST(defaults_fill_in)
{
    pex_params *params = params_of("every_mapper", "{}");
    struct pex_string_view view;
    int64_t number;
    double ratio;
    int32_t flag;

    ck_assert_int_eq(pex_params_int64(params, "number", &number), 0);
    ck_assert_int_eq(number, 2);
    ck_assert_int_eq(pex_params_double(params, "ratio", &ratio), 0);
    ck_assert(ratio == 0.5);
    ck_assert_int_eq(pex_params_bool(params, "flag", &flag), 0);
    ck_assert_int_eq(flag, 0);
    ck_assert_int_eq(pex_params_string(params, "mode", &view), 0);
    ck_assert_uint_eq(view.length, 4);
    ck_assert_int_eq(pex_params_count(params, "words"), 0);
    ck_assert_int_eq(pex_params_count(params, "sizes"), 2);
    ck_assert_int_eq(pex_params_int64_at(params, "sizes", 1, &number), 0);
    ck_assert_int_eq(number, 2);
    ck_assert_int_eq(pex_params_is_null(params, "pattern"), 1);
    ck_assert_int_eq(pex_params_is_null(params, "mode"), 0);
    ck_assert_int_eq(pex_params_json(params, "extra", &view), 0);
    ck_assert_uint_eq(view.length, 7);
    ck_assert_int_eq(memcmp(view.data, "{\"a\":1}", 7), 0);
    ck_assert_str_eq(pex__params_given(params), "{}");
    pex__params_free(params);
}
END_TEST

START_TEST(given_values_are_read)
{
    pex_params *params =
        params_of("every_mapper", "{'number': -4, 'ratio': 1, 'flag': true, 'mode': 'fast',"
                                  " 'words': ['a', 'b\\u0000c'], 'sizes': 7, 'pattern': 'x'}");
    struct pex_string_view view;
    int64_t number;
    double ratio;
    int32_t flag;

    ck_assert_int_eq(pex_params_int64(params, "number", &number), 0);
    ck_assert_int_eq(number, -4);
    ck_assert_int_eq(pex_params_double(params, "ratio", &ratio), 0);
    ck_assert(ratio == 1);
    ck_assert_int_eq(pex_params_bool(params, "flag", &flag), 0);
    ck_assert_int_eq(flag, 1);
    ck_assert_int_eq(pex_params_count(params, "words"), 2);
    ck_assert_int_eq(pex_params_string_at(params, "words", 1, &view), 0);
    ck_assert_uint_eq(view.length, 3);
    ck_assert_int_eq(memcmp(view.data, "b\0c", 3), 0);
    ck_assert_int_eq(pex_params_count(params, "sizes"), 1);
    ck_assert_int_eq(pex_params_int64_at(params, "sizes", 0, &number), 0);
    ck_assert_int_eq(number, 7);
    ck_assert_int_eq(pex_params_is_null(params, "pattern"), 0);
    pex__params_free(params);
}
END_TEST

START_TEST(getters_refuse_what_is_not_there)
{
    pex_params *params = params_of("every_mapper", "{}");
    struct pex_string_view view;
    int64_t number;
    double ratio;
    int32_t flag;

    ck_assert_int_eq(pex_params_int64(params, "absent", &number), PEX_ENOENT);
    ck_assert_int_eq(pex_params_is_null(params, "absent"), PEX_ENOENT);
    ck_assert_int_eq(pex_params_count(params, "absent"), PEX_ENOENT);
    ck_assert_int_eq(pex_params_json(params, "absent", &view), PEX_ENOENT);
    ck_assert_int_eq(pex_params_int64(params, "mode", &number), PEX_EINVAL);
    ck_assert_int_eq(pex_params_double(params, "mode", &ratio), PEX_EINVAL);
    ck_assert_int_eq(pex_params_bool(params, "mode", &flag), PEX_EINVAL);
    ck_assert_int_eq(pex_params_string(params, "pattern", &view), PEX_EINVAL);
    ck_assert_int_eq(pex_params_count(params, "mode"), PEX_EINVAL);
    ck_assert_int_eq(pex_params_int64_at(params, "sizes", 2, &number), PEX_ENOENT);
    ck_assert_int_eq(pex_params_string_at(params, "sizes", 0, &view), PEX_EINVAL);
    ck_assert_int_eq(pex_params_int64(NULL, "number", &number), PEX_EINVAL);
    ck_assert_int_eq(pex_params_int64(params, NULL, &number), PEX_EINVAL);
    ck_assert_int_eq(pex_params_int64(params, "number", NULL), PEX_EINVAL);
    pex__params_free(params);
}
END_TEST

START_TEST(wrong_values_are_named)
{
    assert_wrong("{'number': 'x'}", "p.number: found \"x\", expected an integer");
    assert_wrong("{'number': 2.0}", "p.number: found 2.0, expected an integer");
    assert_wrong("{'number': null}", "p.number: found null, expected an integer");
    assert_wrong("{'ratio': 1.01}", "p.ratio: found 1.01, expected a number from 0 to 1");
    assert_wrong("{'ratio': '0.5'}", "p.ratio: found \"0.5\"");
    assert_wrong("{'flag': 1}", "p.flag: found 1, expected true or false");
    assert_wrong("{'mode': 'medium'}", "one of slow|fast");
    assert_wrong("{'mode': 'slow|fast'}", "one of slow|fast");
    assert_wrong("{'mode': ''}", "one of slow|fast");
    assert_wrong("{'words': [1]}", "p.words: found [1], expected a string or a list of strings");
    assert_wrong("{'words': {}}", "p.words");
    assert_wrong("{'sizes': [1, 101]}", "p.sizes: found [1,101]");
    assert_wrong("{'sizes': [1, null]}", "p.sizes");
    assert_wrong("{'pattern': 1}", "p.pattern: found 1, expected a string, or null");
    assert_wrong("{'numbr': 1}", "p.numbr: unknown parameter; the nearest known is number");
    assert_wrong("{'bath_size': 1}", "the nearest known is batch_size");
    assert_wrong("{'qqqqqqqq': 1}", "no known one is near");
}
END_TEST

START_TEST(every_wrong_value_is_listed)
{
    assert_wrong("{'number': 'x', 'flag': 1, 'unknowable': 2}", "p.flag");
    assert_wrong("{'number': 'x', 'flag': 1, 'unknowable': 2}", "p.number");
    assert_wrong("{'number': 'x', 'flag': 1, 'unknowable': 2}", "p.unknowable");
}
END_TEST

START_TEST(found_values_are_cut_to_fit)
{
    assert_wrong(
        "{'mode': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}",
        "aaa..., expected a string");
    assert_wrong(
        "{'mode': '\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
        "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
        "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9'}",
        "\u00e9..., expected a string");
}
END_TEST

START_TEST(required_parameters_are_missed)
{
    const struct pex__operator *operator= pex__registry_find(fixture.registry, "needy_mapper");
    struct pex__buffer errors = {0};
    pex_params *params = NULL;

    ck_assert_int_eq(pex__params_create(&operator->op, NULL, "p", &params, &errors), PEX_ESPEC);
    ck_assert_int_eq(strncmp(errors.data, "p.path: found nothing", 21), 0);
    pex__buffer_free(&errors);
}
END_TEST

START_TEST(equal_parameters_have_equal_keys)
{
    static const char *const pairs[][2] = {
        {"{}", "{'number': 2}"},
        {"{'ratio': 1}", "{'ratio': 1.0}"},
        {"{'ratio': 0.1}", "{'ratio': 1e-1}"},
        {"{'words': 'a'}", "{'words': ['a']}"},
        {"{'sizes': [1, 2]}", "{}"},
        {"{'number': 4, 'flag': true}", "{'flag': true, 'number': 4}"},
        {"{'extra': {'b': 1, 'a': 2}}", "{'extra': {'a': 2, 'b': 1}}"},
        {"{'old': 5}", "{}"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        pex_params *a = params_of("every_mapper", pairs[i][0]);
        pex_params *b = params_of("every_mapper", pairs[i][1]);

        ck_assert_str_eq(pex__params_key(a), pex__params_key(b));
        pex__params_free(a);
        pex__params_free(b);
    }
}
END_TEST

START_TEST(different_parameters_have_different_keys)
{
    pex_params *a = params_of("every_mapper", "{'ratio': 0.1}");
    pex_params *b = params_of("every_mapper", "{'ratio': 0.10000000000000002}");

    ck_assert_str_ne(pex__params_key(a), pex__params_key(b));
    pex__params_free(a);
    pex__params_free(b);
}
END_TEST

START_TEST(given_text_has_what_was_given_only)
{
    pex_params *params = params_of("every_mapper", "{'words': 'a', 'number': 2}");
    struct pex__buffer changed = {0};

    ck_assert_str_eq(pex__params_given(params), "{\"number\":2,\"words\":[\"a\"]}");
    ck_assert_int_eq(pex__params_changed(params, &changed), 0);
    ck_assert_uint_eq(changed.length, strlen("words=\"a\""));
    ck_assert_int_eq(memcmp(changed.data, "words=\"a\"", changed.length), 0);
    pex__buffer_free(&changed);
    pex__params_free(params);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("params");

    tcase_add_checked_fixture(cases, open_fixture, close_fixture);
    tcase_add_test(cases, a_single_value_of_a_list_is_told_from_a_list);
    tcase_add_test(cases, defaults_fill_in);
    tcase_add_test(cases, given_values_are_read);
    tcase_add_test(cases, getters_refuse_what_is_not_there);
    tcase_add_test(cases, wrong_values_are_named);
    tcase_add_test(cases, every_wrong_value_is_listed);
    tcase_add_test(cases, found_values_are_cut_to_fit);
    tcase_add_test(cases, required_parameters_are_missed);
    tcase_add_test(cases, equal_parameters_have_equal_keys);
    tcase_add_test(cases, different_parameters_have_different_keys);
    tcase_add_test(cases, given_text_has_what_was_given_only);
    return run_suite("params", cases);
}
