/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run: one stage of one job on the engine, and what its steps do to rows. Where slices come from
 * and where finished rows go is in the hooks, which the job layer gives.
 */
#ifndef PEX_EXEC_RUN_H
#define PEX_EXEC_RUN_H

#include "exec/engine.h"
#include "exec/instance.h"
#include "plan/plan.h"

#include <stdatomic.h>

struct pex__run;

struct pex__run_hooks {
    /* Fills the slice `seq` of a part. Worker thread. */
    int32_t (*read)(struct pex__run *run, struct pex__part *part, struct pex__reader *reader,
                    uint64_t seq, struct pex__slice *slice, struct pex_error *err);
    /* Counts of `count` rows from row `first` of the part on, as the convergence point decided. */
    int32_t (*counts)(struct pex__run *run, struct pex__part *part, uint64_t first, size_t count,
                      uint32_t *counts);
    /* Takes the works of the list, in order. The error is what the run fails with. */
    int32_t (*write)(struct pex__run *run, struct pex__part *part, struct pex__work *list,
                     int through, struct pex_error *err);
    void (*note)(struct pex__part *part, int32_t notes);
    void (*idle)(struct pex__run *run);
    /* The run failed and was stopped; called once. Any thread. */
    void (*failed)(struct pex__run *run);
};

/* How an operator of the chain stands in this stage. */
struct pex__run_step {
    const struct pex__plan_step *plan; /* site, op, phase */
    const struct pex__plan_op *op;
    struct pex__instances *instances; /* NULL: an apply without operator code */
    struct pex_env env;
    uint64_t created_before, destroyed_before; /* of the pool, when the stage began */
    _Atomic int32_t running;                   /* calls, for messages about what does not end */
};

struct pex__run {
    struct pex__engine_job job; /* first */
    struct pex__engine *engine;
    const struct pex__plan *plan;
    const struct pex__plan_stage *stage;
    const struct pex__run_hooks *hooks;
    struct pex__run_step *steps;
    const char **operator_names; /* by op index; not owned */
    int32_t *units;    /* by op index: num_proc as it is now; under core->lock; not owned */
    int32_t is_paused; /* of every stage; under the engine's lock */
    struct pex_string_view told; /* for apply: by the resolve before this stage; not owned */
    int32_t stage_index;
    int32_t is_last;           /* its rows are the output */
    _Atomic int32_t cancelled; /* relaxed: a hint to stop, nothing is published by it */

    pthread_mutex_t error_lock; /* error, has_failed; a leaf lock */
    struct pex_error error;     /* code 0: none */
    int32_t has_failed;

    /* Progress, by whole batches. */
    _Atomic uint64_t *rows_read;
    _Atomic uint64_t *bytes_read;
};

extern const struct pex__engine_ops pex__run_ops;

/*
 * Sets up the run of a stage: pools, steps. The caller has set engine, plan, hooks, units and the
 * progress counters, and goes on with job.sjob.part_count, parts and pex__sched_job_enter. Returns
 * 0 or PEX_ENOMEM.
 */
int32_t pex__run_open(struct pex__run *run, size_t stage, uint64_t age, struct pex_error *err);
/* Gives the pools back; the scheduler knows the run no more. */
void pex__run_close(struct pex__run *run);

/* control.c: between open and close, and before and after: holds the run, or lets it go on. */
void pex__run_pause(struct pex__run *run, int32_t is_paused);
/* An operator of the chain that has a budget gets num_proc units from now on. Not while a stage is
 * opened or closed. */
void pex__run_budget(struct pex__run *run, size_t op, int32_t num_proc);
/* Names of the operators that have calls running, ", " between them, cut to size; "": none. */
void pex__run_running(const struct pex__run *run, char *names, size_t size);
/* Non-zero while a thread writes rows of the run. */
int pex__run_is_writing(struct pex__run *run);
/* Bytes to set aside of the memory limit: a slice for each thread that may work for the run. */
uint64_t pex__run_set_aside(const struct pex__run *run);

/* The first failure of a run stops it; later ones are not kept. err: code and text. */
void pex__run_fail(struct pex__run *run, const struct pex_error *err);

/* 0, or the code of that failure, and err gets it. */
int32_t pex__run_error(struct pex__run *run, struct pex_error *err);

/*
 * A reject under on_error fail: the job fails with it unless a row before it does, so the rows
 * before it go on and those behind it are dropped. rows: how many were rejected with it because one
 * of them failed, nobody knows which. Returns 0 or PEX_ENOMEM.
 */
int32_t pex__run_fail_row(struct pex__run *run, struct pex__work *work,
                          const struct pex__reject *reject, size_t rows);

/* Counts the rows of the work that failed, for the limits; those behind a row that ends the job do
 * not count. Returns 0 or PEX_ENOMEM. */
int32_t pex__run_count_errors(const struct pex__run *run, struct pex__work *work);
/* Puts in front of the message where the rows are, and the lead in front of that. */
void pex__run_name_rows(const struct pex__run *run, const struct pex_row_id *first, size_t rows,
                        const char *lead, struct pex_error *err);

static inline int pex__run_is_cancelled(const struct pex__run *run)
{
    return atomic_load_explicit(&run->cancelled, memory_order_relaxed) != 0;
}

/* The scanner of this worker for the job's instruction set; NULL: no memory. */
struct pex__scan *pex__run_scan(struct pex__worker *worker, const struct pex__run *run);

void pex__tally_add(struct pex__tally *sum, const struct pex__tally *tally);

/* The counts of an operator in this work. */
static inline struct pex__tally *pex__work_tally(struct pex__work *work, int32_t op)
{
    return &work->tallies[op];
}

/* calls.c: one call on the rows of a work, and everything that can come of it. instance: NULL for
 * an operator without state. Returns PEX__END_NEXT when the step is done with all rows, else AGAIN,
 * LATER or GONE. */
int32_t pex__run_call(struct pex__run *run, struct pex__work *work,
                      const struct pex__handle *instance, int *is_broken);
/* calls_join.c: one call on the rows of several works, linked by ticket.next. Sets ticket.end of
 * each as pex__run_call returns it. */
void pex__run_call_joined(struct pex__run *run, struct pex__work *list,
                          const struct pex__handle *instance, int *is_broken);
/* Starts a work on its current step. */
void pex__run_begin_step(struct pex__work *work);

#endif
