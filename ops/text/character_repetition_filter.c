/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"
#include "gram.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>

struct repetition_filter {
    struct pex__filter filter;
    int64_t rep_len;
};

static const char *const bounds[2] = {"min_ratio", "max_ratio"};

/* Factor of the rolling hash: odd, and with no pattern in its bits. */
#define FACTOR 0xD6E8FEB86659FD93u

static inline uint64_t step(const char *text, size_t *at)
{
    size_t size = 1;
    uint64_t point = (unsigned char)text[*at];
    if (point >= 0x80)
        point = pex__decode(text + *at, &size);
    *at += size;
    return point + 1;
}

/* As count_grams, for a text in which every byte is a code point. */
static int32_t count_ascii(struct pex__grams *grams, struct pex_string_view text, size_t length,
                           uint64_t *total)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    uint64_t hash = 0, out = 1;
    *total = text.length - length + 1;
    for (size_t i = 0; i < length; i++) {
        hash = hash * FACTOR + bytes[i] + 1;
        out *= FACTOR;
    }
    int32_t rc = pex__grams_add(grams, hash);
    for (size_t i = length; !rc && i < text.length; i++) {
        hash = hash * FACTOR + bytes[i] + 1 - out * (bytes[i - length] + 1u);
        rc = pex__grams_add(grams, hash);
    }
    return rc;
}

/* Counts every run of rep_len code points; *total gets their number. */
static int32_t count_grams(struct pex__grams *grams, struct pex_string_view text, int64_t rep_len,
                           uint64_t *total)
{
    uint64_t hash = 0, out = 1;
    size_t head = 0, tail = 0;
    int64_t filled = 0;
    *total = 0;
    for (; head < text.length && filled < rep_len; filled++) {
        hash = hash * FACTOR + step(text.data, &head);
        out *= FACTOR;
    }
    if (filled < rep_len)
        return 0;
    for (;;) {
        int32_t rc = pex__grams_add(grams, hash);
        if (rc)
            return rc;
        ++*total;
        if (head == text.length)
            return 0;
        hash = hash * FACTOR + step(text.data, &head) - out * step(text.data, &tail);
    }
}

static int by_count(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static uint64_t root(uint64_t value)
{
    uint64_t low = 0, high = (uint64_t)1 << 32;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (middle * middle <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The sum of the largest counts: of so many grams as the square root of all different ones has, but
 * only of those that come more than once. */
static int32_t sum_largest(const struct pex__grams *grams, uint64_t *sum)
{
    size_t used = 0;
    *sum = 0;
    if (!grams->repeated)
        return 0;
    uint32_t *counts = malloc(grams->repeated * sizeof(*counts));
    if (!counts)
        return PEX_ENOMEM;
    for (size_t i = 0; i <= grams->again_mask; i++)
        if (grams->again[i].hash)
            counts[used++] = grams->again[i].count;
    qsort(counts, used, sizeof(*counts), by_count);
    uint64_t most = root(grams->distinct);
    for (size_t i = 0; i < used && i < most; i++)
        *sum += counts[i];
    free(counts);
    return 0;
}

static int32_t measure(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat)
{
    const struct repetition_filter *repetition =
        (const struct repetition_filter *)(const void *)filter;
    struct pex__grams *grams = at->work;
    uint64_t total, sum;
    *stat = (struct pex_number){.type = PEX_NUMBER_DOUBLE};
    int32_t rc = pex__grams_begin(grams, at->text.length);
    bool is_ascii = filter->kernel->find_high(at->text.data, at->text.length, 0) == at->text.length;
    if (!rc && is_ascii && at->text.length >= (uint64_t)repetition->rep_len)
        rc = count_ascii(grams, at->text, (size_t)repetition->rep_len, &total);
    else if (!rc)
        rc = count_grams(grams, at->text, repetition->rep_len, &total);
    if (!rc)
        rc = sum_largest(grams, &sum);
    if (!rc && total)
        stat->float64 = (double)sum / (double)total;
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
    const struct pex_string_view *texts;
    const uint8_t *states;
    struct pex__grams grams = {0};
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    if (!rc)
        rc = pex__filter_rows(instance, batch, texts, states, &grams);
    pex__grams_free(&grams);
    return rc;
}

static const struct pex_param_def params[] = {
    {.name = "rep_len",
     .default_json = "10",
     .help = "Code points of a run that is looked for again.",
     .type = PEX_PARAM_INT64,
     .min = 1,
     .max = 2147483647},
    {.name = "min_ratio",
     .default_json = "0.0",
     .help = "Smallest share of runs that are repeated most to keep.",
     .type = PEX_PARAM_DOUBLE},
    {.name = "max_ratio",
     .default_json = "0.5",
     .help = "Largest share of runs that are repeated most to keep.",
     .type = PEX_PARAM_DOUBLE},
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "char_rep_ratio",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__character_repetition_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "character_repetition_filter",
    .version = "1",
    .help = "Keeps rows whose text has a share of repeated runs of characters in a range.",
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
};
