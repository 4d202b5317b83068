/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in the making: what its parts (chain, stages, cuts, paths) share. */
#ifndef PEX_PLAN_BUILD_H
#define PEX_PLAN_BUILD_H

#include "plan/plan.h"
#include "plan/spec.h"

struct pex__build {
    const pex_spec *spec;
    struct pex__registry *registry;
    const struct pex__machine *machine;
    int32_t purpose;
    struct pex__plan *plan;
    struct pex__buffer *errors;
    struct pex_error *err;      /* for what is no error of the spec */
    int32_t code;               /* of the first error; PEX_ENOMEM goes before others */
    struct pex__buffer ignored; /* parameters that operators ignore, separated by ", " */
    size_t notice_capacity;
};

/* Lists an error under `code`. */
void pex__build_fail(struct pex__build *build, int32_t code, const char *format, ...)
    PEX_PRINTF(3, 4);
/* Joins the code of a helper that has listed its errors. */
void pex__build_join(struct pex__build *build, int32_t code);
/* Adds a notice to the plan, unless the same is there. */
void pex__build_notice(struct pex__build *build, const char *format, ...) PEX_PRINTF(2, 3);

/* The partition keys that contradict each other; errors are listed. */
void pex__build_partition_keys(struct pex__build *build);
/* `process` into the plan's ops; errors are listed. */
void pex__build_chain(struct pex__build *build);
/* The plan's thread count, by the budgets of the ops. Needs a good chain. */
void pex__build_threads(struct pex__build *build);
/* Stages with their steps and layouts. Needs a good chain. */
void pex__build_stages(struct pex__build *build);
/* stats_wanted of the ops, and a notice for each stat that two ops write. Needs a good chain. */
void pex__build_stats(struct pex__build *build);
/* Slice size, partitions and concurrency. Needs budgets. */
void pex__build_cuts(struct pex__build *build);
/* work_dir, job_id, and the export. */
void pex__build_paths(struct pex__build *build);
/* export_path and the form of the export. */
void pex__build_export(struct pex__build *build);
/* The path under a key: a text without NUL; or NULL, and the error is listed. */
const char *pex__build_path(struct pex__build *build, const char *key);
/* The keys of dataset and dataset_path; their files are pex__spec_input's affair. */
void pex__build_dataset(struct pex__build *build);

/*
 * Field `index` of an op: its path, *name the text it came from. PEX_ENOENT: the op, as its
 * parameters stand, has no such field; PEX_EINVAL: the text is no path; PEX_ENOMEM.
 */
int32_t pex__field_path(const struct pex__plan_op *op, size_t index, const char **name,
                        struct pex__path *path, struct pex_error *err);

/* PEX__ON_ERROR_* by on_error, else skip_op_error of an object that has passed its check, else
 * `otherwise`. */
int32_t pex__policy_of(const json_t *object, int32_t otherwise);

#endif
