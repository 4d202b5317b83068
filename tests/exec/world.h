/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A virtual engine: jobs, partitions, workers, units of blocking pools, the store thread, the loop
 * and the host, as plain data around the scheduler's own structs. What they may do next is a list
 * of actions; applying one calls the rules under test and checks what must hold at that moment. The
 * exhaustive model takes every action in every state, the property test one after the other by a
 * virtual clock.
 *
 * A world is one block of memory without pointers out of it (but to its spec): a copy, put back at
 * the same address, is the same state again.
 */
#ifndef PEX_TESTS_EXEC_WORLD_H
#define PEX_TESTS_EXEC_WORLD_H

#include "exec/schedule.h"

#define WORLD_JOBS 3
#define WORLD_PARTS 8
#define WORLD_STEPS 6
#define WORLD_POOLS 6
#define WORLD_RING 8
#define WORLD_RUNNING 40
#define WORLD_UNITS 64
#define WORLD_ACTIONS 512

/* Where the slices of a job's parts come from. */
enum {
    WORLD_KNOWN,   /* their number is known */
    WORLD_DECODED, /* the READ of each tells whether there is another; the first is always there */
    WORLD_FED      /* a thread of its own adds them one by one, and the end at last */
};

enum { WORLD_STATELESS, WORLD_INSTANCES, WORLD_SHARED, WORLD_BLOCKING };

struct spec_step {
    int32_t pool; /* negative: not budgeted */
    int32_t num_proc;
};

struct spec_job {
    int32_t part_count;
    uint32_t slices[WORLD_PARTS];
    int32_t slices_from; /* WORLD_KNOWN, .. */
    int32_t step_count;
    struct spec_step steps[WORLD_STEPS];
    uint64_t join_rows[WORLD_STEPS]; /* per step */
    int32_t sink;
    int32_t policy;
    int32_t active_max;
    uint32_t ring_size;
    double weight;
    double growth;
    uint64_t limit;
    uint64_t set_aside;
    uint64_t slice_bytes;
    int32_t may_stop;
    int32_t comes_late; /* at any moment, instead of at the start */
    int32_t is_quick;   /* its steps are given out by the handful */
};

struct spec {
    const char *name;
    uint64_t seed;
    int32_t is_large; /* takes more than a moment to search */
    int32_t
        has_names; /* workers are told apart: by what they encoded, and whose lease they return */
    int32_t workers;
    int32_t load_limit;
    uint64_t limit;
    int32_t pool_count;
    int32_t pool_kinds[WORLD_POOLS];
    int32_t job_count;
    struct spec_job jobs[WORLD_JOBS]; /* oldest first */
    /* How often each may happen in all. */
    int32_t agains, laters, breaks, load_failures, evictions, holds;
    int32_t pauses;  /* of any job; each goes on again at any later moment */
    int32_t budgets; /* a step of a job gets another num_proc */
    /* Bytes of a batch that stands before the step. */
    uint64_t (*cost)(const struct spec *spec, int32_t job, int32_t part, uint64_t seq,
                     uint32_t step);
    /* A broken rule: calls do not end while their growth does not fit. */
    int32_t calls_wait_for_memory;
};

struct world_unit {
    struct pex__unit unit; /* first */
    int32_t is_alive;
    int32_t calls; /* at this moment */
};

struct world_part {
    struct pex__part part; /* first */
    struct pex__lane lanes[WORLD_STEPS];
    struct pex__ticket *ring[WORLD_RING];
    uint64_t written; /* slices in the sink */
    uint64_t in_file; /* slices in its own file, not appended yet */
    int32_t append_asked;
    int32_t is_drained, is_out; /* as told by notes */
};

struct world_job {
    struct pex__sjob sjob; /* first */
    struct pex__sstep steps[WORLD_STEPS];
    struct pex__part *parts[WORLD_PARTS];
    struct world_part own[WORLD_PARTS];
    int32_t has_entered, has_left;
    int32_t opened, active, out;
    int32_t export_is_busy;
    int32_t host_is_told, host_is_busy;
    int32_t step_out[WORLD_STEPS];  /* leases out at the last check */
    const struct pex__part *passed; /* its slice passed the limit and is out */
};

struct running {
    struct pex__step step;
    int32_t is_host;   /* a WRITE by the host of a pull job */
    int32_t of_worker; /* a worker is busy with it */
    /* The first of the steps that a worker was given together. */
    const struct pex__part *hand_part;
    uint64_t hand_seq;
    int32_t is_cut; /* a READ that has told what follows */
    int64_t until;  /* for the virtual clock */
};

