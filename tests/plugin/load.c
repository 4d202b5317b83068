/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: all operators of a plugin or none, and a refusal that says why. */
#include <partexec/partexec.h>

#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLUGIN(name) PEX_TEST_PLUGINS "/odd_" name ".so"
#define GOOD PLUGIN("good")

static pex_context *ctx;
static struct pex_error err;

/* Plugins are never unloaded: what an earlier test counted is still there. */
static void count_anew(void)
{
    static const char *const paths[] = {GOOD, PLUGIN("init_fails"), PLUGIN("positive"),
                                        PLUGIN("third_refused"), PLUGIN("ignores_refusal")};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        void *object = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);

        if (object == NULL)
            continue;
        memset(dlsym(object, "odd_released"), 0, 4 * sizeof(int32_t));
        memset(dlsym(object, "odd_inits"), 0, sizeof(int32_t));
        dlclose(object);
    }
}

static void open_context(void)
{
    count_anew();
    ck_assert_int_eq(pex_context_create(NULL, &ctx, &err), 0);
}

static void close_context(void)
{
    ck_assert_int_eq(pex_context_destroy(ctx, -1, &err), 0);
}

/* A variable of a plugin that stays loaded. */
static const int32_t *variable(const char *path, const char *name)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const int32_t *found = dlsym(object, name);

    ck_assert_ptr_nonnull(found);
    return found;
}

static void assert_released(const char *path, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t *released = variable(path, "odd_released");

    ck_assert_int_eq(released[0], a);
    ck_assert_int_eq(released[1], b);
    ck_assert_int_eq(released[2], c);
    ck_assert_int_eq(released[3], d);
}

static int has_operator(const char *name)
{
    char *json;
    int32_t code = pex_operators_describe(ctx, name, &json, &err);

    if (code == 0)
        pex_free(json);
    return code == 0;
}

/* The message names the file and holds `words`, and nothing of the plugin is there. */
static void assert_refused(const char *path, int32_t code, const char *words)
{
    memset(&err, 0, sizeof err);
    ck_assert_int_eq(pex_plugin_load(ctx, path, &err), code);
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s lacks: %s", err.message, words);
    ck_assert_msg(strstr(err.message, path) != NULL, "%s lacks: %s", err.message, path);
    ck_assert(!has_operator("odd_one_mapper"));
    ck_assert(!has_operator("odd_four_mapper"));
}

START_TEST(a_good_plugin_brings_all_its_operators)
{
    ck_assert_msg(pex_plugin_load(ctx, GOOD, &err) == 0, "%s", err.message);
    ck_assert(has_operator("odd_one_mapper"));
    ck_assert(has_operator("odd_four_mapper"));
    assert_released(GOOD, 0, 0, 0, 0);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, &err), 0);
    assert_released(GOOD, 1, 1, 1, 1);
    ck_assert_int_eq(pex_context_create(NULL, &ctx, &err), 0);
}
END_TEST

START_TEST(a_plugin_is_loaded_once_by_whatever_path)
{
    char folder[] = "/tmp/pex-plugin-XXXXXX", link_path[64];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(link_path, sizeof link_path, "%s/link.so", folder);
    ck_assert_int_eq(symlink(GOOD, link_path), 0);
    ck_assert_int_eq(pex_plugin_load(ctx, GOOD, &err), 0);
    ck_assert_int_eq(pex_plugin_load(ctx, GOOD, &err), 0);
    ck_assert_msg(pex_plugin_load(ctx, link_path, &err) == 0, "%s", err.message);
    unlink(link_path);
    if (link(GOOD, link_path) == 0)
        ck_assert_msg(pex_plugin_load(ctx, link_path, &err) == 0, "%s", err.message);
    ck_assert_int_eq(*variable(GOOD, "odd_inits"), 1);
    unlink(link_path);
    rmdir(folder);
}
END_TEST

