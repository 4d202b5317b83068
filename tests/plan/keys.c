/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "plan/value.h"

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

/* Every key that Data-Juicer's configuration and public recipes have. */
static const char *const reference_keys[] = {
    "adaptive_batch_size",
    "add_suffix",
    "annotation",
    "audio_key",
    "audio_special_token",
    "auto",
    "auto_num",
    "auto_op_parallelism",
    "cache_compress",
    "checkpoint.enabled",
    "checkpoint.n_ops",
    "checkpoint.op_names",
    "checkpoint.strategy",
    "checkpoint_dir",
    "conflict_resolve_strategy",
    "custom-operator-paths",
    "custom_operator_paths",
    "data_probe_algo",
    "data_probe_ratio",
    "dataset",
    "dataset_path",
    "debug",
    "decrypt_after_reading",
    "ds_cache_dir",
    "elastic_juicer_adaptive_batching",
    "elastic_juicer_profile_seed",
    "enable_optimizer",
    "encrypt_before_export",
    "encryption_key_path",
    "eoc_special_token",
    "event_log_dir",
    "event_logging.backup_count",
    "event_logging.enabled",
    "event_logging.max_log_size_mb",
    "executor_type",
    "export_aws_credentials",
    "export_extra_args",
    "export_in_parallel",
    "export_original_dataset",
    "export_path",
    "export_shard_size",
    "export_type",
    "fusion_strategy",
    "generated_dataset_config",
    "hpo_config",
    "image_bytes_key",
    "image_key",
    "image_special_token",
    "intermediate_storage",
    "job_id",
    "keep_hashes_in_res_ds",
    "keep_stats_in_res_ds",
    "load_dataset_kwargs",
    "load_jsonl_lenient",
    "mapper_fusion",
    "mapper_fusion_vram_limit",
    "min_common_dep_num_to_combine",
    "notification",
    "np",
    "op_fusion",
    "op_list_to_mine",
    "op_list_to_trace",
    "open_insight_mining",
    "open_monitor",
    "open_tracer",
    "optimizer_strategies",
    "override_num_blocks",
    "partition.auto_configure",
    "partition.execution_group_size",
    "partition.gpu_preflight_enabled",
    "partition.gpu_probe_sample_offset",
    "partition.gpu_probe_sample_seed",
    "partition.gpu_probe_sample_shuffle",
    "partition.gpu_probe_steady_batches",
    "partition.gpu_probe_timeout_seconds",
    "partition.gpu_probe_warmup_batches",
    "partition.max_concurrent_gpu_probes",
    "partition.max_concurrent_partitions",
    "partition.max_gpu_workers_per_device",
    "partition.max_initialization_overhead_ratio",
    "partition.max_size_mb",
    "partition.mode",
    "partition.num_of_partitions",
    "partition.partitions_per_node",
    "partition.size",
    "partition.target_size_mb",
    "partition_dir",
    "partition_size",
    "percentiles",
    "process",
    "project_name",
    "ray_address",
    "read_options",
    "resume",
    "save_stats_in_one_file",
    "skip_op_error",
    "strict_preflight",
    "suffixes",
    "temp_dir",
    "text_keys",
    "trace_keys",
    "trace_num",
    "turbo",
    "use_cache",
    "use_checkpoint",
    "use_dag",
    "validators",
    "video_key",
    "video_special_token",
    "work_dir",
};

/* Keys of our own. */
static const char *const own_keys[] = {
    "batch_size",
    "checkpoint.keep",
    "debug.cancel_grace_ms",
    "debug.encode_boundaries",
    "debug.simd",
    "debug.slice_bytes",
    "durability",
    "export_compression",
    "export_stats",
    "input_format",
    "instance_idle_timeout",
    "load_limit",
    "max_attempts",
    "max_error_rate",
    "max_errors",
    "memory_limit",
    "on_error",
    "on_partition_failed",
    "scope_policy",
    "stall_timeout",
    "strict_plugins",
    "verify",
    "weight",
};

START_TEST(table_has_every_key_of_the_reference)
{
    size_t count;
    const struct pex__spec_key *keys = pex__spec_keys(&count);

    for (size_t i = 0; i < sizeof reference_keys / sizeof *reference_keys; i++)
        ck_assert_msg(pex__spec_key_find(keys, count, reference_keys[i]) != NULL, "%s",
                      reference_keys[i]);
}
END_TEST

