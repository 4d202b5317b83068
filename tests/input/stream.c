/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of plain, gzip, zstd and text files, cut by bytes and by rows, read in slices of any size:
 * the rows, and where they are, as in the files before they were compressed. */
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
#include "data/inflow.h"
#include "packed.h"

#define FILES_MAX 12
#define WANT_MAX 9

struct random {
    uint64_t state;
};

static size_t below(struct random *random, size_t limit)
{
    return (size_t)(next_random(&random->state) % limit);
}

/* Lines of all kinds: short, long, blank, without an end. */
static void make_content(struct random *random, struct bytes *out)
{
    static const char *const odd[] = {"\n", " \r\n", "{}\r\n", "\t{\"a\":1}\n", "not a row\n"};
    size_t count = below(random, 30), length = 0;
    char line[3000];

    if (below(random, 6) == 0)
        bytes_add(out, PEX__MARK, PEX__MARK_BYTES);
    for (size_t i = 0; i < count; i++) {
        const char *piece = odd[below(random, sizeof odd / sizeof *odd)];

        if (below(random, 4) == 0) {
            bytes_add(out, piece, strlen(piece));
            continue;
        }
        length = (size_t)snprintf(line, sizeof line, "{\"id\":%zu,\"t\":\"%0*zu\"}\n", i,
                                  (int)below(random, below(random, 8) == 0 ? 2500 : 60), i);
        bytes_add(out, line, length);
    }
    if (count > 0 && below(random, 3) == 0)
        bytes_add(out, "{\"last\":0}", 10);
}

static void pack(struct random *random, int is_gzip, const struct bytes *plain, struct bytes *out)
{
    size_t at = 0, length;

    do {
        length = below(random, 3) == 0 ? plain->length - at : below(random, plain->length - at + 1);
        if (below(random, 5) == 0)
            length = 0;
        if (is_gzip)
            pack_gzip(out, plain->data + at, length);
        else
            pack_zstd(out, plain->data + at, length,
                      below(random, 8) == 0 ? PACK_CHECKSUM : PACK_CHECKSUM | PACK_SIZE);
        if (!is_gzip && below(random, 6) == 0)
            pack_skippable(out, "skipped", below(random, 8));
        at += length;
    } while (at < plain->length);
}

static void expect_lines(struct lines *want, uint32_t source, const struct bytes *plain)
{
    size_t mark = plain->length >= 3 && memcmp(plain->data, PEX__MARK, 3) == 0 ? 3 : 0;
    size_t from = want->count;

    lines_split(want, source, plain->data + mark, plain->length - mark);
    for (; from < want->count; from++)
        want->items[from].offset += mark;
}

static void write_text(uint32_t source, const char *path, const struct bytes *plain,
                       struct lines *want)
{
    char line[8192];
    int length = snprintf(line, sizeof line,
                          "{\"text\": \"%.*s\", \"meta\": {\"path\": \"%s\", \"size\": %zu}}",
                          (int)plain->length, plain->data, path, plain->length);

    lines_add(want, source, 0, line, (size_t)length);
}

static struct pex__input *make_input(struct random *random, struct lines *want)
{
    size_t count = 1 + below(random, FILES_MAX);
    char names[FILES_MAX][64], *paths[FILES_MAX];
    struct pex__input *input;

    for (size_t i = 0; i < count; i++) {
        static const char *const suffixes[] = {".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson.gz",
                                               ".txt",   ".txt.gz",   ".md.zst"};
        size_t kind = below(random, sizeof suffixes / sizeof *suffixes);
        int is_text = kind >= 4, is_gzip = strstr(suffixes[kind], ".gz") != NULL;
        struct bytes plain = {0}, file = {0};

        bytes_add(&plain, "", 0);
        if (is_text)
            bytes_add(&plain, "plain words", below(random, 12));
        else
            make_content(random, &plain);
        if (kind == 0 || kind == 4)
            bytes_add(&file, plain.data, plain.length);
        else
            pack(random, is_gzip, &plain, &file);
        snprintf(names[i], sizeof names[i], "%03zu%s", i, suffixes[kind]);
        paths[i] = strdup(files_write(names[i], file.data, file.length));
        if (is_text)
            write_text((uint32_t)i, paths[i], &plain, want);
        else
            expect_lines(want, (uint32_t)i, &plain);
        bytes_free(&plain);
        bytes_free(&file);
    }
    input = files_list((const char *const *)paths, count, PEX_FORMAT_AUTO);
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    return input;
}

static int is_blank(const struct line *line)
{
    return strspn(line->text, " \t\r") == line->length;
}

static size_t count_rows(const struct lines *lines)
{
    size_t count = 0;

    for (size_t i = 0; i < lines->count; i++)
        count += !is_blank(&lines->items[i]);
    return count;
}