START_TEST(every_context_has_its_own_operators)
{
    pex_context *other;

    ck_assert_int_eq(pex_context_create(NULL, &other, &err), 0);
    ck_assert_int_eq(pex_plugin_load(ctx, GOOD, &err), 0);
    ck_assert_int_eq(pex_plugin_load(other, GOOD, &err), 0);
    ck_assert_int_eq(*variable(GOOD, "odd_inits"), 2);
    ck_assert_int_eq(pex_context_destroy(other, -1, &err), 0);
    assert_released(GOOD, 1, 1, 1, 1);
    ck_assert(has_operator("odd_one_mapper"));
}
END_TEST

START_TEST(a_bare_name_is_a_file_of_the_plugin_folder)
{
    struct pex_context_options options = {.struct_size = sizeof options,
                                          .plugin_dir = PEX_TEST_PLUGINS};
    pex_context *other;

    ck_assert_int_eq(pex_context_create(&options, &other, &err), 0);
    ck_assert_msg(pex_plugin_load(other, "odd_good", &err) == 0, "%s", err.message);
    ck_assert_msg(pex_plugin_load(other, GOOD, &err) == 0, "%s", err.message);
    ck_assert_int_eq(pex_plugin_load(other, "absent", &err), PEX_ENOENT);
    ck_assert_msg(strstr(err.message, PEX_TEST_PLUGINS "/absent.so") != NULL, "%s", err.message);
    ck_assert_msg(strstr(err.message, "./absent") != NULL, "%s", err.message);
    ck_assert_int_eq(pex_context_destroy(other, -1, &err), 0);
}
END_TEST

START_TEST(what_is_no_plugin_is_refused_with_the_reason)
{
    assert_refused(PEX_TEST_PLUGINS "/none.so", PEX_ENOENT, "No such file");
    assert_refused(PEX_TEST_PLUGINS, PEX_EABI, "a folder");
    assert_refused("/dev/null", PEX_EABI, "not a regular file");
    assert_refused("/etc/passwd", PEX_EABI, "not a shared object");
    assert_refused(PLUGIN("no_info"), PEX_EABI, "no pex_plugin_info");
    assert_refused(PLUGIN("no_init"), PEX_EABI, "no pex_plugin_init");
    assert_refused(PLUGIN("magic"), PEX_EABI, "0x12345678");
    assert_refused(PLUGIN("short_info"), PEX_EABI, "24 bytes");
    assert_refused(PLUGIN("no_name"), PEX_EABI, "no name");
}
END_TEST

START_TEST(a_plugin_of_another_version_is_refused_with_both)
{
    assert_refused(PLUGIN("newer_major"), PEX_EABI, "plugin interface 1, this library has 0");
    assert_refused(PLUGIN("feature"), PEX_ENOTSUP, "0x4");
    assert_refused(PLUGIN("newer_host"), PEX_EABI, "newer library");
}
END_TEST

START_TEST(what_the_loader_refuses_is_told_in_its_words)
{
    assert_refused(PLUGIN("undefined"), PEX_EABI, "odd_function_that_nobody_has");
}
END_TEST

