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
/* Of compressed files: partitions for each active one, and the least bytes of theirs. */
#define STREAMS_EACH 4
#define STREAM_BYTES (UINT64_C(4) << 20)
#define DECODE_MOST (UINT64_C(8) << 20)
#define DECODE_LEAST (UINT64_C(64) << 10)

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

/* Buffers of a decoder: a tenth of the limit for all threads, and no more than pays. */
static void set_decode_bytes(struct pex__plan *plan)
{
    uint64_t each = plan->memory_limit / (10 * (uint64_t)plan->threads);

    plan->decode_bytes = each < DECODE_MOST ? each : DECODE_MOST;
    if (plan->decode_bytes < DECODE_LEAST)
        plan->decode_bytes = DECODE_LEAST;
}

/* What an active partition takes: its reserve, and the decoder of its compressed sources. */
static uint64_t partition_bytes(const struct pex__plan *plan)
{
    uint64_t decoder =
        plan->input != NULL ? pex__input_decoder_cost(plan->input, plan->decode_bytes) : 0;

    return RESERVE_SLICES * plan->slice_bytes + decoder;
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
    set_decode_bytes(plan);
    need += partition_bytes(plan) - RESERVE_SLICES * plan->slice_bytes;
    if (build->code == 0 && plan->memory_limit < need)
        pex__build_fail(
            build, PEX_ELIMIT,
            "memory_limit: found %llu bytes, expected at least %llu: %d threads, one partition "
            "with slices of %llu bytes, and what decoding the compressed input takes",
            (unsigned long long)plan->memory_limit, (unsigned long long)need, plan->threads,
            (unsigned long long)plan->slice_bytes);
}

