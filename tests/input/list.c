/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <partexec/dataset.h>

#include "files.h"

/* The listing of a path in the folder must be these names, in this order, with one LF each. */
static void expect_listing(const char *path, int32_t format, const char *names)
{
    struct pex__input *input = files_list_one(files_path(path), format);
    size_t root = strlen(files_path(""));
    char have[2000] = "";
    uint64_t bytes = 0;

    for (size_t i = 0; i < input->source_count; i++) {
        struct stat st;

        strcat(strcat(have, input->sources[i].path + root), "\n");
        ck_assert_int_eq(stat(input->sources[i].path, &st), 0);
        ck_assert_uint_eq(input->sources[i].begin, bytes);
        ck_assert_int_eq((int64_t)input->sources[i].size, st.st_size);
        bytes += input->sources[i].size;
    }
    ck_assert_uint_eq(input->bytes, bytes);
    ck_assert_str_eq(have, names);
    pex__input_free(input);
}

/* Listing must fail with this code, name the path, and say `words`. */
static void expect_refusal(const char *name, int32_t format, int32_t code, const char *words)
{
    const char *path = files_path(name);
    struct pex__input *input = NULL;
    struct pex_error err;

    ck_assert_int_eq(pex__input_list(&path, 1, format, NULL, &input, &err), code);
    ck_assert_ptr_null(input);
    ck_assert_msg(strstr(err.message, path) != NULL && strstr(err.message, words) != NULL,
                  "`%s` does not say `%s`", err.message, words);
}

START_TEST(folder_is_sorted_by_path_bytes_without_hidden_entries)
{
    files_text("in/b.jsonl", "{}\n");
    files_text("in/a/z.jsonl", "{}\n");
    files_text("in/a-b.jsonl", "");
    files_text("in/B.jsonl", "{}");
    files_text("in/a/deep/er/1.txt", "x");
    files_text("in/a/.hidden.jsonl", "{}");
    files_text("in/.git/c.jsonl", "{}");
    expect_listing("in", PEX_FORMAT_AUTO,
                   "in/B.jsonl\nin/a-b.jsonl\nin/a/deep/er/1.txt\nin/a/z.jsonl\nin/b.jsonl\n");
    expect_listing("in/", PEX_FORMAT_AUTO,
                   "in/B.jsonl\nin/a-b.jsonl\nin/a/deep/er/1.txt\nin/a/z.jsonl\nin/b.jsonl\n");
}
END_TEST

START_TEST(links_to_files_are_followed_and_to_folders_at_the_top_only)
{
    files_text("in/a.jsonl", "{}\n{}\n");
    ck_assert_int_eq(symlink("a.jsonl", files_path("in/b.jsonl")), 0);
    ck_assert_int_eq(symlink("..", files_path("in/loop")), 0);
    ck_assert_int_eq(symlink("in", files_path("top")), 0);
    expect_listing("in", PEX_FORMAT_AUTO, "in/a.jsonl\nin/b.jsonl\n");
    expect_listing("top", PEX_FORMAT_AUTO, "top/a.jsonl\ntop/b.jsonl\n");
}
END_TEST

START_TEST(pattern_is_sorted_and_its_folders_are_read)
{
    files_text("p2/x.jsonl", "{}");
    files_text("p10/y.jsonl", "{}");
    files_text("p10/a/z.jsonl", "{}");
    files_text("p3.jsonl", "{}");
    files_text("q.jsonl", "{}");
    files_text(".p.jsonl", "{}");
    expect_listing("p*", PEX_FORMAT_AUTO, "p10/a/z.jsonl\np10/y.jsonl\np2/x.jsonl\np3.jsonl\n");
    expect_listing("[pq][3.]*", PEX_FORMAT_AUTO, "p3.jsonl\nq.jsonl\n");
    expect_listing("p?/*.jsonl", PEX_FORMAT_AUTO, "p2/x.jsonl\n");
}
END_TEST

