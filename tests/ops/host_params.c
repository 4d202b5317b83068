/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t host_error_set(struct pex_error *err, int32_t code, const char *format, ...)
{
    if (!err)
        return code;
    va_list arguments;
    va_start(arguments, format);
    err->code = code;
    vsnprintf(err->message, sizeof(err->message), format, arguments);
    va_end(arguments);
    return code;
}

static const struct pex_param_def *find_def(const struct pex_params *params, const char *name)
{
    for (size_t i = 0; i < params->op->param_count; i++)
        if (strcmp(params->op->params[i].name, name) == 0)
            return &params->op->params[i];
    return NULL;
}

static struct pex_string_view value_of(const struct pex_params *params, const char *name)
{
    struct pex_string_view value = json_get(params->arena, params->given, name);
    const struct pex_param_def *def = find_def(params, name);
    if (!value.data && def && def->default_json)
        value = (struct pex_string_view){def->default_json, strlen(def->default_json)};
    return value;
}

static bool is_null(struct pex_string_view value)
{
    return view_is(value, "null");
}

static bool is_integer(struct pex_string_view value)
{
    size_t i = value.length && value.data[0] == '-';
    if (i == value.length)
        return false;
    for (; i < value.length; i++)
        if (value.data[i] < '0' || value.data[i] > '9')
            return false;
    return true;
}

static bool is_number(struct pex_string_view value)
{
    return value.length && (value.data[0] == '-' || (value.data[0] >= '0' && value.data[0] <= '9'));
}

static bool has_type(struct pex_string_view value, int32_t type)
{
    switch (type) {
    case PEX_PARAM_INT64:
        return is_integer(value);
    case PEX_PARAM_DOUBLE:
        return is_number(value);
    case PEX_PARAM_BOOL:
        return view_is(value, "true") || view_is(value, "false");
    case PEX_PARAM_STRING:
        return value.data[0] == '"';
    case PEX_PARAM_STRINGS:
        return value.data[0] == '"' || value.data[0] == '[';
    case PEX_PARAM_INT64S:
        return is_integer(value) || value.data[0] == '[';
    default:
        return true;
    }
}

static bool is_choice(struct pex_string_view value, const char *choices)
{
    while (*choices) {
        size_t length = strcspn(choices, "|");
        if (length == value.length - 2 && memcmp(choices, value.data + 1, length) == 0)
            return true;
        choices += length + (choices[length] == '|');
    }
    return false;
}

static int32_t check_one(const struct pex_params *params, const struct pex_param_def *def,
                         struct pex_error *err)
{
    struct pex_string_view value = value_of(params, def->name);
    if (!value.data)
        return host_error_set(err, PEX_EINVAL, "parameter '%s' is required", def->name);
    if (is_null(value) && def->flags & PEX_PARAM_NULLABLE)
        return 0;
    if (!has_type(value, def->type))
        return host_error_set(err, PEX_EINVAL, "parameter '%s' has another type", def->name);
    if (def->choices && !is_choice(value, def->choices))
        return host_error_set(err, PEX_EINVAL, "parameter '%s' must be one of %s", def->name,
                              def->choices);
    double number = strtod(value.data, NULL);
    bool is_numeric = def->type == PEX_PARAM_INT64 || def->type == PEX_PARAM_DOUBLE;
    if (is_numeric && def->min < def->max && (number < def->min || number > def->max))
        return host_error_set(err, PEX_EINVAL, "parameter '%s' is out of range", def->name);
    return 0;
}

int32_t host_check_params(const struct pex_params *params, struct pex_error *err)
{
    struct members given = json_members(params->arena, params->given);
    for (size_t i = 0; i < given.count; i++) {
        struct pex_string_view key = given.item[i].key;
        char *name = arena_alloc(params->arena, key.length + 1);
        memcpy(name, key.data, key.length);
        if (!find_def(params, name))
            return host_error_set(err, PEX_EINVAL, "there is no parameter '%s'", name);
    }
    for (size_t i = 0; i < params->op->param_count; i++) {
        int32_t rc = check_one(params, &params->op->params[i], err);
        if (rc)
            return rc;
    }
    return params->op->check ? params->op->check(params, err) : 0;
}