/* Partitions whose reserves fit into what may be granted. */
static int32_t most_by_memory(const struct pex__plan *plan)
{
    uint64_t granted = plan->memory_limit - plan->slice_bytes * (uint64_t)plan->threads;
    uint64_t most = granted / partition_bytes(plan);

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

/* What is cut, in the making. */
struct cutting {
    uint64_t bytes;
    uint64_t slices;  /* of the whole input */
    uint64_t count;   /* partitions */
    uint64_t rows;    /* of the input, counted as far as it matters */
    uint64_t limit;   /* most rows that are read */
    int is_automatic; /* the count may be raised */
    int by_rows;      /* at exact row numbers */
    int has_streams;  /* compressed sources: one thread at a time decodes a partition */
};

/* Rows that are read, counted up to `most`. */
static uint64_t count_rows(struct pex__build *build, const struct cutting *cutting, uint64_t most)
{
    uint64_t rows = 0;
    int32_t code = 0;

    if (build->plan->input != NULL)
        code = pex__input_count_rows(
            build->plan->input, most < cutting->limit ? most : cutting->limit, &rows, build->err);
    if (code != 0)
        pex__build_join(build, code);
    return rows;
}

/* Partitions by partition.size. */
static void count_by_size(struct pex__build *build, int64_t size, struct cutting *cutting)
{
    cutting->by_rows = 1;
    cutting->rows = count_rows(build, cutting, UINT64_MAX);
    cutting->count = cutting->rows / (uint64_t)size + (cutting->rows % (uint64_t)size != 0);
    if (cutting->count > COUNT_MAX)
        pex__build_fail(build, PEX_ESPEC,
                        "partition.size: found %lld rows, which makes %llu partitions, expected at "
                        "most %d",
                        (long long)size, (unsigned long long)cutting->count, COUNT_MAX);
    build->plan->count_reason = reason(build, "partition.size: %lld rows each", (long long)size);
}

/* Partitions by partition.num_of_partitions. */
static void count_by_number(struct pex__build *build, int32_t number, struct cutting *cutting)
{
    cutting->rows = count_rows(build, cutting, (uint64_t)number);
    cutting->count = cutting->rows < (uint64_t)number ? cutting->rows : (uint64_t)number;
    if (cutting->count < (uint64_t)number && cutting->rows > 0)
        pex__build_notice(build,
                          "partition.num_of_partitions: %d lowered to the %llu rows there are",
                          number, (unsigned long long)cutting->rows);
    build->plan->count_reason = reason(build, "partition.num_of_partitions");
}

/* Partitions of at most partition.target_size_mb. */
static void count_by_target(struct pex__build *build, struct cutting *cutting)
{
    double target = pex__spec_double(build->spec, "partition.target_size_mb") * 1024 * 1024;
    double count = (double)cutting->bytes / target;

    cutting->is_automatic = 1;
    cutting->count = count < COUNT_MAX ? (uint64_t)count : COUNT_MAX;
    cutting->count += cutting->count < COUNT_MAX && (double)cutting->count < count;
    build->plan->count_reason =
        reason(build, "partition.target_size_mb: at most %.15g MB each", target / 1024 / 1024);
}

/*
 * Active partitions that keep every thread busy: workers share the batches of a partition, and a
 * partition has one for each slice, so two slices for each thread are to be open; and never less
 * than two partitions, as the second bridges the end of the first. An input that is smaller gives
 * each thread a partition of its own, which also cuts a slice of many rows.
 */
static int32_t busy_concurrency(struct pex__build *build, const struct cutting *cutting)
{
    struct pex__plan *plan = build->plan;
    uint64_t threads = (uint64_t)plan->threads, count = cutting->count > 0 ? cutting->count : 1;
    uint64_t each = cutting->slices / count + (cutting->slices % count != 0);
    uint64_t active = each > 0 ? (2 * threads + each - 1) / each : 2;

    if (cutting->has_streams) {
        plan->limit = reason(build, "a thread decodes a partition of compressed files, %d threads",
                             plan->threads);
        return plan->threads;
    }
    if (cutting->is_automatic && cutting->slices < 2 * threads && count < threads) {
        plan->limit = reason(build, "the input has less than two slices for each of the %d threads",
                             plan->threads);
        return plan->threads;
    }
    if (active > 2 && count > 2) {
        plan->limit = reason(build, "two slices for each of the %d threads, %llu in a partition",
                             plan->threads, (unsigned long long)each);
        return active > COUNT_MAX ? COUNT_MAX : (int32_t)active;
    }
    plan->limit = reason(build, "workers share a partition's batches, the next is open when it "
                                "runs out of them");
    return 2;
}

/* Active partitions, as far as memory goes; their number may still be less. */
static int32_t wanted_concurrency(struct pex__build *build, const struct cutting *cutting)
{
    struct pex__plan *plan = build->plan;
    int32_t most = most_by_memory(plan), given = 0, wanted;

    pex__value_count(pex__spec_given(build->spec, "partition.max_concurrent_partitions"), &given);
    if (given > most)
        pex__build_notice(
            build,
            "partition.max_concurrent_partitions: %d clipped to the %d whose reserves "
            "fit into memory_limit",
            given, most);
    if (given > 0)
        plan->limit = reason(build, "partition.max_concurrent_partitions");
    wanted = given > 0 ? given : busy_concurrency(build, cutting);
    if (wanted <= most)
        return wanted;
    pex__free(plan->limit);
    plan->limit = most == 1 ? reason(build, "memory_limit (room for one reserve)")
                            : reason(build, "memory_limit (room for %d reserves)", most);
    return most;
}

/*
 * Partitions that keep the active ones busy: as many. Of compressed files several times that, while
 * they stay large: rows of all but the first active partition wait in spools, and the copy of a
 * short spool falls into the time in which others are decoded.
 */
static uint64_t busy_count(const struct pex__plan *plan, const struct cutting *cutting)
{
    uint64_t active = (uint64_t)plan->max_concurrent, more = cutting->bytes / STREAM_BYTES;

    if (!cutting->has_streams || more <= active)
        return active;
    return more < STREAMS_EACH * active ? more : STREAMS_EACH * active;
}

/* Raises an automatic count to what keeps the active partitions busy, as far as the rows go. */
static void raise_count(struct pex__build *build, struct cutting *cutting)
{
    struct pex__plan *plan = build->plan;
    uint64_t least = busy_count(plan, cutting);
    int is_raised = cutting->count < least;
    const char *why = least > (uint64_t)plan->max_concurrent ? "several for each that may be active"
                                                             : "as many as may be active";

    if (is_raised)
        cutting->count = least;
    cutting->rows = count_rows(build, cutting, cutting->count + 1);
    if (cutting->rows <= cutting->count && (cutting->by_rows || !cutting->has_streams)) {
        /* Cuts by bytes could fall on one row, and leave fewer partitions than there are rows. */
        cutting->by_rows = 1;
        cutting->count = cutting->rows;
        why = "the input has no more rows";
    } else if (!is_raised)
        return;
    pex__free(plan->count_reason);
    plan->count_reason = reason(build, "%s", why);
}

/* Fewer cuts than wanted: said for an explicit number, and where compressed files are the reason.
 */
static void see_count(struct pex__build *build, size_t want, int is_explicit, int has_streams)
{
    struct pex__plan *plan = build->plan;

    if (plan->partition_count == want)
        return;
    if (is_explicit)
        pex__build_notice(build,
                          "partition.num_of_partitions: %zu cuts fell on the same row%s, %zu "
                          "partitions are left",
                          want - plan->partition_count,
                          has_streams ? " (compressed files are cut between files and zstd frames)"
                                      : "",
                          plan->partition_count);
    if (!has_streams)
        return;
    pex__free(plan->count_reason);
    plan->count_reason = reason(build, "compressed files are cut between files and zstd frames");
}

static void cut(struct pex__build *build, size_t want, const struct cutting *cutting,
                int is_explicit)
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
    if (cutting->by_rows)
        code = pex__input_cut_rows(plan->input, cutting->limit, want, plan->cuts,
                                   &plan->partition_count, build->err);
    else
        code =
            pex__input_cut_bytes(plan->input, want, plan->cuts, &plan->partition_count, build->err);
    if (code != 0)
        pex__build_join(build, code);
    else
        see_count(build, want, is_explicit, cutting->has_streams && !cutting->by_rows);
}

