/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs. The state machine of a job and its partitions lives on the loop thread alone; workers, the
 * store thread and the host reach it by messages. What the host may ask at any time is in `shown`,
 * under the job's lock.
 */
#ifndef PEX_JOB_JOB_H
#define PEX_JOB_JOB_H

#include "exec/run.h"
#include "job/core.h"
#include "job/export.h"
#include "job/feeder.h"
#include "job/keys.h"
#include "job/spool.h"
#include "data/block.h"
#include "data/inflow.h"

struct pex__stage_file;

/* Batches in a row that an operator failed whole, with one code. */
struct pex__streak {
    int32_t code;
    int32_t count;
};

/* How far a partition of the stage came, and what is held against it. */
struct pex__standing {
    uint64_t errors;           /* rows of it that failed, as far as it is committed */
    struct pex_error *first;   /* the first of them, where errors are limited; owned */
    struct pex_error *failure; /* what ends the job, once all before it went well; owned */
    int32_t is_drained;
};

/*
 * Limits of errors, and rows that end the job, are judged in the order of the input: whether a job
 * fails and what it says is what one thread would find that goes through the rows one by one.
 */
struct pex__verdict {
    pthread_mutex_t lock;            /* a leaf lock */
    struct pex__standing *standings; /* by partition, of the stage that runs */
    size_t head;                     /* the partition being judged: those before it are drained */
    uint64_t errors;                 /* of those before it, and of the stages before */
    struct pex_error *first;         /* owned */
    _Atomic size_t ceiling; /* rows of this partition, and behind it, are of no use any more;
                               relaxed: a hint */
};

/* One partition of the stage that runs. */
struct pex__partition {
    struct pex__part part; /* first */
    struct pex_job *job;
    struct pex__message message; /* carries notes to the loop */
    struct pex__store_task task; /* appends its file to the export */
    struct pex__message appended;
    _Atomic int32_t notes;
    struct pex__place begin, end; /* raw input */
    int is_stream;                /* raw input with compressed lines */
    struct pex__inflow *inflow;   /* of it, while it is read */
    uint64_t inflow_bytes;        /* of it, charged to the account; under the engine's lock */
    const struct pex__stage_file *input; /* later stages: rows of the stage before */

    /* Written by the one thread that has the write role. */
    struct pex__stage_file *output; /* rows for the next stage; NULL in the last one */
    struct pex__spool rows_file;    /* for the next stage, or until its turn at the export comes */
    struct pex__spool stats_file;   /* until its turn comes */
    struct pex__spool rejects_file;
    struct pex__tally *tallies;
    struct pex__streak *streaks; /* by op */
    int is_lost;                 /* it will end the job: nothing of it is written any more */
    uint64_t lines, rows, blank, bad, rows_out, bytes_out;
};

/* Rows between two stages, of one partition. */
struct pex__stage_file {
    struct pex__block_index index;
    struct pex__key_file keys;
    uint64_t first_row; /* number of its first row in the stage */
};

/* How often an operator's instances were made for this job, as far as its pool tells. */
struct pex__op_use {
    uint64_t created, destroyed;
    int32_t lease_max;
};

struct pex_job {
    _Atomic int32_t refs;
    struct pex__core *core;
    struct pex_job *next; /* of the core's live jobs */
    uint64_t age;
    void (*on_event)(void *user, const struct pex_event *event);
    void *event_user;
    struct pex__event_item
        *end_event; /* made at submit: waiting must have an end without memory too */
    struct pex__event_item pull_event;
    int is_pull;
    int32_t purpose; /* PEX__PLAN_* */
    int tells_rows;  /* records of rows that fail are events as well */
    /* Under the core's lock. */
    int is_held; /* too many of those events wait: nothing is written until the host heard them */
    uint64_t rows_waiting, rows_waiting_most; /* their bytes */

    struct pex__plan *plan;
    struct pex__input *input;   /* the listing; owned */
    int has_feed;               /* it is a source of the host's, which the job has taken */
    struct pex__feeder *feeder; /* which reads it, once it was started; owned */
    char *id;
    char *folder; /* NULL: none */
    int lock_fd;
    struct pex__export *export; /* NULL: pull */

    /* Loop thread, and what it hands over. */
    struct pex__run run;
    struct pex__message start, fail, cancel, control, grace, idle, pull, resolved, finished,
        cleared;
    struct pex__task resolve_task;
    struct pex__store_task finish_task;
    struct pex__partition **partitions; /* of this stage; NULL: not opened or gone */
    struct pex__stage_file *inputs;     /* one per partition, from the stage before; NULL: raw */
    struct pex__stage_file *outputs;    /* one per partition, for the next stage */
    uint64_t *reject_bytes;             /* quarantine records of stage * partitions + partition */
    struct pex__verdict verdict;
    struct pex__decisions *decisions; /* of the convergence point behind us */
    struct pex__notes *notes;         /* by op */
    size_t next_partition;
    size_t active_count, active_max, out_count, pending_appends;
    int stage_is_open, is_resolving, is_stopping, is_ending;
    int has_grace;    /* the timer of the grace is set, and holds a reference */
    int is_abandoned; /* ends without calls that did not return; they end later */
    int is_reported;  /* of such a job: its end is out, its memory and leases wait for the calls */
    int64_t resolve_ns;         /* of a resolve that ended, -1: none was called */
    struct pex__tally *tallies; /* by op */
    struct pex__op_use *uses;   /* by op: counts of its pool when the job began, then of the job */
    uint64_t lines, rows, blank, bad, rows_out, bytes_out;
    size_t committed, empty, failed, cancelled, skipped;
    int64_t started_ns, started_cpu_ns;
    _Atomic int32_t cancel_asked, control_posted, idle_posted;
    _Atomic int32_t pull_posted; /* the pull message or event is on its way */

