/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"
#include "operators.h"

static int64_t count_points(const struct pex__filter *filter, const struct pex__measuring *at)
{
    if (at->state == PEX_STATE_ESCAPED)
        return (int64_t)filter->kernel->count_escaped(at->text.data, at->text.length);
    return (int64_t)filter->kernel->count_points(at->text.data, at->text.length);
}

static int32_t measure(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat)
{
    *stat = (struct pex_number){.type = PEX_NUMBER_INT64, .int64 = count_points(filter, at)};
    return 0;
}

static bool decide(const struct pex__filter *filter, const struct pex__measuring *at)
{
    /* A code point takes 4 bytes at most as UTF-8, and 12 as a pair of escapes. */
    size_t widest = at->state == PEX_STATE_ESCAPED ? 12 : 4;
    int64_t low = (int64_t)((at->text.length + widest - 1) / widest);
    bool keep;
    if (pex__interval_decides(&filter->interval, low, (int64_t)at->text.length, &keep))
        return keep;
    return pex__interval_keeps(&filter->interval, count_points(filter, at));
}

static const char *const bounds[2] = {"min_len", "max_len"};

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct pex__filter *filter;
    int32_t rc = pex__filter_create(env, params, bounds, &filter, err);
    if (rc)
        return rc;
    filter->measure = measure;
    filter->decide = decide;
    *instance = filter;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex_string_view *tokens;
    const uint8_t *states;
    int32_t rc = pex_batch_tokens(batch, PEX__FIELD_TEXT, &tokens, &states);
    return rc ? rc : pex__filter_rows(instance, batch, tokens, states, NULL);
}

static const struct pex_param_def params[] = {
    {.name = "min_len",
     .default_json = "10",
     .help = "Smallest number of code points to keep.",
     .type = PEX_PARAM_INT64},
    {.name = "max_len",
     .default_json = "9223372036854775807",
     .help = "Largest number of code points to keep.",
     .type = PEX_PARAM_INT64},
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "text_len",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__text_length_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "text_length_filter",
    .version = "1",
    .help = "Keeps rows whose text has a number of code points in a range.",
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
