/* SPDX-License-Identifier: Apache-2.0 */
/* What a set does to a row's bytes. */
#include "fixture.h"

static struct fixture f;

static void open_text(void)
{
    fixture_open(&f, "text meta.lang meta n !len");
}

static void close_it(void)
{
    fixture_close(&f);
}

enum { TEXT, LANG, META, N, LEN };

START_TEST(fields_that_nobody_set_stay_byte_for_byte)
{
    pex_batch *call;

    fixture_rows(&f, "{ \"id\" : 1.50e+2 ,\"text\":\"a\", \"x\":[1,  2,\"\\u0041\"] }\n");
    call = fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_set_string(call, TEXT, 0, SV("b\n")), 0);
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0),
                     "{ \"id\" : 1.50e+2 ,\"text\":\"b\\n\", \"x\":[1,  2,\"\\u0041\"] }\n");
}
END_TEST

START_TEST(an_equal_value_changes_nothing)
{
    static const char row[] = "{\"text\":\"\\u0041\",\"text\":\"\\u0041\",\"n\":5.00}\n";
    pex_batch *call;

    fixture_rows(&f, row);
    call = fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_set_string(call, TEXT, 0, SV("A")), 0);
    ck_assert_int_eq(pex_batch_set_double(call, N, 0, 5), 0);
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), row);
}
END_TEST

START_TEST(a_set_drops_the_duplicates)
{
    pex_batch *call;

    fixture_rows(&f, "{\"text\":1,\"a\":2,\"te\\u0078t\":3,\"b\":4,\"text\":5,\"c\":6}\n");
    call = fixture_call(&f, 0);
    pex_batch_set_int64(call, TEXT, 0, 7);
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"a\":2,\"b\":4,\"text\":7,\"c\":6}\n");
}
END_TEST

START_TEST(a_removal_takes_all_duplicates)
{
    pex_batch *call;

    fixture_rows(&f, "{\"text\":1,\"a\":2,\"text\":3}\n{\"text\":1}\n{\"b\":1}\n");
    call = fixture_call(&f, 0);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(pex_batch_set_missing(call, TEXT, i), 0);
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"a\":2}\n{}\n{\"b\":1}\n");
}
END_TEST

START_TEST(a_field_that_was_removed_is_appended_before_the_stats)
{
    pex_batch *call;

    fixture_rows(&f, "{\"text\":\"a\",\"n\":1,\"__dj__stats__\":{\"len\":1}}\n");
    call = fixture_call(&f, 0);
    pex_batch_set_missing(call, TEXT, 0);
    fixture_commit(&f);
    call = fixture_call(&f, 1);
    pex_batch_set_string(call, TEXT, 0, SV("new"));
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 1),
                     "{\"n\":1,\"text\":\"new\",\"__dj__stats__\":{\"len\":1}}\n");
    ck_assert_str_eq(fixture_text(&f, 0), "{\"n\":1,\"text\":\"new\"}\n");
}
END_TEST

START_TEST(removed_and_set_in_one_call_is_appended_too)
{
    pex_batch *call;

    fixture_rows(&f, "{\"text\":\"a\",\"n\":1}\n");
    call = fixture_call(&f, 0);
    pex_batch_set_missing(call, TEXT, 0);
    pex_batch_set_string(call, TEXT, 0, SV("a"));
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"n\":1,\"text\":\"a\"}\n");
}
END_TEST

START_TEST(missing_parents_are_made)
{
    pex_batch *call;

    fixture_rows(&f, "{}\n{\"meta\":null}\n{\"meta\":{\"a\":1}}\n");
    call = fixture_call(&f, 0);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(pex_batch_set_string(call, LANG, i, SV("en")), 0);
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"meta\":{\"lang\":\"en\"}}\n"
                                          "{\"meta\":{\"lang\":\"en\"}}\n"
                                          "{\"meta\":{\"a\":1,\"lang\":\"en\"}}\n");
}
END_TEST

