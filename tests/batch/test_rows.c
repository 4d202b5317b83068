/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that leave, come, fail; windows; ids. */
#include "fixture.h"

#include <stdio.h>

static struct fixture f;

static void open_text(void)
{
    fixture_open(&f, "text n");
}

static void close_it(void)
{
    fixture_close(&f);
}

static void begin(int32_t op, size_t first, size_t count)
{
    f.site.op = op;
    f.call = pex__call_begin(f.batch, &f.site, first, count, NULL);
    ck_assert_ptr_nonnull(f.call);
}

static void load_numbers(size_t count)
{
    struct pex__buffer text = {0};

    for (size_t i = 0; i < count; i++)
        pex__buffer_print(&text, "{\"n\":%zu}\n", i);
    fixture_load(&f, text.data, text.length);
    pex__buffer_free(&text);
}

/* The numbers of the encoded rows, with blanks in between. */
static const char *numbers(void)
{
    static char text[256];
    const char *from = fixture_text(&f, 0);
    char *to = text;

    for (; *from != '\0'; from++)
        if ((*from >= '0' && *from <= '9') || *from == '\n')
            *to++ = *from == '\n' ? ' ' : *from;
    *to = '\0';
    return text;
}

static const char *children(void)
{
    static char text[256];
    struct pex_row_id ids[64];
    char *to = text;

    f.out.length = 0;
    ck_assert_int_eq(pex__batch_encode(f.batch, 0, &f.out, ids), 0);
    for (size_t i = 0; i < pex__batch_rows(f.batch); i++)
        to += sprintf(to, "%llu.%u ", (unsigned long long)(ids[i].offset - 100) / 8,
                      (unsigned)ids[i].child);
    *to = '\0';
    return text;
}

START_TEST(dropped_rows_are_not_in_the_output)
{
    struct pex__call_result result;

    load_numbers(6);
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_drop(f.call, 1), 0);
    ck_assert_int_eq(pex_batch_drop(f.call, 1), 0);
    ck_assert_int_eq(pex_batch_drop(f.call, 5), 0);
    ck_assert_int_eq(pex_batch_drop(f.call, 6), PEX_EINVAL);
    result = fixture_commit(&f);
    ck_assert_uint_eq(result.in, 6);
    ck_assert_uint_eq(result.out, 4);
    ck_assert_uint_eq(result.dropped, 2);
    ck_assert_str_eq(numbers(), "0 2 3 4 ");
}
END_TEST

START_TEST(what_the_operator_is_not_for_is_refused)
{
    load_numbers(2);
    f.site.cardinality = PEX_FILTER;
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_append(f.call, 0, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_drop(f.call, 0), 0);
    pex__call_abort(f.call);
    f.site.cardinality = PEX_ROW_TO_ROW;
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_drop(f.call, 0), PEX_EINVAL);
    pex__call_abort(f.call);
}
END_TEST

START_TEST(children_follow_their_row_and_are_copies_of_before_the_call)
{
    size_t first, second;
    struct pex__call_result result;

    load_numbers(3);
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_append(f.call, 2, NULL), 0);
    ck_assert_int_eq(pex_batch_append(f.call, 0, &first), 0);
    ck_assert_int_eq(pex_batch_append(f.call, 0, &second), 0);
    ck_assert_int_eq(pex_batch_append(f.call, first, NULL), PEX_EINVAL);
    pex_batch_set_int64(f.call, 1, 0, 90);
    pex_batch_set_int64(f.call, 1, second, 92);
    pex_batch_drop(f.call, 2);
    result = fixture_commit(&f);
    ck_assert_uint_eq(result.added, 3);
    ck_assert_uint_eq(result.out, 5);
    ck_assert_str_eq(numbers(), "90 0 92 1 2 ");
    ck_assert_str_eq(children(), "0.0 0.1 0.2 1.0 2.1 ");
}
END_TEST

