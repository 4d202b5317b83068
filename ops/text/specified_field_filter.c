/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"
#include "operators.h"

#include <stdlib.h>
#include <string.h>

struct specified_filter {
    struct pex__field_filter filter;
    char *json; /* what the target points into */
    struct pex__scratch scratch;
    struct pex__value target;
    bool is_reversed;
};

static bool contains(struct pex_string_view text, struct pex_string_view part)
{
    return part.length == 0 || memmem(text.data, text.length, part.data, part.length);
}

/* Whether one value is among the wanted ones, or is a part of the wanted text. */
static int32_t is_wanted(const struct specified_filter *specified, const struct pex__value *value,
                         bool *wanted, const char **fault)
{
    const struct pex__value *target = &specified->target;
    *wanted = false;
    if (target->type == PEX__STRING) {
        *fault = "has a value that is no string, which cannot be part of the text in target_value; "
                 "give a list of values";
        if (value->type != PEX__STRING)
            return PEX_EDATA;
        *wanted = contains(target->as.text, value->as.text);
        return 0;
    }
    for (size_t i = 0; i < target->as.list.count && !*wanted; i++)
        *wanted = pex__value_equal(&target->as.list.item[i], value);
    return 0;
}

static int32_t decide(const struct pex__field_filter *filter, const struct pex__value *value,
                      bool *keep, const char **fault)
{
    const struct specified_filter *specified =
        (const struct specified_filter *)(const void *)filter;
    bool is_list = value->type == PEX__LIST, wanted = true;
    const struct pex__value *item = is_list ? value->as.list.item : value;
    size_t count = is_list ? value->as.list.count : 1;
    if (!pex__value_truth(&specified->target)) {
        *keep = true;
        return 0;
    }
    for (size_t i = 0; i < count && wanted; i++) {
        int32_t rc = is_wanted(specified, &item[i], &wanted, fault);
        if (rc)
            return rc;
    }
    *keep = wanted != specified->is_reversed;
    return 0;
}

static int32_t read_target(const pex_params *params, struct pex__scratch *scratch, char **json,
                           struct pex__value *target, struct pex_error *err)
{
    struct pex_string_view view;
    int32_t rc = pex_params_json(params, "target_value", &view);
    if (rc)
        return pex_error_set(err, rc, "parameter 'target_value' cannot be read");
    *json = malloc(view.length + 1);
    if (!*json)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter target_value");
    memcpy(*json, view.data, view.length);
    rc = pex__value_parse(scratch, (struct pex_string_view){*json, view.length}, target);
    if (rc == PEX_EDATA)
        return pex_error_set(err, PEX_EINVAL, "parameter 'target_value' %s", pex__value_fault);
    if (rc)
        return pex_error_set(err, rc, "out of memory for parameter target_value");
    if (target->type != PEX__LIST && target->type != PEX__STRING)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter 'target_value': found %s, expected a list of values, or a "
                             "string of which the field is to be a part",
                             pex__value_kind(target));
    return 0;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    struct pex__scratch scratch = {0};
    struct pex__value target;
    char *json = NULL;
    int32_t rc = read_target(params, &scratch, &json, &target, err);
    pex__scratch_free(&scratch);
    free(json);
    return rc;
}

static void destroy(void *instance)
{
    struct specified_filter *specified = instance;
    pex__field_filter_release(&specified->filter);
    pex__scratch_free(&specified->scratch);
    free(specified->json);
    free(specified);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct specified_filter *specified = calloc(1, sizeof(*specified));
    int32_t reversed;
    if (!specified)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__field_filter_init(&specified->filter, env, params, err);
    if (!rc)
        rc = read_target(params, &specified->scratch, &specified->json, &specified->target, err);
    if (!rc && (rc = pex_params_bool(params, "reversed_range", &reversed)))
        pex_error_set(err, rc, "parameter 'reversed_range' cannot be read");
    if (rc) {
        destroy(specified);
        return rc;
    }
    specified->is_reversed = reversed;
    specified->filter.decide = decide;
    *instance = specified;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__field_filter_rows(instance, batch);
}

static const struct pex_param_def params[] = {
    PEX__FIELD_KEY_PARAM,
    {.name = "target_value",
     .default_json = "[]",
     .help = "The values to keep. A string instead of a list keeps what is a part of it; nothing "
             "in it keeps every row.",
     .type = PEX_PARAM_JSON},
    PEX__NO_INTERVAL_PARAMS,
    PEX__NO_TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {PEX__FIELD_TABLE};

const struct pex_operator pex__specified_field_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "specified_field_filter",
    .version = "1",
    .help = "Keeps rows in which a field has one of some values; of a list, all items must.",
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
