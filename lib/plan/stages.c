/* SPDX-License-Identifier: Apache-2.0 */
/* Stages: the chain split at its convergence points, and the columns of each. */
#include "plan/build.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The paths of a stage while they are collected. */
struct columns {
    struct pex__path *paths;
    size_t count;
    size_t capacity;
};

static void free_columns(struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        pex__path_free(&columns->paths[i]);
    pex__free(columns->paths);
}

/* Takes over `path`; *column gets its index. */
static int32_t add_column(struct columns *columns, struct pex__path *path, int32_t *column)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (pex__path_equal(&columns->paths[i], path)) {
            pex__path_free(path);
            *column = (int32_t)i;
            return 0;
        }
    }
    if (pex__grow(&columns->paths, &columns->capacity, columns->count + 1,
                  sizeof *columns->paths) != 0) {
        pex__path_free(path);
        return PEX_ENOMEM;
    }
    *column = (int32_t)columns->count;
    columns->paths[columns->count++] = *path;
    return 0;
}

/* The text that names a field: literal, or the value of a parameter; NULL: there is no such field.
 */
static const char *field_name(const struct pex__plan_op *op, const struct pex_field_def *field)
{
    struct pex_string_view view;

    if (field->name != NULL)
        return field->name;
    if (pex_params_string(op->params, field->param, &view) != 0 || view.length == 0)
        return NULL;
    return view.data;
}

int32_t pex__field_path(const struct pex__plan_op *op, size_t index, const char **name,
                        struct pex__path *path, struct pex_error *err)
{
    const struct pex_field_def *field = &op->operator->op.fields[index];
    const char *keys[2] = {PEX__STATS_KEY, field_name(op, field)};

    *name = keys[1];
    if (keys[1] == NULL)
        return PEX_ENOENT;
    if (field->kind == PEX_FIELD_STAT)
        return pex__path_keys(keys, 2, path);
    return pex__path_parse(keys[1], path, err);
}

/* Fills the site of a step; its three arrays are one allocation. */
static void make_site(struct pex__build *build, struct pex__plan_step *step,
                      struct columns *columns)
{
    const struct pex__plan_op *op = &build->plan->ops[step->op];
    size_t count = op->operator->op.field_count;
    int32_t *arrays = pex__calloc(3 * count, sizeof *arrays);
    struct pex__path path;
    const char *name;
    int32_t code = 0;

    if (arrays == NULL) {
        pex__build_join(build, PEX_ENOMEM);
        return;
    }
    step->site = (struct pex__site){.columns = arrays,
                                    .kinds = arrays + count,
                                    .access = arrays + 2 * count,
                                    .field_count = count,
                                    .op = step->op,
                                    .cardinality = op->operator->op.cardinality,
                                    .phase = step->phase,
                                    .keeps_dropped = build->plan->keep_dropped};
    for (size_t i = 0; i < count; i++) {
        arrays[i] = -1;
        arrays[count + i] = op->operator->op.fields[i].kind;
        arrays[2 * count + i] = op->operator->op.fields[i].access;
        code = pex__field_path(op, i, &name, &path, NULL);
        if (code == 0)
            code = add_column(columns, &path, &arrays[i]);
        if (code != 0 && code != PEX_ENOENT)
            pex__build_join(build, code);
    }
}

static void make_layout(struct pex__build *build, struct pex__plan_stage *stage)
{
    struct columns columns = {0};
    int32_t code;

    for (size_t i = 0; i < stage->step_count; i++)
        make_site(build, &stage->steps[i], &columns);
    if (build->code != 0) {
        free_columns(&columns);
        return;
    }
    code = pex__layout_create(columns.paths, columns.count, &stage->layout);
    if (code != 0)
        pex__build_join(build, code);
}

/* A global operator that is not left out. */
static int is_global(const struct pex__plan_op *op)
{
    return op->operator->op.cardinality == PEX_GLOBAL && !op->is_left_out;
}

static void add_step(struct pex__plan_stage *stage, size_t op, int32_t phase)
{
    stage->steps[stage->step_count++] = (struct pex__plan_step){.op = (int32_t)op, .phase = phase};
}

