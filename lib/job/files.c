/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a job: its folder WORK/ID, the export in the making `.NAME.ID.partial` beside the
 * export. Files between stages and of single partitions have no name while they are in use, so that
 * nothing is left whatever happens.
 */
#include "base/error.h"
#include "base/memory.h"
#include "data/quarantine.h"
#include "job/job.h"
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *pex__job_path(const struct pex_job *job, const char *kind, size_t stage, size_t partition)
{
    char *path;

    if (asprintf(&path, "%s/%s-%02zu-%05zu", job->folder, kind, stage, partition) < 0)
        return NULL;
    return path;
}

int32_t pex__stage_files_create(size_t count, struct pex__stage_file **files)
{
    struct pex__stage_file *made = pex__calloc(count, sizeof *made);

    if (made == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < count; i++)
        made[i].fd = -1;
    *files = made;
    return 0;
}

void pex__stage_files_free(struct pex__stage_file *files, size_t count)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        if (files[i].fd >= 0)
            close(files[i].fd);
        pex__free(files[i].path);
        pex__block_index_free(&files[i].index);
        pex__key_file_free(&files[i].keys);
    }
    pex__free(files);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* "DIR/" of a path, or "" for a name alone. */
static int folder_length(const char *path)
{
    return (int)(base_name(path) - path);
}

static char *make_folder_name(const struct pex_job *job)
{
    const struct pex__plan *plan = job->plan;
    char *path;
    int n;

    if (plan->work_dir != NULL)
        n = asprintf(&path, "%s/%s", plan->work_dir, job->id);
    else if (plan->export_path != NULL)
        n = asprintf(&path, "%.*s.partexec/%s", folder_length(plan->export_path), plan->export_path,
                     job->id);
    else
        return NULL;
    return n < 0 ? NULL : path;
}

/* The lock file names its holder, for whoever finds it held. */
static int32_t lock_folder(struct pex_job *job, struct pex_error *err)
{
    char *path, holder[64] = "";
    int32_t failed = 0;

    if (asprintf(&path, "%s/lock", job->folder) < 0)
        return pex__error_memory(err);
    job->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (job->lock_fd < 0) {
        failed = pex__error_system(err, "cannot open", path, errno);
    } else if (flock(job->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (pread(job->lock_fd, holder, sizeof holder - 1, 0) <= 0)
            strcpy(holder, "another process");
        holder[strcspn(holder, "\n")] = '\0';
        failed = pex_error_set(err, PEX_EBUSY,
                               "job folder %s is in use by %s: wait for it, or give "
                               "another job_id",
                               job->folder, holder);
    } else {
        snprintf(holder, sizeof holder, "process %d\n", (int)getpid());
        if (ftruncate(job->lock_fd, 0) != 0 || pwrite(job->lock_fd, holder, strlen(holder), 0) < 0)
            failed = pex__error_system(err, "cannot write", path, errno);
    }
    free(path);
    return failed;
}

/* What an earlier run under the same ID left in the folder would be taken for this run's. */
static void remove_results(const struct pex_job *job)
{
    static const char *const names[] = {"summary.json", "quarantine.jsonl"};
    char *path;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (asprintf(&path, "%s/%s", job->folder, names[i]) < 0)
            return;
        unlink(path);
        free(path);
    }
}

static int32_t make_export(struct pex_job *job, struct pex_error *err)
{
    const char *path = job->plan->export_path;
    int length = folder_length(path);
    int32_t failed = 0;
    struct stat old;
    char *folder;

    if (length > 1) {
        folder = pex__strndup(path, (size_t)length - 1);
        if (folder == NULL)
            return pex__error_memory(err);
        failed = pex__file_make_folder(folder, err);
        pex__free(folder);
    }
    if (failed != 0)
        return failed;
    if (asprintf(&job->export_partial, "%.*s.%s.%s.partial", length, path, base_name(path),
                 job->id) < 0) {
        job->export_partial = NULL;
        return pex__error_memory(err);
    }
    /* A fresh file: writing over an existing one costs several times as much. */
    unlink(job->export_partial);
    failed = pex__file_create(job->export_partial, &job->export_fd, err);
    /* It takes the place of a file that somebody may have protected. */
    if (failed == 0 && stat(path, &old) == 0 && fchmod(job->export_fd, old.st_mode & 07777) != 0)
        failed = pex__error_system(err, "cannot set the mode of", job->export_partial, errno);
    return failed;
}

