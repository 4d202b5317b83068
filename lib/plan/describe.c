/* SPDX-License-Identifier: Apache-2.0 */
/* The registered operators as JSON. */
#include "plan/registry.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "plan/spec.h"
#include "plan/value.h"
#include "plan/writer.h"

#include <stdlib.h>
#include <string.h>

static const char *const cardinalities[] = {"row_to_row", "filter", "row_to_many", "global"};

static void write_flags(struct pex__writer *out, int32_t flags)
{
    static const struct {
        int32_t bit;
        const char *name;
    } names[] = {
        {PEX_OP_REENTRANT, "reentrant"},
        {PEX_OP_BLOCKING, "blocking"},
        {PEX_OP_GPU, "gpu"},
        {PEX_OP_RETRY_SAFE, "retry_safe"},
        {PEX_OP_BATCH_SENSITIVE, "batch_sensitive"},
    };

    pex__write_open(out, "flags", '[');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((flags & names[i].bit) != 0)
            pex__write_text(out, NULL, names[i].name);
    }
    pex__write_close(out, ']');
}

static void write_param(struct pex__writer *out, const struct pex_param_def *def)
{
    pex__write_open(out, NULL, '{');
    pex__write_text(out, "name", def->name);
    pex__write_text(out, "type", pex__value_type_name(def->type));
    if (def->default_json != NULL)
        pex__write_raw(out, "default", def->default_json);
    if (def->choices != NULL)
        pex__write_choices(out, "choices", def->choices);
    if (def->min < def->max) {
        pex__write_double(out, "min", def->min);
        pex__write_double(out, "max", def->max);
    }
    pex__write_text(out, "help", def->help != NULL ? def->help : "");
    pex__write_open(out, "flags", '[');
    if ((def->flags & PEX_PARAM_REQUIRED) != 0)
        pex__write_text(out, NULL, "required");
    if ((def->flags & PEX_PARAM_NULLABLE) != 0)
        pex__write_text(out, NULL, "nullable");
    if ((def->flags & PEX_PARAM_IGNORED) != 0)
        pex__write_text(out, NULL, "ignored");
    pex__write_close(out, ']');
    pex__write_close(out, '}');
}

static void write_field(struct pex__writer *out, const struct pex_field_def *field)
{
    pex__write_open(out, NULL, '{');
    pex__write_text(out, field->name != NULL ? "name" : "param",
                    field->name != NULL ? field->name : field->param);
    pex__write_text(out, "kind", field->kind == PEX_FIELD_STAT ? "stat" : "path");
    pex__write_open(out, "access", '[');
    if ((field->access & PEX_FIELD_READ) != 0)
        pex__write_text(out, NULL, "read");
    if ((field->access & PEX_FIELD_WRITE) != 0)
        pex__write_text(out, NULL, "write");
    pex__write_close(out, ']');
    pex__write_close(out, '}');
}

static void write_operator(struct pex__writer *out, const struct pex__operator *operator)
{
    const struct pex_operator *op = &operator->op;

    pex__write_open(out, NULL, '{');
    pex__write_text(out, "name", op->name);
    pex__write_text(out, "version", op->version);
    pex__write_text(out, "help", op->help != NULL ? op->help : "");
    pex__write_text(out, "cardinality", cardinalities[op->cardinality]);
    write_flags(out, op->flags);
    pex__write_open(out, "params", '[');
    for (size_t i = 0; i < op->param_count; i++)
        write_param(out, &op->params[i]);
    pex__write_close(out, ']');
    pex__write_open(out, "fields", '[');
    for (size_t i = 0; i < op->field_count; i++)
        write_field(out, &op->fields[i]);
    pex__write_close(out, ']');
    if (operator->plugin != NULL)
        pex__write_text(out, "plugin", operator->plugin);
    else
        pex__write_raw(out, "plugin", "null");
    pex__write_close(out, '}');
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct pex__operator *const *)a)->op.name,
                  (*(const struct pex__operator *const *)b)->op.name);
}

static int32_t no_such_operator(struct pex__registry *registry, const char *name,
                                struct pex_error *err)
{
    const char *nearest = pex__registry_nearest(registry, name);
    const char *why = pex__reference_operator(name);

    if (why != NULL)
        return pex_error_set(err, PEX_ENOENT, "%s: an operator of Data-Juicer that is not here: %s",
                             name, why);
    if (nearest != NULL)
        return pex_error_set(err, PEX_ENOENT, "%s: no such operator; the nearest known is %s", name,
                             nearest);
    return pex_error_set(err, PEX_ENOENT, "%s: no such operator, and no known name is near", name);
}

int32_t pex__registry_describe(struct pex__registry *registry, const char *name, char **json,
                               struct pex_error *err)
{
    struct pex__buffer text = {0};
    struct pex__writer out = {.out = &text};
    const struct pex__operator **list;
    size_t count;

    if (name != NULL && pex__registry_find(registry, name) == NULL)
        return no_such_operator(registry, name, err);
    count = pex__registry_snapshot(registry, &list);
    if (list == NULL)
        return pex__error_memory(err);
    qsort(list, count, sizeof *list, by_name);
    pex__write_open(&out, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        if (name == NULL || strcmp(name, list[i]->op.name) == 0)
            write_operator(&out, list[i]);
    }
    pex__write_close(&out, ']');
    pex__free(list);
    if (out.failed == 0)
        out.failed = pex__buffer_add(&text, "", 1);
    if (out.failed != 0) {
        pex__buffer_free(&text);
        return pex__error_memory(err);
    }
    *json = text.data;
    return 0;
}
