/* SPDX-License-Identifier: Apache-2.0 */
/* The input that a spec names. */
#include "plan/build.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/value.h"

#include <string.h>
#include <unistd.h>

/* What is wrong with the member `name` of an entry of dataset.configs, or NULL. */
static const char *member_fault(const char *name, const json_t *value)
{
    if (strcmp(name, "type") == 0)
        return NULL;
    if (strcmp(name, "path") == 0)
        return pex__value_is_text(value) ? NULL : "expected a path";
    if (strcmp(name, "weight") == 0)
        return json_is_number(value) && json_number_value(value) == 1
                   ? NULL
                   : "rows are not drawn by weight, all are read; leave it out";
    return json_is_null(value) ? NULL : "no such setting of a local file here; leave it out";
}

static void check_entry(struct pex__build *build, size_t index, const json_t *entry)
{
    const json_t *type = json_object_get(entry, "type");
    const char *name, *fault;
    char found[80];
    json_t *value;

    if (type != NULL &&
        (!pex__value_is_text(type) || strcmp(json_string_value(type), "local") != 0)) {
        /* Its other members mean something to another loader. */
        pex__build_fail(build, PEX_ESPEC,
                        "dataset.configs.%zu.type: found %s, expected local: only local files are "
                        "read; fetch the data first, and name its files",
                        index, pex__value_show(type, found, sizeof found));
        return;
    }
    if (!json_is_object(entry) || json_object_get(entry, "path") == NULL) {
        pex__build_fail(build, PEX_ESPEC,
                        "dataset.configs.%zu: found %s, expected {type: local, path: ...}", index,
                        pex__value_show(entry, found, sizeof found));
        return;
    }
    json_object_foreach((json_t *)entry, name, value)
    {
        fault = member_fault(name, value);
        if (fault != NULL)
            pex__build_fail(build, PEX_ESPEC, "dataset.configs.%zu.%s: found %s: %s", index, name,
                            pex__value_show(value, found, sizeof found), fault);
    }
}

static void check_limit(struct pex__build *build, const json_t *value)
{
    char found[80];

    if (json_is_integer(value) && json_integer_value(value) >= 1)
        pex__build_notice(build,
                          "dataset.max_sample_num: the first %lld rows; Data-Juicer draws them, as "
                          "random_selector with select_num does",
                          (long long)json_integer_value(value));
    else if (!json_is_null(value))
        pex__build_fail(
            build, PEX_ESPEC,
            "dataset.max_sample_num: found %s, expected a number of rows from 1 on: the "
            "first ones are taken",
            pex__value_show(value, found, sizeof found));
}

/* The data sets of a block: its configs, or the block itself where it is a list, an older form. */
static const json_t *configs_of(const json_t *block)
{
    return json_is_array(block) ? block : json_object_get(block, "configs");
}

static void check_block(struct pex__build *build, const json_t *block)
{
    const json_t *configs = configs_of(block);
    char found[80];
    const char *name;
    json_t *value;

    if (!json_is_array(configs)) {
        pex__build_fail(build, PEX_ESPEC,
                        "dataset: found %s, expected {configs: [{type: local, path: ...}]}, or "
                        "dataset_path instead",
                        pex__value_show(block, found, sizeof found));
        return;
    }
    json_object_foreach((json_t *)block, name, value)
    {
        if (strcmp(name, "max_sample_num") == 0)
            check_limit(build, value);
        else if (strcmp(name, "configs") != 0 && !json_is_null(value))
            pex__build_fail(build, PEX_ESPEC,
                            "dataset.%s: found %s, which is not a setting of this version; leave "
                            "it out",
                            name, pex__value_show(value, found, sizeof found));
    }
    for (size_t i = 0; i < json_array_size(configs); i++)
        check_entry(build, i, json_array_get(configs, i));
}

/* The dataset block, or NULL when it is not there or empty. */
static const json_t *block_of(const pex_spec *spec)
{
    const json_t *block = pex__spec_given(spec, "dataset");

    return json_array_size(block) + json_object_size(block) == 0 &&
                   (json_is_array(block) || json_is_object(block))
               ? NULL
               : block;
}

/* dataset_path, or NULL when it is not there or "", the reference's default. */
static const json_t *path_of(const pex_spec *spec)
{
    const json_t *path = pex__spec_given(spec, "dataset_path");

    return json_is_string(path) && json_string_length(path) == 0 ? NULL : path;
}

