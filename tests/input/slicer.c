/* SPDX-License-Identifier: Apache-2.0 */
/* A stream is cut as a file of the same bytes is, however its pieces end. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <partexec/dataset.h>

#include "data/slicer.h"
#include "files.h"

#define MARK "\xEF\xBB\xBF"

static const char *const odd[] = {
    "",
    "\n",
    "{}",
    "{}\n",
    "{\"a\":1}\r\n{\"b\":2}\r",
    "\n{\"a\":1}\n\n\n{\"b\":2}\n\n",
    MARK,
    MARK "\n",
    MARK "\r\n",
    MARK "{}",
    MARK "{\"a\":1}\r\n" MARK "{\"b\":2}\n",
    "\xEF\xBB",
    "\xEF",
    "{\"long\":\"................................\"}\n{}\n{}\n{\"long\":\"..................\"}",
};
#define ODD_COUNT (sizeof odd / sizeof *odd)

/* Slices of the input, those without rows left out. */
struct slices {
    struct lines lines;
    size_t first[400]; /* number of the first line of each */
    size_t count;
    uint64_t marks;
    uint64_t bytes;
};

static void add_slice(struct slices *slices, const struct pex__slice *slice)
{
    slices->marks += slice->marks;
    slices->bytes += slice->input_bytes;
    if (slice->rows_begin == slice->rows_end)
        return;
    ck_assert_uint_lt(slices->count, 400);
    slices->first[slices->count++] = slices->lines.count;
    lines_of_slice(&slices->lines, slice);
}

static void read_file(struct slices *slices, const struct pex__input *input, uint64_t size)
{
    struct pex__reader *reader = NULL;
    struct pex__slice slice = {0};
    struct pex_error err;

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    for (uint64_t at = 0; at < input->bytes; at += size) {
        uint64_t end = input->bytes - at < size ? input->bytes : at + size;

        ck_assert_int_eq(pex__reader_read(reader, input, at, end, &slice, &err), 0);
        add_slice(slices, &slice);
    }
    pex__slice_free(&slice);
    pex__reader_free(reader);
}

/* Pieces of `step` bytes; 0: of any length, empty ones too. */
static void read_stream(struct slices *slices, const char *text, size_t length, uint64_t size,
                        size_t step, uint64_t *seed)
{
    struct pex__slicer slicer;
    struct pex__slice slice = {0};
    struct pex_error err;
    int32_t code;

    pex__slicer_init(&slicer, size, "stream");
    for (size_t at = 0; at < length;) {
        size_t most = step != 0 ? step : next_random(seed) % 20;
        /* On the heap, so that a byte too far is seen. */
        size_t count = most < length - at ? most : length - at;
        char *copy = malloc(count + 1);
        struct pex_string_view piece = {copy + 1, count};

        memcpy(copy + 1, text + at, count);
        while ((code = pex__slicer_add(&slicer, &piece, &err)) == 1) {
            pex__slicer_take(&slicer, &slice);
            add_slice(slices, &slice);
        }
        ck_assert_int_eq(code, 0);
        ck_assert_uint_eq(piece.length, 0);
        free(copy);
        at += count;
    }
    code = pex__slicer_end(&slicer, &err);
    ck_assert_int_ge(code, 0);
    if (code == 1) {
        pex__slicer_take(&slicer, &slice);
        add_slice(slices, &slice);
    }
    pex__slice_free(&slice);
    pex__slicer_free(&slicer);
}

static void compare(const struct slices *have, const struct slices *want, size_t length,
                    const char *what)
{
    lines_compare(&have->lines, &want->lines, what);
    ck_assert_msg(have->count == want->count, "%s: %zu slices, not %zu", what, have->count,
                  want->count);
    for (size_t i = 0; i < want->count; i++)
        ck_assert_msg(have->first[i] == want->first[i], "%s: slice %zu", what, i);
    ck_assert_msg(have->marks == want->marks, "%s: marks", what);
    ck_assert_msg(have->bytes == length, "%s: %lu bytes", what, (unsigned long)have->bytes);
}

static void compare_all(const char *text, size_t length, uint64_t *seed)
{
    struct pex__input *input =
        files_list_one(files_write("same.jsonl", text, length), PEX_FORMAT_AUTO);

    for (uint64_t size = 1; size <= length + 1; size += 1 + size / 20) {
        struct slices want = {0};

        read_file(&want, input, size);
        for (size_t step = 0; step < 9; step++) {
            struct slices have = {0};
            char what[100];

            snprintf(what, sizeof what, "slices of %lu, pieces of %zu", (unsigned long)size, step);
            read_stream(&have, text, length, size, step, seed);
            compare(&have, &want, length, what);
            lines_free(&have.lines);
        }
        lines_free(&want.lines);
    }
    pex__input_free(input);
}

static uint64_t seed_of_run(void)
{
    const char *text = getenv("PEX_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);

    printf("# PEX_TEST_SEED=%lu\n", (unsigned long)seed);
    return seed;
}

START_TEST(odd_streams_are_cut_as_files_are)
{
    uint64_t seed = seed_of_run();

    compare_all(odd[_i], strlen(odd[_i]), &seed);
}
END_TEST

START_TEST(any_stream_is_cut_as_a_file_is)
{
    static const char *const parts[] = {"{", "}", "\n", "\r\n", "text of a row ", "\n\n", MARK};
    uint64_t seed = seed_of_run();

    for (int round = 0; round < 8; round++) {
        char text[700];
        size_t length = 0, most = 1 + next_random(&seed) % 600;

        while (length < most) {
            const char *part = parts[next_random(&seed) % 7];

            memcpy(text + length, part, strlen(part));
            length += strlen(part);
        }
        compare_all(text, length, &seed);
    }
}
END_TEST

START_TEST(a_row_that_is_too_long_is_named_with_its_place)
{
    struct pex_string_view piece = {"{}\n{}\n", 6}, more = {"0123456789", 10};
    struct pex__slicer slicer;
    struct pex_error err;

    pex__slicer_init(&slicer, 100, "stream");
    slicer.limit = 16;
    ck_assert_int_eq(pex__slicer_add(&slicer, &piece, &err), 0);
    ck_assert_int_eq(pex__slicer_add(&slicer, &more, &err), PEX_ELIMIT);
    ck_assert_msg(strstr(err.message, "stream: the row at byte 6") != NULL, "%s", err.message);
    pex__slicer_free(&slicer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slicer");
    TCase *tcase = tcase_create("slicer");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, files_setup, files_teardown);
    tcase_add_loop_test(tcase, odd_streams_are_cut_as_files_are, 0, ODD_COUNT);
    tcase_add_test(tcase, any_stream_is_cut_as_a_file_is);
    tcase_add_test(tcase, a_row_that_is_too_long_is_named_with_its_place);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