START_TEST(children_of_children_are_numbered_in_the_order_of_the_output)
{
    load_numbers(2);
    fixture_call(&f, 0);
    pex_batch_append(f.call, 0, NULL);
    pex_batch_append(f.call, 0, NULL);
    pex_batch_append(f.call, 1, NULL);
    fixture_commit(&f);
    fixture_call(&f, 1);
    pex_batch_drop(f.call, 0);
    pex_batch_append(f.call, 1, NULL);
    fixture_commit(&f);
    ck_assert_str_eq(children(), "0.1 0.2 0.3 1.0 1.1 ");
}
END_TEST

/* The second operator appends to every row: in one call, and in a call per row. */
START_TEST(ids_do_not_depend_on_the_windows)
{
    const struct pex_row_id *ids;
    struct pex_row_id whole[8];
    size_t count, at;

    for (int windows = 0; windows < 2; windows++) {
        load_numbers(2);
        fixture_call(&f, 0);
        pex_batch_append(f.call, 0, NULL);
        pex_batch_append(f.call, 0, NULL);
        fixture_commit(&f);
        count = pex__batch_rows(f.batch);
        at = 0;
        for (size_t i = 0; i < count; i += windows ? 1 : count) {
            begin(1, at, windows ? 1 : count);
            ck_assert_int_eq(pex_batch_row_ids(f.call, &ids), 0);
            if (windows)
                ck_assert_mem_eq(ids, &whole[i], sizeof *ids);
            else
                memcpy(whole, ids, count * sizeof *ids);
            for (size_t row = 0; row < pex_batch_rows(f.call); row++)
                pex_batch_append(f.call, row, NULL);
            at += fixture_commit(&f).out;
        }
        ck_assert_str_eq(children(), "0.0 0.1 0.2 0.3 0.4 0.5 1.0 1.1 ");
        pex__batch_reset(f.batch, 1 << 20);
    }
}
END_TEST

START_TEST(a_window_changes_its_own_rows_only)
{
    load_numbers(8);
    begin(0, 2, 3);
    ck_assert_uint_eq(pex_batch_rows(f.call), 3);
    pex_batch_drop(f.call, 0);
    pex_batch_append(f.call, 2, NULL);
    pex_batch_append(f.call, 2, NULL);
    pex_batch_set_int64(f.call, 1, 1, 77);
    fixture_commit(&f);
    ck_assert_str_eq(numbers(), "0 1 77 4 4 4 5 6 7 ");
    begin(0, 6, 3);
    pex_batch_drop(f.call, 1);
    fixture_commit(&f);
    ck_assert_str_eq(numbers(), "0 1 77 4 4 4 5 7 ");
}
END_TEST

START_TEST(only_consumed_rows_count)
{
    struct pex__call_result result;

    load_numbers(4);
    fixture_call(&f, 0);
    ck_assert_int_eq(pex_batch_consumed(f.call, 0), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_consumed(f.call, 5), PEX_EINVAL);
    pex_batch_append(f.call, 1, NULL);
    pex_batch_append(f.call, 2, NULL);
    pex_batch_drop(f.call, 0);
    pex_batch_drop(f.call, 3);
    pex_batch_set_int64(f.call, 1, 1, 11);
    pex_batch_set_int64(f.call, 1, 2, 22);
    pex_batch_fail_row(f.call, 3, PEX_EDATA, "later");
    ck_assert_int_eq(pex_batch_consumed(f.call, 2), 0);
    result = fixture_commit(&f);
    ck_assert_uint_eq(result.in, 2);
    ck_assert_uint_eq(result.out, 2);
    ck_assert_uint_eq(result.failed, 0);
    ck_assert_str_eq(numbers(), "11 1 2 3 ");
}
END_TEST

