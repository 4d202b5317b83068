/* SPDX-License-Identifier: Apache-2.0 */
/* Where a job reads and writes: dataset, dataset_path, export_path, work_dir, job_id. */
#include "plan/build.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define JOB_ID_MAX 128
#define JOB_ID_MARK "{job_id}"

/* A text without NUL; or NULL, and the error is listed. */
static const char *path_text(struct pex__build *build, const char *key)
{
    const json_t *value = pex__spec_given(build->spec, key);
    char found[80];

    if (value == NULL || !json_is_string(value))
        return NULL;
    if (pex__value_is_text(value) && *json_string_value(value) != '\0')
        return json_string_value(value);
    pex__build_fail(build, PEX_ESPEC, "%s: found %s, expected a path", key,
                    pex__value_show(value, found, sizeof found));
    return NULL;
}

static int has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), size = strlen(suffix);

    return length > size && strcasecmp(path + length - size, suffix) == 0;
}

/* Why a path cannot be an export of this version, or NULL. */
static const char *export_fault(const char *path)
{
    static const char *const formats[] = {".parquet", ".csv", ".tsv", ".arrow", ".feather", ".xml"};
    static const char *const packed[] = {".gz", ".zst", ".bz2", ".xz", ".lz4", ".zip"};

    if (strstr(path, "://") != NULL)
        return "expected a local path: there is no remote storage; copy the file afterwards";
    if (path[strlen(path) - 1] == '/')
        return "a file per partition is not in this version; name one file, as out.jsonl";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (has_suffix(path, formats[i]))
            return "this format is not in this version; write .jsonl and convert it afterwards";
    }
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (has_suffix(path, packed[i]))
            return "compression is not in this version; write .jsonl and compress it afterwards";
    }
    return NULL;
}

/* Non-zero if the existing file `target` is one of the input's; *path gets the name there. */
static int is_input(const struct pex__input *input, const struct stat *target, const char **path)
{
    struct stat source;

    for (size_t i = 0; input != NULL && i < input->source_count; i++) {
        if (stat(input->sources[i].path, &source) == 0 && source.st_dev == target->st_dev &&
            source.st_ino == target->st_ino) {
            *path = input->sources[i].path;
            return 1;
        }
    }
    return 0;
}

/* What a target is that cannot be replaced by a file, or NULL. Links were followed. */
static const char *special_kind(mode_t mode)
{
    if (S_ISREG(mode) || S_ISDIR(mode))
        return NULL;
    if (S_ISFIFO(mode))
        return "FIFO";
    return S_ISSOCK(mode) ? "socket" : "device";
}

static void check_export(struct pex__build *build, const char *path)
{
    const char *fault = export_fault(path), *source;
    struct stat target;

    if (fault != NULL) {
        pex__build_fail(build, PEX_ESPEC, "export_path: found \"%s\": %s", path, fault);
        return;
    }
    if (has_suffix(path, ".json"))
        pex__build_notice(build,
                          "export_path: rows are written as JSON lines, also to a .json file");
    if (stat(path, &target) != 0)
        return;
    if (S_ISDIR(target.st_mode))
        pex__build_fail(
            build, PEX_ESPEC,
            "export_path: found the folder \"%s\", expected a file in it, as %s/out.jsonl", path,
            path);
    else if (special_kind(target.st_mode) != NULL)
        pex__build_fail(build, PEX_ESPEC,
                        "export_path: found the %s \"%s\", expected a regular file, or a name "
                        "that is free",
                        special_kind(target.st_mode), path);
    else if (is_input(build->plan->input, &target, &source))
        pex__build_fail(
            build, PEX_ESPEC,
            "export_path: found \"%s\", which is the input file \"%s\"; name another file", path,
            source);
}

/* WORK beside the export. */
static char *default_work_dir(const char *export_path)
{
    const char *slash = strrchr(export_path, '/');
    struct pex__buffer text = {0};

    if (pex__buffer_add(&text, export_path,
                        slash != NULL ? (size_t)(slash - export_path) + 1 : 0) != 0 ||
        pex__buffer_add(&text, ".partexec", sizeof ".partexec") != 0)
        pex__buffer_free(&text);
    return text.data;
}

/* Takes "{job_id}" off the end of work_dir; anywhere else it has no meaning. */
static void set_work_dir(struct pex__build *build, const char *given)
{
    struct pex__plan *plan = build->plan;
    size_t length = strlen(given), mark = sizeof JOB_ID_MARK - 1;
    const char *at = strstr(given, JOB_ID_MARK);

    while (length > 1 && given[length - 1] == '/')
        length--;
    if (at != NULL && (at + mark != given + length || (at != given && at[-1] != '/'))) {
        pex__build_fail(build, PEX_ESPEC,
                        "work_dir: found \"%s\", expected " JOB_ID_MARK " as its last part only",
                        given);
        return;
    }
    if (strstr(given, "://") != NULL) {
        pex__build_fail(build, PEX_ESPEC, "work_dir: found \"%s\", expected a local path", given);
        return;
    }
    plan->work_dir_is_folder = at != NULL;
    if (at != NULL)
        length -= mark;
    while (length > 1 && given[length - 1] == '/')
        length--;
    plan->work_dir = length != 0 ? pex__strndup(given, length) : pex__strdup(".");
    if (plan->work_dir == NULL)
        pex__build_join(build, PEX_ENOMEM);
}

static void set_job_id(struct pex__build *build)
{
    const json_t *value = pex__spec_given(build->spec, "job_id");
    const char *id = json_string_value(value);
    char digits[24], found[80];

    if (json_is_integer(value)) {
        snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(value));
        id = digits;
    } else if (!json_is_string(value))
        return;
    if ((id != digits && !pex__value_is_text(value)) || *id == '\0' || strchr(id, '/') != NULL ||
        strcmp(id, ".") == 0 || strcmp(id, "..") == 0 || strlen(id) > JOB_ID_MAX) {
        pex__build_fail(build, PEX_ESPEC,
                        "job_id: found %s, expected a plain file name of at most %d bytes",
                        pex__value_show(value, found, sizeof found), JOB_ID_MAX);
        return;
    }
    build->plan->job_id = pex__strdup(id);
    if (build->plan->job_id == NULL)
        pex__build_join(build, PEX_ENOMEM);
}

static void set_export(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    const char *path;

    if (build->purpose == PEX__PLAN_PULL)
        return;
    path = path_text(build, "export_path");
    if (path == NULL) {
        if (build->purpose == PEX__PLAN_RUN && pex__spec_given(build->spec, "export_path") == NULL)
            pex__build_fail(build, PEX_ESPEC,
                            "export_path: found nothing, expected the path of the output file");
        return;
    }
    check_export(build, path);
    plan->export_path = pex__strdup(path);
    if (plan->export_path == NULL)
        pex__build_join(build, PEX_ENOMEM);
}

void pex__build_paths(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    const char *work_dir;

    set_job_id(build);
    set_export(build);
    work_dir = path_text(build, "work_dir");
    if (work_dir != NULL)
        set_work_dir(build, work_dir);
    else if (plan->export_path != NULL) {
        plan->work_dir = default_work_dir(plan->export_path);
        if (plan->work_dir == NULL)
            pex__build_join(build, PEX_ENOMEM);
    }
}