void pex__build_stages(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    size_t count = 1, at = 0;

    for (size_t i = 0; i < plan->op_count; i++)
        count += (size_t)is_global(&plan->ops[i]);
    plan->stages = pex__calloc(count, sizeof *plan->stages);
    for (size_t i = 0; i < count && plan->stages != NULL; i++) {
        plan->stage_count++;
        plan->stages[i].steps = pex__calloc(plan->op_count + 1, sizeof *plan->stages[i].steps);
        if (plan->stages[i].steps == NULL)
            break;
    }
    if (plan->stage_count != count || plan->stages[count - 1].steps == NULL) {
        pex__build_join(build, PEX_ENOMEM);
        return;
    }
    for (size_t i = 0; i < plan->op_count; i++) {
        if (plan->ops[i].is_left_out)
            continue;
        if (!is_global(&plan->ops[i])) {
            add_step(&plan->stages[at], i, PEX__PHASE_PROCESS);
            continue;
        }
        /* It observes at the end of a stage and applies at the start of the next. */
        add_step(&plan->stages[at++], i, PEX__PHASE_OBSERVE);
        add_step(&plan->stages[at], i, PEX__PHASE_APPLY);
    }
    for (size_t i = 0; i < count; i++)
        make_layout(build, &plan->stages[i]);
}

/* Non-zero if a path is that of all stats, or of this one. */
static int leads_to_stat(const char *path, const char *key)
{
    size_t length = strlen(PEX__STATS_KEY);

    if (strncmp(path, PEX__STATS_KEY, length) != 0)
        return 0;
    return path[length] == '\0' || (path[length] == '.' && strcmp(path + length + 1, key) == 0);
}

/* Non-zero if the op reads the stat by way of a path. */
static int reads_stat_path(const struct pex__plan_op *op, const char *key)
{
    for (size_t i = 0; i < op->operator->op.field_count; i++) {
        const struct pex_field_def *field = &op->operator->op.fields[i];
        const char *name = field_name(op, field);

        if (field->kind == PEX_FIELD_PATH && (field->access & PEX_FIELD_READ) != 0 &&
            name != NULL && leads_to_stat(name, key))
            return 1;
    }
    return 0;
}

/* Non-zero if the op declares this stat with one of these kinds of access. */
static int declares_stat(const struct pex__plan_op *op, const char *key, int32_t access)
{
    for (size_t i = 0; i < op->operator->op.field_count; i++) {
        const struct pex_field_def *field = &op->operator->op.fields[i];
        const char *name = field_name(op, field);

        if (field->kind == PEX_FIELD_STAT && (field->access & access) != 0 && name != NULL &&
            strcmp(name, key) == 0)
            return 1;
    }
    return 0;
}

static void look_for_stat(struct pex__build *build, size_t index, const char *key)
{
    struct pex__plan *plan = build->plan;

    for (size_t later = index + 1; later < plan->op_count; later++) {
        if (declares_stat(&plan->ops[later], key, PEX_FIELD_READ | PEX_FIELD_WRITE) ||
            reads_stat_path(&plan->ops[later], key))
            plan->ops[index].stats_wanted = 1;
        if (declares_stat(&plan->ops[later], key, PEX_FIELD_WRITE))
            pex__build_notice(
                build,
                "process.%zu.%s: reuses the stat %s that process.%zu.%s wrote, also if "
                "the text has changed since",
                later, plan->ops[later].operator->op.name, key, index,
                plan->ops[index].operator->op.name);
    }
}

void pex__build_stats(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;

    for (size_t i = 0; i < plan->op_count; i++) {
        plan->ops[i].stats_wanted = plan->keep_stats || plan->export.has_stats;
        for (size_t f = 0; f < plan->ops[i].operator->op.field_count; f++) {
            const struct pex_field_def *field = &plan->ops[i].operator->op.fields[f];
            const char *name = field_name(&plan->ops[i], field);

            if (field->kind == PEX_FIELD_STAT && (field->access & PEX_FIELD_WRITE) != 0 &&
                name != NULL)
                look_for_stat(build, i, name);
        }
    }
}
