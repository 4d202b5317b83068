/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <partexec/dataset.h>

#include "data/reader.h"
#include "data/scan.h"
#include "files.h"

#define MARK "\xEF\xBB\xBF"

/* Files with something odd at an end or in the middle. */
static const char *const odd[] = {
    "",
    "\n",
    "\r\n",
    "\n\n\n",
    "{}",
    "{}\n",
    "{\"a\":1}\n{\"b\":2}",
    "{\"a\":1}\r\n{\"b\":2}\r\n",
    "{\"a\":1}\r\n{\"b\":2}\r",
    "\n{\"a\":1}\n\n\n{\"b\":2}\n\n",
    "  \n{\"a\":1}\n\t\r\n",
    MARK,
    MARK "\n",
    MARK "\r\n",
    MARK "{}",
    MARK "{\"a\":1}\r\n" MARK "{\"b\":2}\n",
    "\xEF\xBB",
    "{\"long\":\"................................\"}\n{}\n{}\n{\"long\":\"..................\"}",
    "x\n",
};
#define ODD_COUNT (sizeof odd / sizeof *odd)

static void write_odd(const char **paths, size_t count, char names[][32])
{
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], 32, "%02zu.jsonl", i);
        files_text(names[i], odd[i]);
    }
    for (size_t i = 0; i < count; i++)
        paths[i] = strdup(files_path(names[i]));
}

/* Partition [0, cut) and [cut, bytes), in slices of every size. */
static void compare_at_all_sizes(const struct pex__input *input, uint64_t cut, uint64_t size_max,
                                 const struct lines *want, uint64_t marks)
{
    char what[100];

    for (uint64_t size = 1; size <= size_max; size++) {
        struct lines have = {0};
        uint64_t seen = 0;

        if (cut > 0)
            seen += lines_read(&have, input, 0, cut, size);
        if (cut < input->bytes || input->bytes == 0)
            seen += lines_read(&have, input, cut, input->bytes, size);
        snprintf(what, sizeof what,
                 "source 0 of %" PRIu64 " bytes, cut at %" PRIu64 ", slices of %" PRIu64,
                 input->sources[0].size, cut, size);
        lines_compare(&have, want, what);
        ck_assert_msg(seen == marks, "%s: %" PRIu64 " marks", what, seen);
        lines_free(&have);
    }
}

static uint64_t count_marks(const char *text)
{
    return strncmp(text, MARK, 3) == 0;
}

START_TEST(odd_file_gives_the_same_rows_at_every_cut_and_slice_size)
{
    const char *text = odd[_i];
    size_t length = strlen(text);
    struct pex__input *input =
        files_list_one(files_write("odd.jsonl", text, length), PEX_FORMAT_AUTO);
    struct lines want = {0};

    lines_split(&want, 0, text, length);
    for (uint64_t cut = 0; cut <= length; cut++)
        compare_at_all_sizes(input, cut, length + 1, &want, count_marks(text));
    lines_free(&want);
    pex__input_free(input);
}
END_TEST

START_TEST(odd_files_in_a_row_give_the_same_rows)
{
    const char *paths[ODD_COUNT];
    char names[ODD_COUNT][32];
    struct pex__input *input;
    struct lines want = {0};
    uint64_t marks = 0;

    write_odd(paths, ODD_COUNT, names);
    input = files_list(paths, ODD_COUNT, PEX_FORMAT_AUTO);
    for (size_t i = 0; i < ODD_COUNT; i++) {
        lines_split(&want, (uint32_t)i, odd[i], strlen(odd[i]));
        marks += count_marks(odd[i]);
    }
    for (uint64_t cut = 0; cut <= input->bytes; cut += 23)
        compare_at_all_sizes(input, cut, 40, &want, marks);
    compare_at_all_sizes(input, 0, input->bytes + 1, &want, marks);
    lines_free(&want);
    pex__input_free(input);
    for (size_t i = 0; i < ODD_COUNT; i++)
        free((void *)paths[i]);
}
END_TEST

/* Rows of 2 to `longest` bytes, some blank, some with CRLF. */
static char *make_rows(uint64_t *seed, size_t rows, size_t longest, size_t *length)
{
    char *data = malloc(rows * (longest + 8));
    size_t at = 0;

    for (size_t i = 0; i < rows; i++) {
        uint64_t kind = next_random(seed) % 8;
        size_t size = next_random(seed) % longest;

        if (kind > 0) {
            data[at++] = '{';
            memset(data + at, 'a' + (int)(i % 26), size);
            at += size;
            data[at++] = '}';
        }
        if (kind == 1)
            data[at++] = '\r';
        data[at++] = '\n';
    }
    *length = at;
    return data;
}

