/* SPDX-License-Identifier: Apache-2.0 */
#include "numeric_key.h"
#include "operators.h"
#include "picking.h"
#include "selector.h"

#include <stdlib.h>

/* One end of the range of ranks; both forms may be given. */
struct limit {
    bool has_percentile, has_rank;
    double percentile;
    int64_t rank;
};

struct range_selector {
    struct pex__selector selector;
    struct limit lower;
    struct limit upper;
};

static int32_t make_key(const struct pex__selector *selector, const struct pex__value *value,
                        struct pex__bytes *key)
{
    const char missing = PEX__KEY_MISSING;
    return value ? pex__numeric_key(key, value, false) : pex__bytes_append(key, &missing, 1);
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__selector_observe(instance, batch, make_key);
}

static bool is_given(const struct limit *limit)
{
    return limit->has_percentile || limit->has_rank;
}

/* The ranks [*low, *high): of two lower limits the larger counts, of two upper ones the smaller. */
static void find_ranks(const struct range_selector *range, uint64_t count, uint64_t *low,
                       uint64_t *high)
{
    const struct limit *lower = &range->lower, *upper = &range->upper;
    *low = lower->has_percentile ? (uint64_t)(lower->percentile * (double)count) : 0;
    if (lower->has_rank && (uint64_t)lower->rank > *low)
        *low = (uint64_t)lower->rank;
    *high = upper->has_percentile ? (uint64_t)(upper->percentile * (double)count) : count;
    if (upper->has_rank && (uint64_t)upper->rank < *high)
        *high = (uint64_t)upper->rank;
    if (*high < *low)
        *high = *low;
}

/*
 * First the smallest ones up to the upper rank are picked, and of these the largest ones, so many
 * that those below the lower rank go. Of equal values the first ones are picked both times.
 */
static int32_t pick(struct pex__picking *picking, uint64_t total, uint64_t low, uint64_t high)
{
    uint64_t smallest = high < total ? high : total, wanted = high - low;
    int32_t rc = wanted ? pex__picking_run(picking, (size_t)smallest, total, false) : 0;
    if (!rc && wanted)
        rc = pex__picking_narrow(picking, wanted < smallest ? (size_t)wanted : (size_t)smallest);
    return rc ? rc : pex__picking_decide(picking);
}

/*
 * Two walks over the keys: one counts, one selects. Memory: 32 bytes for each row below the upper
 * rank, and the same for each one that stays.
 */
static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    const struct range_selector *range = instance;
    struct pex__picking picking = {.keys = keys};
    struct pex__survey survey;
    uint64_t low, high;
    if (!*range->selector.key || !is_given(&range->lower) || !is_given(&range->upper))
        return 0;
    int32_t rc = pex__selector_survey(&range->selector, keys, 0, &survey, err);
    if (rc || survey.row_count < 2)
        return rc;
    find_ranks(range, survey.row_count, &low, &high);
    rc = pick(&picking, survey.row_count, low, high);
    pex__picking_free(&picking);
    return rc ? pex_error_set(err, rc,
                              "selecting ranks %llu to %llu of %llu rows by field '%s' "
                              "failed",
                              (unsigned long long)low, (unsigned long long)high,
                              (unsigned long long)survey.row_count, range->selector.key)
              : 0;
}

static void destroy(void *instance)
{
    struct range_selector *range = instance;
    pex__selector_release(&range->selector);
    free(range);
}

static int32_t read_limit(const pex_params *params, const char *percentile, const char *rank,
                          struct limit *limit, struct pex_error *err)
{
    int32_t rc = 0;
    limit->has_percentile = !pex_params_is_null(params, percentile);
    limit->has_rank = !pex_params_is_null(params, rank);
    if (limit->has_percentile)
        rc = pex_params_double(params, percentile, &limit->percentile);
    if (!rc && limit->has_rank)
        rc = pex_params_int64(params, rank, &limit->rank);
    return rc ? pex_error_set(err, rc, "parameters '%s' and '%s' cannot be read", percentile, rank)
              : 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct range_selector *range = calloc(1, sizeof(*range));
    if (!range)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__selector_init(&range->selector, params, err);
    if (!rc)
        rc = read_limit(params, "lower_percentile", "lower_rank", &range->lower, err);
    if (!rc)
        rc = read_limit(params, "upper_percentile", "upper_rank", &range->upper, err);
    if (rc)
        destroy(range);
    else
        *instance = range;
    return rc;
}

#define PERCENTILE_PARAM(param_name, param_help)                                                   \
    {                                                                                              \
        .name = param_name, .default_json = "null", .help = param_help, .min = 0, .max = 1,        \
        .type = PEX_PARAM_DOUBLE, .flags = PEX_PARAM_NULLABLE                                      \
    }
#define RANK_PARAM(param_name, param_help)                                                         \
    {                                                                                              \
        .name = param_name, .default_json = "null", .help = param_help, .min = 0, .max = 9e18,     \
        .type = PEX_PARAM_INT64, .flags = PEX_PARAM_NULLABLE                                       \
    }

static const struct pex_param_def params[] = {
    PEX__FIELD_KEY_PARAM,
    PERCENTILE_PARAM("lower_percentile", "Share of the rows below the range."),
    PERCENTILE_PARAM("upper_percentile",
                     "Share of the rows below its end; without an end every row stays."),
    RANK_PARAM("lower_rank", "Number of rows below the range; the larger limit counts."),
    RANK_PARAM("upper_rank", "Number of rows below its end; the smaller limit counts."),
    PEX__NO_TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {{.param = "field_key", .access = PEX_FIELD_READ}};

const struct pex_operator pex__range_specified_field_selector = {
    .struct_size = sizeof(struct pex_operator),
    .name = "range_specified_field_selector",
    .version = "1",
    .help = "Keeps the rows whose value of a field is in a range of ranks, in their order.\n"
            "Values count as numbers: texts are read, lists averaged, and what is unusable is "
            "lowest. Every row stays unless both ends are given.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = resolve,
};
