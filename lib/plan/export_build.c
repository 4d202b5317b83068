/* SPDX-License-Identifier: Apache-2.0 */
/* export_path and the keys that say what is written there. */
#include "plan/build.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/pack.h"
#include "plan/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* A shard below this is worth a word, as in the reference. */
enum { FEW_BYTES = 1024 * 1024 };

#define NO_FORMAT "this format is not in this version; write .jsonl and convert it afterwards"

static int has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), size = strlen(suffix);

    return length > size && strcasecmp(path + length - size, suffix) == 0;
}

/* Why a path cannot be an export, or NULL. pack: what its suffix says. */
static const char *export_fault(const char *path, int32_t pack)
{
    static const char *const formats[] = {".parquet", ".csv", ".tsv",       ".arrow",
                                          ".feather", ".xml", ".tfrecords", ".lance"};
    static const char *const packed[] = {".bz2", ".xz", ".lz4", ".zip"};
    char format[24];

    if (strstr(path, "://") != NULL)
        return "expected a local path: there is no remote storage; copy the file afterwards";
    if (strstr(path, "{work_dir}") != NULL || strstr(path, "{job_id}") != NULL)
        return "{work_dir} and {job_id} are not replaced in it; write the path itself";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        snprintf(format, sizeof format, "%s%s", formats[i], pex__pack_suffix(pack));
        if (has_suffix(path, format))
            return NO_FORMAT;
    }
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (has_suffix(path, packed[i]))
            return "this compression is not in this version; write .jsonl.gz or .jsonl.zst";
    }
    return NULL;
}

