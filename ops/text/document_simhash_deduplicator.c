/* SPDX-License-Identifier: Apache-2.0 */
#include "normal.h"
#include "operators.h"
#include "simhash.h"
#include "text.h"

#include <nettle/md5.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_SIMHASH 1

enum {
    BITS = 64,
    PLANES = 33, /* digits of a count, in binary */
};

static void destroy(void *instance)
{
    struct pex__simhash *simhash = instance;
    pex__shingling_release(&simhash->shingling);
    free(simhash->text_key);
    free(simhash);
}

static int32_t init(struct pex__simhash *simhash, const pex_params *params, struct pex_error *err)
{
    int64_t distance;
    int32_t keeps, rc = pex__shingling_init(&simhash->shingling, params, err);
    if (rc)
        return rc;
    if ((rc = pex_params_int64(params, "hamming_distance", &distance)) ||
        (rc = pex_params_bool(params, "keep_unshinglable", &keeps)))
        return pex_error_set(err, rc, "the parameters cannot be read");
    simhash->distance = (unsigned)distance;
    simhash->keeps_unshinglable = keeps;
    simhash->kernel = pex__kernel_best();
    simhash->text_key = pex__text_key(params);
    return simhash->text_key ? 0 : pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct pex__simhash *simhash = calloc(1, sizeof(*simhash));
    if (!simhash)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(simhash, params, err);
    if (rc)
        destroy(simhash);
    else
        *instance = simhash;
    return rc;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    int64_t blocks, distance;
    if (pex_params_int64(params, "num_blocks", &blocks) ||
        pex_params_int64(params, "hamming_distance", &distance))
        return pex_error_set(err, PEX_EINVAL, "the parameters cannot be read");
    if (blocks <= distance)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter 'num_blocks' is %lld, expected more than hamming_distance, "
                             "%lld",
                             (long long)blocks, (long long)distance);
    return pex__shingling_check(params, err);
}

/* The first eight bytes of the MD5 of a shingle, the highest first. */
static uint64_t hash_of(struct pex_string_view shingle)
{
    struct md5_ctx context;
    uint8_t digest[8];
    uint64_t hash = 0;
    md5_init(&context);
    md5_update(&context, shingle.length, (const uint8_t *)shingle.data);
    md5_digest(&context, sizeof(digest), digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        hash = hash << 8 | digest[i];
    return hash;
}

/*
 * The bits that more hashes have than lack. 64 counts lie across the planes, a digit of each in
 * every plane, so that a hash is added to all of them at once, with the carry.
 */
static uint64_t majority(const struct pex__shingles *shingles)
{
    uint64_t plane[PLANES] = {0}, bits = 0;
    for (size_t i = 0; i < shingles->count; i++) {
        uint64_t carry = hash_of(pex__shingle(shingles, i));
        for (size_t k = 0; carry; k++) {
            uint64_t both = plane[k] & carry;
            plane[k] ^= carry;
            carry = both;
        }
    }
    for (unsigned bit = 0; bit < BITS; bit++) {
        uint64_t count = 0;
        for (size_t k = PLANES; k-- > 0;)
            count = count << 1 | (plane[k] >> bit & 1);
        bits |= (uint64_t)(2 * count > shingles->count) << bit;
    }
    return bits;
}

/* One that the row brings along: digits. */
static bool read_given(struct pex_string_view text, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned digit = (unsigned)(text.data[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return text.length > 0;
}

static int32_t observe_row(const struct pex__simhash *simhash, struct pex__shingles *shingles,
                           pex_batch *batch, size_t row, struct pex_string_view text)
{
    if (pex__has_surrogate(text))
        return pex_batch_fail_row(batch, row, PEX_EDATA,
                                  "the text has half of a surrogate pair, which has no UTF-8 form "
                                  "to compare; repair the text first");
    int32_t rc = pex__shingles_make(shingles, text);
    if (rc == PEX_ENOMEM)
        return rc;
    if (rc)
        return pex_batch_fail_row(batch, row, rc, pex__session_reason(rc));
    if (shingles->count == 0 && simhash->keeps_unshinglable)
        return 0;
    uint64_t hash = majority(shingles);
    unsigned char key[sizeof(hash) + 1] = {0};
    memcpy(key, &hash, sizeof(hash));
    return pex_keys_emit(batch, row, key, sizeof(hash) + (shingles->count == 0));
}

static int32_t observe_given(pex_batch *batch, size_t row, struct pex_string_view given)
{
    uint64_t hash;
    if (!read_given(given, &hash))
        return pex_batch_fail_row(batch, row, PEX_EDATA,
                                  "field '__dj__simhash' is no number of 64 bits in digits; leave "
                                  "it out, and it is computed");
    return pex_keys_emit(batch, row, &hash, sizeof(hash));
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex__simhash *simhash = instance;
    const struct pex_string_view *texts, *given;
    const uint8_t *states, *given_states;
    struct pex__shingles shingles;
    int32_t rc = pex__shingles_init(&shingles, &simhash->shingling);
    if (!rc)
        rc = pex_batch_strings(batch, FIELD_SIMHASH, &given, &given_states);
    if (!rc)
        rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++) {
        if (given_states[row] == PEX_STATE_VALUE)
            rc = observe_given(batch, row, given[row]);
        else if (states[row] == PEX_STATE_VALUE)
            rc = observe_row(simhash, &shingles, batch, row, texts[row]);
        else
            rc = pex__text_fail(batch, row, states[row], simhash->text_key);
    }
    pex__shingles_free(&shingles);
    return rc;
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    PEX__SHINGLING_PARAMS("6"),
    {.name = "num_blocks",
     .default_json = "6",
     .help = "Blocks of a hash by which alike ones are found; the result does not depend on it.",
     .min = 1,
     .max = BITS,
     .type = PEX_PARAM_INT64},
    {.name = "hamming_distance",
     .default_json = "4",
     .help = "Most bits in which hashes of similar texts differ; less than num_blocks.",
     .min = 0,
     .max = BITS - 1,
     .type = PEX_PARAM_INT64},
    {.name = "keep_unshinglable",
     .default_json = "false",
     .help =
         "Keep texts that are shorter than the window. As in the reference, all of them are else "
         "taken for the same.",
     .type = PEX_PARAM_BOOL},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [FIELD_SIMHASH] = {.name = "__dj__simhash", .access = PEX_FIELD_READ},
};

const struct pex_operator pex__document_simhash_deduplicator = {
    .struct_size = sizeof(struct pex_operator),
    .name = "document_simhash_deduplicator",
    .version = "1",
    .help =
        "Keeps the first of rows with similar texts, by SimHash: texts whose hashes differ in few "
        "bits are joined, and so are those joined with one of them.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .check = check,
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = pex__simhash_resolve,
};
