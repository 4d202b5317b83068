/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every key of a spec. OURS has type, default, choices and bounds; the reference's are here to the
 * last one, so that a recipe which Data-Juicer accepts is either run, or refused by name.
 */
#include "plan/spec.h"

#include <math.h>
#include <string.h>

#define NUMBER(path, type, fallback, min, max, help)                                               \
    {                                                                                              \
        path, PEX__KEY_OURS, type, fallback, NULL, help, min, max, 0                               \
    }
#define OURS(path, type, fallback, choices, help)                                                  \
    {                                                                                              \
        path, PEX__KEY_OURS, type, fallback, choices, help, 0, 0, 0                                \
    }
#define LATER(path, type, fallback, choices, min, max, help)                                       \
    {                                                                                              \
        path, PEX__KEY_OURS, type, fallback, choices, help, min, max, 1                            \
    }
#define IGNORED(path, help)                                                                        \
    {                                                                                              \
        path, PEX__KEY_IGNORED, PEX_PARAM_JSON, NULL, NULL, help, 0, 0, 0                          \
    }
#define REFUSED(path, harmless, help)                                                              \
    {                                                                                              \
        path, PEX__KEY_REFUSED, PEX_PARAM_JSON, harmless, NULL, help, 0, 0, 0                      \
    }

