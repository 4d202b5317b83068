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
    size_t count;
    bool has_zeros;
};

static int32_t key_set_init(struct key_set *set, size_t places)
{
    memset(set, 0, sizeof(*set));
    set->place = calloc(places, sizeof(*set->place));
    set->mask = places - 1;
    return set->place ? 0 : PEX_ENOMEM;
}

static void key_set_clear(struct key_set *set)
{
    memset(set->place, 0, (set->mask + 1) * sizeof(*set->place));
    set->count = 0;
    set->has_zeros = false;
}

/* The place of the key, or the empty one where it belongs. */
static size_t key_set_find(const struct key_set *set, const uint64_t key[2])
{
    size_t at = (size_t)key[1] & set->mask;
    while ((set->place[at][0] || set->place[at][1]) &&
           (set->place[at][0] != key[0] || set->place[at][1] != key[1]))
        at = (at + 1) & set->mask;
    return at;
}

static int32_t key_set_grow(struct key_set *set)
{
    struct key_set larger;
    if (key_set_init(&larger, 2 * (set->mask + 1)))
        return PEX_ENOMEM;
    for (size_t i = 0; i <= set->mask; i++)
        if (set->place[i][0] || set->place[i][1])
            memcpy(larger.place[key_set_find(&larger, set->place[i])], set->place[i],
                   sizeof(*set->place));
    larger.count = set->count;
    larger.has_zeros = set->has_zeros;
    free(set->place);
    *set = larger;
    return 0;
}

/* 1: the key was not in the set before; 0: it was; or a code. */
static int32_t key_set_add(struct key_set *set, const uint64_t key[2])
{
    if (!key[0] && !key[1]) {
        bool is_new = !set->has_zeros;
        set->has_zeros = true;
        return is_new;
    }
    size_t at = key_set_find(set, key);
    if (set->place[at][0] || set->place[at][1])
        return 0;
    if (set->count >= (set->mask + 1) / 4 * 3) {
        if (key_set_grow(set))
            return PEX_ENOMEM;
        at = key_set_find(set, key);
    }
    memcpy(set->place[at], key, sizeof(*set->place));
    set->count++;
    return 1;
}

/* What one walk over the keys decides: those whose first word falls to this pass. */
struct pass {
    struct key_set set;
    uint64_t number;
    uint64_t count;
};

static int32_t decide_key(struct pass *pass, pex_keys *keys, const struct pex_key *key,
                          struct pex_error *err)
{
    uint64_t value[2];
    if (key->size != sizeof(value))
        return pex_error_set(err, PEX_EDATA, "row %llu: a key of %zu bytes where 16 were emitted",
                             (unsigned long long)key->row, key->size);
    memcpy(value, key->data, sizeof(value));
    if (value[0] % pass->count != pass->number)
        return 0;
    int32_t is_new = key_set_add(&pass->set, value);
    if (is_new < 0)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for a table of %zu keys of 16 bytes",
                             pass->set.count);
    return is_new ? 0 : pex_keys_decide(keys, key->row, 0);
}

static int32_t walk(struct pass *pass, pex_keys *keys, struct pex_error *err)
{
    struct pex_key key;
    int32_t rc;
    for (uint64_t seen = 0; (rc = pex_keys_next(keys, &key)) == 0; seen++) {
        if (seen % 65536 == 0 && pex_keys_cancelled(keys))
            rc = PEX_ECANCELLED;
        else
            rc = decide_key(pass, keys, &key, err);
        if (rc)
            break;
    }
    return rc == PEX_ENOENT ? 0 : rc;
}

/* Places of the table: enough for all keys at half full, or as many as the memory holds while a
 * larger table is being made beside it. */
static size_t places_for(uint64_t key_count, uint64_t memory)
{
    size_t places = 1024;
    while (places / 2 < key_count && places * 2 * sizeof(uint64_t[2]) <= memory)
        places *= 2;
    return places;
}

/* The first of all rows with a key stays. Keys that do not fit into the memory are looked at in
 * parts, a walk each. */
static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    uint64_t key_count = pex_keys_count(keys);
    size_t places = places_for(key_count, pex_keys_memory(keys));
    struct pass pass = {.number = 0, .count = key_count / (places / 2) + 1};
    int32_t rc = key_set_init(&pass.set, places);
    if (rc)
        return pex_error_set(err, rc, "out of memory for a table of %zu keys of 16 bytes", places);
    for (; !rc && pass.number < pass.count; pass.number++) {
        key_set_clear(&pass.set);
        rc = pex_keys_rewind(keys);
        if (!rc)
            rc = walk(&pass, keys, err);
    }
    free(pass.set.place);
    return rc;
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
