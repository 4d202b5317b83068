/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/operator.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/path.h"
#include "plan/spec.h"
#include "plan/value.h"

#include <stddef.h>
#include <string.h>

#define KNOWN_FLAGS                                                                                \
    (PEX_OP_REENTRANT | PEX_OP_BLOCKING | PEX_OP_GPU | PEX_OP_RETRY_SAFE | PEX_OP_BATCH_SENSITIVE)
#define KNOWN_PARAM_FLAGS (PEX_PARAM_REQUIRED | PEX_PARAM_NULLABLE | PEX_PARAM_IGNORED)

int32_t pex__operator_param(const struct pex_operator *op, const char *name)
{
    for (size_t i = 0; i < op->param_count; i++) {
        if (strcmp(op->params[i].name, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

static int is_name(const char *name, int upper)
{
    if (name == NULL || *name < 'a' || *name > 'z')
        return 0;
    for (; *name != '\0'; name++) {
        if (!((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9') || *name == '_' ||
              (upper && *name >= 'A' && *name <= 'Z')))
            return 0;
    }
    return 1;
}

/* What is wrong with the scalars of a table, or NULL. */
static const char *head_fault(const struct pex_operator *op)
{
    if (op->version == NULL || *op->version == '\0')
        return "version is empty; \"1\" will do";
    if (op->cardinality < PEX_ROW_TO_ROW || op->cardinality > PEX_GLOBAL)
        return "cardinality is not a known constant";
    if ((op->flags & ~KNOWN_FLAGS) != 0)
        return "flags has unknown bits";
    if (op->param_count != 0 && (op->params == NULL || op->param_stride < sizeof *op->params))
        return "params is NULL, or param_stride is not sizeof(struct pex_param_def)";
    if (op->field_count != 0 && (op->fields == NULL || op->field_stride < sizeof *op->fields))
        return "fields is NULL, or field_stride is not sizeof(struct pex_field_def)";
    if (op->param_count > 10000 || op->field_count > 10000)
        return "param_count or field_count is not believable";
    if (op->cardinality == PEX_GLOBAL) {
        if (op->observe == NULL || op->resolve == NULL || op->process != NULL)
            return "a global operator has observe and resolve, and no process";
    } else if (op->process == NULL) {
        return "process is NULL";
    } else if (op->observe != NULL || op->resolve != NULL || op->apply != NULL) {
        return "observe, resolve and apply are for global operators";
    }
    return NULL;
}

static const char *param_fault(const struct pex_operator *op, size_t index)
{
    const struct pex_param_def *def = &op->params[index];
    size_t count;
    const struct pex__spec_key *keys = pex__operator_keys(&count), *key;

    if (!is_name(def->name, 1))
        return "its name is not [a-z][A-Za-z0-9_]*";
    if (pex__operator_param(op, def->name) != (int32_t)index)
        return "its name is there twice";
    key = pex__spec_key_find(keys, count, def->name);
    if (key != NULL && key->class == PEX__KEY_OURS)
        return "its name is a key that the engine itself takes";
    if (def->type < PEX_PARAM_INT64 || def->type > PEX_PARAM_JSON)
        return "its type is not a known constant";
    if ((def->flags & ~KNOWN_PARAM_FLAGS) != 0)
        return "its flags have unknown bits";
    if (def->choices != NULL && def->type != PEX_PARAM_STRING && def->type != PEX_PARAM_STRINGS)
        return "choices are for strings";
    if (((def->flags & PEX_PARAM_REQUIRED) != 0) != (def->default_json == NULL))
        return "it needs a default, or PEX_PARAM_REQUIRED without one";
    return NULL;
}

static const char *field_fault(const struct pex_operator *op, const struct pex_field_def *field)
{
    struct pex__path path;
    int32_t index;

    if ((field->name == NULL) == (field->param == NULL))
        return "it needs either name or param";
    if (field->kind != PEX_FIELD_PATH && field->kind != PEX_FIELD_STAT)
        return "its kind is not a known constant";
    if (field->access < PEX_FIELD_READ || field->access > (PEX_FIELD_READ | PEX_FIELD_WRITE))
        return "its access is not PEX_FIELD_READ, PEX_FIELD_WRITE or both";
    if (field->param != NULL) {
        index = pex__operator_param(op, field->param);
        if (index < 0 || op->params[index].type != PEX_PARAM_STRING)
            return "its param is not a string parameter of the table";
    } else if (field->kind == PEX_FIELD_PATH) {
        if (pex__path_parse(field->name, &path, NULL) != 0)
            return "its name is not a dotted path";
        pex__path_free(&path);
    }
    return NULL;
}

static int32_t check_default(const struct pex_operator *op, const struct pex_param_def *def,
                             struct pex_error *err)
{
    struct pex__buffer errors = {0};
    json_t *value;
    int32_t code;

    if (def->default_json == NULL)
        return 0;
    value = pex__value_parse(def->default_json, strlen(def->default_json));
    if (value == NULL)
        return pex_error_set(err, PEX_EINVAL,
                             "operator %s: parameter %s: its default is not JSON: %s", op->name,
                             def->name, def->default_json);
    code = pex__value_check(value, def, def->name, &errors);
    json_decref(value);
    if (code == PEX_ESPEC)
        code = pex_error_set(err, PEX_EINVAL, "operator %s: its default does not fit: %.*s",
                             op->name, (int)(errors.length - 1), errors.data);
    else if (code != 0)
        code = pex__error_memory(err);
    pex__buffer_free(&errors);
    return code;
}

/* Checks the copy, whose strides are ours. */
static int32_t check_tables(const struct pex_operator *op, struct pex_error *err)
{
    const char *fault;
    int32_t code;

    for (size_t i = 0; i < op->param_count; i++) {
        fault = param_fault(op, i);
        if (fault != NULL)
            return pex_error_set(err, PEX_EINVAL, "operator %s: parameter %zu (%s): %s", op->name,
                                 i, op->params[i].name != NULL ? op->params[i].name : "NULL",
                                 fault);
        code = check_default(op, &op->params[i], err);
        if (code != 0)
            return code;
    }
    for (size_t i = 0; i < op->field_count; i++) {
        fault = field_fault(op, &op->fields[i]);
        if (fault != NULL)
            return pex_error_set(err, PEX_EINVAL, "operator %s: field %zu: %s", op->name, i, fault);
    }
    return 0;
}

/* Replaces *text by a copy; NULL stays. */
static int32_t own(const char **text)
{
    if (*text == NULL)
        return 0;
    *text = pex__strdup(*text);
    return *text != NULL ? 0 : PEX_ENOMEM;
}

static int32_t copy_params(const struct pex_operator *from, struct pex_operator *to)
{
    struct pex_param_def *params = pex__calloc(from->param_count, sizeof *params);
    int32_t code = 0;

    if (params == NULL)
        return PEX_ENOMEM;
    to->params = params;
    to->param_stride = sizeof *params;
    for (size_t i = 0; i < from->param_count && code == 0; i++) {
        struct pex_param_def *param = &params[to->param_count++];

        memcpy(param, (const char *)from->params + i * from->param_stride, sizeof *param);
        /* All four, also after a failure: what is not copied must not be freed. */
        code |= own(&param->name);
        code |= own(&param->default_json);
        code |= own(&param->choices);
        code |= own(&param->help);
    }
    return code != 0 ? PEX_ENOMEM : 0;
}

static int32_t copy_fields(const struct pex_operator *from, struct pex_operator *to)
{
    struct pex_field_def *fields = pex__calloc(from->field_count, sizeof *fields);
    int32_t code = 0;

    if (fields == NULL)
        return PEX_ENOMEM;
    to->fields = fields;
    to->field_stride = sizeof *fields;
    for (size_t i = 0; i < from->field_count && code == 0; i++) {
        struct pex_field_def *field = &fields[to->field_count++];

        memcpy(field, (const char *)from->fields + i * from->field_stride, sizeof *field);
        code |= own(&field->name);
        code |= own(&field->param);
    }
    return code != 0 ? PEX_ENOMEM : 0;
}

static int32_t copy_all(const struct pex_operator *from, struct pex_operator *to)
{
    int32_t code = 0;

    *to = *from;
    to->params = NULL;
    to->fields = NULL;
    to->param_count = 0;
    to->field_count = 0;
    if ((to->flags & PEX_OP_GPU) != 0)
        to->flags |= PEX_OP_BLOCKING;
    code |= own(&to->name);
    code |= own(&to->version);
    code |= own(&to->help);
    if (code == 0)
        code = copy_params(from, to);
    return code == 0 ? copy_fields(from, to) : PEX_ENOMEM;
}

void pex__operator_free(struct pex__operator *op)
{
    for (size_t i = 0; i < op->op.param_count; i++) {
        pex__free((void *)op->op.params[i].name);
        pex__free((void *)op->op.params[i].default_json);
        pex__free((void *)op->op.params[i].choices);
        pex__free((void *)op->op.params[i].help);
    }
    for (size_t i = 0; i < op->op.field_count; i++) {
        pex__free((void *)op->op.fields[i].name);
        pex__free((void *)op->op.fields[i].param);
    }
    pex__free((void *)op->op.params);
    pex__free((void *)op->op.fields);
    pex__free((void *)op->op.name);
    pex__free((void *)op->op.version);
    pex__free((void *)op->op.help);
    pex__free(op->plugin);
    pex__free(op->plugin_file);
    pex__free(op);
}

int32_t pex__operator_copy(const struct pex_operator *op, struct pex__operator **copy,
                           struct pex_error *err)
{
    struct pex_operator whole = {0};
    struct pex__operator *made;
    const char *fault;
    int32_t code;

    if (op == NULL || op->struct_size < offsetof(struct pex_operator, check))
        return pex_error_set(err, PEX_EINVAL,
                             "operator: struct_size is not sizeof(struct pex_operator)");
    memcpy(&whole, op, op->struct_size < sizeof whole ? op->struct_size : sizeof whole);
    whole.struct_size = sizeof whole;
    if (!is_name(whole.name, 0))
        return pex_error_set(err, PEX_EINVAL, "operator %s: the name is not [a-z][a-z0-9_]*",
                             whole.name != NULL ? whole.name : "NULL");
    if (whole.required_features != 0)
        return pex_error_set(err, PEX_ENOTSUP,
                             "operator %s: needs features %#llx that this library does not have",
                             whole.name, (unsigned long long)whole.required_features);
    fault = head_fault(&whole);
    if (fault != NULL)
        return pex_error_set(err, PEX_EINVAL, "operator %s: %s", whole.name, fault);
    made = pex__calloc(1, sizeof *made);
    if (made == NULL)
        return pex__error_memory(err);
    code = copy_all(&whole, &made->op);
    code = code != 0 ? pex__error_memory(err) : check_tables(&made->op, err);
    if (code != 0)
        pex__operator_free(made);
    else
        *copy = made;
    return code;
}