/* What a row's id must find again. */
static void check_rows_again(const struct pex__input *input, const struct lines *want)
{
    struct pex__reader *reader = NULL;
    struct pex__slice slice = {0};
    struct pex_string_view row;
    struct pex_error err;

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    for (size_t k = 0; k < 2 * want->count; k++) {
        /* Once in order, once from the end. */
        const struct line *line = &want->items[k < want->count ? k : 2 * want->count - 1 - k];
        size_t blanks = strspn(line->text, " \t\r"), length = line->length;
        struct pex_row_id id = {line->offset + blanks, line->source, 0};

        if (blanks == length)
            continue;
        while (strchr(" \t\r", line->text[length - 1]) != NULL)
            length--;
        ck_assert_int_eq(pex__reader_row(reader, input, &id, &slice, &row, &err), 0);
        ck_assert_msg(
            row.length == length - blanks && memcmp(row.data, line->text + blanks, row.length) == 0,
            "row %zu again: `%.*s`, expected `%s`", k, (int)row.length, row.data, line->text);
    }
    pex__reader_free(reader);
    pex__slice_free(&slice);
}

/* Such files are not parted from what follows them. */
static int has_empty_text(const struct pex__input *input)
{
    for (size_t i = 0; i < input->source_count; i++)
        if (input->sources[i].size == 0 && input->sources[i].format == PEX_FORMAT_TEXT)
            return 1;
    return 0;
}

static void check_cuts(struct random *random, const struct pex__input *input,
                       const struct lines *want, int by_rows, uint64_t seed)
{
    size_t wanted = 1 + below(random, WANT_MAX), count, rows = count_rows(want);
    uint64_t slice_bytes = 1 + below(random, below(random, 2) == 0 ? 60 : 4000);
    size_t buffer = below(random, 2) == 0 ? 0 : 1 << 20;
    struct pex__place cuts[WANT_MAX + 1];
    struct lines have = {0};
    struct pex_error err;
    char what[128];
    int32_t code;

    snprintf(what, sizeof what, "PEX_TEST_SEED=%" PRIu64 ", %zu parts by %s, slices of %" PRIu64,
             seed, wanted, by_rows ? "rows" : "bytes", slice_bytes);
    code = by_rows ? pex__input_cut_rows(input, UINT64_MAX, wanted, cuts, &count, &err)
                   : pex__input_cut_bytes(input, wanted, cuts, &count, &err);
    ck_assert_msg(code == 0, "%s: %s", what, code != 0 ? err.message : "");
    for (size_t i = 0; i < count; i++) {
        struct lines part = {0};
        size_t in_part, least = rows / wanted;

        code = packed_read(&part, input, &cuts[i], &cuts[i + 1], slice_bytes, buffer, &err);
        ck_assert_msg(code == 0, "%s: %s", what, code != 0 ? err.message : "");
        in_part = count_rows(&part);
        ck_assert_msg(rows == 0 || in_part > 0, "%s: partition %zu is without a row", what, i);
        if (by_rows && rows >= wanted && !has_empty_text(input))
            ck_assert_msg(in_part == least + (i < rows % wanted), "%s: partition %zu has %zu rows",
                          what, i, in_part);
        for (size_t k = 0; k < part.count; k++)
            lines_add(&have, part.items[k].source, part.items[k].offset, part.items[k].text,
                      part.items[k].length);
        lines_free(&part);
    }
    lines_compare(&have, want, what);
    lines_free(&have);
}

START_TEST(mixed_lists_give_the_rows_of_the_plain_files)
{
    const char *one = getenv("PEX_TEST_SEED"), *scale = getenv("PEX_TEST_SCALE");
    uint64_t first = one != NULL ? strtoull(one, NULL, 10) : (uint64_t)time(NULL) * 1000;
    uint64_t rounds = one != NULL ? 1 : 600 / (scale != NULL && atoi(scale) > 0 ? atoi(scale) : 1);

    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct random random = {seed};
        struct lines want = {0};
        struct pex__input *input = make_input(&random, &want);
        uint64_t rows;

        for (int i = 0; i < 6; i++)
            check_cuts(&random, input, &want, i % 2, seed);
        check_rows_again(input, &want);
        ck_assert_int_eq(pex__input_count_rows(input, UINT64_MAX, &rows, NULL), 0);
        ck_assert_uint_eq(rows, count_rows(&want));
        pex__input_free(input);
        lines_free(&want);
    }
}
END_TEST