/* A job that did not begin leaves no folder behind; one that holds something stays. */
static void remove_folder(struct pex_job *job)
{
    char *path;

    if (asprintf(&path, "%s/lock", job->folder) < 0)
        return;
    unlink(path);
    free(path);
    if (rmdir(job->folder) != 0)
        return;
    path = strrchr(job->folder, '/');
    *path = '\0';
    rmdir(job->folder);
    *path = '/';
}

int32_t pex__job_make_files(struct pex_job *job, struct pex_error *err)
{
    int32_t failed = 0;

    job->folder = make_folder_name(job);
    if (job->folder == NULL && job->plan->stage_count > 1)
        return pex_error_set(err, PEX_ESPEC,
                             "work_dir: missing; a chain with a global operator keeps rows on disk "
                             "between its stages: give a folder");
    if (job->folder != NULL) {
        failed = pex__file_make_folder(job->folder, err);
        if (failed == 0)
            failed = lock_folder(job, err);
        if (failed == 0)
            remove_results(job);
    }
    if (failed != 0 || job->is_pull)
        return failed;
    failed = make_export(job, err);
    if (failed != 0 && job->folder != NULL)
        remove_folder(job);
    return failed;
}

void pex__job_drop_rows(struct pex_job *job)
{
    size_t partitions = job->plan != NULL ? job->plan->partition_count : 0;

    pex__stage_files_free(job->inputs, partitions);
    pex__stage_files_free(job->outputs, partitions);
    job->inputs = job->outputs = NULL;
    for (size_t i = 0; job->reject_files != NULL && i < job->plan->stage_count * partitions; i++) {
        if (job->reject_files[i].fd >= 0)
            close(job->reject_files[i].fd);
        job->reject_files[i].fd = -1;
    }
}

void pex__job_close_files(struct pex_job *job)
{
    pex__job_drop_rows(job);
    if (job->export_fd >= 0)
        close(job->export_fd);
    if (job->lock_fd >= 0) {
        /* A child that the host forked meanwhile has the descriptor too, and would keep the lock.
         */
        flock(job->lock_fd, LOCK_UN);
        close(job->lock_fd);
    }
    job->export_fd = job->lock_fd = -1;
}

/* One reject file as it is read. */
struct cursor {
    struct pex__reject_file *file;
    uint64_t at;
    struct pex__quarantine_head head;
    int has_head;
};

