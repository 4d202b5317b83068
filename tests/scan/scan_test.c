/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include "data/scan.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct pex__paths *wanted(const char *const *dotted, size_t count)
{
    struct pex__path paths[8] = {{0}};
    struct pex__paths *set;

    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(pex__path_parse(dotted[i], &paths[i], NULL), 0);
    ck_assert_int_eq(pex__paths_create(paths, count, &set), 0);
    ck_assert_uint_eq(pex__paths_count(set), count);
    for (size_t i = 0; i < count; i++)
        pex__path_free(&paths[i]);
    return set;
}

static const struct {
    const char *line;
    int32_t reason;
    uint32_t at;
} verdicts[] = {
    {"{}", PEX__ROW_OK, 2},
    {" \t{ } \r", PEX__ROW_OK, 7},
    {"{\"a\":-0.0e+00}", PEX__ROW_OK, 14},
    {"{\"a\":\"\\ud800\"}", PEX__ROW_OK, 14},
    {"{\"a\":\"\\u0000\\udc00\\uD83D\\uDE00\"}", PEX__ROW_OK, 32},
    {"{\"a\":1e400,\"a\":0.1}", PEX__ROW_OK, 19},
    {"[]", PEX__ROW_NOT_OBJECT, 0},
    {" 1", PEX__ROW_NOT_OBJECT, 1},
    {"\xEF\xBB\xBF{}", PEX__ROW_NOT_OBJECT, 0},
    {"{\"a\":NaN}", PEX__ROW_SYNTAX, 5},
    {"{a:1}", PEX__ROW_SYNTAX, 1},
    {"{\"a\" 1}", PEX__ROW_SYNTAX, 5},
    {"{\"a\":1,}", PEX__ROW_SYNTAX, 7},
    {"{\"a\":[1,]}", PEX__ROW_SYNTAX, 8},
    {"{\"a\":[1}", PEX__ROW_SYNTAX, 7},
    {"{\"a\":+1}", PEX__ROW_SYNTAX, 5},
    {"{\"a\":.5}", PEX__ROW_SYNTAX, 5},
    {"{\"a\":\xC3\xA9}", PEX__ROW_SYNTAX, 5},
    {"{", PEX__ROW_UNFINISHED, 1},
    {"{\"a\":\"x", PEX__ROW_UNFINISHED, 7},
    {"{\"a\":\"x\\", PEX__ROW_UNFINISHED, 8},
    {"{\"a\":\"\\u12", PEX__ROW_UNFINISHED, 10},
    {"{\"a\":tru", PEX__ROW_UNFINISHED, 8},
    {"{\"a\":1.", PEX__ROW_UNFINISHED, 7},
    {"{} {}", PEX__ROW_TRAILING, 3},
    {"{}}", PEX__ROW_TRAILING, 2},
    {"{\"a\":01}", PEX__ROW_NUMBER, 6},
    {"{\"a\":1.}", PEX__ROW_NUMBER, 7},
    {"{\"a\":1e+}", PEX__ROW_NUMBER, 8},
    {"{\"a\":-x}", PEX__ROW_NUMBER, 6},
    {"{\"a\":nulL}", PEX__ROW_LITERAL, 5},
    {"{\"a\":\"\\q\"}", PEX__ROW_ESCAPE, 6},
    {"{\"a\":\"\\u12g4\"}", PEX__ROW_ESCAPE, 6},
    {"{\"a\":\"x\ty\"}", PEX__ROW_CONTROL, 7},
    {"{\"a\":\"x\x01\"}", PEX__ROW_CONTROL, 7},
    {"{\"a\":\"\xC0\x80\"}", PEX__ROW_UTF8, 6},
    {"{\"a\":\"\xED\xA0\x80\"}", PEX__ROW_UTF8, 6},
    {"{\"a\":\"\xF4\x90\x80\x80\"}", PEX__ROW_UTF8, 6},
    {"{\"a\":\"x\x80\"}", PEX__ROW_UTF8, 7},
    {"{\"a\":\"\xE2\x82\"}", PEX__ROW_UTF8, 6},
};

START_TEST(each_line_has_its_verdict_and_offset)
{
    struct pex__paths *none = wanted(NULL, 0);
    struct pex__span object;
    uint32_t at = 0;
    int32_t reason = pex__scan_reference(none, verdicts[_i].line, 0, strlen(verdicts[_i].line),
                                         &object, NULL, NULL, &at);

    ck_assert_msg(reason == verdicts[_i].reason && at == verdicts[_i].at, "%s: %d at %u",
                  verdicts[_i].line, (int)reason, (unsigned)at);
    ck_assert_str_ne(pex__row_reason(reason), "unknown reason");
    pex__paths_free(none);
}
END_TEST

