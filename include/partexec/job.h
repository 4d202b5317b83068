/* SPDX-License-Identifier: Apache-2.0 */
/* Specs, plans and jobs. */
#ifndef PARTEXEC_JOB_H
#define PARTEXEC_JOB_H

#include <partexec/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pex_spec pex_spec;
typedef struct pex_job pex_job;
typedef struct pex_rows pex_rows;

/*
 * Parses a job spec, JSON text of `length` bytes (pex_spec_describe lists the keys). Syntax only:
 * keys, operators and paths are checked against a context by pex_plan_explain and pex_job_submit.
 * Returns 0 and *spec (released with pex_spec_release), PEX_ESPEC (line and column in err),
 * PEX_EINVAL, PEX_ENOMEM. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_spec_parse(const char *json, size_t length, pex_spec **spec,
                               struct pex_error *err);

/*
 * Sets one key of a spec, as `--set` does: path is a dotted key path, list elements by number
 * ("process.0.text_length_filter.min_len"); value is JSON if it parses, else text. Missing objects
 * on the way are made. Returns 0, PEX_ESPEC (the path cannot be followed), PEX_EINVAL, PEX_ENOMEM.
 * Thread-safety: one-thread-per-object. Since: 0.1.
 */
PEX_API int32_t pex_spec_set(pex_spec *spec, const char *path, const char *value,
                             struct pex_error *err);

/*
 * The value at a dotted key path of a spec, as JSON text; *json is released with pex_free. Returns
 * 0, PEX_ENOENT (nothing there), PEX_EINVAL, PEX_ENOMEM. Thread-safety: one-thread-per-object.
 * Since: 0.1.
 */
PEX_API int32_t pex_spec_get(const pex_spec *spec, const char *path, char **json);

/*
 * The keys that a spec can have, as JSON: a list of {"key", "of", "class", "help"}, in an order for
 * readers. of: "job" for keys of the spec, "operator" for those beside an operator's own
 * parameters. class: "ours", with {"section" (of jobs only), "type", "default", "choices", "min",
 * "max", "without_effect"}, where a default of null is what help says, and without_effect is true
 * for keys that this version checks and takes no notice of; "ignored" and "refused", keys of
 * Data-Juicer where help says why, and "accepted" is the value with which a refused one passes.
 * path: NULL takes all keys, else those of this name and below it ("partition"). *json is released
 * with pex_free. Returns 0, PEX_ENOENT (err names the nearest known), PEX_EINVAL, PEX_ENOMEM.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_spec_describe(const char *path, char **json, struct pex_error *err);

/* Gives a spec back; NULL is allowed. Thread-safety: any-thread. Since: 0.1. */
PEX_API void pex_spec_release(pex_spec *spec);

#define PEX_EXPLAIN_TEXT 0
#define PEX_EXPLAIN_JSON 1

/*
 * What would run: partitions, stages, budgets, shares, the limit that binds, notices. The same
 * spec, listing and machine facts give the same text. dataset: NULL takes the spec's dataset_path.
 * If only the input is missing the plan is made without it and says so. *text is released with
 * pex_free. Returns 0, PEX_ESPEC (all errors of the spec, one a line, as *text; the first in err),
 * PEX_EINVAL, PEX_ENOMEM, PEX_ECLOSED, PEX_EFORKED. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_plan_explain(pex_context *ctx, const pex_spec *spec, pex_dataset *dataset,
                                 int32_t format, char **text, struct pex_error *err);

#define PEX_JOB_PENDING 0
#define PEX_JOB_RUNNING 1
#define PEX_JOB_DONE 2
#define PEX_JOB_FAILED 3
#define PEX_JOB_CANCELLED 4

#define PEX_EVENT_PARTITION 1 /* a partition reached its terminal state */
#define PEX_EVENT_JOB 2       /* the job did; the last event of a job */
#define PEX_EVENT_NOTICE 3    /* something was clipped, ignored or repaired; see text */
#define PEX_EVENT_ROW 4       /* row_events: a row was quarantined; text is its record */
#define PEX_EVENT_PULL 5      /* pull: rows may wait to be taken; one of these waits at a time */

#define PEX_PARTITION_COMMITTED 1
#define PEX_PARTITION_EMPTY 2
#define PEX_PARTITION_REUSED 3
#define PEX_PARTITION_FAILED 4
#define PEX_PARTITION_CANCELLED 5
#define PEX_PARTITION_SKIPPED 6