static int32_t read_at(int fd, void *data, size_t length, uint64_t offset, struct pex_error *err)
{
    char *to = data;

    while (length > 0) {
        ssize_t n = pread(fd, to, length, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return pex__error_system(err, "cannot read", "the quarantine in the making",
                                     n < 0 ? errno : EIO);
        to += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

static int32_t read_head(struct cursor *cursor, struct pex_error *err)
{
    if (cursor->has_head || cursor->at >= cursor->file->bytes)
        return 0;
    cursor->has_head = 1;
    return read_at(cursor->file->fd, &cursor->head, sizeof cursor->head, cursor->at, err);
}

static int precedes(const struct pex_row_id *a, const struct pex_row_id *b)
{
    if (a->source != b->source)
        return a->source < b->source;
    if (a->offset != b->offset)
        return a->offset < b->offset;
    return a->child < b->child;
}

static int32_t copy_line(struct cursor *cursor, int to, const char *path, struct pex_error *err)
{
    char *line = pex__malloc(cursor->head.length);
    int32_t failed;

    if (line == NULL)
        return pex__error_memory(err);
    failed =
        read_at(cursor->file->fd, line, cursor->head.length, cursor->at + sizeof cursor->head, err);
    if (failed == 0)
        failed = pex__file_write(to, path, line, cursor->head.length, err);
    cursor->at += sizeof cursor->head + cursor->head.length;
    cursor->has_head = 0;
    pex__free(line);
    return failed;
}

/* The stages of one partition, merged by row id. */
static int32_t merge_partition(struct pex_job *job, size_t partition, struct cursor *cursors,
                               int to, const char *path, struct pex_error *err)
{
    size_t stages = job->plan->stage_count;
    struct cursor *first;
    int32_t failed = 0;

    for (size_t s = 0; s < stages; s++) {
        memset(&cursors[s], 0, sizeof cursors[s]);
        cursors[s].file = &job->reject_files[s * job->plan->partition_count + partition];
    }
    do {
        first = NULL;
        for (size_t s = 0; s < stages && failed == 0; s++) {
            failed = read_head(&cursors[s], err);
            if (failed == 0 && cursors[s].has_head &&
                (first == NULL || precedes(&cursors[s].head.id, &first->head.id)))
                first = &cursors[s];
        }
        if (failed == 0 && first != NULL)
            failed = copy_line(first, to, path, err);
    } while (failed == 0 && first != NULL);
    return failed;
}

static int has_rejects(const struct pex_job *job)
{
    for (size_t i = 0; i < job->plan->stage_count * job->plan->partition_count; i++)
        if (job->reject_files[i].bytes > 0)
            return 1;
    return 0;
}

static int32_t write_quarantine(struct pex_job *job, struct pex_error *err)
{
    struct cursor *cursors;
    char *path, *temporary = NULL;
    int32_t failed;
    int fd = -1;

    if (job->folder == NULL || !has_rejects(job))
        return 0;
    if (asprintf(&path, "%s/quarantine.jsonl", job->folder) < 0)
        return pex__error_memory(err);
    if (asprintf(&temporary, "%s/.rejected", job->folder) < 0)
        temporary = NULL;
    cursors = pex__calloc(job->plan->stage_count, sizeof *cursors);
    failed = cursors == NULL || temporary == NULL ? pex__error_memory(err)
                                                  : pex__file_create(temporary, &fd, err);
    for (size_t p = 0; p < job->plan->partition_count && failed == 0; p++)
        failed = merge_partition(job, p, cursors, fd, temporary, err);
    if (failed == 0 && job->plan->durability == PEX__DURABILITY_POWER)
        failed = pex__file_sync(fd, temporary, err);
    if (fd >= 0)
        close(fd);
    if (failed == 0)
        failed =
            pex__file_rename(temporary, path, job->plan->durability == PEX__DURABILITY_POWER, err);
    if (failed != 0 && temporary != NULL)
        unlink(temporary);
    pex__free(cursors);
    free(temporary);
    free(path);
    return failed;
}

int32_t pex__job_publish(struct pex_job *job, struct pex_error *err)
{
    int durable = job->plan->durability == PEX__DURABILITY_POWER;
    int32_t failed = write_quarantine(job, err);

    if (failed != 0 || job->is_pull)
        return failed;
    if (durable)
        failed = pex__file_sync(job->export_fd, job->export_partial, err);
    if (failed == 0) {
        failed = pex__file_close(job->export_fd, job->export_partial, err);
        job->export_fd = -1;
    }
    if (failed == 0)
        failed = pex__file_rename(job->export_partial, job->plan->export_path, durable, err);
    return failed;
}

void pex__job_withdraw(struct pex_job *job)
{
    struct pex_error err;

    if (job->export_partial != NULL)
        unlink(job->export_partial);
    /* What was found wrong with the rows helps to see why the job failed. */
    if (write_quarantine(job, &err) != 0)
        pex__engine_log(job->core->engine, PEX_LOG_ERROR, "job %s: %s", job->id, err.message);
}
