/* SPDX-License-Identifier: Apache-2.0 */
#include "data/buffers.h"

#include <inttypes.h>
#include <stdio.h>

#include <partexec/dataset.h>

#include "base/error.h"
#include "base/memory.h"

static int32_t check(const struct pex_string_view *views, size_t count, struct pex_error *err)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        if (views[i].data == NULL && views[i].length > 0)
            return pex_error_set(err, PEX_EINVAL, "buffers[%zu]: NULL with a length of %zu bytes",
                                 i, views[i].length);
        if (views[i].length > INT64_MAX - bytes)
            return pex_error_set(err, PEX_EINVAL,
                                 "buffers[%zu]: its length of %zu bytes cannot be right", i,
                                 views[i].length);
        bytes += views[i].length;
    }
    return 0;
}

int32_t pex__buffers_create(const struct pex_string_view *views, size_t count, const char *identity,
                            void (*release)(void *user), void *user, struct pex__buffers **result,
                            struct pex_error *err)
{
    struct pex__buffers *buffers;
    int32_t failed = check(views, count, err);

    if (failed != 0)
        return failed;
    buffers = pex__calloc(1, sizeof *buffers);
    if (buffers == NULL)
        return pex__error_memory(err);
    atomic_init(&buffers->refs, 1);
    buffers->views = pex__calloc(count, sizeof *buffers->views);
    buffers->identity = pex__strdup(identity != NULL ? identity : "memory");
    if (buffers->views == NULL || buffers->identity == NULL) {
        pex__buffers_unref(buffers);
        return pex__error_memory(err);
    }
    for (size_t i = 0; i < count; i++)
        buffers->views[i] = views[i];
    buffers->count = count;
    buffers->release = release;
    buffers->user = user;
    *result = buffers;
    return 0;
}

struct pex__buffers *pex__buffers_ref(struct pex__buffers *buffers)
{
    atomic_fetch_add_explicit(&buffers->refs, 1, memory_order_relaxed);
    return buffers;
}

void pex__buffers_unref(struct pex__buffers *buffers)
{
    /* Release and acquire: whoever read the buffers did so before the host gets them back. */
    if (atomic_fetch_sub_explicit(&buffers->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (buffers->release != NULL)
        buffers->release(buffers->user);
    pex__free(buffers->views);
    pex__free(buffers->identity);
    pex__free(buffers);
}

static char *make_name(const char *identity, size_t index)
{
    int length = snprintf(NULL, 0, "%s[%zu]", identity, index);
    char *name = pex__malloc((size_t)length + 1);

    if (name != NULL)
        snprintf(name, (size_t)length + 1, "%s[%zu]", identity, index);
    return name;
}

int32_t pex__input_list_buffers(struct pex__buffers *buffers, struct pex__input **result,
                                struct pex_error *err)
{
    struct pex__input *input;

    if (buffers->count > UINT32_MAX)
        return pex_error_set(err, PEX_ELIMIT, "%zu buffers are more than row ids can tell apart",
                             buffers->count);
    input = pex__calloc(1, sizeof *input);
    if (input == NULL)
        return pex__error_memory(err);
    input->sources = pex__calloc(buffers->count, sizeof *input->sources);
    if (input->sources == NULL)
        goto fail;
    for (size_t i = 0; i < buffers->count; i++) {
        const struct pex_string_view *view = &buffers->views[i];
        struct pex__source *source = &input->sources[i];

        source->path = make_name(buffers->identity, i);
        if (source->path == NULL)
            goto fail;
        source->memory = view->data != NULL ? view->data : "";
        source->begin = input->bytes;
        source->size = view->length;
        source->format = PEX_FORMAT_JSONL;
        input->source_count++;
        input->bytes += view->length;
    }
    input->buffers = pex__buffers_ref(buffers);
    *result = input;
    return 0;

fail:
    pex__input_free(input);
    return pex__error_memory(err);
}
