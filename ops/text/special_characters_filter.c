/* SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"
#include "filter.h"
#include "operators.h"

static const char *const bounds[2] = {"min_ratio", "max_ratio"};

static int32_t measure(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat)
{
    const struct pex__counts *counts = (const struct pex__counts *)at->work + at->row;
    *stat = (struct pex_number){.type = PEX_NUMBER_DOUBLE};
    if (counts->points)
        stat->float64 = (double)counts->special / counts->points;
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct pex__filter *filter;
    int32_t rc = pex__filter_create(env, params, bounds, &filter, err);
    if (rc)
        return rc;
    filter->measure = measure;
    *instance = filter;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex__filter *filter = instance;
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    if (rc)
        return rc;
    struct pex__counts *counts = pex__counts_of(batch, filter->kernel, texts, states);
    return counts ? pex__filter_rows(filter, batch, texts, states, counts) : PEX_ENOMEM;
}

static const struct pex_param_def params[] = {
    {.name = "min_ratio",
     .default_json = "0.0",
     .help = "Smallest share of special characters to keep.",
     .type = PEX_PARAM_DOUBLE},
    {.name = "max_ratio",
     .default_json = "0.25",
     .help = "Largest share of special characters to keep.",
     .type = PEX_PARAM_DOUBLE},
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "special_char_ratio",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__special_characters_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "special_characters_filter",
    .version = "1",
    .help = "Keeps rows whose text has a share of special characters in a range.",
    .cardinality = PEX_FILTER,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = process,
    .destroy = pex__filter_destroy,
};
