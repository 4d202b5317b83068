/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads, how large a slice, how many partitions, and how many of them at once. */
#include "plan/build.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SLICE_DEFAULT (UINT64_C(256) << 10)
#define SLICE_LEAST (UINT64_C(16) << 10)
/* A partition's reserve, in slices: the growth that a stage is taken to have before it is learned.
 */
#define RESERVE_SLICES 3
#define COUNT_MAX (1 << 20)

uint64_t pex__plan_least_memory(uint64_t slice_bytes, int32_t threads)
{
    return slice_bytes * ((uint64_t)threads + RESERVE_SLICES);
}

/* Non-zero if an earlier op has the same budget with at least as many units. */
static int is_counted(const struct pex__plan *plan, size_t index)
{
    const struct pex__plan_op *op = &plan->ops[index];

    for (size_t i = 0; i < plan->op_count; i++) {
        const struct pex__plan_op *other = &plan->ops[i];

        if (i == index || !other->is_blocking || strcmp(other->budget_key, op->budget_key) != 0)
            continue;
        if (other->num_proc > op->num_proc || (other->num_proc == op->num_proc && i < index))
            return 1;
    }
    return 0;
}

void pex__build_threads(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    int64_t threads = build->machine->workers;

    for (size_t i = 0; i < plan->op_count; i++) {
        if (plan->ops[i].is_blocking && !is_counted(plan, i))
            threads += plan->ops[i].num_proc;
    }
    plan->threads = threads > INT32_MAX ? INT32_MAX : (int32_t)threads;
}

static void set_memory_limit(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    const struct pex__machine *machine = build->machine;
    const json_t *given = pex__spec_given(build->spec, "memory_limit");

    plan->memory_limit = machine->memory_limit;
    if (given == NULL ||
        pex__value_bytes(given, 1, machine->memory_bytes, &plan->memory_limit) != 0)
        return;
    if (plan->memory_limit > machine->memory_bytes) {
        pex__build_notice(
            build, "memory_limit: %llu bytes clipped to the %llu that the machine has",
            (unsigned long long)plan->memory_limit, (unsigned long long)machine->memory_bytes);
        plan->memory_limit = machine->memory_bytes;
    }
}

/* S, and whether one partition can run with it at all. */
static void set_slice(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    int64_t given = pex__spec_int64(build->spec, "debug.slice_bytes");
    uint64_t most = plan->memory_limit / (4 * (uint64_t)plan->threads), need;

    plan->slice_bytes = SLICE_DEFAULT < most ? SLICE_DEFAULT : most;
    if (plan->slice_bytes < SLICE_LEAST)
        plan->slice_bytes = SLICE_LEAST;
    if (given > 0)
        plan->slice_bytes = (uint64_t)given;
    need = pex__plan_least_memory(plan->slice_bytes, plan->threads);
    if (plan->memory_limit < need)
        pex__build_fail(
            build, PEX_ELIMIT,
            "memory_limit: found %llu bytes, expected at least %llu: %d threads and one "
            "partition with slices of %llu bytes (fewer threads need less: np, num_proc)",
            (unsigned long long)plan->memory_limit, (unsigned long long)need, plan->threads,
            (unsigned long long)plan->slice_bytes);
}

/* Partitions whose reserves fit into what may be granted. */
static int32_t most_by_memory(const struct pex__plan *plan)
{
    uint64_t granted = plan->memory_limit - plan->slice_bytes * (uint64_t)plan->threads;
    uint64_t most = granted / (RESERVE_SLICES * plan->slice_bytes);

    return most > INT32_MAX ? INT32_MAX : (int32_t)most;
}

static char *reason(struct pex__build *build, const char *format, ...) PEX_PRINTF(2, 3);
static char *reason(struct pex__build *build, const char *format, ...)
{
    char text[256], *copy;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    copy = pex__strdup(text);
    if (copy == NULL)
        pex__build_join(build, PEX_ENOMEM);
    return copy;
}

/* Active partitions, before the number of partitions is known. */
static int32_t wanted_concurrency(struct pex__build *build, uint64_t bytes)
{
    struct pex__plan *plan = build->plan;
    int32_t most = most_by_memory(plan), given = 0;
    const json_t *value = pex__spec_given(build->spec, "partition.max_concurrent_partitions");

    pex__value_count(value, &given);
    if (given > most) {
        pex__build_notice(
            build,
            "partition.max_concurrent_partitions: %d clipped to the %d whose reserves "
            "fit into memory_limit",
            given, most);
        plan->limit = reason(build, "memory_limit (room for %d reserves)", most);
        return most;
    }
    if (given > 0) {
        plan->limit = reason(build, "partition.max_concurrent_partitions");
        return given;
    }
    if (bytes < 2 * plan->slice_bytes) {
        plan->limit = reason(build, "the input is smaller than two slices");
        return 1;
    }
    if (most < 2) {
        plan->limit = reason(build, "memory_limit (room for one reserve)");
        return 1;
    }
    plan->limit =
        reason(build, "workers share a partition's batches, the next is open when it runs "
                      "out of them");
    return 2;
}

/* What the partition keys ask for. */
struct wish {
    int32_t count; /* explicit, or 0 */
    int64_t size;  /* rows of a partition, or 0 */
};

