/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine: threads that drive the scheduler. It knows agents, tickets and sleeping; what a step
 * does to rows is in the table of the job (`ops`), so that the benchmarks can drive it with empty
 * bodies.
 *
 * Lock order: under engine->lock only the leaf locks of the loop's inbox and of a job's public
 * state are taken; no operator, hook of a host or file call runs under it.
 */
#ifndef PEX_EXEC_ENGINE_H
#define PEX_EXEC_ENGINE_H

#include "base/buffer.h"
#include "data/batch.h"
#include "data/input.h"
#include "exec/schedule.h"
#include "loop/loop.h"
#include "plan/registry.h"

#include <pthread.h>
#include <stdatomic.h>

struct pex__engine;
struct pex__worker;
struct pex__instances;

/* Counts of one operator. */
struct pex__tally {
    uint64_t in, added, out, dropped, quarantined;
    uint64_t skipped;               /* part of dropped: rows that failed under on_error skip */
    uint64_t spared, reached, lost; /* see pex__call_result */
    uint64_t calls;
    int64_t ns;         /* inside calls */
    int32_t whole_code; /* of one work: its rows failed with whole calls, the last with this code */
};

/* A row that ends the job, once all rows before it went well. */
struct pex__row_failure {
    struct pex_row_id id;
    struct pex_error error;
};

/* A batch in flight: the ticket, and what belongs to it. */
struct pex__work {
    struct pex__ticket ticket; /* first */
    struct pex__message timer; /* back-off */
    int64_t delay_ns;          /* of the back-off, with PEX__END_LATER */
    struct pex__engine *engine;

    uint32_t step; /* next step, of whoever works on it; ticket.step follows under the lock */
    struct pex__batch *batch; /* between READ and the end of the last step */
    size_t cursor;            /* first row of the next call of the current step */
    size_t window;            /* rows of the next call; 0: the operator's batch size */
    int32_t is_apart;         /* that window is for one call, behind a joined one that failed */
    size_t failed_end;        /* while rows that fail are searched: end of the failed range */
    size_t bad_end;         /* end of the rows from cursor on of which one must fail; 0: unknown */
    int32_t search_calls;   /* of that search so far */
    int32_t attempts;       /* of the current call, answered by PEX_EAGAIN */
    int64_t paused_ns;      /* in back-off before the current step, over all its calls */
    int32_t instances;      /* broken under the current call */
    int32_t attempt;        /* 1-based, for the quarantine */
    uint64_t step_in;       /* rows of this ticket in front of the current step */
    uint64_t step_rejected; /* of them: rejected because whole calls failed */
    char *whole_message;    /* what the last operator said that failed whole; owned */

    struct pex__buffer out; /* encoded rows, ready to be written */
    size_t out_rows;
    struct pex__buffer stats;   /* a line per row, where they are exported */
    struct pex__buffer rejects; /* quarantine records */
    struct pex__buffer keys;    /* key records */
    size_t key_count;
    struct pex__tally *tallies; /* one per operator of the chain */
    size_t tally_capacity;
    uint64_t lines, rows, blank, bad, input_bytes;
    uint64_t errors;                  /* rows that failed, whatever became of them */
    struct pex_error *first_error;    /* the first of them, where errors are limited; owned */
    struct pex__row_failure *failure; /* NULL: none; owned. The rows are those before it. */
};

