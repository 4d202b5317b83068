/* SPDX-License-Identifier: Apache-2.0 */
#include "store/file.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the kernel. */
enum { MOST_LINKS = 40 };

int32_t pex__file_write(int fd, const char *path, const void *data, size_t length,
                        struct pex_error *err)
{
    const char *at = data;

    while (length > 0) {
        ssize_t n = write(fd, at, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pex__error_system(err, "cannot write", path, errno);
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

int32_t pex__file_create(const char *path, int *fd, struct pex_error *err)
{
    int opened = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (opened < 0)
        return pex__error_system(err, "cannot create", path, errno);
    *fd = opened;
    return 0;
}

int32_t pex__file_open(const char *path, int *fd, struct pex_error *err)
{
    int opened = open(path, O_RDONLY | O_CLOEXEC);

    if (opened < 0)
        return pex__error_system(err, "cannot open", path, errno);
    *fd = opened;
    return 0;
}

int32_t pex__file_open_end(const char *path, int is_new, int *fd, struct pex_error *err)
{
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (is_new ? O_TRUNC : 0);
    int opened = open(path, flags, 0666);

    if (opened < 0)
        return pex__error_system(err, "cannot open", path, errno);
    *fd = opened;
    return 0;
}

/* Where the kernel cannot copy between these files, bytes go through a buffer. */
static int32_t copy_by_hand(int to, const char *to_path, int from, const char *from_path,
                            uint64_t offset, uint64_t length, struct pex_error *err)
{
    size_t room = 256 * 1024;
    char *buffer = pex__malloc(room);
    int32_t failed = 0;

    if (buffer == NULL)
        return pex__error_memory(err);
    while (length > 0 && failed == 0) {
        ssize_t n = pread(from, buffer, length < room ? (size_t)length : room, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            failed = pex__error_system(err, "cannot read", from_path, n < 0 ? errno : EIO);
            break;
        }
        failed = pex__file_write(to, to_path, buffer, (size_t)n, err);
        offset += (uint64_t)n;
        length -= (uint64_t)n;
    }
    pex__free(buffer);
    return failed;
}

int32_t pex__file_append(int to, const char *to_path, int from, const char *from_path,
                         uint64_t length, struct pex_error *err)
{
    off_t offset = 0;

    while ((uint64_t)offset < length) {
        ssize_t n =
            copy_file_range(from, &offset, to, NULL, (size_t)(length - (uint64_t)offset), 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return copy_by_hand(to, to_path, from, from_path, (uint64_t)offset,
                                length - (uint64_t)offset, err);
    }
    return 0;
}

int32_t pex__file_close(int fd, const char *path, struct pex_error *err)
{
    if (close(fd) != 0 && errno != EINTR)
        return pex__error_system(err, "cannot write", path, errno);
    return 0;
}

int32_t pex__file_sync(int fd, const char *path, struct pex_error *err)
{
    if (fdatasync(fd) != 0)
        return pex__error_system(err, "cannot flush", path, errno);
    return 0;
}

int32_t pex__file_sync_path(const char *path, struct pex_error *err)
{
    int fd = -1;
    int32_t failed = pex__file_open(path, &fd, err);

    if (failed != 0)
        return failed;
    failed = pex__file_sync(fd, path, err);
    close(fd);
    return failed;
}

int32_t pex__file_sync_folder(const char *path, struct pex_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? pex__strdup(".")
                                 : pex__strndup(path, slash == path ? 1 : (size_t)(slash - path));
    int32_t failed = 0;
    int fd;

    if (folder == NULL)
        return pex__error_memory(err);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        failed = pex__error_system(err, "cannot flush the folder", folder, errno);
    if (fd >= 0)
        close(fd);
    pex__free(folder);
    return failed;
}

int32_t pex__file_rename(const char *from, const char *to, int durable, struct pex_error *err)
{
    if (rename(from, to) != 0)
        return pex__error_system(err, "cannot rename to", to, errno);
    return durable ? pex__file_sync_folder(to, err) : 0;
}

int32_t pex__file_replace(const char *path, const char *data, size_t length, int durable,
                          struct pex_error *err)
{
    size_t room = strlen(path) + 8;
    char *temporary = pex__malloc(room);
    int32_t failed;
    int fd = -1;

    if (temporary == NULL)
        return pex__error_memory(err);
    snprintf(temporary, room, "%s.tmp", path);
    failed = pex__file_create(temporary, &fd, err);
    if (failed == 0)
        failed = pex__file_write(fd, temporary, data, length, err);
    if (failed == 0 && durable)
        failed = pex__file_sync(fd, temporary, err);
    if (fd >= 0 && failed == 0)
        failed = pex__file_close(fd, temporary, err);
    else if (fd >= 0)
        close(fd);
    if (failed == 0)
        failed = pex__file_rename(temporary, path, durable, err);
    if (failed != 0)
        unlink(temporary);
    pex__free(temporary);
    return failed;
}

const char *pex__base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

int pex__folder_length(const char *path)
{
    return (int)(pex__base_name(path) - path);
}

/* What the link says, from where it lies. */
static char *join_link(const char *path, const char *text, size_t length)
{
    size_t folder = text[0] == '/' ? 0 : (size_t)pex__folder_length(path);
    char *joined = pex__malloc(folder + length + 1);

    if (joined == NULL)
        return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, text, length);
    joined[folder + length] = '\0';
    return joined;
}

int32_t pex__file_follow(const char *path, char **target, struct pex_error *err)
{
    char *at = pex__strdup(path), *next, text[PATH_MAX];
    ssize_t length;
    int links = 0;

    while (at != NULL && (length = readlink(at, text, sizeof text)) > 0) {
        if (++links > MOST_LINKS) {
            pex__free(at);
            return pex__error_system(err, "cannot follow the link", path, ELOOP);
        }
        next = join_link(at, text, (size_t)length);
        pex__free(at);
        at = next;
    }
    if (at == NULL)
        return pex__error_memory(err);
    *target = at;
    return 0;
}

int32_t pex__file_make_folder(const char *path, struct pex_error *err)
{
    char *copy = pex__strdup(path);
    int32_t failed = 0;
    int above = 0; /* why a folder above it could not be made */

    if (copy == NULL)
        return pex__error_memory(err);
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST && above == 0)
            above = errno;
        *slash = '/';
    }
    if (mkdir(copy, 0777) != 0) {
        struct stat status;
        int why = errno == ENOENT && above != 0 ? above : errno;

        if (why != EEXIST || stat(copy, &status) != 0 || !S_ISDIR(status.st_mode))
            failed = pex__error_system(err, "cannot make the folder", path,
                                       why == EEXIST ? ENOTDIR : why);
    }
    pex__free(copy);
    return failed;
}
