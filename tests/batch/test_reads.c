/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as operators read them. */
#include "fixture.h"

#include <math.h>

static struct fixture f;

static void open_v(void)
{
    fixture_open(&f, "v w !s __dj__stats__");
}

static void close_it(void)
{
    fixture_close(&f);
}

enum { V, W, S, ALL };

static const char rows[] = "{\"v\":\"plain\"}\n"
                           "{\"v\":\"\\u0041\\n\"}\n"
                           "{\"v\":-12}\n"
                           "{\"v\":1e400}\n"
                           "{\"v\":true}\n"
                           "{\"v\":null}\n"
                           "{}\n"
                           "{\"v\":[1, 2]}\n"
                           "{\"v\":9223372036854775808}\n";

START_TEST(strings_are_views_unless_escaped)
{
    static const uint8_t expected[] = {PEX_STATE_VALUE,   PEX_STATE_VALUE, PEX_STATE_OTHER,
                                       PEX_STATE_OTHER,   PEX_STATE_OTHER, PEX_STATE_NULL,
                                       PEX_STATE_MISSING, PEX_STATE_OTHER, PEX_STATE_OTHER};
    const struct pex_string_view *values;
    const uint8_t *states;

    fixture_rows(&f, rows);
    ck_assert_int_eq(pex_batch_strings(fixture_call(&f, 0), V, &values, &states), 0);
    ck_assert_mem_eq(states, expected, sizeof expected);
    ck_assert_ptr_eq(values[0].data, pex__batch_slice(f.batch)->data + 6);
    ck_assert_uint_eq(values[1].length, 2);
    ck_assert_mem_eq(values[1].data, "A\n", 2);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(tokens_are_not_decoded)
{
    const struct pex_string_view *values;
    const uint8_t *states;

    fixture_rows(&f, rows);
    ck_assert_int_eq(pex_batch_tokens(fixture_call(&f, 0), V, &values, &states), 0);
    ck_assert_uint_eq(states[0], PEX_STATE_VALUE);
    ck_assert_uint_eq(states[1], PEX_STATE_ESCAPED);
    ck_assert_mem_eq(values[1].data, "\\u0041\\n", 8);
    ck_assert_uint_eq(states[6], PEX_STATE_MISSING);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(numbers_are_exact_or_other)
{
    const int64_t *int64;
    const double *float64;
    const uint8_t *states;

    fixture_rows(&f, rows);
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_int64(f.call, V, &int64, &states), 0);
    ck_assert_uint_eq(states[2], PEX_STATE_VALUE);
    ck_assert_int_eq(int64[2], -12);
    ck_assert_uint_eq(states[3], PEX_STATE_OTHER);
    ck_assert_uint_eq(states[8], PEX_STATE_OTHER);
    ck_assert_int_eq(pex_batch_double(f.call, V, &float64, &states), 0);
    ck_assert(float64[2] == -12);
    ck_assert(isinf(float64[3]));
    ck_assert(float64[8] == 9223372036854775808.0);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(json_is_any_value_and_bools_are_bools)
{
    const struct pex_string_view *values;
    const uint8_t *states, *bools;

    fixture_rows(&f, rows);
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_json(f.call, V, &values, &states), 0);
    ck_assert_uint_eq(states[5], PEX_STATE_VALUE);
    ck_assert_mem_eq(values[5].data, "null", 4);
    ck_assert_uint_eq(states[6], PEX_STATE_MISSING);
    ck_assert_mem_eq(values[7].data, "[1, 2]", 6);
    ck_assert_int_eq(pex_batch_bool(f.call, V, &bools, &states), 0);
    ck_assert_uint_eq(states[4], PEX_STATE_VALUE);
    ck_assert_uint_eq(bools[4], 1);
    ck_assert_uint_eq(states[2], PEX_STATE_OTHER);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(a_set_shows_in_the_next_call_only)
{
    const struct pex_string_view *before, *after;
    const uint8_t *states;
    const int64_t *int64;

    fixture_rows(&f, rows);
    fixture_call(&f, 0);
    pex_batch_strings(f.call, V, &before, &states);
    pex_batch_set_string(f.call, V, 0, SV("new"));
    pex_batch_set_int64(f.call, V, 1, 7);
    pex_batch_strings(f.call, V, &after, &states);
    ck_assert_mem_eq(after[0].data, "plain", 5);
    fixture_commit(&f);
    fixture_call(&f, 1);
    pex_batch_strings(f.call, V, &after, &states);
    ck_assert_mem_eq(after[0].data, "new", 3);
    ck_assert_uint_eq(states[1], PEX_STATE_OTHER);
    pex_batch_int64(f.call, V, &int64, &states);
    ck_assert_int_eq(int64[1], 7);
    ck_assert_uint_eq(states[0], PEX_STATE_OTHER);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(a_view_outlives_later_sets_of_the_call)
{
    const struct pex_string_view *values;
    const uint8_t *states;
    char big[5000];

    memset(big, 'x', sizeof big);
    fixture_rows(&f, rows);
    pex_batch_set_string(fixture_call(&f, 0), V, 0, SV("first"));
    fixture_commit(&f);
    pex_batch_strings(fixture_call(&f, 1), V, &values, &states);
    for (int i = 0; i < 1000; i++) {
        big[0] = (char)('a' + i % 26);
        pex_batch_set_string(f.call, V, 0, (struct pex_string_view){big, sizeof big});
    }
    ck_assert_mem_eq(values[0].data, "first", 5);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(stats_are_read_as_they_are_typed)
{
    struct pex_number number;

    fixture_rows(&f, "{\"__dj__stats__\":{\"s\":5}}\n{\"__dj__stats__\":{\"s\":5.0}}\n"
                     "{\"__dj__stats__\":{\"s\":\"x\"}}\n{}\n{\"__dj__stats__\":3}\n");
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 0, &number), 0);
    ck_assert_int_eq(number.type, PEX_NUMBER_INT64);
    ck_assert_int_eq(number.int64, 5);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 1, &number), 0);
    ck_assert_int_eq(number.type, PEX_NUMBER_DOUBLE);
    ck_assert(number.float64 == 5);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 2, &number), PEX_EDATA);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 3, &number), PEX_ENOENT);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 4, &number), PEX_ENOENT);
    ck_assert_int_eq(pex_batch_stat_get(f.call, V, 0, &number), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 9, &number), PEX_EINVAL);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(stats_that_were_set_are_read_in_the_next_call)
{
    struct pex_number five = {.type = PEX_NUMBER_INT64, .int64 = 5}, number;
    struct pex_number half = {.type = PEX_NUMBER_DOUBLE, .float64 = 0.5};
    struct pex_number wrong = {.type = 7};

    fixture_rows(&f, "{}\n{}\n{}\n");
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_stat_set(f.call, S, 0, &five), 0);
    ck_assert_int_eq(pex_batch_stat_set(f.call, S, 1, &half), 0);
    ck_assert_int_eq(pex_batch_set_bool(f.call, S, 2, 1), 0);
    ck_assert_int_eq(pex_batch_stat_set(f.call, S, 0, &wrong), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 0, &number), PEX_ENOENT);
    fixture_commit(&f);
    fixture_call(&f, 1);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 0, &number), 0);
    ck_assert_int_eq(number.int64, 5);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 1, &number), 0);
    ck_assert(number.type == PEX_NUMBER_DOUBLE && number.float64 == 0.5);
    ck_assert_int_eq(pex_batch_stat_get(f.call, S, 2, &number), PEX_EDATA);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(a_call_sees_that_it_is_cancelled)
{
    _Atomic int32_t cancelled = 0;

    fixture_rows(&f, rows);
    f.call = pex__call_begin(f.batch, &f.site, 0, 1, &cancelled);
    ck_assert_int_eq(pex_batch_cancelled(f.call), 0);
    cancelled = 1;
    ck_assert_int_ne(pex_batch_cancelled(f.call), 0);
    pex__call_abort(f.call);
    ck_assert_int_eq(pex_batch_cancelled(fixture_call(&f, 0)), 0);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(all_stats_read_as_one_object)
{
    const struct pex_string_view *values;
    const uint8_t *states;

    fixture_rows(&f, "{\"__dj__stats__\":{\"a\":1}}\n{}\n");
    fixture_call(&f, 0);
    pex_batch_set_int64(f.call, S, 0, 2);
    pex_batch_set_int64(f.call, S, 1, 3);
    fixture_commit(&f);
    ck_assert_int_eq(pex_batch_json(fixture_call(&f, 1), ALL, &values, &states), 0);
    ck_assert_mem_eq(values[0].data, "{\"a\":1,\"s\":2}", 13);
    ck_assert_mem_eq(values[1].data, "{\"s\":3}", 7);
    pex_batch_strings(f.call, ALL, &values, &states);
    ck_assert_uint_eq(states[1], PEX_STATE_OTHER);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(what_is_cached_lives_until_the_column_changes)
{
    size_t size;
    int *words;

    fixture_rows(&f, rows);
    fixture_call(&f, 0);
    ck_assert_ptr_null(pex_batch_cache_get(f.call, V, "words", NULL));
    words = pex_batch_cache_put(f.call, V, "words", 3 * sizeof *words);
    ck_assert_int_eq(words[2], 0);
    words[2] = 7;
    ck_assert_ptr_null(pex_batch_cache_put(f.call, V, "words", 1));
    pex_batch_set_string(f.call, W, 0, SV("w"));
    fixture_commit(&f);
    fixture_call(&f, 1);
    ck_assert_ptr_eq(pex_batch_cache_get(f.call, V, "words", &size), words);
    ck_assert_uint_eq(size, 3 * sizeof *words);
    ck_assert_ptr_null(pex_batch_cache_get(f.call, V, "lines", NULL));
    pex_batch_set_string(f.call, V, 0, SV("changed"));
    fixture_commit(&f);
    ck_assert_ptr_null(pex_batch_cache_get(fixture_call(&f, 2), V, "words", NULL));
    pex__call_abort(f.call);
}
END_TEST

START_TEST(what_is_cached_per_row_follows_its_rows)
{
    const size_t *lengths;
    size_t *made, size, count;
    char *room;

    fixture_rows(&f, rows);
    fixture_call(&f, 0);
    count = pex_batch_rows(f.call);
    made = pex_batch_cache_put_rows(f.call, V, "lengths", sizeof *made);
    room = pex_batch_cache_room(f.call, V, 100);
    memset(room, 'x', 100);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(made[i], 0);
        made[i] = i + 1;
    }
    ck_assert_ptr_nonnull(pex_batch_cache_put(f.call, V, "plain", 8));
    pex_batch_drop(f.call, 1);
    fixture_commit(&f);
    fixture_call(&f, 1);
    lengths = pex_batch_cache_get(f.call, V, "lengths", &size);
    ck_assert_uint_eq(size, (count - 1) * sizeof *lengths);
    ck_assert_uint_eq(lengths[0], 1);
    for (size_t i = 1; i < count - 1; i++)
        ck_assert_uint_eq(lengths[i], i + 2);
    ck_assert_int_eq(room[99], 'x');
    ck_assert_ptr_null(pex_batch_cache_get(f.call, V, "plain", NULL));
    pex_batch_fail_row(f.call, 0, PEX_EDATA, "no");
    fixture_commit(&f);
    fixture_call(&f, 2);
    lengths = pex_batch_cache_get(f.call, V, "lengths", &size);
    ck_assert_uint_eq(size, (count - 2) * sizeof *lengths);
    ck_assert_uint_eq(lengths[0], 3);
    ck_assert_ptr_null(pex_batch_cache_put_rows(f.call, V, "none", 0));
    ck_assert_ptr_null(pex_batch_cache_put_rows(f.call, V, "large", SIZE_MAX));
    ck_assert_ptr_null(pex_batch_cache_put_rows(f.call, 99, "k", 8));
    ck_assert_ptr_null(pex_batch_cache_room(f.call, 99, 8));
    pex_batch_set_string(f.call, V, 0, SV("changed"));
    fixture_commit(&f);
    ck_assert_ptr_null(pex_batch_cache_get(fixture_call(&f, 0), V, "lengths", NULL));
    pex__call_abort(f.call);
}
END_TEST

START_TEST(rows_cached_of_another_window_move_with_it)
{
    int *made;

    fixture_rows(&f, rows);
    f.call = pex__call_begin(f.batch, &f.site, 2, 1, NULL);
    made = pex_batch_cache_put_rows(f.call, V, "k", sizeof *made);
    made[0] = 9;
    fixture_commit(&f);
    f.call = pex__call_begin(f.batch, &f.site, 0, 2, NULL);
    pex_batch_drop(f.call, 0);
    fixture_commit(&f);
    f.call = pex__call_begin(f.batch, &f.site, 1, 1, NULL);
    ck_assert_int_eq(*(const int *)pex_batch_cache_get(f.call, V, "k", NULL), 9);
    pex__call_abort(f.call);
    f.call = pex__call_begin(f.batch, &f.site, 0, 2, NULL);
    pex_batch_drop(f.call, 1);
    fixture_commit(&f);
    ck_assert_ptr_null(pex_batch_cache_get(fixture_call(&f, 0), V, "k", NULL));
    pex__call_abort(f.call);
}
END_TEST

START_TEST(what_is_cached_goes_when_a_row_leaves_and_belongs_to_its_window)
{
    fixture_rows(&f, rows);
    ck_assert_ptr_nonnull(pex_batch_cache_put(fixture_call(&f, 0), V, "k", 1));
    fixture_commit(&f);
    f.call = pex__call_begin(f.batch, &f.site, 0, 2, NULL);
    ck_assert_ptr_null(pex_batch_cache_get(f.call, V, "k", NULL));
    pex_batch_drop(f.call, 0);
    fixture_commit(&f);
    ck_assert_ptr_null(pex_batch_cache_get(fixture_call(&f, 1), V, "k", NULL));
    pex__call_abort(f.call);
}
END_TEST

static void assert_row(size_t row, const char *expected)
{
    struct pex_string_view json;

    ck_assert_int_eq(pex_batch_row_json(f.call, row, &json), 0);
    ck_assert_uint_eq(json.length, strlen(expected));
    ck_assert_mem_eq(json.data, expected, json.length);
}

START_TEST(a_row_reads_whole_as_it_was_before_the_call)
{
    struct pex_string_view json;

    fixture_rows(&f, "{\"v\": 1}\n{\"w\":2, \"v\":[]}\n");
    fixture_call(&f, 0);
    assert_row(0, "{\"v\": 1}");
    pex_batch_set_string(f.call, V, 0, SV("x"));
    pex_batch_set_bool(f.call, S, 1, 1);
    assert_row(0, "{\"v\": 1}");
    ck_assert_int_eq(pex_batch_row_json(f.call, 2, &json), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_row_json(f.call, 0, NULL), PEX_EINVAL);
    fixture_commit(&f);
    fixture_call(&f, 1);
    assert_row(0, "{\"v\": \"x\"}");
    assert_row(1, "{\"w\":2, \"v\":[],\"__dj__stats__\":{\"s\":true}}");
    pex__call_abort(f.call);
}
END_TEST

TCase *cases_of_reads(void)
{
    TCase *cases = tcase_create("reads");

    tcase_add_checked_fixture(cases, open_v, close_it);
    tcase_add_test(cases, strings_are_views_unless_escaped);
    tcase_add_test(cases, tokens_are_not_decoded);
    tcase_add_test(cases, numbers_are_exact_or_other);
    tcase_add_test(cases, json_is_any_value_and_bools_are_bools);
    tcase_add_test(cases, a_set_shows_in_the_next_call_only);
    tcase_add_test(cases, a_view_outlives_later_sets_of_the_call);
    tcase_add_test(cases, stats_are_read_as_they_are_typed);
    tcase_add_test(cases, stats_that_were_set_are_read_in_the_next_call);
    tcase_add_test(cases, a_call_sees_that_it_is_cancelled);
    tcase_add_test(cases, a_row_reads_whole_as_it_was_before_the_call);
    tcase_add_test(cases, all_stats_read_as_one_object);
    tcase_add_test(cases, what_is_cached_lives_until_the_column_changes);
    tcase_add_test(cases, what_is_cached_per_row_follows_its_rows);
    tcase_add_test(cases, rows_cached_of_another_window_move_with_it);
    tcase_add_test(cases, what_is_cached_goes_when_a_row_leaves_and_belongs_to_its_window);
    return cases;
}