START_TEST(a_refused_file_can_be_put_right_and_loaded)
{
    char folder[] = "/tmp/pex-plugin-XXXXXX", command[512], path[64];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mine.so", folder);
    snprintf(command, sizeof command, "cp %s %s", PLUGIN("magic"), path);
    ck_assert_int_eq(system(command), 0);
    assert_refused(path, PEX_EABI, "magic");
    snprintf(command, sizeof command, "cp %s %s.new && mv %s.new %s", GOOD, path, path, path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_msg(pex_plugin_load(ctx, path, &err) == 0, "%s", err.message);
    unlink(path);
    rmdir(folder);
}
END_TEST

START_TEST(init_that_fails_leaves_nothing_and_releases_what_was_taken)
{
    assert_refused(PLUGIN("init_fails"), PEX_EIO, "pex_plugin_init failed");
    assert_released(PLUGIN("init_fails"), 1, 1, 1, 1);
    assert_refused(PLUGIN("positive"), PEX_EABI, "returned 7");
    assert_released(PLUGIN("positive"), 1, 1, 1, 1);
}
END_TEST

START_TEST(the_third_of_four_refused_leaves_nothing)
{
    assert_refused(PLUGIN("third_refused"), PEX_EEXIST, "odd_one_mapper: registered already");
    assert_released(PLUGIN("third_refused"), 1, 1, 0, 0);
    /* Also when init does not care. */
    assert_refused(PLUGIN("ignores_refusal"), PEX_EEXIST, "odd_one_mapper: registered already");
    assert_released(PLUGIN("ignores_refusal"), 1, 1, 0, 1);
    /* And the names are free. */
    ck_assert_msg(pex_plugin_load(ctx, GOOD, &err) == 0, "%s", err.message);
}
END_TEST

START_TEST(a_name_of_another_plugin_is_refused_with_both_files)
{
    ck_assert_int_eq(pex_plugin_load(ctx, GOOD, &err), 0);
    ck_assert_int_eq(pex_plugin_load(ctx, PLUGIN("good_again"), &err), PEX_EEXIST);
    ck_assert_msg(strstr(err.message, GOOD) != NULL, "%s", err.message);
    ck_assert_msg(strstr(err.message, PLUGIN("good_again")) != NULL, "%s", err.message);
    ck_assert_msg(strstr(err.message, "odd_one_mapper") != NULL, "%s", err.message);
    ck_assert(has_operator("odd_one_mapper"));
}
END_TEST

START_TEST(a_description_comes_without_init)
{
    char *json;

    ck_assert_msg(pex_plugin_describe(GOOD, &json, &err) == 0, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(json, "\"name\":\"odd\",\"version\":\"1.2\",\"major\":0"));
    ck_assert_ptr_nonnull(strstr(json, GOOD));
    pex_free(json);
    ck_assert_int_eq(*variable(GOOD, "odd_inits"), 0);
    ck_assert_int_eq(pex_plugin_describe(PLUGIN("magic"), &json, &err), PEX_EABI);
    ck_assert_int_eq(pex_plugin_describe(PLUGIN("none"), &json, &err), PEX_ENOENT);
    ck_assert_int_eq(pex_plugin_describe(NULL, &json, &err), PEX_EINVAL);
    ck_assert_int_eq(pex_plugin_describe("", &json, &err), PEX_EINVAL);
    ck_assert_int_eq(pex_plugin_describe(GOOD, NULL, &err), PEX_EINVAL);
}
END_TEST

static void *load_good(void *answer)
{
    *(int32_t *)answer = pex_plugin_load(ctx, GOOD, NULL);
    return NULL;
}

START_TEST(threads_that_load_one_plugin_load_it_once)
{
    pthread_t threads[8];
    int32_t answers[8];

    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, load_good, &answers[i]), 0);
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(answers[i], 0);
    }
    ck_assert_int_eq(*variable(GOOD, "odd_inits"), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plugin");
    TCase *cases = tcase_create("load");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_add_test(cases, a_good_plugin_brings_all_its_operators);
    tcase_add_test(cases, a_plugin_is_loaded_once_by_whatever_path);
    tcase_add_test(cases, every_context_has_its_own_operators);
    tcase_add_test(cases, a_bare_name_is_a_file_of_the_plugin_folder);
    tcase_add_test(cases, what_is_no_plugin_is_refused_with_the_reason);
    tcase_add_test(cases, a_plugin_of_another_version_is_refused_with_both);
    tcase_add_test(cases, what_the_loader_refuses_is_told_in_its_words);
    tcase_add_test(cases, a_refused_file_can_be_put_right_and_loaded);
    tcase_add_test(cases, init_that_fails_leaves_nothing_and_releases_what_was_taken);
    tcase_add_test(cases, the_third_of_four_refused_leaves_nothing);
    tcase_add_test(cases, a_name_of_another_plugin_is_refused_with_both_files);
    tcase_add_test(cases, a_description_comes_without_init);
    tcase_add_test(cases, threads_that_load_one_plugin_load_it_once);
    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
