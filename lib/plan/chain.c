/* SPDX-License-Identifier: Apache-2.0 */
/* The chain: entries of `process` to operators with checked parameters. */
#include "plan/build.h"

#include "base/memory.h"
#include "plan/operator.h"
#include "plan/value.h"

#include <stdio.h>
#include <string.h>

#define PLACE_MAX 256

/* One entry of `process`, taken apart. */
struct entry {
    char place[PLACE_MAX]; /* "process.1.text_length_filter" */
    const struct pex__operator *operator;
    json_t *own;    /* parameters of the operator itself */
    json_t *engine; /* keys that the engine takes, checked */
};

int32_t pex__policy_of(const json_t *object, int32_t otherwise)
{
    const json_t *policy = json_object_get(object, "on_error");
    const json_t *skip = json_object_get(object, "skip_op_error");

    if (json_is_string(policy)) {
        if (strcmp(json_string_value(policy), "fail") == 0)
            return PEX__ON_ERROR_FAIL;
        return strcmp(json_string_value(policy), "skip") == 0 ? PEX__ON_ERROR_SKIP
                                                              : PEX__ON_ERROR_QUARANTINE;
    }
    if (json_is_boolean(skip))
        return json_is_true(skip) ? PEX__ON_ERROR_QUARANTINE : PEX__ON_ERROR_FAIL;
    return otherwise;
}

static void check_engine_key(struct pex__build *build, const struct pex__spec_key *key,
                             const char *place, json_t *value)
{
    struct pex_param_def def = {key->path, NULL,     key->choices, NULL,
                                key->min,  key->max, key->type,    0};
    char path[PLACE_MAX + 64], found[80];
    uint64_t bytes;

    snprintf(path, sizeof path, "%s.%s", place, key->path);
    if (key->type != PEX__KEY_BYTES)
        pex__build_join(build, pex__value_check(value, &def, path, build->errors));
    else if (pex__value_bytes(value, UINT64_C(1) << 30, UINT64_C(1) << 40, &bytes) != 0)
        pex__build_fail(build, PEX_ESPEC,
                        "%s: found %s, expected memory in GB, or text as \"512MB\"", path,
                        pex__value_show(value, found, sizeof found));
}

static void note_ignored(struct pex__build *build, const char *place, const char *name,
                         const char *why)
{
    char path[PLACE_MAX + 64];

    snprintf(path, sizeof path, "%s.%s", place, name);
    if (pex__note_ignored(&build->ignored, path, why) != 0)
        pex__build_join(build, PEX_ENOMEM);
}

/* Sends one key of an entry to the operator, to the engine, or nowhere. */
static void take_key(struct pex__build *build, struct entry *entry, const char *name, json_t *value)
{
    size_t count;
    const struct pex__spec_key *keys = pex__operator_keys(&count), *key;
    int32_t index = pex__operator_param(&entry->operator->op, name);
    char found[80];

    key = index < 0 ? pex__spec_key_find(keys, count, name) : NULL;
    if (index >= 0 && (entry->operator->op.params[index].flags & PEX_PARAM_IGNORED) != 0)
        note_ignored(build, entry->place, name, entry->operator->op.params[index].help);
    if (key == NULL) {
        if (json_object_set(entry->own, name, value) != 0)
            pex__build_join(build, PEX_ENOMEM);
        return;
    }
    if (key->class == PEX__KEY_IGNORED)
        note_ignored(build, entry->place, name, key->help);
    if (key->class == PEX__KEY_IGNORED || json_is_null(value))
        return;
    if (key->class == PEX__KEY_REFUSED) {
        pex__build_fail(build, PEX_ESPEC, "%s.%s: found %s, which is not in this version: %s",
                        entry->place, name, pex__value_show(value, found, sizeof found), key->help);
        return;
    }
    check_engine_key(build, key, entry->place, value);
    if (json_object_set(entry->engine, name, value) != 0)
        pex__build_join(build, PEX_ENOMEM);
}

