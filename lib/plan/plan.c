/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/build.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/value.h"

#include <partexec/scope.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pex__build_join(struct pex__build *build, int32_t code)
{
    build->code = pex__errors_join(build->code, code);
}

void pex__build_fail(struct pex__build *build, int32_t code, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (pex__errors_add(build->errors, "%s", text) == PEX_ENOMEM)
        code = PEX_ENOMEM;
    pex__build_join(build, code);
}

void pex__build_notice(struct pex__build *build, const char *format, ...)
{
    struct pex__plan *plan = build->plan;
    char *text;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = pex__malloc((size_t)length + 1);
    if (text == NULL || pex__grow(&plan->notices, &build->notice_capacity, plan->notice_count + 1,
                                  sizeof *plan->notices) != 0) {
        pex__free(text);
        pex__build_join(build, PEX_ENOMEM);
        return;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    plan->notices[plan->notice_count++] = text;
    for (size_t i = 0; i + 1 < plan->notice_count; i++) {
        if (strcmp(plan->notices[i], text) != 0)
            continue;
        plan->notice_count--;
        pex__free(text);
        return;
    }
}

static int32_t scanner_of(const pex_spec *spec)
{
    static const char *const names[] = {"plain", "sse", "avx2", "avx512", "neon"};
    static const int32_t isas[] = {PEX__ISA_PLAIN, PEX__ISA_SSE, PEX__ISA_AVX2, PEX__ISA_AVX512,
                                   PEX__ISA_NEON};
    const char *given = pex__spec_text(spec, "debug.simd");

    for (size_t i = 0; given != NULL && i < sizeof names / sizeof *names; i++) {
        if (strcmp(given, names[i]) == 0)
            return isas[i];
    }
    return PEX__ISA_BEST;
}

static int is_text(const pex_spec *spec, const char *key, const char *text)
{
    const char *given = pex__spec_text(spec, key);

    return given != NULL && strcmp(given, text) == 0;
}

/* The settings of the job as a whole. */
static void set_values(struct pex__build *build)
{
    const pex_spec *spec = build->spec;
    struct pex__plan *plan = build->plan;

    plan->scope_policy =
        is_text(spec, "scope_policy", "balanced") ? PEX_SCOPE_BALANCED : PEX_SCOPE_ELASTIC;
    plan->checkpoint_enabled = pex__spec_bool(spec, "checkpoint.enabled");
    plan->durability = plan->checkpoint_enabled ? PEX__DURABILITY_POWER : PEX__DURABILITY_PROCESS;
    if (is_text(spec, "durability", "power"))
        plan->durability = PEX__DURABILITY_POWER;
    if (is_text(spec, "durability", "process"))
        plan->durability = PEX__DURABILITY_PROCESS;
    plan->on_error = pex__policy_of(spec->root, PEX__ON_ERROR_QUARANTINE);
    plan->max_attempts = (int32_t)pex__spec_int64(spec, "max_attempts");
    plan->weight = pex__spec_double(spec, "weight");
    plan->max_errors = pex__spec_int64(spec, "max_errors");
    plan->max_error_rate = pex__spec_double(spec, "max_error_rate");
    plan->keep_stats = pex__spec_bool(spec, "keep_stats_in_res_ds");
    plan->export.has_stats =
        build->purpose != PEX__PLAN_PULL && pex__spec_bool(spec, "export_stats");
    plan->debug_encode = pex__spec_bool(spec, "debug.encode_boundaries");
    plan->debug_isa = scanner_of(spec);
    plan->grace_ns = pex__spec_int64(spec, "debug.cancel_grace_ms") * 1000000;
}

static void check_keys(struct pex__build *build, struct pex__buffer *later)
{
    int64_t np;

    pex__build_join(build, pex__spec_check(build->spec, build->errors, &build->ignored, later));
    np = pex__spec_int64(build->spec, "np");
    if (build->code == 0 && np > 0 && np != build->machine->workers)
        pex__build_notice(build,
                          "np: %lld asked for, the context has %d workers (usable cores: %d)",
                          (long long)np, build->machine->workers, build->machine->usable_cpus);
}

static uint64_t hash(uint64_t state, const char *text)
{
    for (; *text != '\0'; text++)
        state = (state ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return state;
}

/* By what the operator is and which of its like it is, not by its place: editing the chain around
 * it leaves its choices alone. */
static void set_seeds(struct pex__plan *plan)
{
    for (size_t i = 0; i < plan->op_count; i++) {
        uint64_t seed = hash(UINT64_C(0xcbf29ce484222325), plan->ops[i].budget_key);

        for (size_t before = 0; before < i; before++) {
            if (strcmp(plan->ops[before].budget_key, plan->ops[i].budget_key) == 0)
                seed = hash(seed, "+");
        }
        plan->ops[i].seed = seed;
    }
}

/* All of it: keys, then operators, then what follows from both, then paths. */
static void build_all(struct pex__build *build)
{
    struct pex__buffer later = {0};

    check_keys(build, &later);
    set_values(build);
    pex__build_partition_keys(build);
    pex__build_chain(build);
    if (build->code == 0) {
        set_seeds(build->plan);
        pex__build_threads(build);
        pex__build_stages(build);
        pex__build_stats(build);
    }
    if (build->code == 0)
        pex__build_cuts(build);
    pex__build_dataset(build);
    pex__build_paths(build);
    if (build->ignored.length != 0)
        pex__build_notice(build, "ignored, without meaning here: %.*s", (int)build->ignored.length,
                          build->ignored.data);
    if (later.length != 0)
        pex__build_notice(build, "accepted, without effect in this version: %.*s",
                          (int)later.length, later.data);
    if (build->plan->input_missing)
        pex__build_notice(build, "input: not there yet, planned as if it were empty");
    pex__buffer_free(&later);
}

/* err from the code and the first line of the errors. */
static int32_t report(struct pex__build *build, struct pex_error *err)
{
    const struct pex__buffer *errors = build->errors;
    const char *end = errors->length != 0 ? memchr(errors->data, '\n', errors->length) : NULL;

    if (build->code == PEX_ENOMEM)
        return pex__error_memory(err);
    if (end != NULL)
        return pex_error_set(err, build->code, "%.*s", (int)(end - errors->data), errors->data);
    return build->code;
}

int32_t pex__plan_create(const pex_spec *spec, struct pex__registry *registry,
                         const struct pex__machine *machine, const struct pex__input *input,
                         int32_t purpose, struct pex__plan **plan, struct pex__buffer *errors,
                         struct pex_error *err)
{
    struct pex__build build = {.spec = spec,
                               .registry = registry,
                               .machine = machine,
                               .purpose = purpose & ~PEX__PLAN_KEEP_DROPPED,
                               .errors = errors,
                               .err = err};

    build.plan = pex__calloc(1, sizeof *build.plan);
    if (build.plan == NULL)
        return pex__error_memory(err);
    build.plan->input = input;
    build.plan->input_missing = input == NULL;
    build.plan->keep_dropped = (purpose & PEX__PLAN_KEEP_DROPPED) != 0;
    build_all(&build);
    pex__buffer_free(&build.ignored);
    if (build.code == 0) {
        *plan = build.plan;
        return 0;
    }
    pex__plan_free(build.plan);
    return report(&build, err);
}

static void free_stage(struct pex__plan_stage *stage)
{
    for (size_t i = 0; i < stage->step_count; i++)
        pex__free((void *)stage->steps[i].site.columns);
    pex__free(stage->steps);
    pex__layout_free(stage->layout);
}

void pex__plan_free(struct pex__plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->op_count; i++) {
        pex__params_free(plan->ops[i].params);
        pex__free(plan->ops[i].budget_key);
    }
    for (size_t i = 0; i < plan->stage_count; i++)
        free_stage(&plan->stages[i]);
    for (size_t i = 0; i < plan->notice_count; i++)
        pex__free(plan->notices[i]);
    pex__free(plan->ops);
    pex__free(plan->stages);
    pex__free(plan->cuts);
    pex__free(plan->count_reason);
    pex__free(plan->export_path);
    pex__export_form_free(&plan->export);
    pex__free(plan->work_dir);
    pex__free(plan->job_id);
    pex__free(plan->notices);
    pex__free(plan->limit);
    pex__free(plan);
}