START_TEST(a_failed_row_is_a_reject_with_its_source_row)
{
    const struct pex__reject *rejects;
    struct pex__call_result result;
    struct pex_string_view raw;
    size_t count;

    fixture_rows(&f, "{\"text\":\"a\"}\r\n{\"text\" : \"b\"} \n{\"text\":\"c\"}\n");
    fixture_call(&f, 0);
    pex_batch_set_string(f.call, 0, 1, SV("changed"));
    fixture_commit(&f);
    ck_assert_int_eq(pex__batch_reencode(f.batch, f.scan, NULL), 0);
    fixture_call(&f, 4);
    ck_assert_int_eq(pex_batch_fail_row(f.call, 1, 0, "x"), PEX_EINVAL);
    ck_assert_int_eq(pex_batch_fail_row(f.call, 1, PEX_EDATA, "too bad"), 0);
    pex_batch_append(f.call, 1, NULL);
    pex_batch_drop(f.call, 1);
    ck_assert_int_eq(pex__call_commit(f.call, 3, &result, NULL), 0);
    ck_assert_uint_eq(result.failed, 1);
    ck_assert_uint_eq(result.out, 2);
    rejects = pex__batch_rejects(f.batch, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(rejects[0].op, 4);
    ck_assert_int_eq(rejects[0].code, PEX_EDATA);
    ck_assert_int_eq(rejects[0].attempt, 3);
    ck_assert_str_eq(rejects[0].message, "too bad");
    ck_assert_uint_eq(rejects[0].id.source, 3);
    ck_assert_uint_eq(rejects[0].id.offset, 100 + 14);
    raw = pex__batch_reject_raw(f.batch, &rejects[0]);
    ck_assert_uint_eq(raw.length, 14);
    ck_assert_mem_eq(raw.data, "{\"text\" : \"b\"}", 14);
    ck_assert_str_eq(fixture_text(&f, 0), "{\"text\":\"a\"}\n{\"text\":\"c\"}\n");
}
END_TEST

START_TEST(a_bad_row_is_a_reject_of_the_reader)
{
    const struct pex__reject *rejects;
    size_t count;

    fixture_rows(&f, "{\"n\":1}\n\n{\"n\":01}\n{\"n\":2}\n");
    rejects = pex__batch_rejects(f.batch, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(rejects[0].op, -1);
    ck_assert_int_eq(rejects[0].code, PEX_EDATA);
    ck_assert_uint_eq(rejects[0].id.offset, 100 + 9);
    ck_assert_ptr_nonnull(strstr(rejects[0].message, "byte 6"));
    ck_assert_uint_eq(pex__batch_rows(f.batch), 2);
    ck_assert_uint_eq(pex__batch_lines(f.batch), 4);
    ck_assert_uint_eq(pex__batch_blank(f.batch), 1);
    ck_assert_str_eq(numbers(), "1 2 ");
}
END_TEST

START_TEST(rows_can_be_rejected_from_outside)
{
    size_t count;

    load_numbers(5);
    ck_assert_int_eq(pex__batch_reject_rows(f.batch, 1, 2, 7, PEX_EDATA, 1, "unresolved"), 0);
    ck_assert_str_eq(numbers(), "0 3 4 ");
    ck_assert_str_eq(pex__batch_rejects(f.batch, &count)[1].message, "unresolved");
    ck_assert_uint_eq(count, 2);
}
END_TEST

START_TEST(ids_of_a_stage_file_are_its_own)
{
    struct pex__slice *slice = pex__batch_slice(f.batch);
    static const char data[] = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    const struct pex_row_id given[] = {{500, 1, 0}, {500, 1, 2}, {700, 2, 1}};
    struct pex_row_id ids[4];
    struct pex_error err;

    ck_assert_int_eq(pex__slice_reserve(slice, sizeof data), 0);
    memcpy(slice->data, data, sizeof data - 1);
    slice->length = slice->rows_end = sizeof data - 1;
    ck_assert_int_eq(pex__grow(&slice->ids, &slice->id_capacity, 3, sizeof *slice->ids), 0);
    memcpy(slice->ids, given, sizeof given);
    slice->id_count = 3;
    ck_assert_int_eq(pex__batch_scan(f.batch, f.layout, f.scan, &err), 0);
    fixture_call(&f, 0);
    pex_batch_append(f.call, 0, NULL);
    fixture_commit(&f);
    f.out.length = 0;
    ck_assert_int_eq(pex__batch_encode(f.batch, 0, &f.out, ids), 0);
    ck_assert_uint_eq(ids[1].child, 1);
    ck_assert_uint_eq(ids[2].child, 2);
    ck_assert_uint_eq(ids[3].child, 1);
    ck_assert_uint_eq(ids[3].offset, 700);
    pex__batch_reset(f.batch, 0);
    ck_assert_int_eq(pex__slice_reserve(slice, sizeof data), 0);
    memcpy(slice->data, data, sizeof data - 1);
    slice->length = slice->rows_end = sizeof data - 1;
    ck_assert_int_eq(pex__grow(&slice->ids, &slice->id_capacity, 2, sizeof *slice->ids), 0);
    memcpy(slice->ids, given, 2 * sizeof *given);
    slice->id_count = 2;
    ck_assert_int_eq(pex__batch_scan(f.batch, f.layout, f.scan, &err), PEX_EIO);
}
END_TEST

START_TEST(a_batch_of_no_rows_works)
{
    fixture_load(&f, "", 0);
    fixture_call(&f, 0);
    ck_assert_uint_eq(pex_batch_rows(f.call), 0);
    ck_assert_int_eq(pex_batch_strings(f.call, 0, NULL, NULL), 0);
    ck_assert_uint_eq(fixture_commit(&f).out, 0);
    ck_assert_int_eq(pex__batch_reencode(f.batch, f.scan, NULL), 0);
    ck_assert_str_eq(fixture_text(&f, 1), "");
    pex__batch_reset(f.batch, 0);
    fixture_rows(&f, "nope\n");
    ck_assert_uint_eq(fixture_call(&f, 0) != NULL, 1);
    ck_assert_uint_eq(fixture_commit(&f).out, 0);
    ck_assert_str_eq(fixture_text(&f, 1), "");
}
END_TEST

/* Keeps every third of 100,000 rows, doubles those, and changes one of each pair. */
START_TEST(many_rows_work)
{
    enum { ROWS = 100000 };
    struct pex__buffer expected = {0};
    size_t child;

    load_numbers(ROWS);
    fixture_call(&f, 0);
    for (size_t i = 0; i < ROWS; i++)
        if (i % 3 != 0)
            ck_assert_int_eq(pex_batch_drop(f.call, i), 0);
    fixture_commit(&f);
    fixture_call(&f, 1);
    for (size_t i = 0; i < pex_batch_rows(f.call); i++) {
        ck_assert_int_eq(pex_batch_append(f.call, i, &child), 0);
        ck_assert_int_eq(pex_batch_set_string(f.call, 0, child, SV("copy")), 0);
        pex__buffer_print(&expected, "{\"n\":%zu}\n{\"n\":%zu,\"text\":\"copy\"}\n", 3 * i, 3 * i);
    }
    fixture_commit(&f);
    fixture_text(&f, 0);
    ck_assert_uint_eq(f.out.length, expected.length);
    ck_assert_mem_eq(f.out.data, expected.data, expected.length);
    pex__buffer_free(&expected);
}
END_TEST

TCase *cases_of_rows(void)
{
    TCase *cases = tcase_create("rows");

    tcase_add_checked_fixture(cases, open_text, close_it);
    tcase_add_test(cases, dropped_rows_are_not_in_the_output);
    tcase_add_test(cases, what_the_operator_is_not_for_is_refused);
    tcase_add_test(cases, children_follow_their_row_and_are_copies_of_before_the_call);
    tcase_add_test(cases, children_of_children_are_numbered_in_the_order_of_the_output);
    tcase_add_test(cases, ids_do_not_depend_on_the_windows);
    tcase_add_test(cases, a_window_changes_its_own_rows_only);
    tcase_add_test(cases, only_consumed_rows_count);
    tcase_add_test(cases, a_failed_row_is_a_reject_with_its_source_row);
    tcase_add_test(cases, a_bad_row_is_a_reject_of_the_reader);
    tcase_add_test(cases, rows_can_be_rejected_from_outside);
    tcase_add_test(cases, ids_of_a_stage_file_are_its_own);
    tcase_add_test(cases, a_batch_of_no_rows_works);
    tcase_add_test(cases, many_rows_work);
    return cases;
}
