/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that are not as they should be: every byte changed, every length cut off, bytes behind
 * the end. What comes is the right rows, or an error that names file and offset. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <partexec/dataset.h>

#include "packed.h"

static struct bytes rows;

static void make_rows(void)
{
    char line[128];

    for (int i = 0; i < 40; i++) {
        int length = snprintf(line, sizeof line, "{\"id\": %d, \"text\": \"row %d of %x\"}\n", i,
                              i * i, i * 7919);

        bytes_add(&rows, line, (size_t)length);
    }
}

enum { GZIP_ONE, GZIP_TWO, ZSTD_SUMMED, ZSTD_TWO, ZSTD_PLAIN, KINDS };
static const char *const names[KINDS] = {"a.jsonl.gz", "a.jsonl.gz", "a.jsonl.zst", "a.jsonl.zst",
                                         "a.jsonl.zst"};

static struct bytes make_archive(int kind)
{
    struct bytes out = {0};
    size_t half = rows.length / 2;

    switch (kind) {
    case GZIP_ONE:
        pack_gzip(&out, rows.data, rows.length);
        break;
    case GZIP_TWO:
        pack_gzip(&out, rows.data, half);
        pack_gzip(&out, rows.data + half, rows.length - half);
        break;
    case ZSTD_SUMMED:
        pack_zstd(&out, rows.data, rows.length, PACK_CHECKSUM);
        break;
    case ZSTD_TWO:
        pack_skippable(&out, "note", 4);
        pack_zstd(&out, rows.data, half, PACK_CHECKSUM | PACK_SIZE);
        pack_zstd(&out, rows.data + half, rows.length - half, PACK_CHECKSUM | PACK_SIZE);
        break;
    default:
        pack_zstd(&out, rows.data, rows.length, PACK_SIZE);
    }
    return out;
}

/* Lists and reads, whole or in two parts. Returns 0 with the text of all rows, or the code. */
static int32_t read_file(const char *path, size_t parts, size_t buffer, struct bytes *text,
                         struct pex_error *err)
{
    struct pex__input *input = NULL;
    struct pex__place cuts[3];
    struct lines lines = {0};
    size_t count;
    int32_t code = pex__input_list(&path, 1, PEX_FORMAT_AUTO, NULL, &input, err);

    *text = (struct bytes){0};
    if (code == 0)
        code = pex__input_cut_bytes(input, parts, cuts, &count, err);
    for (size_t i = 0; code == 0 && i < count; i++)
        code = packed_read(&lines, input, &cuts[i], &cuts[i + 1], 300, buffer, err);
    for (size_t i = 0; i < lines.count; i++) {
        bytes_add(text, lines.items[i].text, lines.items[i].length);
        bytes_add(text, "\n", 1);
    }
    lines_free(&lines);
    pex__input_free(input);
    return code;
}

/* may_change: bytes of rows that no checksum guards; their number stays. */
static void expect_rows_or_error(int kind, const struct bytes *file, const char *what, size_t at,
                                 int may_change)
{
    const char *path = files_write(names[kind], file->data, file->length);
    struct bytes text = {0};
    struct pex_error err;

    for (size_t parts = 1; parts <= 2; parts++) {
        int32_t code = read_file(path, parts, 0, &text, &err);

        if (code == 0 && !may_change)
            ck_assert_msg(text.length == rows.length &&
                              memcmp(text.data, rows.data, rows.length) == 0,
                          "%s %zu of kind %d: other rows", what, at, kind);
        else if (code == 0)
            ck_assert_msg(text.length >= rows.length, "%s %zu of kind %d: %zu bytes of %zu", what,
                          at, kind, text.length, rows.length);
        else
            ck_assert_msg(strstr(err.message, path) == err.message &&
                              strstr(err.message, "byte ") != NULL &&
                              (code == PEX_EDATA || code == PEX_ELIMIT),
                          "%s %zu of kind %d: %d %s", what, at, kind, code, err.message);
        bytes_free(&text);
    }
}

START_TEST(every_byte_changed_is_an_error_or_the_right_rows)
{
    struct bytes file = make_archive(_i);

    for (size_t at = 0; at < file.length; at++) {
        for (int mask = 1; mask < 256; mask = mask == 1 ? 0x80 : mask == 0x80 ? 0xFF : 256) {
            file.data[at] = (char)(file.data[at] ^ mask);
            expect_rows_or_error(_i, &file, "byte", at, _i == ZSTD_PLAIN);
            file.data[at] = (char)(file.data[at] ^ mask);
        }
    }
    bytes_free(&file);
}
END_TEST