/* Non-zero if the existing file `target` is one of the input's; *path gets the name there. */
static int is_input(const struct pex__input *input, const struct stat *target, const char **path)
{
    struct stat source;

    for (size_t i = 0; input != NULL && i < input->source_count; i++) {
        if (input->feed == NULL && input->sources[i].memory == NULL &&
            stat(input->sources[i].path, &source) == 0 && source.st_dev == target->st_dev &&
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

/* One file; or the name that is cut up for shards. */
static void check_file(struct pex__build *build, const char *path)
{
    struct stat target;
    const char *source;

    if (has_suffix(path, ".json"))
        pex__build_notice(build,
                          "export_path: rows are written as JSON lines, also to a .json file");
    if (stat(path, &target) != 0)
        return;
    if (S_ISDIR(target.st_mode))
        pex__build_fail(build, PEX_ESPEC,
                        "export_path: found the folder \"%s\", expected a file in it, as "
                        "%s/out.jsonl, or %s/ for a file per partition",
                        path, path, path);
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

static void check_folder(struct pex__build *build, const char *path)
{
    char plain[4096];
    struct stat target;

    snprintf(plain, sizeof plain, "%s", path);
    for (size_t end = strlen(plain); end > 1 && plain[end - 1] == '/'; end--)
        plain[end - 1] = '\0';
    if (stat(plain, &target) == 0 && !S_ISDIR(target.st_mode))
        pex__build_fail(build, PEX_ESPEC,
                        "export_path: found the file \"%s\", expected a folder for \"%s\", or a "
                        "name that is free",
                        plain, path);
}

/* Shards and parts of a former run are replaced, and those too many removed: they must not be
 * input. */
static void check_set(struct pex__build *build)
{
    const struct pex__export_form *form = &build->plan->export;
    const struct pex__input *input = build->plan->input;
    const char *folder = form->folder[0] != '\0' ? form->folder : ".";
    struct stat target, here;

    if (stat(folder, &target) != 0)
        return;
    for (size_t i = 0; input != NULL && i < input->source_count; i++) {
        const char *path = input->sources[i].path, *slash = strrchr(path, '/');
        char *parent;
        int is_same;

        if (input->feed != NULL || input->sources[i].memory != NULL ||
            !pex__export_has_name(form, slash != NULL ? slash + 1 : path))
            continue;
        parent = slash != NULL ? pex__strndup(path, (size_t)(slash + 1 - path)) : pex__strdup(".");
        is_same = parent != NULL && stat(parent, &here) == 0 && here.st_dev == target.st_dev &&
                  here.st_ino == target.st_ino;
        pex__free(parent);
        if (!is_same)
            continue;
        pex__build_fail(build, PEX_ESPEC,
                        "export_path: found \"%s\", whose files would replace the input file "
                        "\"%s\"; name another",
                        build->plan->export_path, path);
        return;
    }
}

static void check_stats(struct pex__build *build)
{
    const char *path = build->plan->export.stats, *source;
    struct stat target;

    if (path == NULL || stat(path, &target) != 0)
        return;
    if (!S_ISREG(target.st_mode))
        pex__build_fail(build, PEX_ESPEC,
                        "export_stats: \"%s\" is in the way, which is no file; move it", path);
    else if (is_input(build->plan->input, &target, &source))
        pex__build_fail(build, PEX_ESPEC,
                        "export_stats: the stats would go to \"%s\", which is the input file "
                        "\"%s\"; name another export_path",
                        path, source);
}

/* PEX__PACK_* by suffix, or for the files of a folder by the key. */
static int32_t find_pack(struct pex__build *build, const char *path, int is_folder)
{
    static const char *const names[] = {"none", "gz", "zst"};
    const char *given = pex__spec_text(build->spec, "export_compression");
    int32_t pack = is_folder ? PEX__PACK_NONE : pex__pack_of(path);

    for (int32_t i = PEX__PACK_NONE; given != NULL && i <= PEX__PACK_ZSTD; i++) {
        if (strcmp(given, names[i]) != 0)
            continue;
        if (is_folder)
            return i;
        if (i != pack)
            pex__build_fail(build, PEX_ESPEC,
                            "export_compression: found \"%s\", but export_path \"%s\" says %s; "
                            "the suffix of a file decides, .gz or .zst",
                            given, path, names[pack]);
    }
    return pack;
}

static void set_form(struct pex__build *build, const char *path, int is_folder)
{
    struct pex__export_form *form = &build->plan->export;
    int64_t shard = pex__spec_int64(build->spec, "export_shard_size");

    form->pack = find_pack(build, path, is_folder);
    form->kind = is_folder ? PEX__EXPORT_FOLDER : PEX__EXPORT_FILE;
    if (shard > 0 && is_folder)
        pex__build_fail(build, PEX_ESPEC,
                        "export_shard_size: found %lld, but export_path \"%s\" asks for a file "
                        "per partition; leave one of them out",
                        (long long)shard, path);
    else if (shard > 0)
        form->kind = PEX__EXPORT_SHARDS;
    form->shard_bytes = shard > 0 ? (uint64_t)shard : 0;
    if (shard > 0 && shard < FEW_BYTES)
        pex__build_notice(build, "export_shard_size: %lld bytes make many small files",
                          (long long)shard);
    if (pex__export_form_set(form, path) != 0)
        pex__build_join(build, PEX_ENOMEM);
}

static void check_type(struct pex__build *build)
{
    const json_t *type = pex__spec_given(build->spec, "export_type");
    const char *text = pex__value_is_text(type) ? json_string_value(type) : NULL;
    char found[80];

    if (!json_is_string(type) ||
        (text != NULL && (strcmp(text, "jsonl") == 0 || strcmp(text, "json") == 0)))
        return;
    pex__build_fail(build, PEX_ESPEC, "export_type: found %s: " NO_FORMAT,
                    pex__value_show(type, found, sizeof found));
}

void pex__build_export(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    const char *path, *fault;
    int is_folder;

    if (build->purpose == PEX__PLAN_PULL)
        return;
    check_type(build);
    path = pex__build_path(build, "export_path");
    if (path == NULL) {
        if (build->purpose == PEX__PLAN_RUN && pex__spec_given(build->spec, "export_path") == NULL)
            pex__build_fail(build, PEX_ESPEC,
                            "export_path: found nothing, expected the path of the output file");
        return;
    }
    plan->export_path = pex__strdup(path);
    if (plan->export_path == NULL) {
        pex__build_join(build, PEX_ENOMEM);
        return;
    }
    is_folder = path[strlen(path) - 1] == '/';
    fault = export_fault(path, is_folder ? PEX__PACK_NONE : pex__pack_of(path));
    if (fault != NULL) {
        pex__build_fail(build, PEX_ESPEC, "export_path: found \"%s\": %s", path, fault);
        return;
    }
    set_form(build, path, is_folder);
    if (build->code == PEX_ENOMEM)
        return;
    if (is_folder)
        check_folder(build, path);
    else
        check_file(build, path);
    if (plan->export.kind != PEX__EXPORT_FILE)
        check_set(build);
    check_stats(build);
}