static const char *const fields[] = {"text", "meta", "meta.lang", "q"};

static const struct {
    const char *line;
    const char *found[4]; /* a digit for the type, then the span; NULL: missing */
} values[] = {
    {"{\"text\": \"a b\", \"q\":1}", {"5\"a b\"", NULL, NULL, "41"}},
    {"{\"text\":\"a\\n\"}", {"6\"a\\n\"", NULL, NULL, NULL}},
    {"{\"text\":null,\"q\":true,\"meta\":false}", {"1null", "2false", NULL, "3true"}},
    {"{\"meta\": {\"lang\": [1, {}] } }", {NULL, "7{\"lang\": [1, {}] }", "8[1, {}]", NULL}},
    {"{\"x\":{\"text\":1},\"y\":[{\"q\":2}]}", {NULL, NULL, NULL, NULL}},
    {"{\"q\":1,\"q\":\"2\"}", {NULL, NULL, NULL, "5\"2\""}},
    {"{\"meta\":{\"lang\":1},\"meta\":{}}", {NULL, "7{}", NULL, NULL}},
    {"{\"meta\":{\"lang\":1},\"m\\u0065ta\":2}", {NULL, "42", NULL, NULL}},
    {"{\"meta\":{\"lang\":1,\"lang\":2}}", {NULL, "7{\"lang\":1,\"lang\":2}", "42", NULL}},
    {"{\"\\u0074e\\u0078t\":\"\",\"\\u0051\":1}", {"5\"\"", NULL, NULL, NULL}},
    {"{\"meta\":{\"meta\":{\"lang\":1}}}", {NULL, "7{\"meta\":{\"lang\":1}}", NULL, NULL}},
    {"{\"meta.lang\":1}", {NULL, NULL, NULL, NULL}},
};

static void check_values(const char *data, const struct pex__span *spans, const uint8_t *types,
                         const char *const *found)
{
    for (int k = 0; k < 4; k++) {
        const char *text = found[k] != NULL ? found[k] : "0";

        ck_assert_int_eq(types[k], text[0] - '0');
        ck_assert_uint_eq(spans[k].length, strlen(text + 1));
        ck_assert_int_eq(strncmp(data + spans[k].begin, text + 1, spans[k].length), 0);
    }
}

START_TEST(wanted_fields_are_found)
{
    struct pex__paths *set = wanted(fields, 4);
    struct pex__span object, spans[4];
    const char *line = values[_i].line;
    uint8_t types[4];
    uint32_t at;

    ck_assert_int_eq(pex__scan_reference(set, line, 0, strlen(line), &object, spans, types, &at),
                     0);
    check_values(line, spans, types, values[_i].found);
    pex__paths_free(set);
}
END_TEST

/* Three times the same line, so that the key templates of the first serve the others. */
START_TEST(wanted_fields_are_found_by_all_instruction_sets)
{
    struct pex__paths *set = wanted(fields, 4);
    char data[1024];
    struct pex__scan *scan;
    int length = snprintf(data, sizeof data - PEX__SCAN_SLACK, "%s\n%s\r\n%s\n", values[_i].line,
                          values[_i].line, values[_i].line);

    memset(data + length, 0, PEX__SCAN_SLACK);
    for (int32_t isa = 0; isa < PEX__ISA_COUNT; isa++) {
        struct pex__rows rows = {0};

        if (pex__scan_create(isa, &scan) != 0)
            continue;
        ck_assert_int_eq(pex__rows_reset(&rows, 4), 0);
        ck_assert_int_eq(pex__scan_slice(scan, set, data, 0, (size_t)length, (size_t)length, &rows),
                         0);
        ck_assert_uint_eq(rows.count, 3);
        for (size_t row = 0; row < 3; row++) {
            struct pex__span spans[4];
            uint8_t types[4];

            for (int k = 0; k < 4; k++) {
                spans[k] = rows.columns[k].spans[row];
                types[k] = rows.columns[k].types[row];
            }
            check_values(data, spans, types, values[_i].found);
        }
        pex__rows_free(&rows);
        pex__scan_free(scan);
    }
    pex__paths_free(set);
}
END_TEST