/* The value of a parameter declared with one of the two types. */
static int32_t get(const pex_params *params, const char *name, int32_t type, int32_t other,
                   struct pex_string_view *value)
{
    const struct pex_param_def *def = find_def(params, name);
    if (!def)
        return PEX_ENOENT;
    *value = value_of(params, name);
    if ((def->type != type && def->type != other) || is_null(*value))
        return PEX_EINVAL;
    return 0;
}

static int32_t params_is_null(const pex_params *params, const char *name)
{
    return find_def(params, name) ? is_null(value_of(params, name)) : PEX_ENOENT;
}

static int32_t params_int64(const pex_params *params, const char *name, int64_t *value)
{
    struct pex_string_view json;
    int32_t rc = get(params, name, PEX_PARAM_INT64, 0, &json);
    if (!rc)
        *value = strtoll(json.data, NULL, 10);
    return rc;
}

static int32_t params_double(const pex_params *params, const char *name, double *value)
{
    struct pex_string_view json;
    int32_t rc = get(params, name, PEX_PARAM_DOUBLE, 0, &json);
    if (!rc)
        *value = strtod(json.data, NULL);
    return rc;
}

static int32_t params_bool(const pex_params *params, const char *name, int32_t *value)
{
    struct pex_string_view json;
    int32_t rc = get(params, name, PEX_PARAM_BOOL, 0, &json);
    if (!rc)
        *value = view_is(json, "true");
    return rc;
}

int32_t host_params_string(const pex_params *params, const char *name,
                           struct pex_string_view *value)
{
    struct pex_string_view json;
    int32_t rc = get(params, name, PEX_PARAM_STRING, 0, &json);
    if (!rc)
        *value = json_string(params->arena, json);
    return rc;
}

static struct members elements(const pex_params *params, const char *name)
{
    struct pex_string_view value = {0};
    struct members list = {0};
    if (get(params, name, PEX_PARAM_STRINGS, PEX_PARAM_INT64S, &value))
        return list;
    if (value.data[0] == '[')
        return json_members(params->arena, value);
    list.item = arena_alloc(params->arena, sizeof(*list.item));
    list.item[0].value = value;
    list.count = 1;
    return list;
}

static int64_t params_count(const pex_params *params, const char *name)
{
    return (int64_t)elements(params, name).count;
}

static int32_t params_string_at(const pex_params *params, const char *name, size_t index,
                                struct pex_string_view *value)
{
    struct members list = elements(params, name);
    if (index >= list.count || list.item[index].value.data[0] != '"')
        return PEX_EINVAL;
    *value = json_string(params->arena, list.item[index].value);
    return 0;
}

static int32_t params_int64_at(const pex_params *params, const char *name, size_t index,
                               int64_t *value)
{
    struct members list = elements(params, name);
    if (index >= list.count || !is_integer(list.item[index].value))
        return PEX_EINVAL;
    *value = strtoll(list.item[index].value.data, NULL, 10);
    return 0;
}

static int32_t params_json(const pex_params *params, const char *name,
                           struct pex_string_view *value)
{
    if (!find_def(params, name))
        return PEX_ENOENT;
    *value = value_of(params, name);
    return 0;
}

void host_params_install(struct pex_host *host)
{
    host->error_set = host_error_set;
    host->params_is_null = params_is_null;
    host->params_int64 = params_int64;
    host->params_double = params_double;
    host->params_bool = params_bool;
    host->params_string = host_params_string;
    host->params_count = params_count;
    host->params_string_at = params_string_at;
    host->params_int64_at = params_int64_at;
    host->params_json = params_json;
}
