/* SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"
#include "filter.h"
#include "operators.h"

/*
 * A word is a piece between blanks, tabs and line feeds of which something is left when special
 * characters are stripped at both ends: a piece with at least one code point that is not special.
 */
static int32_t measure(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat)
{
    const struct pex__counts *counts = at->work;
    size_t count = counts ? counts[at->row].words
                          : filter->kernel->count_words(at->text.data, at->text.length, SIZE_MAX);
    *stat = (struct pex_number){.type = PEX_NUMBER_INT64, .int64 = (int64_t)count};
    return 0;
}

static bool decide(const struct pex__filter *filter, const struct pex__measuring *at)
{
    const struct pex__counts *counts = at->work;
    if (counts)
        return pex__interval_keeps(&filter->interval, counts[at->row].words);
    size_t enough = pex__interval_enough(&filter->interval);
    size_t count = filter->kernel->count_words(at->text.data, at->text.length, enough);
    return pex__interval_keeps(&filter->interval, (int64_t)count);
}

static const char *const bounds[2] = {"min_num", "max_num"};

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct pex__filter *filter;
    int32_t rc = pex__filter_create(env, params, bounds, &filter, err);
    if (rc)
        return rc;
    filter->measure = measure;
    filter->decide = decide;
    *instance = filter;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    return rc ? rc : pex__filter_rows(instance, batch, texts, states, pex__counts_made(batch));
}

static const struct pex_param_def params[] = {
    {.name = "min_num",
     .default_json = "10",
     .help = "Smallest number of words to keep.",
     .type = PEX_PARAM_INT64},
    {.name = "max_num",
     .default_json = "9223372036854775807",
     .help = "Largest number of words to keep.",
     .type = PEX_PARAM_INT64},
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
    PEX__LANG_PARAM,
    PEX__TOKENIZATION_PARAM,
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "num_words",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__words_num_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "words_num_filter",
    .version = "1",
    .help = "Keeps rows whose text has a number of words in a range.",
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
