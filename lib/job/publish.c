/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How complete files get their names. One file replaces the old one in one step. A set of shards or
 * parts cannot, so it goes by its first file: that one is there if and only if the set is complete
 * and of one run. The old first file goes first, then what the old set had more than the new; the
 * new files get their names from the last to the first. Stats belong to the rows: the old ones go
 * before the new rows come, the new ones come behind them.
 */
#include "base/error.h"
#include "base/memory.h"
#include "job/job.h"
#include "store/file.h"

#include <sys/stat.h>
#include <unistd.h>

static int is_durable(const struct pex__export *export)
{
    return export->job->plan->durability == PEX__DURABILITY_POWER;
}

static int32_t append_stats(struct pex__export *export, struct pex_error *err)
{
    const struct pex_job *job = export->job;
    size_t stage = job->plan->stage_count - 1;
    int32_t failed = 0;

    for (size_t i = 0; export->stats_bytes != NULL && i < export->stream_count && failed == 0;
         i++) {
        struct pex__spool_name name = pex__job_spool(job, PEX__SPOOL_STATS, stage, i);

        failed = pex__export_append(export, &name, export->stats_bytes[i], err);
    }
    return failed;
}

static int32_t end_files(struct pex__export *export, struct pex_error *err)
{
    int32_t failed = 0;

    for (size_t i = 0; i < export->stream_count && failed == 0; i++) {
        failed = pex__stream_end(&export->streams[i], err);
        export->bytes += export->streams[i].sink.bytes;
    }
    export->file_count = export->streams[export->stream_count - 1].index + 1;
    if (failed == 0)
        failed = append_stats(export, err);
    return failed != 0 ? failed : pex__sink_close(&export->stats, err);
}

/* What step(target, partial) says for the files from `first` up to `end`, in falling order. */
static int32_t for_each(struct pex__export *export, size_t first, size_t end,
                        int32_t (*step)(const char *target, const char *partial,
                                        struct pex_error *err),
                        struct pex_error *err)
{
    int32_t failed = 0;

    for (size_t i = end; i-- > first && failed == 0;) {
        char *target = pex__export_target(export, i);
        char *partial = target != NULL ? pex__partial_path(target, export->job->id) : NULL;

        failed = partial != NULL ? step(target, partial, err) : pex__error_memory(err);
        pex__free(target);
        pex__free(partial);
    }
    return failed;
}

/* Before anything is touched. */
static int32_t check_target(const char *target, const char *partial, struct pex_error *err)
{
    struct stat old;

    if (lstat(target, &old) == 0 && S_ISDIR(old.st_mode))
        return pex_error_set(err, PEX_EIO,
                             "cannot rename to %s: a folder has this name; move it, or give "
                             "another export_path",
                             target);
    return 0;
}

static int32_t sync_file(const char *target, const char *partial, struct pex_error *err)
{
    return pex__file_sync_path(partial, err);
}

static int32_t name_file(const char *target, const char *partial, struct pex_error *err)
{
    return pex__file_rename(partial, target, 0, err);
}

static int32_t take_name(const char *target, const char *partial, struct pex_error *err)
{
    /* Only those that got it: the partial file is not there any more. */
    if (access(partial, F_OK) != 0)
        unlink(target);
    return 0;
}

static int32_t sync_folder(struct pex__export *export, struct pex_error *err)
{
    char *target = is_durable(export) ? pex__export_target(export, 0) : NULL;
    int32_t failed = 0;

    if (is_durable(export))
        failed = target != NULL ? pex__file_sync_folder(target, err) : pex__error_memory(err);
    pex__free(target);
    return failed;
}

/* Files of a former, longer set, from the last one down: what a crash leaves has no gap. */
static int32_t remove_surplus(struct pex__export *export, struct pex_error *err)
{
    size_t end = export->file_count;
    int is_there = 1;
    char *path;

    while (is_there) {
        path = pex__export_target(export, end);
        if (path == NULL)
            return pex__error_memory(err);
        is_there = access(path, F_OK) == 0;
        end += (size_t)is_there;
        pex__free(path);
    }
    while (end > export->file_count) {
        path = pex__export_target(export, --end);
        if (path == NULL)
            return pex__error_memory(err);
        unlink(path);
        pex__free(path);
    }
    return 0;
}

static int32_t make_way(struct pex__export *export, struct pex_error *err)
{
    int is_set = export->form->kind != PEX__EXPORT_FILE;
    int32_t failed = 0;
    char *first;

    if (export->form->has_stats)
        unlink(export->form->stats);
    if (is_set) {
        first = pex__export_target(export, 0);
        if (first == NULL)
            return pex__error_memory(err);
        unlink(first);
        pex__free(first);
        /* The order must hold on the disk, too. */
        failed = sync_folder(export, err);
        if (failed == 0)
            failed = remove_surplus(export, err);
    }
    return failed;
}

static int32_t give_names(struct pex__export *export, struct pex_error *err)
{
    int32_t failed = for_each(export, 1, export->file_count, name_file, err);

    if (failed == 0 && export->file_count > 1)
        failed = sync_folder(export, err);
    if (failed == 0)
        failed = for_each(export, 0, 1, name_file, err);
    if (failed == 0 && export->form->has_stats)
        failed = pex__file_rename(export->stats.partial, export->form->stats, 0, err);
    return failed != 0 ? failed : sync_folder(export, err);
}

static int32_t sync_all(struct pex__export *export, struct pex_error *err)
{
    int32_t failed = 0;

    if (!is_durable(export))
        return 0;
    if (export->form->has_stats)
        failed = pex__file_sync_path(export->stats.partial, err);
    return failed != 0 ? failed : for_each(export, 0, export->file_count, sync_file, err);
}

static void take_names(struct pex__export *export)
{
    struct pex_error err;

    for_each(export, 0, export->file_count, take_name, &err);
    if (export->form->has_stats)
        take_name(export->form->stats, export->stats.partial, &err);
}

int32_t pex__export_publish(struct pex__export *export, struct pex_error *err)
{
    int32_t failed = end_files(export, err);

    if (failed == 0)
        failed = for_each(export, 0, export->file_count, check_target, err);
    if (failed == 0)
        failed = sync_all(export, err);
    if (failed == 0)
        failed = make_way(export, err);
    if (failed != 0)
        return failed;
    failed = give_names(export, err);
    if (failed != 0)
        take_names(export);
    return failed;
}
