/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions, and the run's hooks: where slices come from and where finished rows go. */
#include "base/error.h"
#include "base/memory.h"
#include "data/quarantine.h"
#include "job/job.h"
#include "store/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BROKEN_AFTER = 3 };
enum { LEAST_KEY_BYTES = 16 * 1024, MOST_KEY_BYTES = 256 * 1024 };

static struct pex__partition *partition_of(struct pex__part *part)
{
    return (struct pex__partition *)(void *)part;
}

/* Keys that a partition keeps in memory: together an eighth of the limit, in pieces of a size that
 * is worth a write. */
static size_t key_memory(const struct pex_job *job)
{
    uint64_t share = job->plan->memory_limit / 8 / job->plan->partition_count;

    if (share > MOST_KEY_BYTES)
        return MOST_KEY_BYTES;
    return share > LEAST_KEY_BYTES ? (size_t)share : LEAST_KEY_BYTES;
}

static void set_input(struct pex__partition *partition, size_t index)
{
    struct pex_job *job = partition->job;
    uint64_t slice = job->plan->slice_bytes;

    if (job->inputs == NULL && job->has_feed) {
        partition->part.is_open = 1;
    } else if (job->inputs == NULL) {
        partition->begin = job->plan->cuts[index];
        partition->end = job->plan->cuts[index + 1];
        partition->part.slice_count = (partition->end.at - partition->begin.at + slice - 1) / slice;
        /* A file of no bytes in text format is a row: the last one has a slice for it. */
        if (partition->part.slice_count == 0 && job->input->source_count > 0)
            partition->part.slice_count = 1;
        partition->is_stream = pex__input_is_stream(job->input, &partition->begin, &partition->end);
        if (partition->is_stream) {
            partition->part.slice_count = 1;
            partition->part.is_open = 1;
        }
    } else {
        partition->input = &job->inputs[index];
        partition->part.slice_count = pex__block_slice_count(&partition->input->index, slice);
    }
    if (job->outputs == NULL)
        return;
    partition->output = &job->outputs[index];
    partition->output->keys.buffer.heap = job->run.engine->heap;
    partition->output->keys.name =
        pex__job_spool(job, PEX__SPOOL_KEYS, (size_t)job->run.stage_index, index);
    partition->output->keys.memory = key_memory(job);
}

struct pex__partition *pex__partition_create(struct pex_job *job, size_t index)
{
    struct pex__partition *made = pex__calloc(1, sizeof *made);
    struct pex__part *part;

    if (made == NULL)
        return NULL;
    part = &made->part;
    made->job = job;
    made->rows_file.fd = made->stats_file.fd = made->rejects_file.fd = -1;
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

/* What the stream holds is charged as it grows; nobody waits for it. */
static void charge_inflow(struct pex__partition *partition, uint64_t bytes)
{
    struct pex__engine *engine = partition->job->core->engine;

    pex__account_charge(&engine->sched.account, (int64_t)bytes - (int64_t)partition->inflow_bytes);
    partition->inflow_bytes = bytes;
}

void pex__partition_free(struct pex__partition *partition)
{
    struct pex__engine *engine;

    if (partition == NULL)
        return;
    /* A stream that did not come to its end. */
    if (partition->inflow_bytes > 0) {
        engine = partition->job->core->engine;
        pex__engine_lock(engine);
        charge_inflow(partition, 0);
        pex__engine_unlock(engine);
    }
    pex__inflow_free(partition->inflow);
    pex__free(partition->part.ring);
    pex__free(partition->part.lanes);
    pex__free(partition->tallies);
    pex__free(partition->streaks);
    pex__free(partition);
}

void pex__stage_files_free(struct pex__stage_file *files, size_t count)
{
    for (size_t i = 0; files != NULL && i < count; i++) {
        pex__block_index_free(&files[i].index);
        pex__key_file_free(&files[i].keys);
    }
    pex__free(files);
}

/* A spool of this partition; the stage that wrote it is this one, or the one before. */
static struct pex__spool_name spool(const struct pex__partition *partition, int32_t kind,
                                    int32_t stage)
{
    return pex__job_spool(partition->job, kind, (size_t)stage, (size_t)partition->part.index);
}

static int32_t read_stage(struct pex__partition *partition, uint64_t seq, struct pex__slice *slice,
                          struct pex_error *err)
{
    struct pex_job *job = partition->job;
    struct pex__spool_name name = spool(partition, PEX__SPOOL_STAGE, job->run.stage_index - 1);
    char *path;
    int32_t failed;
    int fd;

    failed = pex__spool_open(&name, &fd, &path, err);
    if (failed != 0)
        return failed;
    failed = pex__block_read(fd, path, &partition->input->index, job->plan->slice_bytes,
                             (size_t)seq, slice, err);
    close(fd);
    free(path);
    return failed;
}

/* The one READ of the part that is out: the next may begin when the slice is cut. */
static int32_t read_stream(struct pex__run *run, struct pex__partition *partition,
                           struct pex__reader *reader, struct pex__slice *slice,
                           struct pex_error *err)
{
    int is_end = 0;
    int32_t failed;

