/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"
#include "operators.h"

#include <stdlib.h>
#include <string.h>

#define FIELD_SUFFIX 0

struct suffix_filter {
    size_t count;
    struct pex_string_view *suffix; /* the texts lie behind them */
    bool is_reversed;
};

static bool is_listed(const struct suffix_filter *filter, struct pex_string_view suffix)
{
    for (size_t i = 0; i < filter->count; i++)
        if (!pex__text_compare(filter->suffix[i], suffix))
            return true;
    return false;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct suffix_filter *filter = instance;
    const struct pex_string_view *suffixes;
    const uint8_t *states;
    if (filter->count == 0)
        return 0;
    int32_t rc = pex_batch_strings(batch, FIELD_SUFFIX, &suffixes, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; row < count && !rc; row++) {
        if (states[row] == PEX_STATE_MISSING) {
            rc = pex_batch_fail_row(batch, row, PEX_EDATA,
                                    "the row has no field '__dj__suffix__', which suffix_filter "
                                    "looks at; leave suffixes empty to keep every row");
            continue;
        }
        bool listed = states[row] == PEX_STATE_VALUE && is_listed(filter, suffixes[row]);
        if (listed == filter->is_reversed)
            rc = pex_batch_drop(batch, row);
    }
    return rc;
}

/* The suffixes with their texts, in one piece of memory. */
static int32_t read_suffixes(struct suffix_filter *filter, const pex_params *params)
{
    int64_t count =
        pex_params_is_null(params, "suffixes") ? 0 : pex_params_count(params, "suffixes");
    struct pex_string_view suffix;
    size_t bytes = 0;
    int32_t rc = count < 0 ? (int32_t)count : 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = pex_params_string_at(params, "suffixes", (size_t)i, &suffix);
        bytes += rc ? 0 : suffix.length;
    }
    if (rc || count == 0)
        return rc;
    filter->suffix = malloc((size_t)count * sizeof(*filter->suffix) + bytes);
    if (!filter->suffix)
        return PEX_ENOMEM;
    char *text = (char *)(filter->suffix + count);
    for (; (int64_t)filter->count < count; filter->count++) {
        rc = pex_params_string_at(params, "suffixes", filter->count, &suffix);
        if (rc)
            return rc;
        memcpy(text, suffix.data, suffix.length);
        filter->suffix[filter->count] = (struct pex_string_view){text, suffix.length};
        text += suffix.length;
    }
    return 0;
}

static void destroy(void *instance)
{
    struct suffix_filter *filter = instance;
    free(filter->suffix);
    free(filter);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    int32_t reversed;
    int32_t rc = pex_params_bool(params, "reversed_range", &reversed);
    if (rc)
        return pex_error_set(err, rc, "parameter 'reversed_range' cannot be read");
    struct suffix_filter *filter = calloc(1, sizeof(*filter));
    if (!filter)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    filter->is_reversed = reversed;
    rc = read_suffixes(filter, params);
    if (rc) {
        destroy(filter);
        return pex_error_set(err, rc, "parameter 'suffixes' cannot be read");
    }
    *instance = filter;
    return 0;
}

static const struct pex_param_def params[] = {
    {.name = "suffixes",
     .default_json = "[]",
     .help = "The suffixes to keep, each as it stands in the row; none keeps every row.",
     .type = PEX_PARAM_STRINGS,
     .flags = PEX_PARAM_NULLABLE},
    PEX__NO_INTERVAL_PARAMS,
    PEX__NO_TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {
    [FIELD_SUFFIX] = {.name = "__dj__suffix__", .access = PEX_FIELD_READ},
};

const struct pex_operator pex__suffix_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "suffix_filter",
    .version = "1",
    .help = "Keeps rows of files with one of some suffixes, from the field __dj__suffix__.",
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
    .destroy = destroy,
};
