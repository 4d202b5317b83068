/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"
#include "normal.h"
#include "operators.h"
#include "shingles.h"
#include "text.h"

#include <nettle/md5.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_SIMHASH 1

enum {
    BITS = 64,
    PLANES = 33,    /* digits of a count, in binary */
    CANCEL = 65536, /* keys between two looks at whether the job is cancelled */
};

struct simhash {
    char *text_key;
    struct pex__shingling shingling;
    bool keeps_unshinglable;
    unsigned blocks;
    unsigned distance;
};

static void destroy(void *instance)
{
    struct simhash *simhash = instance;
    pex__shingling_release(&simhash->shingling);
    free(simhash->text_key);
    free(simhash);
}

static int32_t init(struct simhash *simhash, const pex_params *params, struct pex_error *err)
{
    int64_t blocks, distance;
    int32_t keeps, rc = pex__shingling_init(&simhash->shingling, params, err);
    if (rc)
        return rc;
    if ((rc = pex_params_int64(params, "num_blocks", &blocks)) ||
        (rc = pex_params_int64(params, "hamming_distance", &distance)) ||
        (rc = pex_params_bool(params, "keep_unshinglable", &keeps)))
        return pex_error_set(err, rc, "the parameters cannot be read");
    simhash->blocks = (unsigned)blocks;
    simhash->distance = (unsigned)distance;
    simhash->keeps_unshinglable = keeps;
    simhash->text_key = pex__text_key(params);
    return simhash->text_key ? 0 : pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct simhash *simhash = calloc(1, sizeof(*simhash));
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

static int32_t observe_row(const struct simhash *simhash, struct pex__shingles *shingles,
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
    return pex_keys_emit(batch, row, &hash, sizeof(hash));
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
    const struct simhash *simhash = instance;
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

struct item {
    uint64_t hash;
    uint32_t row;
};

struct verdict {
    const struct simhash *simhash;
    pex_keys *keys;
    struct pex__groups groups;
    struct item *item;
    uint64_t unshinglable; /* texts without shingles, which alone have a hash of 0 */
    size_t count;
    uint64_t mask; /* of the bits by which items are sorted */
};

static int32_t read_keys(struct verdict *verdict)
{
    struct pex_key key;
    int32_t rc;
    while (!(rc = pex_keys_next(verdict->keys, &key))) {
        struct item *item = &verdict->item[verdict->count++];
        if (verdict->count % CANCEL == 0 && pex_keys_cancelled(verdict->keys))
            return PEX_ECANCELLED;
        memcpy(&item->hash, key.data, sizeof(item->hash));
        verdict->unshinglable += item->hash == 0;
        item->row = (uint32_t)key.row;
    }
    return rc == PEX_ENOENT ? 0 : rc;
}

static int by_masked_hash(const void *a, const void *b, void *context)
{
    uint64_t mask = *(const uint64_t *)context;
    const struct item *x = a, *y = b;
    uint64_t p = x->hash & mask, q = y->hash & mask;
    return p != q ? (p < q ? -1 : 1) : x->row < y->row ? -1 : x->row > y->row;
}

static void sort(struct verdict *verdict)
{
    qsort_r(verdict->item, verdict->count, sizeof(*verdict->item), by_masked_hash, &verdict->mask);
}

/* Rows with the same hash are a group, of which only the first goes on. */
static void join_equal(struct verdict *verdict)
{
    size_t kept = 0;
    verdict->mask = UINT64_MAX;
    sort(verdict);
    for (size_t i = 0; i < verdict->count; i++) {
        struct item item = verdict->item[i];
        if (kept > 0 && verdict->item[kept - 1].hash == item.hash)
            pex__groups_join(&verdict->groups, verdict->item[kept - 1].row, item.row);
        else
            verdict->item[kept++] = item;
    }
    verdict->count = kept;
}

/* Compares all that have the same bits under the mask. */
static int32_t join_near(struct verdict *verdict)
{
    const struct item *item = verdict->item;
    sort(verdict);
    for (size_t i = 0; i < verdict->count; i++) {
        uint64_t bits = item[i].hash & verdict->mask;
        if (i % 1024 == 0 && pex_keys_cancelled(verdict->keys))
            return PEX_ECANCELLED;
        for (size_t k = i + 1; k < verdict->count && (item[k].hash & verdict->mask) == bits; k++)
            if ((unsigned)__builtin_popcountll(item[i].hash ^ item[k].hash) <=
                verdict->simhash->distance)
                pex__groups_join(&verdict->groups, item[i].row, item[k].row);
    }
    return 0;
}

static uint64_t block_mask(unsigned block, unsigned blocks)
{
    unsigned start = block * BITS / blocks, end = (block + 1) * BITS / blocks;
    uint64_t below = end == BITS ? UINT64_MAX : ((uint64_t)1 << end) - 1;
    return below & ~(((uint64_t)1 << start) - 1);
}

/* Two hashes that differ in so many bits have at least blocks - distance blocks in common: all
 * choices of so many are tried (Manku, Jain, Das Sarma 2007). `from`: the first block to choose. */
static int32_t choose(struct verdict *verdict, uint64_t mask, unsigned from, unsigned wanted)
{
    unsigned blocks = verdict->simhash->blocks;
    int32_t rc = 0;
    if (wanted == 0) {
        verdict->mask = mask;
        return join_near(verdict);
    }
    for (unsigned block = from; !rc && block + wanted <= blocks; block++)
        rc = choose(verdict, mask | block_mask(block, blocks), block + 1, wanted - 1);
    return rc;
}

static int32_t decide(struct verdict *verdict)
{
    int32_t rc = 0;
    for (uint64_t row = 0; !rc && row < verdict->groups.count; row++)
        if (pex__groups_first(&verdict->groups, (uint32_t)row) != row)
            rc = pex_keys_decide(verdict->keys, row, 0);
    return rc;
}

static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    struct verdict verdict = {.simhash = instance, .keys = keys};
    uint64_t count = pex_keys_count(keys), rows = pex_keys_rows(keys);
    /* qsort takes a copy. */
    uint64_t wanted = 2 * count * sizeof(struct item) + rows * sizeof(uint32_t);
    if (wanted > pex_keys_memory(keys))
        return pex_error_set(err, PEX_ELIMIT,
                             "comparing %llu rows takes %llu bytes, and there are %llu; raise "
                             "memory_limit",
                             (unsigned long long)rows, (unsigned long long)wanted,
                             (unsigned long long)pex_keys_memory(keys));
    int32_t rc = pex__groups_init(&verdict.groups, rows);
    if (!rc && !(verdict.item = malloc((count + 1) * sizeof(*verdict.item))))
        rc = PEX_ENOMEM;
    if (!rc)
        rc = read_keys(&verdict);
    if (!rc) {
        join_equal(&verdict);
        rc = choose(&verdict, 0, 0, verdict.simhash->blocks - verdict.simhash->distance);
    }
    if (!rc)
        rc = decide(&verdict);
    if (!rc && verdict.unshinglable > 0)
        rc = pex_keys_note(keys, PEX__UNSHINGLABLE_NOTE, verdict.unshinglable);
    pex__groups_free(&verdict.groups);
    free(verdict.item);
    if (rc == PEX_ELIMIT)
        return pex_error_set(err, rc, "%llu rows are more than it can compare at a time, 2^32 - 2",
                             (unsigned long long)rows);
    if (rc == PEX_ENOMEM)
        return pex_error_set(err, rc, "out of memory to compare %llu rows",
                             (unsigned long long)rows);
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
     .min = 1,
     .max = BITS,
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
    .resolve = resolve,
};
