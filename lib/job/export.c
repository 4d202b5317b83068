/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "data/reader.h"
#include "job/job.h"
#include "store/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a spool that is appended by way of memory; a longer row gets what it needs. */
enum { APPEND_BYTES = 1024 * 1024 };

/* What a piece costs at most, for the number that may be on their way. */
enum { PIECE_COST = 3 * PEX__PIECE_BYTES };

char *pex__export_target(const struct pex__export *export, size_t index)
{
    return export->target != NULL ? pex__strdup(export->target)
                                  : pex__export_path(export->form, index);
}

struct pex__stream *pex__export_stream(struct pex__export *export, size_t partition)
{
    return &export->streams[export->stream_count > 1 ? partition : 0];
}

void pex__export_part_done(struct pex__export *export, size_t partition, uint64_t stats_bytes)
{
    if (export->form->kind != PEX__EXPORT_FOLDER)
        return;
    pex__stream_flush(pex__export_stream(export, partition));
    if (export->stats_bytes != NULL)
        export->stats_bytes[partition] = stats_bytes;
}

/* A link stays, the file it points to is replaced. */
static int32_t find_target(struct pex__export *export, struct pex_error *err)
{
    char *path = pex__export_path(export->form, 0);
    int32_t failed;

    if (path == NULL)
        return pex__error_memory(err);
    failed = pex__file_follow(path, &export->target, err);
    pex__free(path);
    return failed;
}

static int32_t make_folder(struct pex__export *export, struct pex_error *err)
{
    const char *folder = export->form->folder;
    size_t length = strlen(folder);
    int32_t failed;
    char *plain;

    if (length < 2)
        return 0;
    plain = pex__strndup(folder, length - 1);
    if (plain == NULL)
        return pex__error_memory(err);
    export->has_made_folder = export->form->kind == PEX__EXPORT_FOLDER && access(plain, F_OK) != 0;
    failed = pex__file_make_folder(plain, err);
    pex__free(plain);
    return failed;
}

/* Non-zero if the name is `.BASE.ID.partial`, and BASE is one of the form's. */
static int is_partial(const struct pex__export *export, const char *name)
{
    size_t length = strlen(name), end = strlen(export->job->id) + sizeof "..partial" - 1;
    char base[NAME_MAX + 1];

    if (name[0] != '.' || length <= end + 1 || length > NAME_MAX ||
        strncmp(name + length - end + 1, export->job->id, strlen(export->job->id)) != 0 ||
        name[length - end] != '.' || strcmp(name + length - (sizeof ".partial" - 1), ".partial"))
        return 0;
    memcpy(base, name + 1, length - end - 1);
    base[length - end - 1] = '\0';
    return pex__export_has_name(export->form, base);
}

/* Of a set, by whatever number: what a run under this ID left that was killed, or this one. */
static void remove_partials(const struct pex__export *export)
{
    DIR *all = opendir(export->form->folder[0] != '\0' ? export->form->folder : ".");
    struct dirent *entry;

    if (all == NULL)
        return;
    while ((entry = readdir(all)) != NULL)
        if (is_partial(export, entry->d_name))
            unlinkat(dirfd(all), entry->d_name, 0);
    closedir(all);
}

static void init_stream(struct pex__export *export, size_t index)
{
    struct pex__stream *stream = &export->streams[index];

    stream->export = export;
    stream->index = stream->sink_index = index;
    stream->end = &stream->first;
    stream->sink.fd = -1;
}

static int32_t make_streams(struct pex__export *export, struct pex_error *err)
{
    size_t partitions = export->job->plan->partition_count;
    int is_folder = export->form->kind == PEX__EXPORT_FOLDER;

    export->streams = pex__calloc(is_folder ? partitions : 1, sizeof *export->streams);
    if (export->streams == NULL)
        return pex__error_memory(err);
    export->stream_count = is_folder ? partitions : 1;
    for (size_t i = 0; i < export->stream_count; i++)
        init_stream(export, i);
    export->idle = pex__calloc(export->idle_most, sizeof *export->idle);
    if (is_folder && export->form->has_stats)
        export->stats_bytes = pex__calloc(partitions, sizeof *export->stats_bytes);
    return export->idle == NULL || (is_folder && export->form->has_stats && !export->stats_bytes)
               ? pex__error_memory(err)
               : 0;
}

static int32_t begin_files(struct pex__export *export, struct pex_error *err)
{
    struct pex__stream *stream = &export->streams[0];
    char *target = pex__export_target(export, 0);
    int32_t failed;

    if (target == NULL)
        return pex__error_memory(err);
    failed = pex__sink_begin(&stream->sink, target, export->job->id, err);
    pex__free(target);
    if (failed == 0 && export->form->has_stats)
        failed = pex__sink_begin(&export->stats, export->form->stats, export->job->id, err);
    return failed != 0 ? failed : pex__stream_rest(stream, err);
}

