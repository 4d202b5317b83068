/* SPDX-License-Identifier: Apache-2.0 */
#include "data/path.h"

#include <check.h>
#include <string.h>

static struct pex__path path(const char *dotted)
{
    struct pex__path made;

    ck_assert_int_eq(pex__path_parse(dotted, &made, NULL), 0);
    return made;
}

START_TEST(a_dotted_path_is_its_keys)
{
    struct pex__path made = path("meta.lang.x");

    ck_assert_str_eq(made.name, "meta.lang.x");
    ck_assert_uint_eq(made.depth, 3);
    ck_assert_str_eq(made.keys[0], "meta");
    ck_assert_str_eq(made.keys[2], "x");
    pex__path_free(&made);
}
END_TEST

START_TEST(an_empty_part_is_refused_with_its_place)
{
    static const char *const dotted[] = {"", ".a", "a.", "a..b"};
    static const char *const places[] = {"part 1", "part 1", "part 2", "part 2"};
    struct pex__path made;
    struct pex_error err;

    ck_assert_int_eq(pex__path_parse(dotted[_i], &made, &err), PEX_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, places[_i]));
}
END_TEST

START_TEST(literal_keys_may_hold_dots)
{
    const char *const keys[] = {"a.b", ""};
    struct pex__path made, parsed = path("a.b");

    ck_assert_int_eq(pex__path_keys(keys, 2, &made), 0);
    ck_assert_str_eq(made.name, "a.b.");
    ck_assert_int_eq(pex__path_equal(&made, &parsed), 0);
    pex__path_free(&made);
    pex__path_free(&parsed);
}
END_TEST

START_TEST(only_prefixes_overlap)
{
    struct pex__path a = path("meta"), b = path("meta.lang"), c = path("metal"), d = path("meta.x");

    ck_assert_int_ne(pex__path_overlaps(&a, &b), 0);
    ck_assert_int_ne(pex__path_overlaps(&b, &a), 0);
    ck_assert_int_eq(pex__path_overlaps(&a, &a), 0);
    ck_assert_int_eq(pex__path_overlaps(&a, &c), 0);
    ck_assert_int_eq(pex__path_overlaps(&b, &d), 0);
    ck_assert_int_eq(pex__path_equal(&a, &a), 1);
    ck_assert_int_eq(pex__path_equal(&a, &b), 0);
    pex__path_free(&a);
    pex__path_free(&b);
    pex__path_free(&c);
    pex__path_free(&d);
}
END_TEST

START_TEST(a_set_refuses_equal_paths)
{
    struct pex__path paths[] = {path("a.b"), path("a"), path("a.b")};
    struct pex__paths *set = NULL;

    ck_assert_int_eq(pex__paths_create(paths, 3, &set), PEX_EINVAL);
    ck_assert_int_eq(pex__paths_create(paths, 2, &set), 0);
    ck_assert_uint_eq(pex__paths_count(set), 2);
    pex__paths_free(set);
    for (int i = 0; i < 3; i++)
        pex__path_free(&paths[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("path");
    TCase *tests = tcase_create("path");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_dotted_path_is_its_keys);
    tcase_add_loop_test(tests, an_empty_part_is_refused_with_its_place, 0, 4);
    tcase_add_test(tests, literal_keys_may_hold_dots);
    tcase_add_test(tests, only_prefixes_overlap);
    tcase_add_test(tests, a_set_refuses_equal_paths);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
