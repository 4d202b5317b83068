/* SPDX-License-Identifier: Apache-2.0 */
#include "bands.h"
#include "minhash.h"
#include "normal.h"
#include "operators.h"
#include "text.h"

#include <nettle/sha1.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_UID 1

enum {
    HASHES = 1024, /* of shingles that are permuted together */
    MOST = 4096,   /* permutations */
};

static void destroy(void *instance)
{
    struct pex__minhash *minhash = instance;
    pex__shingling_release(&minhash->shingling);
    free(minhash->text_key);
    free(minhash->a);
    free(minhash->b);
    free(minhash);
}

/* Both numbers, or those that suit the threshold. */
static int32_t choose_bands(struct pex__minhash *minhash, const pex_params *params)
{
    int64_t bands = 0, rows = 0;
    double threshold;
    if (pex_params_is_null(params, "num_bands") != 1 &&
        pex_params_is_null(params, "num_rows_per_band") != 1) {
        int32_t rc = pex_params_int64(params, "num_bands", &bands);
        if (!rc)
            rc = pex_params_int64(params, "num_rows_per_band", &rows);
        minhash->bands = (size_t)bands;
        minhash->rows = (size_t)rows;
        return rc;
    }
    int32_t rc = pex_params_double(params, "jaccard_threshold", &threshold);
    if (!rc)
        pex__bands_choose(threshold, minhash->permutations, &minhash->bands, &minhash->rows);
    return rc;
}

static int32_t init(struct pex__minhash *minhash, const pex_params *params, struct pex_error *err)
{
    int64_t permutations;
    int32_t keeps, rc = pex__shingling_init(&minhash->shingling, params, err);
    if (rc)
        return rc;
    if ((rc = pex_params_int64(params, "num_permutations", &permutations)) ||
        (rc = pex_params_bool(params, "keep_unshinglable", &keeps)))
        return pex_error_set(err, rc, "the parameters cannot be read");
    minhash->permutations = (size_t)permutations;
    minhash->keeps_unshinglable = keeps;
    if ((rc = choose_bands(minhash, params)))
        return pex_error_set(err, rc, "the parameters cannot be read");
    minhash->kernel = pex__kernel_best();
    minhash->text_key = pex__text_key(params);
    minhash->a = malloc(minhash->permutations * sizeof(*minhash->a));
    minhash->b = malloc(minhash->permutations * sizeof(*minhash->b));
    if (!minhash->text_key || !minhash->a || !minhash->b)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    pex__permutations(minhash->a, minhash->b, minhash->permutations);
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct pex__minhash *minhash = calloc(1, sizeof(*minhash));
    if (!minhash)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(minhash, params, err);
    if (rc)
        destroy(minhash);
    else
        *instance = minhash;
    return rc;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    return pex__shingling_check(params, err);
}

/* The first four bytes of the SHA-1 of a shingle, the lowest first. */
static uint32_t hash_of(struct pex_string_view shingle)
{
    struct sha1_ctx context;
    uint8_t digest[4];
    sha1_init(&context);
    sha1_update(&context, shingle.length, (const uint8_t *)shingle.data);
    sha1_digest(&context, sizeof(digest), digest);
    return (uint32_t)digest[0] | (uint32_t)digest[1] << 8 | (uint32_t)digest[2] << 16 |
           (uint32_t)digest[3] << 24;
}

/* The least value of each permutation; all bits where there is no shingle. */
static void sign(const struct pex__minhash *minhash, const struct pex__shingles *shingles,
                 uint32_t *values)
{
    uint32_t hashes[HASHES];
    memset(values, 0xFF, minhash->permutations * sizeof(*values));
    for (size_t first = 0; first < shingles->count; first += HASHES) {
        size_t count = shingles->count - first < HASHES ? shingles->count - first : HASHES;
        for (size_t i = 0; i < count; i++)
            hashes[i] = hash_of(pex__shingle(shingles, first + i));
        minhash->kernel->min_hashes(hashes, count, minhash->a, minhash->b, minhash->permutations,
                                    values);
    }
}

