/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From spec to plan. A plan is a pure function of spec, registry, input listing and machine facts:
 * the same four give the same plan and the same text. It is immutable once made.
 */
#ifndef PEX_PLAN_PLAN_H
#define PEX_PLAN_PLAN_H

#include "base/buffer.h"
#include "data/batch.h"
#include "data/input.h"
#include "plan/export.h"
#include "plan/params.h"
#include "plan/registry.h"

#include <partexec/job.h>

/* What the plan needs to know of machine and context. */
struct pex__machine {
    int32_t workers;       /* of the context */
    int32_t usable_cpus;   /* affinity mask and cgroup quota */
    uint64_t memory_limit; /* of the context, bytes */
    uint64_t memory_bytes; /* RAM or cgroup limit */
};

enum { PEX__ON_ERROR_FAIL, PEX__ON_ERROR_SKIP, PEX__ON_ERROR_QUARANTINE };
enum { PEX__DURABILITY_PROCESS, PEX__DURABILITY_POWER };

struct pex__plan_op {
    const struct pex__operator *operator; /* of the registry */
    pex_params *params;
    char *budget_key;   /* operator, version, canonical parameters */
    int32_t num_proc;   /* units of its budget, clipped; 0: no budget, an instance per worker */
    int32_t batch_size; /* rows per call; 0: the whole batch */
    int32_t on_error;   /* PEX__ON_ERROR_* */
    int32_t stats_wanted;
    int32_t is_blocking; /* an own thread per unit of its budget */
    int32_t is_left_out; /* stands in no stage: a global operator where filters keep every row */
    uint64_t seed;
};

/* One call site of a stage, in order. A global operator has two: observe, apply a stage later. */
struct pex__plan_step {
    int32_t op;    /* index in the plan's ops */
    int32_t phase; /* PEX__PHASE_* */
    struct pex__site site;
};

struct pex__plan_stage {
    struct pex__plan_step *steps;
    size_t step_count;
    struct pex__layout *layout;
};

struct pex__plan {
    struct pex__plan_op *ops; /* the chain, as in the spec */
    size_t op_count;
    struct pex__plan_stage *stages; /* at least one */
    size_t stage_count;

    const struct pex__input *input; /* not owned */
    struct pex__place *cuts;        /* partition_count + 1, ascending */
    size_t partition_count;         /* at least 1; of every stage */
    int32_t max_concurrent;         /* active partitions */
    char *count_reason;             /* one line: why this number of partitions */

    uint64_t memory_limit; /* bytes, of this job */
    uint64_t slice_bytes;
    uint64_t
        decode_bytes; /* of an active partition with compressed sources: buffers of its decoder */
    int32_t threads;  /* T: workers and blocking threads at full width */
    int32_t scope_policy; /* PEX_SCOPE_BALANCED or _ELASTIC */
    int32_t durability;
    int32_t on_error; /* of bad input rows */
    int32_t max_attempts;
    double weight;
    double max_error_rate; /* negative: none */
    int64_t max_errors;    /* negative: none */
    int32_t keep_stats;
    int32_t keep_dropped; /* filters drop no row, and say how many they would */
    int32_t checkpoint_enabled;
    int32_t debug_encode; /* encode at every operator boundary */
    int32_t debug_isa;    /* PEX__ISA_* for the scan */
    int64_t grace_ns;     /* how long an ending job waits for calls that do not return */

    char *export_path; /* as given; NULL: none (pull) */
    struct pex__export_form export;
    char *work_dir; /* WORK of CONTRACT 10, "{job_id}" as last part already taken off; or NULL */
    int work_dir_is_folder; /* work_dir ended in {job_id}: the job's folder is work_dir/ID */
    char *job_id;           /* as given, or NULL: made at submit */

    char **notices; /* one line each: clipped, ignored, deprecated ... */
    size_t notice_count;
    char *limit;       /* one line: what bounds the concurrency */
    int input_missing; /* planned without the input (explain only) */
};

/* What a plan is for. */
enum {
    PEX__PLAN_RUN,     /* to run with an export: export_path must be there */
    PEX__PLAN_PULL,    /* to run without: the host takes the rows, export_path is not looked at */
    PEX__PLAN_EXPLAIN, /* to show: export_path may be missing */
    PEX__PLAN_KEEP_DROPPED = 16 /* added to one of these: pex_job_options.keep_dropped */
};

/*
 * input: the listing (already of the right data set), or NULL: planned as if it were empty, with
 * input_missing set. purpose: PEX__PLAN_*. All errors are listed in `errors`, a line each, keys and
 * operators before paths; the return value is 0 or the code of the first (PEX_ESPEC, PEX_ELIMIT,
 * ...), and err gets it with the first line. What no spec can help (PEX_ENOMEM, PEX_EIO) is in err
 * alone.
 */
int32_t pex__plan_create(const pex_spec *spec, struct pex__registry *registry,
                         const struct pex__machine *machine, const struct pex__input *input,
                         int32_t purpose, struct pex__plan **plan, struct pex__buffer *errors,
                         struct pex_error *err);
void pex__plan_free(struct pex__plan *plan);
/* Text or JSON (PEX_EXPLAIN_*) of a plan. */
int32_t pex__plan_explain(const struct pex__plan *plan, const struct pex__machine *machine,
                          int32_t format, struct pex__buffer *out);

/*
 * The input that the spec names: dataset_path (a file, folder or glob pattern, or a list of them),
 * or a `dataset` block of local files, with input_format. Returns 0, PEX_ESPEC (a key is wrong:
 * pex__plan_create lists it too), PEX_ENOENT (no such key, no such file), or what pex__input_list
 * says; err names key or path.
 */
int32_t pex__spec_input(const pex_spec *spec, struct pex__input **input, struct pex_error *err);

/* Bytes that a job needs at least to run at all with this many threads; for the refusal's text. */
uint64_t pex__plan_least_memory(uint64_t slice_bytes, int32_t threads);

#endif
