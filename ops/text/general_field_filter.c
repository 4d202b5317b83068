/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"
#include "expression.h"
#include "field.h"
#include "operators.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIELD_STAT, FIELD_STATS };

struct general_filter {
    struct pex__expression expression;
    bool is_empty;
    bool is_stat_wanted;
    bool is_reversed;
};

/* A walk over the rows of a call. */
struct walk {
    const struct general_filter *filter;
    pex_batch *batch;
    struct pex_string_view *field; /* of the row, one per name */
    struct pex__scratch scratch;
    struct pex__bytes printed;
};

/* Only what has no setter of its own is printed. */
static int32_t set_stat(struct walk *walk, size_t row, const struct pex__value *value)
{
    bool has_setter =
        value->type == PEX__BOOL || value->type == PEX__WHOLE || value->type == PEX__STRING;
    walk->printed.length = 0;
    int32_t rc = has_setter ? 0 : pex__value_print(&walk->printed, value);
    struct pex_string_view json = {walk->printed.data, walk->printed.length};
    return rc ? rc : pex__field_set(walk->batch, FIELD_STAT, row, value, json);
}

static int32_t fail(const struct walk *walk, size_t row, const char *fault)
{
    char message[256];
    snprintf(message, sizeof(message), "filter_condition: for this row it %s", fault);
    return pex_batch_fail_row(walk->batch, row, PEX_EDATA, message);
}

static int32_t evaluate_row(struct walk *walk, size_t row, struct pex__value *value,
                            const char **fault)
{
    const struct pex__expression *expression = &walk->filter->expression;
    struct pex_string_view json;
    int32_t rc = pex_batch_row_json(walk->batch, row, &json);
    if (!rc)
        rc = pex__value_members(&walk->scratch, json, expression->name, expression->name_count,
                                walk->field);
    return rc ? rc
              : pex__expression_evaluate(expression, &walk->scratch, walk->field, value, fault);
}

static int32_t filter_row(struct walk *walk, size_t row, const struct pex_string_view *stat)
{
    const char *fault = pex__value_fault;
    struct pex__value value;
    pex__scratch_reset(&walk->scratch);
    int32_t rc = stat ? pex__value_parse(&walk->scratch, *stat, &value)
                      : evaluate_row(walk, row, &value, &fault);
    if (rc == PEX_EDATA)
        return fail(walk, row, fault);
    if (!rc && !stat && walk->filter->is_stat_wanted)
        rc = set_stat(walk, row, &value);
    if (rc || pex__value_truth(&value) != walk->filter->is_reversed)
        return rc;
    return pex_batch_drop(walk->batch, row);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct walk walk = {.filter = instance, .batch = batch};
    const struct pex_string_view *stats;
    const uint8_t *states;
    if (walk.filter->is_empty)
        return 0;
    int32_t rc = pex_batch_json(batch, FIELD_STAT, &stats, &states);
    walk.field = malloc((walk.filter->expression.name_count + 1) * sizeof(*walk.field));
    if (!walk.field)
        rc = PEX_ENOMEM;
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; row < count && !rc; row++)
        rc = filter_row(&walk, row, states[row] == PEX_STATE_VALUE ? &stats[row] : NULL);
    pex__scratch_free(&walk.scratch);
    pex__bytes_free(&walk.printed);
    free(walk.field);
    return rc;
}

static int32_t read_condition(const pex_params *params, struct pex__expression *expression,
                              bool *is_empty, struct pex_error *err)
{
    struct pex_string_view condition;
    int32_t rc = pex_params_string(params, "filter_condition", &condition);
    if (rc)
        return pex_error_set(err, rc, "parameter 'filter_condition' cannot be read");
    *is_empty = condition.length == 0;
    return *is_empty ? 0 : pex__expression_parse(expression, condition, err);
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    struct pex__expression expression = {0};
    bool is_empty;
    int32_t rc = read_condition(params, &expression, &is_empty, err);
    pex__expression_free(&expression);
    return rc;
}

static void destroy(void *instance)
{
    struct general_filter *filter = instance;
    pex__expression_free(&filter->expression);
    free(filter);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    int32_t reversed;
    int32_t rc = pex_params_bool(params, "reversed_range", &reversed);
    if (rc)
        return pex_error_set(err, rc, "parameter 'reversed_range' cannot be read");
    struct general_filter *filter = calloc(1, sizeof(*filter));
    if (!filter)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    rc = read_condition(params, &filter->expression, &filter->is_empty, err);
    if (rc) {
        destroy(filter);
        return rc;
    }
    filter->is_stat_wanted = pex_env_stats_wanted(env);
    filter->is_reversed = reversed;
    *instance = filter;
    return 0;
}

static const struct pex_param_def params[] = {
    {.name = "filter_condition",
     .default_json = "\"\"",
     .help = "The condition, such as meta.lang in ['en', 'de'] and 10 < num <= 30; empty keeps "
             "every row.",
     .type = PEX_PARAM_STRING},
    PEX__NO_INTERVAL_PARAMS,
    PEX__NO_TEXT_KEY_PARAM,
};

/* The condition may look at stats, so they are declared to be read, all of them. */
static const struct pex_field_def fields[] = {
    [FIELD_STAT] = {.name = "general_field_filter_condition",
                    .kind = PEX_FIELD_STAT,
                    .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
    [FIELD_STATS] = {.name = "__dj__stats__", .access = PEX_FIELD_READ},
};

const struct pex_operator pex__general_field_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "general_field_filter",
    .version = "1",
    .help = "Keeps rows for which a condition on their fields is true, written as in Python.\n"
            "It has names, attributes, literals, lists, tuples, sets, and, or, not, comparisons, "
            "in and not in. A field that is not there is null, and any comparison with null is "
            "false, other than not in.",
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
