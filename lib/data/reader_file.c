/* SPDX-License-Identifier: Apache-2.0 */
#include "data/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

int pex__source_is_open(const struct pex__open_source *file, const struct pex__source *source)
{
    return file->fd >= 0 && file->size == source->size && file->mtime_ns == source->mtime_ns &&
           strcmp(file->path, source->path) == 0;
}

/* A file that changed after the listing would give rows that no other run can give again. */
static int32_t check_unchanged(int fd, const char *path, uint64_t listed, int64_t mtime_ns,
                               struct pex_error *err)
{
    struct stat st;
    uint64_t size;

    if (fstat(fd, &st) != 0)
        return pex__error_system(err, "cannot examine", path, errno);
    size = (uint64_t)st.st_size;
    if (!S_ISREG(st.st_mode))
        return pex_error_set(err, PEX_EIO, "%s: no longer a file; run the job again", path);
    if (size < listed)
        return pex_error_set(err, PEX_EIO,
                             "%s: ends at byte %" PRIu64 ", but %" PRIu64
                             " bytes were listed: it was cut while the job ran; run the job again",
                             path, size, listed);
    if (size != listed || st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec != mtime_ns)
        return pex_error_set(err, PEX_EIO,
                             "%s: changed since it was listed with %" PRIu64
                             " bytes (byte 0 and following); run the job again",
                             path, listed);
    if (st.st_nlink == 0)
        return pex_error_set(err, PEX_ENOENT,
                             "%s: was removed or replaced while it was read (byte 0 and "
                             "following); put it back, or run the job again without it",
                             path);
    return 0;
}

int32_t pex__source_unchanged(const struct pex__open_source *file, struct pex_error *err)
{
    /* The host's memory is what it promised to be. */
    if (file->fd < 0)
        return 0;
    return check_unchanged(file->fd, file->path, file->size, file->mtime_ns, err);
}

static int32_t refuse_open(const struct pex__source *source, int system_errno,
                           struct pex_error *err)
{
    char text[128];

    return pex_error_set(err, system_errno == ENOENT ? PEX_ENOENT : PEX_EIO,
                         "%s: cannot be opened to be read from byte 0 (%s), but was listed before; "
                         "put it back, or run the job again without it",
                         source->path, strerror_r(system_errno, text, sizeof text));
}

int32_t pex__source_open(struct pex__open_source *file, const struct pex__source *source,
                         struct pex_error *err)
{
    size_t path_size = strlen(source->path) + 1;
    int32_t code;
    int fd;

    if (pex__source_is_open(file, source))
        return 0;
    pex__source_close(file);
    file->memory = source->memory;
    file->copy = source->copy;
    if (file->memory != NULL || file->copy != NULL)
        return 0;
    if (pex__grow(&file->path, &file->path_capacity, path_size, 1) != 0)
        return pex__error_memory(err);
    do
        fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return refuse_open(source, errno, err);
    code = check_unchanged(fd, source->path, source->size, source->mtime_ns, err);
    if (code != 0) {
        close(fd);
        return code;
    }
    memcpy(file->path, source->path, path_size);
    file->fd = fd;
    file->size = source->size;
    file->mtime_ns = source->mtime_ns;
    return 0;
}

int32_t pex__source_read(const struct pex__open_source *file, uint64_t offset, void *data,
                         size_t length, struct pex_error *err)
{
    if (file->copy != NULL)
        return pex__read_exactly(*file->copy, "the copy of the source", offset, data, length, err);
    if (file->memory == NULL)
        return pex__read_exactly(file->fd, file->path, offset, data, length, err);
    memcpy(data, file->memory + offset, length);
    return 0;
}

void pex__source_close(struct pex__open_source *file)
{
    file->memory = NULL;
    file->copy = NULL;
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

void pex__source_free(struct pex__open_source *file)
{
    pex__source_close(file);
    pex__free(file->path);
    file->path = NULL;
    file->path_capacity = 0;
}

int32_t pex__read_exactly(int fd, const char *path, uint64_t offset, void *data, size_t length,
                          struct pex_error *err)
{
    char *at = data, text[128];
    ssize_t got;

    while (length > 0) {
        got = pread(fd, at, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return pex_error_set(err, PEX_EIO, "%s: cannot read at byte %" PRIu64 ": %s", path,
                                 offset, strerror_r(errno, text, sizeof text));
        if (got == 0)
            return pex_error_set(err, PEX_EIO,
                                 "%s: ends at byte %" PRIu64 ", %zu bytes too early: it was cut "
                                 "while the job ran; run the job again",
                                 path, offset, length);
        at += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return 0;
}