START_TEST(literal_path_wins_over_the_pattern)
{
    files_text("[ab].jsonl", "{}");
    files_text("a.jsonl", "{}");
    expect_listing("[ab].jsonl", PEX_FORMAT_AUTO, "[ab].jsonl\n");
}
END_TEST

START_TEST(list_keeps_its_order_and_its_duplicates)
{
    const char *paths[] = {strdup(files_text("b.jsonl", "{}")), strdup(files_text("a.jsonl", "[]")),
                           NULL};
    struct pex__input *input;

    paths[2] = paths[0];
    input = files_list(paths, 3, PEX_FORMAT_AUTO);
    ck_assert_uint_eq(input->source_count, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(input->sources[i].path, paths[i]);
        ck_assert_uint_eq(input->sources[i].begin, 2 * i);
    }
    pex__input_free(input);
    free((void *)paths[0]);
    free((void *)paths[1]);
}
END_TEST

static const struct {
    const char *name;
    int32_t wanted;
    int32_t format;
    int32_t unwrap;
} formats[] = {
    {"a.jsonl", PEX_FORMAT_AUTO, PEX_FORMAT_JSONL, 0},
    {"a.JSONL", PEX_FORMAT_AUTO, PEX_FORMAT_JSONL, 0},
    {"a.ndjson", PEX_FORMAT_AUTO, PEX_FORMAT_JSONL, 0},
    {"a.json", PEX_FORMAT_AUTO, PEX_FORMAT_JSONL, 0},
    {"a.txt", PEX_FORMAT_AUTO, PEX_FORMAT_TEXT, 0},
    {"a.text", PEX_FORMAT_AUTO, PEX_FORMAT_TEXT, 0},
    {"a.md", PEX_FORMAT_AUTO, PEX_FORMAT_TEXT, 0},
    {"a.rst", PEX_FORMAT_AUTO, PEX_FORMAT_TEXT, 0},
    {"a.tex", PEX_FORMAT_AUTO, PEX_FORMAT_TEXT, 0},
    {"a.log", PEX_FORMAT_TEXT, PEX_FORMAT_TEXT, 0},
    {"a.log", PEX_FORMAT_JSONL, PEX_FORMAT_JSONL, 0},
    {"README", PEX_FORMAT_TEXT, PEX_FORMAT_TEXT, 0},
    {"a.jsonl", PEX_FORMAT_TEXT, PEX_FORMAT_TEXT, 0},
    {"a.txt", PEX_FORMAT_JSONL, PEX_FORMAT_JSONL, 0},
    {"a.csv", PEX_FORMAT_TEXT, PEX_FORMAT_TEXT, 0},
    {"quarantine.jsonl", PEX_FORMAT_AUTO, PEX_FORMAT_JSONL, 1},
    {"quarantine.jsonl", PEX_FORMAT_TEXT, PEX_FORMAT_TEXT, 0},
    {"my-quarantine.jsonl", PEX_FORMAT_AUTO, PEX_FORMAT_JSONL, 0},
};

START_TEST(format_follows_the_suffix_unless_it_is_given)
{
    struct pex__input *input =
        files_list_one(files_text(formats[_i].name, "{}\n"), formats[_i].wanted);

    ck_assert_int_eq(input->sources[0].format, formats[_i].format);
    ck_assert_int_eq(input->sources[0].unwrap, formats[_i].unwrap);
    pex__input_free(input);
}
END_TEST

