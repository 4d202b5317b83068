/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions, and the run's hooks: where slices come from and where finished rows go. */
#include "base/error.h"
#include "base/memory.h"
#include "job/job.h"
#include "store/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BROKEN_AFTER = 3 };

static struct pex__partition *partition_of(struct pex__part *part)
{
    return (struct pex__partition *)(void *)part;
}

static void set_input(struct pex__partition *partition, size_t index)
{
    struct pex_job *job = partition->job;
    uint64_t slice = job->plan->slice_bytes;

    if (job->inputs == NULL) {
        partition->begin = job->plan->cuts[index];
        partition->end = job->plan->cuts[index + 1];
        partition->part.slice_count = (partition->end - partition->begin + slice - 1) / slice;
        /* A file of no bytes in text format is a row: the last one has a slice for it. */
        if (partition->part.slice_count == 0 && job->input->source_count > 0)
            partition->part.slice_count = 1;
    } else {
        partition->input = &job->inputs[index];
        partition->part.slice_count = pex__block_slice_count(&partition->input->index, slice);
    }
    if (job->outputs != NULL)
        partition->output = &job->outputs[index];
}

struct pex__partition *pex__partition_create(struct pex_job *job, size_t index)
{
    struct pex__partition *made = pex__calloc(1, sizeof *made);
    struct pex__part *part;

    if (made == NULL)
        return NULL;
    part = &made->part;
    made->job = job;
    made->fd = made->rejects_fd = -1;
    part->job = &job->run.job.sjob;
    part->index = (int32_t)index;
    part->slice_bytes = job->plan->slice_bytes;
    part->ring_size = pex__window_size(job->run.engine->sched.threads);
    part->ring = pex__calloc(part->ring_size, sizeof *part->ring);
    part->lanes = pex__calloc(part->job->step_count, sizeof *part->lanes);
    made->tallies = pex__calloc(job->plan->op_count, sizeof *made->tallies);
    made->streaks = pex__calloc(job->plan->op_count, sizeof *made->streaks);
    set_input(made, index);
    if (part->ring != NULL && part->lanes != NULL && made->tallies != NULL && made->streaks != NULL)
        return made;
    pex__partition_free(made);
    return NULL;
}

void pex__partition_free(struct pex__partition *partition)
{
    if (partition == NULL)
        return;
    if (partition->fd >= 0)
        close(partition->fd);
    if (partition->rejects_fd >= 0)
        close(partition->rejects_fd);
    pex__free(partition->part.ring);
    pex__free(partition->part.lanes);
    pex__free(partition->tallies);
    pex__free(partition->streaks);
    pex__free(partition);
}

static int32_t hook_read(struct pex__run *run, struct pex__part *part, struct pex__reader *reader,
                         uint64_t seq, struct pex__slice *slice, struct pex_error *err)
{
    struct pex__partition *partition = partition_of(part);
    uint64_t size = run->plan->slice_bytes, begin, end;

    if (partition->input != NULL)
        return pex__block_read(partition->input->fd, partition->input->path,
                               &partition->input->index, size, (size_t)seq, slice, err);
    begin = partition->begin + seq * size;
    end = seq + 1 == part->slice_count ? partition->end : begin + size;
    return pex__reader_read(reader, partition->job->input, begin, end, slice, err);
}

static int32_t hook_counts(struct pex__run *run, struct pex__part *part, uint64_t first,
                           size_t count, uint32_t *counts)
{
    struct pex__partition *partition = partition_of(part);
    uint64_t base = partition->input->first_row + first;

    (void)run;
    for (size_t i = 0; i < count; i++)
        counts[i] = pex__decisions_get(partition->job->decisions, base + i);
    return 0;
}

static int32_t open_own(struct pex__partition *partition, int *fd, char **path, const char *kind,
                        struct pex_error *err)
{
    size_t stage = (size_t)partition->job->run.stage_index;
    int32_t failed;

    *path = pex__job_path(partition->job, kind, stage, (size_t)partition->part.index);
    if (*path == NULL)
        return pex__error_memory(err);
    if (*fd >= 0)
        return 0;
    failed = pex__file_create(*path, fd, err);
    if (failed == 0)
        unlink(*path);
    return failed;
}

/* Rows of a part that is not the head yet, or of a stage that is not the last. */
static int32_t write_own(struct pex__partition *partition, const struct pex__work *work,
                         struct pex_error *err)
{
    struct pex__stage_file *output = partition->output;
    int *fd = output != NULL ? &output->fd : &partition->fd;
    char *path = NULL;
    int32_t failed = 0;

    if (work->out.length > 0) {
        failed = open_own(partition, fd, &path, output != NULL ? "stage" : "part", err);
        if (failed == 0)
            failed = pex__file_write(*fd, path, work->out.data, work->out.length, err);
    }
    if (failed == 0 && output == NULL)
        partition->fd_bytes += work->out.length;
    if (failed == 0 && output != NULL && output->path == NULL) {
        output->path = path;
        path = NULL;
    }
    pex__free(path);
    if (failed == 0 && output != NULL &&
        pex__block_index_add(&output->index, work->out_rows, work->out.length) != 0)
        failed = pex__error_memory(err);
    return failed;
}

static int32_t write_keys(struct pex__partition *partition, const struct pex__work *work,
                          struct pex_error *err)
{
    struct pex_string_view records = {work->keys.data, work->keys.length};
    struct pex__key_file *keys;