static struct wish read_wish(const pex_spec *spec)
{
    struct wish wish = {0, pex__spec_int64(spec, "partition.size")};

    pex__value_count(pex__spec_given(spec, "partition.num_of_partitions"), &wish.count);
    if (wish.size < 0 || wish.count > 0)
        wish.size = 0;
    return wish;
}

void pex__build_partition_keys(struct pex__build *build)
{
    const char *mode = pex__spec_text(build->spec, "partition.mode");
    struct wish wish = read_wish(build->spec);

    if (wish.count > 0 && pex__spec_int64(build->spec, "partition.size") > 0)
        pex__build_notice(build, "partition.size: not used, partition.num_of_partitions counts");
    if (wish.count > COUNT_MAX)
        pex__build_fail(build, PEX_ESPEC,
                        "partition.num_of_partitions: found %d, expected at most %d", wish.count,
                        COUNT_MAX);
    if (mode != NULL && strcmp(mode, "manual") == 0 && wish.count == 0 && wish.size == 0)
        pex__build_fail(build, PEX_ESPEC,
                        "partition.mode: found \"manual\" without a number, expected "
                        "partition.num_of_partitions or partition.size beside it");
}

/* Rows of the input, counted up to `limit`. */
static uint64_t count_rows(struct pex__build *build, uint64_t limit)
{
    uint64_t rows = 0;
    int32_t code = 0;

    if (build->plan->input != NULL)
        code = pex__input_count_rows(build->plan->input, limit, &rows, build->err);
    if (code != 0)
        pex__build_join(build, code);
    return rows;
}

/* The number of partitions, at least 1; *by_rows: cut at exact row numbers. */
static size_t wanted_count(struct pex__build *build, struct wish wish, uint64_t bytes, int *by_rows)
{
    struct pex__plan *plan = build->plan;
    double target = pex__spec_double(build->spec, "partition.target_size_mb") * 1024 * 1024;
    uint64_t rows, count;

    *by_rows = wish.size > 0;
    if (wish.size > 0) {
        rows = count_rows(build, UINT64_MAX);
        count = rows / (uint64_t)wish.size + (rows % (uint64_t)wish.size != 0);
        plan->count_reason = reason(build, "partition.size: %lld rows each", (long long)wish.size);
    } else if (wish.count > 0) {
        count = (uint64_t)wish.count;
        rows = count_rows(build, count);
        if (rows < count && rows > 0)
            pex__build_notice(build,
                              "partition.num_of_partitions: %d lowered to the %llu rows there are",
                              wish.count, (unsigned long long)rows);
        plan->count_reason = reason(build, "partition.num_of_partitions");
        count = rows < count ? rows : count;
    } else {
        count = (uint64_t)((double)bytes / target);
        count += (double)count * target < (double)bytes;
        plan->count_reason =
            reason(build, "partition.target_size_mb: at most %.15g MB each", target / 1024 / 1024);
        if (count < (uint64_t)plan->max_concurrent) {
            pex__free(plan->count_reason);
            plan->count_reason = reason(build, "as many as may be active");
            count = (uint64_t)plan->max_concurrent;
        }
        count = count > COUNT_MAX ? COUNT_MAX : count;
        rows = count_rows(build, count);
        count = rows < count ? rows : count;
    }
    if (count > COUNT_MAX)
        pex__build_fail(build, PEX_ESPEC,
                        "partition.size: found %lld rows, which makes %llu partitions, expected at "
                        "most %d",
                        (long long)wish.size, (unsigned long long)count, COUNT_MAX);
    return count == 0 || count > COUNT_MAX ? 1 : (size_t)count;
}

static void cut(struct pex__build *build, size_t want, int by_rows, int is_explicit)
{
    struct pex__plan *plan = build->plan;
    int32_t code;

    plan->cuts = pex__calloc(want + 1, sizeof *plan->cuts);
    if (plan->cuts == NULL) {
        pex__build_join(build, PEX_ENOMEM);
        return;
    }
    plan->partition_count = 1;
    if (plan->input == NULL)
        return;
    code = (by_rows ? pex__input_cut_rows : pex__input_cut_bytes)(
        plan->input, want, plan->cuts, &plan->partition_count, build->err);
    if (code != 0)
        pex__build_join(build, code);
    else if (is_explicit && plan->partition_count != want)
        pex__build_notice(build,
                          "partition.num_of_partitions: %zu cuts fell on the same row, %zu "
                          "partitions are left",
                          want - plan->partition_count, plan->partition_count);
}

void pex__build_cuts(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    uint64_t bytes = plan->input != NULL ? plan->input->bytes : 0;
    struct wish wish = read_wish(build->spec);
    int by_rows;
    size_t want;

    set_memory_limit(build);
    set_slice(build);
    if (build->code != 0)
        return;
    plan->max_concurrent = wanted_concurrency(build, bytes);
    want = wanted_count(build, wish, bytes, &by_rows);
    if (build->code != 0)
        return;
    cut(build, want, by_rows, wish.count > 0);
    if (build->code == 0 && (size_t)plan->max_concurrent > plan->partition_count) {
        plan->max_concurrent = (int32_t)plan->partition_count;
        pex__free(plan->limit);
        plan->limit = reason(build, "the number of partitions");
    }
}