    if (partition->inflow == NULL &&
        pex__inflow_create(partition->job->input, &partition->begin, &partition->end,
                           run->plan->slice_bytes, run->plan->decode_bytes,
                           &partition->inflow) != 0)
        return pex__error_memory(err);
    failed = pex__inflow_read(partition->inflow, reader, slice, &is_end, err);
    if (failed != 0)
        return failed;
    if (is_end) {
        pex__inflow_free(partition->inflow);
        partition->inflow = NULL;
    }
    pex__engine_lock(run->engine);
    charge_inflow(partition, is_end ? 0 : pex__inflow_bytes(partition->inflow));
    pex__sched_part_more(&partition->part, !is_end, is_end);
    pex__engine_unlock(run->engine);
    return 0;
}

/* A row before these ends the job. */
static int32_t read_nothing(struct pex__run *run, struct pex__partition *partition,
                            struct pex__slice *slice, struct pex_error *err)
{
    if (partition->is_stream) {
        pex__inflow_free(partition->inflow);
        partition->inflow = NULL;
        pex__engine_lock(run->engine);
        charge_inflow(partition, 0);
        pex__sched_part_more(&partition->part, 0, 1);
        pex__engine_unlock(run->engine);
    }
    pex__slice_reset(slice);
    return pex__slice_reserve(slice, 0) != 0 ? pex__error_memory(err) : 0;
}

static int32_t hook_read(struct pex__run *run, struct pex__part *part, struct pex__reader *reader,
                         uint64_t seq, struct pex__slice *slice, struct pex_error *err)
{
    struct pex__partition *partition = partition_of(part);
    uint64_t size = run->plan->slice_bytes, begin, end;

    if (pex__verdict_is_over(partition->job, (size_t)part->index))
        return read_nothing(run, partition, slice, err);
    if (partition->input != NULL)
        return read_stage(partition, seq, slice, err);
    if (partition->is_stream)
        return read_stream(run, partition, reader, slice, err);
    if (partition->job->has_feed)
        return pex__feeder_take(partition->job->feeder, seq, slice, err);
    begin = partition->begin.at + seq * size;
    end = seq + 1 == part->slice_count ? partition->end.at : begin + size;
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

/* Rows for the next stage, in a block. */
static int32_t write_stage(struct pex__partition *partition, const struct pex__work *work,
                           struct pex_error *err)
{
    struct pex__spool_name name =
        spool(partition, PEX__SPOOL_STAGE, partition->job->run.stage_index);
    int32_t failed =
        pex__spool_write(&partition->rows_file, &name, work->out.data, work->out.length, err);

    if (failed == 0 &&
        pex__block_index_add(&partition->output->index, work->out_rows, work->out.length) != 0)
        failed = pex__error_memory(err);
    return failed;
}

static struct pex__stream *stream_of(const struct pex__partition *partition)
{
    return pex__export_stream(partition->job->export, (size_t)partition->part.index);
}

/* Rows of the output; those of a part that is not the head yet wait in spools. In a folder every
 * part has its file, and only the stats, which are one file, wait. */
static int32_t write_output(struct pex__partition *partition, const struct pex__work *work,
                            int through, struct pex_error *err)
{
    struct pex__export *export = partition->job->export;
    int is_folder = export->form->kind == PEX__EXPORT_FOLDER;
    int32_t stage = partition->job->run.stage_index, failed;
    struct pex__spool_name name = spool(partition, PEX__SPOOL_PART, stage);

    if (through || is_folder)
        failed = pex__stream_add(stream_of(partition), work->out.data, work->out.length, err);
    else
        failed =
            pex__spool_write(&partition->rows_file, &name, work->out.data, work->out.length, err);
    name.kind = PEX__SPOOL_STATS;
    if (failed == 0 && through && !is_folder && work->stats.length > 0)
        failed = pex__sink_write(&export->stats, work->stats.data, work->stats.length, err);
    else if (failed == 0)
        failed = pex__spool_write(&partition->stats_file, &name, work->stats.data,
                                  work->stats.length, err);
    return failed;
}

static int32_t write_keys(struct pex__partition *partition, const struct pex__work *work,
                          struct pex_error *err)
{
    struct pex_string_view records = {work->keys.data, work->keys.length};

    return pex__key_file_add(&partition->output->keys, records, work->key_count, work->out_rows,
                             err);
}

static int32_t write_rejects(struct pex__partition *partition, const struct pex__work *work,
                             struct pex_error *err)
{
    struct pex__spool_name name =
        spool(partition, PEX__SPOOL_REJECTS, partition->job->run.stage_index);

    if (name.folder == NULL)
        return 0;
    return pex__spool_write(&partition->rejects_file, &name, work->rejects.data,
                            work->rejects.length, err);
}

/* The records as events, each without its LF. */
static int32_t tell_rejects(struct pex__partition *partition, const struct pex__work *work,
                            struct pex_error *err)
{
    struct pex_job *job = partition->job;
    struct pex__quarantine_head head;

    for (size_t at = 0; job->tells_rows && at < work->rejects.length;) {
        struct pex_string_view record;

        memcpy(&head, work->rejects.data + at, sizeof head);
        record.data = work->rejects.data + at + sizeof head;
        record.length = head.length - 1;
        if (pex__core_post_row(job->core, job, job->run.stage_index, partition->part.index,
                               record) != 0)
            return pex__error_memory(err);
        at += sizeof head + head.length;
    }
    return 0;
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

/* Counts a work whose rows are where they belong. is_first: the partitions before are drained. */
static int32_t settle(struct pex__partition *partition, struct pex__work *work, int is_first,
                      struct pex_error *err)
{
    struct pex_job *job = partition->job;
    size_t index = (size_t)partition->part.index;
    struct pex_error why;
    int32_t failed;

    if (work->failure == NULL)
        count(partition, work);
    failed = pex__verdict_add(job, index, work, is_first, err);
    if (failed != 0)
        return failed;
    if (work->failure != NULL)
        why = work->failure->error;
    else if (judge(partition, work, &why) == 0)
        return 0;
    partition->is_lost = 1;
    return pex__verdict_fail(job, index, &why, is_first, err);
}

static int32_t write_one(struct pex__partition *partition, struct pex__work *work, int through,
                         struct pex_error *err)
{
    int32_t failed;

    if (partition->is_lost)
        return 0;
    if (work->failure != NULL)
        return settle(partition, work, through, err);
    if (partition->output != NULL)
        failed = write_stage(partition, work, err);
    else
        failed = write_output(partition, work, through, err);
    if (failed == 0 && partition->output != NULL)
        failed = write_keys(partition, work, err);
    if (failed == 0)
        failed = write_rejects(partition, work, err);
    if (failed == 0)
        failed = tell_rejects(partition, work, err);
    if (failed != 0)
        return pex__error_prefix(err, failed, "partition %d", (int)partition->part.index);
    return settle(partition, work, through, err);
}

/* Nothing stays open between two writes. */
static void close_spools(struct pex__partition *partition)
{
    pex__spool_close(&partition->rows_file);
    pex__spool_close(&partition->stats_file);
    pex__spool_close(&partition->rejects_file);
}

/* Whose last rows are written has read all of its input. */
static void drop_input(struct pex__partition *partition, uint64_t last_seq)
{
    struct pex__spool_name name;

    if (partition->input == NULL || last_seq + 1 < partition->part.slice_count)
        return;
    name = spool(partition, PEX__SPOOL_STAGE, partition->job->run.stage_index - 1);
    pex__spool_remove(&name);
}

static int32_t hook_write(struct pex__run *run, struct pex__part *part, struct pex__work *list,
                          int through, struct pex_error *err)
{
    struct pex__partition *partition = partition_of(part);
    uint64_t last_seq = 0;
    int32_t failed = 0;

    (void)run;
    for (struct pex__work *work = list; work != NULL && failed == 0;
         work = pex__work_of(work->ticket.next)) {
        failed = write_one(partition, work, through, err);
        last_seq = work->ticket.seq;
        if (work->ticket.next == NULL)
            break;
    }
    close_spools(partition);
    if (failed == 0 && partition->output == NULL)
        failed = pex__stream_rest(stream_of(partition), err);
    if (failed == 0)
        drop_input(partition, last_seq);
    return failed;
}

int32_t pex__partition_append(struct pex__partition *partition, struct pex_error *err)
{
    int32_t stage = partition->job->run.stage_index, failed;
    struct pex__spool_name name = spool(partition, PEX__SPOOL_PART, stage);

    failed = pex__export_append(partition->job->export, &name, partition->rows_file.bytes, err);
    name.kind = PEX__SPOOL_STATS;
    if (failed == 0)
        failed =
            pex__export_append(partition->job->export, &name, partition->stats_file.bytes, err);
    partition->rows_file.bytes = partition->stats_file.bytes = 0;
    return failed;
}

int32_t pex__partition_take(struct pex__partition *partition, struct pex__work *work,
                            struct pex_error *err)
{
    int32_t failed = work->failure == NULL ? write_rejects(partition, work, err) : 0;

    pex__spool_close(&partition->rejects_file);
    drop_input(partition, work->ticket.seq);
    if (failed == 0)
        failed = tell_rejects(partition, work, err);
    return failed != 0 ? failed : settle(partition, work, 1, err);
}

/* A host that waits is woken at once; one with an event loop gets an event, from the loop: the
 * engine's lock is held here. */
static void tell_host(struct pex_job *job)
{
    pex__job_wake_host(job);
    if (job->on_event != NULL &&
        atomic_exchange_explicit(&job->pull_posted, 1, memory_order_acq_rel) == 0)
        pex__loop_post(job->core->loop, &job->pull);
}

/* One message stands for all notes that come before the loop looks. */
static void hook_note(struct pex__part *part, int32_t notes)
{
    struct pex__partition *partition = partition_of(part);

    if ((notes & PEX__NOTE_PULL) != 0)
        tell_host(partition->job);
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
