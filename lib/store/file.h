/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole reads and writes, appending, and the steps that make a file appear complete. */
#ifndef PEX_STORE_FILE_H
#define PEX_STORE_FILE_H

#include <partexec/base.h>

/* All of these name path and place in err and return 0 or a code (PEX_EIO, PEX_ENOENT). */

/* Writes all bytes at the end of what fd wrote so far; short writes go on. */
int32_t pex__file_write(int fd, const char *path, const void *data, size_t length,
                        struct pex_error *err);
/* Creates (or truncates) a file for writing and reading; *fd is close-on-exec. */
int32_t pex__file_create(const char *path, int *fd, struct pex_error *err);
/* Opens for reading; *fd is close-on-exec. */
int32_t pex__file_open(const char *path, int *fd, struct pex_error *err);
/* Opens for writing at the end, and makes the file if it is not there; `is_new`: what is in it
 * goes.
 */
int32_t pex__file_open_end(const char *path, int is_new, int *fd, struct pex_error *err);
/* Appends `length` bytes from the start of `from` to the file of `to`. */
int32_t pex__file_append(int to, const char *to_path, int from, const char *from_path,
                         uint64_t length, struct pex_error *err);
/* Closes; some file systems tell only then that what was written found no room. */
int32_t pex__file_close(int fd, const char *path, struct pex_error *err);
/* Flushes data to the disk. */
int32_t pex__file_sync(int fd, const char *path, struct pex_error *err);
/* Flushes the data of a file that is not open any more. */
int32_t pex__file_sync_path(const char *path, struct pex_error *err);
/* Flushes the folder that a path is in. */
int32_t pex__file_sync_folder(const char *path, struct pex_error *err);
/* Renames within a folder; with `durable` the folder is flushed too. */
int32_t pex__file_rename(const char *from, const char *to, int durable, struct pex_error *err);
/* Writes a whole file through a temporary name beside it. */
int32_t pex__file_replace(const char *path, const char *data, size_t length, int durable,
                          struct pex_error *err);
/* The name behind the last slash, and the length of what is in front of it, with the slash. */
const char *pex__base_name(const char *path);
int pex__folder_length(const char *path);
/* Where a path leads behind its links, whether anything is there or not; *target is to be freed
 * with pex__free. */
int32_t pex__file_follow(const char *path, char **target, struct pex_error *err);
/* Makes a folder and those above it. */
int32_t pex__file_make_folder(const char *path, struct pex_error *err);

#endif
