/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/params.h"

#include "base/memory.h"
#include "plan/operator.h"
#include "plan/spec.h"
#include "plan/value.h"
#include "plan/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_MAX 512

struct value {
    json_t *json; /* in normal form: a single string of a list is a list */
    struct pex__buffer text;
    int given;
};

struct pex_params {
    const struct pex_operator *op;
    struct value *values; /* as op->params */
    size_t count;         /* of values: params may outlive the operator */
    struct pex__buffer key;
    struct pex__buffer given;
};

/* An unknown parameter with the nearest that there is, of the operator's own and the engine's. */
static int32_t unknown_param(const struct pex_operator *op, const char *name, const char *place,
                             struct pex__buffer *errors)
{
    size_t key_count, count = 0;
    const struct pex__spec_key *keys = pex__operator_keys(&key_count);
    const char **names = pex__malloc((op->param_count + key_count) * sizeof *names), *nearest;

    if (names == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < op->param_count; i++)
        names[count++] = op->params[i].name;
    for (size_t i = 0; i < key_count; i++) {
        if (keys[i].class == PEX__KEY_OURS)
            names[count++] = keys[i].path;
    }
    nearest = pex__nearest(name, names, count);
    pex__free(names);
    if (nearest != NULL)
        return pex__errors_add(errors, "%s.%s: unknown parameter; the nearest known is %s", place,
                               name, nearest);
    return pex__errors_add(
        errors, "%s.%s: unknown parameter, and no known one is near; leave it out", place, name);
}

static int32_t check_names(const struct pex_operator *op, const json_t *given, const char *place,
                           struct pex__buffer *errors)
{
    int32_t code = 0;
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)given, name, value)
    {
        if (pex__operator_param(op, name) < 0)
            code = pex__errors_join(code, unknown_param(op, name, place, errors));
    }
    return code;
}

static int32_t fill_value(struct value *value, const struct pex_param_def *def, const json_t *given,
                          const char *place, struct pex__buffer *errors)
{
    char path[PLACE_MAX];
    json_t *fallback = NULL;
    int32_t code = 0;

    snprintf(path, sizeof path, "%s.%s", place, def->name);
    value->given = given != NULL;
    if (given == NULL && def->default_json == NULL)
        return pex__errors_add(errors, "%s: found nothing, expected a value: it has no default",
                               path);
    if (given == NULL)
        given = fallback = pex__value_parse(def->default_json, strlen(def->default_json));
    else if ((def->flags & PEX_PARAM_IGNORED) == 0)
        code = pex__value_check(given, def, path, errors);
    if (code == 0)
        value->json = given != NULL ? pex__value_normal(given, def->type) : NULL;
    /* Whether a list was given counts for some, so its text is as it was. */
    if (def->type != PEX_PARAM_STRINGS && def->type != PEX_PARAM_INT64S)
        given = value->json;
    if (code == 0 && (value->json == NULL || pex__value_text(given, &value->text) != 0))
        code = PEX_ENOMEM;
    json_decref(fallback);
    return code;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct pex_param_def *const *)a)->name,
                  (*(const struct pex_param_def *const *)b)->name);
}

/* The object of all parameters, or of the given ones, with sorted keys. Ignored ones change
 * nothing, so they are in neither. */
static int32_t write_object(const struct pex_params *params, int given_only,
                            struct pex__buffer *text)
{
    const struct pex_operator *op = params->op;
    struct pex__writer out = {.out = text};
    const struct pex_param_def **sorted = pex__malloc(op->param_count * sizeof *sorted);

    if (sorted == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < op->param_count; i++)
        sorted[i] = &op->params[i];
    qsort(sorted, op->param_count, sizeof *sorted, by_name);
    pex__write_open(&out, NULL, '{');
    for (size_t i = 0; i < op->param_count; i++) {
        const struct value *value = &params->values[sorted[i] - op->params];

        if ((sorted[i]->flags & PEX_PARAM_IGNORED) == 0 && (value->given || !given_only))
            pex__write_value(&out, sorted[i]->name, value->json);
    }
    pex__write_close(&out, '}');
    pex__free(sorted);
    return out.failed != 0 ? out.failed : pex__buffer_add(text, "", 1);
}

int32_t pex__params_create(const struct pex_operator *op, const json_t *given, const char *place,
                           pex_params **params, struct pex__buffer *errors)
{
    pex_params *made = pex__calloc(1, sizeof *made);
    int32_t code;

    if (made == NULL)
        return PEX_ENOMEM;
    made->op = op;
    made->count = op->param_count;
    made->values = pex__calloc(op->param_count, sizeof *made->values);
    code = made->values != NULL ? check_names(op, given, place, errors) : PEX_ENOMEM;
    for (size_t i = 0; i < op->param_count && code != PEX_ENOMEM; i++)
        code = pex__errors_join(code, fill_value(&made->values[i], &op->params[i],
                                                 json_object_get(given, op->params[i].name), place,
                                                 errors));
    if (code == 0)
        code = write_object(made, 0, &made->key);
    if (code == 0)
        code = write_object(made, 1, &made->given);
    if (code != 0)
        pex__params_free(made);
    else
        *params = made;
    return code;
}

