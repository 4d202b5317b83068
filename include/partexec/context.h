/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context: one engine with its loop thread, workers, store thread, budgets and registry.
 *
 * A process may have several; they share nothing. A context installs no signal handler, prints
 * nothing, reads no environment variable and leaves the host's use of libuv alone. Its threads
 * block all signals but those that a thread raises by its own fault (SIGSEGV, SIGBUS, SIGFPE, ...).
 * After fork the child may only destroy and release; every other call there returns PEX_EFORKED.
 */
#ifndef PARTEXEC_CONTEXT_H
#define PARTEXEC_CONTEXT_H

#include <partexec/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pex_context_options {
    size_t struct_size;
    int32_t workers; /* worker threads; 0: one per usable core (affinity mask, cgroup quota); never
                      * more than four per core */
    int32_t load_limit; /* instances being created at a time; 0: 2 */
    uint64_t
        memory_limit_bytes; /* for all jobs together; 0: 25 % of RAM or of the cgroup's limit */
    const char
        *plugin_dir; /* where pex_plugin_load looks for bare names; NULL: the installation's */
    /* A line for the host's log, level PEX_LOG_*, without a line end. Called from any thread, also
     * from several at a time, under no lock; must not call the library. NULL: no log. */
    void (*log)(void *user, int32_t level, const char *message);
    void *log_user;
    /*
     * An allocator for the memory of rows (all three, or none: malloc): slices, batches with what
     * operators write to them, encoded and packed output, quarantine records, keys of global
     * operators, and the rows that pex_job_next_batch hands out. What does not grow with the rows
     * (handles, plans, threads, texts for pex_free) is malloc's. memory_alloc and memory_realloc
     * return memory that is aligned as malloc's is, or NULL, and memory_realloc then leaves the old
     * block as it was; it is never given NULL, nor is memory_free. Called from any thread, also
     * from several at a time; must not call the library. Valid until the context is destroyed and
     * the last pex_rows is released.
     */
    void *(*memory_alloc)(void *user, size_t size);
    void *(*memory_realloc)(void *user, void *memory, size_t size);
    void (*memory_free)(void *user, void *memory);
    void *memory_user;
};

/*
 * Makes a context. options: NULL for all defaults. Returns 0 and *ctx (the caller ends it with
 * pex_context_destroy), PEX_EINVAL, PEX_ENOTSUP (options of a newer version), PEX_ENOMEM (also:
 * the system gives no more threads). Takes less than 2 ms.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_context_create(const struct pex_context_options *options, pex_context **ctx,
                                   struct pex_error *err);

/*
 * Ends a context: cancels its jobs, waits for running calls, ends all threads and frees everything.
 * timeout_ns: 0 does not wait, a negative value waits for ever. ctx: NULL is allowed and answers 0.
 * Returns 0: nothing is left, the handle is gone; PEX_ETIMEDOUT: a call of the operator named in
 * err has not returned, nothing was freed, call again; PEX_EDEADLK: called from a callback or a
 * thread of this context. Events that were not dispatched are gone. Handles of jobs and data sets
 * stay valid until released. All jobs have ended then, and pex_job_state, _wait, _summary, _error
 * and _progress go on answering; what needs the engine, pex_job_cancel too, answers PEX_ECLOSED.
 * Thread-safety: one-thread-per-object. Since: 0.1.
 */
PEX_API int32_t pex_context_destroy(pex_context *ctx, int64_t timeout_ns, struct pex_error *err);

/*
 * A descriptor that is readable while events wait for pex_context_dispatch; for poll, epoll or a
 * loop of the host's. It belongs to the context. Returns it, or PEX_EFORKED, PEX_EINVAL.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_context_fd(pex_context *ctx);

/*
 * Calls the event callbacks that are due, at most max_events of them (0: 256), on this thread.
 * Does not wait. Returns the number of events delivered, PEX_EBUSY (another thread dispatches),
 * PEX_EDEADLK (called from a callback), PEX_EFORKED, PEX_EINVAL.
 * Thread-safety: any-thread, one at a time. Since: 0.1.
 */
PEX_API int32_t pex_context_dispatch(pex_context *ctx, int32_t max_events);

/*
 * Ends idle instances of operators with num_proc that no live job uses; those of the workers
 * themselves stay until the end of the context. Returns the number of instances ended, or
 * PEX_ECLOSED, PEX_EFORKED, PEX_EINVAL. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_context_trim(pex_context *ctx);

/*
 * The budgets as JSON: a list of {"operator", "version", "key", "num_proc", "out", "waiting",
 * "loaded", "loading", "created", "destroyed", "lease_max"}; num_proc 0: an operator without
 * budget, or one that no live job uses. *json is released with pex_free. Returns 0, PEX_ENOMEM,
 * PEX_ECLOSED, PEX_EFORKED, PEX_EINVAL. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_context_budgets(pex_context *ctx, char **json, struct pex_error *err);

/*
 * The machine as the library sees it, as JSON: {"cpus", "affinity", "cgroup_quota", "usable_cpus",
 * "workers", "memory_bytes", "cgroup_memory_bytes", "memory_limit_bytes", "simd", "devices"}. *json
 * is released with pex_free. Returns 0, PEX_ENOMEM, PEX_ECLOSED, PEX_EFORKED, PEX_EINVAL.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_context_topology(pex_context *ctx, char **json, struct pex_error *err);

#ifdef __cplusplus
}
#endif

#endif