/* Of a band past the values only what is there counts, which may be nothing. */
static uint64_t band_hash(const struct pex__minhash *minhash, const uint32_t *values, size_t band)
{
    size_t start = band * minhash->rows, left = 0;
    if (start < minhash->permutations)
        left = minhash->permutations - start;
    return pex__band_hash(values + (left ? start : 0), left < minhash->rows ? left : minhash->rows);
}

static int32_t emit(const struct pex__minhash *minhash, pex_batch *batch, size_t row,
                    const uint32_t *values)
{
    int32_t rc = 0;
    for (size_t band = 0; !rc && band < minhash->bands; band += PEX__KEY_BANDS) {
        uint64_t key[PEX__KEY_BANDS];
        size_t count = 0;
        for (; count < PEX__KEY_BANDS && band + count < minhash->bands; count++)
            key[count] = band_hash(minhash, values, band + count);
        rc = pex_keys_emit(batch, row, key, count * sizeof(*key));
    }
    return rc;
}

static int32_t observe_row(const struct pex__minhash *minhash, struct pex__shingles *shingles,
                           pex_batch *batch, size_t row, struct pex_string_view text,
                           uint32_t *values)
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
    if (shingles->count == 0 && minhash->keeps_unshinglable)
        return 0;
    sign(minhash, shingles, values);
    rc = emit(minhash, batch, row, values);
    return rc || shingles->count > 0 ? rc : pex_keys_emit(batch, row, "", 1);
}

/* uids: NULL, or those of the rows, each emitted as the first key of its row. */
static int32_t observe_rows(const struct pex__minhash *minhash, struct pex__shingles *shingles,
                            pex_batch *batch, bool by_uid, uint32_t *values)
{
    const struct pex_string_view *texts;
    const int64_t *uids = NULL;
    const uint8_t *states, *uid_states = NULL;
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    if (!rc && by_uid)
        rc = pex_batch_int64(batch, FIELD_UID, &uids, &uid_states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++) {
        if (states[row] != PEX_STATE_VALUE)
            rc = pex__text_fail(batch, row, states[row], minhash->text_key);
        else if (by_uid && uid_states[row] != PEX_STATE_VALUE)
            rc = pex_batch_fail_row(batch, row, PEX_EDATA,
                                    "field '__dj__uid' must be an integer: of rows that are alike "
                                    "the one with the least stays; number the rows first");
        else {
            if (by_uid)
                rc = pex_keys_emit(batch, row, &uids[row], sizeof(uids[row]));
            if (!rc)
                rc = observe_row(minhash, shingles, batch, row, texts[row], values);
        }
    }
    return rc;
}

static int32_t observe_with(const struct pex__minhash *minhash, pex_batch *batch, bool by_uid)
{
    struct pex__shingles shingles;
    uint32_t *values = malloc(minhash->permutations * sizeof(*values));
    int32_t rc = pex__shingles_init(&shingles, &minhash->shingling);
    if (!rc)
        rc = values ? observe_rows(minhash, &shingles, batch, by_uid, values) : PEX_ENOMEM;
    pex__shingles_free(&shingles);
    free(values);
    return rc;
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    return observe_with(instance, batch, false);
}

static int32_t observe_by_uid(void *instance, pex_batch *batch, struct pex_error *err)
{
    return observe_with(instance, batch, true);
}

