/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as lines: runs, stats, what the lines had around them. */
#include "fixture.h"

static struct fixture f;

static void open_it(void)
{
    fixture_open(&f, "text n !a !b meta.n");
}

static void close_it(void)
{
    fixture_close(&f);
}

enum { TEXT, N, A, B, META_N };

START_TEST(lines_end_with_lf_whatever_they_had_around)
{
    fixture_rows(&f, "{\"n\":1}\r\n  {\"n\":2}\t \n\n\n{\"n\":3}\nbad\n{\"n\":4}\n{\"n\":5}\n");
    ck_assert_str_eq(fixture_text(&f, 0),
                     "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n");
}
END_TEST

START_TEST(stats_of_the_input_are_left_out_or_last)
{
    fixture_rows(&f, "{\"__dj__stats__\":{\"a\":1},\"n\":1}\n"
                     "{\"n\":2}\n"
                     "{\"n\":3, \"__dj__stats__\":{\"a\": 1} }\n"
                     "{\"__dj__stats__\":1,\"n\":4,\"__dj__stats__\":{\"b\":1}}\n"
                     "{\"__dj__stats__\":{}}\n");
    ck_assert_str_eq(fixture_text(&f, 0), "{\"n\":1}\n{\"n\":2}\n{\"n\":3 }\n{\"n\":4}\n{}\n");
    ck_assert_str_eq(fixture_text(&f, 1), "{\"n\":1,\"__dj__stats__\":{\"a\":1}}\n"
                                          "{\"n\":2}\n"
                                          "{\"n\":3, \"__dj__stats__\":{\"a\": 1} }\n"
                                          "{\"n\":4,\"__dj__stats__\":{\"b\":1}}\n"
                                          "{\"__dj__stats__\":{}}\n");
}
END_TEST

START_TEST(stats_come_in_the_order_of_setting)
{
    struct pex_number five = {.type = PEX_NUMBER_INT64, .int64 = 5};
    struct pex_number tenth = {.type = PEX_NUMBER_DOUBLE, .float64 = 0.1};

    fixture_rows(&f, "{\"n\":1}\n{}\n{\"__dj__stats__\":{\"x\":0,\"a\":1}}\n"
                     "{\"__dj__stats__\":7,\"n\":4}\n");
    fixture_call(&f, 0);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(pex_batch_stat_set(f.call, B, i, &tenth), 0);
        ck_assert_int_eq(pex_batch_stat_set(f.call, A, i, &five), 0);
    }
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 1), "{\"n\":1,\"__dj__stats__\":{\"b\":0.1,\"a\":5}}\n"
                                          "{\"__dj__stats__\":{\"b\":0.1,\"a\":5}}\n"
                                          "{\"__dj__stats__\":{\"x\":0,\"a\":5,\"b\":0.1}}\n"
                                          "{\"n\":4,\"__dj__stats__\":{\"b\":0.1,\"a\":5}}\n");
    ck_assert_str_eq(fixture_text(&f, 0), "{\"n\":1}\n{}\n{}\n{\"n\":4}\n");
}
END_TEST

START_TEST(new_fields_come_in_the_order_of_setting)
{
    fixture_rows(&f, "{}\n{\"x\":[] }\n");
    for (int32_t op = 0; op < 2; op++) {
        fixture_call(&f, op);
        pex_batch_set_bool(f.call, op == 0 ? N : TEXT, 0, 1);
        pex_batch_set_bool(f.call, op == 0 ? TEXT : N, 1, 0);
        fixture_commit(&f);
    }
    ck_assert_str_eq(fixture_text(&f, 0), "{\"n\":true,\"text\":true}\n"
                                          "{\"x\":[],\"text\":false,\"n\":false }\n");
}
END_TEST

START_TEST(the_same_key_elsewhere_in_the_row_is_no_duplicate)
{
    fixture_rows(&f, "{\"meta\":{\"n\":1,\"text\":\"\\\"n\\\":2\"},\"n\":3,\"x\":[{\"n\":4}]}\n");
    fixture_call(&f, 0);
    pex_batch_set_int64(f.call, N, 0, 30);
    pex_batch_set_int64(f.call, META_N, 0, 10);
    fixture_commit(&f);
    ck_assert_str_eq(fixture_text(&f, 0),
                     "{\"meta\":{\"n\":10,\"text\":\"\\\"n\\\":2\"},\"n\":30,\"x\":[{\"n\":4}]}\n");
}
END_TEST

START_TEST(output_is_appended)
{
    fixture_rows(&f, "{\"n\":1}\n");
    fixture_text(&f, 0);
    ck_assert_int_eq(pex__batch_encode(f.batch, 0, &f.out, NULL), 0);
    ck_assert_uint_eq(f.out.length, 16);
    ck_assert_mem_eq(f.out.data, "{\"n\":1}\n{\"n\":1}\n", 16);
}
END_TEST

START_TEST(long_strings_are_escaped_whole)
{
    enum { SIZE = 100000 };
    char *text = pex__malloc(SIZE);
    struct pex_string_view value = {text, SIZE};

    memset(text, '\n', SIZE);
    fixture_rows(&f, "{\"text\":\"\",\"n\":1}\n");
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_set_string(f.call, TEXT, 0, value), 0);
    fixture_commit(&f);
    fixture_text(&f, 0);
    ck_assert_uint_eq(f.out.length, 2 * SIZE + 18);
    ck_assert_mem_eq(f.out.data + f.out.length - 11, "\\n\",\"n\":1}\n", 11);
    pex__free(text);
}
END_TEST

TCase *cases_of_encoding(void)
{
    TCase *cases = tcase_create("encoding");

    tcase_add_checked_fixture(cases, open_it, close_it);
    tcase_add_test(cases, lines_end_with_lf_whatever_they_had_around);
    tcase_add_test(cases, stats_of_the_input_are_left_out_or_last);
    tcase_add_test(cases, stats_come_in_the_order_of_setting);
    tcase_add_test(cases, new_fields_come_in_the_order_of_setting);
    tcase_add_test(cases, the_same_key_elsewhere_in_the_row_is_no_duplicate);
    tcase_add_test(cases, output_is_appended);
    tcase_add_test(cases, long_strings_are_escaped_whole);
    return cases;
}
