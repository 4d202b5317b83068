/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as text. Every line follows from the plan alone: the same plan gives the same text. */
#include "plan/explain.h"

#include "data/pack.h"

#include <partexec/scope.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHARES_SHOWN 16

/* Printed lines; the first failure sticks. */
struct page {
    struct pex__buffer *out;
    int32_t failed;
};

static void say(struct page *page, const char *format, ...) PEX_PRINTF(2, 3);
static void say(struct page *page, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (page->failed == 0)
        page->failed = pex__buffer_text(page->out, text);
}

/* Text of any length between two of ours. */
static void say_long(struct page *page, const char *before, const char *text, const char *after)
{
    const char *const parts[] = {before, text, after};

    for (int i = 0; i < 3 && page->failed == 0; i++)
        page->failed = pex__buffer_text(page->out, parts[i]);
}

struct pex__spread pex__plan_spread(const struct pex__plan *plan)
{
    struct pex__spread spread = {UINT64_MAX, 0};

    for (size_t i = 0; i < plan->partition_count; i++) {
        uint64_t bytes = plan->cuts[i + 1].at - plan->cuts[i].at;

        spread.least = bytes < spread.least ? bytes : spread.least;
        spread.most = bytes > spread.most ? bytes : spread.most;
    }
    return spread;
}

const char *pex__policy_name(int32_t on_error)
{
    static const char *const names[] = {"fail", "skip", "quarantine"};

    return names[on_error];
}

int64_t pex__budget_owner(const struct pex__plan *plan, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (plan->ops[i].num_proc > 0 &&
            strcmp(plan->ops[i].budget_key, plan->ops[index].budget_key) == 0)
            return (int64_t)i;
    }
    return -1;
}

int32_t pex__budget_units(const struct pex__plan *plan, size_t index)
{
    int32_t units = 0;

    for (size_t i = 0; i < plan->op_count; i++) {
        if (plan->ops[i].num_proc > units &&
            strcmp(plan->ops[i].budget_key, plan->ops[index].budget_key) == 0)
            units = plan->ops[i].num_proc;
    }
    return units;
}

uint64_t pex__plan_granted(const struct pex__plan *plan)
{
    return plan->memory_limit - plan->slice_bytes * (uint64_t)plan->threads;
}

uint64_t pex__plan_reserve(const struct pex__plan *plan)
{
    return pex__plan_least_memory(plan->slice_bytes, 0);
}