/* A source of the host's tells neither its size nor where its rows are: one partition. */
static void cut_feed(struct pex__build *build, const struct wish *wish)
{
    struct pex__plan *plan = build->plan;

    if (wish->count > 1 || wish->size > 0)
        pex__build_notice(build, "%s: not used, a source of the host's is one partition",
                          wish->count > 1 ? "partition.num_of_partitions" : "partition.size");
    plan->cuts = pex__calloc(2, sizeof *plan->cuts);
    if (plan->cuts == NULL)
        pex__build_join(build, PEX_ENOMEM);
    plan->partition_count = 1;
    plan->max_concurrent = 1;
    plan->count_reason = reason(build, "a source of the host's is one partition");
    plan->limit = reason(build, "the number of partitions");
}

void pex__build_cuts(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    struct wish wish = read_wish(build->spec);
    struct cutting cutting = {.bytes = plan->input != NULL ? plan->input->bytes : 0};

    cutting.limit =
        plan->input != NULL && plan->input->row_limit > 0 ? plan->input->row_limit : UINT64_MAX;
    cutting.by_rows = cutting.limit < UINT64_MAX;
    cutting.has_streams = plan->input != NULL && pex__input_compressed(plan->input) > 0;
    set_memory_limit(build);
    set_slice(build);
    if (build->code != 0)
        return;
    if (plan->input != NULL && plan->input->feed != NULL) {
        cut_feed(build, &wish);
        return;
    }
    cutting.slices = cutting.bytes / plan->slice_bytes + (cutting.bytes % plan->slice_bytes != 0);
    if (wish.size > 0)
        count_by_size(build, wish.size, &cutting);
    else if (wish.count > 0)
        count_by_number(build, wish.count, &cutting);
    else
        count_by_target(build, &cutting);
    if (build->code != 0)
        return;
    plan->max_concurrent = wanted_concurrency(build, &cutting);
    if (cutting.is_automatic)
        raise_count(build, &cutting);
    if (build->code != 0)
        return;
    cut(build, cutting.count > 0 ? cutting.count : 1, &cutting, wish.count > 0);
    if (build->code == 0 && (size_t)plan->max_concurrent > plan->partition_count) {
        plan->max_concurrent = (int32_t)plan->partition_count;
        pex__free(plan->limit);
        plan->limit = reason(build, "the number of partitions");
    }
}
