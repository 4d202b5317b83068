/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of batches: kept, counted, given back, and not there. */
#include "fixture.h"

#include <stdlib.h>

static struct fixture f;

static void open_it(void)
{
    fixture_open(&f, "text meta.lang n !len");
}

static void close_it(void)
{
    fixture_close(&f);
}

enum { TEXT, LANG, N, LEN };

/* What operators do, one after the other; stops at the first failure. */
static int32_t edit(struct fixture *x, int32_t op)
{
    const struct pex_string_view *values;
    struct pex_number number = {.type = PEX_NUMBER_DOUBLE, .float64 = 0.5};
    const uint8_t *states;
    const struct pex_row_id *ids;
    size_t child;
    int32_t code;

    if ((code = pex_batch_strings(x->call, TEXT, &values, &states)) != 0 ||
        (code = pex_batch_row_ids(x->call, &ids)) != 0)
        return code;
    for (size_t i = 0; i < pex_batch_rows(x->call); i++) {
        struct pex_string_view value = {"changed\n", (size_t)(op % 7) + 1};

        if ((code = pex_batch_set_string(x->call, TEXT, i, value)) != 0 ||
            (code = pex_batch_stat_set(x->call, LEN, i, &number)) != 0 ||
            (code = pex_batch_set_string(x->call, LANG, i, SV("en"))) != 0)
            return code;
    }
    if (pex_batch_rows(x->call) < 3)
        return 0;
    if ((code = pex_batch_drop(x->call, 0)) != 0 ||
        (code = pex_batch_append(x->call, 1, &child)) != 0 ||
        (code = pex_batch_set_json(x->call, N, child, SV("[1]"))) != 0)
        return code;
    return pex_batch_fail_row(x->call, 2, PEX_EDATA, "no");
}

static int32_t run_op(struct fixture *x, int32_t op)
{
    struct pex__call_result result;
    int32_t code;

    x->site.op = op;
    x->call = pex__call_begin(x->batch, &x->site, 0, pex__batch_rows(x->batch), NULL);
    if (x->call == NULL)
        return PEX_ENOMEM;
    code = edit(x, op);
    if (code == 0)
        return pex__call_commit(x->call, 1, &result, NULL);
    pex__call_abort(x->call);
    return code;
}

static const char rows[] = "{\"text\":\"a\\u0062\",\"meta\":{}}\n{\"text\":\"c\",\"n\":1}\n"
                           "bad\n{\"text\":\"d\"}\n{\"text\":\"e\",\"text\":\"f\"}\n{}\n";

/* Loads rows and runs operators, without asserting. */
static int32_t scenario(struct fixture *x, int again)
{
    struct pex__slice *slice = pex__batch_slice(x->batch);
    int32_t code = pex__slice_reserve(slice, sizeof rows);

    if (code == 0) {
        memcpy(slice->data, rows, sizeof rows - 1);
        slice->length = slice->rows_end = sizeof rows - 1;
        code = pex__batch_scan(x->batch, x->layout, x->scan, NULL);
    }
    for (int32_t op = 0; op < 3 && code == 0; op++) {
        code = run_op(x, op);
        if (code == 0 && again)
            code = pex__batch_reencode(x->batch, x->scan, NULL);
    }
    x->out.length = 0;
    return code != 0 ? code : pex__batch_encode(x->batch, 1, &x->out, NULL);
}

START_TEST(reset_keeps_what_it_may_and_frees_the_rest)
{
    struct pex__buffer big = {0};

    pex__buffer_text(&big, "{\"text\":\"");
    for (int i = 0; i < 100000; i++)
        pex__buffer_text(&big, "0123456789\\n");
    pex__buffer_text(&big, "\"}\n");
    fixture_load(&f, big.data, big.length);
    ck_assert_int_eq(run_op(&f, 0), 0);
    ck_assert_uint_gt(pex__batch_bytes(f.batch), big.length);
    pex__batch_reset(f.batch, 256 << 10);
    ck_assert_uint_le(pex__batch_bytes(f.batch), 256 << 10);
    ck_assert_int_eq(scenario(&f, 0), 0);
    pex__buffer_free(&big);
}
END_TEST

START_TEST(a_reused_batch_gives_the_same)
{
    char *first;

    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(scenario(&f, again), 0);
        ck_assert_int_eq(pex__buffer_add(&f.out, "", 1), 0);
        first = pex__strdup(f.out.data);
        for (int i = 0; i < 3; i++) {
            pex__batch_reset(f.batch, i == 1 ? 0 : 1 << 20);
            ck_assert_int_eq(scenario(&f, !again), 0);
            ck_assert_int_eq(pex__buffer_add(&f.out, "", 1), 0);
            ck_assert_str_eq(f.out.data, first);
        }
        pex__batch_reset(f.batch, 1 << 20);
        pex__free(first);
    }
}
END_TEST