static const struct pex__spec_key keys[] = {
    /* input, output, chain */
    OURS("dataset_path", PEX_PARAM_STRINGS, NULL, NULL,
         "a file, a folder, a glob pattern, or a list of them, in the order of the rows"),
    OURS("dataset", PEX_PARAM_JSON, NULL, NULL,
         "input as {configs: [{type: local, path}], max_sample_num}: the files, and how many of "
         "the first rows are read; dataset_path goes before it"),
    OURS("input_format", PEX_PARAM_STRING, "\"auto\"", "auto|jsonl|text",
         "auto goes by the suffix; text makes a row of each file"),
    OURS("suffixes", PEX_PARAM_STRINGS, "[]", NULL,
         "the files of a folder that are read, by the end of their names; none reads all"),
    OURS("export_path", PEX_PARAM_STRING, NULL, NULL,
         "the output: a file, rows as JSON lines, packed if it ends in .gz or .zst; or a folder, "
         "with "
         "a final /, for a file per partition"),
    OURS("export_type", PEX_PARAM_STRING, NULL, NULL,
         "jsonl or json, which both are rows as JSON lines; no other form is written"),
    OURS("export_compression", PEX_PARAM_STRING, "\"auto\"", "auto|none|gz|zst",
         "auto goes by the suffix; the others are for the files of a folder"),
    NUMBER("export_shard_size", PEX_PARAM_INT64, "0", 0, INFINITY,
           "most bytes of rows in a shard of the output; 0 writes one file"),
    OURS("export_stats", PEX_PARAM_BOOL, "false", NULL, "writes the stats to a file of their own"),
    OURS("keep_stats_in_res_ds", PEX_PARAM_BOOL, "false", NULL,
         "keeps the stats of filters in the output rows"),
    OURS("process", PEX_PARAM_JSON, "[]", NULL,
         "the operators, first to last: a list of {operator: {parameters}}; none copies"),
    OURS("text_keys", PEX_PARAM_STRINGS, NULL, NULL,
         "the field with the text, for operators that do not say text_key"),
    OURS("work_dir", PEX_PARAM_STRING, NULL, NULL,
         "where job folders lie, else .partexec beside the export"),
    OURS("job_id", PEX__KEY_NAME, NULL, NULL,
         "name of the job folder, else a time stamp; replaces {job_id} in work_dir"),

    /* how it runs */
    NUMBER("np", PEX_PARAM_INT64, NULL, 1, 65536, "worker threads, else one per usable core"),
    NUMBER("batch_size", PEX_PARAM_INT64, NULL, 1, INT32_MAX,
           "most rows of a call, for operators that do not say it"),
    OURS("memory_limit", PEX__KEY_BYTES, NULL, NULL,
         "bytes, or text as 512MB or 25%; 25 % of memory by default"),
    OURS("scope_policy", PEX_PARAM_STRING, "\"elastic\"", "elastic|balanced",
         "calls of a budget: balanced keeps equal shares, elastic lends idle ones"),
    NUMBER("weight", PEX_PARAM_DOUBLE, "1", 1e-6, 1e6,
           "share of this job among several of one context"),
    OURS("partition.mode", PEX_PARAM_STRING, "\"auto\"", "auto|manual",
         "manual needs partition.num_of_partitions or partition.size"),
    OURS("partition.num_of_partitions", PEX__KEY_COUNT, NULL, NULL,
         "number of partitions, of about equal bytes"),
    NUMBER("partition.target_size_mb", PEX_PARAM_DOUBLE, "256", 1e-6, 1e9,
           "most MB of a partition when their number is automatic"),
    NUMBER("partition.size", PEX_PARAM_INT64, NULL, 1, INFINITY,
           "rows of a partition, exactly; the last has what is left"),
    OURS("partition.max_concurrent_partitions", PEX__KEY_COUNT, NULL, NULL,
         "partitions that are active at a time"),
    LATER("load_limit", PEX_PARAM_INT64, "2", NULL, 1, 65536, "instances created at a time"),
    LATER("instance_idle_timeout", PEX_PARAM_DOUBLE, NULL, NULL, 0, INFINITY,
          "seconds after which an idle instance ends"),

    /* failure and recovery */
    OURS("on_error", PEX_PARAM_STRING, "\"quarantine\"", "fail|skip|quarantine",
         "what becomes of rows that are bad or that an operator fails"),
    OURS("skip_op_error", PEX_PARAM_BOOL, NULL, NULL, "true is on_error quarantine, false is fail"),
    NUMBER("max_errors", PEX_PARAM_INT64, NULL, 0, INFINITY,
           "rows that may fail, skipped ones included; the job ends at the next one"),
    NUMBER("max_error_rate", PEX_PARAM_DOUBLE, NULL, 0, 1,
           "share of the rows read that may fail; judged when all of them are read"),
    LATER("max_attempts", PEX_PARAM_INT64, "3", NULL, 1, 1000, "attempts of a partition"),
    LATER("on_partition_failed", PEX_PARAM_STRING, "\"stop\"", "stop|continue", 0, 0,
          "what the others do when a partition failed"),
    LATER("stall_timeout", PEX_PARAM_DOUBLE, "600", NULL, 0, INFINITY,
          "seconds without any progress that end the job"),
    LATER("strict_plugins", PEX_PARAM_BOOL, "false", NULL, 0, 0,
          "another build of a plugin invalidates what was saved"),
    LATER("verify", PEX_PARAM_STRING, "\"ends\"", "ends|full", 0, 0,
          "how much of the input is compared at resume"),
    OURS("durability", PEX_PARAM_STRING, NULL, "power|process",
         "what the output survives; process if checkpoint.enabled is false"),
    OURS("checkpoint.enabled", PEX_PARAM_BOOL, "true", NULL, "keeps what resuming needs"),
    LATER("checkpoint.strategy", PEX_PARAM_STRING, "\"commit\"",
          "commit|every_op|every_n_ops|manual|disabled", 0, 0, "what is saved at operator ends"),
    LATER("checkpoint.n_ops", PEX_PARAM_INT64, "5", NULL, 1, 1e6, "for every_n_ops"),
    LATER("checkpoint.op_names", PEX_PARAM_STRINGS, "[]", NULL, 0, 0, "for manual"),
    LATER("checkpoint.keep", PEX_PARAM_INT64, "1", NULL, 1, 1e6, "checkpoints kept per partition"),

    /* tests */
    NUMBER("debug.slice_bytes", PEX_PARAM_INT64, NULL, 1, INT32_MAX,
           "bytes that a worker reads at a time; the output stays the same"),
    NUMBER("debug.cancel_grace_ms", PEX_PARAM_INT64, "10000", 0, 86400000,
           "how long an ending job waits for calls that do not return"),
    OURS("debug.encode_boundaries", PEX_PARAM_BOOL, "false", NULL,
         "encodes and reads the rows again behind every operator"),
    OURS("debug.simd", PEX_PARAM_STRING, "\"best\"", "plain|sse|avx2|avx512|neon|best",
         "instruction set of the scanner; the output stays the same"),

    /* the reference's, without meaning here */
    IGNORED("adaptive_batch_size", "a call takes what is there, up to batch_size"),
    IGNORED("annotation", "there is no annotation service"),
    IGNORED("audio_key", "no operator reads audio"),
    IGNORED("audio_special_token", "no operator reads audio"),
    IGNORED("auto", "for the reference's analyzer"),
    IGNORED("auto_num", "for the reference's analyzer"),
    IGNORED("auto_op_parallelism", "always on: an operator without num_proc is automatic"),
    IGNORED("cache_compress", "there is no cache"),
    IGNORED("checkpoint_dir", "checkpoints lie in the job folder"),
    IGNORED("conflict_resolve_strategy", "there are no operator environments"),
    IGNORED("data_probe_algo", "for the reference's sandbox"),
    IGNORED("data_probe_ratio", "for the reference's sandbox"),
    IGNORED("debug", "as a flag; the keys below debug are ours"),
    IGNORED("ds_cache_dir", "there is no cache"),
    IGNORED("elastic_juicer_adaptive_batching", "a call takes what is there, up to batch_size"),
    IGNORED("elastic_juicer_profile_seed", "nothing is profiled"),
    IGNORED("enable_optimizer", "a batch passes all operators of a stage while it is in cache"),
    IGNORED("encryption_key_path", "nothing is encrypted or decrypted"),
    IGNORED("eoc_special_token", "no operator splits text into chunks for media"),
    IGNORED("event_log_dir", "events lie in the job folder"),
    IGNORED("event_logging.enabled", "events are always written"),
    IGNORED("event_logging.backup_count", "there is one file of events in the job folder"),
    IGNORED("event_logging.max_log_size_mb", "there is one file of events in the job folder"),
    IGNORED("executor_type", "there is one executor"),
    IGNORED("export_aws_credentials", "files are local"),
    IGNORED("export_in_parallel", "the output is written in order while rows are worked on"),
    IGNORED("export_original_dataset", "of the reference's analyzer; analyze never writes rows"),
    IGNORED("fusion_strategy", "a batch passes all operators of a stage while it is in cache"),
    IGNORED("hpo_config", "for the reference's sandbox"),
    IGNORED("image_bytes_key", "no operator reads images"),
    IGNORED("image_key", "no operator reads images"),
    IGNORED("image_special_token", "no operator reads images"),
    IGNORED("intermediate_storage", "rows between stages lie in the job folder in a form of ours"),
    IGNORED("load_jsonl_lenient", "bad lines go by on_error"),
    IGNORED("mapper_fusion", "a batch passes all operators of a stage while it is in cache"),
    IGNORED("mapper_fusion_vram_limit", "nothing is fused"),
    IGNORED("min_common_dep_num_to_combine", "there are no operator environments"),
    IGNORED("notification", "nobody is notified; see summary.json"),
    IGNORED("op_fusion", "a batch passes all operators of a stage while it is in cache"),
    IGNORED("op_list_to_mine", "there is no insight mining"),
    IGNORED("op_list_to_trace", "there is no tracer; summary.json counts rows per operator"),
    IGNORED("open_insight_mining", "there is no insight mining"),
    IGNORED("open_monitor", "summary.json has time and memory"),
    IGNORED("open_tracer", "there is no tracer; summary.json counts rows per operator"),
    IGNORED("optimizer_strategies", "a batch passes all operators of a stage while it is in cache"),
    IGNORED("override_num_blocks", "there are no blocks"),
    IGNORED("partition.auto_configure", "old name; use partition.mode"),
    IGNORED("partition.execution_group_size", "there are no execution groups"),
    IGNORED("partition.gpu_preflight_enabled", "nothing is probed before the job"),
    IGNORED("partition.gpu_probe_sample_offset", "nothing is probed before the job"),
    IGNORED("partition.gpu_probe_sample_seed", "nothing is probed before the job"),
    IGNORED("partition.gpu_probe_sample_shuffle", "nothing is probed before the job"),
    IGNORED("partition.gpu_probe_steady_batches", "nothing is probed before the job"),
    IGNORED("partition.gpu_probe_timeout_seconds", "nothing is probed before the job"),
    IGNORED("partition.gpu_probe_warmup_batches", "nothing is probed before the job"),
    IGNORED("partition.max_concurrent_gpu_probes", "nothing is probed before the job"),
    IGNORED("partition.max_gpu_workers_per_device", "budgets are shared by all partitions"),
    IGNORED("partition.max_initialization_overhead_ratio", "instances outlive partitions"),
    IGNORED("partition.max_size_mb", "old name; use partition.target_size_mb"),
    IGNORED("partition.partitions_per_node", "there is one node"),
    IGNORED("partition_dir", "partitions in the making lie in the job folder"),
    IGNORED("partition_size", "old name; use partition.size"),
    IGNORED("percentiles", "quantiles that analyze adds to its own; a run has no use for them"),
    IGNORED("project_name", "a job has job_id"),
    IGNORED("ray_address", "there is no cluster"),
    IGNORED("resume", "resume with the command's --resume, or by the same job_id"),
    IGNORED("save_stats_in_one_file", "of the reference's analyzer; analyze writes one page"),
    IGNORED("strict_preflight", "nothing is probed before the job"),
    IGNORED("temp_dir", "nothing is written outside of job folder and export"),
    IGNORED("trace_keys", "there is no tracer"),
    IGNORED("trace_num", "there is no tracer"),
    IGNORED("turbo", "always as fast as it can"),
    IGNORED("use_cache", "there is no cache"),
    IGNORED("use_checkpoint", "old name; use checkpoint.enabled"),
    IGNORED("use_dag", "the plan is always made first"),
    IGNORED("video_key", "no operator reads video"),
    IGNORED("video_special_token", "no operator reads video"),

    /* the reference's, missing here, and the output would differ */
    REFUSED("add_suffix", "false", "no field with the file suffix is added; leave it out"),
    REFUSED("custom-operator-paths", "[]",
            "operators in Python files are not loaded; write a plugin and load it with --plugin"),
    REFUSED("custom_operator_paths", "[]",
            "operators in Python files are not loaded; write a plugin and load it with --plugin"),
    REFUSED("decrypt_after_reading", "false", "input is not decrypted; decrypt it before"),
    REFUSED("encrypt_before_export", "false", "output is not encrypted; encrypt it afterwards"),
    REFUSED("export_extra_args", "{}", "the export has no such settings; leave it out"),
    REFUSED("generated_dataset_config", NULL,
            "no data set is generated; make the file before and name it in dataset_path"),
    REFUSED("keep_hashes_in_res_ds", "false",
            "the hashes of de-duplicators are not kept in rows; leave it out"),
    REFUSED("load_dataset_kwargs", "{}", "files are read as they are; leave it out"),
    REFUSED("read_options", "{}", "files are read as they are; leave it out"),
    REFUSED("validators", "[]", "rows are not validated beforehand; use a filter"),
};

