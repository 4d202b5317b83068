/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once: each call must say so, free what it has, and work the next time. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <partexec/dataset.h>

#include "base/memory.h"
#include "data/block.h"
#include "packed.h"

/* One pass over everything; paths are `count` files or folders. */
static int32_t read_through(const char *const *paths, size_t count, struct pex_error *err)
{
    struct pex__input *input = NULL;
    struct pex__reader *reader = NULL;
    struct pex__slice slice = {0};
    struct pex__place cuts[9];
    size_t parts;
    int32_t code = pex__input_list(paths, count, PEX_FORMAT_AUTO, NULL, &input, err);

    if (code == 0)
        code = pex__input_cut_bytes(input, 8, cuts, &parts, err);
    if (code == 0)
        code = pex__input_cut_rows(input, UINT64_MAX, 3, cuts, &parts, err);
    if (code == 0)
        code = pex__reader_create(&reader);
    for (uint64_t at = 0; code == 0 && at < input->bytes; at += 7)
        code = pex__reader_read(reader, input, at, input->bytes - at < 7 ? input->bytes : at + 7,
                                &slice, err);
    pex__reader_free(reader);
    pex__slice_free(&slice);
    pex__input_free(input);
    return code;
}

static void fail_each(int32_t (*call)(void *, struct pex_error *), void *argument)
{
    struct pex_error err;
    uint64_t made;
    int32_t code;

    for (uint64_t k = 1; k < 100000; k++) {
        pex__memory_fail_at(k);
        code = call(argument, &err);
        made = pex__memory_fail_at(0);
        if (code == 0) {
            ck_assert_uint_lt(made, k);
            ck_assert_uint_gt(k, 5);
            return;
        }
        ck_assert_msg(code == PEX_ENOMEM, "allocation %lu: %d", (unsigned long)k, code);
    }
    ck_abort_msg("never succeeded");
}

static int32_t call_input(void *argument, struct pex_error *err)
{
    return read_through(argument, 2, err);
}

START_TEST(input_survives_every_failed_allocation)
{
    const char *paths[2];

    files_text("in/a.jsonl", "{\"a\":1}\n\n{\"b\":\"..............................\"}\n{}");
    files_text("in/b.txt", "some text");
    files_text("in/deep/c.json", "{}");
    files_text("in/quarantine.jsonl", "{\"raw\":\"{\\\"x\\\":1}\"}\n{\"raw_base64\":\"YWJj\"}\n");
    paths[0] = strdup(files_path("in"));
    paths[1] = strdup(files_path("in/d*"));
    fail_each(call_input, paths);
    free((void *)paths[0]);
    free((void *)paths[1]);
}
END_TEST

static int32_t call_packed(void *argument, struct pex_error *err)
{
    const char *path = argument;
    struct pex__input *input = NULL;
    struct pex__place cuts[3];
    struct lines lines = {0};
    size_t parts = 0;
    int32_t code = pex__input_list(&path, 1, PEX_FORMAT_AUTO, NULL, &input, err);

    if (code == 0)
        code = pex__input_cut_bytes(input, 2, cuts, &parts, err);
    for (size_t i = 0; i < parts && code == 0; i++)
        code = packed_read(&lines, input, &cuts[i], &cuts[i + 1], 40, 0, err);
    lines_free(&lines);
    pex__input_free(input);
    return code;
}

START_TEST(compressed_input_survives_every_failed_allocation)
{
    static const char rows[] = "{\"a\":1}\n{\"b\":\"..............................\"}\n{\"c\":2}\n";
    struct bytes file = {0};
    char *path;

    pack_gzip(&file, rows, sizeof rows - 1);
    files_write("in/a.jsonl.gz", file.data, file.length);
    files_write("in/b.txt.gz", file.data, file.length);
    bytes_free(&file);
    pack_zstd(&file, rows, sizeof rows - 1, PACK_SIZE);
    pack_zstd(&file, rows, sizeof rows - 1, PACK_SIZE);
    files_write("in/c.jsonl.zst", file.data, file.length);
    bytes_free(&file);
    path = strdup(files_path("in"));
    fail_each(call_packed, path);
    free(path);
}
END_TEST

static int32_t call_block(void *argument, struct pex_error *err)
{
    static const struct pex_row_id ids[2] = {{1, 2, 3}, {4, 5, 6}};
    struct pex__block_index index = {0};
    struct pex__buffer file = {0};
    struct pex__slice slice = {0};
    int32_t code = 0;
    int fd;

    for (int i = 0; i < 20 && code == 0; i++) {
        size_t before = file.length;

        code = pex__block_encode("{}\n{}\n", 6, ids, 2, &file);
        if (code == 0)
            code = pex__block_index_add(&index, 2, file.length - before);
    }
    if (code == 0) {
        fd = open(files_write("stage", file.data, file.length), O_RDONLY);
        code = pex__block_read(fd, "stage", &index, 1000, 0, &slice, err);
        close(fd);
    }
    pex__slice_free(&slice);
    pex__buffer_free(&file);
    pex__block_index_free(&index);
    return code;
}

START_TEST(blocks_survive_every_failed_allocation)
{
    fail_each(call_block, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("input memory");
    TCase *tcase = tcase_create("memory");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, files_setup, files_teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, input_survives_every_failed_allocation);
    tcase_add_test(tcase, compressed_input_survives_every_failed_allocation);
    tcase_add_test(tcase, blocks_survive_every_failed_allocation);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
