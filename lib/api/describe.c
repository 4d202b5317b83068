/* SPDX-License-Identifier: Apache-2.0 */
/* What a context tells about itself, as JSON. */
#include "api/context.h"

#include "base/error.h"

#include <string.h>

static int32_t check(pex_context *ctx, char **json, struct pex_error *err)
{
    if (ctx == NULL || json == NULL)
        return pex_error_set(err, PEX_EINVAL, "%s: NULL", ctx == NULL ? "ctx" : "json");
    return pex__core_check(ctx->core, err);
}

static int32_t add_budget(struct pex__buffer *out, const struct pex__instances *at, int is_first)
{
    const struct pex__budget *budget = &at->pool.budget;
    int32_t failed =
        pex__buffer_text(out, is_first ? "\n  {\"operator\": " : ",\n  {\"operator\": ");

    if (failed == 0)
        failed = pex__buffer_json(out, at->op->name, strlen(at->op->name));
    if (failed == 0)
        failed = pex__buffer_text(out, ", \"version\": ");
    if (failed == 0)
        failed = pex__buffer_json(out, at->op->version, strlen(at->op->version));
    if (failed == 0)
        failed = pex__buffer_text(out, ", \"key\": ");
    if (failed == 0)
        failed = pex__buffer_json(out, at->key, strlen(at->key));
    if (failed != 0)
        return failed;
    return pex__buffer_print(
        out,
        ", \"num_proc\": %d, \"out\": %d, \"waiting\": %d, \"loaded\": %d, "
        "\"loading\": %d, \"created\": %llu, \"destroyed\": %llu, "
        "\"lease_max\": %d}",
        (int)budget->n, (int)budget->out, (int)budget->waiting, (int)at->pool.loaded,
        (int)at->pool.loading, (unsigned long long)atomic_load(&at->created),
        (unsigned long long)atomic_load(&at->destroyed), (int)budget->lease_max);
}

int32_t pex_context_budgets(pex_context *ctx, char **json, struct pex_error *err)
{
    struct pex__buffer out = {0};
    struct pex__engine *engine;
    int32_t failed = check(ctx, json, err);

    if (failed != 0)
        return failed;
    engine = ctx->core->engine;
    failed = pex__buffer_text(&out, "[");
    pthread_mutex_lock(&engine->lock);
    for (const struct pex__instances *at = engine->instances; at != NULL && failed == 0;
         at = at->next)
        failed = add_budget(&out, at, at == engine->instances);
    pthread_mutex_unlock(&engine->lock);
    if (failed == 0)
        failed = pex__buffer_text(&out, "\n]\n");
    if (failed == 0)
        failed = pex__buffer_give(&out, json);
    pex__buffer_free(&out);
    return failed != 0 ? pex__error_memory(err) : 0;
}

static const char *best_isa(void)
{
    struct pex__scan *scan;
    const char *name = "unknown";

    if (pex__scan_create(PEX__ISA_BEST, &scan) == 0) {
        name = pex__isa_name(pex__scan_isa(scan));
        pex__scan_free(scan);
    }
    return name;
}

int32_t pex_context_topology(pex_context *ctx, char **json, struct pex_error *err)
{
    struct pex__buffer out = {0};
    const struct pex__topology *t;
    int32_t failed = check(ctx, json, err), quota;

    if (failed != 0)
        return failed;
    t = &ctx->core->topology;
    /* In hundredths: the host's locale may have another mark than a point. */
    quota = (int32_t)(t->quota_cpus * 100 + 0.5);
    failed = pex__buffer_print(
        &out,
        "{\n  \"cpus\": %d,\n  \"affinity\": %d,\n  \"cgroup_quota\": %d.%02d,\n"
        "  \"usable_cpus\": %d,\n  \"workers\": %d,\n  \"memory_bytes\": %llu,\n"
        "  \"cgroup_memory_bytes\": %llu,\n  \"memory_limit_bytes\": %llu,\n"
        "  \"simd\": \"%s\",\n  \"devices\": []\n}\n",
        (int)t->online_cpus, (int)t->affinity_cpus, quota / 100, quota % 100, (int)t->usable_cpus,
        (int)ctx->core->engine->worker_count, (unsigned long long)t->memory_bytes,
        (unsigned long long)t->cgroup_memory_bytes, (unsigned long long)ctx->core->memory_limit,
        best_isa());
    if (failed == 0)
        failed = pex__buffer_give(&out, json);
    return failed != 0 ? pex__error_memory(err) : 0;
}

int32_t pex_operators_describe(pex_context *ctx, const char *name, char **json,
                               struct pex_error *err)
{
    int32_t failed = check(ctx, json, err);

    return failed != 0 ? failed : pex__registry_describe(ctx->core->registry, name, json, err);
}
