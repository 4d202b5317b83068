/* SPDX-License-Identifier: Apache-2.0 */
/* One call on the rows of several batches. */
#include "fixture.h"

#include <stdio.h>

enum { BATCHES = 3 };

static struct fixture all[BATCHES];
static pex_batch *call;

/* The second batch has rows of its own in front of the window, the third behind it. */
static void open_all(void)
{
    static const char *const rows[BATCHES] = {
        "{\"t\":\"a\",\"n\":0,\"d\":0.5,\"b\":true}\n{\"t\":\"\\u0062\",\"n\":1}\n",
        "{\"t\":\"before\"}\n{\"n\":2,\"t\":\"c\"}\n",
        "{\"t\":\"d\",\"n\":3,\"__dj__stats__\":{\"s\":7}}\n{\"t\":null,\"n\":4}\n{\"n\":5}\n",
    };
    static const size_t firsts[BATCHES] = {0, 1, 0}, counts[BATCHES] = {2, 1, 2};
    pex_batch *calls[BATCHES];

    for (int i = 0; i < BATCHES; i++) {
        fixture_open(&all[i], "t n d b !s");
        fixture_rows(&all[i], rows[i]);
        all[i].call = pex__call_begin(all[i].batch, &all[i].site, firsts[i], counts[i], NULL);
        ck_assert_ptr_nonnull(all[i].call);
        calls[i] = all[i].call;
    }
    call = pex__call_join(calls, BATCHES);
    ck_assert_ptr_nonnull(call);
}

static void close_all(void)
{
    for (int i = 0; i < BATCHES; i++)
        fixture_close(&all[i]);
}

/* Ends the call as the engine does; what each part says goes to results. */
static size_t commit(struct pex__call_result *results)
{
    size_t count = pex__call_split(call);

    for (size_t i = 0; i < BATCHES; i++) {
        if (i < count)
            results[i] = fixture_commit(&all[i]);
        else
            pex__call_abort(all[i].call);
    }
    return count;
}

static void assert_texts(const char *first, const char *second, const char *third)
{
    ck_assert_str_eq(fixture_text(&all[0], 1), first);
    ck_assert_str_eq(fixture_text(&all[1], 1), second);
    ck_assert_str_eq(fixture_text(&all[2], 1), third);
}

START_TEST(columns_have_the_rows_of_all_batches)
{
    const struct pex_string_view *texts, *again, *json, *tokens;
    const int64_t *integers;
    const double *doubles;
    const uint8_t *states, *bools;

    ck_assert_uint_eq(pex_batch_rows(call), 5);
    ck_assert_int_eq(pex_batch_strings(call, 0, &texts, &states), 0);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(states[i], PEX_STATE_VALUE);
        ck_assert_uint_eq(texts[i].length, 1);
        ck_assert_int_eq(texts[i].data[0], "abcd"[i]);
    }
    ck_assert_uint_eq(states[4], PEX_STATE_NULL);
    ck_assert_int_eq(pex_batch_strings(call, 0, &again, NULL), 0);
    ck_assert_ptr_eq(again, texts);
    ck_assert_int_eq(pex_batch_tokens(call, 0, &tokens, &states), 0);
    ck_assert_uint_eq(states[1], PEX_STATE_ESCAPED);
    ck_assert_uint_eq(tokens[1].length, 6);
    ck_assert_int_eq(pex_batch_int64(call, 1, &integers, &states), 0);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(integers[i], i);
    ck_assert_int_eq(pex_batch_double(call, 2, &doubles, &states), 0);
    ck_assert(doubles[0] == 0.5 && states[0] == PEX_STATE_VALUE);
    ck_assert_uint_eq(states[3], PEX_STATE_MISSING);
    ck_assert_int_eq(pex_batch_bool(call, 3, &bools, &states), 0);
    ck_assert(bools[0] == 1 && states[0] == PEX_STATE_VALUE);
    ck_assert_int_eq(pex_batch_json(call, 1, &json, NULL), 0);
    ck_assert(json[3].length == 1 && json[3].data[0] == '3');
    ck_assert_int_eq(pex_batch_strings(call, 7, &texts, NULL), PEX_EINVAL);
}
END_TEST