enum {
    ACT_ASK,      /* an idle worker asks */
    ACT_ASK_UNIT, /* an idle unit of blocking pool `a` asks */
    ACT_END,      /* running step `a` ends as `b` (OUTCOME_*) */
    ACT_CUT,      /* running READ `a` of a decoded part tells whether there is another slice */
    ACT_FEED,     /* the source of job a, part b gives a slice */
    ACT_FEED_END, /* it tells its end */
    ACT_APPENDED, /* the store thread appended the file of job a, part b */
    ACT_PULL,     /* the host of job a takes what is finished */
    ACT_WAKE,     /* back-off of the ticket in slot c of job a, part b is over */
    ACT_OPEN,     /* the loop opens the next part of job a */
    ACT_ENTER,
    ACT_LEAVE,
    ACT_STOP,
    ACT_HOLD,    /* the host of job a is to hear something first */
    ACT_RELEASE, /* it did */
    ACT_EVICT,   /* an idle unit of pool a */
    ACT_PAUSE,
    ACT_BUDGET, /* step b of job a gets num_proc c */
    ACT_RESUME
};

enum {
    OUTCOME_NEXT,
    OUTCOME_FIRST, /* of a call on several tickets: the rows of the first */
    OUTCOME_AGAIN,
    OUTCOME_LATER,
    OUTCOME_GONE,
    OUTCOME_BROKEN,
    OUTCOME_FAILED
};

struct action {
    uint8_t kind, a, b, c;
};

struct world {
    const struct spec *spec;
    struct pex__sched sched;
    struct pex__pool pools[WORLD_POOLS];
    int32_t pool_out[WORLD_POOLS]; /* leases out at the last check */
    struct world_unit units[WORLD_UNITS];
    struct world_job jobs[WORLD_JOBS];
    struct running running[WORLD_RUNNING];
    int32_t running_count;
    int32_t idle_workers;
    struct pex__pool *served; /* by the worker that reported last, and asks next */
    int32_t agains, laters, breaks, load_failures, evictions, holds, pauses, budgets; /* left */
    uint64_t peak;
    uint64_t bound;                 /* the most that may ever be charged */
    const struct pex__part *passed; /* of those of the jobs: the one that goes first */
    struct pex__ticket *free;
    const char *fault; /* what did not hold; NULL so far */
    struct pex__ticket tickets[];
};

/* Slices of a part when all are known. */
uint64_t world_slices(const struct spec *spec, int32_t job, int32_t part);
/* Bytes of the block for this spec. */
size_t world_size(const struct spec *spec);
void world_init(struct world *world, const struct spec *spec);
size_t world_actions(const struct world *world, struct action *actions);
/* Non-zero if something happened; an agent that finds nothing to do leaves the state as it was. */
int world_apply(struct world *world, struct action action);
/* Every job has left, complete or stopped. */
int world_is_over(const struct world *world);
/* Every job has left or is paused: only a host can bring it further. */
int world_is_paused(const struct world *world);
void world_describe(const struct action *action, char *text, size_t size);

/* Sets world->fault when a state is not as it must be. */
void world_check(struct world *world);
/* What must hold of a step that an agent was just given. total, job_totals: charged before. */
void world_check_step(struct world *world, const struct pex__step *step, uint64_t total,
                      const uint64_t *job_totals);
/* What must hold when a part was let in. */
void world_check_open(struct world *world, const struct pex__part *part);
/* An agent found nothing: there must be nothing. unit: NULL for a worker. */
void world_check_idle(struct world *world, const struct pex__unit *unit);
/* Equal for states from which the same can follow: they are searched once. */
uint64_t world_hash(const struct world *world);
/* Every job has left: nothing is held, charged or out of its place. */
void world_check_end(struct world *world);
/* The limit, one largest item and the growth of the calls that run at a time. */
uint64_t world_bound(const struct spec *spec);

/* Rows of every slice, in front of every step: one, two or none. */
static inline uint64_t world_rows(uint64_t seq)
{
    return (seq + 1) % 3;
}

static inline int world_goes_on(const struct world_job *job)
{
    return !job->sjob.is_stopped && !job->sjob.is_paused;
}

static inline void world_fault(struct world *world, const char *what)
{
    if (world->fault == NULL)
        world->fault = what;
}

#endif