static int32_t open_all(struct pex__export *export, struct pex_error *err)
{
    int32_t failed = make_streams(export, err);

    if (failed == 0)
        failed = make_folder(export, err);
    if (failed == 0 && export->form->kind == PEX__EXPORT_FILE)
        failed = find_target(export, err);
    if (failed == 0 && export->form->kind != PEX__EXPORT_FILE)
        remove_partials(export);
    return failed != 0 ? failed : begin_files(export, err);
}

int32_t pex__export_open(struct pex_job *job, struct pex__export **result, struct pex_error *err)
{
    struct pex__export *export = pex__calloc(1, sizeof *export);
    size_t workers = (size_t)job->core->engine->worker_count;
    size_t afford = (size_t)(job->plan->memory_limit / 4 / PIECE_COST);
    int32_t failed;

    if (export == NULL)
        return pex__error_memory(err);
    export->job = job;
    export->form = &job->plan->export;
    export->stats.fd = -1;
    export->idle_most = workers + 1;
    export->most = afford < 1 ? 1 : afford < 2 * workers ? afford : 2 * workers;
    pthread_mutex_init(&export->lock, NULL);
    pthread_cond_init(&export->moved, NULL);
    failed = open_all(export, err);
    if (failed != 0) {
        pex__export_withdraw(export);
        pex__export_free(export);
        return failed;
    }
    *result = export;
    return 0;
}

/* The end of the last row in the buffer, or 0. */
static size_t rows_end(const char *data, size_t length)
{
    const char *end = memrchr(data, '\n', length);

    return end != NULL ? (size_t)(end + 1 - data) : 0;
}

/* By way of memory, in whole rows. */
static int32_t append_rows(struct pex__stream *stream, int fd, const char *path, uint64_t bytes,
                           struct pex_error *err)
{
    struct pex__buffer buffer = {0};
    size_t wanted = APPEND_BYTES;
    uint64_t at = 0;
    int32_t failed = 0;

    while (at < bytes && failed == 0 && !pex__run_is_cancelled(&stream->export->job->run)) {
        size_t length = bytes - at < wanted ? (size_t)(bytes - at) : wanted, rows;

        buffer.length = 0;
        failed = pex__buffer_reserve(&buffer, length);
        if (failed != 0) {
            pex__error_memory(err);
            break;
        }
        failed = pex__read_exactly(fd, path, at, buffer.data, length, err);
        if (failed != 0)
            break;
        rows = rows_end(buffer.data, length);
        if (rows == 0) {
            wanted *= 2;
            continue;
        }
        pex__stream_relieve(stream);
        failed = pex__stream_add(stream, buffer.data, rows, err);
        at += rows;
    }
    pex__buffer_free(&buffer);
    return failed;
}

static int32_t append_file(struct pex__sink *sink, int fd, const char *path, uint64_t bytes,
                           struct pex_error *err)
{
    int32_t failed = pex__file_append(sink->fd, sink->partial, fd, path, bytes, err);

    if (failed == 0)
        sink->bytes += bytes;
    return failed;
}

int32_t pex__export_append(struct pex__export *export, const struct pex__spool_name *name,
                           uint64_t bytes, struct pex_error *err)
{
    const struct pex__export_form *form = export->form;
    int32_t failed;
    char *path;
    int fd;

    if (bytes == 0)
        return 0;
    failed = pex__spool_open(name, &fd, &path, err);
    if (failed != 0)
        return failed;
    if (name->kind == PEX__SPOOL_STATS)
        failed = append_file(&export->stats, fd, path, bytes, err);
    else if (form->kind == PEX__EXPORT_FILE && form->pack == PEX__PACK_NONE)
        failed = append_file(&export->streams->sink, fd, path, bytes, err);
    else
        failed = append_rows(export->streams, fd, path, bytes, err);
    close(fd);
    free(path);
    pex__spool_remove(name);
    return failed;
}

void pex__export_withdraw(struct pex__export *export)
{
    struct pex_error err;

    for (size_t i = 0; i < export->stream_count; i++)
        pex__stream_stop(&export->streams[i]);
    pex__sink_close(&export->stats, &err);
    if (export->stats.partial != NULL)
        unlink(export->stats.partial);
    if (export->streams != NULL && export->streams->sink.partial != NULL)
        unlink(export->streams->sink.partial);
    if (export->form->kind != PEX__EXPORT_FILE)
        remove_partials(export);
    if (export->has_made_folder)
        rmdir(export->form->folder);
}

void pex__export_free(struct pex__export *export)
{
    if (export == NULL)
        return;
    for (size_t i = 0; i < export->stream_count; i++)
        pex__free(export->streams[i].sink.partial);
    while (export->idle_count > 0)
        pex__packer_free(export->idle[--export->idle_count]);
    pex__free(export->idle);
    pex__free(export->streams);
    pex__free(export->stats.partial);
    pex__free(export->stats_bytes);
    pex__free(export->target);
    pthread_cond_destroy(&export->moved);
    pthread_mutex_destroy(&export->lock);
    pex__free(export);
}