START_TEST(changes_go_to_the_batch_of_the_row)
{
    struct pex__call_result results[BATCHES];
    struct pex_number number = {.type = PEX_NUMBER_INT64, .int64 = 9}, found;
    size_t child;

    ck_assert_int_eq(pex_batch_set_string(call, 0, 4, SV("last")), 0);
    ck_assert_int_eq(pex_batch_set_int64(call, 1, 0, 10), 0);
    ck_assert_int_eq(pex_batch_set_double(call, 2, 2, 2.5), 0);
    ck_assert_int_eq(pex_batch_set_bool(call, 3, 2, 1), 0);
    ck_assert_int_eq(pex_batch_set_json(call, 1, 2, SV("[2]")), 0);
    ck_assert_int_eq(pex_batch_set_missing(call, 1, 4), 0);
    ck_assert_int_eq(pex_batch_stat_get(call, 4, 3, &found), 0);
    ck_assert_int_eq(found.int64, 7);
    ck_assert_int_eq(pex_batch_stat_set(call, 4, 3, &number), 0);
    ck_assert_int_eq(pex_batch_drop(call, 1), 0);
    ck_assert_int_eq(pex_batch_append(call, 2, &child), 0);
    ck_assert_uint_eq(child, 5);
    ck_assert_int_eq(pex_batch_append(call, 0, &child), 0);
    ck_assert_uint_eq(child, 6);
    ck_assert_int_eq(pex_batch_set_string(call, 0, 5, SV("child of c")), 0);
    ck_assert_int_eq(pex_batch_set_string(call, 0, 6, SV("child of a")), 0);
    ck_assert_uint_eq(commit(results), BATCHES);
    assert_texts("{\"t\":\"a\",\"n\":10,\"d\":0.5,\"b\":true}\n"
                 "{\"t\":\"child of a\",\"n\":0,\"d\":0.5,\"b\":true}\n",
                 "{\"t\":\"before\"}\n{\"n\":[2],\"t\":\"c\",\"d\":2.5,\"b\":true}\n"
                 "{\"n\":2,\"t\":\"child of c\"}\n",
                 "{\"t\":\"d\",\"n\":3,\"__dj__stats__\":{\"s\":9}}\n{\"t\":\"last\"}\n"
                 "{\"n\":5}\n");
    ck_assert_uint_eq(results[0].dropped, 1);
    ck_assert_uint_eq(results[0].added, 1);
    ck_assert_uint_eq(results[1].out, 2);
    ck_assert_uint_eq(results[2].in, 2);
}
END_TEST

