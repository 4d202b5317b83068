/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that reads a source of the host's for one job: it calls the source, cuts what comes
 * into slices, keeps some of them ahead of the workers, and tells the engine of each. The source
 * may block for ever: then the job can end without the thread, but the context cannot.
 */
#ifndef PEX_JOB_FEEDER_H
#define PEX_JOB_FEEDER_H

#include "data/feed.h"
#include "data/slicer.h"
#include "exec/schedule.h"
#include "loop/loop.h"

#include <pthread.h>
#include <stdatomic.h>

struct pex_job;
struct pex__fed_slice;

struct pex__feeder {
    struct pex__feeder *next; /* of the core's, under its lock */
    struct pex_job *job;      /* the thread holds a reference */
    struct pex__feed *feed;   /* the thread's reference, until its last call */
    pthread_t thread;
    struct pex__message ended;
    _Atomic int32_t is_calling; /* relaxed: for messages about what does not end */

    /* The thread's alone. */
    struct pex__slicer slicer;
    int spool_fd; /* a copy of what came, for records of later stages; -1: not needed */
    char *spool_path;

    /* Before the engine's lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct pex__part *part; /* which it feeds; NULL: no more rows are wanted */
    struct pex__fed_slice *ready, **ready_end;
    struct pex__fed_slice *spare;
    uint64_t next_seq;
    uint64_t ready_bytes;
    uint64_t ahead_bytes; /* it waits when so many are ready */
    int has_ended;
};

/* Starts the thread for an open part of the first stage. Loop thread. Returns 0 or a code. */
int32_t pex__feeder_start(struct pex_job *job, struct pex__part *part, struct pex_error *err);
/* Moves slice number seq of the part into *slice; PEX_ECANCELLED when the job is stopped. */
int32_t pex__feeder_take(struct pex__feeder *feeder, uint64_t seq, struct pex__slice *slice,
                         struct pex_error *err);
/* The job wants no more rows; the part may go. Any thread, also more than once. */
void pex__feeder_stop(struct pex__feeder *feeder);
/* No stage will read rows again; the copy of the source goes, unless the thread still runs. */
void pex__feeder_drop_copy(struct pex__feeder *feeder);
/* The thread has ended, or was never started. NULL is allowed. */
void pex__feeder_free(struct pex__feeder *feeder);

#endif
