/* SPDX-License-Identifier: Apache-2.0 */
#include "kept_words.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>

struct long_mapper {
    struct pex__mapper mapper;
    int64_t min_len;
    int64_t max_len;
};

static bool has_length(const struct long_mapper *words, struct pex_string_view word)
{
    int64_t points = 0;
    for (size_t i = 0; i < word.length; i++)
        points += !pex__is_continuation(word.data[i]);
    return points >= words->min_len && points <= words->max_len;
}

static bool keeps(const struct pex__mapper *mapper, struct pex_string_view word)
{
    const struct long_mapper *words = (const struct long_mapper *)(const void *)mapper;
    return has_length(words, word) || has_length(words, pex__word_strip(word));
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    return pex__kept_words_map(mapper, at, keeps);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct long_mapper *words = calloc(1, sizeof(*words));
    if (!words)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc;
    if (!(rc = pex_params_int64(params, "min_len", &words->min_len)) &&
        !(rc = pex_params_int64(params, "max_len", &words->max_len)))
        rc = pex__mapper_init(&words->mapper, params, err);
    if (rc) {
        free(words);
        return rc;
    }
    *instance = words;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "min_len",
     .default_json = "1",
     .help = "Fewest code points of a word that stays.",
     .type = PEX_PARAM_INT64},
    {.name = "max_len",
     .default_json = "9223372036854775807",
     .help = "Most code points of a word that stays.",
     .type = PEX_PARAM_INT64},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_long_words_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_long_words_mapper",
    .version = "1",
    .help = "Removes words whose length is out of a range.",
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
    .destroy = pex__mapper_destroy,
};