static const struct {
    const char *name;
    const char *content;
    int32_t wanted;
    int32_t code;
    const char *words;
} refusals[] = {
    {"a.csv", "x", PEX_FORMAT_AUTO, PEX_ENOTSUP, "suffix .csv"},
    {"a.parquet", "x", PEX_FORMAT_AUTO, PEX_ENOTSUP, "convert it to JSON lines"},
    {"a.jsonl.zst", "{}\n", PEX_FORMAT_AUTO, PEX_EDATA,
     "found 7b 7d 0a at byte 0, expected a zstd"},
    {"a.jsonl.zst", "", PEX_FORMAT_AUTO, PEX_EDATA, "found nothing (0 bytes) at byte 0"},
    {"a.jsonl.gz", "", PEX_FORMAT_AUTO, PEX_EDATA, "found nothing (0 bytes) at byte 0"},
    {"a.jsonl.gz", "\x1F", PEX_FORMAT_AUTO, PEX_EDATA, "found 1f at byte 0, expected a gzip"},
    {"a.gz", "{}\n", PEX_FORMAT_JSONL, PEX_EDATA, "found 7b 7d 0a at byte 0, expected a gzip"},
    {"a.gz", "\x1F\x8Bx", PEX_FORMAT_AUTO, PEX_ENOTSUP, "no suffix in front of .gz or .zst"},
    {"a.tar.gz", "\x1F\x8Bx", PEX_FORMAT_AUTO, PEX_ENOTSUP, "the suffix .tar does not say"},
    {"a.csv.gz", "\x1F\x8Bx", PEX_FORMAT_AUTO, PEX_ENOTSUP, "suffix .csv"},
    {"a.jsonl.bz2", "BZhx", PEX_FORMAT_AUTO, PEX_ENOTSUP, "bunzip2 -k"},
    {"a.xz",
     "\xFD"
     "7zXZ",
     PEX_FORMAT_TEXT, PEX_ENOTSUP, "unxz -k"},
    {"a.log", "x", PEX_FORMAT_AUTO, PEX_ENOTSUP, "set input_format"},
    {"README", "x", PEX_FORMAT_AUTO, PEX_ENOTSUP, "set input_format"},
    {".profile", "x", PEX_FORMAT_AUTO, PEX_ENOTSUP, "set input_format"},
    {"a.json", "[{}]", PEX_FORMAT_AUTO, PEX_ENOTSUP, "jq -c '.[]' "},
    {"a.json", "\xEF\xBB\xBF \r\n\t[", PEX_FORMAT_AUTO, PEX_ENOTSUP, "(byte 7 is `[`)"},
    {"a.json", "[{}]", PEX_FORMAT_JSONL, PEX_ENOTSUP, "a.json > "},
};

START_TEST(file_of_a_format_that_is_not_read_is_refused)
{
    files_text(refusals[_i].name, refusals[_i].content);
    expect_refusal(refusals[_i].name, refusals[_i].wanted, refusals[_i].code, refusals[_i].words);
}
END_TEST

START_TEST(file_of_a_format_that_is_not_read_is_refused_in_a_folder)
{
    files_text("in/a.jsonl", "{}");
    files_text("in/deep/LICENSE", "x");
    expect_refusal("in/deep/LICENSE", PEX_FORMAT_AUTO, PEX_ENOTSUP, "set input_format");
}
END_TEST

START_TEST(array_behind_many_blanks_is_refused)
{
    char text[10002];

    memset(text, '\n', 10000);
    strcpy(text + 10000, "[");
    files_text("a.json", text);
    expect_refusal("a.json", PEX_FORMAT_AUTO, PEX_ENOTSUP, "(byte 10000 is `[`)");
    files_text("b.json", "\n\n");
    expect_listing("b.json", PEX_FORMAT_AUTO, "b.json\n");
}
END_TEST

