/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"
#include "interval.h"
#include "number.h"
#include "operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One side of the range. Its parameter is JSON because one of a double would be rounded, the
 * default too. */
struct bound {
    char *json;
    struct pex__value value;
    bool is_closed;
};

struct numeric_filter {
    struct pex__field_filter filter;
    struct bound min;
    struct bound max;
    bool is_reversed;
};

static bool is_inside(const struct numeric_filter *numeric, double real)
{
    const struct pex__value value = {.type = PEX__REAL, .as.real = real};
    if (isnan(real))
        return false;
    int low = pex__number_compare(&value, &numeric->min.value);
    int high = pex__number_compare(&value, &numeric->max.value);
    return (low > 0 || (low == 0 && numeric->min.is_closed)) &&
           (high < 0 || (high == 0 && numeric->max.is_closed));
}

/* The number of a value that is not empty. *is_number is false for text that is none. */
static int32_t read_number(const struct pex__value *value, double *real, bool *is_number,
                           const char **fault)
{
    int32_t rc = 0;
    if (value->type == PEX__STRING) {
        *is_number = pex__number_read(value->as.text, real, &rc);
        return rc;
    }
    *is_number = true;
    *fault = "is neither a number nor text; name one that is with field_key";
    if (!pex__value_is_number(value))
        return PEX_EDATA;
    *fault = "is a whole number beyond the range of a double";
    return pex__number_double(value, real) ? 0 : PEX_EDATA;
}

/* What is false or empty, 0 too, is no number, and goes even when the range is reversed. */
static int32_t decide(const struct pex__field_filter *filter, const struct pex__value *value,
                      bool *keep, const char **fault)
{
    const struct numeric_filter *numeric = (const struct numeric_filter *)(const void *)filter;
    bool is_number;
    double real;
    *keep = false;
    if (!pex__value_truth(value))
        return 0;
    int32_t rc = read_number(value, &real, &is_number, fault);
    if (!rc && is_number)
        *keep = is_inside(numeric, real) != numeric->is_reversed;
    return rc;
}

static int32_t read_bound(const pex_params *params, const char *name, const char *flag,
                          struct bound *bound, struct pex_error *err)
{
    struct pex_string_view json;
    int32_t closed, rc;
    if ((rc = pex_params_json(params, name, &json)) ||
        (rc = pex_params_bool(params, flag, &closed)))
        return pex_error_set(err, rc, "parameter '%s' cannot be read", name);
    bound->is_closed = closed;
    bound->json = malloc(json.length + 1);
    if (!bound->json)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter %s", name);
    memcpy(bound->json, json.data, json.length);
    json.data = bound->json;
    if (!strchr("-0123456789", *bound->json) || pex__number_parse(json, &bound->value))
        return pex_error_set(err, PEX_EINVAL,
                             "parameter '%s': found %.*s, expected a number of at most 4300 digits",
                             name, json.length < 60 ? (int)json.length : 60, json.data);
    return 0;
}

/* A reversed range turns both flags around, so that a value on a bound is kept either way. */
static int32_t init(struct numeric_filter *numeric, pex_env *env, const pex_params *params,
                    struct pex_error *err)
{
    int32_t reversed;
    int32_t rc = pex__field_filter_init(&numeric->filter, env, params, err);
    if (!rc)
        rc = read_bound(params, "min_value", "min_closed_interval", &numeric->min, err);
    if (!rc)
        rc = read_bound(params, "max_value", "max_closed_interval", &numeric->max, err);
    if (rc)
        return rc;
    rc = pex_params_bool(params, "reversed_range", &reversed);
    if (rc)
        return pex_error_set(err, rc, "parameter 'reversed_range' cannot be read");
    numeric->is_reversed = reversed;
    numeric->min.is_closed = numeric->min.is_closed != numeric->is_reversed;
    numeric->max.is_closed = numeric->max.is_closed != numeric->is_reversed;
    numeric->filter.decide = decide;
    return 0;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    struct bound min = {0}, max = {0};
    int32_t rc = read_bound(params, "min_value", "min_closed_interval", &min, err);
    if (!rc)
        rc = read_bound(params, "max_value", "max_closed_interval", &max, err);
    free(min.json);
    free(max.json);
    return rc;
}

static void destroy(void *instance)
{
    struct numeric_filter *numeric = instance;
    pex__field_filter_release(&numeric->filter);
    free(numeric->min.json);
    free(numeric->max.json);
    free(numeric);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct numeric_filter *numeric = calloc(1, sizeof(*numeric));
    if (!numeric)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(numeric, env, params, err);
    if (rc)
        destroy(numeric);
    else
        *instance = numeric;
    return rc;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__field_filter_rows(instance, batch);
}

static const struct pex_param_def params[] = {
    PEX__FIELD_KEY_PARAM,
    {.name = "min_value",
     .default_json = "-9223372036854775807",
     .help = "Smallest number to keep.",
     .type = PEX_PARAM_JSON},
    {.name = "max_value",
     .default_json = "9223372036854775807",
     .help = "Largest number to keep.",
     .type = PEX_PARAM_JSON},
    PEX__INTERVAL_PARAMS,
    PEX__NO_TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {PEX__FIELD_TABLE};

const struct pex_operator pex__specified_numeric_field_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "specified_numeric_field_filter",
    .version = "1",
    .help = "Keeps rows in which a field is a number in a range, or text that is one.\n"
            "A field that is 0, false, null or empty counts as no number, and the row goes.",
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
    .check = check,
};