START_TEST(setting_a_parent_drops_what_was_set_below)
{
    pex_batch *call;

    fixture_rows(&f, "{\"meta\":{\"lang\":\"de\"}}\n{\"meta\":{\"lang\":\"de\"}}\n");
    call = fixture_call(&f, 0);
    pex_batch_set_string(call, LANG, 0, SV("en"));
    pex_batch_set_json(call, META, 0, SV(" {\"x\":\n1} "));
    pex_batch_set_json(call, META, 1, SV("[]"));
    pex_batch_set_string(call, LANG, 1, SV("fr"));
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"meta\":{\"x\": 1}}\n{\"meta\":{\"lang\":\"fr\"}}\n");
}
END_TEST

START_TEST(values_come_back_as_they_were_set)
{
    static const char odd[] = "\0\x1f\"\\/\x7f\xed\xa0\x80z";
    const struct pex_string_view *values;
    const uint8_t *states;
    pex_batch *call;

    fixture_rows(&f, "{\"text\":\"a\"}\n");
    call = fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_set_string(call, TEXT, 0, SV(odd)), 0);
    fixture_commit(&f);
    ck_assert_int_eq(pex__batch_reencode(f.batch, f.scan, NULL), 0);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"text\":\"\\u0000\\u001f\\\"\\\\/\x7f\\ud800z\"}\n");
    pex_batch_strings(fixture_call(&f, 1), TEXT, &values, &states);
    ck_assert_uint_eq(values[0].length, sizeof odd - 1);
    ck_assert_mem_eq(values[0].data, odd, sizeof odd - 1);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(a_pair_of_surrogates_becomes_one_character)
{
    static const char pair[] = "x\xed\xa0\xbd\xed\xb8\x80y\xed\xa0\xbd\xed\xb8\x80";
    pex_batch *call;

    fixture_rows(&f, "{\"text\":\"a\"}\n{\"text\":\"x\\ud83d\\ude00y\\ud83d\\ude00\"}\n");
    call = fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_set_string(call, TEXT, 0, SV(pair)), 0);
    ck_assert_int_eq(pex_batch_set_string(call, TEXT, 1, SV(pair)), 0);
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"text\":\"x\xf0\x9f\x98\x80y\xf0\x9f\x98\x80\"}\n"
                                          "{\"text\":\"x\\ud83d\\ude00y\\ud83d\\ude00\"}\n");
}
END_TEST

START_TEST(what_would_be_no_valid_json_is_refused)
{
    char deep[2200];
    pex_batch *call;

    fixture_rows(&f, "{\"text\":\"a\"}\n");
    call = fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_set_string(call, TEXT, 0, SV("\xff")), PEX_EDATA);
    ck_assert_int_eq(pex_batch_set_string(call, TEXT, 0, SV("\xc3")), PEX_EDATA);
    ck_assert_int_eq(pex_batch_set_double(call, N, 0, 1.0 / 0.0), PEX_EDATA);
    ck_assert_int_eq(pex_batch_set_json(call, N, 0, SV("{\"a\":}")), PEX_EDATA);
    ck_assert_int_eq(pex_batch_set_json(call, N, 0, SV("")), PEX_EDATA);
    memset(deep, '[', 1000);
    memset(deep + 1000, ']', 1000);
    ck_assert_int_eq(pex_batch_set_json(call, N, 0, (struct pex_string_view){deep, 2000}),
                     PEX_EDATA);
    ck_assert_int_eq(pex_batch_set_json(call, N, 0, (struct pex_string_view){deep + 1, 1998}), 0);
    ck_assert_int_eq(pex_batch_set_json(call, LANG, 0, (struct pex_string_view){deep + 1, 1998}),
                     PEX_EDATA);
    ck_assert_uint_eq(fixture_commit(&f).out, 1);
    ck_assert_int_eq(pex__batch_reencode(f.batch, f.scan, NULL), 0);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    struct pex_number nan = {.type = PEX_NUMBER_DOUBLE, .float64 = 0.0 / 0.0};
    pex_batch *call;

    fixture_rows(&f, "{\"text\":\"a\"}\n");
    f.access[N] = PEX_FIELD_READ;
    f.columns[META] = -1;
    call = fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_set_int64(call, N, 0, 1), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_set_int64(call, META, 0, 1), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_set_int64(call, TEXT, 1, 1), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_set_int64(call, 5, 0, 1), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_set_int64(call, -1, 0, 1), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_strings(call, META, NULL, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_stat_set(call, TEXT, 0, &nan), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_stat_set(call, LEN, 0, &nan), PEX_EDATA);
    ck_assert_ptr_null(pex_batch_alloc(call, N, 5));
    pex__call_abort(call);
}
END_TEST