START_TEST(rows_are_the_same_however_they_are_split_into_files)
{
    uint64_t seed = (uint64_t)time(NULL), state = seed;
    size_t length;
    char *data = make_rows(&state, 400, 300, &length), name[32];

    printf("# seed %" PRIu64 "\n", seed);
    for (int round = 0; round < 25; round++) {
        size_t files = 1 + next_random(&state) % 50, begin = 0;
        const char *paths[50];
        struct lines want = {0}, have = {0};
        struct pex__input *input;
        const char *lf;

        for (size_t i = 0; i < files; i++) {
            size_t end =
                i + 1 == files ? length : begin + next_random(&state) % (2 * length / files);

            end = end < length ? end : length;
            lf = end < length ? memchr(data + end, '\n', length - end) : NULL;
            end = lf != NULL ? (size_t)(lf - data) + 1 : length;
            snprintf(name, sizeof name, "%d-%zu.jsonl", round, i);
            paths[i] = strdup(files_write(name, data + begin, end - begin));
            lines_split(&want, (uint32_t)i, data + begin, end - begin);
            begin = end;
        }
        input = files_list(paths, files, PEX_FORMAT_AUTO);
        ck_assert_uint_eq(input->bytes, length);
        lines_read(&have, input, 0, length, 1 + next_random(&state) % 9000);
        lines_compare(&have, &want, "split");
        lines_free(&have);
        lines_free(&want);
        pex__input_free(input);
        for (size_t i = 0; i < files; i++)
            free((void *)paths[i]);
    }
    free(data);
}
END_TEST

#define LONG_BYTES ((size_t)6 << 20)

START_TEST(long_row_is_read_by_its_own_slice_only)
{
    char *data = malloc(LONG_BYTES + 100);
    struct lines want = {0}, have = {0};
    struct pex__input *input;
    struct pex__reader *reader;
    struct pex__slice slice = {0};
    size_t length = 0, step = 64 << 10;

    length += (size_t)sprintf(data, "{\"a\":1}\n{\"b\":\"");
    memset(data + length, 'x', LONG_BYTES);
    length += LONG_BYTES;
    length += (size_t)sprintf(data + length, "\"}\n{\"c\":3}\n");
    input = files_list_one(files_write("long.jsonl", data, length), PEX_FORMAT_AUTO);
    lines_split(&want, 0, data, length);
    lines_read(&have, input, 0, length, step);
    lines_compare(&have, &want, "long row");

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    for (size_t at = step; at + step < LONG_BYTES; at += step) {
        ck_assert_int_eq(pex__reader_read(reader, input, at, at + step, &slice, NULL), 0);
        ck_assert_uint_eq(slice.rows_begin, slice.rows_end);
    }
    ck_assert_uint_lt(slice.capacity, 2 * step);
    pex__slice_free(&slice);
    pex__reader_free(reader);
    lines_free(&want);
    lines_free(&have);
    pex__input_free(input);
    free(data);
}
END_TEST

START_TEST(row_past_the_limit_names_file_and_offset)
{
    struct pex__input *input;
    struct pex__reader *reader;
    struct pex__slice slice = {0};
    struct pex_error err;
    char *data = malloc(100000);

    memset(data, 'x', 100000);
    memcpy(data, "{}\n{}\n", 6);
    input = files_list_one(files_write("big.jsonl", data, 100000), PEX_FORMAT_AUTO);
    ck_assert_int_eq(pex__reader_create(&reader), 0);
    reader->limit = 50000;
    ck_assert_int_eq(pex__reader_read(reader, input, 0, 100, &slice, &err), PEX_ELIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "big.jsonl: the row at byte 6 "));
    pex__reader_free(reader);
    pex__slice_free(&slice);
    pex__input_free(input);
    free(data);
}
END_TEST

/* Reads the whole input; returns the code, the message goes to err. */
static int32_t read_all(const struct pex__input *input, struct pex_error *err)
{
    struct pex__slice slice = {0};
    struct pex__reader *reader;
    int32_t code;

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    code = pex__reader_read(reader, input, 0, input->bytes, &slice, err);
    pex__reader_free(reader);
    pex__slice_free(&slice);
    return code;
}

START_TEST(file_that_vanished_is_named)
{
    const char *path = files_text("gone.jsonl", "{}\n");
    struct pex__input *input = files_list_one(path, PEX_FORMAT_AUTO);
    struct pex_error err;
    uint64_t rows;

    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(read_all(input, &err), PEX_ENOENT);
    ck_assert_ptr_nonnull(strstr(err.message, path));
    ck_assert_int_eq(pex__input_count_rows(input, 1, &rows, &err), PEX_ENOENT);
    pex__input_free(input);
}
END_TEST