START_TEST(every_length_cut_is_an_error)
{
    struct bytes file = make_archive(_i), half = {0};
    size_t whole = file.length;

    /* At the end of a member or frame nothing tells that there was another. */
    if (_i == GZIP_TWO)
        pack_gzip(&half, rows.data, rows.length / 2);
    if (_i == ZSTD_TWO) {
        pack_skippable(&half, "note", 4);
        pack_zstd(&half, rows.data, rows.length / 2, PACK_CHECKSUM | PACK_SIZE);
    }
    for (file.length = 0; file.length < whole; file.length++) {
        const char *path = files_write(names[_i], file.data, file.length);
        struct bytes text = {0};
        struct pex_error err;

        if (file.length == half.length && half.length > 0)
            continue;
        if (_i == ZSTD_TWO && file.length == 12) /* a skippable frame alone: no rows */
            continue;
        ck_assert_msg(read_file(path, 1, 0, &text, &err) == PEX_EDATA, "kind %d cut to %zu bytes",
                      _i, file.length);
        ck_assert_ptr_nonnull(strstr(err.message, "byte "));
        bytes_free(&text);
    }
    bytes_free(&half);
    bytes_free(&file);
}
END_TEST

static void expect_error(int kind, const struct bytes *file, const char *words)
{
    struct bytes text = {0};
    struct pex_error err = {.message = "none"};
    int32_t code = read_file(files_write(names[kind], file->data, file->length), 1, 0, &text, &err);

    ck_assert_msg(code == PEX_EDATA && strstr(err.message, words) != NULL, "%d %s, expected %s",
                  code, err.message, words);
    bytes_free(&text);
}

START_TEST(bytes_behind_the_end_are_refused)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct bytes file = make_archive(kind);
        char words[64];

        snprintf(words, sizeof words, "found 74 61 69 6c at byte %zu", file.length);
        bytes_add(&file, "tail", 4);
        expect_error(kind, &file, words);
        bytes_free(&file);
    }
}
END_TEST

START_TEST(zeros_behind_gzip_are_padding)
{
    static const char zeros[100000];
    struct bytes file = make_archive(GZIP_TWO), text;
    struct pex_error err;
    char words[64];

    bytes_add(&file, zeros, sizeof zeros);
    ck_assert_int_eq(
        read_file(files_write(names[GZIP_TWO], file.data, file.length), 1, 0, &text, &err), 0);
    ck_assert_uint_eq(text.length, rows.length);
    snprintf(words, sizeof words, "found 78 at byte %zu", file.length);
    bytes_add(&file, "x", 1);
    expect_error(GZIP_TWO, &file, words);
    bytes_free(&text);
    bytes_free(&file);
}
END_TEST

START_TEST(archives_of_nothing_have_no_rows)
{
    for (int kind = GZIP_ONE; kind <= ZSTD_SUMMED; kind += ZSTD_SUMMED) {
        struct bytes file = {0}, text;
        struct pex_error err;

        for (int i = 0; i < 3; i++) {
            if (kind == GZIP_ONE)
                pack_gzip(&file, "", 0);
            else
                pack_zstd(&file, "", 0, PACK_CHECKSUM);
        }
        ck_assert_int_eq(
            read_file(files_write(names[kind], file.data, file.length), 2, 0, &text, &err), 0);
        ck_assert_uint_eq(text.length, 0);
        bytes_free(&text);
        bytes_free(&file);
    }
}
END_TEST

START_TEST(a_window_too_large_is_refused)
{
    /* A frame head that asks for 2 GiB. */
    static const unsigned char head[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 21 << 3, 1, 0, 0};
    struct bytes file = {0}, text = {0};
    struct pex_error err;

    bytes_add(&file, head, sizeof head);
    ck_assert_int_eq(
        read_file(files_write(names[ZSTD_PLAIN], file.data, file.length), 1, 0, &text, &err),
        PEX_ELIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "at byte 0 needs a window of 2147483648 bytes"));
    bytes_free(&text);
    bytes_free(&file);
}
END_TEST

START_TEST(a_frame_with_a_dictionary_is_refused)
{
    static const unsigned char head[] = {0x28, 0xB5, 0x2F, 0xFD, 0x01, 0, 7, 1, 0, 0};
    struct bytes file = {0};

    bytes_add(&file, head, sizeof head);
    expect_error(ZSTD_PLAIN, &file, "needs dictionary 7");
    bytes_free(&file);
}
END_TEST

static void setup(void)
{
    files_setup();
    make_rows();
}

static void teardown(void)
{
    bytes_free(&rows);
    files_teardown();
}

int main(void)
{
    Suite *suite = suite_create("damage");
    TCase *tcase = tcase_create("damage");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, every_byte_changed_is_an_error_or_the_right_rows, 0, KINDS);
    tcase_add_loop_test(tcase, every_length_cut_is_an_error, 0, KINDS);
    tcase_add_test(tcase, bytes_behind_the_end_are_refused);
    tcase_add_test(tcase, zeros_behind_gzip_are_padding);
    tcase_add_test(tcase, archives_of_nothing_have_no_rows);
    tcase_add_test(tcase, a_window_too_large_is_refused);
    tcase_add_test(tcase, a_frame_with_a_dictionary_is_refused);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