START_TEST(depth_1000_is_a_row_and_1001_is_not)
{
    struct pex__paths *none = wanted(NULL, 0);
    char line[4096] = "{\"a\":";
    struct pex__span object;
    uint32_t at = 0;

    for (int nested = 999; nested <= 1000; nested++) {
        memset(line + 5, '[', (size_t)nested);
        memset(line + 5 + nested, ']', (size_t)nested);
        strcpy(line + 5 + 2 * nested, "}");
        ck_assert_int_eq(pex__scan_reference(none, line, 0, strlen(line), &object, NULL, NULL, &at),
                         nested == 999 ? PEX__ROW_OK : PEX__ROW_DEPTH);
    }
    ck_assert_uint_eq(at, 5 + 999);
    pex__paths_free(none);
}
END_TEST

START_TEST(lines_are_cut_and_counted)
{
    static const char data[] = "tail\"}\n{}\r\n \t\r\n [1] \r\n{\"text\":1}\n\n{\"text\":2}\n";
    const char *dotted = "text";
    struct pex__paths *set = wanted(&dotted, 1);
    char slice[sizeof data + PEX__SCAN_SLACK] = {0};
    struct pex__rows rows = {0};
    struct pex__scan *scan;

    memcpy(slice, data, sizeof data);
    ck_assert_int_eq(pex__scan_create(PEX__ISA_BEST, &scan), 0);
    ck_assert_int_eq(pex__rows_reset(&rows, 1), 0);
    ck_assert_int_eq(pex__scan_slice(scan, set, slice, 7, 34, sizeof data - 1, &rows), 0);
    ck_assert_uint_eq(rows.lines, 5);
    ck_assert_uint_eq(rows.count, 2);
    ck_assert_uint_eq(rows.blank, 2);
    ck_assert_uint_eq(rows.bad_count, 1);
    ck_assert_uint_eq(rows.rows[0].begin, 7);
    ck_assert_uint_eq(rows.rows[0].length, 2);
    ck_assert_uint_eq(rows.columns[0].types[0], PEX__MISSING);
    ck_assert_uint_eq(rows.columns[0].types[1], PEX__NUMBER);
    ck_assert_uint_eq(rows.bad[0].line.begin, 15);
    ck_assert_uint_eq(rows.bad[0].line.length, 5);
    ck_assert_uint_eq(rows.bad[0].at, 16);
    ck_assert_int_eq(rows.bad[0].reason, PEX__ROW_NOT_OBJECT);
    ck_assert_uint_eq(rows.bad[0].before, 1);
    ck_assert_uint_gt(pex__rows_bytes(&rows), 0);
    pex__rows_free(&rows);
    pex__scan_free(scan);
    pex__paths_free(set);
}
END_TEST

START_TEST(values_stand_alone)
{
    struct pex__span span = {9, 9};
    uint8_t type = 99;

    ck_assert_int_eq(pex__scan_value(" \n[1,{}]\t", 9, &type, &span), 1);
    ck_assert_int_eq(type, PEX__ARRAY);
    ck_assert_uint_eq(span.begin, 2);
    ck_assert_uint_eq(span.length, 6);
    ck_assert_int_eq(pex__scan_value("\"\\n\"", 4, &type, &span), 1);
    ck_assert_int_eq(type, PEX__ESCAPED);
    ck_assert_int_eq(pex__scan_value("1", 1, &type, &span), 1);
    ck_assert_int_eq(type, PEX__NUMBER);
    ck_assert_int_eq(pex__scan_value("", 0, &type, &span), 0);
    ck_assert_int_eq(pex__scan_value("1 2", 3, &type, &span), 0);
    ck_assert_int_eq(pex__scan_value("{} x", 4, &type, &span), 0);
    ck_assert_int_eq(type, PEX__NUMBER);
}
END_TEST

START_TEST(foreign_instruction_sets_are_refused)
{
    struct pex__scan *scan = NULL;

    ck_assert_int_eq(pex__scan_create(PEX__ISA_COUNT, &scan), PEX_ENOTSUP);
#if defined(__x86_64__)
    ck_assert_int_eq(pex__scan_create(PEX__ISA_NEON, &scan), PEX_ENOTSUP);
#endif
    ck_assert_int_eq(pex__scan_create(PEX__ISA_BEST, &scan), 0);
    ck_assert_str_ne(pex__isa_name(pex__scan_isa(scan)), "none");
    ck_assert_uint_gt(pex__scan_bytes(scan), 0);
    pex__scan_free(scan);
}
END_TEST