    if (partition->output == NULL)
        return 0;
    keys = &partition->output->keys;
    if (keys->path == NULL) {
        keys->path = pex__job_path(partition->job, "keys", (size_t)partition->job->run.stage_index,
                                   (size_t)partition->part.index);
        if (keys->path == NULL)
            return pex__error_memory(err);
    }
    return pex__key_file_add(keys, records, work->key_count, work->out_rows, err);
}

static int32_t write_rejects(struct pex__partition *partition, const struct pex__work *work,
                             struct pex_error *err)
{
    char *path;
    int32_t failed;

    if (work->rejects.length == 0 || partition->job->folder == NULL)
        return 0;
    failed = open_own(partition, &partition->rejects_fd, &path, "rejects", err);
    if (failed == 0)
        failed = pex__file_write(partition->rejects_fd, path, work->rejects.data,
                                 work->rejects.length, err);
    if (failed == 0)
        partition->rejects_bytes += work->rejects.length;
    pex__free(path);
    return failed;
}

static void count(struct pex__partition *partition, const struct pex__work *work)
{
    struct pex_job *job = partition->job;
    uint64_t rejected = 0;

    for (size_t i = 0; i < job->plan->op_count; i++) {
        pex__tally_add(&partition->tallies[i], &work->tallies[i]);
        rejected += work->tallies[i].quarantined;
    }
    partition->lines += work->lines;
    partition->rows += work->rows;
    partition->blank += work->blank;
    partition->bad += work->bad;
    partition->rows_out += work->out_rows;
    partition->bytes_out += work->out.length;
    if (job->run.is_last)
        atomic_fetch_add_explicit(&job->rows_written, work->out_rows, memory_order_relaxed);
    if (job->run.stage_index == 0)
        rejected += work->bad;
    atomic_fetch_add_explicit(&job->rejected, rejected, memory_order_relaxed);
}

/* Three batches in a row that failed whole, with one code: the operator is broken, not the rows. */
static int32_t judge(struct pex__partition *partition, const struct pex__work *work,
                     struct pex_error *err)
{
    const struct pex__plan *plan = partition->job->plan;

    for (size_t i = 0; i < plan->op_count; i++) {
        struct pex__streak *streak = &partition->streaks[i];
        int32_t code = work->tallies[i].whole_code;

        if (work->tallies[i].in == 0)
            continue;
        streak->count = code != 0 && code == streak->code ? streak->count + 1 : code != 0;
        streak->code = code;
        if (streak->count == BROKEN_AFTER)
            return pex_error_set(err, code, "operator %s: %d batches in a row failed whole: %s",
                                 plan->ops[i].operator->op.name, BROKEN_AFTER,
                                 work->whole_message != NULL ? work->whole_message
                                                             : pex_strerror(code));
    }
    return 0;
}

static int32_t write_one(struct pex__partition *partition, const struct pex__work *work,
                         int through, struct pex_error *err)
{
    struct pex_job *job = partition->job;
    int32_t failed;

    if (through && partition->output == NULL)
        failed = pex__file_write(job->export_fd, job->export_partial, work->out.data,
                                 work->out.length, err);
    else
        failed = write_own(partition, work, err);
    if (failed == 0)
        failed = write_keys(partition, work, err);
    if (failed == 0)
        failed = write_rejects(partition, work, err);
    if (failed == 0)
        count(partition, work);
    return failed != 0 ? failed : judge(partition, work, err);
}

static int32_t hook_write(struct pex__run *run, struct pex__part *part, struct pex__work *list,
                          int through, struct pex_error *err)
{
    struct pex__partition *partition = partition_of(part);
    int32_t failed = 0;

    (void)run;
    for (struct pex__work *work = list; work != NULL && failed == 0;
         work = pex__work_of(work->ticket.next)) {
        failed = write_one(partition, work, through, err);
        if (work->ticket.next == NULL)
            break;
    }
    return failed;
}

int32_t pex__partition_take(struct pex__partition *partition, const struct pex__work *work,
                            struct pex_error *err)
{
    int32_t failed = write_rejects(partition, work, err);

    if (failed == 0)
        count(partition, work);
    return failed != 0 ? failed : judge(partition, work, err);
}

/* One message stands for all notes that come before the loop looks. The host of a pull job is told
 * without the detour. */
static void hook_note(struct pex__part *part, int32_t notes)
{
    struct pex__partition *partition = partition_of(part);

    if ((notes & PEX__NOTE_PULL) != 0)
        pex__job_wake_host(partition->job);
    notes &= ~PEX__NOTE_PULL;
    if (notes != 0 && atomic_fetch_or_explicit(&partition->notes, notes, memory_order_acq_rel) == 0)
        pex__loop_post(partition->job->core->loop, &partition->message);
}

static struct pex_job *job_of(struct pex__run *run)
{
    return (struct pex_job *)(void *)((char *)run - offsetof(struct pex_job, run));
}

static void hook_idle(struct pex__run *run)
{
    struct pex_job *job = job_of(run);

    if (atomic_exchange_explicit(&job->idle_posted, 1, memory_order_acq_rel) == 0)
        pex__loop_post(job->core->loop, &job->idle);
}

static void hook_failed(struct pex__run *run)
{
    struct pex_job *job = job_of(run);

    pex__job_ref(job);
    pex__loop_post(job->core->loop, &job->fail);
}

const struct pex__run_hooks pex__job_hooks = {
    .read = hook_read,
    .counts = hook_counts,
    .write = hook_write,
    .note = hook_note,
    .idle = hook_idle,
    .failed = hook_failed,
};