START_TEST(frames_become_partitions)
{
    struct bytes file = {0};
    struct pex__place cuts[5];
    struct pex__input *input;
    size_t count;

    /* The first row behind each frame's begin goes to the partition in front. */
    for (int i = 0; i < 4; i++) {
        struct bytes rows = {0};

        for (int k = 0; k < 100; k++)
            bytes_add(&rows, "{\"id\":1234567}\n", 15);
        pack_zstd(&file, rows.data, rows.length, PACK_SIZE | PACK_CHECKSUM);
        bytes_free(&rows);
    }
    input = files_list_one(files_write("a.jsonl.zst", file.data, file.length), PEX_FORMAT_AUTO);
    ck_assert_int_eq(pex__input_cut_bytes(input, 4, cuts, &count, NULL), 0);
    ck_assert_uint_eq(count, 4);
    for (size_t i = 1; i < 4; i++) {
        ck_assert_uint_eq(cuts[i].at, i * file.length / 4);
        ck_assert_uint_eq(cuts[i].base, i * 1500);
        ck_assert_uint_eq(cuts[i].row, i * 1500 + 15);
    }
    pex__input_free(input);
    bytes_free(&file);
}
END_TEST

START_TEST(one_partition_holds_many_small_archives)
{
    struct bytes file = {0};
    struct pex__place cuts[3];
    struct pex__input *input;
    char name[32];
    size_t count;

    pack_gzip(&file, "{}\n", 3);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "in/%03d.jsonl.gz", i);
        files_write(name, file.data, file.length);
    }
    input = files_list_one(files_path("in"), PEX_FORMAT_AUTO);
    ck_assert_int_eq(pex__input_cut_bytes(input, 2, cuts, &count, NULL), 0);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(cuts[1].source, 50);
    pex__input_free(input);
    bytes_free(&file);
}
END_TEST

static void cut_file(const char *path)
{
    ck_assert_int_eq(truncate(path, 100), 0);
}

static void add_to_file(const char *path)
{
    FILE *file = fopen(path, "a");

    ck_assert_ptr_nonnull(file);
    fputs("{}", file);
    fclose(file);
}

static void touch_file(const char *path)
{
    const struct timespec times[2] = {{1, 0}, {1, 0}};

    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void remove_file(const char *path)
{
    ck_assert_int_eq(remove(path), 0);
}

static const struct {
    void (*change)(const char *path);
    int32_t code;
    const char *words;
} changes[] = {
    {cut_file, PEX_EIO, "it was cut while the job ran"},
    {add_to_file, PEX_EIO, "changed since it was listed"},
    {touch_file, PEX_EIO, "changed since it was listed"},
    {remove_file, PEX_ENOENT, "was removed or replaced"},
};

/* While it is read: the first slice came out well. */
static void check_change(int which, const char *name, const struct bytes *file)
{
    const char *path = files_write(name, file->data, file->length);
    struct pex__input *input = files_list_one(path, PEX_FORMAT_AUTO);
    struct pex__place begin = {0}, end = {input->bytes, 0, 0, input->source_count};
    struct pex__reader *reader = NULL;
    struct pex__inflow *stream = NULL;
    struct pex__slice slice = {0};
    struct pex_error err;
    int is_end = 0;
    int32_t code;

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    ck_assert_int_eq(pex__inflow_create(input, &begin, &end, 1000, 0, &stream), 0);
    ck_assert_int_eq(pex__inflow_read(stream, reader, &slice, &is_end, &err), 0);
    ck_assert_int_eq(is_end, 0);
    changes[which].change(path);
    do
        code = pex__inflow_read(stream, reader, &slice, &is_end, &err);
    while (code == 0 && !is_end);
    ck_assert_msg(code == changes[which].code && strstr(err.message, path) == err.message &&
                      strstr(err.message, changes[which].words) != NULL,
                  "%s: %d %s", name, code, code != 0 ? err.message : "");
    pex__inflow_free(stream);
    pex__reader_free(reader);
    pex__slice_free(&slice);
    pex__input_free(input);
}

START_TEST(a_file_that_changes_while_it_is_read_is_an_error)
{
    struct bytes rows = {0}, file = {0};
    struct random random = {7};
    char line[64];

    /* Hard to compress: the buffers do not hold it at once. */
    for (int i = 0; i < 20000; i++)
        bytes_add(&rows, line,
                  (size_t)snprintf(line, sizeof line, "{\"id\":\"%016lx\"}\n",
                                   (unsigned long)next_random(&random.state)));
    check_change(_i, "a.jsonl", &rows);
    pack_gzip(&file, rows.data, rows.length);
    check_change(_i, "a.jsonl.gz", &file);
    bytes_free(&file);
    pack_zstd(&file, rows.data, rows.length, PACK_CHECKSUM);
    check_change(_i, "a.jsonl.zst", &file);
    bytes_free(&file);
    bytes_free(&rows);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("streams");
    TCase *tcase = tcase_create("streams");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, files_setup, files_teardown);
    tcase_add_test(tcase, mixed_lists_give_the_rows_of_the_plain_files);
    tcase_add_test(tcase, frames_become_partitions);
    tcase_add_loop_test(tcase, a_file_that_changes_while_it_is_read_is_an_error, 0,
                        (int)(sizeof changes / sizeof *changes));
    tcase_add_test(tcase, one_partition_holds_many_small_archives);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
