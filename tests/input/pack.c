/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces are read by the libraries of others, and their bytes depend on the rows alone. */
#include <check.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "data/pack.h"

static const int32_t packs[] = {PEX__PACK_GZIP, PEX__PACK_ZSTD};

/* Text with repetitions; every byte depends on the seed. */
static char *make_text(size_t length, uint64_t seed)
{
    char *text = malloc(length + 1);

    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < length; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        text[i] = i > 40 && seed >> 62 != 0 ? text[i - 40] : (char)(' ' + (seed >> 33) % 90);
    }
    return text;
}

static void unpack_gzip(const struct pex__buffer *packed, char *to, size_t length)
{
    struct libdeflate_decompressor *gzip = libdeflate_alloc_decompressor();
    size_t used, made;

    ck_assert_int_eq(
        libdeflate_gzip_decompress_ex(gzip, packed->data, packed->length, to, length, &used, &made),
        LIBDEFLATE_SUCCESS);
    ck_assert_uint_eq(used, packed->length);
    ck_assert_uint_eq(made, length);
    libdeflate_free_decompressor(gzip);
}

static void unpack_zstd(const struct pex__buffer *packed, char *to, size_t length)
{
    ck_assert_uint_eq(ZSTD_findFrameCompressedSize(packed->data, packed->length), packed->length);
    ck_assert_uint_eq(ZSTD_getFrameContentSize(packed->data, packed->length), length);
    ck_assert_uint_eq(ZSTD_decompress(to, length, packed->data, packed->length), length);
    /* The bit of the checksum in the descriptor behind the magic number. */
    ck_assert_uint_ne(packed->data[4] & 4, 0);
}

static void assert_round_trip(struct pex__packer *packer, int32_t pack, size_t length)
{
    char *text = make_text(length, length), *back = malloc(length + 1);
    struct pex__buffer first = {0}, second = {0};

    ck_assert_int_eq(pex__pack(packer, text, length, &first), 0);
    ck_assert_int_eq(pex__pack(packer, text, length, &second), 0);
    ck_assert_uint_le(first.length, pex__pack_bound(pack, length));
    ck_assert_uint_eq(first.length, second.length);
    ck_assert_mem_eq(first.data, second.data, first.length);
    if (pack == PEX__PACK_GZIP)
        unpack_gzip(&first, back, length);
    else
        unpack_zstd(&first, back, length);
    ck_assert_mem_eq(back, text, length);
    pex__buffer_free(&first);
    pex__buffer_free(&second);
    free(text);
    free(back);
}

START_TEST(pieces_of_any_size_come_back)
{
    static const size_t lengths[] = {0, 1, 2, 100, 65535, 65536, 1000003, (size_t)5 << 20};
    struct pex__packer *packer;

    ck_assert_int_eq(pex__packer_create(packs[_i], &packer), 0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        assert_round_trip(packer, packs[_i], lengths[i]);
    pex__packer_free(packer);
}
END_TEST

START_TEST(pieces_are_appended)
{
    struct pex__buffer out = {0};
    struct pex__packer *packer;
    size_t first;

    ck_assert_int_eq(pex__packer_create(packs[_i], &packer), 0);
    ck_assert_int_eq(pex__pack(packer, "one\n", 4, &out), 0);
    first = out.length;
    ck_assert_int_eq(pex__pack(packer, "one\n", 4, &out), 0);
    ck_assert_uint_eq(out.length, 2 * first);
    ck_assert_mem_eq(out.data, out.data + first, first);
    pex__packer_free(packer);
    pex__buffer_free(&out);
}
END_TEST

START_TEST(the_suffix_says_how)
{
    ck_assert_int_eq(pex__pack_of("a.jsonl"), PEX__PACK_NONE);
    ck_assert_int_eq(pex__pack_of("a.jsonl.gz"), PEX__PACK_GZIP);
    ck_assert_int_eq(pex__pack_of("A.ZST"), PEX__PACK_ZSTD);
    ck_assert_int_eq(pex__pack_of("a.gz.jsonl"), PEX__PACK_NONE);
    ck_assert_int_eq(pex__pack_of(".gz"), PEX__PACK_NONE);
    ck_assert_int_eq(pex__pack_of("gz"), PEX__PACK_NONE);
    ck_assert_int_eq(pex__pack_of(""), PEX__PACK_NONE);
    pex__packer_free(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pack");
    TCase *cases = tcase_create("pack");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(cases, pieces_of_any_size_come_back, 0, 2);
    tcase_add_loop_test(cases, pieces_are_appended, 0, 2);
    tcase_add_test(cases, the_suffix_says_how);
    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
