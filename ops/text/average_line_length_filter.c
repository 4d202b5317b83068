/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"
#include "operators.h"

static const char *const bounds[2] = {"min_len", "max_len"};

static int32_t measure(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat)
{
    struct pex__lines lines;
    filter->kernel->measure_lines(at->text.data, at->text.length, &lines);
    *stat = (struct pex_number){.type = PEX_NUMBER_DOUBLE};
    if (lines.count)
        stat->float64 = (double)lines.points / (double)lines.count;
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
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    return rc ? rc : pex__filter_rows(instance, batch, texts, states, NULL);
}

static const struct pex_param_def params[] = {
    {.name = "min_len",
     .default_json = "10",
     .help = "Smallest average length of a line, line ends included, to keep, in code points.",
     .type = PEX_PARAM_DOUBLE},
    {.name = "max_len",
     .default_json = "9223372036854775807",
     .help = "Largest average length of a line, line ends included, to keep, in code points.",
     .type = PEX_PARAM_DOUBLE},
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "avg_line_length",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__average_line_length_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "average_line_length_filter",
    .version = "1",
    .help = "Keeps rows whose text has lines of an average length in a range.",
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