/* An event; skip kinds you do not know. */
struct pex_event {
    size_t struct_size;
    int32_t kind;      /* PEX_EVENT_* */
    int32_t state;     /* PEX_PARTITION_* or PEX_JOB_*, by kind; PEX_EVENT_ROW: 0 */
    int32_t stage;     /* PEX_EVENT_PARTITION, PEX_EVENT_ROW: 0-based */
    int32_t partition; /* PEX_EVENT_PARTITION, PEX_EVENT_ROW: 0-based */
    pex_job *job;      /* not the callback's to release; lives during the callback */
    const char *text;  /* never NULL; lives during the callback */
};

struct pex_job_options {
    size_t struct_size;
    /* Called by pex_context_dispatch, and by pex_job_wait and pex_job_next_batch when they
     * dispatch; under no lock; may call everything but pex_context_destroy, pex_context_dispatch,
     * pex_job_wait and pex_job_next_batch. NULL: no events. */
    void (*on_event)(void *user, const struct pex_event *event);
    void *event_user;
    /* Non-zero: no export; the host takes the rows with pex_job_next_batch. Without work_dir such a
     * job has no folder: rows that fail are counted, but no record of them is kept, unless
     * row_events tells them. A chain with a global operator needs work_dir. */
    int32_t pull;
    /* Non-zero: the record of each row that is quarantined, the line of quarantine.jsonl without
     * its LF, is told as a PEX_EVENT_ROW as well, those of one partition and stage in input order.
     * None is lost while the job runs: with records of 1 MiB waiting (or a 16th of memory_limit)
     * the job stands still until the host dispatches. pex_job_next_batch dispatches too then. Needs
     * on_event. */
    int32_t row_events;
    /* Non-zero: filters (PEX_FILTER) drop no row. A row that one would drop goes on with the stats
     * that it got, and in the summary each operator has three counts more: "would_drop", rows that
     * it would drop of all that it got, and "run_in" and "run_dropped", what "in" and "dropped" are
     * when filters drop (but rows that fail under on_error skip, which are dropped either way).
     * Global operators are left out, with a notice: what they decide depends on
     * the rows that are gone. Since 0.1. */
    int32_t keep_dropped;
    int32_t reserved; /* 0 */
};

/*
 * Plans a job and starts it. spec: not NULL, may be released after the call. dataset: NULL takes
 * the spec's dataset_path. options: NULL for defaults. Returns 0 and *job (released with
 * pex_job_release), PEX_ESPEC (all errors, a line each, as far as the message holds), PEX_ENOENT
 * and PEX_EIO (input), PEX_ELIMIT (could not run even once: names what is missing), PEX_EBUSY (job
 * folder held, or the source is being read), PEX_EINVAL, PEX_ENOTSUP, PEX_ENOMEM, PEX_ECLOSED,
 * PEX_EFORKED. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_job_submit(pex_context *ctx, const pex_spec *spec, pex_dataset *dataset,
                               const struct pex_job_options *options, pex_job **job,
                               struct pex_error *err);

/*
 * Waits until the job is over and its events were delivered; dispatches meanwhile if no other
 * thread does. timeout_ns: 0 does not wait, a negative value waits for ever. Returns 0 (over,
 * whatever the state), PEX_ETIMEDOUT, PEX_EDEADLK (from a callback or a thread of the context),
 * PEX_EFORKED, PEX_EINVAL. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_job_wait(pex_job *job, int64_t timeout_ns);

/* Asks the job to stop: no new slice, call or instance; the end comes as an event. After 10 s the
 * job ends without calls that have not returned, and names them in its error; they keep their
 * batch, lease and instance until they return, and the context with them. Returns 0 (also if it is
 * over), PEX_ECLOSED (the context is gone), PEX_EFORKED, PEX_EINVAL. Thread-safety:
 * any-thread. Since: 0.1. */
PEX_API int32_t pex_job_cancel(pex_job *job);

/*
 * Holds a job (is_paused not zero), or lets it go on (0). From the return on a held job gets no new
 * slice of input, no lease and no instance; batches that a thread works on go to the end of their
 * call, or to their next lease, and finished rows are still written, so that a job without work
 * left ends. It uses no processor then, and other jobs have its share of budgets and threads. What
 * it has in memory stays there, and counts. Its state stays PEX_JOB_RUNNING (or _PENDING), and
 * pex_progress.is_paused says more; it can be cancelled. Twice the same is fine. Returns 0 (also if
 * it is over), PEX_ECLOSED (the context is gone), PEX_EFORKED, PEX_EINVAL. Thread-safety:
 * any-thread. Since: 0.1.
 */
PEX_API int32_t pex_job_pause(pex_job *job, int32_t is_paused);