START_TEST(an_aborted_call_leaves_no_trace)
{
    static const char rows[] = "{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
    pex_batch *call;
    size_t count;

    fixture_rows(&f, rows);
    call = fixture_call(&f, 0);
    pex_batch_set_string(call, TEXT, 0, SV("other"));
    pex_batch_set_json(call, META, 1, SV("{}"));
    pex_batch_drop(call, 0);
    pex_batch_append(call, 1, NULL);
    pex_batch_fail_row(call, 1, PEX_EDATA, "no");
    ck_assert_ptr_nonnull(pex_batch_cache_put(call, TEXT, "k", 8));
    pex__call_abort(call);
    ck_assert_str_eq(fixture_text(&f, 0), rows);
    pex__batch_rejects(f.batch, &count);
    ck_assert_uint_eq(count, 0);
    call = fixture_call(&f, 0);
    ck_assert_ptr_null(pex_batch_cache_get(call, TEXT, "k", NULL));
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0), rows);
}
END_TEST

START_TEST(a_string_in_place_is_not_copied_and_the_rest_given_back)
{
    const struct pex_string_view *values;
    const uint8_t *states;
    pex_batch *call;
    char *first, *second;

    fixture_rows(&f, "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    call = fixture_call(&f, 0);
    first = pex_batch_alloc(call, TEXT, 1000);
    memcpy(first, "hello", 5);
    pex_batch_set_string(call, TEXT, 0, (struct pex_string_view){first, 5});
    second = pex_batch_alloc(call, TEXT, 1000);
    ck_assert_ptr_eq(second, first + 5);
    memcpy(second, "..world", 7);
    /* Not its beginning: copied to it. */
    pex_batch_set_string(call, TEXT, 1, (struct pex_string_view){second + 2, 5});
    fixture_commit(&f);
    pex_batch_strings(fixture_call(&f, 1), TEXT, &values, &states);
    ck_assert_ptr_eq(values[0].data, first);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"text\":\"hello\"}\n{\"text\":\"world\"}\n");
    pex__call_abort(f.call);
}
END_TEST

START_TEST(ten_mappers_do_not_hold_ten_copies)
{
    enum { SIZE = 1 << 20 };
    struct pex_string_view value = {NULL, SIZE};
    size_t bytes = 0;
    char *text;

    fixture_rows(&f, "{\"text\":\"a\"}\n");
    for (int32_t op = 0; op < 10; op++) {
        pex_batch *call = fixture_call(&f, op);

        text = pex_batch_alloc(call, TEXT, SIZE);
        memset(text, 'a' + op, SIZE);
        value.data = text;
        ck_assert_int_eq(pex_batch_set_string(call, TEXT, 0, value), 0);
        fixture_commit(&f);
        bytes = pex__batch_bytes(f.batch);
    }
    ck_assert_uint_lt(bytes, 3 * SIZE);
}
END_TEST

TCase *cases_of_sets(void)
{
    TCase *cases = tcase_create("sets");

    tcase_add_checked_fixture(cases, open_text, close_it);
    tcase_add_test(cases, fields_that_nobody_set_stay_byte_for_byte);
    tcase_add_test(cases, an_equal_value_changes_nothing);
    tcase_add_test(cases, a_set_drops_the_duplicates);
    tcase_add_test(cases, a_removal_takes_all_duplicates);
    tcase_add_test(cases, a_field_that_was_removed_is_appended_before_the_stats);
    tcase_add_test(cases, removed_and_set_in_one_call_is_appended_too);
    tcase_add_test(cases, missing_parents_are_made);
    tcase_add_test(cases, setting_a_parent_drops_what_was_set_below);
    tcase_add_test(cases, values_come_back_as_they_were_set);
    tcase_add_test(cases, a_pair_of_surrogates_becomes_one_character);
    tcase_add_test(cases, what_would_be_no_valid_json_is_refused);
    tcase_add_test(cases, wrong_arguments_are_refused);
    tcase_add_test(cases, an_aborted_call_leaves_no_trace);
    tcase_add_test(cases, a_string_in_place_is_not_copied_and_the_rest_given_back);
    tcase_add_test(cases, ten_mappers_do_not_hold_ten_copies);
    return cases;
}
