/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core of a context: what its handles share. It stays alive while any handle does, so that
 * handles can be released in any order; once the context is destroyed it only says so.
 *
 * Lock order: core->lock, then the engine's lock, then leaves (loop inbox, a job's public state).
 */
#ifndef PEX_JOB_CORE_H
#define PEX_JOB_CORE_H

#include "base/memory.h"
#include "exec/engine.h"
#include "plan/registry.h"
#include "resource/topology.h"
#include "store/store.h"

#include <partexec/job.h>

#include <stdatomic.h>

/* An event on its way to the host; it holds a reference to its job. */
struct pex__event_item {
    struct pex__event_item *next;
    struct pex_event event;
    char *text;
    uint64_t bytes; /* of a row's event: what it counts for while it waits */
};

struct pex__core {
    _Atomic int32_t refs;
    int pid; /* of the process that made it */

    /* Set at creation, gone after destroy. */
    struct pex__engine *engine;
    struct pex__loop *loop;
    struct pex__store *store;
    struct pex__registry *registry;
    char *plugin_dir;
    struct pex__heap heap; /* of the host's allocator; allocate NULL: it has none */
    struct pex__topology topology;
    uint64_t memory_limit;
    int has_memory_limit; /* the host gave one: no job may have more */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* an event came, a job ended */
    int is_closed;          /* destroy has begun */
    int is_gone;            /* and got so far that nobody may reach the engine any more */
    int32_t live_jobs;
    int32_t pullers; /* threads in pex_job_next_batch, which use the engine */
    uint64_t next_age;
    struct pex_job *jobs;        /* live jobs, oldest first */
    struct pex__feeder *feeders; /* threads that read sources; they can outlive their jobs */
    struct pex__event_item *events;
    struct pex__event_item **events_end;
    int event_fd;
    int is_dispatching;
    pthread_t dispatcher;
};

struct pex__core *pex__core_create(void);
struct pex__core *pex__core_ref(struct pex__core *core);
void pex__core_unref(struct pex__core *core);

/* 0, PEX_EFORKED or (closing counts) PEX_ECLOSED; the code's own text in err. */
int32_t pex__core_check(struct pex__core *core, struct pex_error *err);
int pex__core_is_forked(const struct pex__core *core);
/* Non-zero on a thread of the context, or inside an event callback. */
int pex__core_is_current(struct pex__core *core);

/* Queues an event; text is copied. Without memory it is lost, the job's state is not. */
void pex__core_post_event(struct pex__core *core, struct pex_job *job, int32_t kind, int32_t state,
                          int32_t stage, int32_t partition, const char *text);
/* Queues the record of a row that failed; too many of them hold the job until they are delivered.
 * PEX_ENOMEM: it could not be told. */
int32_t pex__core_post_row(struct pex__core *core, struct pex_job *job, int32_t stage,
                           int32_t partition, struct pex_string_view record);
/* Queues the job's own event that rows may wait; one at a time, so that it needs no memory. */
void pex__core_post_pull(struct pex__core *core, struct pex_job *job);
/* Queues the last event of a job, with memory that the job has kept for it. text: lives with the
 * job. */
void pex__core_post_end(struct pex__core *core, struct pex_job *job, int32_t state,
                        const char *text);
/* Forgets events that nobody will dispatch any more. */
void pex__core_drop_events(struct pex__core *core);
/* Name of an operator that has a call running now, or "". */
void pex__core_running_operator(struct pex__core *core, char *name, size_t size);
/* Name of a source that has a call running now, or "". */
void pex__core_running_source(struct pex__core *core, char *name, size_t size);
/* See pex_context_dispatch. */
int32_t pex__core_dispatch(struct pex__core *core, int32_t max_events);

#endif
