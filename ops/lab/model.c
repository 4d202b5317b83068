/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that pretend to load a model. */
#include "lab.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_MARK 0

struct model {
    double us_per_row;
    bool is_marking;
    bool is_exclusive;
    _Atomic int32_t calls; /* running now */
    char *memory;
};

static void destroy(void *instance)
{
    struct model *model = instance;
    free(model->memory);
    free(model);
}

static int32_t load_memory(struct model *model, pex_env *env, const pex_params *params)
{
    size_t bytes = (size_t)pex__lab_int64(params, "memory_mb") << 20;
    if (!bytes)
        return 0;
    model->memory = malloc(bytes);
    if (!model->memory)
        return PEX_ENOMEM;
    memset(model->memory, 1, bytes);
    pex_env_charge(env, (int64_t)bytes);
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err, bool is_exclusive)
{
    _Atomic int64_t *loads = pex__lab_counter(env);
    if (!loads)
        return pex__lab_no_memory(err);
    pex__lab_sleep(pex__lab_double(params, "load_ms") * 1e3, NULL);
    int64_t load = atomic_fetch_add_explicit(loads, 1, memory_order_relaxed) + 1;
    int64_t fail_loads = pex__lab_int64(params, "fail_loads");
    if (fail_loads < 0 || load <= fail_loads)
        return pex_error_set(err, PEX_EIO, "load %lld of the model fails, as fail_loads says",
                             (long long)load);
    struct model *model = calloc(1, sizeof(*model));
    if (!model)
        return pex__lab_no_memory(err);
    model->us_per_row = pex__lab_double(params, "us_per_row");
    model->is_marking = pex__lab_bool(params, "mark");
    model->is_exclusive = is_exclusive;
    if (load_memory(model, env, params)) {
        destroy(model);
        return pex_error_set(err, PEX_ENOMEM, "out of memory for a model of memory_mb");
    }
    *instance = model;
    return 0;
}

static int32_t create_exclusive(pex_env *env, const pex_params *params, void **instance,
                                struct pex_error *err)
{
    return create(env, params, instance, err, true);
}

static int32_t create_shared(pex_env *env, const pex_params *params, void **instance,
                             struct pex_error *err)
{
    return create(env, params, instance, err, false);
}

static int32_t run(const struct model *model, pex_batch *batch)
{
    size_t count = pex_batch_rows(batch);
    int32_t rc = pex__lab_spin((double)count * model->us_per_row, batch);
    for (size_t row = 0; !rc && model->is_marking && row < count; row++)
        rc = pex_batch_set_bool(batch, FIELD_MARK, row, 1);
    return rc;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct model *model = instance;
    /* Sequentially consistent: two calls that overlap must see each other. */
    int32_t others = atomic_fetch_add(&model->calls, 1);
    int32_t rc =
        others && model->is_exclusive
            ? pex_error_set(err, PEX_EFATAL,
                            "%d calls run at once on an instance that is not reentrant", others + 1)
            : run(model, batch);
    atomic_fetch_sub(&model->calls, 1);
    return rc;
}

static const struct pex_param_def params_of_model[] = {
    {.name = "load_ms",
     .default_json = "0",
     .help = "Milliseconds that making an instance takes; it sleeps.",
     .min = 0,
     .max = 1e9,
     .type = PEX_PARAM_DOUBLE},
    {.name = "us_per_row",
     .default_json = "0",
     .help = "Microseconds of the processor per row.",
     .min = 0,
     .max = 1e12,
     .type = PEX_PARAM_DOUBLE},
    {.name = "fail_loads",
     .default_json = "0",
     .help = "How many of the first loads in the job fail; -1: all.",
     .min = -1,
     .max = 1e9,
     .type = PEX_PARAM_INT64},
    {.name = "memory_mb",
     .default_json = "0",
     .help = "MiB that an instance holds, and charges to the context.",
     .min = 0,
     .max = 1 << 20,
     .type = PEX_PARAM_INT64},
    {.name = "mark",
     .default_json = "true",
     .help = "Set the field lab_model of each row to true.",
     .type = PEX_PARAM_BOOL},
};

static const struct pex_field_def fields[] = {
    [FIELD_MARK] = {.name = "lab_model", .access = PEX_FIELD_WRITE},
};

const struct pex_operator pex__lab_model_mapper = {
    LAB_HEAD,
    LAB_PARAMS(params_of_model),
    LAB_FIELDS(fields),
    .name = "lab_model_mapper",
    .help = "Pretends to load a model; ends the job if two calls run on one instance.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE,
    .create = create_exclusive,
    .process = process,
    .destroy = destroy,
};

const struct pex_operator pex__lab_shared_mapper = {
    LAB_HEAD,
    LAB_PARAMS(params_of_model),
    LAB_FIELDS(fields),
    .name = "lab_shared_mapper",
    .help = "As lab_model_mapper, with one instance for all calls.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE | PEX_OP_REENTRANT,
    .create = create_shared,
    .process = process,
    .destroy = destroy,
};
