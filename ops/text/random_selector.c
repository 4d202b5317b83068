/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"
#include "permutation.h"
#include "selector.h"

#include <stdlib.h>

struct random_selector {
    struct pex__share share;
    bool has_ratio;
    bool has_number;
};

/* How many rows are wanted: all of them if none would be. */
static int32_t count_wanted(const struct random_selector *random, uint64_t count, uint64_t *wanted,
                            struct pex_error *err)
{
    if (random->has_ratio && random->share.ratio == 0 && !random->has_number)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter 'select_ratio' is 0 and there is no select_num; give one "
                             "of them, or neither to keep every row");
    if (!pex__share_of(&random->share, count, wanted) || *wanted == 0)
        *wanted = count;
    return 0;
}

/* Every row comes `times` times, and the first `more` of the permutation once more. */
static int32_t decide(pex_keys *keys, uint64_t count, uint32_t times, size_t more,
                      struct pex_error *err)
{
    int32_t rc = 0;
    uint32_t *index = malloc((size_t)count * sizeof(*index));
    if (!index)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for the order of %llu rows",
                             (unsigned long long)count);
    pex__permutation(index, (size_t)count);
    for (size_t i = 0; i < count && !rc; i++) {
        if (i % 65536 == 0 && pex_keys_cancelled(keys))
            rc = PEX_ECANCELLED;
        else
            rc = pex_keys_decide(keys, index[i], times + (i < more));
    }
    free(index);
    return rc;
}

/* Memory: 4 bytes a row. There are no keys. */
static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    const struct random_selector *random = instance;
    uint64_t count = pex_keys_rows(keys), wanted;
    if (count < 2 || (!random->has_ratio && !random->has_number))
        return 0;
    int32_t rc = count_wanted(random, count, &wanted, err);
    if (rc || wanted == count)
        return rc;
    if (count > UINT32_MAX)
        return pex_error_set(err, PEX_ELIMIT, "%llu rows are more than random_selector can order",
                             (unsigned long long)count);
    if (wanted / count >= UINT32_MAX)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter 'select_num': %llu is too much for %llu rows; a row can "
                             "come at most 4294967295 times",
                             (unsigned long long)wanted, (unsigned long long)count);
    return decide(keys, count, (uint32_t)(wanted / count), (size_t)(wanted % count), err);
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct random_selector *random = calloc(1, sizeof(*random));
    if (!random)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    random->has_ratio = !pex_params_is_null(params, "select_ratio");
    random->has_number = !pex_params_is_null(params, "select_num");
    int32_t rc = pex__share_read(&random->share, params, "select_ratio", "select_num", err);
    if (rc)
        free(random);
    else
        *instance = random;
    return rc;
}

static const struct pex_param_def params[] = {
    {.name = "select_ratio",
     .default_json = "null",
     .help = "Share of the rows to keep; of both numbers the smaller one counts.",
     .min = 0,
     .max = 1,
     .type = PEX_PARAM_DOUBLE,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "select_num",
     .default_json = "null",
     .help = "Number of rows to keep; with more than there are, rows come several times.",
     .min = 0,
     .max = 9e18,
     .type = PEX_PARAM_INT64,
     .flags = PEX_PARAM_NULLABLE},
    PEX__NO_TEXT_KEY_PARAM,
};

const struct pex_operator pex__random_selector = {
    .struct_size = sizeof(struct pex_operator),
    .name = "random_selector",
    .version = "1",
    .help = "Keeps some of the rows, picked at random, in their order.\n"
            "The same rows are picked every time: the seed is 42, whatever the job. A share of "
            "less than one row keeps them all.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .create = create,
    .destroy = free,
    .observe = observe,
    .resolve = resolve,
};
