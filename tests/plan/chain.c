/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static struct fixture fixture;

static void open_fixture(void)
{
    fixture_open(&fixture);
}

static void close_fixture(void)
{
    fixture_close(&fixture);
}

static struct pex__plan *explain(const char *json)
{
    return plan_of(&fixture, json, PEX__PLAN_EXPLAIN);
}

START_TEST(no_process_copies)
{
    static const char *const specs[] = {"{}", "{'process': []}", "{'process': null}"};

    for (size_t i = 0; i < 3; i++) {
        struct pex__plan *plan = explain(specs[i]);

        ck_assert_uint_eq(plan->op_count, 0);
        ck_assert_uint_eq(plan->stage_count, 1);
        ck_assert_uint_eq(plan->stages[0].step_count, 0);
        ck_assert_uint_eq(plan->stages[0].layout->count, 1); /* the stats */
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(three_forms_of_an_entry_are_one)
{
    struct pex__plan *plan =
        explain("{'process': ['text_mapper', {'text_mapper': null}, {'text_mapper': {}}]}");

    ck_assert_uint_eq(plan->op_count, 3);
    ck_assert_str_eq(plan->ops[0].budget_key, plan->ops[1].budget_key);
    ck_assert_str_eq(plan->ops[0].budget_key, plan->ops[2].budget_key);
    ck_assert_uint_ne(plan->ops[0].seed, plan->ops[1].seed);
    pex__plan_free(plan);
}
END_TEST

START_TEST(wrong_entries_are_named)
{
    assert_errors(&fixture, "{'process': [{'text_mapper': null, 'length_filter': null}]}",
                  "process.0: found 2 operators in one entry", NULL);
    assert_errors(&fixture, "{'process': [3]}", "process.0: found 3", NULL);
    assert_errors(&fixture, "{'process': [{}]}", "process.0: found {}", NULL);
    assert_errors(&fixture, "{'process': [null]}", "process.0: found null", NULL);
    assert_errors(&fixture, "{'process': [{'text_mapper': 3}]}",
                  "process.0.text_mapper: found 3, expected an object", NULL);
}
END_TEST

START_TEST(unknown_operators_name_the_nearest_or_the_remedy)
{
    assert_errors(&fixture, "{'process': ['text_mapper', 'lenght_filter']}",
                  "process.1.lenght_filter: unknown operator", "is length_filter", NULL);
    assert_errors(&fixture, "{'process': ['perplexity_filter']}",
                  "process.0.perplexity_filter: an operator of Data-Juicer", "plugin", NULL);
    assert_errors(&fixture, "{'process': ['qqqqqq']}", "no known name is near", NULL);
}
END_TEST

START_TEST(devices_are_refused)
{
    assert_errors(&fixture, "{'process': ['device_mapper']}", "process.0.device_mapper",
                  "no device back end in this version", NULL);
    assert_errors(&fixture, "{'process': [{'text_mapper': {'num_gpus': 1}}]}",
                  "process.0.text_mapper.num_gpus", NULL);
    assert_errors(&fixture, "{'process': [{'text_mapper': {'accelerator': 'cuda'}}]}",
                  "process.0.text_mapper.accelerator: found \"cuda\"", NULL);
}
END_TEST

START_TEST(the_operator_itself_is_asked)
{
    assert_errors(&fixture, "{'process': [{'every_mapper': {'number': 3}}]}",
                  "process.0.every_mapper: number: found 3, expected an even number", NULL);
}
END_TEST

START_TEST(engine_keys_stand_beside_parameters)
{
    struct pex__plan *plan =
        explain("{'batch_size': 100, 'on_error': 'fail', 'process': ["
                "{'text_mapper': {'batch_size': 7, 'on_error': 'skip', 'num_proc': 1}},"
                "{'text_mapper': {'skip_op_error': true, 'num_proc': -1, 'accelerator': 'cpu'}},"
                "{'text_mapper': {'skip_op_error': false, 'num_proc': null}}]}");

    ck_assert_int_eq(plan->ops[0].batch_size, 7);
    ck_assert_int_eq(plan->ops[0].on_error, PEX__ON_ERROR_SKIP);
    ck_assert_int_eq(plan->ops[0].num_proc, 1);
    ck_assert_int_eq(plan->ops[1].batch_size, 100);
    ck_assert_int_eq(plan->ops[1].on_error, PEX__ON_ERROR_QUARANTINE);
    ck_assert_int_eq(plan->ops[1].num_proc, 0);
    ck_assert_int_eq(plan->ops[2].on_error, PEX__ON_ERROR_FAIL);
    ck_assert_int_eq(plan->ops[2].num_proc, 0);
    ck_assert_str_eq(plan->ops[0].budget_key, plan->ops[1].budget_key);
    pex__plan_free(plan);
}
END_TEST

START_TEST(batches_are_whole_by_default)
{
    struct pex__plan *plan = explain("{'process': ['text_mapper']}");

    ck_assert_int_eq(plan->ops[0].batch_size, 0);
    pex__plan_free(plan);
}
END_TEST

START_TEST(wrong_engine_keys_are_named)
{
    assert_errors(&fixture, "{'process': [{'text_mapper': {'num_proc': 'many'}}]}",
                  "process.0.text_mapper.num_proc: found \"many\", expected an integer", NULL);
    assert_errors(&fixture, "{'process': [{'text_mapper': {'batch_size': 0}}]}",
                  "process.0.text_mapper.batch_size: found 0", NULL);
    assert_errors(&fixture, "{'process': [{'text_mapper': {'on_error': 'explode'}}]}",
                  "process.0.text_mapper.on_error", "fail|skip|quarantine", NULL);
    assert_errors(&fixture, "{'process': [{'text_mapper': {'memory': 'x'}}]}",
                  "process.0.text_mapper.memory: found \"x\"", NULL);
    assert_errors(&fixture, "{'process': [{'text_mapper': {'stats_export_path': 'x'}}]}",
                  "process.0.text_mapper.stats_export_path", NULL);
}
END_TEST

START_TEST(keys_that_mean_nothing_are_listed)
{
    struct pex__plan *plan =
        explain("{'process': [{'text_mapper': {'runtime_env': {'a': 1}, 'image_key': 'x'}},"
                "{'every_mapper': {'old': 'whatever'}}]}");

    assert_notice(plan, "process.0.text_mapper.runtime_env (there are no operator environments), "
                        "process.0.text_mapper.image_key (no operator reads images), "
                        "process.1.every_mapper.old (of old recipes)");
    pex__plan_free(plan);
}
END_TEST

START_TEST(plain_operators_have_no_budget_unless_given)
{
    struct pex__plan *plan = explain("{'process': ['text_mapper', 'shared_mapper',"
                                     "{'text_mapper': {'num_proc': 64, 'text_key': 'a'}},"
                                     "{'shared_mapper': {'num_proc': 3}}]}");

    ck_assert_int_eq(plan->ops[0].num_proc, 0);
    ck_assert_int_eq(plan->ops[1].num_proc, 0);
    ck_assert_int_eq(plan->ops[2].num_proc, 2);
    ck_assert_int_eq(plan->ops[3].num_proc, 2);
    assert_notice(plan, "process.2.text_mapper.num_proc: 64 clipped to the 2 workers");
    assert_notice(plan, "process.3.shared_mapper.num_proc: 3 clipped");
    ck_assert_int_eq(plan->threads, 2);
    pex__plan_free(plan);
}
END_TEST

START_TEST(blocking_operators_have_a_thread_per_unit)
{
    struct pex__plan *plan =
        explain("{'process': ['network_mapper', {'network_mapper': {'num_proc': 5}},"
                "{'network_mapper': {'num_proc': 3, 'text_key': 'other'}}]}");

    ck_assert_int_eq(plan->ops[0].num_proc, 2);
    ck_assert_int_eq(plan->ops[1].num_proc, 5);
    ck_assert_int_eq(plan->ops[2].num_proc, 3);
    ck_assert_int_eq(plan->ops[0].is_blocking, 1);
    /* The first two are one budget of 5. */
    ck_assert_int_eq(plan->threads, 2 + 5 + 3);
    pex__plan_free(plan);
}
END_TEST

START_TEST(cpus_and_memory_bound_the_budget)
{
    struct pex__plan *plan =
        explain("{'process': [{'text_mapper': {'num_cpus': 2}}, {'text_mapper': {'num_cpus': 9}},"
                "{'network_mapper': {'num_proc': 64, 'memory': '256MB'}},"
                "{'text_mapper': {'mem_required': 0.001}}, {'text_mapper': {'num_cpus': 1}},"
                "{'text_mapper': {'cpu_required': 1, 'num_cpus': 2}}]}");

    ck_assert_int_eq(plan->ops[0].num_proc, 1);
    ck_assert_int_eq(plan->ops[1].num_proc, 1);
    assert_notice(plan, "process.1.text_mapper.num_cpus: clipped");
    ck_assert_int_eq(plan->ops[2].num_proc, 4);
    assert_notice(plan, "process.2.network_mapper.num_proc: 64 clipped to 4");
    ck_assert_int_eq(plan->ops[3].num_proc, 0);
    assert_notice(plan, "process.3.text_mapper.mem_required: old name of memory");
    ck_assert_int_eq(plan->ops[4].num_proc, 0);
    ck_assert_int_eq(plan->ops[5].num_proc, 1);
    pex__plan_free(plan);
}
END_TEST

START_TEST(what_could_not_run_once_is_refused)
{
    int32_t code;
    char *errors = errors_of(&fixture, "{'process': [{'text_mapper': {'memory': '2GB'}}]}",
                             PEX__PLAN_EXPLAIN, &code);

    ck_assert_int_eq(code, PEX_ELIMIT);
    ck_assert_msg(strstr(errors, "process.0.text_mapper.memory") != NULL, "%s", errors);
    pex_free(errors);
}
END_TEST

START_TEST(text_keys_is_the_default_text_key)
{
    static const char *const specs[] = {"{'text_keys': 'body', 'process': %s}",
                                        "{'text_keys': ['body', 'more'], 'process': %s}"};
    char json[256];

    for (size_t i = 0; i < 2; i++) {
        struct pex_string_view view;
        struct pex__plan *plan;

        snprintf(json, sizeof json, specs[i],
                 "['text_mapper', {'text_mapper': {'text_key': 'own'}}, 'every_mapper']");
        plan = explain(json);
        ck_assert_int_eq(pex_params_string(plan->ops[0].params, "text_key", &view), 0);
        ck_assert_str_eq(view.data, "body");
        ck_assert_int_eq(pex_params_string(plan->ops[1].params, "text_key", &view), 0);
        ck_assert_str_eq(view.data, "own");
        if (i == 1)
            assert_notice(plan, "text_keys: the first of 2 names counts");
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(fields_become_columns_once)
{
    struct pex__plan *plan = explain(
        "{'process': ['text_mapper', 'length_filter', {'text_mapper': {'text_key': 'meta.a'}},"
        "{'text_mapper': {'text_key': ''}}]}");
    const struct pex__layout *layout = plan->stages[0].layout;
    const struct pex__plan_step *steps = plan->stages[0].steps;

    ck_assert_uint_eq(layout->count, 4);
    ck_assert_str_eq(layout->paths[steps[0].site.columns[0]].name, "text");
    ck_assert_int_eq(steps[1].site.columns[0], steps[0].site.columns[0]);
    ck_assert_str_eq(layout->paths[steps[1].site.columns[1]].name, "__dj__stats__.text_len");
    ck_assert_int_eq(steps[1].site.kinds[1], PEX_FIELD_STAT);
    ck_assert_int_eq(steps[1].site.access[1], PEX_FIELD_READ | PEX_FIELD_WRITE);
    ck_assert_int_eq(steps[1].site.access[0], PEX_FIELD_READ);
    ck_assert_uint_eq(layout->paths[steps[2].site.columns[0]].depth, 2);
    ck_assert_int_eq(steps[3].site.columns[0], -1);
    ck_assert_int_eq(steps[1].site.cardinality, PEX_FILTER);
    ck_assert_int_eq(steps[1].site.op, 1);
    pex__plan_free(plan);
}
END_TEST

START_TEST(bad_field_paths_are_named)
{
    assert_errors(
        &fixture, "{'process': ['nothing_mapper', {'text_mapper': {'text_key': 'a..b'}}]}",
        "process.0.nothing_mapper", "process.1.text_mapper.text_key: found \"a..b\"", NULL);
}
END_TEST

START_TEST(stats_are_wanted_by_output_or_later_operators)
{
    struct pex__plan *plan =
        explain("{'process': ['length_filter', 'text_mapper', 'length_filter']}");

    ck_assert_int_eq(plan->ops[0].stats_wanted, 1);
    ck_assert_int_eq(plan->ops[1].stats_wanted, 0);
    ck_assert_int_eq(plan->ops[2].stats_wanted, 0);
    assert_notice(plan, "process.2.length_filter: reuses the stat text_len that "
                        "process.0.length_filter wrote");
    pex__plan_free(plan);
    plan = explain("{'keep_stats_in_res_ds': true, 'process': ['length_filter']}");
    ck_assert_int_eq(plan->ops[0].stats_wanted, 1);
    pex__plan_free(plan);
}
END_TEST

START_TEST(stats_read_by_their_path_are_wanted)
{
    static const struct {
        const char *path;
        int32_t is_wanted;
    } cases[] = {{"__dj__stats__", 1},
                 {"__dj__stats__.text_len", 1},
                 {"__dj__stats__.other", 0},
                 {"__dj__stats__x", 0},
                 {"text", 0}};
    char json[256];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(json, sizeof json,
                 "{'process': ['length_filter', {'text_mapper': {'text_key': '%s'}}]}",
                 cases[i].path);
        struct pex__plan *plan = explain(json);
        ck_assert_int_eq(plan->ops[0].stats_wanted, cases[i].is_wanted);
        pex__plan_free(plan);
    }
}
END_TEST

/* The steps of a chain by a rule of its own: walks the ops, a global one closes its stage. */
static void assert_stages(const struct pex__plan *plan)
{
    size_t stage = 0, step = 0;

    for (size_t i = 0; i < plan->op_count; i++) {
        int global = plan->ops[i].operator->op.cardinality == PEX_GLOBAL;
        const struct pex__plan_step *at = &plan->stages[stage].steps[step++];

        ck_assert_int_eq(at->op, (int)i);
        ck_assert_int_eq(at->phase, global ? PEX__PHASE_OBSERVE : PEX__PHASE_PROCESS);
        ck_assert_int_eq(at->site.phase, at->phase);
        if (!global)
            continue;
        ck_assert_uint_eq(plan->stages[stage].step_count, step);
        at = &plan->stages[++stage].steps[0];
        ck_assert_int_eq(at->op, (int)i);
        ck_assert_int_eq(at->phase, PEX__PHASE_APPLY);
        step = 1;
    }
    ck_assert_uint_eq(plan->stages[stage].step_count, step);
    ck_assert_uint_eq(plan->stage_count, stage + 1);
}

START_TEST(global_operators_split_stages_at_every_position)
{
    /* Bit i: operator i of a chain of 0 to 6 is global. */
    for (unsigned length = 0; length <= 6; length++) {
        for (unsigned mask = 0; mask < 1u << length; mask++) {
            char json[512] = "{'process': [";
            struct pex__plan *plan;

            if (__builtin_popcount(mask) > 3)
                continue;
            for (unsigned i = 0; i < length; i++)
                snprintf(json + strlen(json), sizeof json - strlen(json), "%s'%s'",
                         i != 0 ? "," : "",
                         (mask >> i & 1) != 0 ? "text_deduplicator" : "text_mapper");
            strcat(json, "]}");
            plan = explain(json);
            ck_assert_uint_eq(plan->stage_count, 1 + (size_t)__builtin_popcount(mask));
            assert_stages(plan);
            pex__plan_free(plan);
        }
    }
}
END_TEST

START_TEST(seeds_depend_on_the_operator_not_its_place)
{
    struct pex__plan *a = explain("{'process': ['text_mapper', 'length_filter']}");
    struct pex__plan *b = explain("{'process': ['length_filter', 'every_mapper', 'text_mapper']}");

    ck_assert_uint_eq(a->ops[0].seed, b->ops[2].seed);
    ck_assert_uint_eq(a->ops[1].seed, b->ops[0].seed);
    ck_assert_uint_ne(a->ops[0].seed, a->ops[1].seed);
    pex__plan_free(a);
    pex__plan_free(b);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("chain");

    tcase_add_checked_fixture(cases, open_fixture, close_fixture);
    tcase_add_test(cases, no_process_copies);
    tcase_add_test(cases, three_forms_of_an_entry_are_one);
    tcase_add_test(cases, wrong_entries_are_named);
    tcase_add_test(cases, unknown_operators_name_the_nearest_or_the_remedy);
    tcase_add_test(cases, devices_are_refused);
    tcase_add_test(cases, the_operator_itself_is_asked);
    tcase_add_test(cases, engine_keys_stand_beside_parameters);
    tcase_add_test(cases, batches_are_whole_by_default);
    tcase_add_test(cases, wrong_engine_keys_are_named);
    tcase_add_test(cases, keys_that_mean_nothing_are_listed);
    tcase_add_test(cases, plain_operators_have_no_budget_unless_given);
    tcase_add_test(cases, blocking_operators_have_a_thread_per_unit);
    tcase_add_test(cases, cpus_and_memory_bound_the_budget);
    tcase_add_test(cases, what_could_not_run_once_is_refused);
    tcase_add_test(cases, text_keys_is_the_default_text_key);
    tcase_add_test(cases, fields_become_columns_once);
    tcase_add_test(cases, bad_field_paths_are_named);
    tcase_add_test(cases, stats_are_wanted_by_output_or_later_operators);
    tcase_add_test(cases, stats_read_by_their_path_are_wanted);
    tcase_add_test(cases, global_operators_split_stages_at_every_position);
    tcase_add_test(cases, seeds_depend_on_the_operator_not_its_place);
    return run_suite("chain", cases);
}
