/* SPDX-License-Identifier: Apache-2.0 */
#include "job/spool.h"

#include "base/error.h"
#include "store/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[PEX__SPOOL_KINDS] = {"stage", "part", "stats", "rejects", "keys"};

char *pex__spool_path(const struct pex__spool_name *name)
{
    char *path;

    if (asprintf(&path, "%s/%s-%02zu-%05zu", name->folder, kinds[name->kind], name->stage,
                 name->partition) < 0)
        return NULL;
    return path;
}

int32_t pex__spool_write(struct pex__spool *spool, const struct pex__spool_name *name,
                         const void *data, size_t length, struct pex_error *err)
{
    char *path;
    int32_t failed = 0;

    if (length == 0)
        return 0;
    path = pex__spool_path(name);
    if (path == NULL)
        return pex__error_memory(err);
    if (spool->fd < 0)
        failed = pex__file_open_end(path, spool->bytes == 0, &spool->fd, err);
    if (failed == 0)
        failed = pex__file_write(spool->fd, path, data, length, err);
    if (failed == 0)
        spool->bytes += length;
    free(path);
    return failed;
}

void pex__spool_close(struct pex__spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}

int32_t pex__spool_open(const struct pex__spool_name *name, int *fd, char **path,
                        struct pex_error *err)
{
    char *made = pex__spool_path(name);
    int32_t failed;

    if (made == NULL)
        return pex__error_memory(err);
    failed = pex__file_open(made, fd, err);
    if (failed != 0)
        free(made);
    else
        *path = made;
    return failed;
}

void pex__spool_remove(const struct pex__spool_name *name)
{
    char *path = pex__spool_path(name);

    if (path != NULL)
        unlink(path);
    free(path);
}

/* KIND-STAGE-PARTITION, and nothing else: the folder may be one that the user gave. */
static int is_spool(const char *name)
{
    for (size_t i = 0; i < PEX__SPOOL_KINDS; i++) {
        size_t length = strlen(kinds[i]);
        const char *at = name + length;
        size_t stage, partition;

        if (strncmp(name, kinds[i], length) != 0 || *at++ != '-')
            continue;
        stage = strspn(at, "0123456789");
        if (stage < 2 || at[stage] != '-')
            return 0;
        partition = strspn(at + stage + 1, "0123456789");
        return partition >= 5 && at[stage + 1 + partition] == '\0';
    }
    return 0;
}

void pex__spools_remove(const char *folder)
{
    DIR *all = opendir(folder);
    struct dirent *entry;

    if (all == NULL)
        return;
    while ((entry = readdir(all)) != NULL)
        if (is_spool(entry->d_name))
            unlinkat(dirfd(all), entry->d_name, 0);
    closedir(all);
}