START_TEST(table_has_nothing_else_but_our_own)
{
    size_t count, known = sizeof reference_keys / sizeof *reference_keys;
    const struct pex__spec_key *keys = pex__spec_keys(&count);

    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++) {
        ck_assert_msg(pex__spec_key_find(keys, count, own_keys[i]) != NULL, "%s", own_keys[i]);
        ck_assert_int_eq(pex__spec_key_find(keys, count, own_keys[i])->class, PEX__KEY_OURS);
    }
    ck_assert_uint_eq(count, known + sizeof own_keys / sizeof *own_keys);
}
END_TEST

static void assert_entry(const struct pex__spec_key *key)
{
    struct pex_param_def def = {key->path, NULL,     key->choices, NULL,
                                key->min,  key->max, key->type,    0};
    struct pex__buffer errors = {0};
    json_t *fallback;

    ck_assert_msg(key->help != NULL && *key->help != '\0', "%s has no help", key->path);
    if (key->fallback == NULL)
        return;
    fallback = pex__value_parse(key->fallback, strlen(key->fallback));
    ck_assert_msg(fallback != NULL, "%s: its default is not JSON", key->path);
    if (key->class == PEX__KEY_OURS && key->type < PEX__KEY_COUNT)
        ck_assert_msg(pex__value_check(fallback, &def, key->path, &errors) == 0, "%.*s",
                      (int)errors.length, errors.data);
    json_decref(fallback);
    pex__buffer_free(&errors);
}

START_TEST(entries_are_whole_and_unique)
{
    size_t counts[2];
    const struct pex__spec_key *tables[2] = {pex__spec_keys(&counts[0]),
                                             pex__operator_keys(&counts[1])};

    for (int t = 0; t < 2; t++) {
        for (size_t i = 0; i < counts[t]; i++) {
            assert_entry(&tables[t][i]);
            ck_assert_ptr_eq(pex__spec_key_find(tables[t], counts[t], tables[t][i].path),
                             &tables[t][i]);
        }
    }
}
END_TEST

START_TEST(sections_begin_with_keys_of_ours)
{
    size_t count, section_count;
    const struct pex__spec_key *keys = pex__spec_keys(&count), *key;
    const struct pex__spec_section *sections = pex__spec_sections(&section_count);

    ck_assert_str_eq(sections[0].first, keys[0].path);
    for (size_t i = 0; i < section_count; i++) {
        key = pex__spec_key_find(keys, count, sections[i].first);
        ck_assert_msg(key != NULL, "%s: no such key", sections[i].first);
        ck_assert_int_eq(key->class, PEX__KEY_OURS);
    }
}
END_TEST

/* The description of keys, parsed. */
static json_t *described(const char *path)
{
    struct pex_error err = {0};
    json_t *list;
    char *json;

    ck_assert_msg(pex_spec_describe(path, &json, &err) == 0, "%s", err.message);
    list = json_loads(json, 0, NULL);
    ck_assert_ptr_nonnull(list);
    pex_free(json);
    return list;
}

static const char *text_of(const json_t *list, size_t index, const char *name)
{
    return json_string_value(json_object_get(json_array_get(list, index), name));
}

START_TEST(description_has_every_key_with_what_its_class_has)
{
    size_t job_count, operator_count;
    const struct pex__spec_key *job_keys = pex__spec_keys(&job_count);
    json_t *list = described(NULL);

    pex__operator_keys(&operator_count);
    ck_assert_uint_eq(json_array_size(list), job_count + operator_count);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *key = json_array_get(list, i);
        int is_ours = strcmp(text_of(list, i, "class"), "ours") == 0;
        int is_job = strcmp(text_of(list, i, "of"), "job") == 0;

        ck_assert_int_eq(is_job, i < job_count);
        ck_assert_ptr_nonnull(text_of(list, i, "help"));
        ck_assert_int_eq(json_object_get(key, "type") != NULL, is_ours);
        ck_assert_int_eq(json_object_get(key, "section") != NULL, is_ours && is_job);
        if (is_job)
            ck_assert_str_eq(text_of(list, i, "key"), job_keys[i].path);
    }
    json_decref(list);
}
END_TEST

