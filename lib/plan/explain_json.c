/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as JSON. Keys are stable: tools read them. */
#include "plan/explain.h"

#include "plan/writer.h"

#include <partexec/scope.h>

#include <stdio.h>

static void write_or_null(struct pex__writer *out, const char *name, const char *text)
{
    if (text != NULL)
        pex__write_text(out, name, text);
    else
        pex__write_raw(out, name, "null");
}

static void write_export(struct pex__writer *out, const struct pex__export_form *form)
{
    static const char *const kinds[] = {"file", "shards", "folder"};
    static const char *const packs[] = {"none", "gz", "zst"};

    pex__write_open(out, "export", '{');
    pex__write_text(out, "form", kinds[form->kind]);
    pex__write_text(out, "compression", packs[form->pack]);
    pex__write_int64(out, "shard_bytes", (int64_t)form->shard_bytes);
    write_or_null(out, "stats", form->stats);
    pex__write_close(out, '}');
}

static void write_limits(struct pex__writer *out, const struct pex__plan *plan)
{
    char rate[32];

    snprintf(rate, sizeof rate, "%.15g", plan->max_error_rate);
    pex__write_raw(out, "max_error_rate", plan->max_error_rate >= 0 ? rate : "null");
    if (plan->max_errors >= 0)
        pex__write_int64(out, "max_errors", plan->max_errors);
    else
        pex__write_raw(out, "max_errors", "null");
}

static void write_head(struct pex__writer *out, const struct pex__plan *plan)
{
    pex__write_int64(out, "version", 1);
    pex__write_open(out, "input", '{');
    pex__write_bool(out, "missing", plan->input_missing);
    pex__write_int64(out, "files", plan->input_missing ? 0 : (int64_t)plan->input->source_count);
    pex__write_int64(out, "bytes", plan->input_missing ? 0 : (int64_t)plan->input->bytes);
    pex__write_int64(out, "compressed",
                     plan->input_missing ? 0 : (int64_t)pex__input_compressed(plan->input));
    pex__write_close(out, '}');
    write_or_null(out, "export_path", plan->export_path);
    write_export(out, &plan->export);
    write_or_null(out, "work_dir", plan->work_dir);
    write_or_null(out, "job_id", plan->job_id);
}

static void write_operator(struct pex__writer *out, const struct pex__plan *plan, size_t index)
{
    const struct pex__plan_op *op = &plan->ops[index];
    int64_t owner = pex__budget_owner(plan, index);

    pex__write_open(out, NULL, '{');
    pex__write_int64(out, "index", (int64_t)index);
    pex__write_text(out, "name", op->operator->op.name);
    pex__write_text(out, "version", op->operator->op.version);
    pex__write_raw(out, "params", pex__params_key(op->params));
    pex__write_raw(out, "given", pex__params_given(op->params));
    pex__write_text(out, "on_error", pex__policy_name(op->on_error));
    pex__write_int64(out, "batch_size", op->batch_size);
    pex__write_int64(out, "num_proc", op->num_proc);
    if (owner >= 0)
        pex__write_int64(out, "budget_of", owner);
    pex__write_open(out, "shares", '[');
    for (int32_t rank = 0; op->num_proc > 0 && rank < plan->max_concurrent; rank++)
        pex__write_int64(out, NULL,
                         pex_scope_share(plan->scope_policy, pex__budget_units(plan, index),
                                         plan->max_concurrent, rank));
    pex__write_close(out, ']');
    pex__write_close(out, '}');
}

static void write_stage(struct pex__writer *out, const struct pex__plan_stage *stage)
{
    static const char *const phases[] = {"process", "observe", "apply"};

    pex__write_open(out, NULL, '{');
    pex__write_open(out, "steps", '[');
    for (size_t i = 0; i < stage->step_count; i++) {
        pex__write_open(out, NULL, '{');
        pex__write_int64(out, "operator", stage->steps[i].op);
        pex__write_text(out, "phase", phases[stage->steps[i].phase]);
        pex__write_close(out, '}');
    }
    pex__write_close(out, ']');
    pex__write_open(out, "fields", '[');
    for (size_t i = 0; i < stage->layout->count; i++)
        pex__write_text(out, NULL, stage->layout->paths[i].name);
    pex__write_close(out, ']');
    pex__write_close(out, '}');
}

static void write_partitions(struct pex__writer *out, const struct pex__plan *plan)
{
    struct pex__spread spread = pex__plan_spread(plan);

    pex__write_open(out, "partitions", '{');
    pex__write_int64(out, "count", (int64_t)plan->partition_count);
    pex__write_text(out, "because", plan->count_reason);
    pex__write_int64(out, "bytes_min", (int64_t)spread.least);
    pex__write_int64(out, "bytes_max", (int64_t)spread.most);
    pex__write_open(out, "cuts", '[');
    for (size_t i = 0; i <= plan->partition_count; i++)
        pex__write_int64(out, NULL, (int64_t)plan->cuts[i].at);
    pex__write_close(out, ']');
    pex__write_close(out, '}');
    pex__write_open(out, "concurrency", '{');
    pex__write_int64(out, "active", plan->max_concurrent);
    pex__write_text(out, "because", plan->limit);
    pex__write_close(out, '}');
}

static void write_rest(struct pex__writer *out, const struct pex__plan *plan,
                       const struct pex__machine *machine)
{
    pex__write_text(out, "scope_policy",
                    plan->scope_policy == PEX_SCOPE_BALANCED ? "balanced" : "elastic");
    pex__write_open(out, "threads", '{');
    pex__write_int64(out, "workers", machine->workers);
    pex__write_int64(out, "blocking", plan->threads - machine->workers);
    pex__write_close(out, '}');
    pex__write_open(out, "memory", '{');
    pex__write_int64(out, "limit", (int64_t)plan->memory_limit);
    pex__write_int64(out, "granted", (int64_t)pex__plan_granted(plan));
    pex__write_int64(out, "reserve", (int64_t)pex__plan_reserve(plan));
    pex__write_int64(out, "slice", (int64_t)plan->slice_bytes);
    pex__write_close(out, '}');
    pex__write_text(out, "on_error", pex__policy_name(plan->on_error));
    write_limits(out, plan);
    pex__write_text(out, "durability",
                    plan->durability == PEX__DURABILITY_POWER ? "power" : "process");
    pex__write_bool(out, "checkpoint_enabled", plan->checkpoint_enabled);
    pex__write_open(out, "notices", '[');
    for (size_t i = 0; i < plan->notice_count; i++)
        pex__write_text(out, NULL, plan->notices[i]);
    pex__write_close(out, ']');
}

int32_t pex__explain_json(const struct pex__plan *plan, const struct pex__machine *machine,
                          struct pex__buffer *out)
{
    struct pex__writer writer = {.out = out};

    pex__write_open(&writer, NULL, '{');
    write_head(&writer, plan);
    pex__write_open(&writer, "operators", '[');
    for (size_t i = 0; i < plan->op_count; i++)
        write_operator(&writer, plan, i);
    pex__write_close(&writer, ']');
    pex__write_open(&writer, "stages", '[');
    for (size_t i = 0; i < plan->stage_count; i++)
        write_stage(&writer, &plan->stages[i]);
    pex__write_close(&writer, ']');
    write_partitions(&writer, plan);
    write_rest(&writer, plan, machine);
    pex__write_close(&writer, '}');
    return writer.failed;
}