/* Pieces that matter to a kernel, each moved over two block edges, in a string and outside. */
static const char *const in_strings[] = {
    "\\\"",
    "\\\\",
    "\\\\\\\"",
    "\\u00e9",
    "\\u00g9",
    "\\ud83d\\ude00",
    "\\x",
    "\t",
    "\x1F",
    "\x7F",
    "\xC3\xA9",
    "\xE2\x82\xAC",
    "\xF0\x9F\x98\x80",
    "\xC3",
    "\xE2\x82",
    "\xF0\x9F\x98",
    "\x80",
    "\xED\xA0\x80",
    "\xED\x9F\xBF",
    "\xE0\x9F\xBF",
    "\xF4\x8F\xBF\xBF",
    "\xF4\x90\x80\x80",
    "\xFF",
    "\"",
    "\\",
    "\\u",
    "\\u1",
    "\\u12",
    "\\u123",
    "\n",
    "\r",
    "\\\n",
    "\"}\n{\"text\":\"",
};

static const char *const in_arrays[] = {
    "1",
    "-1",
    "01",
    "-01",
    "1.5",
    "1..5",
    "1.5.5",
    "1e5",
    "1E-5",
    "1e5.5",
    "1e5e5",
    "1.5e+5",
    "1.e5",
    "--1",
    "-",
    "+1",
    "1-1",
    "1e",
    "1e+",
    ".5",
    "5.",
    "1 2",
    "1,,2",
    "[]",
    "[1]",
    "[1,]",
    "[,1]",
    "[[1],[2,[]]]",
    "1[",
    "]1",
    "[]1",
    "{}",
    "\"x\"",
    "null",
    "\n",
    "\r",
    "1\t,\r2",
    "",
    "]",
    "1]",
    "123456789012345678901234567890123456789012345678901234567890123456789012345678",
};

/* Puts `piece` behind `pad` times `filler`, between `head` and `tail`, with a good row around. */
static void compare_padded(const struct pex__paths *paths, const char *head, const char *filler,
                           size_t pad, const char *piece, const char *tail)
{
    char text[2048];
    char *end = stpcpy(stpcpy(text, "{\"text\":1}\n"), head);
    const char *found;

    while (pad-- > 0)
        end = stpcpy(end, filler);
    end = stpcpy(stpcpy(end, piece), tail);
    found = compare_scanners(paths, text, (size_t)(end - text));
    ck_assert_msg(found == NULL, "%s: %s", found, text);
}

START_TEST(strings_across_block_edges_scan_alike)
{
    struct pex__paths *paths = compare_paths();

    for (size_t pad = 0; pad <= 130; pad++) {
        compare_padded(paths, "{\"text\":\"", "x", pad, in_strings[_i], "y\"}\n{\"id\":2}\n");
        compare_padded(paths, "{\"", "x", pad, in_strings[_i], "\":1}\n{\"id\":2}\n");
        compare_padded(paths, "{\"text\":\"", "\\\\", pad / 2, in_strings[_i], "\"}");
    }
    pex__paths_free(paths);
}
END_TEST

START_TEST(arrays_across_block_edges_scan_alike)
{
    struct pex__paths *paths = compare_paths();

    for (size_t pad = 0; pad <= 70; pad++) {
        compare_padded(paths, "{\"id\":[1,2,3,4,5,6,7,8,", " ", pad, in_arrays[_i], ",9]}\n{}\n");
        compare_padded(paths, "{\"id\":[1,2,3,4,5,6,7,8,", " ", pad, in_arrays[_i], "]}\n{}\n");
        compare_padded(paths, "{\"id\":[", "1,", pad, in_arrays[_i], " ,9]}\n{}\n");
        compare_padded(paths, "{\"id\":[", "[-10.5e1], ", pad, in_arrays[_i], "]}\n{}\n");
    }
    pex__paths_free(paths);
}
END_TEST

/* Any machine's next pseudo-random number below `limit`; a failure is repeated from the seed. */
static uint64_t random_state;

static size_t random_below(size_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((random_state >> 33) % limit);
}

static const char *const rows_to_damage[] = {
    "{\"text\": \"The quick brown fox \\\"jumps\\\" over\\nthe lazy dog\", \"meta\": {\"lang\": "
    "\"en\", "
    "\"score\": 0.93, \"x\": [1, 2, {\"lang\": null}]}, \"id\": 123456789}\n",
    "{\"id\":[0.5,-1,2e9,3.25E-7,4,5,66,777,8888,99999,[1,2,3],[[4]],[],1e400],\"text\":\"\\u4f60"
    "\\u597d \\ud83d\\ude00 \xE4\xBD\xA0\xE5\xA5\xBD\xF0\x9F\x98\x80\"}\n",
    "{\"a\":{\"b\":{\"c\":true},\"b\":{\"c\":false,\"d\":[]}},\"te\\u0078t\":\"\",\"meta\":{},"
    "\"meta\""
    ":{\"lang\":\"\\\\\"},\"q\\\"\\\\\\u0001\":1}\r\n",
    "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"b\"}\n \t\n{\"id\":3 ,\"text\":\"c\"}\n",
};