#define MINHASH_PARAMS                                                                             \
    PEX__TEXT_KEY_PARAM, PEX__SHINGLING_PARAMS("5"),                                               \
        {.name = "num_permutations",                                                               \
         .default_json = "256",                                                                    \
         .help = "Values of a signature.",                                                         \
         .min = 1,                                                                                 \
         .max = MOST,                                                                              \
         .type = PEX_PARAM_INT64},                                                                 \
        {.name = "jaccard_threshold",                                                              \
         .default_json = "0.7",                                                                    \
         .help = "Similarity from which on two texts are taken for the same.",                     \
         .min = 0,                                                                                 \
         .max = 1,                                                                                 \
         .type = PEX_PARAM_DOUBLE},                                                                \
        {.name = "num_bands",                                                                      \
         .default_json = "null",                                                                   \
         .help =                                                                                   \
             "Bands of a signature; texts with a band in common are joined. null, here or for "    \
             "num_rows_per_band: what suits the threshold.",                                       \
         .min = 1,                                                                                 \
         .max = MOST,                                                                              \
         .type = PEX_PARAM_INT64,                                                                  \
         .flags = PEX_PARAM_NULLABLE},                                                             \
        {.name = "num_rows_per_band",                                                              \
         .default_json = "null",                                                                   \
         .help = "Values of a band.",                                                              \
         .min = 1,                                                                                 \
         .max = MOST,                                                                              \
         .type = PEX_PARAM_INT64,                                                                  \
         .flags = PEX_PARAM_NULLABLE},                                                             \
        {.name = "tokenizer_model",                                                                \
         .default_json = "null",                                                                   \
         .help = "Has no effect: there is no sentencepiece.",                                      \
         .type = PEX_PARAM_STRING,                                                                 \
         .flags = PEX_PARAM_NULLABLE | PEX_PARAM_IGNORED},                                         \
    {                                                                                              \
        .name = "keep_unshinglable", .default_json = "false",                                      \
        .help = "Keep texts that are shorter than the window. As in the reference, all of them "   \
                "are else taken for the same.",                                                    \
        .type = PEX_PARAM_BOOL                                                                     \
    }

/* Parameters of the reference's cluster. */
#define CLUSTER_PARAM(parameter, value)                                                            \
    {                                                                                              \
        .name = parameter, .default_json = value, .help = "Has no effect: there is no cluster.",   \
        .type = PEX_PARAM_JSON, .flags = PEX_PARAM_NULLABLE | PEX_PARAM_IGNORED                    \
    }

static const struct pex_param_def params[] = {MINHASH_PARAMS};

static const struct pex_param_def cluster_params[] = {
    MINHASH_PARAMS,
    CLUSTER_PARAM("union_find_parallel_num", "\"auto\""),
    CLUSTER_PARAM("union_threshold", "256"),
    CLUSTER_PARAM("max_pending_edge_buffer_task", "20"),
    CLUSTER_PARAM("num_edge_buffer_task_returns", "10"),
    CLUSTER_PARAM("max_pending_filter_tasks", "20"),
    CLUSTER_PARAM("num_filter_task_returns", "10"),
    CLUSTER_PARAM("merge_batch_size", "1000"),
    CLUSTER_PARAM("minhash_batch_size", "\"auto\""),
    CLUSTER_PARAM("memory_per_sample", "0.1"),
    CLUSTER_PARAM("tmp_file_name", "\"./outputs/ray-dedup-tmp/\""),
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [FIELD_UID] = {.name = "__dj__uid", .access = PEX_FIELD_READ},
};

/* Without the uid. */
enum { FIELD_COUNT = 1 };

const struct pex_operator pex__document_minhash_deduplicator = {
    .struct_size = sizeof(struct pex_operator),
    .name = "document_minhash_deduplicator",
    .version = "1",
    .help = "Keeps the first of rows with similar texts, by MinHash: texts with a band of the "
            "signature in common are joined, and so are those joined with one of them.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = FIELD_COUNT,
    .field_stride = sizeof(fields[0]),
    .check = check,
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = pex__minhash_resolve,
};

const struct pex_operator pex__document_minhash_deduplicator_with_uid = {
    .struct_size = sizeof(struct pex_operator),
    .name = "document_minhash_deduplicator_with_uid",
    .version = "1",
    .help = "As document_minhash_deduplicator, but keeps the row with the least __dj__uid.",
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
    .observe = observe_by_uid,
    .resolve = pex__minhash_resolve_by_uid,
};

const struct pex_operator pex__ray_bts_minhash_deduplicator = {
    .struct_size = sizeof(struct pex_operator),
    .name = "ray_bts_minhash_deduplicator",
    .version = "1",
    .help = "Another name of document_minhash_deduplicator.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = cluster_params,
    .param_count = sizeof(cluster_params) / sizeof(cluster_params[0]),
    .param_stride = sizeof(cluster_params[0]),
    .fields = fields,
    .field_count = FIELD_COUNT,
    .field_stride = sizeof(fields[0]),
    .check = check,
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = pex__minhash_resolve,
};
