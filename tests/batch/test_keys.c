/* SPDX-License-Identifier: Apache-2.0 */
/* Convergence points: keys that follow their rows, counts that rows go out by. */
#include "fixture.h"

#include <stdio.h>

static struct fixture f;

static void open_it(void)
{
    fixture_open(&f, "n");
    f.site.cardinality = PEX_GLOBAL;
    f.site.phase = PEX__PHASE_OBSERVE;
}

static void close_it(void)
{
    fixture_close(&f);
}

/* "row:key " of each record. */
static const char *keys(void)
{
    static char text[256];
    size_t count;
    struct pex_string_view records = pex__batch_keys(f.batch, &count);
    const char *p = records.data, *end = p != NULL ? p + records.length : p;
    char *to = text;

    for (; p < end; p += 5 + p[4], count--) {
        uint32_t row;

        memcpy(&row, p, sizeof row);
        to += sprintf(to, "%u:%.*s ", (unsigned)row, p[4], p + 5);
    }
    ck_assert_uint_eq(count, 0);
    *to = '\0';
    return text;
}

static void observe(size_t first, size_t count)
{
    f.call = pex__call_begin(f.batch, &f.site, first, count, NULL);
}

static void emit(size_t row, const char *key)
{
    ck_assert_int_eq(pex_keys_emit(f.call, row, key, strlen(key)), 0);
}

START_TEST(keys_come_in_row_order)
{
    fixture_rows(&f, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    observe(2, 2);
    emit(1, "d");
    emit(0, "c1");
    emit(0, "c2");
    fixture_commit(&f);
    observe(0, 2);
    emit(1, "b");
    emit(0, "a");
    fixture_commit(&f);
    ck_assert_str_eq(keys(), "0:a 1:b 2:c1 2:c2 3:d ");
}
END_TEST

START_TEST(keys_follow_their_rows)
{
    fixture_rows(&f, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    observe(0, 4);
    emit(0, "a");
    emit(1, "b");
    emit(2, "c");
    emit(3, "d");
    ck_assert_int_eq(pex_batch_fail_row(f.call, 1, PEX_EDATA, NULL), 0);
    fixture_commit(&f);
    ck_assert_str_eq(keys(), "0:a 1:c 2:d ");
    ck_assert_int_eq(pex__batch_reject_rows(f.batch, 0, 1, 1, PEX_EDATA, 1, NULL), 0);
    ck_assert_str_eq(keys(), "0:c 1:d ");
}
END_TEST

START_TEST(keys_of_windows_in_any_order_lie_in_row_order)
{
    fixture_rows(&f, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    observe(0, 1);
    emit(0, "a");
    fixture_commit(&f);
    observe(2, 2);
    emit(0, "c");
    emit(1, "d");
    ck_assert_int_eq(pex_batch_consumed(f.call, 1), 0);
    fixture_commit(&f);
    observe(1, 1);
    emit(0, "b");
    fixture_commit(&f);
    ck_assert_str_eq(keys(), "0:a 1:b 2:c ");
    observe(3, 1);
    emit(0, "d");
    fixture_commit(&f);
    ck_assert_str_eq(keys(), "0:a 1:b 2:c 3:d ");
}
END_TEST

START_TEST(keys_of_an_aborted_call_are_gone)
{
    fixture_rows(&f, "{\"n\":0}\n");
    observe(0, 1);
    emit(0, "a");
    ck_assert_int_eq(pex_keys_emit(f.call, 0, "", 0), PEX_EINVAL);
    ck_assert_int_eq(pex_keys_emit(f.call, 1, "a", 1), PEX_EINVAL);
    pex__call_abort(f.call);
    observe(0, 1);
    emit(0, "b");
    fixture_commit(&f);
    ck_assert_str_eq(keys(), "0:b ");
}
END_TEST

START_TEST(rows_go_out_as_often_as_their_count_says)
{
    static const uint32_t counts[] = {1, 0, 3, 2};
    struct pex_row_id ids[8];
    struct pex__call_result result;

    fixture_rows(&f, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    ck_assert_int_eq(pex__batch_set_counts(f.batch, counts, (struct pex_string_view){0}), 0);
    ck_assert_int_eq(pex__batch_apply_counts(f.batch, &result), 0);
    ck_assert_uint_eq(result.in, 4);
    ck_assert_uint_eq(result.out, 6);
    ck_assert_uint_eq(result.added, 3);
    ck_assert_uint_eq(result.dropped, 1);
    ck_assert_str_eq(fixture_text(&f, 0),
                     "{\"n\":0}\n{\"n\":2}\n{\"n\":2}\n{\"n\":2}\n{\"n\":3}\n{\"n\":3}\n");
    f.out.length = 0;
    ck_assert_int_eq(pex__batch_encode(f.batch, 0, &f.out, ids), 0);
    ck_assert_uint_eq(ids[3].child, 2);
    ck_assert_uint_eq(ids[5].child, 1);
}
END_TEST

START_TEST(apply_sees_the_counts_of_its_rows)
{
    static const uint32_t counts[] = {5, 6, 7};
    const uint32_t *seen;

    fixture_rows(&f, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n");
    observe(0, 3);
    ck_assert_int_eq(pex_batch_counts(f.call, &seen), PEX_EINVAL);
    pex__call_abort(f.call);
    ck_assert_int_eq(pex__batch_set_counts(f.batch, counts, (struct pex_string_view){0}), 0);
    f.site.phase = PEX__PHASE_APPLY;
    f.call = pex__call_begin(f.batch, &f.site, 0, 1, NULL);
    pex_batch_drop(f.call, 0);
    fixture_commit(&f);
    f.call = pex__call_begin(f.batch, &f.site, 0, 2, NULL);
    ck_assert_int_eq(pex_batch_counts(f.call, &seen), 0);
    ck_assert_uint_eq(seen[0], 6);
    ck_assert_uint_eq(seen[1], 7);
    pex__call_abort(f.call);
}
END_TEST

TCase *cases_of_keys(void)
{
    TCase *cases = tcase_create("keys");

    tcase_add_checked_fixture(cases, open_it, close_it);
    tcase_add_test(cases, keys_come_in_row_order);
    tcase_add_test(cases, keys_follow_their_rows);
    tcase_add_test(cases, keys_of_windows_in_any_order_lie_in_row_order);
    tcase_add_test(cases, keys_of_an_aborted_call_are_gone);
    tcase_add_test(cases, rows_go_out_as_often_as_their_count_says);
    tcase_add_test(cases, apply_sees_the_counts_of_its_rows);
    return cases;
}
