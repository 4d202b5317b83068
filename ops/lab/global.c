/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that decide over all rows. */
#include "lab.h"

#include <stdlib.h>

static int32_t create(const pex_params *params, const char *name, void **instance,
                      struct pex_error *err)
{
    int64_t *value = malloc(sizeof(*value));
    if (!value)
        return pex__lab_no_memory(err);
    *value = pex__lab_int64(params, name);
    *instance = value;
    return 0;
}

static int32_t create_count(pex_env *env, const pex_params *params, void **instance,
                            struct pex_error *err)
{
    return create(params, "n", instance, err);
}

static int32_t create_repeat(pex_env *env, const pex_params *params, void **instance,
                             struct pex_error *err)
{
    return create(params, "count", instance, err);
}

/* A key per row: its place in the source, so that a run shows keys that get lost or mixed up. */
static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex_row_id *ids;
    int32_t rc = pex_batch_row_ids(batch, &ids);
    size_t rows = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < rows; row++)
        rc = pex_keys_emit(batch, row, &ids[row], sizeof(ids[row]));
    return rc;
}

/* Follows the keys, one per row in row order, and decides each row by `count_of`. */
static int32_t decide_all(pex_keys *keys, struct pex_error *err, int64_t value,
                          uint32_t (*count_of)(uint64_t row, int64_t value))
{
    struct pex_key key;
    uint64_t rows = pex_keys_rows(keys), expected = 0, before = 0;
    int32_t rc;
    for (; (rc = pex_keys_next(keys, &key)) == 0; expected = key.row + 1) {
        if (pex_keys_cancelled(keys))
            return PEX_ECANCELLED;
        if (key.row >= rows || (expected && key.row < expected) ||
            key.size != sizeof(struct pex_row_id))
            return pex_error_set(err, PEX_EFATAL, "the key of row %llu is not in order after %llu",
                                 (unsigned long long)key.row, (unsigned long long)before);
        before = key.row;
        rc = pex_keys_decide(keys, key.row, count_of(key.row, value));
        if (rc)
            return rc;
    }
    return rc == PEX_ENOENT ? 0 : rc;
}

static uint32_t is_multiple(uint64_t row, int64_t n)
{
    return row % (uint64_t)n == 0;
}

static uint32_t constant(uint64_t row, int64_t count)
{
    return (uint32_t)count;
}

static int32_t resolve_count(void *instance, pex_keys *keys, struct pex_error *err)
{
    return decide_all(keys, err, *(int64_t *)instance, is_multiple);
}

static int32_t resolve_repeat(void *instance, pex_keys *keys, struct pex_error *err)
{
    return decide_all(keys, err, *(int64_t *)instance, constant);
}

static const struct pex_param_def count_params[] = {
    {.name = "n",
     .default_json = "2",
     .help = "Keep every n-th row, from the first on.",
     .min = 1,
     .max = 1e15,
     .type = PEX_PARAM_INT64},
};

static const struct pex_param_def repeat_params[] = {
    {.name = "count",
     .default_json = "2",
     .help = "How often each row goes out.",
     .min = 0,
     .max = 1e6,
     .type = PEX_PARAM_INT64},
};

const struct pex_operator pex__lab_count_global = {
    LAB_HEAD,
    LAB_PARAMS(count_params),
    .name = "lab_count_global",
    .help = "Keeps every n-th row of the whole data set.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_RETRY_SAFE | PEX_OP_REENTRANT,
    .create = create_count,
    .destroy = free,
    .observe = observe,
    .resolve = resolve_count,
};

const struct pex_operator pex__lab_repeat_global = {
    LAB_HEAD,
    LAB_PARAMS(repeat_params),
    .name = "lab_repeat_global",
    .help = "Sends each row out several times.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_RETRY_SAFE | PEX_OP_REENTRANT,
    .create = create_repeat,
    .destroy = free,
    .observe = observe,
    .resolve = resolve_repeat,
};