/*
 * From now on an operator of the job has num_proc units, at least 1, in place of those in the spec.
 * op: its name, for all of that name in the chain, or its place in the chain as decimal digits
 * ("0"), as `index` of the summary. More units load more instances as batches wait for them. With
 * fewer, calls that run go on, no unit above num_proc is given, and instances above it end when
 * they are idle. A budget that several jobs share has as many units as the job that asks for most.
 * Returns 0, PEX_ENOENT (the chain has no such operator), PEX_ENOTSUP (it has no budget: it was
 * submitted without num_proc and runs on every worker), PEX_EINVAL (an argument, or the job is
 * over), PEX_ECLOSED (the context is gone), PEX_EFORKED. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_job_set_budget(pex_job *job, const char *op, int32_t num_proc,
                                   struct pex_error *err);

/* PEX_JOB_*, or PEX_EINVAL, PEX_EFORKED. Thread-safety: any-thread. Since: 0.1. */
PEX_API int32_t pex_job_state(pex_job *job);

/* Filled by pex_job_progress; the caller sets struct_size. */
struct pex_progress {
    size_t struct_size;
    uint64_t rows;        /* rows read from the input */
    uint64_t rows_out;    /* rows written to the output */
    uint64_t bytes;       /* bytes of input read */
    uint64_t bytes_total; /* bytes of input in all; of a source what it expects, 0: not known */
    int64_t elapsed_ns;   /* since submit, until the end */
    int32_t active_partitions;
    int32_t partitions;
    int32_t stage; /* 0-based; with convergence points a job passes several */
    int32_t stages;
    uint64_t quarantined;
    int32_t is_paused; /* see pex_job_pause; 0 when it is over */
    int32_t reserved;  /* 0 */
};

/* A snapshot of the job's counters. Returns 0, PEX_EINVAL, PEX_EFORKED. Thread-safety: any-thread.
 * Since: 0.1. */
PEX_API int32_t pex_job_progress(pex_job *job, struct pex_progress *progress);

/*
 * The summary of an ended job as JSON, the text of summary.json. *json is released with pex_free.
 * Returns 0, PEX_EAGAIN (not over), PEX_ENOMEM, PEX_EINVAL, PEX_EFORKED.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_job_summary(pex_job *job, char **json);

/* Why the job failed: fills err and returns its code; 0 while it runs or when it did not fail.
 * Thread-safety: any-thread. Since: 0.1. */
PEX_API int32_t pex_job_error(pex_job *job, struct pex_error *err);

/* The job's id; lives as long as the handle; NULL for a bad handle. Thread-safety: any-thread.
 * Since: 0.1. */
PEX_API const char *pex_job_id(pex_job *job);

/* The job's folder, or NULL if it has none; as pex_job_id. Since: 0.1. */
PEX_API const char *pex_job_folder(pex_job *job);

/*
 * The next rows of a job submitted with `pull`, in input order; the host's pace is the job's pace.
 * A host with an event loop calls it with timeout 0 until PEX_ETIMEDOUT, after each PEX_EVENT_PULL
 * and PEX_EVENT_JOB of the job; not in the callback, but when pex_context_dispatch has returned.
 * With `row_events` it dispatches as pex_job_wait does, so that a job that waits for that goes on.
 * timeout_ns as pex_job_wait. Returns 0 and *rows (the host's: released with pex_rows_release, its
 * memory no longer counts against the job), PEX_ENOENT (the end: all rows were taken),
 * PEX_ETIMEDOUT, PEX_ECANCELLED, the job's error code when it failed (both also when the context is
 * gone), PEX_EDEADLK (from a callback or a thread of the context), PEX_ENOMEM, PEX_EINVAL,
 * PEX_EFORKED. Thread-safety: one-thread-per-object. Since: 0.1.
 */
PEX_API int32_t pex_job_next_batch(pex_job *job, int64_t timeout_ns, pex_rows **rows,
                                   struct pex_error *err);

/* Number of rows in a batch that was taken. Thread-safety: any-thread. Since: 0.1. */
PEX_API size_t pex_rows_count(const pex_rows *rows);

/* All rows as JSON lines, each ended by LF; lives until pex_rows_release. Thread-safety:
 * any-thread. Since: 0.1. */
PEX_API struct pex_string_view pex_rows_data(const pex_rows *rows);

/* Gives rows back; NULL is allowed; valid after the end of job and context. Thread-safety:
 * any-thread. Since: 0.1. */
PEX_API void pex_rows_release(pex_rows *rows);

/* Gives a job handle back; a live job is cancelled, and its events still come, up to the last
 * (PEX_EVENT_JOB). NULL is allowed. Thread-safety: any-thread. Since: 0.1. */
PEX_API void pex_job_release(pex_job *job);

#ifdef __cplusplus
}
#endif

#endif