/* The old name of a key counts where the new one is not given. */
static const json_t *engine_value(struct pex__build *build, const struct entry *entry,
                                  const char *name, const char *old_name)
{
    const json_t *value = json_object_get(entry->engine, name);
    const json_t *old = json_object_get(entry->engine, old_name);

    if (old != NULL)
        pex__build_notice(build, "%s.%s: old name of %s%s", entry->place, old_name, name,
                          value != NULL ? ", which is given too and counts" : "");
    return value != NULL ? value : old;
}

/* text_keys of the job is the default of a parameter named text_key. */
static void default_text_key(struct pex__build *build, struct entry *entry)
{
    const json_t *keys = pex__spec_given(build->spec, "text_keys");
    const json_t *first = json_is_array(keys) ? json_array_get(keys, 0) : keys;
    json_t *text;

    if (!json_is_string(first) || json_object_get(entry->own, "text_key") != NULL ||
        pex__operator_param(&entry->operator->op, "text_key") < 0)
        return;
    text = json_stringn(json_string_value(first), json_string_length(first));
    if (text == NULL || json_object_set_new(entry->own, "text_key", text) != 0)
        pex__build_join(build, PEX_ENOMEM);
}

/* What needs a device, or asks for one, cannot run here. */
static void check_device(struct pex__build *build, const struct entry *entry)
{
    const json_t *gpus = engine_value(build, entry, "num_gpus", "gpu_required");
    const json_t *accelerator = json_object_get(entry->engine, "accelerator");

    if ((entry->operator->op.flags & PEX_OP_GPU) != 0)
        pex__build_fail(
            build, PEX_ESPEC,
            "%s: the operator needs a device: no device back end in this version; leave "
            "the operator out",
            entry->place);
    else if (json_is_number(gpus) && json_number_value(gpus) > 0)
        pex__build_fail(build, PEX_ESPEC,
                        "%s.num_gpus: the operator uses no device; leave num_gpus out",
                        entry->place);
    else if (json_is_string(accelerator) && strcmp(json_string_value(accelerator), "cuda") == 0)
        pex__build_fail(build, PEX_ESPEC,
                        "%s.accelerator: found \"cuda\", expected \"cpu\": the operator uses no "
                        "device",
                        entry->place);
}

/* The units that `num_cpus` and `memory` leave room for; 0: no limit from them. */
static int32_t resource_bound(struct pex__build *build, const struct entry *entry)
{
    const json_t *cpus = engine_value(build, entry, "num_cpus", "cpu_required");
    const json_t *memory = engine_value(build, entry, "memory", "mem_required");
    double bound = 0, fit;
    uint64_t bytes;

    if (json_is_number(cpus) && json_number_value(cpus) > 1) {
        bound = build->machine->workers / json_number_value(cpus);
        if (bound < 1)
            pex__build_notice(build, "%s.num_cpus: clipped to the %d workers that there are",
                              entry->place, build->machine->workers);
        bound = bound < 1 ? 1 : bound;
    }
    if (memory != NULL &&
        pex__value_bytes(memory, UINT64_C(1) << 30, build->machine->memory_bytes, &bytes) == 0) {
        fit = (double)(build->machine->memory_bytes / bytes);
        if (fit < 1)
            pex__build_fail(build, PEX_ELIMIT,
                            "%s.memory: an instance needs %llu bytes, the machine has %llu; it "
                            "could not run even once",
                            entry->place, (unsigned long long)bytes,
                            (unsigned long long)build->machine->memory_bytes);
        bound = bound == 0 || fit < bound ? fit : bound;
    }
    return bound > INT32_MAX ? 0 : (int32_t)bound;
}

/* An explicit num_proc, clipped to int32, or 0 for automatic. */
static int32_t explicit_units(const struct entry *entry)
{
    json_int_t units = json_integer_value(json_object_get(entry->engine, "num_proc"));

    if (units <= 0)
        return 0;
    return units > INT32_MAX ? INT32_MAX : (int32_t)units;
}

