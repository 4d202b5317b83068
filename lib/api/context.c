/* SPDX-License-Identifier: Apache-2.0 */
#include "api/context.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"

/* More workers than this many per usable core only wait for each other. */
enum { WORKERS_PER_CPU = 4, LOAD_LIMIT = 2 };

static uint64_t default_limit(const struct pex__topology *topology)
{
    uint64_t bytes = topology->memory_bytes;

    if (topology->cgroup_memory_bytes != 0 && topology->cgroup_memory_bytes < bytes)
        bytes = topology->cgroup_memory_bytes;
    return bytes / 4;
}

static int32_t clip_workers(const struct pex__topology *topology, int32_t asked)
{
    int32_t most = WORKERS_PER_CPU * topology->usable_cpus;

    if (asked <= 0)
        return topology->usable_cpus;
    return asked < most ? asked : most;
}

static int32_t start(struct pex__core *core, const struct pex_context_options *options,
                     struct pex_error *err)
{
    int32_t workers, failed;

    pex__topology_read(&core->topology);
    workers = clip_workers(&core->topology, options->workers);
    core->memory_limit = options->memory_limit_bytes != 0 ? options->memory_limit_bytes
                                                          : default_limit(&core->topology);
    core->heap = (struct pex__heap){options->memory_alloc, options->memory_realloc,
                                    options->memory_free, options->memory_user};
    core->has_memory_limit = options->memory_limit_bytes != 0;
    core->plugin_dir =
        pex__strdup(options->plugin_dir != NULL ? options->plugin_dir : PEX_PLUGIN_DIR);
    if (core->plugin_dir == NULL || pex__registry_create(&core->registry) != 0)
        return pex__error_memory(err);
    failed = pex__loop_create(&core->loop, err);
    if (failed == 0)
        failed = pex__store_create(&core->store, err);
    if (failed == 0)
        failed =
            pex__engine_create(&core->engine, workers, core->memory_limit,
                               options->load_limit > 0 ? options->load_limit : LOAD_LIMIT,
                               core->heap.allocate != NULL ? &core->heap : NULL, core->loop, err);
    if (failed == 0) {
        core->engine->log = options->log;
        core->engine->log_user = options->log_user;
    }
    return failed;
}

/* Threads first: those that may post to another end before it. */
static void stop(struct pex__core *core)
{
    pex__engine_free(core->engine);
    pex__store_free(core->store);
    pex__loop_free(core->loop);
    pex__registry_free(core->registry);
    pex__free(core->plugin_dir);
    core->engine = NULL;
    core->store = NULL;
    core->loop = NULL;
    core->registry = NULL;
    core->plugin_dir = NULL;
}

int32_t pex_context_create(const struct pex_context_options *options, pex_context **result,
                           struct pex_error *err)
{
    struct pex_context_options known;
    pex_context *ctx;
    int32_t failed;

    if (result == NULL)
        return pex_error_set(err, PEX_EINVAL, "ctx: NULL");
    failed = pex__options_copy(&known, sizeof known, options, err);
    if (failed != 0)
        return failed;
    if (known.workers < 0 || known.load_limit < 0)
        return pex_error_set(err, PEX_EINVAL, "%s: %d is negative",
                             known.workers < 0 ? "workers" : "load_limit",
                             (int)(known.workers < 0 ? known.workers : known.load_limit));
    if ((known.memory_alloc == NULL) != (known.memory_realloc == NULL) ||
        (known.memory_alloc == NULL) != (known.memory_free == NULL))
        return pex_error_set(err, PEX_EINVAL,
                             "memory_alloc, memory_realloc, memory_free: give "
                             "all three, or none");
    ctx = pex__calloc(1, sizeof *ctx);
    if (ctx == NULL)
        return pex__error_memory(err);
    ctx->core = pex__core_create();
    if (ctx->core == NULL) {
        pex__free(ctx);
        return pex_error_set(err, PEX_ENOMEM, "out of memory or of descriptors");
    }
    failed = start(ctx->core, &known, err);
    if (failed != 0) {
        stop(ctx->core);
        pex__core_unref(ctx->core);
        pex__free(ctx);
        return failed;
    }
    *result = ctx;
    return 0;
}

static void cancel_all(struct pex__core *core)
{
    pthread_mutex_lock(&core->lock);
    core->is_closed = 1;
    for (struct pex_job *job = core->jobs; job != NULL; job = job->next)
        pex__job_cancel(job);
    pthread_mutex_unlock(&core->lock);
}

static int has_ended(const struct pex__core *core)
{
    return core->live_jobs == 0 && core->pullers == 0 && core->feeders == NULL;
}

/* Zero when a job is still there at the end of the time. */
static int wait_for_jobs(struct pex__core *core, int64_t timeout_ns)
{
    int64_t deadline = pex__deadline_ns(timeout_ns);
    int is_idle;

    pthread_mutex_lock(&core->lock);
    while (!has_ended(core) && pex__now_ns() < deadline)
        pex__cond_wait_until(&core->changed, &core->lock, deadline);
    is_idle = has_ended(core);
    core->is_gone = is_idle;
    pthread_mutex_unlock(&core->lock);
    return is_idle;
}

static int32_t name_culprit(struct pex__core *core, struct pex_error *err)
{
    char name[128] = "";

    pex__core_running_operator(core, name, sizeof name);
    if (name[0] == '\0') {
        pex__core_running_source(core, name, sizeof name);
        if (name[0] != '\0')
            return pex_error_set(err, PEX_ETIMEDOUT,
                                 "a call of the source %s has not returned; nothing was freed: "
                                 "call again",
                                 name);
    }
    if (name[0] == '\0')
        return pex_error_set(err, PEX_ETIMEDOUT, "jobs have not ended yet: call again");
    return pex_error_set(err, PEX_ETIMEDOUT,
                         "a call of operator %s has not returned; nothing was freed: call again",
                         name);
}

int32_t pex_context_destroy(pex_context *ctx, int64_t timeout_ns, struct pex_error *err)
{
    struct pex__core *core;

    if (ctx == NULL)
        return 0;
    core = ctx->core;
    if (pex__core_is_forked(core)) {
        /* The threads are the parent's; only the handle is this process's. */
        pex__free(ctx);
        return 0;
    }
    if (pex__core_is_current(core))
        return pex_error_set(err, PEX_EDEADLK,
                             "destroy is called from a callback or a thread of the context");
    cancel_all(core);
    if (!wait_for_jobs(core, timeout_ns))
        return name_culprit(core, err);
    pex__core_drop_events(core);
    stop(core);
    pex__core_unref(core);
    pex__free(ctx);
    return 0;
}

int32_t pex_context_fd(pex_context *ctx)
{
    if (ctx == NULL)
        return PEX_EINVAL;
    return pex__core_is_forked(ctx->core) ? PEX_EFORKED : ctx->core->event_fd;
}

int32_t pex_context_dispatch(pex_context *ctx, int32_t max_events)
{
    if (ctx == NULL || max_events < 0)
        return PEX_EINVAL;
    return pex__core_is_forked(ctx->core) ? PEX_EFORKED : pex__core_dispatch(ctx->core, max_events);
}

int32_t pex_context_trim(pex_context *ctx)
{
    int32_t failed;

    if (ctx == NULL)
        return PEX_EINVAL;
    failed = pex__core_check(ctx->core, NULL);
    return failed != 0 ? failed : pex__instances_trim(ctx->core->engine);
}
