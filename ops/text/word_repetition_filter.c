/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"
#include "gram.h"
#include "operators.h"
#include "words.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct repetition_filter {
    struct pex__filter filter;
    int64_t rep_len;
};

/* What the filter made of the batch. */
struct work {
    const struct pex__words *words;
    struct pex__grams grams;
    uint64_t *hashes; /* of the words of one text */
    size_t capacity;
};

static const char *const bounds[2] = {"min_ratio", "max_ratio"};

/* Factor of the rolling hash: odd, and with no pattern in its bits. */
#define FACTOR 0xD6E8FEB86659FD93u

static inline uint64_t hash_word(const struct pex__words *words, size_t at)
{
    const struct pex__word *word = &words->word[at];
    return XXH3_64bits(words->text + word->start, word->end - word->start);
}

static int32_t hash_words(struct work *work, const struct pex__words *words)
{
    if (words->count > work->capacity) {
        size_t capacity = words->count + words->count / 2;
        uint64_t *grown = realloc(work->hashes, capacity * sizeof(*grown));
        if (!grown)
            return PEX_ENOMEM;
        work->hashes = grown;
        work->capacity = capacity;
    }
    for (size_t i = 0; i < words->count; i++)
        work->hashes[i] = hash_word(words, i);
    return pex__grams_begin(&work->grams, words->count);
}

/* The share of runs of rep_len words that come more than once. */
static int32_t measure(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat)
{
    const struct repetition_filter *repetition =
        (const struct repetition_filter *)(const void *)filter;
    struct work *work = at->work;
    const struct pex__words *words = &work->words[at->row];
    uint64_t length = (uint64_t)repetition->rep_len, hash = 0, out = 1;
    *stat = (struct pex_number){.type = PEX_NUMBER_DOUBLE};
    if (words->count < length)
        return 0;
    int32_t rc = hash_words(work, words);
    for (size_t i = 0; !rc && i < words->count; i++) {
        hash = hash * FACTOR + work->hashes[i];
        if (i >= length)
            hash -= out * work->hashes[i - length];
        else
            out *= FACTOR;
        if (i + 1 >= length)
            rc = pex__grams_add(&work->grams, hash);
    }
    size_t total = words->count - (size_t)length + 1;
    size_t once = work->grams.distinct - work->grams.repeated;
    stat->float64 = (double)(total - once) / (double)total;
    return rc;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct repetition_filter *repetition = calloc(1, sizeof(*repetition));
    if (!repetition)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__filter_init(&repetition->filter, env, params, bounds, err);
    if (!rc)
        rc = pex_params_int64(params, "rep_len", &repetition->rep_len);
    if (rc) {
        pex__filter_destroy(repetition);
        return rc;
    }
    repetition->filter.measure = measure;
    *instance = repetition;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex__filter *filter = instance;
    const struct pex_string_view *texts;
    const uint8_t *states;
    struct work work = {0};
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    if (rc)
        return rc;
    work.words = pex__words_of(batch, filter->kernel, texts, states, true);
    rc = work.words ? pex__filter_rows(filter, batch, texts, states, &work) : PEX_ENOMEM;
    pex__grams_free(&work.grams);
    free(work.hashes);
    return rc;
}

static const struct pex_param_def params[] = {
    {.name = "rep_len",
     .default_json = "10",
     .help = "Words of a run that is looked for again.",
     .type = PEX_PARAM_INT64,
     .min = 1,
     .max = 2147483647},
    {.name = "min_ratio",
     .default_json = "0.0",
     .help = "Smallest share of runs that come more than once to keep.",
     .type = PEX_PARAM_DOUBLE},
    {.name = "max_ratio",
     .default_json = "0.5",
     .help = "Largest share of runs that come more than once to keep.",
     .type = PEX_PARAM_DOUBLE},
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
    PEX__LANG_PARAM,
    PEX__TOKENIZATION_PARAM,
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "word_rep_ratio",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__word_repetition_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "word_repetition_filter",
    .version = "1",
    .help = "Keeps rows whose text has a share of repeated runs of words in a range.",
    .cardinality = PEX_FILTER,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = process,
    .destroy = pex__filter_destroy,
    .check = pex__tokenization_check,
};