/* "1.5 MiB (1572864 bytes)"; below a KiB the bytes alone. */
static const char *size_text(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double shown = (double)bytes / 1024;
    int unit = 0;

    if (bytes < 1024) {
        snprintf(text, size, "%llu bytes", (unsigned long long)bytes);
        return text;
    }
    for (; shown >= 1024 && unit < 3; unit++)
        shown /= 1024;
    /* Tenths by integers: the decimal point is not the locale's. */
    snprintf(text, size, "%llu.%llu %s (%llu bytes)", (unsigned long long)shown,
             (unsigned long long)(shown * 10) % 10, units[unit], (unsigned long long)bytes);
    return text;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void say_form(struct page *page, const struct pex__export_form *form)
{
    char size[64];

    if (form->kind == PEX__EXPORT_SHARDS)
        say(page, ", shards of up to %s", size_text(form->shard_bytes, size, sizeof size));
    if (form->kind == PEX__EXPORT_FOLDER)
        say(page, ", a file per partition");
    if (form->pack != PEX__PACK_NONE)
        say(page, ", %s", pex__pack_suffix(form->pack) + 1);
    if (form->stats != NULL)
        say_long(page, "\nstats        ", form->stats, "");
    say(page, "\n");
}

static void say_input(struct page *page, const struct pex__plan *plan)
{
    size_t compressed = pex__input_compressed(plan->input);
    char size[64];

    say(page, "input        %zu %s%s, %s\n", plan->input->source_count,
        plan->input->buffers != NULL ? "buffer" : "file", plural(plan->input->source_count),
        size_text(plan->input->bytes, size, sizeof size));
    if (compressed > 0)
        say(page, "             %zu of them compressed: cut between files and zstd frames\n",
            compressed);
}

static void say_head(struct page *page, const struct pex__plan *plan)
{
    say(page, "%zu operator%s in %zu stage%s, %zu partition%s, %d active at once\n\n",
        plan->op_count, plural(plan->op_count), plan->stage_count, plural(plan->stage_count),
        plan->partition_count, plural(plan->partition_count), plan->max_concurrent);
    if (plan->input_missing)
        say(page, "input        missing\n");
    else if (plan->input->feed != NULL)
        say(page, "input        a source of the host's, its size is not known\n");
    else
        say_input(page, plan);
    say_long(page, "export       ", plan->export_path != NULL ? plan->export_path : "none", "");
    say_form(page, &plan->export);
    say_long(page, "work         ", plan->work_dir != NULL ? plan->work_dir : "none", "");
    if (plan->work_dir != NULL)
        say_long(page, "/", plan->job_id != NULL ? plan->job_id : "{job_id}", "");
    say(page, "\n");
}

static size_t name_width(const struct pex__plan *plan)
{
    size_t width = 8;

    for (size_t i = 0; i < plan->op_count; i++) {
        size_t length = strlen(plan->ops[i].operator->op.name);

        width = length > width ? length : width;
    }
    return width;
}

static void say_params(struct page *page, const struct pex__plan *plan,
                       const struct pex__plan_op *op)
{
    struct pex__buffer text = {0};

    if (pex__params_changed(op->params, &text) != 0 || pex__buffer_add(&text, "", 1) != 0)
        page->failed = PEX_ENOMEM;
    else if (text.length > 1)
        say_long(page, "  ", text.data, "");
    pex__buffer_free(&text);
    if (op->batch_size > 0)
        say(page, "  batch_size=%d", op->batch_size);
    if (op->on_error != plan->on_error)
        say(page, "  on_error=%s", pex__policy_name(op->on_error));
}

static void say_stage(struct page *page, const struct pex__plan *plan, size_t index, size_t width)
{
    static const char *const phases[] = {"       ", "observe", "apply  "};
    const struct pex__plan_stage *stage = &plan->stages[index];

    say(page, "\nstage %zu\n", index);
    if (stage->step_count == 0)
        say(page, "  rows are copied\n");
    for (size_t i = 0; i < stage->step_count; i++) {
        const struct pex__plan_step *step = &stage->steps[i];
        const struct pex__plan_op *op = &plan->ops[step->op];

        say(page, "  %3d  %-*s  %s", step->op, (int)width, op->operator->op.name,
            phases[step->phase]);
        if (step->phase != PEX__PHASE_APPLY)
            say_params(page, plan, op);
        while (page->out->length > 0 && page->out->data[page->out->length - 1] == ' ')
            page->out->length--;
        say(page, "\n");
        if (step->phase == PEX__PHASE_OBSERVE)
            say(page, "  convergence point: operator %d decides when all rows were observed\n",
                step->op);
    }
}

static void say_partitions(struct page *page, const struct pex__plan *plan,
                           const struct pex__machine *machine)
{
    struct pex__spread spread = pex__plan_spread(plan);
    char least[64], most[64];

    size_text(spread.least, least, sizeof least);
    size_text(spread.most, most, sizeof most);
    say(page, "\npartitions   %zu of %s", plan->partition_count, least);
    if (spread.least != spread.most)
        say(page, " to %s", most);
    say(page, "\n             because: %s\n", plan->count_reason);
    say(page, "active       %d at once\n             because: %s\n", plan->max_concurrent,
        plan->limit);
    say(page, "threads      %d worker%s, %d for blocking operators\n", machine->workers,
        plural((size_t)machine->workers), plan->threads - machine->workers);
}

/* The shares of the active partitions, by rank. */
static void say_shares(struct page *page, const struct pex__plan *plan, int32_t units)
{
    for (int32_t rank = 0; rank < plan->max_concurrent && rank < SHARES_SHOWN; rank++)
        say(page, "%s%d", rank != 0 ? " " : "",
            pex_scope_share(plan->scope_policy, units, plan->max_concurrent, rank));
    if (plan->max_concurrent > SHARES_SHOWN)
        say(page, " ..");
}

static void say_budgets(struct page *page, const struct pex__plan *plan, size_t width)
{
    say(page, "\nbudgets      %s\n",
        plan->scope_policy == PEX_SCOPE_BALANCED ? "balanced" : "elastic");
    say(page, "       %-*s  num_proc  shares of the active partitions\n", (int)width, "operator");
    for (size_t i = 0; i < plan->op_count; i++) {
        const struct pex__plan_op *op = &plan->ops[i];
        int64_t owner = pex__budget_owner(plan, i);

        if (op->num_proc == 0) {
            say(page, "  %3zu  %-*s  %8s  not shared: %s\n", i, (int)width, op->operator->op.name,
                "auto",
                (op->operator->op.flags & PEX_OP_REENTRANT) != 0 ? "one instance for all workers"
                                                                 : "an instance per worker");
            continue;
        }
        say(page, "  %3zu  %-*s  %8d  ", i, (int)width, op->operator->op.name, op->num_proc);
        if (owner >= 0)
            say(page, "the budget of operator %lld", (long long)owner);
        else
            say_shares(page, plan, pex__budget_units(plan, i));
        say(page, "\n");
    }
}

static void say_rest(struct page *page, const struct pex__plan *plan)
{
    char text[64];

    say(page, "\nmemory       limit %s\n", size_text(plan->memory_limit, text, sizeof text));
    say(page, "             granted at most %s\n",
        size_text(pex__plan_granted(plan), text, sizeof text));
    say(page, "             reserve of a partition %s\n",
        size_text(pex__plan_reserve(plan), text, sizeof text));
    say(page, "slice        %s\n", size_text(plan->slice_bytes, text, sizeof text));
    say(page, "errors       %s", pex__policy_name(plan->on_error));
    if (plan->max_errors >= 0)
        say(page, ", max_errors %lld", (long long)plan->max_errors);
    if (plan->max_error_rate >= 0)
        say(page, ", max_error_rate %g", plan->max_error_rate);
    say(page, "\n");
    say(page, "durability   %s, checkpoints %s\n",
        plan->durability == PEX__DURABILITY_POWER ? "power" : "process",
        plan->checkpoint_enabled ? "on" : "off");
    if (plan->notice_count != 0)
        say(page, "\nnotices\n");
    for (size_t i = 0; i < plan->notice_count; i++)
        say_long(page, "  - ", plan->notices[i], "\n");
}

int32_t pex__explain_text(const struct pex__plan *plan, const struct pex__machine *machine,
                          struct pex__buffer *out)
{
    struct page page = {out, 0};
    size_t width = name_width(plan);

    say_head(&page, plan);
    for (size_t i = 0; i < plan->stage_count; i++)
        say_stage(&page, plan, i, width);
    say_partitions(&page, plan, machine);
    if (plan->op_count != 0)
        say_budgets(&page, plan, width);
    say_rest(&page, plan);
    return page.failed;
}

int32_t pex__plan_explain(const struct pex__plan *plan, const struct pex__machine *machine,
                          int32_t format, struct pex__buffer *out)
{
    if (format == PEX_EXPLAIN_JSON)
        return pex__explain_json(plan, machine, out);
    return format == PEX_EXPLAIN_TEXT ? pex__explain_text(plan, machine, out) : PEX_EINVAL;
}