START_TEST(file_that_was_cut_is_named_with_its_end)
{
    const char *path = files_text("cut.jsonl", "{}\n{\"a\":1}\n");
    struct pex__input *input = files_list_one(path, PEX_FORMAT_AUTO);
    struct pex_error err;

    ck_assert_int_eq(truncate(path, 5), 0);
    ck_assert_int_eq(read_all(input, &err), PEX_EIO);
    ck_assert_ptr_nonnull(strstr(err.message, path));
    ck_assert_ptr_nonnull(strstr(err.message, "ends at byte 5"));
    pex__input_free(input);
}
END_TEST

START_TEST(file_that_is_cut_while_open_is_named_with_its_end)
{
    const char *path = files_text("cut.jsonl", "{}\n{\"a\":1}\n");
    struct pex__input *input = files_list_one(path, PEX_FORMAT_AUTO);
    struct pex__slice slice = {0};
    struct pex__reader *reader;
    struct pex_error err;

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    ck_assert_int_eq(pex__reader_read(reader, input, 0, 1, &slice, &err), 0);
    ck_assert_int_eq(truncate(path, 5), 0);
    ck_assert_int_eq(pex__reader_read(reader, input, 3, 11, &slice, &err), PEX_EIO);
    ck_assert_ptr_nonnull(strstr(err.message, path));
    ck_assert_ptr_nonnull(strstr(err.message, "ends at byte 5"));
    pex__reader_free(reader);
    pex__slice_free(&slice);
    pex__input_free(input);
}
END_TEST

START_TEST(file_that_was_replaced_is_named)
{
    const char *path = files_text("new.jsonl", "{}\n");
    struct pex__input *input = files_list_one(path, PEX_FORMAT_AUTO);
    struct pex_error err;

    files_text("new.jsonl", "{\"a\":1}\n");
    ck_assert_int_eq(read_all(input, &err), PEX_EIO);
    ck_assert_ptr_nonnull(strstr(err.message, path));
    ck_assert_ptr_nonnull(strstr(err.message, "changed since it was listed"));
    pex__input_free(input);
}
END_TEST

START_TEST(file_that_grew_is_named_also_when_its_time_did_not_change)
{
    const char *path = files_text("grown.jsonl", "{}\n");
    struct pex__input *input = files_list_one(path, PEX_FORMAT_AUTO);
    struct timespec times[2] = {
        {.tv_nsec = UTIME_OMIT},
        {input->sources[0].mtime_ns / 1000000000, input->sources[0].mtime_ns % 1000000000}};
    struct pex_error err;

    files_text("grown.jsonl", "{}\n{}\n");
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    ck_assert_int_eq(read_all(input, &err), PEX_EIO);
    ck_assert_ptr_nonnull(strstr(err.message, "changed since it was listed"));
    pex__input_free(input);
}
END_TEST

START_TEST(reader_notices_another_input_with_the_same_place)
{
    struct pex__slice slice = {0};
    struct pex__reader *reader;

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    for (int i = 0; i < 4; i++) {
        struct pex__input *input = files_list_one(
            files_text(i % 2 ? "a.jsonl" : "b.jsonl", i % 2 ? "[a]\n" : "[b]\n"), PEX_FORMAT_AUTO);

        ck_assert_int_eq(pex__reader_read(reader, input, 0, 4, &slice, NULL), 0);
        ck_assert_int_eq(slice.data[1], i % 2 ? 'a' : 'b');
        pex__input_free(input);
    }
    pex__reader_free(reader);
    pex__slice_free(&slice);
}
END_TEST

#define TEXT(literal) literal, sizeof literal - 1

static const struct {
    const char *content;
    size_t length;
    const char *text; /* as it must stand in the row */
} texts[] = {
    {TEXT(""), ""},
    {TEXT("plain\n"), "plain\\n"},
    {TEXT("a \"quoted\" \\ back\tslash\r\n"), "a \\\"quoted\\\" \\\\ back\\tslash\\r\\n"},
    {TEXT("\0\x01\x1F\x7F\b\f"), "\\u0000\\u0001\\u001f\x7F\\b\\f"},
    {TEXT(""), ""},
    {TEXT(MARK "caf\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC 12345678"),
     "caf\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC 12345678"},
    {TEXT("bad \xFF\xC3( \xED\xA0\x80 stays"), "bad \xFF\xC3( \xED\xA0\x80 stays"},
    {TEXT(MARK), ""},
    {TEXT(""), ""},
};
#define TEXT_COUNT (sizeof texts / sizeof *texts)

