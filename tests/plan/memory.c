/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once: the answer is PEX_ENOMEM, and nothing is lost or touched twice. */
#include "support.h"

#include "base/memory.h"

#include <string.h>

static struct fixture fixture;

static const char json[] =
    "{'np': 9, 'project_name': 'x', 'stall_timeout': 1, 'job_id': 'a', 'export_path': 'o/x.jsonl',"
    " 'text_keys': 'body', 'partition': {'num_of_partitions': 4, 'max_concurrent_partitions': 9},"
    " 'process': ['text_mapper', {'length_filter': {'min_len': 3}}, 'text_deduplicator',"
    " {'network_mapper': {'num_proc': 3, 'turbo': true}}, {'every_mapper': {'words': 'x'}}]}";

static const char wrong[] = "{'nq': 9, 'export_path': 'o/', 'process': ['text_maper',"
                            " {'length_filter': {'min_len': 'x', 'mim': 2}}, 'text_mapper']}";

static void open_fixture(void)
{
    fixture_open(&fixture);
    fixture_rows(&fixture, 100, 100);
}

static void close_fixture(void)
{
    fixture_close(&fixture);
}

static int32_t explain_all(const pex_spec *spec)
{
    struct pex__buffer errors = {0}, text = {0};
    struct pex__plan *plan = NULL;
    struct pex_error err = {0};
    int32_t code = pex__plan_create(spec, fixture.registry, &fixture.machine, fixture.input,
                                    PEX__PLAN_RUN, &plan, &errors, &err);

    if (code != 0)
        ck_assert_int_eq(err.code, code);
    for (int32_t format = PEX_EXPLAIN_TEXT; format <= PEX_EXPLAIN_JSON && code == 0; format++)
        code = pex__plan_explain(plan, &fixture.machine, format, &text);
    pex__plan_free(plan);
    pex__buffer_free(&errors);
    pex__buffer_free(&text);
    return code;
}

/* Runs with the k-th allocation failing, for each k, until `expected` comes out. */
static void assert_survives(const char *text, int32_t expected)
{
    pex_spec *spec = spec_of(text);
    uint64_t k = 0, made;
    int32_t code;

    do {
        pex__memory_fail_at(++k);
        code = explain_all(spec);
        made = pex__memory_fail_at(0);
        /* Messages make do without a value that finds no room. */
        ck_assert_msg(code == PEX_ENOMEM || code == expected, "allocation %d gives %d", (int)k,
                      (int)code);
    } while (made >= k);
    ck_assert_int_eq(code, expected);
    ck_assert_uint_gt(k, 20);
    pex_spec_release(spec);
}

START_TEST(plans_survive_every_failed_allocation)
{
    assert_survives(json, 0);
}
END_TEST

START_TEST(errors_survive_every_failed_allocation)
{
    assert_survives(wrong, PEX_ESPEC);
}
END_TEST

START_TEST(registration_survives_every_failed_allocation)
{
    static const struct pex_param_def params[] = {
        {"mode", "\"a\"", "a|b", "How.", 0, 0, PEX_PARAM_STRING, 0}};
    static const struct pex_field_def fields[] = {{NULL, "mode", PEX_FIELD_PATH, PEX_FIELD_READ},
                                                  {"a.b", NULL, PEX_FIELD_PATH, PEX_FIELD_READ}};
    struct pex_operator op = simple_operator("a_mapper");
    struct pex__registry *registry;
    int32_t code = PEX_ENOMEM;

    op.params = params;
    op.param_count = 1;
    op.fields = fields;
    op.field_count = 2;
    for (uint64_t k = 1; code != 0; k++) {
        char *text = NULL;

        ck_assert_int_eq(pex__registry_create(&registry), 0);
        pex__memory_fail_at(k);
        pex__registry_begin(registry, "plugin", "/p.so");
        code = pex__registry_add(registry, &op, NULL, NULL, NULL);
        ck_assert(pex__registry_end(registry, 1, NULL) == code || code == 0);
        if (pex__registry_find(registry, "a_mapper") != NULL)
            code = pex__registry_describe(registry, NULL, &text, NULL);
        else
            code = PEX_ENOMEM;
        pex__memory_fail_at(0);
        ck_assert(code == 0 || code == PEX_ENOMEM);
        pex_free(text);
        pex__registry_free(registry);
        ck_assert_uint_lt(k, 1000);
    }
}
END_TEST

START_TEST(keys_are_described_whole_or_not_at_all)
{
    char *whole = NULL, *text;
    uint64_t k = 0;
    int32_t code;

    ck_assert_int_eq(pex_spec_describe("weight", &whole, NULL), 0);
    do {
        text = NULL;
        pex__memory_fail_at(++k);
        code = pex_spec_describe("weight", &text, NULL);
        pex__memory_fail_at(0);
        ck_assert(code == 0 || (code == PEX_ENOMEM && text == NULL));
        ck_assert(code != 0 || strcmp(text, whole) == 0);
        pex_free(text);
        ck_assert_uint_lt(k, 1000);
    } while (code != 0);
    ck_assert_uint_gt(k, 3);
    pex_free(whole);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("memory");

    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, open_fixture, close_fixture);
    tcase_add_test(cases, plans_survive_every_failed_allocation);
    tcase_add_test(cases, errors_survive_every_failed_allocation);
    tcase_add_test(cases, registration_survives_every_failed_allocation);
    tcase_add_test(cases, keys_are_described_whole_or_not_at_all);
    return run_suite("memory", cases);
}
