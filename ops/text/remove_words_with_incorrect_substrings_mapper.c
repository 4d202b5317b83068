/* SPDX-License-Identifier: Apache-2.0 */
#include "kept_words.h"
#include "operators.h"

#include <stdlib.h>
#include <string.h>

struct substring_mapper {
    struct pex__mapper mapper;
    struct pex_string_view *part; /* in `text` */
    size_t count;
    char *text;
    bool has_empty;      /* which is a part of every word */
    uint8_t starts[256]; /* 1: a part starts with this byte */
};

static bool keeps(const struct pex__mapper *mapper, struct pex_string_view word)
{
    const struct substring_mapper *parts = (const struct substring_mapper *)(const void *)mapper;
    if (parts->has_empty)
        return false;
    word = pex__word_strip(word);
    for (size_t i = 0; i < word.length; i++) {
        if (!parts->starts[(unsigned char)word.data[i]])
            continue;
        for (size_t k = 0; k < parts->count; k++)
            if (parts->part[k].length <= word.length - i &&
                !memcmp(parts->part[k].data, word.data + i, parts->part[k].length))
                return false;
    }
    return true;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    return pex__kept_words_map(mapper, at, keeps);
}

static void destroy(void *instance)
{
    struct substring_mapper *parts = instance;
    free(parts->part);
    free(parts->text);
    pex__mapper_destroy(parts);
}

/* Copies the strings of parameter substrings. */
static int32_t read_parts(struct substring_mapper *parts, const pex_params *params)
{
    int64_t count = pex_params_count(params, "substrings");
    struct pex_string_view item;
    size_t bytes = 0, used = 0;
    int32_t rc = count < 0 ? (int32_t)count : 0;
    for (int64_t i = 0; !rc && i < count; i++) {
        rc = pex_params_string_at(params, "substrings", (size_t)i, &item);
        bytes += rc ? 0 : item.length;
    }
    if (rc)
        return rc;
    parts->text = malloc(bytes + 1);
    parts->part = calloc((size_t)count + 1, sizeof(*parts->part));
    if (!parts->text || !parts->part)
        return PEX_ENOMEM;
    for (int64_t i = 0; i < count && !pex_params_string_at(params, "substrings", (size_t)i, &item);
         i++) {
        memcpy(parts->text + used, item.data, item.length);
        parts->part[parts->count++] = (struct pex_string_view){parts->text + used, item.length};
        used += item.length;
        if (item.length)
            parts->starts[(unsigned char)item.data[0]] = 1;
        else
            parts->has_empty = true;
    }
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct substring_mapper *parts = calloc(1, sizeof(*parts));
    if (!parts)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__mapper_init(&parts->mapper, params, err);
    if (!rc && (rc = read_parts(parts, params)))
        pex_error_set(err, rc, "parameter 'substrings' cannot be kept");
    if (rc) {
        destroy(parts);
        return rc;
    }
    *instance = parts;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    PEX__LANG_PARAM,
    PEX__TOKENIZATION_PARAM,
    {.name = "substrings",
     .default_json = "[\"http\", \"www\", \".com\", \"href\", \"//\"]",
     .help = "A word goes that has one of them inside of the special characters at its ends.",
     .type = PEX_PARAM_STRINGS},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_words_with_incorrect_substrings_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_words_with_incorrect_substrings_mapper",
    .version = "1",
    .help = "Removes words that have certain parts.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = process,
    .destroy = destroy,
    .check = pex__tokenization_check,
};
