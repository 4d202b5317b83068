/* SPDX-License-Identifier: Apache-2.0 */
#include "chinese.h"
#include "mapper.h"
#include "operators.h"

#include <stdlib.h>
#include <string.h>

struct converter {
    struct pex__mapper mapper;
    struct pex__chinese *chinese;
};

static void destroy(void *instance)
{
    struct converter *converter = instance;
    pex__chinese_close(converter->chinese);
    pex__mapper_destroy(converter);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct pex_string_view mode;
    int32_t rc = pex_params_string(params, "mode", &mode);
    if (rc)
        return pex_error_set(err, rc, "parameter 'mode' cannot be read");
    struct converter *converter = calloc(1, sizeof(*converter));
    if (!converter)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    rc = pex__mapper_init(&converter->mapper, params, err);
    if (!rc)
        rc = pex__chinese_open(mode, &converter->chinese, err);
    if (rc)
        destroy(converter);
    else
        *instance = converter;
    return rc;
}

/* What is converted has a character from U+3000 on, which begins with such a byte: none before it
 * has another form. */
enum { FIRST_LEAD = 0xE3 };

static bool has_candidates(const struct pex__mapper *mapper, struct pex_string_view text)
{
    size_t at = 0;
    while ((at = mapper->kernel->find_high(text.data, text.length, at)) < text.length)
        if ((unsigned char)text.data[at++] >= FIRST_LEAD)
            return true;
    return false;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct converter *converter = (const struct converter *)(const void *)mapper;
    if (!has_candidates(mapper, at->text))
        return 0;
    int32_t rc = pex__chinese_convert(converter->chinese, at->text, at->out);
    if (rc == PEX_EDATA)
        return pex__map_fail(at, rc, "OpenCC does not convert this text; repair or drop the row");
    if (rc)
        return rc;
    if (at->out->length == at->text.length &&
        memcmp(at->out->data, at->text.data, at->text.length) == 0)
        return 0;
    return pex__map_set(at, at->out->data, at->out->length);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    (void)params;
    return pex__chinese_check(err);
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "mode",
     .default_json = "\"s2t\"",
     .choices = "s2t|t2s|s2tw|tw2s|s2hk|hk2s|s2twp|tw2sp|t2tw|tw2t|hk2t|t2hk|t2jp|jp2t",
     .help =
         "From where to where: s simplified, t traditional, tw Taiwan (twp with its phrases), hk "
         "Hong Kong, jp Japanese.",
     .type = PEX_PARAM_STRING},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__chinese_convert_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "chinese_convert_mapper",
    .version = "1",
    .help = "Converts Chinese between its scripts, by the dictionaries of the OpenCC that is "
            "installed.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .check = check,
    .create = create,
    .process = process,
    .destroy = destroy,
};