static size_t damage(char *text, size_t length)
{
    static const char bytes[] = "\"\\{}[],: \t\r\n0129-+.eEutfnx\x80\xA0\xC3\xED\xF0\x01";
    size_t at = random_below(length);

    switch (random_below(4)) {
    case 0:
        memmove(text + at, text + at + 1, length - at - 1);
        return length > 1 ? length - 1 : length;
    case 1:
        memmove(text + at + 1, text + at, length - at);
        text[at] = bytes[random_below(sizeof bytes - 1)];
        return length + 1;
    case 2:
        text[at] = bytes[random_below(sizeof bytes - 1)];
        return length;
    default:
        text[at] ^= (char)(1 << random_below(8));
        return length;
    }
}

START_TEST(damaged_rows_scan_alike)
{
    enum { ROUNDS = 20000 };
    const char *given = getenv("PEX_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    struct pex__paths *paths = compare_paths();

    random_state = seed;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < ROUNDS; round++) {
        char text[4096];
        size_t length = 0;
        const char *found;

        for (size_t k = 1 + random_below(4); k > 0; k--) {
            const char *row = rows_to_damage[random_below(4)];

            memcpy(text + length, row, strlen(row));
            length += strlen(row);
        }
        for (size_t k = random_below(4); k > 0; k--)
            length = damage(text, length);
        found = compare_scanners(paths, text, length);
        ck_assert_msg(found == NULL, "seed %llu, round %d: %s: %.*s", (unsigned long long)seed,
                      round, found, (int)length, text);
    }
    pex__paths_free(paths);
}
END_TEST

#ifdef PEX_FAULT_INJECTION
#include "base/memory.h"

/* From paths to rows; returns the first failure. */
static int32_t scan_once(const char *data, size_t length)
{
    struct pex__path path = {0};
    struct pex__paths *set = NULL;
    struct pex__scan *scan = NULL;
    struct pex__rows rows = {0};
    int32_t code = pex__path_parse("meta.lang", &path, NULL);

    if (code == 0)
        code = pex__paths_create(&path, 1, &set);
    if (code == 0)
        code = pex__scan_create(PEX__ISA_BEST, &scan);
    if (code == 0)
        code = pex__rows_reset(&rows, 1);
    if (code == 0)
        code = pex__scan_slice(scan, set, data, 0, length, length, &rows);
    if (code == 0)
        ck_assert_uint_eq(rows.count + rows.bad_count, 2);
    pex__rows_free(&rows);
    pex__scan_free(scan);
    pex__paths_free(set);
    pex__path_free(&path);
    return code;
}

START_TEST(every_failed_allocation_is_reported)
{
    static const char line[] = "{\"meta\":{\"lang\":1}}\n[]\n";
    char data[sizeof line + PEX__SCAN_SLACK] = {0};
    uint64_t k = 1;

    memcpy(data, line, sizeof line);
    for (;; k++) {
        int32_t code;

        pex__memory_fail_at(k);
        code = scan_once(data, sizeof line - 1);
        if (pex__memory_fail_at(0) < k) {
            ck_assert_int_eq(code, 0);
            break;
        }
        ck_assert_int_eq(code, PEX_ENOMEM);
    }
    ck_assert_uint_gt(k, 10);
}
END_TEST
#endif

#define LENGTH(array) (int)(sizeof(array) / sizeof *(array))

int main(void)
{
    Suite *suite = suite_create("scan");
    TCase *tests = tcase_create("scan");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, each_line_has_its_verdict_and_offset, 0, LENGTH(verdicts));
    tcase_add_loop_test(tests, wanted_fields_are_found, 0, LENGTH(values));
    tcase_add_loop_test(tests, wanted_fields_are_found_by_all_instruction_sets, 0, LENGTH(values));
    tcase_add_test(tests, depth_1000_is_a_row_and_1001_is_not);
    tcase_add_test(tests, lines_are_cut_and_counted);
    tcase_add_test(tests, values_stand_alone);
    tcase_add_test(tests, foreign_instruction_sets_are_refused);
    tcase_add_loop_test(tests, strings_across_block_edges_scan_alike, 0, LENGTH(in_strings));
    tcase_add_loop_test(tests, arrays_across_block_edges_scan_alike, 0, LENGTH(in_arrays));
    tcase_add_test(tests, damaged_rows_scan_alike);
#ifdef PEX_FAULT_INJECTION
    tcase_add_test(tests, every_failed_allocation_is_reported);
#endif
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