START_TEST(failed_rows_are_rejects_of_their_batch)
{
    struct pex__call_result results[BATCHES];
    const struct pex__reject *rejects;
    size_t count;

    ck_assert_int_eq(pex_batch_fail_row(call, 4, PEX_EDATA, "the last"), 0);
    ck_assert_int_eq(pex_batch_fail_row(call, 5, PEX_EDATA, "nobody"), PEX_EINVAL);
    commit(results);
    ck_assert_uint_eq(results[0].failed + results[1].failed, 0);
    ck_assert_uint_eq(results[2].failed, 1);
    rejects = pex__batch_rejects(all[2].batch, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(rejects[0].message, "the last");
}
END_TEST

START_TEST(an_aborted_call_changes_no_batch)
{
    for (size_t row = 0; row < 5; row++) {
        ck_assert_int_eq(pex_batch_set_string(call, 0, row, SV("no")), 0);
        ck_assert_int_eq(
            row % 2 == 0 ? pex_batch_drop(call, row) : pex_batch_append(call, row, NULL), 0);
    }
    for (int i = 0; i < BATCHES; i++)
        pex__call_abort(all[i].call);
    assert_texts("{\"t\":\"a\",\"n\":0,\"d\":0.5,\"b\":true}\n{\"t\":\"\\u0062\",\"n\":1}\n",
                 "{\"t\":\"before\"}\n{\"n\":2,\"t\":\"c\"}\n",
                 "{\"t\":\"d\",\"n\":3,\"__dj__stats__\":{\"s\":7}}\n{\"t\":null,\"n\":4}\n"
                 "{\"n\":5}\n");
}
END_TEST

/* Rows consumed: so many of each batch. */
static const struct {
    size_t consumed, parts, in[BATCHES];
} splits[] = {
    {1, 1, {1}}, {2, 1, {2}}, {3, 2, {2, 1}}, {4, 3, {2, 1, 1}}, {5, 3, {2, 1, 2}},
};

START_TEST(rows_that_are_not_consumed_come_again)
{
    struct pex__call_result results[BATCHES] = {{0}};

    for (size_t row = 0; row < 5; row++)
        ck_assert_int_eq(pex_batch_drop(call, row), 0);
    ck_assert_int_eq(pex_batch_consumed(call, 6), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_consumed(call, splits[_i].consumed), 0);
    ck_assert_uint_eq(commit(results), splits[_i].parts);
    for (int i = 0; i < BATCHES; i++) {
        ck_assert_uint_eq(results[i].in, splits[_i].in[i]);
        ck_assert_uint_eq(results[i].dropped, splits[_i].in[i]);
    }
    ck_assert_uint_eq(pex__batch_rows(all[0].batch) + pex__batch_rows(all[1].batch) +
                          pex__batch_rows(all[2].batch),
                      7 - splits[_i].consumed);
}
END_TEST

START_TEST(row_ids_are_those_of_the_rows)
{
    const struct pex_row_id *ids, *again;

    ck_assert_int_eq(pex_batch_row_ids(call, &ids), 0);
    ck_assert_uint_eq(ids[0].offset, 100);
    ck_assert_uint_eq(ids[2].offset, 100 + strlen("{\"t\":\"before\"}\n"));
    ck_assert_uint_eq(ids[3].offset, 100);
    ck_assert_int_eq(pex_batch_row_ids(call, &again), 0);
    ck_assert_ptr_eq(again, ids);
}
END_TEST

START_TEST(rows_that_are_not_there_are_refused)
{
    const struct pex_number number = {.type = PEX_NUMBER_INT64};
    static const size_t rows[] = {5, 6, SIZE_MAX};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(pex_batch_drop(call, rows[i]), PEX_EINVAL);
        ck_assert_int_eq(pex_batch_append(call, rows[i], NULL), PEX_EINVAL);
        ck_assert_int_eq(pex_batch_set_int64(call, 1, rows[i], 1), PEX_EINVAL);
        ck_assert_int_eq(pex_batch_stat_set(call, 4, rows[i], &number), PEX_EINVAL);
    }
    /* A child is no input row. */
    ck_assert_int_eq(pex_batch_append(call, 1, NULL), 0);
    ck_assert_int_eq(pex_batch_drop(call, 5), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_append(call, 5, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_set_int64(call, 1, 5, 1), 0);
}
END_TEST

START_TEST(memory_of_one_batch_may_be_set_in_another)
{
    struct pex__call_result results[BATCHES];

    for (size_t row = 0; row < 5; row++) {
        char *room = pex_batch_alloc(call, 0, 100);
        int length;

        ck_assert_ptr_nonnull(room);
        length = snprintf(room, 100, "text of %zu", row);
        ck_assert_int_eq(
            pex_batch_set_string(call, 0, row, (struct pex_string_view){room, (size_t)length}), 0);
    }
    commit(results);
    assert_texts("{\"t\":\"text of 0\",\"n\":0,\"d\":0.5,\"b\":true}\n"
                 "{\"t\":\"text of 1\",\"n\":1}\n",
                 "{\"t\":\"before\"}\n{\"n\":2,\"t\":\"text of 2\"}\n",
                 "{\"t\":\"text of 3\",\"n\":3,\"__dj__stats__\":{\"s\":7}}\n"
                 "{\"t\":\"text of 4\",\"n\":4}\n{\"n\":5}\n");
}
END_TEST

START_TEST(what_is_cached_ends_with_the_call)
{
    struct pex__call_result results[BATCHES];
    size_t size = 0;
    char *words = pex_batch_cache_put(call, 0, "words", 8);

    ck_assert_ptr_nonnull(words);
    ck_assert_int_eq(words[0] | words[7], 0);
    ck_assert_ptr_null(pex_batch_cache_put(call, 0, "words", 8));
    ck_assert_ptr_nonnull(pex_batch_cache_put(call, 1, "words", 0));
    ck_assert_ptr_eq(pex_batch_cache_get(call, 0, "words", &size), words);
    ck_assert_uint_eq(size, 8);
    ck_assert_ptr_null(pex_batch_cache_get(call, 0, "lines", NULL));
    ck_assert_ptr_nonnull(pex_batch_cache_put_rows(call, 0, "rows", 4));
    ck_assert_ptr_nonnull(pex_batch_cache_get(call, 0, "rows", &size));
    ck_assert_uint_eq(size, 4 * 5);
    ck_assert_ptr_nonnull(pex_batch_cache_room(call, 0, 100));
    commit(results);
    ck_assert_ptr_null(pex_batch_cache_get(fixture_call(&all[0], 1), 0, "words", NULL));
    pex__call_abort(all[0].call);
}
END_TEST

START_TEST(more_children_than_expected_keep_their_batch)
{
    struct pex__call_result results[BATCHES];
    size_t child;

    for (size_t i = 0; i < 1000; i++) {
        ck_assert_int_eq(pex_batch_append(call, i % 5, &child), 0);
        ck_assert_uint_eq(child, 5 + i);
    }
    for (size_t i = 0; i < 1000; i++)
        ck_assert_int_eq(pex_batch_set_int64(call, 1, 5 + i, (int64_t)(1000 + i % 5)), 0);
    commit(results);
    ck_assert_uint_eq(results[0].added, 400);
    ck_assert_uint_eq(results[1].added, 200);
    ck_assert_uint_eq(results[2].added, 400);
    ck_assert_ptr_null(strstr(fixture_text(&all[0], 0), "1002"));
    ck_assert_ptr_nonnull(strstr(fixture_text(&all[1], 0), "1002"));
    ck_assert_ptr_nonnull(strstr(fixture_text(&all[2], 0), "1004"));
}
END_TEST

static void begin_phase(int32_t phase)
{
    pex_batch *calls[BATCHES];

    for (int i = 0; i < BATCHES; i++) {
        pex__call_abort(all[i].call);
        all[i].site.cardinality = PEX_GLOBAL;
        all[i].site.phase = phase;
        calls[i] = fixture_call(&all[i], 2);
    }
    call = pex__call_join(calls, BATCHES);
    ck_assert_ptr_nonnull(call);
}

START_TEST(keys_go_to_the_batch_of_the_row)
{
    static const size_t rows[BATCHES] = {2, 2, 3};
    struct pex__call_result results[BATCHES];
    struct pex_string_view records;
    size_t count;

    begin_phase(PEX__PHASE_OBSERVE);
    for (size_t row = 0; row < 7; row++)
        ck_assert_int_eq(pex_keys_emit(call, row, &row, 1), 0);
    ck_assert_int_eq(pex_keys_emit(call, 7, "k", 1), PEX_EINVAL);
    commit(results);
    for (int i = 0; i < BATCHES; i++) {
        records = pex__batch_keys(all[i].batch, &count);
        ck_assert_uint_eq(count, rows[i]);
        ck_assert_int_eq(records.data[5], i == 0 ? 0 : i == 1 ? 2 : 4);
    }
}
END_TEST

START_TEST(counts_are_those_of_the_rows)
{
    static const uint32_t own[BATCHES][3] = {{1, 2}, {3, 4}, {5, 6, 7}};
    struct pex_string_view said = {"verdict", 7}, told;
    const uint32_t *counts;

    for (int i = 0; i < BATCHES; i++)
        ck_assert_int_eq(pex__batch_set_counts(all[i].batch, own[i], said), 0);
    begin_phase(PEX__PHASE_OBSERVE);
    ck_assert_int_eq(pex_batch_counts(call, &counts), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_told(call, &told), PEX_EINVAL);
    begin_phase(PEX__PHASE_APPLY);
    ck_assert_int_eq(pex_batch_counts(call, &counts), 0);
    ck_assert_int_eq(pex_batch_told(call, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_told(call, &told), 0);
    ck_assert(told.data == said.data && told.length == said.length);
    for (uint32_t i = 0; i < 7; i++)
        ck_assert_uint_eq(counts[i], i + 1);
    for (int i = 0; i < BATCHES; i++)
        pex__call_abort(all[i].call);
}
END_TEST

TCase *cases_of_joined(void)
{
    TCase *tcase = tcase_create("joined");

    tcase_add_checked_fixture(tcase, open_all, close_all);
    tcase_add_test(tcase, columns_have_the_rows_of_all_batches);
    tcase_add_test(tcase, changes_go_to_the_batch_of_the_row);
    tcase_add_test(tcase, failed_rows_are_rejects_of_their_batch);
    tcase_add_test(tcase, an_aborted_call_changes_no_batch);
    tcase_add_loop_test(tcase, rows_that_are_not_consumed_come_again, 0,
                        (int)(sizeof splits / sizeof *splits));
    tcase_add_test(tcase, row_ids_are_those_of_the_rows);
    tcase_add_test(tcase, rows_that_are_not_there_are_refused);
    tcase_add_test(tcase, memory_of_one_batch_may_be_set_in_another);
    tcase_add_test(tcase, what_is_cached_ends_with_the_call);
    tcase_add_test(tcase, more_children_than_expected_keep_their_batch);
    tcase_add_test(tcase, keys_go_to_the_batch_of_the_row);
    tcase_add_test(tcase, counts_are_those_of_the_rows);
    return tcase;
}