    /* Progress, any thread. */
    _Atomic uint64_t rows_read, bytes_read, bytes_total, rows_written, rejected;
    _Atomic int32_t active_shown, stage_shown, paused_shown;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct {
        int32_t state;        /* PEX_JOB_* */
        int32_t is_over;      /* nothing of the engine knows the job any more */
        int32_t is_delivered; /* its last event was */
        int64_t ended_ns;
        struct pex_error error;
        char *summary;
    } shown;
    /* Pull: the loop's word that rows may be there; the host takes them from the scheduler. */
    int32_t pull_ready;
};

/* Makes and starts a job; see pex_job_submit. Takes over the listing, also on failure. */
int32_t pex__job_submit(struct pex__core *core, const pex_spec *spec, struct pex__input *input,
                        const struct pex_job_options *options, struct pex_job **job,
                        struct pex_error *err);
/* What the plan of a job with these options is for. */
int32_t pex__job_purpose(const struct pex_job_options *options);
/* Plans for this context; see pex__plan_create. */
int32_t pex__job_plan(struct pex__core *core, const pex_spec *spec, const struct pex__input *input,
                      int32_t mode, struct pex__plan **plan, struct pex__machine *machine,
                      struct pex__buffer *errors, struct pex_error *err);
/* The host of a pull job looks again. Takes the job's lock, a leaf. */
void pex__job_wake_host(struct pex_job *job);
/* Ties the job's messages to what they do on the loop. */
void pex__job_set_messages(struct pex_job *job);
struct pex_job *pex__job_ref(struct pex_job *job);
void pex__job_unref(struct pex_job *job);
void pex__job_cancel(struct pex_job *job);
/* No row will be read any more: what is the host's goes back to it. */
void pex__job_let_go(struct pex_job *job);
/* Holds a live job, or lets it go on. Under core->lock. */
void pex__job_pause(struct pex_job *job, int32_t is_paused);
/* Units for operators of a live job: see pex_job_set_budget. Under core->lock. */
int32_t pex__job_set_budget(struct pex_job *job, const char *op, int32_t num_proc,
                            struct pex_error *err);
/* Frees a job that never started, or that is over. */
void pex__job_free(struct pex_job *job);

/* partition.c: partitions and the run's hooks. */
extern const struct pex__run_hooks pex__job_hooks;
struct pex__partition *pex__partition_create(struct pex_job *job, size_t index);
void pex__partition_free(struct pex__partition *partition);
/* Appends what it wrote before its turn to the export. Store thread. */
int32_t pex__partition_append(struct pex__partition *partition, struct pex_error *err);
/* Counts a work whose rows the host took, and keeps its quarantine records. */
int32_t pex__partition_take(struct pex__partition *partition, struct pex__work *work,
                            struct pex_error *err);

/* Frees the tables; the files are removed with the spools. NULL is allowed. */
void pex__stage_files_free(struct pex__stage_file *files, size_t count);

/* folder.c: makes and locks the job's folder, if it has one, and removes what an earlier run under
 * the same ID left there. */
int32_t pex__job_open_folder(struct pex_job *job, struct pex_error *err);
void pex__job_unlock_folder(struct pex_job *job);
/* Of a job that did not begin: its folder goes, unless it holds something. */
void pex__job_remove_folder(struct pex_job *job);
/* The name of a spool of this job. */
struct pex__spool_name pex__job_spool(const struct pex_job *job, int32_t kind, size_t stage,
                                      size_t partition);

/* rejects.c, store thread: quarantine.jsonl, if there is a record at all. */
int32_t pex__job_write_quarantine(struct pex_job *job, struct pex_error *err);

/*
 * verdict.c. All of them return 0, or the code with which the job fails now. Any thread, but for
 * open and rate: loop thread.
 */
int32_t pex__verdict_create(struct pex_job *job);
void pex__verdict_free(struct pex_job *job);
/* Begins a stage. */
void pex__verdict_open(struct pex_job *job);
/* Counts the errors of a work that was written; is_first: all partitions before are drained. */
int32_t pex__verdict_add(struct pex_job *job, size_t partition, struct pex__work *work,
                         int is_first, struct pex_error *err);
/* The partition cannot go on for this reason; the job fails with it in its turn. */
int32_t pex__verdict_fail(struct pex_job *job, size_t partition, const struct pex_error *why,
                          int is_first, struct pex_error *err);
int32_t pex__verdict_drained(struct pex_job *job, size_t partition, struct pex_error *err);
/* When all rows of a stage are out: max_error_rate. */
int32_t pex__verdict_rate(struct pex_job *job, struct pex_error *err);
/* Non-zero if the rows to come of this partition are of no use. */
static inline int pex__verdict_is_over(const struct pex_job *job, size_t partition)
{
    return partition >= atomic_load_explicit(&job->verdict.ceiling, memory_order_relaxed);
}

/* converge.c: the convergence point behind a stage. Worker thread. */
void pex__job_resolve(struct pex__task *task);

/* ledger.c */
int32_t pex__job_check_ledger(const struct pex_job *job, struct pex_error *err);
/* summary.c: the text of summary.json; NULL without memory. */
char *pex__job_summary_text(const struct pex_job *job, int32_t state,
                            const struct pex_error *error);
const char *pex__job_state_name(int32_t state);

#endif