/* The units of an operator's budget; 0: none. What cannot run at a time is no unit. */
static int32_t units_of(struct pex__build *build, const struct entry *entry, int32_t bound)
{
    int is_blocking = (entry->operator->op.flags & PEX_OP_BLOCKING) != 0;
    int32_t workers = build->machine->workers, units = explicit_units(entry);

    if (units == 0 && bound > 0 && bound < workers)
        return bound;
    if (units == 0)
        return is_blocking ? workers : 0;
    if (bound > 0 && units > bound) {
        pex__build_notice(build, "%s.num_proc: %d clipped to %d by num_cpus or memory",
                          entry->place, units, bound);
        units = bound;
    }
    if (!is_blocking && units > workers) {
        pex__build_notice(build, "%s.num_proc: %d clipped to the %d workers that could call it",
                          entry->place, units, workers);
        units = workers;
    }
    return units;
}

static void set_engine_values(struct pex__build *build, const struct entry *entry,
                              struct pex__plan_op *op)
{
    const json_t *rows = json_object_get(entry->engine, "batch_size");
    int32_t bound = resource_bound(build, entry);

    op->on_error = pex__policy_of(entry->engine, build->plan->on_error);
    op->batch_size = json_is_integer(rows) ? (int32_t)json_integer_value(rows)
                                           : (int32_t)pex__spec_int64(build->spec, "batch_size");
    if (op->batch_size < 0)
        op->batch_size = 0;
    op->is_left_out = build->plan->keep_dropped && entry->operator->op.cardinality == PEX_GLOBAL;
    if (op->is_left_out) {
        pex__build_notice(build,
                          "%s: left out: what it decides depends on rows that filters drop, and "
                          "here they drop none",
                          entry->place);
        return;
    }
    op->is_blocking = (entry->operator->op.flags & PEX_OP_BLOCKING) != 0;
    op->num_proc = units_of(build, entry, bound);
}

static void check_by_operator(struct pex__build *build, const struct entry *entry,
                              const pex_params *params)
{
    struct pex_error err = {0};
    int32_t code;

    if (entry->operator->op.check == NULL)
        return;
    code = entry->operator->op.check(params, &err);
    if (code != 0)
        pex__build_fail(build, code == PEX_ENOMEM ? PEX_ENOMEM : PEX_ESPEC, "%s: %s", entry->place,
                        err.message[0] != '\0' ? err.message : pex_strerror(code));
}

/* Paths that come from parameters are known now. */
static void check_fields(struct pex__build *build, const struct entry *entry,
                         const struct pex__plan_op *op)
{
    const struct pex_operator *table = &op->operator->op;

    for (size_t i = 0; i < table->field_count; i++) {
        struct pex_error err = {0};
        struct pex__path path;
        const char *name;
        int32_t code = pex__field_path(op, i, &name, &path, &err);

        if (code == 0)
            pex__path_free(&path);
        else if (code == PEX_ENOMEM)
            pex__build_join(build, code);
        else if (code != PEX_ENOENT)
            pex__build_fail(build, PEX_ESPEC, "%s.%s: found \"%s\", expected a field, as a or a.b",
                            entry->place, table->fields[i].param, name);
    }
}

static void make_key(struct pex__build *build, struct pex__plan_op *op)
{
    struct pex__buffer key = {0};

    if (pex__buffer_print(&key, "%s@%s%s", op->operator->op.name, op->operator->op.version,
                          pex__params_key(op->params)) != 0 ||
        pex__buffer_add(&key, "", 1) != 0) {
        pex__buffer_free(&key);
        pex__build_join(build, PEX_ENOMEM);
    }
    op->budget_key = key.data;
}

/* The plan's op for an entry whose operator was found; the op stands in the plan also when its
 * parameters are wrong, and is freed with it. */
