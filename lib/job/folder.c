/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a job, WORK/ID: its lock, and what an earlier run left in it. */
#include "base/error.h"
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

static char *make_folder_name(const struct pex_job *job)
{
    char *path;

    if (job->plan->work_dir == NULL || asprintf(&path, "%s/%s", job->plan->work_dir, job->id) < 0)
        return NULL;
    return path;
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

/* Rows that are run again from the quarantine of this very folder would be gone before they are
 * read. */
static int32_t check_input(const struct pex_job *job, struct pex_error *err)
{
    static const char name[] = "quarantine.jsonl";
    struct stat own, source;
    char *path;
    int is_there;

    if (asprintf(&path, "%s/%s", job->folder, name) < 0)
        return pex__error_memory(err);
    is_there = stat(path, &own) == 0;
    free(path);
    for (size_t i = 0; is_there && i < job->input->source_count; i++) {
        const char *input = job->input->sources[i].path;

        if (input != NULL && strcmp(pex__base_name(input), name) == 0 &&
            stat(input, &source) == 0 && source.st_dev == own.st_dev && source.st_ino == own.st_ino)
            return pex_error_set(err, PEX_EINVAL,
                                 "input %s lies in the folder of job %s, and a run replaces it: "
                                 "give another job_id",
                                 input, job->id);
    }
    return 0;
}

/* What an earlier run under the same ID left in the folder would be taken for this run's. */
static void remove_results(const struct pex_job *job)
{
    static const char *const names[] = {"summary.json", "summary.json.tmp", "quarantine.jsonl",
                                        ".rejected"};
    char *path;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (asprintf(&path, "%s/%s", job->folder, names[i]) < 0)
            return;
        unlink(path);
        free(path);
    }
    pex__spools_remove(job->folder);
}

void pex__job_remove_folder(struct pex_job *job)
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

int32_t pex__job_open_folder(struct pex_job *job, struct pex_error *err)
{
    int32_t failed;

    job->folder = make_folder_name(job);
    if (job->folder == NULL && job->plan->stage_count > 1)
        return pex_error_set(err, PEX_ESPEC,
                             "work_dir: missing; a chain with a global operator keeps rows on disk "
                             "between its stages: give a folder");
    if (job->folder == NULL)
        return 0;
    failed = pex__file_make_folder(job->folder, err);
    if (failed == 0)
        failed = lock_folder(job, err);
    if (failed == 0)
        failed = check_input(job, err);
    if (failed == 0)
        remove_results(job);
    return failed;
}

void pex__job_unlock_folder(struct pex_job *job)
{
    if (job->lock_fd < 0)
        return;
    /* A child that the host forked meanwhile has the descriptor too, and would keep the lock. */
    flock(job->lock_fd, LOCK_UN);
    close(job->lock_fd);
    job->lock_fd = -1;
}

struct pex__spool_name pex__job_spool(const struct pex_job *job, int32_t kind, size_t stage,
                                      size_t partition)
{
    return (struct pex__spool_name){job->folder, kind, stage, partition};
}
