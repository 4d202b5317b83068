/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "data/quarantine.h"

static struct fixture f;
static char path[] = "dir/in \"put\".jsonl";
static struct pex__source sources[4];
static struct pex__input input = {.sources = sources, .source_count = 4};
static const char *const operators[] = {"first", "second"};

static void open_it(void)
{
    fixture_open(&f, "text");
    sources[3].path = path;
}

static void close_it(void)
{
    fixture_close(&f);
}

/* The lines of the records, whose heads must agree with them. */
static const char *lines(int keep_bad)
{
    static char text[2048];
    struct pex__quarantine_head head;
    char *to = text;

    f.out.length = 0;
    ck_assert_int_eq(
        pex__quarantine_records(f.batch, &input, NULL, operators, keep_bad, &f.out, NULL), 0);
    for (size_t at = 0; at < f.out.length; at += head.length) {
        memcpy(&head, f.out.data + at, sizeof head);
        at += sizeof head;
        ck_assert_uint_eq(head.id.source, 3);
        ck_assert_int_eq(f.out.data[at + head.length - 1], '\n');
        to = (char *)mempcpy(to, f.out.data + at, head.length);
    }
    *to = '\0';
    return text;
}

START_TEST(rejects_are_lines_in_input_order)
{
    fixture_rows(&f, "{\"text\":\"a\"}\n{\"text\":\"b\\n\"}\nbad\t\xff\n");
    fixture_call(&f, 0);
    pex_batch_set_string(f.call, 0, 0, SV("changed"));
    fixture_commit(&f);
    fixture_call(&f, 1);
    pex_batch_fail_row(f.call, 1, PEX_EDATA, "no \"good\"");
    pex_batch_fail_row(f.call, 0, PEX_ECALLBACK, NULL);
    fixture_commit(&f);
    ck_assert_str_eq(
        lines(1),
        "{\"source\":\"dir/in "
        "\\\"put\\\".jsonl\",\"offset\":100,\"child\":0,\"operator\":\"second\","
        "\"index\":1,\"attempt\":1,\"code\":-18,\"message\":\"a callback failed\","
        "\"raw\":\"{\\\"text\\\":\\\"a\\\"}\"}\n"
        "{\"source\":\"dir/in "
        "\\\"put\\\".jsonl\",\"offset\":113,\"child\":0,\"operator\":\"second\","
        "\"index\":1,\"attempt\":1,\"code\":-15,\"message\":\"no \\\"good\\\"\","
        "\"raw\":\"{\\\"text\\\":\\\"b\\\\n\\\"}\"}\n"
        "{\"source\":\"dir/in \\\"put\\\".jsonl\",\"offset\":128,\"child\":0,\"operator\":null,"
        "\"index\":null,\"attempt\":1,\"code\":-15,"
        "\"message\":\"not a JSON object at byte 0 of the line\",\"raw_base64\":\"YmFkCf8=\"}\n");
}
END_TEST

START_TEST(surrogate_bytes_are_no_utf8)
{
    fixture_rows(&f, "\xed\xa0\x80\n\xed\x9f\xbf\n");
    ck_assert_ptr_nonnull(strstr(lines(1), "\"raw_base64\":\"7aCA\"}\n"));
    ck_assert_ptr_nonnull(strstr(lines(1), "\"raw\":\"\xed\x9f\xbf\"}\n"));
}
END_TEST

START_TEST(children_come_in_order_and_operators_can_be_left_out)
{
    static const char *const only_first[] = {"first", NULL};
    const char *at;

    fixture_rows(&f, "{\"text\":\"a\"}\n");
    fixture_call(&f, 0);
    pex_batch_append(f.call, 0, NULL);
    pex_batch_append(f.call, 0, NULL);
    fixture_commit(&f);
    fixture_call(&f, 1);
    pex_batch_fail_row(f.call, 2, PEX_EDATA, NULL);
    pex_batch_fail_row(f.call, 0, PEX_EDATA, NULL);
    fixture_commit(&f);
    at = strstr(lines(1), "\"child\":0,");
    ck_assert_ptr_nonnull(at);
    ck_assert_ptr_nonnull(strstr(at, "\"child\":2,"));
    f.out.length = 0;
    ck_assert_int_eq(pex__quarantine_records(f.batch, &input, NULL, only_first, 1, &f.out, NULL),
                     0);
    ck_assert_uint_eq(f.out.length, 0);
}
END_TEST

START_TEST(no_rejects_are_no_lines)
{
    fixture_rows(&f, "{}\n");
    ck_assert_str_eq(lines(1), "");
    pex__batch_reset(f.batch, 0);
    fixture_rows(&f, "bad\n");
    ck_assert_str_eq(lines(0), "");
}
END_TEST

TCase *cases_of_quarantine(void)
{
    TCase *cases = tcase_create("quarantine");

    tcase_add_checked_fixture(cases, open_it, close_it);
    tcase_add_test(cases, rejects_are_lines_in_input_order);
    tcase_add_test(cases, surrogate_bytes_are_no_utf8);
    tcase_add_test(cases, children_come_in_order_and_operators_can_be_left_out);
    tcase_add_test(cases, no_rejects_are_no_lines);
    return cases;
}