static void build_op(struct pex__build *build, struct entry *entry)
{
    struct pex__plan_op *op = &build->plan->ops[build->plan->op_count++];
    int32_t code;

    op->operator= entry->operator;
    default_text_key(build, entry);
    check_device(build, entry);
    code = pex__params_create(&entry->operator->op, entry->own, entry->place, &op->params,
                              build->errors);
    pex__build_join(build, code);
    if (code != 0)
        return;
    check_fields(build, entry, op);
    check_by_operator(build, entry, op->params);
    make_key(build, op);
    set_engine_values(build, entry, op);
}

static void unknown_operator(struct pex__build *build, const char *place, const char *name)
{
    const char *nearest = pex__registry_nearest(build->registry, name);
    const char *why = pex__reference_operator(name);

    if (why != NULL)
        pex__build_fail(build, PEX_ESPEC, "%s: an operator of Data-Juicer that is not here: %s",
                        place, why);
    else if (nearest != NULL)
        pex__build_fail(build, PEX_ESPEC, "%s: unknown operator; the nearest known is %s", place,
                        nearest);
    else
        pex__build_fail(build, PEX_ESPEC,
                        "%s: unknown operator, and no known name is near; `ops` lists them all",
                        place);
}

static void build_entry(struct pex__build *build, size_t index, const char *name,
                        const json_t *params)
{
    struct entry entry = {.operator= pex__registry_find(build->registry, name)};
    char found[80];
    const char *key;
    json_t *value;

    snprintf(entry.place, sizeof entry.place, "process.%zu.%s", index, name);
    if (entry.operator== NULL) {
        unknown_operator(build, entry.place, name);
        return;
    }
    if (params != NULL && !json_is_object(params) && !json_is_null(params)) {
        pex__build_fail(build, PEX_ESPEC, "%s: found %s, expected an object of parameters, or null",
                        entry.place, pex__value_show(params, found, sizeof found));
        return;
    }
    entry.own = json_object();
    entry.engine = json_object();
    if (entry.own == NULL || entry.engine == NULL)
        pex__build_join(build, PEX_ENOMEM);
    json_object_foreach((json_t *)params, key, value)
    {
        take_key(build, &entry, key, value);
    }
    build_op(build, &entry);
    json_decref(entry.own);
    json_decref(entry.engine);
}

static void take_entry(struct pex__build *build, size_t index, const json_t *entry)
{
    char found[80];
    const char *name;
    json_t *params;

    if (pex__value_is_text(entry)) {
        build_entry(build, index, json_string_value(entry), NULL);
        return;
    }
    if (json_is_object(entry) && json_object_size(entry) == 1) {
        json_object_foreach((json_t *)entry, name, params)
        {
            build_entry(build, index, name, params);
        }
        return;
    }
    pex__value_show(entry, found, sizeof found);
    if (json_object_size(entry) > 1)
        pex__build_fail(build, PEX_ESPEC,
                        "process.%zu: found %zu operators in one entry, expected one: %s (are its "
                        "parameters indented?)",
                        index, json_object_size(entry), found);
    else
        pex__build_fail(build, PEX_ESPEC,
                        "process.%zu: found %s, expected an operator's name or {operator: "
                        "{parameters}}",
                        index, found);
}

void pex__build_chain(struct pex__build *build)
{
    const json_t *process = pex__spec_given(build->spec, "process");
    const json_t *keys = pex__spec_given(build->spec, "text_keys");
    char found[80];

    if (json_array_size(keys) > 1)
        pex__build_notice(build,
                          "text_keys: the first of %zu names counts, as in the reference; use "
                          "text_key of an operator for another",
                          json_array_size(keys));
    if (process == NULL)
        return;
    if (!json_is_array(process)) {
        pex__build_fail(build, PEX_ESPEC, "process: found %s, expected a list of operators",
                        pex__value_show(process, found, sizeof found));
        return;
    }
    build->plan->ops = pex__calloc(json_array_size(process), sizeof *build->plan->ops);
    if (build->plan->ops == NULL) {
        pex__build_join(build, PEX_ENOMEM);
        return;
    }
    for (size_t i = 0; i < json_array_size(process); i++)
        take_entry(build, i, json_array_get(process, i));
}
