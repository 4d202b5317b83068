/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps rows by the value of one field. Shows: a list parameter, a field that a parameter names. */
#include "operators.h"

#include <stdlib.h>
#include <string.h>

/* One allocation: the views, and behind them the bytes that they show. */
struct values {
    size_t count;
    struct pex_string_view views[];
};

enum { FIELD_KEY };
static const struct pex_field_def fields[] = {
    [FIELD_KEY] = {.param = "field", .kind = PEX_FIELD_PATH, .access = PEX_FIELD_READ},
};

static const struct pex_param_def params[] = {
    {.name = "field",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_REQUIRED,
     .help = "The field to look at; a dotted path, as in meta.lang."},
    {.name = "values",
     .type = PEX_PARAM_STRINGS,
     .flags = PEX_PARAM_REQUIRED,
     .help = "The strings that keep a row."},
};

static size_t bytes_of(const pex_params *given, size_t count)
{
    struct pex_string_view value;
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        if (pex_params_string_at(given, "values", i, &value) == 0)
            bytes += value.length;
    return bytes;
}

/* Parameters live until create returns, so the values are copied. */
static int32_t values_create(pex_env *env, const pex_params *given, void **instance,
                             struct pex_error *err)
{
    int64_t count = pex_params_count(given, "values");
    struct values *values;
    char *end;

    (void)env;
    if (count < 0)
        return (int32_t)count;
    values = malloc(sizeof(*values) + (size_t)count * sizeof(values->views[0]) +
                    bytes_of(given, (size_t)count));
    if (values == NULL)
        return pex_error_set(err, PEX_ENOMEM, "no memory for %d values", (int)count);
    values->count = (size_t)count;
    end = (char *)&values->views[count];
    for (size_t i = 0; i < values->count; i++) {
        struct pex_string_view value;
        int32_t rc = pex_params_string_at(given, "values", i, &value);

        if (rc != 0) {
            free(values);
            return rc;
        }
        memcpy(end, value.data, value.length);
        values->views[i].data = end;
        values->views[i].length = value.length;
        end += value.length;
    }
    *instance = values;
    return 0;
}

static int has_value(const struct values *values, struct pex_string_view text)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->views[i].length == text.length &&
            memcmp(values->views[i].data, text.data, text.length) == 0)
            return 1;
    return 0;
}

/* A row without the field, or with something else than a string in it, has none of the values. */
static int32_t values_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, FIELD_KEY, &texts, &states);

    (void)err;
    for (size_t row = 0; rc == 0 && row < pex_batch_rows(batch); row++)
        if (states[row] != PEX_STATE_VALUE || !has_value(instance, texts[row]))
            rc = pex_batch_drop(batch, row);
    return rc;
}

const struct pex_operator values_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "values_filter",
    .version = "1",
    .help = "Keeps rows that have one of some values in a field.",
    .cardinality = PEX_FILTER,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = COUNT(params),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = COUNT(fields),
    .field_stride = sizeof(fields[0]),
    .create = values_create,
    .process = values_process,
    .destroy = free,
};
