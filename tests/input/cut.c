/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <partexec/dataset.h>

#include "files.h"

#define WANT_MAX 64

/* Global offsets of the rows of an input, found without the code under test. */
struct starts {
    uint64_t at[4096];
    size_t count;
};

static int is_blank(const struct line *line)
{
    return strspn(line->text, " \t\r") == line->length;
}

static void add_starts(struct starts *starts, uint64_t begin, const char *data, size_t length,
                       int is_text)
{
    struct lines lines = {0};

    if (is_text) {
        starts->at[starts->count++] = begin;
        return;
    }
    lines_split(&lines, 0, data, length);
    for (size_t i = 0; i < lines.count; i++)
        if (!is_blank(&lines.items[i]))
            starts->at[starts->count++] = begin + (i > 0 ? lines.items[i].offset : 0);
    lines_free(&lines);
}

static uint64_t next_start(const struct starts *starts, uint64_t offset)
{
    for (size_t i = 0; i < starts->count; i++)
        if (starts->at[i] >= offset)
            return starts->at[i];
    return UINT64_MAX;
}

static size_t rows_between(const struct starts *starts, uint64_t begin, uint64_t end, int is_last)
{
    size_t count = 0;

    for (size_t i = 0; i < starts->count; i++)
        count += starts->at[i] >= begin && (starts->at[i] < end || is_last);
    return count;
}

static size_t expect_by_rows(const struct starts *starts, uint64_t bytes, size_t want,
                             uint64_t *cuts)
{
    size_t rows = starts->count, count = 1, row = 0;

    if (want > rows)
        want = rows > 0 ? rows : 1;
    cuts[0] = 0;
    for (size_t i = 0; i + 1 < want; i++) {
        row += rows / want + (i < rows % want);
        if (starts->at[row] > cuts[count - 1] && starts->at[row] < bytes)
            cuts[count++] = starts->at[row];
    }
    cuts[count] = bytes;
    return count;
}

static size_t expect_by_bytes(const struct starts *starts, uint64_t bytes, size_t want,
                              uint64_t *cuts)
{
    size_t count = 1;

    cuts[0] = 0;
    for (size_t i = 1; i < want; i++) {
        uint64_t cut = next_start(starts, bytes * i / want);

        if (cut > cuts[count - 1] && cut < bytes && cut > starts->at[0])
            cuts[count++] = cut;
    }
    cuts[count] = bytes;
    if (count < want && starts->count <= want)
        return expect_by_rows(starts, bytes, want, cuts);
    return count;
}

static void compare_cuts(const struct pex__place *have, size_t have_count, const uint64_t *want,
                         size_t want_count, const char *what)
{
    for (size_t i = 0; i <= have_count && i <= want_count; i++)
        ck_assert_msg(have[i].at == want[i], "%s: cut %zu is %" PRIu64 ", expected %" PRIu64, what,
                      i, have[i].at, want[i]);
    ck_assert_msg(have_count == want_count, "%s: %zu partitions, expected %zu", what, have_count,
                  want_count);
}

/* Both kinds of cuts, for every number of partitions, against the plain rules. */
static void check_cuts(const struct pex__input *input, const struct starts *starts)
{
    struct pex__place have[WANT_MAX + 1];
    uint64_t expected[WANT_MAX + 1], rows;
    size_t count, expected_count;
    char what[64];

    for (size_t want = 1; want <= WANT_MAX; want++) {
        snprintf(what, sizeof what, "%zu by bytes", want);
        ck_assert_int_eq(pex__input_cut_bytes(input, want, have, &count, NULL), 0);
        expected_count = expect_by_bytes(starts, input->bytes, want, expected);
        compare_cuts(have, count, expected, expected_count, what);
        for (size_t i = 0; i < count && starts->count > 0; i++)
            ck_assert_msg(rows_between(starts, have[i].at, have[i + 1].at, i + 1 == count) > 0,
                          "%s: partition %zu has no row", what, i);
        snprintf(what, sizeof what, "%zu by rows", want);
        ck_assert_int_eq(pex__input_cut_rows(input, UINT64_MAX, want, have, &count, NULL), 0);
        expected_count = expect_by_rows(starts, input->bytes, want, expected);
        compare_cuts(have, count, expected, expected_count, what);
        ck_assert_int_eq(pex__input_count_rows(input, want, &rows, NULL), 0);
        ck_assert_uint_eq(rows, want < starts->count ? want : starts->count);
    }
}

