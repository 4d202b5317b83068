/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include "data/isa.h"
#include "data/scan.h"
#include "data/text.h"

#include <check.h>
#include <string.h>

static const struct {
    const char *escaped;
    const char *text;
    size_t length;
} pairs[] = {
    {"", "", 0},
    {"plain", "plain", 5},
    {"\\\"\\\\\\b\\f\\n\\r\\t", "\"\\\b\f\n\r\t", 7},
    {"\\u0000\\u001f\x7F", "\0\x1F\x7F", 3},
    {"\\ud800x\\udfff", "\xED\xA0\x80x\xED\xBF\xBF", 7},
    {"\\udc00\\ud83d", "\xED\xB0\x80\xED\xA0\xBD", 6},
    {"h\xC3\xA9 \xED\x9F\xBF \xF0\x9F\x98\x80", "h\xC3\xA9 \xED\x9F\xBF \xF0\x9F\x98\x80", 12},
};

START_TEST(text_and_its_escaped_form_are_each_others)
{
    char in[256] = {0}, out[256];
    size_t length = strlen(pairs[_i].escaped);

    strcpy(in, pairs[_i].escaped);
    ck_assert_uint_eq(pex__text_decode(in, length, out), pairs[_i].length);
    ck_assert_mem_eq(out, pairs[_i].text, pairs[_i].length);
    ck_assert_uint_eq(pex__text_escape(pairs[_i].text, pairs[_i].length, out), length);
    ck_assert_mem_eq(out, pairs[_i].escaped, length);
    ck_assert_uint_ge(pex__text_escaped_bound(pairs[_i].text, pairs[_i].length), length);
}
END_TEST

static const struct {
    const char *escaped;
    const char *text;
} foreign[] = {
    {"\\/\\u0041\\u00E9\\u20ac", "/A\xC3\xA9\xE2\x82\xAC"},
    {"\\ud83d\\ude00", "\xF0\x9F\x98\x80"},
    {"\\uDBFF\\uDFFF", "\xF4\x8F\xBF\xBF"},
    {"\\ud83d\\ud83d\\ude00", "\xED\xA0\xBD\xF0\x9F\x98\x80"},
    {"\\ud83d\\n", "\xED\xA0\xBD\n"},
};

START_TEST(escapes_we_do_not_write_are_decoded)
{
    char in[256] = {0}, out[256];

    strcpy(in, foreign[_i].escaped);
    ck_assert_uint_eq(pex__text_decode(in, strlen(in), out), strlen(foreign[_i].text));
    ck_assert_mem_eq(out, foreign[_i].text, strlen(foreign[_i].text));
}
END_TEST

START_TEST(bound_is_the_length_where_nothing_is_escaped)
{
    static const char text[] =
        "nothing to escape: h\xC3\xA9, \xED\x9F\xBF, and some more text to fill two blocks";

    ck_assert_uint_eq(pex__text_escaped_bound(text, sizeof text - 1), sizeof text - 1);
}
END_TEST

START_TEST(pieces_across_block_edges_are_treated_alike)
{
    static const char *const pieces[] = {
        "\\\"",
        "\\\\",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ud83d\\u0041",
        "\"",
        "\n",
        "\x01",
        "\xED\xA0\x80",
        "\xED\xBF\xBF\xED\xA0\x80",
        "\xED\x9F\xBF",
        "\xE2\x82",
        "\xF0\x9F\x98\x80",
        "\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n",
    };
    char text[512];

    for (size_t pad = 0; pad <= 130; pad++)
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
            for (size_t rest = 0; rest <= 66; rest += rest == 0 ? 62 : 1) {
                const char *found;
                char *end;

                memset(text, 'x', sizeof text);
                end = stpcpy(text + pad, pieces[k]);
                *end = 'x';
                found = compare_texts(text, (size_t)(end - text) + rest);
                ck_assert_msg(found == NULL, "%s: pad %zu, piece %zu", found, pad, k);
            }
}
END_TEST

/* Any lead with any second byte, the rest drawn from the edges of their ranges, at a block's edge.
 */
static void check_beginning(unsigned first, const char *rest, size_t pad)
{
    char text[80];
    int expected;

    memset(text, 'x', sizeof text);
    text[pad] = (char)(first >> 8);
    text[pad + 1] = (char)first;
    memcpy(text + pad + 2, rest, 3);
    expected = pex__kernels_plain.valid(text, pad + 5);
    for (int32_t isa = 0; isa < PEX__ISA_COUNT; isa++) {
        const struct pex__kernels *kernels = pex__isa_kernels(isa);

        if (kernels != NULL && kernels->valid(text, pad + 5) != expected)
            ck_abort_msg("isa %d, bytes %04x, pad %zu", (int)isa, first, pad);
    }
}

START_TEST(every_utf8_beginning_is_judged_alike)
{
    static const char *const rests[] = {"xxx", "\x80xx", "\xBF\x80x", "\x80\x80\x80"};

    for (unsigned first = 0x7F00; first < 0x10000; first++)
        for (size_t pad = 60 + first % 2; pad <= 64; pad += 2)
            check_beginning(first, rests[_i], pad);
}
END_TEST

START_TEST(surrogates_are_valid_text_and_halves_of_sequences_are_not)
{
    ck_assert_int_eq(pex__text_valid("\xED\xA0\x80", 3), 1);
    ck_assert_int_eq(pex__text_valid("", 0), 1);
    ck_assert_int_eq(pex__text_valid("\xED\xA0", 2), 0);
    ck_assert_int_eq(pex__text_valid("\xC1\xBF", 2), 0);
    ck_assert_int_eq(pex__text_valid("\xF4\x90\x80\x80", 4), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("text");
    TCase *tests = tcase_create("text");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, text_and_its_escaped_form_are_each_others, 0,
                        (int)(sizeof pairs / sizeof *pairs));
    tcase_add_loop_test(tests, escapes_we_do_not_write_are_decoded, 0,
                        (int)(sizeof foreign / sizeof *foreign));
    tcase_add_test(tests, bound_is_the_length_where_nothing_is_escaped);
    tcase_add_test(tests, pieces_across_block_edges_are_treated_alike);
    tcase_add_loop_test(tests, every_utf8_beginning_is_judged_alike, 0, 4);
    tcase_add_test(tests, surrogates_are_valid_text_and_halves_of_sequences_are_not);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