/* The texts of `count` files from `first` on; *want gets the rows. */
static struct pex__input *list_texts(size_t first, size_t count, struct lines *want)
{
    const char *paths[TEXT_COUNT];
    struct pex__input *input;
    char name[32], row[800];

    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%zu.txt", i);
        paths[i] = strdup(files_write(name, texts[first + i].content, texts[first + i].length));
        snprintf(row, sizeof row, "{\"text\": \"%s\", \"meta\": {\"path\": \"%s\", \"size\": %zu}}",
                 texts[first + i].text, paths[i], texts[first + i].length);
        lines_add(want, (uint32_t)i, 0, row, strlen(row));
    }
    input = files_list(paths, count, PEX_FORMAT_AUTO);
    for (size_t i = 0; i < count; i++)
        free((void *)paths[i]);
    return input;
}

START_TEST(text_file_is_a_row_at_every_cut_and_slice_size)
{
    struct lines want = {0};
    struct pex__input *input = list_texts(0, TEXT_COUNT, &want);

    for (uint64_t cut = 0; cut <= input->bytes; cut++)
        if (cut == 0 || cut == input->bytes)
            compare_at_all_sizes(input, 0, input->bytes + 1, &want, 2);
        else if (cut % 5 == 0)
            compare_at_all_sizes(input, cut, 6, &want, 2);
    lines_free(&want);
    pex__input_free(input);
}
END_TEST

START_TEST(range_of_no_bytes_holds_no_row)
{
    struct lines want = {0}, have = {0};
    struct pex__input *input = list_texts(0, TEXT_COUNT, &want);

    for (uint64_t at = 1; at <= input->bytes; at++)
        lines_read(&have, input, at, at, 1);
    ck_assert_uint_eq(have.count, 0);
    lines_free(&want);
    pex__input_free(input);
}
END_TEST

START_TEST(empty_text_file_alone_is_a_row)
{
    struct lines want = {0};
    struct pex__input *input = list_texts(0, 1, &want);

    ck_assert_uint_eq(input->bytes, 0);
    compare_at_all_sizes(input, 0, 1, &want, 0);
    lines_free(&want);
    pex__input_free(input);
}
END_TEST

START_TEST(big_text_file_is_escaped_across_pieces)
{
    size_t length = 300001;
    char *data = malloc(length), *row = malloc(2 * length + 1000);
    struct lines want = {0}, have = {0};
    struct pex__input *input;
    const char *path;
    size_t at;

    at = (size_t)sprintf(row, "{\"text\": \"");
    for (size_t i = 0; i < length; i++) {
        data[i] = i % 11 == 0 ? '"' : (char)('a' + i % 26);
        if (data[i] == '"')
            row[at++] = '\\';
        row[at++] = data[i];
    }
    path = files_write("big.md", data, length);
    at +=
        (size_t)sprintf(row + at, "\", \"meta\": {\"path\": \"%s\", \"size\": %zu}}", path, length);
    lines_add(&want, 0, 0, row, at);
    input = files_list_one(path, PEX_FORMAT_AUTO);
    lines_read(&have, input, 0, length, 7000);
    lines_compare(&have, &want, "big text");
    lines_free(&want);
    lines_free(&have);
    pex__input_free(input);
    free(data);
    free(row);
}
END_TEST

/* A line of a quarantine with these members. */
#define SHAPE(members) "{\"source\":\"s\",\"offset\":0,\"code\":-15,\"message\":\"m\"," members "}"
#define UNCHANGED(line)                                                                            \
    {                                                                                              \
        line, line                                                                                 \
    }