START_TEST(bytes_are_steady_from_batch_to_batch)
{
    size_t bytes = 0;

    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(scenario(&f, 0), 0);
        if (i > 2)
            ck_assert_uint_eq(pex__batch_bytes(f.batch), bytes);
        bytes = pex__batch_bytes(f.batch);
        pex__batch_reset(f.batch, 1 << 20);
    }
}
END_TEST

/* Sets to subsets of the rows by turns, some as cells and some as rows written anew. */
START_TEST(values_survive_when_arenas_take_turns)
{
    enum { ROWS = 100, SIZE = 3000, OPS = 24 };
    struct pex__buffer text = {0};
    char expected[ROWS], value[SIZE];
    const struct pex_string_view *values;
    const uint8_t *states;
    uint32_t random = 12345;
    size_t most = 0;

    for (size_t i = 0; i < ROWS; i++) {
        expected[i] = 'a';
        memset(value, 'a', SIZE);
        pex__buffer_print(&text, "{\"text\":\"%.*s\\n\"}\n", SIZE - 1, value);
    }
    fixture_load(&f, text.data, text.length);
    for (int32_t op = 0; op < OPS; op++) {
        if (op % 3 != 0) {
            fixture_call(&f, op);
            ck_assert_ptr_nonnull(pex_batch_cache_put(f.call, LEN, "a", 100));
            pex_batch_set_string(f.call, TEXT, 0, SV("given up"));
            pex__call_abort(f.call);
        }
        fixture_call(&f, op);
        ck_assert_int_eq(pex_batch_strings(f.call, TEXT, &values, &states), 0);
        if (pex_batch_cache_get(f.call, LEN, "b", NULL) == NULL)
            ck_assert_ptr_nonnull(pex_batch_cache_put(f.call, LEN, "b", 100000));
        for (size_t i = 0; i < ROWS; i++) {
            ck_assert_uint_eq(values[i].length, SIZE);
            ck_assert_int_eq(values[i].data[0], expected[i]);
            ck_assert_int_eq(values[i].data[SIZE - 2], expected[i]);
            random = random * 1664525 + 1013904223;
            if (random >> 24 < 100) {
                expected[i] = (char)('b' + op);
                memset(value, expected[i], SIZE);
                value[SIZE - 1] = '\n';
                pex_batch_set_string(f.call, TEXT, i, (struct pex_string_view){value, SIZE});
            }
            if (random >> 24 > 200 && op % 4 < 3)
                pex_batch_set_json(f.call, N, i, op % 2 != 0 ? SV("[1]") : SV("[2]"));
        }
        fixture_commit(&f);
        most = pex__batch_bytes(f.batch) > most ? pex__batch_bytes(f.batch) : most;
    }
    ck_assert_uint_lt(most, (size_t)10 * ROWS * SIZE);
    pex__buffer_free(&text);
}
END_TEST

/* Rows written anew move at the beginning of a call; what was cached goes, and so must its marks.
 */
START_TEST(rows_move_with_their_views_and_an_abort_comes_back_to_the_right_place)
{
    enum { ROWS = 100, SIZE = 3000 };
    struct pex__buffer text = {0};
    const size_t windows[][2] = {{0, ROWS}, {0, ROWS - 10}, {ROWS - 10, 10}};
    const struct pex_string_view *values;
    const uint8_t *states;

    for (size_t i = 0; i < ROWS; i++)
        pex__buffer_print(&text, "{\"text\":\"%0*zu\"}\n", SIZE, i);
    fixture_load(&f, text.data, text.length);
    for (size_t k = 0; k < 3; k++) {
        f.site.op = k == 0 ? 0 : 1;
        f.call = pex__call_begin(f.batch, &f.site, windows[k][0], windows[k][1], NULL);
        for (size_t i = 0; i < windows[k][1] && k < 2; i++)
            pex_batch_set_json(f.call, N, i, k == 0 ? SV("[0]") : SV("[1]"));
        ck_assert_int_eq(pex_batch_strings(f.call, TEXT, &values, &states), 0);
        ck_assert_ptr_nonnull(pex_batch_cache_put(f.call, LEN, "k", 100));
        fixture_commit(&f);
    }
    pex__call_abort(fixture_call(&f, 2));
    ck_assert_ptr_nonnull(pex_batch_cache_put(fixture_call(&f, 2), LEN, "k", 100));
    for (size_t i = 0; i < ROWS - 20; i++)
        pex_batch_set_json(f.call, N, i, SV("[2]"));
    fixture_commit(&f);
    ck_assert_int_eq(pex_batch_strings(fixture_call(&f, 3), TEXT, &values, &states), 0);
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_uint_eq(values[i].length, SIZE);
        ck_assert_uint_eq(strtoul(values[i].data, NULL, 10), i);
    }
    pex__call_abort(f.call);
    ck_assert_ptr_nonnull(strstr(fixture_text(&f, 0), "\",\"n\":[2]}\n"));
    pex__buffer_free(&text);
}
END_TEST