START_TEST(what_is_not_there_is_refused)
{
    struct pex__input *input = NULL;
    struct pex_error err;

    ck_assert_int_eq(mkdir(files_path("empty"), 0777), 0);
    files_text("hidden/.a.jsonl", "{}");
    files_text("file.jsonl", "{}");
    ck_assert_int_eq(symlink("nowhere", files_path("dangling")), 0);
    ck_assert_int_eq(mkdir(files_path("bad"), 0777), 0);
    ck_assert_int_eq(symlink("nowhere", files_path("bad/x.jsonl")), 0);
    expect_refusal("missing.jsonl", PEX_FORMAT_AUTO, PEX_ENOENT, "no such file or folder");
    expect_refusal("file.jsonl/x", PEX_FORMAT_AUTO, PEX_ENOENT, "no such file or folder");
    expect_refusal("missing/*.jsonl", PEX_FORMAT_AUTO, PEX_ENOENT, "matches this pattern");
    expect_refusal("*.txt", PEX_FORMAT_AUTO, PEX_ENOENT, "matches this pattern");
    expect_refusal("empty", PEX_FORMAT_AUTO, PEX_ENOENT, "holds no file");
    expect_refusal("hidden", PEX_FORMAT_AUTO, PEX_ENOENT, "holds no file");
    expect_refusal("em*", PEX_FORMAT_AUTO, PEX_ENOENT, "holds no file");
    expect_refusal("dangling", PEX_FORMAT_AUTO, PEX_ENOENT, "no such file or folder");
    expect_refusal("bad/x.jsonl", PEX_FORMAT_AUTO, PEX_ENOENT, "no such file or folder");
    ck_assert_int_eq(pex__input_list(NULL, 0, PEX_FORMAT_AUTO, NULL, &input, &err), PEX_ENOENT);
    ck_assert_ptr_nonnull(strstr(err.message, "list of input paths is empty"));
}
END_TEST

START_TEST(link_to_nowhere_in_a_folder_is_refused)
{
    files_text("bad/a.jsonl", "{}");
    ck_assert_int_eq(symlink("nowhere", files_path("bad/x.jsonl")), 0);
    expect_refusal("bad", PEX_FORMAT_AUTO, PEX_ENOENT, "/x.jsonl: a symbolic link that leads");
}
END_TEST

START_TEST(pipe_is_refused)
{
    ck_assert_int_eq(mkdir(files_path("in"), 0777), 0);
    ck_assert_int_eq(mkfifo(files_path("in/p.jsonl"), 0666), 0);
    expect_refusal("in/p.jsonl", PEX_FORMAT_AUTO, PEX_EINVAL, "neither a file nor a folder");
    expect_refusal("in", PEX_FORMAT_AUTO, PEX_EINVAL, "/p.jsonl: neither a file nor a folder");
    ck_assert_int_eq(mkdir(files_path("links"), 0777), 0);
    ck_assert_int_eq(symlink("../in/p.jsonl", files_path("links/l.jsonl")), 0);
    expect_refusal("links", PEX_FORMAT_AUTO, PEX_EINVAL, "/l.jsonl: neither a file nor a folder");
}
END_TEST

START_TEST(unreadable_file_is_refused)
{
    const char *path = files_text("secret.jsonl", "{}");

    ck_assert_int_eq(chmod(path, 0), 0);
    if (geteuid() != 0)
        expect_refusal("secret.jsonl", PEX_FORMAT_AUTO, PEX_EIO, "cannot be read");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("input list");
    TCase *tcase = tcase_create("list");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, files_setup, files_teardown);
    tcase_add_test(tcase, folder_is_sorted_by_path_bytes_without_hidden_entries);
    tcase_add_test(tcase, links_to_files_are_followed_and_to_folders_at_the_top_only);
    tcase_add_test(tcase, pattern_is_sorted_and_its_folders_are_read);
    tcase_add_test(tcase, literal_path_wins_over_the_pattern);
    tcase_add_test(tcase, list_keeps_its_order_and_its_duplicates);
    tcase_add_loop_test(tcase, format_follows_the_suffix_unless_it_is_given, 0,
                        (int)(sizeof formats / sizeof *formats));
    tcase_add_loop_test(tcase, file_of_a_format_that_is_not_read_is_refused, 0,
                        (int)(sizeof refusals / sizeof *refusals));
    tcase_add_test(tcase, file_of_a_format_that_is_not_read_is_refused_in_a_folder);
    tcase_add_test(tcase, array_behind_many_blanks_is_refused);
    tcase_add_test(tcase, what_is_not_there_is_refused);
    tcase_add_test(tcase, link_to_nowhere_in_a_folder_is_refused);
    tcase_add_test(tcase, pipe_is_refused);
    tcase_add_test(tcase, unreadable_file_is_refused);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
