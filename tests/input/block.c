/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "data/block.h"
#include "files.h"

/* A stage file in the making, beside what must come out of it. */
struct stage {
    struct pex__buffer file;
    struct pex__block_index index;
    struct pex__buffer lines;
    struct pex_row_id *ids;
    size_t rows;
};

static void add_block(struct stage *stage, size_t rows, size_t row_bytes, uint64_t *state)
{
    struct pex__buffer lines = {0};
    size_t before = stage->file.length;
    struct pex_row_id *ids;

    stage->ids = realloc(stage->ids, (stage->rows + rows + 1) * sizeof *ids);
    ids = stage->ids + stage->rows;
    for (size_t i = 0; i < rows; i++) {
        ids[i] = (struct pex_row_id){next_random(state), (uint32_t)next_random(state),
                                     (uint32_t)next_random(state)};
        for (size_t k = next_random(state) % row_bytes; k > 0; k--)
            ck_assert_int_eq(pex__buffer_add(&lines, &"abcdefgh"[next_random(state) % 8], 1), 0);
        ck_assert_int_eq(pex__buffer_text(&lines, "\n"), 0);
    }
    ck_assert_int_eq(pex__buffer_add(&stage->lines, lines.data, lines.length), 0);
    stage->rows += rows;
    ck_assert_int_eq(pex__block_encode(lines.data, lines.length, ids, rows, &stage->file), 0);
    ck_assert_int_eq(pex__block_index_add(&stage->index, rows, stage->file.length - before), 0);
    pex__buffer_free(&lines);
}

static void free_stage(struct stage *stage)
{
    pex__buffer_free(&stage->file);
    pex__buffer_free(&stage->lines);
    pex__block_index_free(&stage->index);
    free(stage->ids);
}

/* Writes the file and opens it. */
static int open_stage(const struct stage *stage)
{
    int fd = open(files_write("stage", stage->file.data, stage->file.length), O_RDWR);

    ck_assert_int_ge(fd, 0);
    return fd;
}

static void expect_all(const struct stage *stage, int fd, size_t slice_bytes)
{
    struct pex__slice slice = {0};
    size_t lines = 0, rows = 0, bytes = 0;
    size_t count = pex__block_slice_count(&stage->index, slice_bytes);

    for (size_t k = 0; k < count; k++) {
        ck_assert_int_eq(pex__block_read(fd, "stage", &stage->index, slice_bytes, k, &slice, NULL),
                         0);
        ck_assert_uint_eq(slice.first_row, rows);
        ck_assert_uint_eq(slice.rows_begin, 0);
        ck_assert_uint_eq(slice.rows_end, slice.length);
        ck_assert_uint_le(lines + slice.length, stage->lines.length);
        ck_assert_int_eq(memcmp(slice.data, stage->lines.data + lines, slice.length), 0);
        ck_assert_uint_le(rows + slice.id_count, stage->rows);
        if (slice.id_count > 0)
            ck_assert_int_eq(
                memcmp(slice.ids, stage->ids + rows, slice.id_count * sizeof *slice.ids), 0);
        lines += slice.length;
        rows += slice.id_count;
        bytes += slice.input_bytes;
    }
    ck_assert_uint_eq(lines, stage->lines.length);
    ck_assert_uint_eq(rows, stage->rows);
    ck_assert_uint_eq(rows, stage->index.rows);
    ck_assert_uint_eq(bytes, stage->index.bytes);
    pex__slice_free(&slice);
}

START_TEST(blocks_come_back_in_slices_of_every_size)
{
    uint64_t seed = (uint64_t)time(NULL), state = seed;
    static const size_t sizes[] = {1, 24, 100, 1000, 4096, 65536, 1 << 20, 1 << 30};
    struct stage stage = {0};
    int fd;

    printf("# seed %" PRIu64 "\n", seed);
    for (int i = 0; i < 60; i++)
        add_block(&stage, next_random(&state) % 20, 1 + next_random(&state) % 300, &state);
    add_block(&stage, 500, 100, &state);
    add_block(&stage, 1, 1, &state);
    fd = open_stage(&stage);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] > 1 || stage.index.bytes < 100000)
            expect_all(&stage, fd, sizes[i]);
    close(fd);
    free_stage(&stage);
}
END_TEST

