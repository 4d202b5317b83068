/* SPDX-License-Identifier: Apache-2.0 */
#include "stats_operator.h"
#include "tool.h"

#include <stdlib.h>

const char stats_operator_name[] = "partexec_analyze";

/*
 * So many different numbers are told apart over all stats, 16 bytes each in tables that are half
 * full at least, and so many of one stat; other values are texts, and fewer.
 */
enum { NUMBERS_IN_ALL = 1 << 23, NUMBERS_MOST = 1 << 20, NUMBERS_LEAST = 1 << 14, PER_VALUE = 32 };

void stats_counts_init(struct stats_counts *counts, size_t count)
{
    size_t numbers = NUMBERS_MOST, values;

    while (numbers > NUMBERS_LEAST && numbers * count > NUMBERS_IN_ALL)
        numbers /= 2;
    values = numbers / PER_VALUE;
    counts->count = count;
    counts->stats = tool_realloc(NULL, (count + 1) * sizeof(*counts->stats));
    for (size_t i = 0; i < count; i++) {
        pthread_mutex_init(&counts->stats[i].lock, NULL);
        number_bag_init(&counts->stats[i].numbers, numbers);
        value_bag_init(&counts->stats[i].values, values);
        counts->stats[i].missing = 0;
    }
}

void stats_counts_free(struct stats_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++) {
        number_bag_free(&counts->stats[i].numbers);
        value_bag_free(&counts->stats[i].values);
        pthread_mutex_destroy(&counts->stats[i].lock);
    }
    free(counts->stats);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    (void)params;
    (void)err;
    *instance = pex_env_user(env);
    return 0;
}

/* One stat of all rows: numbers as such, the rest as text. */
static int count_stat(struct stat_counts *stat, size_t rows, const double *numbers,
                      const uint8_t *states, const struct pex_string_view *texts)
{
    int result = 0;

    pthread_mutex_lock(&stat->lock);
    for (size_t row = 0; row < rows && result == 0; row++) {
        if (states[row] == PEX_STATE_VALUE)
            result = number_bag_add(&stat->numbers, numbers[row]);
        else if (states[row] == PEX_STATE_MISSING)
            stat->missing++;
        else
            result = value_bag_add(&stat->values, texts[row].data, texts[row].length);
    }
    pthread_mutex_unlock(&stat->lock);
    return result;
}

static int has_texts(const uint8_t *states, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        if (states[row] != PEX_STATE_VALUE && states[row] != PEX_STATE_MISSING)
            return 1;
    return 0;
}

/* A call that failed half way would be counted twice, so the job ends with it. */
static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct stats_counts *counts = instance;
    size_t rows = pex_batch_rows(batch);
    int32_t code = 0;

    for (size_t i = 0; i < counts->count && code == 0; i++) {
        const struct pex_string_view *texts = NULL;
        const double *numbers;
        const uint8_t *states, *text_states;

        code = pex_batch_double(batch, (int32_t)i, &numbers, &states);
        if (code == 0 && has_texts(states, rows))
            code = pex_batch_json(batch, (int32_t)i, &texts, &text_states);
        if (code == 0 && count_stat(&counts->stats[i], rows, numbers, states, texts))
            code = PEX_ENOMEM;
    }
    for (size_t row = 0; row < rows && code == 0; row++)
        code = pex_batch_drop(batch, row);
    return code ? pex_error_set(err, PEX_EFATAL, "the stats cannot be counted: %s",
                                pex_strerror(code))
                : 0;
}

int32_t stats_operator_register(pex_context *ctx, char *const *keys, struct stats_counts *counts,
                                struct pex_error *err)
{
    struct pex_field_def *fields = tool_realloc(NULL, (counts->count + 1) * sizeof(*fields));
    const struct pex_operator operator= {
        .struct_size = sizeof(operator),
        .name = stats_operator_name,
        .version = "1",
        .help = "Counts the stats of rows.",
        .cardinality = PEX_ROW_TO_MANY,
        .flags = PEX_OP_REENTRANT,
        .fields = fields,
        .field_count = counts->count,
        .field_stride = sizeof(*fields),
        .create = create,
        .process = process,
    };
    int32_t code;

    for (size_t i = 0; i < counts->count; i++)
        fields[i] = (struct pex_field_def){
            .name = keys[i], .kind = PEX_FIELD_STAT, .access = PEX_FIELD_READ};
    code = pex_operator_register(ctx, &operator, counts, NULL, err);
    free(fields);
    return code;
}