START_TEST(description_of_a_key_has_its_type_default_and_bounds)
{
    json_t *list = described("export_shard_size"), *key = json_array_get(list, 0);

    ck_assert_uint_eq(json_array_size(list), 1);
    ck_assert_str_eq(text_of(list, 0, "type"), "integer");
    ck_assert_str_eq(text_of(list, 0, "section"), "Output");
    ck_assert_int_eq(json_integer_value(json_object_get(key, "default")), 0);
    ck_assert(json_number_value(json_object_get(key, "min")) == 0);
    ck_assert(json_is_null(json_object_get(key, "max")));
    json_decref(list);
    list = described("scope_policy");
    ck_assert_uint_eq(json_array_size(json_object_get(json_array_get(list, 0), "choices")), 2);
    json_decref(list);
    list = described("add_suffix");
    ck_assert(json_is_false(json_object_get(json_array_get(list, 0), "accepted")));
    json_decref(list);
}
END_TEST

START_TEST(description_takes_keys_below_a_name_but_not_names_that_begin_alike)
{
    json_t *list = described("checkpoint");

    ck_assert_uint_gt(json_array_size(list), 1);
    for (size_t i = 0; i < json_array_size(list); i++)
        ck_assert_int_eq(strncmp(text_of(list, i, "key"), "checkpoint.", 11), 0);
    json_decref(list);
}
END_TEST

START_TEST(description_of_no_key_names_the_nearest)
{
    struct pex_error err = {0};
    char *json;

    ck_assert_int_eq(pex_spec_describe("num_prc", &json, &err), PEX_ENOENT);
    ck_assert_ptr_nonnull(strstr(err.message, "num_prc"));
    ck_assert_ptr_nonnull(strstr(err.message, "num_proc"));
    ck_assert_int_eq(pex_spec_describe("", &json, &err), PEX_ENOENT);
    ck_assert_int_eq(pex_spec_describe("completely_else", &json, NULL), PEX_ENOENT);
    ck_assert_int_eq(pex_spec_describe(NULL, NULL, &err), PEX_EINVAL);
}
END_TEST

START_TEST(defaults_are_those_of_the_contract)
{
    struct pex__plan *plan = plan_of(&fixture, "{}", PEX__PLAN_EXPLAIN);

    ck_assert_int_eq(plan->scope_policy, 2);
    ck_assert_int_eq(plan->durability, PEX__DURABILITY_POWER);
    ck_assert_int_eq(plan->checkpoint_enabled, 1);
    ck_assert_int_eq(plan->on_error, PEX__ON_ERROR_QUARANTINE);
    ck_assert_int_eq(plan->max_attempts, 3);
    ck_assert_int_eq(plan->max_errors, -1);
    ck_assert(plan->max_error_rate < 0);
    ck_assert(plan->weight == 1);
    ck_assert_int_eq(plan->keep_stats, 0);
    ck_assert_int_eq(plan->debug_encode, 0);
    ck_assert_int_eq(plan->debug_isa, PEX__ISA_BEST);
    ck_assert_int_eq(plan->grace_ns, 10000000000);
    ck_assert_uint_eq(plan->memory_limit, fixture.machine.memory_limit);
    pex__plan_free(plan);
}
END_TEST