static const struct {
    const char *line;
    const char *row;
} quarantined[] = {
    {SHAPE(" \"raw\": \"{\\\"text\\\": \\\"a\\\\nb\\\"}\""), "{\"text\": \"a\\nb\"}"},
    {"{\"raw\":\"{bad\",\"message\":\"\",\"code\":-15,\"offset\":0,\"source\":\"s\"}", "{bad"},
    {"", ""},
    {SHAPE("\"raw_base64\": \"eyJ0ZXh0IjogIv8ifQ==\""), "{\"text\": \"\xFF\"}"},
    {SHAPE("\"raw_base64\": \"YWI=\""), "ab"},
    {SHAPE("\"raw_base64\": \"YWJj\", \"raw\": null"), "abc"},
    UNCHANGED(SHAPE("\"raw_base64\": \"YWJ\"")),
    UNCHANGED(SHAPE("\"raw_base64\": \"Y?Jj\"")),
    UNCHANGED("{\"text\": \"a row of its own\"}"),
    UNCHANGED(SHAPE("\"raw\": 5")),
    UNCHANGED(SHAPE("\"raw\": \"two\\nlines\"")),
    UNCHANGED("no json"),
    {SHAPE("\"raw\": \"caf\\u00e9 \xE6\x97\xA5\""), "caf\xC3\xA9 \xE6\x97\xA5"},
    /* Rows that have a raw of their own. */
    UNCHANGED("{\"raw\": \"mine\"}"),
    UNCHANGED("{\"raw_base64\": \"YWJj\"}"),
    UNCHANGED("{\"source\": \"s\", \"offset\": 0, \"code\": -15, \"raw\": \"mine\"}"),
    UNCHANGED("{\"source\": \"s\", \"offset\": 0, \"message\": \"m\", \"raw\": \"mine\"}"),
    UNCHANGED("{\"source\": \"s\", \"code\": 0, \"message\": \"m\", \"raw\": \"mine\"}"),
    UNCHANGED("{\"offset\": 0, \"code\": 0, \"message\": \"m\", \"raw\": \"mine\"}"),
    UNCHANGED(SHAPE("\"text\": \"no raw\"")),
};
#define QUARANTINED_COUNT (sizeof quarantined / sizeof *quarantined)

START_TEST(quarantine_file_gives_the_rows_it_holds)
{
    char data[4000];
    size_t at = 0;
    struct lines want = {0};
    struct pex__input *input;

    for (size_t i = 0; i < QUARANTINED_COUNT; i++) {
        lines_add(&want, 0, at, quarantined[i].row, strlen(quarantined[i].row));
        at += (size_t)sprintf(data + at, "%s\n", quarantined[i].line);
    }
    input = files_list_one(files_write("quarantine.jsonl", data, at - 1), PEX_FORMAT_AUTO);
    for (uint64_t cut = 0; cut < input->bytes; cut += 31)
        compare_at_all_sizes(input, cut, 70, &want, 0);
    compare_at_all_sizes(input, 0, input->bytes, &want, 0);
    lines_free(&want);
    pex__input_free(input);
}
END_TEST

START_TEST(many_small_files_are_joined_in_few_slices)
{
    enum { COUNT = 1000 };
    char *folder = strdup(files_path("many"));
    struct lines want = {0}, have = {0};
    struct pex__input *input;
    char name[32], row[32];

    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "many/%04d.jsonl", i);
        snprintf(row, sizeof row, "{\"n\":%d}", i);
        files_text(name, row);
        lines_add(&want, (uint32_t)i, 0, row, strlen(row));
    }
    input = files_list_one(folder, PEX_FORMAT_AUTO);
    lines_read(&have, input, 0, input->bytes, 4096);
    lines_compare(&have, &want, "small files");
    free(folder);
    lines_free(&want);
    lines_free(&have);
    pex__input_free(input);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("input reader");
    TCase *tcase = tcase_create("reader");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, files_setup, files_teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, odd_file_gives_the_same_rows_at_every_cut_and_slice_size, 0,
                        (int)ODD_COUNT);
    tcase_add_test(tcase, odd_files_in_a_row_give_the_same_rows);
    tcase_add_test(tcase, rows_are_the_same_however_they_are_split_into_files);
    tcase_add_test(tcase, long_row_is_read_by_its_own_slice_only);
    tcase_add_test(tcase, row_past_the_limit_names_file_and_offset);
    tcase_add_test(tcase, file_that_vanished_is_named);
    tcase_add_test(tcase, file_that_was_cut_is_named_with_its_end);
    tcase_add_test(tcase, file_that_is_cut_while_open_is_named_with_its_end);
    tcase_add_test(tcase, file_that_was_replaced_is_named);
    tcase_add_test(tcase, file_that_grew_is_named_also_when_its_time_did_not_change);
    tcase_add_test(tcase, reader_notices_another_input_with_the_same_place);
    tcase_add_test(tcase, text_file_is_a_row_at_every_cut_and_slice_size);
    tcase_add_test(tcase, range_of_no_bytes_holds_no_row);
    tcase_add_test(tcase, empty_text_file_alone_is_a_row);
    tcase_add_test(tcase, big_text_file_is_escaped_across_pieces);
    tcase_add_test(tcase, quarantine_file_gives_the_rows_it_holds);
    tcase_add_test(tcase, many_small_files_are_joined_in_few_slices);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
