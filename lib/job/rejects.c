/* SPDX-License-Identifier: Apache-2.0 */
/* quarantine.jsonl: the reject files of all partitions and stages, merged by row id. */
#include "base/error.h"
#include "base/memory.h"
#include "data/quarantine.h"
#include "data/reader.h"
#include "job/job.h"
#include "store/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One reject file as it is read. */
struct cursor {
    int fd; /* -1: no records */
    char *path;
    uint64_t at, end;
    struct pex__quarantine_head head;
    int has_head;
};

static int32_t open_cursor(struct pex_job *job, size_t stage, size_t partition,
                           struct cursor *cursor, struct pex_error *err)
{
    struct pex__spool_name name = pex__job_spool(job, PEX__SPOOL_REJECTS, stage, partition);

    memset(cursor, 0, sizeof *cursor);
    cursor->fd = -1;
    cursor->end = job->reject_bytes[stage * job->plan->partition_count + partition];
    return cursor->end != 0 ? pex__spool_open(&name, &cursor->fd, &cursor->path, err) : 0;
}

static void close_cursor(struct cursor *cursor)
{
    if (cursor->fd >= 0)
        close(cursor->fd);
    free(cursor->path);
}

static int32_t read_head(struct cursor *cursor, struct pex_error *err)
{
    if (cursor->has_head || cursor->at >= cursor->end)
        return 0;
    cursor->has_head = 1;
    return pex__read_exactly(cursor->fd, cursor->path, cursor->at, (char *)&cursor->head,
                             sizeof cursor->head, err);
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
    failed = pex__read_exactly(cursor->fd, cursor->path, cursor->at + sizeof cursor->head, line,
                               cursor->head.length, err);
    if (failed == 0)
        failed = pex__file_write(to, path, line, cursor->head.length, err);
    cursor->at += sizeof cursor->head + cursor->head.length;
    cursor->has_head = 0;
    pex__free(line);
    return failed;
}

static int32_t merge_cursors(struct cursor *cursors, size_t count, int to, const char *path,
                             struct pex_error *err)
{
    struct cursor *first;
    int32_t failed = 0;

    do {
        first = NULL;
        for (size_t s = 0; s < count && failed == 0; s++) {
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

/* The stages of one partition. */
static int32_t merge_partition(struct pex_job *job, size_t partition, struct cursor *cursors,
                               int to, const char *path, struct pex_error *err)
{
    size_t count = job->plan->stage_count, opened = 0;
    int32_t failed = 0;

    while (opened < count && failed == 0) {
        failed = open_cursor(job, opened, partition, &cursors[opened], err);
        opened++;
    }
    if (failed == 0)
        failed = merge_cursors(cursors, count, to, path, err);
    while (opened > 0)
        close_cursor(&cursors[--opened]);
    return failed;
}

static int has_rejects(const struct pex_job *job)
{
    for (size_t i = 0; i < job->plan->stage_count * job->plan->partition_count; i++)
        if (job->reject_bytes[i] > 0)
            return 1;
    return 0;
}

int32_t pex__job_write_quarantine(struct pex_job *job, struct pex_error *err)
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
