/* SPDX-License-Identifier: Apache-2.0 */
#include "api/context.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/buffers.h"
#include "data/feed.h"

static void free_dataset(pex_dataset *dataset)
{
    for (size_t i = 0; dataset->paths != NULL && i < dataset->count; i++)
        pex__free(dataset->paths[i]);
    pex__free(dataset->paths);
    if (dataset->buffers != NULL)
        pex__buffers_unref(dataset->buffers);
    if (dataset->feed != NULL)
        pex__feed_unref(dataset->feed);
    if (dataset->core != NULL)
        pex__core_unref(dataset->core);
    pex__free(dataset);
}

static int32_t copy_paths(pex_dataset *dataset, const char *const *paths, size_t count,
                          struct pex_error *err)
{
    dataset->count = count;
    dataset->paths = pex__calloc(count, sizeof *dataset->paths);
    if (dataset->paths == NULL)
        return pex__error_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (paths[i] == NULL || paths[i][0] == '\0')
            return pex_error_set(err, PEX_EINVAL, "paths[%zu]: %s", i,
                                 paths[i] == NULL ? "NULL" : "empty");
        dataset->paths[i] = pex__strdup(paths[i]);
        if (dataset->paths[i] == NULL)
            return pex__error_memory(err);
    }
    return 0;
}

int32_t pex_dataset_from_files(pex_context *ctx, const char *const *paths, size_t count,
                               const struct pex_dataset_options *options, pex_dataset **result,
                               struct pex_error *err)
{
    struct pex_dataset_options known;
    pex_dataset *dataset;
    int32_t failed;

    if (ctx == NULL || paths == NULL || count == 0 || result == NULL)
        return pex_error_set(err, PEX_EINVAL,
                             "ctx, paths and dataset must not be NULL, and count 0");
    failed = pex__core_check(ctx->core, err);
    if (failed != 0)
        return failed;
    failed = pex__options_copy(&known, sizeof known, options, err);
    if (failed != 0)
        return failed;
    if (known.format < PEX_FORMAT_AUTO || known.format > PEX_FORMAT_TEXT)
        return pex_error_set(err, PEX_EINVAL, "format: %d is none of PEX_FORMAT_*",
                             (int)known.format);
    dataset = pex__calloc(1, sizeof *dataset);
    if (dataset == NULL)
        return pex__error_memory(err);
    dataset->format = known.format;
    failed = copy_paths(dataset, paths, count, err);
    if (failed != 0) {
        free_dataset(dataset);
        return failed;
    }
    dataset->core = pex__core_ref(ctx->core);
    *result = dataset;
    return 0;
}

int32_t pex_dataset_from_memory(pex_context *ctx, const struct pex_string_view *buffers,
                                size_t count, const struct pex_memory_options *options,
                                pex_dataset **result, struct pex_error *err)
{
    struct pex_memory_options known;
    pex_dataset *dataset;
    int32_t failed;

    if (ctx == NULL || (buffers == NULL && count > 0) || result == NULL)
        return pex_error_set(err, PEX_EINVAL, "%s: NULL",
                             ctx == NULL      ? "ctx"
                             : result == NULL ? "dataset"
                                              : "buffers");
    failed = pex__core_check(ctx->core, err);
    if (failed == 0)
        failed = pex__options_copy(&known, sizeof known, options, err);
    if (failed != 0)
        return failed;
    dataset = pex__calloc(1, sizeof *dataset);
    if (dataset == NULL)
        return pex__error_memory(err);
    failed = pex__buffers_create(buffers, count, known.identity, known.release, known.user,
                                 &dataset->buffers, err);
    if (failed != 0) {
        free_dataset(dataset);
        return failed;
    }
    dataset->core = pex__core_ref(ctx->core);
    *result = dataset;
    return 0;
}

int32_t pex_dataset_from_source(pex_context *ctx, const struct pex_source *source, void *user,
                                void (*release)(void *user), pex_dataset **result,
                                struct pex_error *err)
{
    pex_dataset *dataset;
    int32_t failed;

    if (ctx == NULL || source == NULL || result == NULL)
        return pex_error_set(err, PEX_EINVAL, "%s: NULL",
                             ctx == NULL      ? "ctx"
                             : result == NULL ? "dataset"
                                              : "source");
    failed = pex__core_check(ctx->core, err);
    if (failed != 0)
        return failed;
    dataset = pex__calloc(1, sizeof *dataset);
    if (dataset == NULL)
        return pex__error_memory(err);
    failed = pex__feed_create(source, user, release, &dataset->feed, err);
    if (failed != 0) {
        free_dataset(dataset);
        return failed;
    }
    dataset->core = pex__core_ref(ctx->core);
    *result = dataset;
    return 0;
}

int32_t pex__dataset_list(const pex_dataset *dataset, struct pex__input **input,
                          struct pex_error *err)
{
    if (dataset->buffers != NULL)
        return pex__input_list_buffers(dataset->buffers, input, err);
    if (dataset->feed != NULL)
        return pex__input_list_feed(dataset->feed, input, err);
    return pex__input_list((const char *const *)dataset->paths, dataset->count, dataset->format,
                           NULL, input, err);
}

void pex_dataset_release(pex_dataset *dataset)
{
    if (dataset != NULL)
        free_dataset(dataset);
}
