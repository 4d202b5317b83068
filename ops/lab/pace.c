/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that take time and do nothing else. */
#include "lab.h"

#include <stdlib.h>

struct pace {
    double us_per_row;
    double us_per_batch;
    int32_t (*pass)(double microseconds, const pex_batch *batch);
};

static int32_t create(const pex_params *params, void **instance, struct pex_error *err,
                      int32_t (*pass)(double, const pex_batch *))
{
    struct pace *pace = calloc(1, sizeof(*pace));
    if (!pace)
        return pex__lab_no_memory(err);
    pace->us_per_row = pex__lab_double(params, "us_per_row");
    pace->us_per_batch = pex__lab_double(params, "us_per_batch");
    pace->pass = pass;
    *instance = pace;
    return 0;
}

static int32_t create_spin(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    return create(params, instance, err, pex__lab_spin);
}

static int32_t create_sleep(pex_env *env, const pex_params *params, void **instance,
                            struct pex_error *err)
{
    pex__lab_sleep(pex__lab_double(params, "load_ms") * 1e3, NULL);
    return create(params, instance, err, pex__lab_sleep);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pace *pace = instance;
    double rows = (double)pex_batch_rows(batch);
    return pace->pass(rows * pace->us_per_row + pace->us_per_batch, batch);
}

#define PACE_PARAMS                                                                                \
    {.name = "us_per_row",                                                                         \
     .default_json = "0",                                                                          \
     .help = "Microseconds per row.",                                                              \
     .min = 0,                                                                                     \
     .max = 1e12,                                                                                  \
     .type = PEX_PARAM_DOUBLE},                                                                    \
    {                                                                                              \
        .name = "us_per_batch", .default_json = "0", .help = "Microseconds per call.", .min = 0,   \
        .max = 1e12, .type = PEX_PARAM_DOUBLE                                                      \
    }

static const struct pex_param_def spin_params[] = {PACE_PARAMS};
static const struct pex_param_def sleep_params[] = {
    PACE_PARAMS,
    {.name = "load_ms",
     .default_json = "0",
     .help = "Milliseconds that making an instance takes.",
     .min = 0,
     .max = 1e9,
     .type = PEX_PARAM_DOUBLE},
};

const struct pex_operator pex__lab_spin_mapper = {
    LAB_HEAD,
    LAB_PARAMS(spin_params),
    .name = "lab_spin_mapper",
    .help = "Uses time of the processor.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE,
    .create = create_spin,
    .process = process,
    .destroy = free,
};

const struct pex_operator pex__lab_sleep_mapper = {
    LAB_HEAD,
    LAB_PARAMS(sleep_params),
    .name = "lab_sleep_mapper",
    .help = "Waits, as an operator that calls a server does.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE | PEX_OP_BLOCKING,
    .create = create_sleep,
    .process = process,
    .destroy = free,
};