START_TEST(no_rows_are_no_block)
{
    struct stage stage = {0};
    uint64_t state = 0;

    add_block(&stage, 0, 1, &state);
    ck_assert_uint_eq(stage.file.length, 0);
    ck_assert_uint_eq(stage.index.count, 0);
    ck_assert_uint_eq(pex__block_slice_count(&stage.index, 1000), 0);
    free_stage(&stage);
}
END_TEST

static void expect_damage(const struct stage *stage, int fd, const char *what)
{
    struct pex__slice slice = {0};
    struct pex_error err = {0};
    int32_t code = pex__block_read(fd, "the/path", &stage->index, 1 << 20, 0, &slice, &err);

    ck_assert_msg(code == PEX_EIO, "%s: %d", what, code);
    ck_assert_msg(strstr(err.message, "the/path: ") != NULL, "%s: %s", what, err.message);
    ck_assert_msg(strstr(err.message, "at byte ") != NULL, "%s: %s", what, err.message);
    pex__slice_free(&slice);
}

START_TEST(damage_of_every_byte_and_bit_is_found)
{
    struct stage stage = {0};
    uint64_t state = 1;
    char what[64];
    int fd;

    for (int i = 0; i < 3; i++)
        add_block(&stage, 2, 20, &state);
    fd = open_stage(&stage);
    for (size_t i = 0; i < stage.file.length; i++)
        for (int bit = 0; bit < 9; bit++) {
            char wrong = (char)(stage.file.data[i] ^ (bit < 8 ? 1 << bit : 0xFF));

            snprintf(what, sizeof what, "byte %zu, bit %d", i, bit);
            ck_assert_int_eq(pwrite(fd, &wrong, 1, (off_t)i), 1);
            expect_damage(&stage, fd, what);
            ck_assert_int_eq(pwrite(fd, stage.file.data + i, 1, (off_t)i), 1);
        }
    expect_all(&stage, fd, 1 << 20);
    close(fd);
    free_stage(&stage);
}
END_TEST

START_TEST(file_that_is_too_short_is_found_at_every_length)
{
    struct stage stage = {0};
    uint64_t state = 2;
    struct pex__slice slice = {0};
    struct pex_error err;
    int fd;

    add_block(&stage, 5, 40, &state);
    fd = open_stage(&stage);
    for (size_t length = stage.file.length; length-- > 0;) {
        ck_assert_int_eq(ftruncate(fd, (off_t)length), 0);
        ck_assert_int_eq(pex__block_read(fd, "p", &stage.index, 4096, 0, &slice, &err), PEX_EIO);
    }
    ck_assert_ptr_nonnull(strstr(err.message, "ends at byte 0"));
    pex__slice_free(&slice);
    close(fd);
    free_stage(&stage);
}
END_TEST

START_TEST(blocks_that_changed_places_are_found)
{
    struct stage stage = {0};
    uint64_t state = 3;
    size_t half;
    int fd;

    add_block(&stage, 3, 1, &state);
    half = stage.file.length;
    add_block(&stage, 4, 1, &state);
    fd = open_stage(&stage);
    ck_assert_int_eq(pwrite(fd, stage.file.data + half, stage.file.length - half, 0),
                     (ssize_t)(stage.file.length - half));
    expect_damage(&stage, fd, "other block");
    close(fd);
    free_stage(&stage);
}
END_TEST

START_TEST(hash_depends_on_every_length_and_byte)
{
    unsigned char data[100] = {0};
    uint64_t seen[101], with_bit;

    for (size_t length = 0; length <= 100; length++) {
        seen[length] = pex__hash64(data, length, 0);
        for (size_t i = 0; i < length; i++)
            ck_assert_uint_ne(seen[i], seen[length]);
        for (size_t i = 0; i < length; i++) {
            data[i] = 1;
            with_bit = pex__hash64(data, length, 0);
            data[i] = 0;
            ck_assert_uint_ne(with_bit, seen[length]);
        }
        ck_assert_uint_ne(pex__hash64(data, length, 1), seen[length]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stage blocks");
    TCase *tcase = tcase_create("block");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, files_setup, files_teardown);
    tcase_add_test(tcase, blocks_come_back_in_slices_of_every_size);
    tcase_add_test(tcase, no_rows_are_no_block);
    tcase_add_test(tcase, damage_of_every_byte_and_bit_is_found);
    tcase_add_test(tcase, file_that_is_too_short_is_found_at_every_length);
    tcase_add_test(tcase, blocks_that_changed_places_are_found);
    tcase_add_test(tcase, hash_depends_on_every_length_and_byte);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
