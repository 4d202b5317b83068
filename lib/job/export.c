/* SPDX-License-Identifier: Apache-2.0 */
/* The export: `.NAME.ID.partial` beside it while it is in the making. */
#include "base/error.h"
#include "base/memory.h"
#include "job/job.h"
#include "store/file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int32_t pex__export_open(struct pex_job *job, struct pex_error *err)
{
    const char *path = job->plan->export_path;
    int length = pex__folder_length(path);
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
    if (asprintf(&job->export_partial, "%.*s.%s.%s.partial", length, path, pex__base_name(path),
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

int32_t pex__export_publish(struct pex_job *job, struct pex_error *err)
{
    int durable = job->plan->durability == PEX__DURABILITY_POWER;
    int32_t failed = 0;

    if (job->is_pull)
        return 0;
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

void pex__export_withdraw(struct pex_job *job)
{
    if (job->export_fd >= 0)
        close(job->export_fd);
    job->export_fd = -1;
    if (job->export_partial != NULL)
        unlink(job->export_partial);
}