/* Beside an operator's own parameters, which go before an ignored key of the same name. */
static const struct pex__spec_key operator_keys[] = {
    OURS("num_proc", PEX_PARAM_INT64, NULL, NULL,
         "calls at a time, over all partitions; 0 or less is automatic"),
    NUMBER("num_cpus", PEX_PARAM_DOUBLE, NULL, 0, 65536,
           "cores that a call keeps busy; bounds num_proc"),
    NUMBER("num_gpus", PEX_PARAM_DOUBLE, NULL, 0, 65536, "devices of an instance"),
    OURS("memory", PEX__KEY_BYTES, NULL, NULL,
         "memory of an instance, in GB or with a suffix; bounds num_proc"),
    NUMBER("batch_size", PEX_PARAM_INT64, NULL, 1, INT32_MAX, "most rows of a call"),
    OURS("accelerator", PEX_PARAM_STRING, NULL, "cpu|cuda", "where it runs"),
    OURS("on_error", PEX_PARAM_STRING, NULL, "fail|skip|quarantine",
         "what becomes of rows that this operator fails"),
    OURS("skip_op_error", PEX_PARAM_BOOL, NULL, NULL, "true is on_error quarantine, false is fail"),
    NUMBER("cpu_required", PEX_PARAM_DOUBLE, NULL, 0, 65536, "old name of num_cpus"),
    NUMBER("gpu_required", PEX_PARAM_DOUBLE, NULL, 0, 65536, "old name of num_gpus"),
    OURS("mem_required", PEX__KEY_BYTES, NULL, NULL, "old name of memory"),
    IGNORED("audio_key", "no operator reads audio"),
    IGNORED("auto_op_parallelism", "always on"),
    IGNORED("batch_mode", "every operator works on batches"),
    IGNORED("history_key", "this operator does not read it"),
    IGNORED("image_bytes_key", "no operator reads images"),
    IGNORED("image_key", "no operator reads images"),
    IGNORED("input_columns", "operators declare their fields"),
    IGNORED("instruction_key", "this operator does not read it"),
    IGNORED("output_columns", "operators declare their fields"),
    IGNORED("prompt_key", "this operator does not read it"),
    IGNORED("query_key", "this operator does not read it"),
    IGNORED("ray_execution_mode", "there is no cluster"),
    IGNORED("response_key", "this operator does not read it"),
    IGNORED("runtime_env", "there are no operator environments"),
    IGNORED("system_key", "this operator does not read it"),
    IGNORED("turbo", "always as fast as it can"),
    IGNORED("video_key", "no operator reads video"),
    IGNORED("work_dir", "operators write no files of their own"),
    REFUSED("index_key", NULL, "no field with the row's number is added; leave it out"),
    REFUSED("stats_export_path", NULL,
            "stats are not written to a file per operator; leave it out"),
};

/* What belongs together among ours: a section goes from its first key to the next one's. */
static const struct pex__spec_section sections[] = {
    {"dataset_path", "Input"},
    {"export_path", "Output"},
    {"process", "Chain"},
    {"work_dir", "Job folder"},
    {"np", "How it runs"},
    {"partition.mode", "Partitions"},
    {"load_limit", "Instances of operators"},
    {"on_error", "Failures"},
    {"strict_plugins", "Durability and resuming"},
    {"debug.slice_bytes", "For tests"},
};

const struct pex__spec_section *pex__spec_sections(size_t *count)
{
    *count = sizeof sections / sizeof *sections;
    return sections;
}

const struct pex__spec_key *pex__spec_keys(size_t *count)
{
    *count = sizeof keys / sizeof *keys;
    return keys;
}

const struct pex__spec_key *pex__operator_keys(size_t *count)
{
    *count = sizeof operator_keys / sizeof *operator_keys;
    return operator_keys;
}

const struct pex__spec_key *pex__spec_key_find(const struct pex__spec_key *table, size_t count,
                                               const char *path)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].path, path) == 0)
            return &table[i];
    }
    return NULL;
}
