/* SPDX-License-Identifier: Apache-2.0 */
#include "normal.h"
#include "operators.h"
#include "text.h"

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
    pex__normal_init(&normal, dedup->lowercase, dedup->ignore_non_character);
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

/* A set of 16-byte keys, open addressing; the key of zeros marks an empty place. */
struct key_set {
    uint64_t (*place)[2];
    size_t mask;
    bool has_zeros;
};

static int32_t key_set_init(struct key_set *set, uint64_t key_count)
{
    uint64_t places = 16;
    while (places - places / 4 < key_count)
        places *= 2;
    set->place = places <= SIZE_MAX / sizeof(*set->place)
                     ? calloc((size_t)places, sizeof(*set->place))
                     : NULL;
    set->mask = (size_t)places - 1;
    set->has_zeros = false;
    return set->place ? 0 : PEX_ENOMEM;
}

/* Whether the key was not in the set before. */
static bool key_set_add(struct key_set *set, const uint64_t key[2])
{
    if (!key[0] && !key[1]) {
        bool is_new = !set->has_zeros;
        set->has_zeros = true;
        return is_new;
    }
    size_t at = (size_t)key[1] & set->mask;
    while (set->place[at][0] || set->place[at][1]) {
        if (set->place[at][0] == key[0] && set->place[at][1] == key[1])
            return false;
        at = (at + 1) & set->mask;
    }
    set->place[at][0] = key[0];
    set->place[at][1] = key[1];
    return true;
}

static int32_t decide_key(struct key_set *set, pex_keys *keys, const struct pex_key *key,
                          struct pex_error *err)
{
    uint64_t value[2];
    if (key->size != sizeof(value))
        return pex_error_set(err, PEX_EDATA, "row %llu: a key of %zu bytes where 16 were emitted",
                             (unsigned long long)key->row, key->size);
    memcpy(value, key->data, sizeof(value));
    return key_set_add(set, value) ? 0 : pex_keys_decide(keys, key->row, 0);
}

static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    struct key_set set;
    struct pex_key key;
    uint64_t key_count = pex_keys_count(keys);
    if (key_set_init(&set, key_count))
        return pex_error_set(err, PEX_ENOMEM, "out of memory for a table of %llu keys of 16 bytes",
                             (unsigned long long)key_count);
    int32_t rc;
    for (uint64_t seen = 0; (rc = pex_keys_next(keys, &key)) == 0; seen++) {
        if (seen % 65536 == 0 && pex_keys_cancelled(keys))
            rc = PEX_ECANCELLED;
        else
            rc = decide_key(&set, keys, &key, err);
        if (rc)
            break;
    }
    free(set.place);
    return rc == PEX_ENOENT ? 0 : rc;
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "lowercase",
     .default_json = "false",
     .help = "Compare texts in lower case.",
     .type = PEX_PARAM_BOOL},
    {.name = "ignore_non_character",
     .default_json = "false",
     .help = "Compare texts without white space, digits and ASCII punctuation.",
     .type = PEX_PARAM_BOOL},
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