void pex__build_dataset(struct pex__build *build)
{
    const json_t *block = block_of(build->spec), *path = path_of(build->spec);
    char found[80];

    for (size_t i = 0; i < json_array_size(path); i++) {
        if (!pex__value_is_text(json_array_get(path, i)))
            pex__build_fail(build, PEX_ESPEC, "dataset_path.%zu: found %s, expected a path", i,
                            pex__value_show(json_array_get(path, i), found, sizeof found));
    }
    if (json_is_string(path) && !pex__value_is_text(path))
        pex__build_fail(build, PEX_ESPEC, "dataset_path: found %s, expected a path",
                        pex__value_show(path, found, sizeof found));
    if (block != NULL && path != NULL)
        pex__build_notice(build, "dataset: not used, dataset_path counts");
    else if (block != NULL)
        check_block(build, block);
}

/* 0: no limit. */
static uint64_t row_limit_of(const pex_spec *spec)
{
    const json_t *limit =
        path_of(spec) == NULL ? json_object_get(block_of(spec), "max_sample_num") : NULL;

    return json_is_integer(limit) ? (uint64_t)json_integer_value(limit) : 0;
}

/* The suffixes that files of folders must have; names point into the spec. PEX_ENOMEM. */
static int32_t collect_suffixes(const pex_spec *spec, struct pex__suffixes *suffixes)
{
    const json_t *list = pex__spec_given(spec, "suffixes");

    suffixes->count = 0;
    suffixes->names = pex__malloc((json_array_size(list) + 1) * sizeof *suffixes->names);
    if (suffixes->names == NULL)
        return PEX_ENOMEM;
    if (json_is_string(list))
        suffixes->names[suffixes->count++] = json_string_value(list);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            suffixes->names[suffixes->count++] = json_string_value(json_array_get(list, i));
    return 0;
}

/* Collects the paths of key or block. Returns their number, or -1 if one is no text. */
static long collect(const json_t *path, const json_t *configs, const char **paths)
{
    const json_t *list = path != NULL ? path : configs, *one;
    long count = 0;

    if (json_is_string(list)) {
        paths[count++] = json_string_value(list);
        return pex__value_is_text(list) ? count : -1;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        one = json_array_get(list, i);
        one = path != NULL ? one : json_object_get(one, "path");
        if (!pex__value_is_text(one))
            return -1;
        paths[count++] = json_string_value(one);
    }
    return count;
}

static int32_t format_of(const pex_spec *spec)
{
    const char *format = pex__spec_text(spec, "input_format");

    if (format == NULL || strcmp(format, "jsonl") != 0)
        return format != NULL && strcmp(format, "text") == 0 ? PEX_FORMAT_TEXT : PEX_FORMAT_AUTO;
    return PEX_FORMAT_JSONL;
}

/* More about a path that was not found, when it has a form that Data-Juicer takes. */
static void explain_path(const char *path, int32_t code, struct pex_error *err)
{
    if (strstr(path, "://") != NULL)
        pex_error_set(err, code,
                      "dataset_path: found \"%s\", expected a local path: there is no remote "
                      "storage; fetch the data first",
                      path);
    else if (code == PEX_ENOENT && strchr(path, ' ') != NULL && access(path, F_OK) != 0)
        pex_error_set(err, code,
                      "dataset_path: found \"%s\", which is no file; several paths are a list, as "
                      "[a, b], without weights: all rows are read",
                      path);
}

int32_t pex__spec_input(const pex_spec *spec, struct pex__input **input, struct pex_error *err)
{
    const json_t *path = path_of(spec), *block = block_of(spec);
    const json_t *configs = configs_of(block);
    struct pex__suffixes suffixes;
    const char **paths;
    int32_t code;
    long count;

    if (path == NULL && block == NULL)
        return pex_error_set(
            err, PEX_ENOENT,
            "dataset_path: found nothing, expected a file, a folder, a glob pattern, "
            "or a list of them");
    paths = pex__malloc((json_array_size(path) + json_array_size(configs) + 1) * sizeof *paths);
    if (paths == NULL || collect_suffixes(spec, &suffixes) != 0) {
        pex__free(paths);
        return pex__error_memory(err);
    }
    count = collect(path, configs, paths);
    if (count <= 0)
        code =
            pex_error_set(err, PEX_ESPEC, "%s: found no path, expected a file, folder or pattern",
                          path != NULL ? "dataset_path" : "dataset");
    else
        code = pex__input_list(paths, (size_t)count, format_of(spec), &suffixes, input, err);
    if (code == 0)
        (*input)->row_limit = row_limit_of(spec);
    for (long i = 0; i < count && code != 0 && code != PEX_ESPEC && code != PEX_ENOMEM; i++)
        explain_path(paths[i], code, err);
    pex__free(suffixes.names);
    pex__free(paths);
    return code;
}
