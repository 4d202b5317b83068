/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of execution: what a free thread does next. Plain structs and functions that take no
 * lock, start no thread and read no clock. Workers call them under the engine's one lock (see
 * docs/design/one-lock.md); the model test and the simulator call the same functions.
 *
 * A thread (an *agent*) asks pex__sched_next for a *step*, carries it out without the lock, and
 * reports with pex__sched_done. A batch in flight is a *ticket*. A *part* is one active partition
 * of one stage: it gives out slices in order, and takes finished tickets into a ring (the reorder
 * window), from which they are written in order.
 *
 * Progress. Let p be the lowest active part of the oldest job and b its lowest unwritten ticket.
 * b unread: earlier tickets are written and numbers go in order, so p holds nothing, and its
 * reserve or the oversize right lets it be read; if p is open and b not known yet, a thread that
 * waits for nothing of ours (the READ before it, the host's source) says more, or the end. b before
 * an operator: share(rank 0) >= 1 inside a job, and if the job has no share now (more jobs than
 * units) b gets the unit that nobody else can use; else calls run, which wait for nothing of ours.
 * b finished: it is first in its window, and p's sink waits for no other part; a sink is full only
 * while tasks that make room run or are queued, which are any worker's first choice and wait for
 * nothing. b in back-off: its timer fires. So some step is always possible. A slice that passed the
 * limit makes its part p until the part holds nothing: an older job that comes then cannot pass the
 * limit as well.
 *
 * A job that is paused, or stopped and not ended yet, is none of "the jobs" above: it gets no step
 * but the writing of what is finished, and gives up what it has in reserve and does not hold. What
 * it holds stays charged. Then the oldest of the others goes on, if need be over the limit and one
 * slice at a time, so at most one slice of each job has passed the limit.
 */
#ifndef PEX_EXEC_SCHEDULE_H
#define PEX_EXEC_SCHEDULE_H

#include "resource/budget.h"

#include <stddef.h>

/* Memory account: limit is what must hold, capacity (C) what may be granted. */
struct pex__account {
    uint64_t limit;
    uint64_t capacity;
    uint64_t total;    /* charged */
    uint64_t outside;  /* of it, what no ticket stands for: instances */
    uint64_t reserved; /* sum of the reserves of the active parts */
    uint64_t shared;   /* charged above the reserves */
};

/* Instances of one budget key. Stateless pools have leases but no instances. */
struct pex__unit {
    struct pex__unit *next; /* while idle */
    struct pex__pool *pool;
    /* Of a shared one: */
    int32_t calls;   /* that use it now */
    int32_t is_gone; /* broken, out of its pool: the last call ends it */
};

struct pex__pool {
    struct pex__budget budget;
    struct pex__unit *idle;
    int32_t loaded; /* instances alive: idle or in call */
    int32_t loading;
    int32_t surplus; /* instances to end, since a budget was made smaller; see pex__pool_shed */
    int32_t is_stateless; /* needs no instance */
    int32_t is_shared;    /* REENTRANT: one instance for all leases */
    int32_t is_blocking;  /* calls happen on the unit's own thread; never with the two above */
};

enum {
    PEX__TICKET_FREE,
    PEX__TICKET_BUSY,    /* a thread works on it */
    PEX__TICKET_READY,   /* waits for a worker */
    PEX__TICKET_PARKED,  /* waits for a lease */
    PEX__TICKET_BACKOFF, /* waits for a timer */
    PEX__TICKET_FINISHED /* in the window, to be written */
};

struct pex__ticket {
    struct pex__ticket *next; /* in a lane, the ready list, a write list or a free list */
    struct pex__part *part;
    uint64_t seq;   /* number in its part; slice number as well */
    uint64_t cost;  /* bytes charged */
    uint64_t peak;  /* highest cost so far */
    uint64_t bytes; /* of the slice */
    uint32_t step;  /* index of the next step of its stage */
    int32_t state;
    int32_t owner; /* id of the worker in whose cache its rows are; 0: none */

    /* Set by the thread that works on it, before it reports a READ, RUN or CALL. */
    int32_t end;      /* PEX__END_* */
    int32_t is_alone; /* with join_rows: its next call takes no other ticket */
    uint64_t now;     /* bytes that it holds */
    uint64_t rows;    /* with join_rows: that the step is still to see */
};

/* The queue of one part before one budgeted step. */
struct pex__lane {
    struct pex__claim claim;
    struct pex__ticket *parked; /* ascending by seq */
};

enum {
    PEX__SINK_OWN,    /* every part has its own file; no order between parts */
    PEX__SINK_EXPORT, /* parts in order; a part that is not the head writes a file of its own first
                       */
    PEX__SINK_PULL    /* the host takes the head's finished tickets */
};

enum {
    PEX__NOTE_DRAINED =
        1, /* all its rows are written (to its own file, it may be): not active now */
    PEX__NOTE_APPEND = 2, /* it is head, and its own file must be appended */
    PEX__NOTE_OUT = 4,    /* all its rows are in the sink; nothing will follow */
    PEX__NOTE_PULL = 8    /* PEX__SINK_PULL: finished tickets wait for the host */
};

struct pex__part {
    struct pex__part *next; /* next higher active part of the job */
    struct pex__part *next_noted;
    struct pex__sjob *job;
    struct pex__lane *lanes; /* one per step; used where the step has a pool */
    struct pex__ticket **ring;
    uint64_t slice_count; /* known so far, see is_open */
    uint64_t next_seq;    /* slices given out */
    uint64_t head_seq;    /* tickets written, or gone */
    uint64_t held;        /* bytes charged to it */
    uint64_t reserve;
    uint64_t slice_bytes; /* of a full slice, for the price of the next */
    uint64_t in_flight;   /* tickets between read and the end of their writing */
    int32_t index;
    uint32_t ring_size; /* a power of two */
    int32_t is_active;
    int32_t reader;       /* a stream: id of the worker that read last; 0: none */
    int32_t is_open;      /* a stream: more slices may follow those that are known */
    int32_t is_writing;   /* the write role is taken */
    int32_t is_through;   /* writes to the export */
    int32_t has_file;     /* rows wait in a file of its own */
    int32_t is_appending; /* the store thread appends that file */
    int32_t is_drained;
    int32_t is_out;
    int32_t has_passed; /* a slice of it passed the limit, and it still holds something */
    int32_t notes;      /* PEX__NOTE_* not yet taken */
};

struct pex__sstep {
    struct pex__pool *pool; /* NULL: not budgeted */
    struct pex__demand demand;
    uint64_t join_rows; /* a call of fewer rows takes more tickets along; 0: never */
    int64_t ns; /* that it took last, per ticket: a call, or a RUN that began here; 0: not known */
};

/* A job in the stage that it runs. */
struct pex__sjob {
    struct pex__sjob *next; /* next younger */
    struct pex__sched *sched;
    struct pex__part *active; /* ascending by index */
    struct pex__part **parts; /* all of the stage by index; NULL: not opened yet */
    struct pex__sstep *steps;
    struct pex__account account;
    uint64_t age;
    uint64_t bytes_read; /* since the last job came */
    double weight;
    double growth;    /* learned: bytes charged per byte of slice */
    int64_t slice_ns; /* that a READ took last; 0: not known */
    size_t step_count;
    int32_t part_count;
    int32_t head; /* index of the part that writes through */
    int32_t sink;
    int32_t is_stopped; /* cancelled or failed: no new step */
    int32_t is_full;    /* the sink takes no rows now: tasks that make room are queued or run */
    int32_t is_held;    /* nothing of it is written or taken: the host has events to hear first */
    int32_t is_paused;  /* no new step but writes, until it goes on */
    uint64_t busy;      /* steps that a thread works on */
};

struct pex__task {
    struct pex__task *next;
    void (*run)(struct pex__task *task);
};

struct pex__sched {
    struct pex__sjob *jobs; /* ascending by age */
    struct pex__account account;
    struct pex__ticket *ready;  /* tickets that wait for a worker */
    struct pex__part *noted;    /* parts with notes, in the order they came */
    struct pex__part *oversize; /* its slice passed the limit; NULL: none that holds something, or
                                   its job does not go on */
    struct pex__task *tasks;    /* long work of the job layer, for any worker; FIFO */
    struct pex__ticket *freed;  /* tickets that left, for the driver to recycle */
    uint32_t threads;           /* T: workers and blocking threads at full width */
    int32_t load_limit;
    int32_t loading;
};

/* agent->unit: the unit whose thread this is, NULL for a worker. */
struct pex__agent {
    struct pex__ticket *spare; /* a worker brings one for the next slice; taken by a READ */
    struct pex__unit *unit;
    struct pex__pool *served; /* whose lease it returns with its next report */
    int32_t id;               /* of a worker, from 1 on */
};

enum {
    PEX__STEP_NONE,
    PEX__STEP_READ,  /* read the slice ticket->seq, then as RUN */
    PEX__STEP_RUN,   /* take the ticket through its steps until a budgeted one, or the end */
    PEX__STEP_CALL,  /* one call of the budgeted step ticket->step, with the lease and unit, on the
                        tickets of the list `ticket` */
    PEX__STEP_WRITE, /* write the tickets of the list `ticket`, in order */
    PEX__STEP_LOAD,  /* make an instance for pool (blocking: start its thread) */
    PEX__STEP_TASK
};

struct pex__step {
    int32_t kind;
    struct pex__part *part;
    struct pex__ticket *ticket;
    struct pex__pool *pool; /* CALL, LOAD */
    struct pex__unit *unit; /* CALL: the instance, NULL for a stateless pool */
    struct pex__sjob *job;  /* LOAD: the job whose batch waits */
    struct pex__task *task;
    uint32_t at;     /* CALL: the step that the lease is for; RUN: the one it begins with */
    int32_t owner;   /* WRITE: whose tickets, see pex__window_take */
    int32_t through; /* WRITE: to the export, not to a file of the part's own */
};

/* limit bytes for all jobs; threads T and slice bytes S set aside T x S for growth. */
void pex__account_init(struct pex__account *account, uint64_t limit, uint64_t set_aside);
/* Sets aside so much from now on. */
void pex__account_set_aside(struct pex__account *account, uint64_t set_aside);
/* A higher limit from now on; nothing was set aside. */
void pex__account_raise(struct pex__account *account, uint64_t limit);
/* Memory that no ticket stands for: instances. Negative gives back. */
void pex__account_charge(struct pex__account *account, int64_t bytes);
void pex__sched_init(struct pex__sched *sched, uint64_t limit, uint32_t threads,
                     int32_t load_limit);

/*
 * A job enters with one stage: steps, parts (all NULL), part_count, sink, account, age, weight and
 * growth set by the caller. It leaves, or changes the stage, when it has no active part.
 */
void pex__sched_job_enter(struct pex__sched *sched, struct pex__sjob *job);
void pex__sched_job_leave(struct pex__sjob *job);

/*
 * Opens a part whose job, index, slice_count, is_open, slice_bytes, ring, ring_size and lanes are
 * set; all else is zero. Parts open in ascending order. Returns 0 when its reserve cannot be had
 * now, except for the only part of the oldest job, which always gets in.
 */
int pex__sched_part_open(struct pex__part *part);

/*
 * An open part learns of `count` more slices behind those it knows; is_end: they are its last. Not
 * for a part whose end is known, but for one of a stopped job.
 *
 * A stream that is decoded from front to back opens with one slice; the thread that has its READ
 * calls this as soon as the slice is cut, with one more slice or the end, and goes on with the
 * ticket. So one READ of such a part is out at a time, and what is done to its rows runs beside
 * the next. A source that is read by a thread of its own adds slices as they come.
 */
void pex__sched_part_more(struct pex__part *part, uint64_t count, int is_end);

/* A call takes no more tickets than this. */
enum { PEX__CALL_TICKETS = 32 };

/* Slots of a part's window: at least 16 and four per thread, a power of two. */
uint32_t pex__window_size(uint32_t threads);

/* The next step for this agent; step->kind is PEX__STEP_NONE when there is nothing to do. */
void pex__sched_next(struct pex__sched *sched, struct pex__agent *agent, struct pex__step *step);
/*
 * Steps that take less time than it takes to get them are given out several at a time, as many as
 * leave half of the window to the other workers. How long they took is set by whoever drives the
 * rules. A CALL has more tickets in its list, which are called one after the other. next_alike:
 * one more READ, or one more RUN of the same step, for a worker that was just given `step`;
 * PEX__STEP_NONE: no more of them, also when it is another job's turn: no job waits behind the
 * calls of another.
 */
#define PEX__QUICK_NS INT64_C(3000)
static inline int pex__is_quick(int64_t ns)
{
    return ns > 0 && ns < PEX__QUICK_NS;
}
uint32_t pex__sched_handful(const struct pex__sched *sched);
void pex__sched_next_alike(struct pex__sched *sched, struct pex__agent *agent,
                           const struct pex__step *step, struct pex__step *next);
/* Non-zero if a worker would find a step. */
int pex__sched_has_work(struct pex__sched *sched);
/* Non-zero if a worker would find a call to make or load; with or_ready also a ticket to go on
 * with. */
int pex__sched_has_call(struct pex__sched *sched, int or_ready);
/* An idle unit of a blocking pool for which a batch waits and may be called, or NULL. */
struct pex__unit *pex__sched_blocking_work(struct pex__sched *sched);

/* How a READ, RUN or CALL ended for a ticket. */
enum {
    PEX__END_NEXT,  /* ticket->step is the next step; step_count: it is finished */
    PEX__END_AGAIN, /* the same step again, as soon as may be */
    PEX__END_LATER, /* the same step, after pex__sched_wake */
    PEX__END_GONE   /* the ticket leaves without being written (its job stopped) */
};

/* Reports READ, RUN, CALL; how they ended stands in the tickets. */
void pex__sched_done(struct pex__sched *sched, struct pex__step *step);
/* A CALL broke its instance: returns the lease, the unit is no longer of the pool; then as done. A
 * shared one ends with the last of its calls. */
void pex__sched_done_broken(struct pex__sched *sched, struct pex__step *step);
/* Reports a WRITE: the tickets of the list are written and free. */
void pex__sched_done_write(struct pex__sched *sched, struct pex__step *step);
/* Reports a LOAD: unit is the new instance, NULL: it failed. */
void pex__sched_done_load(struct pex__sched *sched, struct pex__step *step, struct pex__unit *unit);

/* A ticket's back-off is over. */
void pex__sched_wake(struct pex__ticket *ticket);
/* Takes the finished tickets at the head of a PULL part; NULL if there are none. Ends with
 * pex__sched_done_write. */
struct pex__ticket *pex__sched_pull(struct pex__part *part);
/* Holds the writing of a job, or lets it go on. */
void pex__sched_hold(struct pex__sjob *job, int is_held);
/* The own file of a part was appended to the export. */
void pex__sched_appended(struct pex__part *part);
/* No new step for the job; tickets that nobody works on are freed. */
void pex__sched_job_stop(struct pex__sjob *job);
/* Holds the job, or lets it go on; before it enters, or while it is there. */
void pex__sched_job_pause(struct pex__sjob *job, int32_t is_paused);
/* Another num_proc for one step of a job that entered; fewer units leave a surplus of instances. */
void pex__sched_job_budget(struct pex__sjob *job, size_t step, int32_t num_proc);
/* Queues work for any worker. */
void pex__sched_task(struct pex__sched *sched, struct pex__task *task);
/* Takes it back; 0 if a worker has it already. */
int pex__sched_untask(struct pex__sched *sched, const struct pex__task *task);
/* Takes an idle unit out of its pool for good, or NULL: for eviction. */
struct pex__unit *pex__pool_evict(struct pex__pool *pool);
/* The same while the pool has a surplus; NULL: none, or no unit is idle. Asked for whenever a unit
 * may have become idle. */
struct pex__unit *pex__pool_shed(struct pex__pool *pool);

/* Next part with notes; *notes gets them. NULL: none. */
struct pex__part *pex__sched_take_note(struct pex__sched *sched, int32_t *notes);

/* Lowest unwritten ticket rules, for the model test. */
int pex__account_over(const struct pex__account *account);

#endif
