/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct pex__registry *registry;
static int released;

static void open_registry(void)
{
    ck_assert_int_eq(pex__registry_create(&registry), 0);
    released = 0;
}

static void close_registry(void)
{
    pex__registry_free(registry);
}

static void count_release(void *user)
{
    released += *(int *)user;
}

static int32_t add(const char *name)
{
    static int one = 1;
    struct pex_operator op = simple_operator(name);

    return pex__registry_add(registry, &op, &one, count_release, NULL);
}

START_TEST(operators_are_found_by_name)
{
    ck_assert_int_eq(add("first_mapper"), 0);
    ck_assert_int_eq(add("second_mapper"), 0);
    ck_assert_str_eq(pex__registry_find(registry, "second_mapper")->op.name, "second_mapper");
    ck_assert_ptr_null(pex__registry_find(registry, "third_mapper"));
    ck_assert_str_eq(pex__registry_nearest(registry, "frist_mapper"), "first_mapper");
    ck_assert_ptr_null(pex__registry_nearest(registry, "zzz"));
    ck_assert_int_eq(add("first_mapper"), PEX_EEXIST);
}
END_TEST

START_TEST(release_runs_once_for_what_was_registered)
{
    struct pex__registry *other;
    struct pex_operator op = simple_operator("a_mapper");
    int one = 1;

    ck_assert_int_eq(pex__registry_create(&other), 0);
    ck_assert_int_eq(pex__registry_add(other, &op, &one, count_release, NULL), 0);
    ck_assert_int_eq(pex__registry_add(other, &op, &one, count_release, NULL), PEX_EEXIST);
    pex__registry_free(other);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(tables_are_copied)
{
    char name[] = "a_mapper", param[] = "size", fallback[] = "3", field[] = "meta.lang";
    struct pex_param_def params[] = {{param, fallback, NULL, NULL, 0, 0, PEX_PARAM_INT64, 0}};
    struct pex_field_def fields[] = {{field, NULL, PEX_FIELD_PATH, PEX_FIELD_READ}};
    struct pex_operator op = simple_operator(name);
    const struct pex__operator *found;

    op.params = params;
    op.param_count = 1;
    op.fields = fields;
    op.field_count = 1;
    add_operator(registry, &op);
    memset(name, 'x', sizeof name - 1);
    memset(param, 'x', sizeof param - 1);
    memset(fallback, 'x', sizeof fallback - 1);
    memset(field, 'x', sizeof field - 1);
    memset(params, 0, sizeof params);
    memset(fields, 0, sizeof fields);
    found = pex__registry_find(registry, "a_mapper");
    ck_assert_ptr_nonnull(found);
    ck_assert_str_eq(found->op.params[0].name, "size");
    ck_assert_str_eq(found->op.params[0].default_json, "3");
    ck_assert_str_eq(found->op.fields[0].name, "meta.lang");
}
END_TEST

START_TEST(strides_of_newer_callers_are_followed)
{
    struct newer {
        struct pex_param_def def;
        int64_t tail;
    } params[] = {{{"one", "1", NULL, NULL, 0, 0, PEX_PARAM_INT64, 0}, 7},
                  {{"two", "2", NULL, NULL, 0, 0, PEX_PARAM_INT64, 0}, 7}};
    struct pex_operator op = simple_operator("a_mapper");

    op.params = &params[0].def;
    op.param_count = 2;
    op.param_stride = sizeof *params;
    add_operator(registry, &op);
    ck_assert_str_eq(pex__registry_find(registry, "a_mapper")->op.params[1].name, "two");
}
END_TEST

START_TEST(tables_of_other_sizes_are_understood)
{
    struct {
        struct pex_operator op;
        void *tail;
    } newer = {simple_operator("newer_mapper"), &newer};
    struct pex_operator shorter = simple_operator("shorter_mapper");

    newer.op.struct_size = sizeof newer;
    add_operator(registry, &newer.op);
    shorter.struct_size = offsetof(struct pex_operator, check);
    shorter.check = (int32_t(*)(const pex_params *, struct pex_error *))(uintptr_t)1;
    add_operator(registry, &shorter);
    ck_assert(pex__registry_find(registry, "shorter_mapper")->op.check == NULL);
}
END_TEST

static void assert_refused(const struct pex_operator *op, int32_t code, const char *text)
{
    struct pex_error err = {0};

    ck_assert_int_eq(pex__registry_add(registry, op, NULL, NULL, &err), code);
    ck_assert_msg(strstr(err.message, text) != NULL, "%s has not: %s", err.message, text);
}

START_TEST(wrong_heads_are_refused)
{
    struct pex_operator op = simple_operator("Upper");

    assert_refused(NULL, PEX_EINVAL, "struct_size");
    assert_refused(&op, PEX_EINVAL, "[a-z]");
    op = simple_operator(NULL);
    assert_refused(&op, PEX_EINVAL, "[a-z]");
    op = simple_operator("a");
    op.struct_size = 0;
    assert_refused(&op, PEX_EINVAL, "struct_size");
    op = simple_operator("a");
    op.required_features = 1;
    assert_refused(&op, PEX_ENOTSUP, "features");
    op = simple_operator("a");
    op.version = "";
    assert_refused(&op, PEX_EINVAL, "version");
    op = simple_operator("a");
    op.cardinality = 4;
    assert_refused(&op, PEX_EINVAL, "cardinality");
    op = simple_operator("a");
    op.flags = 1 << 20;
    assert_refused(&op, PEX_EINVAL, "flags");
    op = simple_operator("a");
    op.observe = op.process;
    assert_refused(&op, PEX_EINVAL, "global");
    op.process = NULL;
    assert_refused(&op, PEX_EINVAL, "process is NULL");
    op.cardinality = PEX_GLOBAL;
    assert_refused(&op, PEX_EINVAL, "observe and resolve");
    op = simple_operator("a");
    op.param_count = 1;
    assert_refused(&op, PEX_EINVAL, "params");
}
END_TEST

static void assert_param_refused(struct pex_param_def def, const char *text)
{
    struct pex_operator op = simple_operator("a_mapper");

    op.params = &def;
    op.param_count = 1;
    assert_refused(&op, PEX_EINVAL, text);
}

START_TEST(wrong_parameters_are_refused)
{
    struct pex_param_def good = {"size", "3", NULL, NULL, 1, 9, PEX_PARAM_INT64, 0}, def;
    struct pex_param_def twice[] = {good, good};
    struct pex_operator op = simple_operator("a_mapper");

    def = good, def.name = "Size";
    assert_param_refused(def, "its name is not");
    def = good, def.name = "num_proc";
    assert_param_refused(def, "the engine itself takes");
    def = good, def.type = 8;
    assert_param_refused(def, "type");
    def = good, def.flags = 64;
    assert_param_refused(def, "flags");
    def = good, def.choices = "a|b";
    assert_param_refused(def, "choices");
    def = good, def.default_json = NULL;
    assert_param_refused(def, "PEX_PARAM_REQUIRED");
    def = good, def.flags = PEX_PARAM_REQUIRED;
    assert_param_refused(def, "PEX_PARAM_REQUIRED");
    def = good, def.default_json = "{";
    assert_param_refused(def, "not JSON");
    def = good, def.default_json = "10";
    assert_param_refused(def, "size: found 10, expected an integer from 1 to 9");
    op.params = twice;
    op.param_count = 2;
    assert_refused(&op, PEX_EINVAL, "twice");
}
END_TEST

START_TEST(wrong_fields_are_refused)
{
    static const struct {
        struct pex_field_def field;
        const char *text;
    } cases[] = {
        {{NULL, NULL, PEX_FIELD_PATH, PEX_FIELD_READ}, "either name or param"},
        {{"a", "size", PEX_FIELD_PATH, PEX_FIELD_READ}, "either name or param"},
        {{"a", NULL, 2, PEX_FIELD_READ}, "kind"},
        {{"a", NULL, PEX_FIELD_PATH, 0}, "access"},
        {{"a", NULL, PEX_FIELD_PATH, 4}, "access"},
        {{NULL, "size", PEX_FIELD_PATH, PEX_FIELD_READ}, "string parameter"},
        {{NULL, "absent", PEX_FIELD_PATH, PEX_FIELD_READ}, "string parameter"},
        {{"a..b", NULL, PEX_FIELD_PATH, PEX_FIELD_READ}, "dotted path"},
    };
    struct pex_param_def param = {"size", "3", NULL, NULL, 0, 0, PEX_PARAM_INT64, 0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex_operator op = simple_operator("a_mapper");

        op.params = &param;
        op.param_count = 1;
        op.fields = &cases[i].field;
        op.field_count = 1;
        assert_refused(&op, PEX_EINVAL, cases[i].text);
    }
}
END_TEST

START_TEST(gpu_implies_blocking)
{
    struct pex_operator op = simple_operator("a_mapper");

    op.flags = PEX_OP_GPU;
    add_operator(registry, &op);
    ck_assert_int_eq(pex__registry_find(registry, "a_mapper")->op.flags,
                     PEX_OP_GPU | PEX_OP_BLOCKING);
}
END_TEST

START_TEST(plugins_register_all_or_nothing)
{
    ck_assert_int_eq(add("before_mapper"), 0);
    pex__registry_begin(registry, "good", "/good.so");
    ck_assert_int_eq(add("good_mapper"), 0);
    ck_assert_int_eq(pex__registry_end(registry, 1, NULL), 0);
    ck_assert_str_eq(pex__registry_find(registry, "good_mapper")->plugin, "good");
    ck_assert_ptr_null(pex__registry_find(registry, "before_mapper")->plugin);

    pex__registry_begin(registry, "given_up", "/given_up.so");
    ck_assert_int_eq(add("given_up_mapper"), 0);
    ck_assert_int_eq(pex__registry_end(registry, 0, NULL), 0);
    ck_assert_ptr_null(pex__registry_find(registry, "given_up_mapper"));

    pex__registry_begin(registry, "clash", "/clash.so");
    ck_assert_int_eq(add("clash_mapper"), 0);
    ck_assert_int_eq(add("good_mapper"), PEX_EEXIST);
    ck_assert_int_eq(add("late_mapper"), 0);
    ck_assert_int_eq(pex__registry_end(registry, 1, NULL), PEX_EEXIST);
    ck_assert_ptr_null(pex__registry_find(registry, "clash_mapper"));
    ck_assert_ptr_null(pex__registry_find(registry, "late_mapper"));
    ck_assert_ptr_nonnull(pex__registry_find(registry, "good_mapper"));
}
END_TEST

START_TEST(operators_taken_back_are_released_and_refused_ones_are_not)
{
    pex__registry_begin(registry, "good", "/good.so");
    ck_assert_int_eq(add("good_mapper"), 0);
    ck_assert_int_eq(pex__registry_end(registry, 1, NULL), 0);
    ck_assert_int_eq(released, 0);

    pex__registry_begin(registry, "clash", "/clash.so");
    ck_assert_int_eq(add("one_mapper"), 0);
    ck_assert_int_eq(add("two_mapper"), 0);
    ck_assert_int_eq(add("good_mapper"), PEX_EEXIST);
    ck_assert_int_eq(released, 0);
    ck_assert_int_eq(pex__registry_end(registry, 1, NULL), PEX_EEXIST);
    ck_assert_int_eq(released, 2);
}
END_TEST

START_TEST(operators_are_seen_once_their_plugin_is_through)
{
    const struct pex__operator **list;

    pex__registry_begin(registry, "slow", "/slow.so");
    ck_assert_int_eq(add("slow_mapper"), 0);
    ck_assert_ptr_null(pex__registry_find(registry, "slow_mapper"));
    ck_assert_ptr_null(pex__registry_nearest(registry, "slow_maper"));
    ck_assert_uint_eq(pex__registry_snapshot(registry, &list), 0);
    pex__free(list);
    ck_assert_int_eq(add("slow_mapper"), PEX_EEXIST);
    ck_assert_int_eq(pex__registry_end(registry, 0, NULL), PEX_EEXIST);
}
END_TEST

START_TEST(a_name_that_is_taken_is_refused_with_its_owner)
{
    struct pex_operator op = simple_operator("a_mapper"), other = simple_operator("b_mapper");
    struct pex_error err;

    add_operator(registry, &op);
    ck_assert_int_eq(pex__registry_add(registry, &op, NULL, NULL, &err), PEX_EEXIST);
    ck_assert_msg(strstr(err.message, "by the host") != NULL, "%s", err.message);
    pex__registry_begin(registry, "mine", "/opt/mine.so");
    add_operator(registry, &other);
    ck_assert_int_eq(pex__registry_end(registry, 1, NULL), 0);
    ck_assert_int_eq(pex__registry_add(registry, &other, NULL, NULL, &err), PEX_EEXIST);
    ck_assert_msg(strstr(err.message, "by plugin mine (/opt/mine.so)") != NULL, "%s", err.message);
}
END_TEST

START_TEST(loaded_plugins_are_noted)
{
    int object, other;

    ck_assert(!pex__registry_loaded(registry, "/a.so", NULL));
    pex__registry_note(registry, "/a.so", &object);
    ck_assert(pex__registry_loaded(registry, "/a.so", NULL));
    ck_assert(pex__registry_loaded(registry, "/link-to-a.so", &object));
    ck_assert(!pex__registry_loaded(registry, "/b.so", &other));
    ck_assert(!pex__registry_loaded(registry, "/b.so", NULL));
}
END_TEST

START_TEST(description_is_whole_and_sorted)
{
    struct pex_param_def params[] = {
        {"mode", "\"a\"", "a|b", "How.", 0, 0, PEX_PARAM_STRING, PEX_PARAM_NULLABLE},
        {"size", NULL, NULL, NULL, 1, 9.5, PEX_PARAM_DOUBLE, PEX_PARAM_REQUIRED},
    };
    struct pex_field_def fields[] = {
        {NULL, "mode", PEX_FIELD_PATH, PEX_FIELD_READ | PEX_FIELD_WRITE},
        {"k.l", NULL, PEX_FIELD_STAT, PEX_FIELD_WRITE},
    };
    struct pex_operator op = simple_operator("b_filter");
    struct pex_error err = {0};
    char *json;

    op.cardinality = PEX_FILTER;
    op.flags = PEX_OP_RETRY_SAFE | PEX_OP_BLOCKING;
    op.params = params;
    op.param_count = 2;
    op.fields = fields;
    op.field_count = 2;
    add_operator(registry, &op);
    ck_assert_int_eq(add("a_mapper"), 0);
    ck_assert_int_eq(pex__registry_describe(registry, NULL, &json, &err), 0);
    ck_assert_str_eq(
        json,
        "[{\"name\":\"a_mapper\",\"version\":\"1\",\"help\":\"Does nothing.\","
        "\"cardinality\":\"row_to_row\",\"flags\":[],\"params\":[],\"fields\":[],\"plugin\":null},"
        "{\"name\":\"b_filter\",\"version\":\"1\",\"help\":\"Does nothing.\","
        "\"cardinality\":\"filter\",\"flags\":[\"blocking\",\"retry_safe\"],\"params\":["
        "{\"name\":\"mode\",\"type\":\"string\",\"default\":\"a\",\"choices\":[\"a\",\"b\"],"
        "\"help\":\"How.\",\"flags\":[\"nullable\"]},"
        "{\"name\":\"size\",\"type\":\"number\",\"min\":1.0,\"max\":9.5,\"help\":\"\","
        "\"flags\":[\"required\"]}],\"fields\":["
        "{\"param\":\"mode\",\"kind\":\"path\",\"access\":[\"read\",\"write\"]},"
        "{\"name\":\"k.l\",\"kind\":\"stat\",\"access\":[\"write\"]}],\"plugin\":null}]");
    pex_free(json);
    ck_assert_int_eq(pex__registry_describe(registry, "a_mapper", &json, &err), 0);
    ck_assert_ptr_null(strstr(json, "b_filter"));
    pex_free(json);
    ck_assert_int_eq(pex__registry_describe(registry, "a_maper", &json, &err), PEX_ENOENT);
    ck_assert_msg(strstr(err.message, "nearest known is a_mapper") != NULL, "%s", err.message);
    ck_assert_int_eq(pex__registry_describe(registry, "perplexity_filter", &json, &err),
                     PEX_ENOENT);
    ck_assert_msg(strstr(err.message, "Data-Juicer") != NULL, "%s", err.message);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("registry");

    tcase_add_checked_fixture(cases, open_registry, close_registry);
    tcase_add_test(cases, operators_are_found_by_name);
    tcase_add_test(cases, release_runs_once_for_what_was_registered);
    tcase_add_test(cases, tables_are_copied);
    tcase_add_test(cases, strides_of_newer_callers_are_followed);
    tcase_add_test(cases, tables_of_other_sizes_are_understood);
    tcase_add_test(cases, wrong_heads_are_refused);
    tcase_add_test(cases, wrong_parameters_are_refused);
    tcase_add_test(cases, wrong_fields_are_refused);
    tcase_add_test(cases, gpu_implies_blocking);
    tcase_add_test(cases, plugins_register_all_or_nothing);
    tcase_add_test(cases, operators_taken_back_are_released_and_refused_ones_are_not);
    tcase_add_test(cases, operators_are_seen_once_their_plugin_is_through);
    tcase_add_test(cases, a_name_that_is_taken_is_refused_with_its_owner);
    tcase_add_test(cases, loaded_plugins_are_noted);
    tcase_add_test(cases, description_is_whole_and_sorted);
    return run_suite("registry", cases);
}