/* What the steps of a job mean. No lock is held; worker is NULL on a unit's thread. */
struct pex__engine_ops {
    /* READ: fills the work from its slice and goes on as run. Returns PEX__END_*. */
    int32_t (*read)(struct pex__worker *worker, struct pex__work *work);
    /* RUN: takes the work through the steps that are not budgeted. */
    int32_t (*run)(struct pex__worker *worker, struct pex__work *work);
    /* CALL: one call of a budgeted step on the works of a list, in order, linked by ticket.next; on
     * a worker it may go on as run. Sets ticket.end of each. *is_broken: the instance must be
     * replaced. */
    void (*call)(struct pex__worker *worker, struct pex__work *list, void *instance,
                 int *is_broken);
    /* WRITE: a list of works, in order, linked by ticket.next. */
    void (*write)(struct pex__worker *worker, struct pex__part *part, struct pex__work *list,
                  int through);
    /* Bytes that the work holds. */
    uint64_t (*cost)(const struct pex__work *work);
    /* LOAD: makes the handle of an instance for this step. Returns 0 or a code with the reason. */
    int32_t (*load)(struct pex__sjob *job, uint32_t step, void **handle, struct pex_error *err);
    /* LOAD failed for good. */
    void (*load_failed)(struct pex__sjob *job, uint32_t step, const struct pex_error *why);
    /* A part has notes (PEX__NOTE_*). Under the engine's lock: posts a message, no more. */
    void (*note)(struct pex__part *part, int32_t notes);
    /* The last load of a job without active parts ended: no thread works for it any more. As note;
     * NULL: nobody wants to know. */
    void (*idle)(struct pex__sjob *job);
};

/* A job as the engine knows it; the job layer's object starts with it. */
struct pex__engine_job {
    struct pex__sjob sjob; /* first */
    const struct pex__engine_ops *ops;
};

/* One thread of the engine. */
struct pex__worker {
    struct pex__engine *engine;
    pthread_t thread;
    int32_t index;
    struct pex__agent agent;
    struct pex__reader *reader;
    struct pex__scan *scans[PEX__ISA_COUNT + 1]; /* PEX__ISA_BEST first */
    struct pex__batch *batch;                    /* kept for the next slice */
};

struct pex__engine {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct pex__sched sched;  /* under lock */
    struct pex__ticket *free; /* under lock */
    size_t free_count;
    int32_t sleepers;                 /* workers asleep; under lock */
    int32_t lookers;                  /* workers that wait for a hint; under lock */
    _Atomic int32_t hint;             /* there is work for a looker */
    int32_t waking;                   /* of them: signalled, not awake yet; under lock */
    int32_t is_ending;                /* under lock */
    struct pex__instances *instances; /* all pools, newest first; under lock */
    struct pex__worker *workers;
    int32_t worker_count;
    struct pex__instance *units;  /* threads of blocking instances; under lock */
    struct pex__instance *ended;  /* those that ended by themselves, to be joined; under lock */
    const struct pex__heap *heap; /* for the memory of rows */
    struct pex__loop *loop;
    void (*log)(void *user, int32_t level, const char *message);
    void *log_user;
};

int32_t pex__engine_create(struct pex__engine **engine, int32_t workers, uint64_t memory_limit,
                           int32_t load_limit, const struct pex__heap *heap, struct pex__loop *loop,
                           struct pex_error *err);
/* Ends the threads; no job may be left. NULL is allowed. */
void pex__engine_free(struct pex__engine *engine);

/* Locked sections of the job layer: unlock wakes whoever has work now, and runs the notes. */
void pex__engine_lock(struct pex__engine *engine);
void pex__engine_unlock(struct pex__engine *engine);

/* An open part learns of more slices, or of its end: see pex__sched_part_more. Any thread, without
 * the lock. */
void pex__engine_more(struct pex__engine *engine, struct pex__part *part, uint64_t count,
                      int is_end);

/* Reports a LOAD step; unit NULL: it failed. Under the lock. */
void pex__engine_loaded(struct pex__engine *engine, struct pex__step *step, struct pex__unit *unit);

/* Non-zero on a thread of the engine. */
int pex__engine_is_current(struct pex__engine *engine);

void pex__engine_log(const struct pex__engine *engine, int32_t level, const char *format, ...)
    PEX_PRINTF(3, 4);

/* work.c: memory of works. recycle: forgets the content of a freed work, keeps little memory. */
struct pex__ticket *pex__work_create(struct pex__engine *engine);
void pex__work_recycle(struct pex__work *work);
void pex__work_free(struct pex__work *work);

static inline struct pex__work *pex__work_of(struct pex__ticket *ticket)
{
    return (struct pex__work *)(void *)ticket;
}

static inline const struct pex__engine_ops *pex__ops_of(const struct pex__sjob *job)
{
    return ((const struct pex__engine_job *)(const void *)job)->ops;
}

#endif