static const char *const contents[] = {
    "",
    "\n\n \r\n",
    "\xEF\xBB\xBF",
    "\xEF\xBB\xBF\r\n{}",
    "\xEF\xBB\xBF{}\n{}",
    "{}",
    "{\"a\":\"............................................................\"}\n{}\n{}",
    "{}\n{}\n{\"a\":\"............................................................\"}\n",
    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n{}\n{}\n",
    "{}\n{}\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    "{}\n\n\n{}\r\n{}\n   \n{}\n{}\n{}\n{}\n\n{}\n{}\n{}\n{}",
};
#define CONTENT_COUNT (sizeof contents / sizeof *contents)

START_TEST(cuts_of_one_file_follow_the_rules)
{
    const char *text = contents[_i];
    struct pex__input *input = files_list_one(files_text("a.jsonl", text), PEX_FORMAT_AUTO);
    struct starts starts = {.count = 0};

    add_starts(&starts, 0, text, strlen(text), 0);
    check_cuts(input, &starts);
    pex__input_free(input);
}
END_TEST

/* All contents as files, every second and third one as a text file. */
START_TEST(cuts_of_mixed_files_follow_the_rules)
{
    const char *paths[CONTENT_COUNT];
    struct pex__input *input;
    struct starts starts = {.count = 0};
    char name[32];

    for (size_t i = 0; i < CONTENT_COUNT; i++) {
        snprintf(name, sizeof name, "%zu.%s", i, (i + (size_t)_i) % 3 == 0 ? "txt" : "jsonl");
        paths[i] = strdup(files_text(name, contents[i]));
    }
    input = files_list(paths, CONTENT_COUNT, PEX_FORMAT_AUTO);
    for (size_t i = 0; i < CONTENT_COUNT; i++) {
        add_starts(&starts, input->sources[i].begin, contents[i], strlen(contents[i]),
                   (i + (size_t)_i) % 3 == 0);
        free((void *)paths[i]);
    }
    check_cuts(input, &starts);
    pex__input_free(input);
}
END_TEST

START_TEST(cuts_at_the_end_keep_empty_text_files)
{
    const char *paths[3] = {strdup(files_text("1.txt", "one")), strdup(files_text("2.txt", "")),
                            strdup(files_text("3.txt", ""))};
    struct pex__input *input = files_list(paths, 3, PEX_FORMAT_AUTO);
    struct starts starts = {{0, 3, 3}, 3};

    check_cuts(input, &starts);
    pex__input_free(input);
    for (size_t i = 0; i < 3; i++)
        free((void *)paths[i]);
}
END_TEST

/* Rows that cross the walk's chunks of 16 and 256 KiB. */
START_TEST(cuts_of_random_rows_follow_the_rules)
{
    uint64_t seed = (uint64_t)time(NULL), state = seed;
    size_t length = 0, room = (size_t)4 << 20;
    char *data = malloc(room);
    struct starts starts = {.count = 0};
    struct pex__input *input;

    printf("# seed %" PRIu64 "\n", seed);
    while (starts.count < 300 && length + 300000 < room) {
        uint64_t kind = next_random(&state) % 10;
        size_t size = next_random(&state) % (kind == 0 ? 300000 : kind < 3 ? 20000 : 300);

        if (kind != 9 && size > 0)
            starts.at[starts.count++] = length;
        memset(data + length, kind == 9 ? ' ' : 'x', size);
        length += size;
        data[length++] = '\n';
    }
    input = files_list_one(files_write("r.jsonl", data, length), PEX_FORMAT_AUTO);
    check_cuts(input, &starts);
    pex__input_free(input);
    free(data);
}
END_TEST

START_TEST(partitions_together_give_all_rows)
{
    struct pex__place cuts[WANT_MAX + 1];
    struct lines want = {0};
    struct pex__input *input = files_list_one(files_text("a.jsonl", contents[10]), PEX_FORMAT_AUTO);
    size_t count;

    lines_split(&want, 0, contents[10], strlen(contents[10]));
    for (size_t parts = 1; parts <= WANT_MAX; parts++) {
        struct lines have = {0};

        ck_assert_int_eq(pex__input_cut_bytes(input, parts, cuts, &count, NULL), 0);
        for (size_t i = 0; i < count; i++)
            lines_read(&have, input, cuts[i].at, cuts[i + 1].at, 5);
        lines_compare(&have, &want, "partitions");
        lines_free(&have);
    }
    lines_free(&want);
    pex__input_free(input);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("input cuts");
    TCase *tcase = tcase_create("cut");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, files_setup, files_teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, cuts_of_one_file_follow_the_rules, 0, (int)CONTENT_COUNT);
    tcase_add_loop_test(tcase, cuts_of_mixed_files_follow_the_rules, 0, 3);
    tcase_add_test(tcase, cuts_at_the_end_keep_empty_text_files);
    tcase_add_test(tcase, cuts_of_random_rows_follow_the_rules);
    tcase_add_test(tcase, partitions_together_give_all_rows);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
