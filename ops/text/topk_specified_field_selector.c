/* SPDX-License-Identifier: Apache-2.0 */
#include "numeric_key.h"
#include "operators.h"
#include "picking.h"
#include "selector.h"

#include <stdlib.h>
#include <string.h>

struct topk_selector {
    struct pex__selector selector;
    struct pex__share share;
    bool is_largest;
    bool is_nested;
};

/* A field at the top compares as it is, one inside another field as a number. */
static int32_t make_key(const struct pex__selector *selector, const struct pex__value *value,
                        struct pex__bytes *key)
{
    const struct topk_selector *topk = (const struct topk_selector *)(const void *)selector;
    const char missing = PEX__KEY_MISSING;
    if (!value)
        return pex__bytes_append(key, &missing, 1);
    if (topk->is_nested)
        return pex__numeric_key(key, value, !topk->is_largest);
    return pex__order_append(key, value);
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__selector_observe(instance, batch, make_key);
}

/* What has no order cannot be selected by it. */
static int32_t check_order(const struct topk_selector *topk, const struct pex__survey *survey,
                           struct pex_error *err)
{
    if (topk->is_nested || (!survey->has_bad && !survey->missing_count && !survey->has_odd))
        return 0;
    uint64_t row = survey->has_bad ? survey->bad_row : survey->odd_row;
    return pex_error_set(err, PEX_EDATA,
                         "row %llu: field '%s' has no order among the others: it is null or not "
                         "there, an object, or of another type; drop such rows first, or select by "
                         "a field inside another one, which counts as a number",
                         (unsigned long long)row, topk->selector.key);
}

/*
 * Two walks over the keys: one counts and looks for what has no order, one selects. Memory: 32
 * bytes for each of the rows that stay, and their keys where these are longer than a number's.
 */
static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    const struct topk_selector *topk = instance;
    struct pex__survey survey;
    struct pex__picking picking = {.keys = keys, .unusable_is_high = !topk->is_largest};
    uint64_t count;
    if (!*topk->selector.key || !pex__share_of(&topk->share, 1, &count))
        return 0;
    int32_t rc = pex__selector_survey(&topk->selector, keys, PEX__ORDER_NONE, &survey, err);
    if (rc || survey.row_count < 2)
        return rc;
    pex__share_of(&topk->share, survey.row_count, &count);
    if (count > 0 && (rc = check_order(topk, &survey, err)))
        return rc;
    if (count > 0 && count < survey.row_count)
        rc = pex__picking_run(&picking, (size_t)count, survey.row_count, topk->is_largest);
    if (!rc && count < survey.row_count)
        rc = pex__picking_decide(&picking);
    pex__picking_free(&picking);
    return rc ? pex_error_set(err, rc, "selecting %llu of %llu rows by field '%s' failed",
                              (unsigned long long)count, (unsigned long long)survey.row_count,
                              topk->selector.key)
              : 0;
}

static void destroy(void *instance)
{
    struct topk_selector *topk = instance;
    pex__selector_release(&topk->selector);
    free(topk);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct topk_selector *topk = calloc(1, sizeof(*topk));
    int32_t reverse;
    if (!topk)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__selector_init(&topk->selector, params, err);
    if (!rc)
        rc = pex__share_read(&topk->share, params, "top_ratio", "topk", err);
    if (!rc && (rc = pex_params_bool(params, "reverse", &reverse)))
        pex_error_set(err, rc, "parameter 'reverse' cannot be read");
    if (rc) {
        destroy(topk);
        return rc;
    }
    topk->is_largest = reverse;
    topk->is_nested = strchr(topk->selector.key, '.') != NULL;
    *instance = topk;
    return 0;
}

static const struct pex_param_def params[] = {
    PEX__FIELD_KEY_PARAM,
    PEX__TOP_RATIO_PARAM("rows"),
    PEX__TOPK_PARAM("rows"),
    {.name = "reverse",
     .default_json = "true",
     .help = "Keep the rows with the largest values; false: with the smallest.",
     .type = PEX_PARAM_BOOL},
    PEX__NO_TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {{.param = "field_key", .access = PEX_FIELD_READ}};

const struct pex_operator pex__topk_specified_field_selector = {
    .struct_size = sizeof(struct pex_operator),
    .name = "topk_specified_field_selector",
    .version = "1",
    .help = "Keeps the rows with the largest, or smallest, values of a field, in their order.\n"
            "A field at the top compares as it is; one inside another field as a number, texts "
            "being read, lists averaged, and what is unusable last.",
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