#ifdef PEX_FAULT_INJECTION
START_TEST(untouched_rows_allocate_nothing_in_steady_state)
{
    static const char good[] = "{\"text\":\"a\\n\"}\n{\"text\":\"b\"}\n";
    const struct pex_string_view *values;
    const uint8_t *states;
    struct pex_number number = {.type = PEX_NUMBER_INT64, .int64 = 1};
    uint64_t made = 1;

    for (int i = 0; i < 5; i++) {
        pex__batch_reset(f.batch, 1 << 20);
        pex__memory_fail_at(0);
        fixture_rows(&f, good);
        for (int32_t op = 0; op < 5; op++) {
            fixture_call(&f, op);
            ck_assert_int_eq(pex_batch_strings(f.call, TEXT, &values, &states), 0);
            pex_batch_set_string(f.call, TEXT, 0, SV("longer than it was"));
            pex_batch_stat_set(f.call, LEN, 1, &number);
            fixture_commit(&f);
        }
        fixture_text(&f, 1);
        made = pex__memory_fail_at(0);
    }
    ck_assert_uint_eq(made, 0);
}
END_TEST

/* Fails the k-th allocation for every k, then goes on with memory. */
START_TEST(without_memory_a_call_fails_and_the_batch_stays_whole)
{
    char *expected[2];
    int32_t code = PEX_ENOMEM;

    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(scenario(&f, again), 0);
        expected[again] = pex__strndup(f.out.data, f.out.length);
        pex__batch_reset(f.batch, 0);
    }
    for (int again = 0; again < 2; again++) {
        code = PEX_ENOMEM;
        for (uint64_t k = 1; code != 0; k++) {
            struct fixture x;

            fixture_open(&x, "text meta.lang n !len");
            pex__memory_fail_at(k);
            code = scenario(&x, again);
            pex__memory_fail_at(0);
            ck_assert(code == 0 || code == PEX_ENOMEM);
            fixture_text(&x, 1);
            pex__batch_reset(x.batch, 1 << 20);
            ck_assert_int_eq(scenario(&x, again), 0);
            ck_assert_uint_eq(x.out.length, strlen(expected[again]));
            ck_assert_mem_eq(x.out.data, expected[again], x.out.length);
            fixture_close(&x);
        }
    }
    pex__free(expected[0]);
    pex__free(expected[1]);
}
END_TEST

/* An operator that failed for want of memory is called again, and nothing is missing or double. */
START_TEST(a_call_that_failed_can_be_repeated)
{
    char *expected = NULL;
    int32_t code = PEX_ENOMEM;

    for (uint64_t k = 0; code != 0 || k < 2; k++) {
        struct fixture x;

        fixture_open(&x, "text meta.lang n !len");
        fixture_rows(&x, rows);
        pex__memory_fail_at(k);
        code = run_op(&x, 0);
        pex__memory_fail_at(0);
        if (code != 0)
            ck_assert_int_eq(run_op(&x, 0), 0);
        fixture_text(&x, 1);
        if (k == 0)
            expected = pex__strdup(x.out.data);
        ck_assert_str_eq(x.out.data, expected);
        fixture_close(&x);
    }
    pex__free(expected);
}
END_TEST
#endif

TCase *cases_of_memory(void)
{
    TCase *cases = tcase_create("memory");

    tcase_add_checked_fixture(cases, open_it, close_it);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, reset_keeps_what_it_may_and_frees_the_rest);
    tcase_add_test(cases, a_reused_batch_gives_the_same);
    tcase_add_test(cases, bytes_are_steady_from_batch_to_batch);
    tcase_add_test(cases, values_survive_when_arenas_take_turns);
    tcase_add_test(cases, rows_move_with_their_views_and_an_abort_comes_back_to_the_right_place);
#ifdef PEX_FAULT_INJECTION
    tcase_add_test(cases, untouched_rows_allocate_nothing_in_steady_state);
    tcase_add_test(cases, without_memory_a_call_fails_and_the_batch_stays_whole);
    tcase_add_test(cases, a_call_that_failed_can_be_repeated);
#endif
    return cases;
}
