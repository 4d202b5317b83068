/* SPDX-License-Identifier: Apache-2.0 */
#include "job/export.h"

#include "base/error.h"
#include "base/memory.h"
#include "store/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *pex__partial_path(const char *target, const char *id)
{
    size_t room = strlen(target) + strlen(id) + sizeof "..partial";
    char *path = pex__malloc(room + 1);

    if (path != NULL)
        snprintf(path, room + 1, "%.*s.%s.%s.partial", pex__folder_length(target), target,
                 pex__base_name(target), id);
    return path;
}

int32_t pex__sink_begin(struct pex__sink *sink, const char *target, const char *id,
                        struct pex_error *err)
{
    int32_t failed = pex__sink_close(sink, err);
    struct stat old;

    if (failed != 0)
        return failed;
    pex__free(sink->partial);
    sink->partial = pex__partial_path(target, id);
    if (sink->partial == NULL)
        return pex__error_memory(err);
    /* A fresh file: writing over an existing one costs several times as much. */
    unlink(sink->partial);
    failed = pex__file_create(sink->partial, &sink->fd, err);
    /* It takes the place of a file that somebody may have protected. */
    if (failed == 0 && stat(target, &old) == 0 && S_ISREG(old.st_mode) &&
        fchmod(sink->fd, old.st_mode & 07777) != 0)
        failed = pex__error_system(err, "cannot set the mode of", sink->partial, errno);
    return failed;
}

int32_t pex__sink_write(struct pex__sink *sink, const char *data, size_t length,
                        struct pex_error *err)
{
    int32_t failed = 0;

    if (sink->fd < 0)
        failed = pex__file_open_end(sink->partial, 0, &sink->fd, err);
    if (failed == 0)
        failed = pex__file_write(sink->fd, sink->partial, data, length, err);
    if (failed == 0)
        sink->bytes += length;
    return failed;
}

int32_t pex__sink_close(struct pex__sink *sink, struct pex_error *err)
{
    int fd = sink->fd;

    sink->fd = -1;
    return fd >= 0 ? pex__file_close(fd, sink->partial, err) : 0;
}