START_TEST(null_is_the_default_of_every_key)
{
    struct pex__plan *plan;
    char text[160];

    for (size_t i = 0; i < sizeof reference_keys / sizeof *reference_keys; i++) {
        const char *dot = strchr(reference_keys[i], '.');

        if (dot != NULL)
            snprintf(text, sizeof text, "{'%.*s': {'%s': null}}", (int)(dot - reference_keys[i]),
                     reference_keys[i], dot + 1);
        else
            snprintf(text, sizeof text, "{'%s': null}", reference_keys[i]);
        plan = plan_of(&fixture, text, PEX__PLAN_EXPLAIN);
        ck_assert_uint_eq(plan->stage_count, 1);
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(values_of_keys_reach_the_plan)
{
    struct pex__plan *plan = plan_of(
        &fixture,
        "{'scope_policy': 'balanced', 'checkpoint': {'enabled': false}, 'on_error': 'skip',"
        " 'max_attempts': 5, 'max_errors': 0, 'max_error_rate': 0.25, 'weight': 2,"
        " 'keep_stats_in_res_ds': true, 'debug': {'encode_boundaries': true, 'simd': 'plain',"
        " 'cancel_grace_ms': 5},"
        " 'memory_limit': '64MB'}",
        PEX__PLAN_EXPLAIN);

    ck_assert_int_eq(plan->scope_policy, 1);
    ck_assert_int_eq(plan->durability, PEX__DURABILITY_PROCESS);
    ck_assert_int_eq(plan->checkpoint_enabled, 0);
    ck_assert_int_eq(plan->on_error, PEX__ON_ERROR_SKIP);
    ck_assert_int_eq(plan->max_attempts, 5);
    ck_assert_int_eq(plan->max_errors, 0);
    ck_assert(plan->max_error_rate == 0.25);
    ck_assert(plan->weight == 2);
    ck_assert_int_eq(plan->keep_stats, 1);
    ck_assert_int_eq(plan->debug_encode, 1);
    ck_assert_int_eq(plan->debug_isa, PEX__ISA_PLAIN);
    ck_assert_int_eq(plan->grace_ns, 5000000);
    ck_assert_uint_eq(plan->memory_limit, 64 * MIB);
    pex__plan_free(plan);
}
END_TEST

START_TEST(limits_of_attempts_are_accepted_and_said_to_have_no_effect)
{
    struct pex__plan *plan = plan_of(&fixture, "{'max_attempts': 4}", PEX__PLAN_EXPLAIN);

    assert_notice(plan, "accepted, without effect in this version: max_attempts");
    pex__plan_free(plan);
    plan = plan_of(&fixture, "{'max_attempts': 3, 'max_errors': 5, 'max_error_rate': 0.1}",
                   PEX__PLAN_EXPLAIN);
    for (size_t i = 0; i < plan->notice_count; i++)
        ck_assert_ptr_null(strstr(plan->notices[i], "max_"));
    pex__plan_free(plan);
}
END_TEST

START_TEST(durability_that_is_given_goes_before_checkpoints)
{
    struct pex__plan *plan = plan_of(
        &fixture, "{'durability': 'power', 'checkpoint': {'enabled': false}}", PEX__PLAN_EXPLAIN);

    ck_assert_int_eq(plan->durability, PEX__DURABILITY_POWER);
    pex__plan_free(plan);
}
END_TEST

START_TEST(skip_op_error_is_a_policy_and_on_error_goes_before_it)
{
    static const struct {
        const char *spec;
        int32_t policy;
    } cases[] = {
        {"{'skip_op_error': true}", PEX__ON_ERROR_QUARANTINE},
        {"{'skip_op_error': false}", PEX__ON_ERROR_FAIL},
        {"{'skip_op_error': false, 'on_error': 'skip'}", PEX__ON_ERROR_SKIP},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pex__plan *plan = plan_of(&fixture, cases[i].spec, PEX__PLAN_EXPLAIN);

        ck_assert_int_eq(plan->on_error, cases[i].policy);
        pex__plan_free(plan);
    }
}
END_TEST

START_TEST(ignored_keys_are_listed_once)
{
    struct pex__plan *plan = plan_of(
        &fixture,
        "{'project_name': 'x', 'executor_type': 'ray', 'debug': true,"
        " 'event_logging': {'enabled': false}, 'add_suffix': false, 'export_type': 'jsonl'}",
        PEX__PLAN_EXPLAIN);

    assert_notice(plan, "project_name (a job has job_id), executor_type (there is one executor), "
                        "debug (as a flag; the keys below debug are ours), "
                        "event_logging.enabled (events are always written), "
                        "add_suffix (asks for nothing)");
    ck_assert_uint_eq(plan->notice_count, 2); /* the other: no input */
    pex__plan_free(plan);
}
END_TEST

START_TEST(keys_without_effect_yet_are_said)
{
    struct pex__plan *plan = plan_of(
        &fixture,
        "{'checkpoint': {'strategy': 'every_op', 'n_ops': 5, 'keep': 2}, 'stall_timeout': 600}",
        PEX__PLAN_EXPLAIN);

    assert_notice(plan, "without effect in this version: checkpoint.strategy, checkpoint.keep");
    pex__plan_free(plan);
}
END_TEST

START_TEST(refused_keys_name_the_remedy)
{
    assert_errors(&fixture, "{'add_suffix': true}", "add_suffix: found true", "leave it out", NULL);
    assert_errors(&fixture, "{'custom_operator_paths': ['a.py']}", "custom_operator_paths",
                  "--plugin", NULL);
    assert_errors(&fixture, "{'keep_hashes_in_res_ds': true, 'process': ['text_deduplicator']}",
                  "keep_hashes_in_res_ds: found true", "leave it out", NULL);
    assert_errors(&fixture,
                  "{'keep_hashes_in_res_ds': true, 'process': [{'text_deduplicator': null}]}",
                  "keep_hashes_in_res_ds: found true", NULL);
    assert_errors(
        &fixture, "{'export_type': 'parquet'}",
        "export_type: found \"parquet\": this format is not in this version; write .jsonl", NULL);
    assert_errors(&fixture, "{'export_type': 3}", "export_type: found 3, expected a string", NULL);
}
END_TEST

START_TEST(hashes_are_kept_where_there_are_none)
{
    struct pex__plan *plan = plan_of(
        &fixture, "{'keep_hashes_in_res_ds': true, 'process': ['text_mapper']}", PEX__PLAN_EXPLAIN);

    assert_notice(plan, "keep_hashes_in_res_ds (asks for nothing)");
    pex__plan_free(plan);
}
END_TEST

START_TEST(types_that_are_rows_as_json_lines_are_taken)
{
    pex__plan_free(plan_of(&fixture, "{'export_type': 'jsonl'}", PEX__PLAN_EXPLAIN));
    pex__plan_free(plan_of(&fixture, "{'export_type': 'json'}", PEX__PLAN_EXPLAIN));
    pex__plan_free(plan_of(&fixture, "{'export_type': 'csv'}", PEX__PLAN_PULL));
}
END_TEST

START_TEST(unknown_keys_name_the_nearest)
{
    assert_errors(&fixture, "{'proces': []}", "proces: unknown key", "is process", NULL);
    assert_errors(&fixture, "{'dataset-path': 'x'}", "dataset-path: unknown", "is dataset_path",
                  NULL);
    assert_errors(&fixture, "{'partition': {'num_partitions': 3}}",
                  "partition.num_partitions: unknown", "is partition.num_of_partitions", NULL);
    assert_errors(&fixture, "{'max_concurrent_partitions': 3}",
                  "is partition.max_concurrent_partitions", NULL);
    assert_errors(&fixture, "{'partitions': {'size': 3}}", "partitions: unknown key",
                  "is partition", NULL);
    assert_errors(&fixture, "{'qqqqqqqqqqqqqqqq': 1}", "qqqqqqqqqqqqqqqq: unknown key",
                  "no known key is near; leave it out", NULL);
    assert_errors(&fixture, "{'partition.mode': 'auto'}", "partition.mode: found a key with a dot",
                  NULL);
    assert_errors(&fixture, "{'a\\nb': 1}", "a b: unknown key", NULL);
}
END_TEST

START_TEST(wrong_values_name_what_was_found_and_expected)
{
    assert_errors(&fixture, "{'np': '4'}", "np: found \"4\", expected an integer", NULL);
    assert_errors(&fixture, "{'np': '1e1'}", "np: found \"1e1\"", "digits alone, and no quotes",
                  NULL);
    assert_errors(&fixture, "{'max_error_rate': '1e-2'}", "max_error_rate: found \"1e-2\"",
                  "is 1.0e-5 in YAML", NULL);
    assert_errors(&fixture, "{'np': 0}", "np: found 0, expected an integer from 1", NULL);
    assert_errors(&fixture, "{'np': 1.5}", "np: found 1.5, expected an integer", NULL);
    assert_errors(&fixture, "{'batch_size': 0}", "batch_size: found 0", NULL);
    assert_errors(&fixture, "{'scope_policy': 'floor'}", "scope_policy: found \"floor\"",
                  "elastic|balanced", NULL);
    assert_errors(&fixture, "{'scope_policy': 2}", "scope_policy: found 2, expected a string",
                  NULL);
    assert_errors(&fixture, "{'max_error_rate': 1.5}", "max_error_rate: found 1.5", "from 0 to 1",
                  NULL);
    assert_errors(&fixture, "{'max_errors': -1}", "max_errors: found -1", "at least 0", NULL);
    assert_errors(&fixture, "{'checkpoint': true}", "checkpoint: found true, expected an object",
                  NULL);
    assert_errors(&fixture, "{'checkpoint': {'enabled': 'yes'}}",
                  "checkpoint.enabled: found \"yes\"", "true or false", NULL);
    assert_errors(&fixture, "{'text_keys': [1]}", "text_keys: found [1]", "list of strings", NULL);
    assert_errors(&fixture, "{'partition': {'num_of_partitions': 'many'}}",
                  "partition.num_of_partitions: found \"many\"", "auto", NULL);
    assert_errors(&fixture, "{'partition': {'num_of_partitions': 0}}", "found 0", NULL);
    assert_errors(&fixture, "{'partition': {'mode': 'manual'}}", "partition.mode: found \"manual\"",
                  "partition.num_of_partitions", NULL);
    assert_errors(&fixture, "{'memory_limit': '5 furlongs'}", "memory_limit: found \"5 furlongs\"",
                  "512MB", NULL);
    assert_errors(&fixture, "{'memory_limit': 0}", "memory_limit: found 0", NULL);
    assert_errors(&fixture, "{'debug': {'simd': 'mmx'}}", "debug.simd: found \"mmx\"", "avx2",
                  NULL);
    assert_errors(&fixture, "{'process': {'text_mapper': null}}", "process: found", "a list", NULL);
}
END_TEST

START_TEST(all_errors_are_listed_keys_and_operators_before_paths)
{
    char *errors =
        errors_of(&fixture,
                  "{'export_path': 'out.parquet', 'job_id': 'a/b', 'nq': 1,"
                  " 'process': ['text_maper', {'length_filter': {'min_len': 'x', 'mim': 1}}],"
                  " 'weight': 'heavy'}",
                  PEX__PLAN_RUN, NULL);
    static const char *const order[] = {"nq: ",
                                        "weight: ",
                                        "process.0",
                                        "process.1.length_filter.mim",
                                        "process.1.length_filter.min_len",
                                        "job_id: ",
                                        "export_path: "};
    const char *at = errors;

    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *found = strstr(errors, order[i]);

        ck_assert_msg(found != NULL && found >= at, "%s in: %s", order[i], errors);
        at = found;
    }
    ck_assert_uint_eq(count_lines(errors), sizeof order / sizeof *order);
    pex_free(errors);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("keys");

    tcase_add_checked_fixture(cases, open_fixture, close_fixture);
    tcase_add_test(cases, table_has_every_key_of_the_reference);
    tcase_add_test(cases, table_has_nothing_else_but_our_own);
    tcase_add_test(cases, entries_are_whole_and_unique);
    tcase_add_test(cases, sections_begin_with_keys_of_ours);
    tcase_add_test(cases, description_has_every_key_with_what_its_class_has);
    tcase_add_test(cases, description_of_a_key_has_its_type_default_and_bounds);
    tcase_add_test(cases, description_takes_keys_below_a_name_but_not_names_that_begin_alike);
    tcase_add_test(cases, description_of_no_key_names_the_nearest);
    tcase_add_test(cases, defaults_are_those_of_the_contract);
    tcase_add_test(cases, null_is_the_default_of_every_key);
    tcase_add_test(cases, values_of_keys_reach_the_plan);
    tcase_add_test(cases, limits_of_attempts_are_accepted_and_said_to_have_no_effect);
    tcase_add_test(cases, durability_that_is_given_goes_before_checkpoints);
    tcase_add_test(cases, skip_op_error_is_a_policy_and_on_error_goes_before_it);
    tcase_add_test(cases, ignored_keys_are_listed_once);
    tcase_add_test(cases, keys_without_effect_yet_are_said);
    tcase_add_test(cases, refused_keys_name_the_remedy);
    tcase_add_test(cases, hashes_are_kept_where_there_are_none);
    tcase_add_test(cases, types_that_are_rows_as_json_lines_are_taken);
    tcase_add_test(cases, unknown_keys_name_the_nearest);
    tcase_add_test(cases, wrong_values_name_what_was_found_and_expected);
    tcase_add_test(cases, all_errors_are_listed_keys_and_operators_before_paths);
    return run_suite("keys", cases);
}
