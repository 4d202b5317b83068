/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"

#include <stdlib.h>

int32_t pex__mapper_init(struct pex__mapper *mapper, const pex_params *params,
                         struct pex_error *err)
{
    mapper->text_key = pex__text_key(params);
    if (!mapper->text_key)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter text_key");
    mapper->kernel = pex__kernel_best();
    return 0;
}

void pex__mapper_release(struct pex__mapper *mapper)
{
    free(mapper->text_key);
}

int32_t pex__mapper_create(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    struct pex__mapper *mapper = calloc(1, sizeof(*mapper));
    if (!mapper)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__mapper_init(mapper, params, err);
    if (rc)
        free(mapper);
    else
        *instance = mapper;
    return rc;
}

void pex__mapper_destroy(void *instance)
{
    pex__mapper_release(instance);
    free(instance);
}

int32_t pex__map_rows(const struct pex__mapper *mapper, pex_batch *batch, pex__map_fn *map)
{
    return pex__map_rows_with(mapper, batch, map, NULL);
}

int32_t pex__map_rows_with(const struct pex__mapper *mapper, pex_batch *batch, pex__map_fn *map,
                           void *state)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    struct pex__bytes out = {0};
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++) {
        struct pex__mapping at = {batch, row, texts[row], &out, state};
        out.length = 0;
        rc = states[row] == PEX_STATE_VALUE
                 ? map(mapper, &at)
                 : pex__text_fail(batch, row, states[row], mapper->text_key);
    }
    pex__bytes_free(&out);
    return rc;
}

int32_t pex__map_set(const struct pex__mapping *at, const char *data, size_t length)
{
    struct pex_string_view value = {data, length};
    return pex_batch_set_string(at->batch, PEX__FIELD_TEXT, at->row, value);
}

char *pex__map_room(const struct pex__mapping *at, size_t size)
{
    return pex_batch_alloc(at->batch, PEX__FIELD_TEXT, size);
}

int32_t pex__map_fail(const struct pex__mapping *at, int32_t code, const char *message)
{
    return pex_batch_fail_row(at->batch, at->row, code, message);
}
