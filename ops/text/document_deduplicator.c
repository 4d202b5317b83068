/* SPDX-License-Identifier: Apache-2.0 */
#include "first_rows.h"
#include "normal.h"
#include "operators.h"
#include "text.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIELD_HASH 1

struct deduplicator {
    char *text_key;
    bool lowercase;
    bool ignore_non_character;
};

static void destroy(void *instance)
{
    struct deduplicator *dedup = instance;
    free(dedup->text_key);
    free(dedup);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    int32_t lowercase, ignore, rc;
    if ((rc = pex_params_bool(params, "lowercase", &lowercase)) ||
        (rc = pex_params_bool(params, "ignore_non_character", &ignore)))
        return pex_error_set(err, rc, "the parameters cannot be read");
    struct deduplicator *dedup = calloc(1, sizeof(*dedup));
    if (!dedup || !(dedup->text_key = pex__text_key(params))) {
        free(dedup);
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    }
    dedup->lowercase = lowercase;
    dedup->ignore_non_character = ignore;
    *instance = dedup;
    return 0;
}

/* Seed 1 keeps the hash that a row brings along apart from texts that look like it. */
static int32_t emit(pex_batch *batch, size_t row, struct pex_string_view data, XXH64_hash_t seed)
{
    XXH128_canonical_t key;
    XXH128_canonicalFromHash(&key, XXH3_128bits_withSeed(data.data, data.length, seed));
    return pex_keys_emit(batch, row, &key, sizeof(key));
}

static int32_t observe_row(struct pex__normal *normal, pex_batch *batch, size_t row,
                           struct pex_string_view text)
{
    struct pex_string_view form;
    if (pex__has_surrogate(text))
        return pex_batch_fail_row(batch, row, PEX_EDATA,
                                  "the text has half of a surrogate pair, which has no UTF-8 form "
                                  "to compare; repair the text first");
    int32_t rc = pex__normal_form(normal, text, &form);
    return rc ? rc : emit(batch, row, form, 0);
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct deduplicator *dedup = instance;
    const struct pex_string_view *texts, *hashes;
    const uint8_t *states, *hash_states;
    struct pex__normal normal;
    pex__normal_init(&normal, dedup->lowercase,
                     dedup->ignore_non_character ? PEX__SPACE | PEX__DIGIT : 0);
    int32_t rc = pex_batch_strings(batch, FIELD_HASH, &hashes, &hash_states);
    if (!rc)
        rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++) {
        if (hash_states[row] == PEX_STATE_VALUE)
            rc = emit(batch, row, hashes[row], 1);
        else if (states[row] == PEX_STATE_VALUE)
            rc = observe_row(&normal, batch, row, texts[row]);
        else
            rc = pex__text_fail(batch, row, states[row], dedup->text_key);
    }
    free(normal.buffer);
    return rc;
}

static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    return pex__first_rows_resolve(keys, err);
}

#define DOCUMENT_PARAMS                                                                            \
    PEX__TEXT_KEY_PARAM,                                                                           \
        {.name = "lowercase",                                                                      \
         .default_json = "false",                                                                  \
         .help = "Compare texts in lower case.",                                                   \
         .type = PEX_PARAM_BOOL},                                                                  \
    {                                                                                              \
        .name = "ignore_non_character", .default_json = "false",                                   \
        .help = "Compare texts without white space, digits and ASCII punctuation.",                \
        .type = PEX_PARAM_BOOL                                                                     \
    }

static const struct pex_param_def params[] = {DOCUMENT_PARAMS};

static const struct pex_param_def cluster_params[] = {
    DOCUMENT_PARAMS,
    {.name = "backend",
     .default_json = "\"ray_actor\"",
     .help = "Has no effect: there is no cluster.",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_IGNORED},
    {.name = "redis_address",
     .default_json = "\"redis://localhost:6379\"",
     .help = "Has no effect: there is no cluster.",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_IGNORED},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [FIELD_HASH] = {.name = "__dj__hash", .access = PEX_FIELD_READ},
};

const struct pex_operator pex__document_deduplicator = {
    .struct_size = sizeof(struct pex_operator),
    .name = "document_deduplicator",
    .version = "1",
    .help = "Keeps the first of all rows with the same text.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = resolve,
};

const struct pex_operator pex__ray_document_deduplicator = {
    .struct_size = sizeof(struct pex_operator),
    .name = "ray_document_deduplicator",
    .version = "1",
    .help = "Another name of document_deduplicator.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = cluster_params,
    .param_count = sizeof(cluster_params) / sizeof(cluster_params[0]),
    .param_stride = sizeof(cluster_params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = resolve,
};
