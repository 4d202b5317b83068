/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators for tests and benchmarks; docs/lab.md has their parameters.
 */
#ifndef PEX_LAB_LAB_H
#define PEX_LAB_LAB_H

#include <partexec/plugin.h>

#include <stdbool.h>

#define LAB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Parts of an operator table. */
#define LAB_HEAD .struct_size = sizeof(struct pex_operator), .version = "1"
#define LAB_PARAMS(table)                                                                          \
    .params = table, .param_count = LAB_COUNT(table), .param_stride = sizeof(struct pex_param_def)
#define LAB_FIELDS(table)                                                                          \
    .fields = table, .field_count = LAB_COUNT(table), .field_stride = sizeof(struct pex_field_def)

#define LAB_FIELD_PARAM                                                                            \
    {                                                                                              \
        .name = "field", .default_json = "\"id\"",                                                 \
        .help = "The integer field that tells rows apart.", .type = PEX_PARAM_STRING               \
    }

/*
 * What the instances of one operator in one context share, from registration on: the user pointer.
 * A table of counters, one per seed of the environment, that is, per operator of a job.
 */
struct pex__lab_shared;

struct pex__lab_shared *pex__lab_shared_new(void);
void pex__lab_shared_free(void *shared);
/* The counter of this operator of this job, made on first use; NULL without memory. It lives as
 * long as the registration. */
_Atomic int64_t *pex__lab_counter(pex_env *env);

/* Parameters that the table declares, so that reading them cannot fail. */
int64_t pex__lab_int64(const pex_params *params, const char *name);
double pex__lab_double(const pex_params *params, const char *name);
bool pex__lab_bool(const pex_params *params, const char *name);
/* A copy, released with free; NULL without memory. */
char *pex__lab_string(const pex_params *params, const char *name);

int32_t pex__lab_no_memory(struct pex_error *err);

/* Sleeps; with a batch it wakes up for a cancelled job. Returns 0 or PEX_ECANCELLED. */
int32_t pex__lab_sleep(double microseconds, const pex_batch *batch);
/* Uses so much time of the processor. Returns as pex__lab_sleep. */
int32_t pex__lab_spin(double microseconds, const pex_batch *batch);

bool pex__lab_file_exists(const char *path);

extern const struct pex_operator pex__lab_spin_mapper;
extern const struct pex_operator pex__lab_sleep_mapper;
extern const struct pex_operator pex__lab_model_mapper;
extern const struct pex_operator pex__lab_shared_mapper;
extern const struct pex_operator pex__lab_fail_mapper;
extern const struct pex_operator pex__lab_fail_once_mapper;
extern const struct pex_operator pex__lab_expand_mapper;
extern const struct pex_operator pex__lab_alloc_mapper;
extern const struct pex_operator pex__lab_append_mapper;
extern const struct pex_operator pex__lab_batch_mapper;
extern const struct pex_operator pex__lab_drop_filter;
extern const struct pex_operator pex__lab_hang_mapper;
extern const struct pex_operator pex__lab_crash_mapper;
extern const struct pex_operator pex__lab_count_global;
extern const struct pex_operator pex__lab_repeat_global;

#endif