void pex__params_free(pex_params *params)
{
    if (params == NULL)
        return;
    for (size_t i = 0; i < params->count && params->values != NULL; i++) {
        json_decref(params->values[i].json);
        pex__buffer_free(&params->values[i].text);
    }
    pex__buffer_free(&params->key);
    pex__buffer_free(&params->given);
    pex__free(params->values);
    pex__free(params);
}

const char *pex__params_key(const pex_params *params)
{
    return params->key.data;
}

const char *pex__params_given(const pex_params *params)
{
    return params->given.data;
}

/* Non-zero if the value is what the parameter would have without being given. */
static int is_default(const struct pex_param_def *def, const struct value *value)
{
    json_t *parsed, *normal;
    int equal;

    if (!value->given || def->default_json == NULL)
        return !value->given;
    parsed = pex__value_parse(def->default_json, strlen(def->default_json));
    normal = parsed != NULL ? pex__value_normal(parsed, def->type) : NULL;
    equal = normal != NULL && json_equal(normal, value->json);
    json_decref(parsed);
    json_decref(normal);
    return equal;
}

int32_t pex__params_changed(const pex_params *params, struct pex__buffer *out)
{
    const char *space = "";

    for (size_t i = 0; i < params->op->param_count; i++) {
        const struct pex_param_def *def = &params->op->params[i];
        const struct value *value = &params->values[i];

        if ((def->flags & PEX_PARAM_IGNORED) != 0 || is_default(def, value))
            continue;
        if (pex__buffer_print(out, "%s%s=", space, def->name) != 0 ||
            pex__buffer_add(out, value->text.data, value->text.length) != 0)
            return PEX_ENOMEM;
        space = " ";
    }
    return 0;
}

/* The value of a parameter, or NULL and the code. */
static const json_t *find(const pex_params *params, const char *name, int32_t *code)
{
    int32_t index;

    *code = PEX_EINVAL;
    if (params == NULL || name == NULL)
        return NULL;
    index = pex__operator_param(params->op, name);
    *code = index < 0 ? PEX_ENOENT : 0;
    return index < 0 ? NULL : params->values[index].json;
}

int32_t pex_params_is_null(const pex_params *params, const char *name)
{
    int32_t code;
    const json_t *value = find(params, name, &code);

    return value != NULL ? json_is_null(value) : code;
}

int32_t pex_params_int64(const pex_params *params, const char *name, int64_t *value)
{
    int32_t code;
    const json_t *json = find(params, name, &code);

    if (json == NULL)
        return code;
    if (!json_is_integer(json) || value == NULL)
        return PEX_EINVAL;
    *value = json_integer_value(json);
    return 0;
}

int32_t pex_params_double(const pex_params *params, const char *name, double *value)
{
    int32_t code;
    const json_t *json = find(params, name, &code);

    if (json == NULL)
        return code;
    if (!json_is_number(json) || value == NULL)
        return PEX_EINVAL;
    *value = json_number_value(json);
    return 0;
}

int32_t pex_params_bool(const pex_params *params, const char *name, int32_t *value)
{
    int32_t code;
    const json_t *json = find(params, name, &code);

    if (json == NULL)
        return code;
    if (!json_is_boolean(json) || value == NULL)
        return PEX_EINVAL;
    *value = json_is_true(json);
    return 0;
}

static int32_t view_string(const json_t *json, struct pex_string_view *value)
{
    if (!json_is_string(json) || value == NULL)
        return PEX_EINVAL;
    value->data = json_string_value(json);
    value->length = json_string_length(json);
    return 0;
}

int32_t pex_params_string(const pex_params *params, const char *name, struct pex_string_view *value)
{
    int32_t code;
    const json_t *json = find(params, name, &code);

    return json != NULL ? view_string(json, value) : code;
}

int64_t pex_params_count(const pex_params *params, const char *name)
{
    int32_t code;
    const json_t *json = find(params, name, &code);

    if (json == NULL)
        return code;
    return json_is_array(json) ? (int64_t)json_array_size(json) : PEX_EINVAL;
}

/* Element of a list parameter, or NULL and the code. */
static const json_t *element(const pex_params *params, const char *name, size_t index,
                             int32_t *code)
{
    const json_t *json = find(params, name, code);

    if (json == NULL)
        return NULL;
    *code = json_is_array(json) ? PEX_ENOENT : PEX_EINVAL;
    return json_array_get(json, index);
}

int32_t pex_params_string_at(const pex_params *params, const char *name, size_t index,
                             struct pex_string_view *value)
{
    int32_t code;
    const json_t *json = element(params, name, index, &code);

    return json != NULL ? view_string(json, value) : code;
}

int32_t pex_params_int64_at(const pex_params *params, const char *name, size_t index,
                            int64_t *value)
{
    int32_t code;
    const json_t *json = element(params, name, index, &code);

    if (json == NULL)
        return code;
    if (!json_is_integer(json) || value == NULL)
        return PEX_EINVAL;
    *value = json_integer_value(json);
    return 0;
}

int32_t pex_params_json(const pex_params *params, const char *name, struct pex_string_view *value)
{
    const struct pex__buffer *text;
    int32_t code;

    if (find(params, name, &code) == NULL)
        return code;
    if (value == NULL)
        return PEX_EINVAL;
    text = &params->values[pex__operator_param(params->op, name)].text;
    value->data = text->data;
    value->length = text->length;
    return 0;
}
