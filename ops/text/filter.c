/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include <stdlib.h>

int32_t pex__filter_create(pex_env *env, const pex_params *params, const char *min_name,
                           const char *max_name, struct pex__filter **filter, struct pex_error *err)
{
    struct pex__filter *made = calloc(1, sizeof(*made));
    if (!made)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__interval_init(&made->interval, params, min_name, max_name);
    if (rc) {
        free(made);
        return pex_error_set(err, rc, "the parameters of the range cannot be read");
    }
    made->text_key = pex__text_key(params);
    if (!made->text_key) {
        free(made);
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter text_key");
    }
    made->kernel = pex__kernel_best();
    made->is_stat_wanted = pex_env_stats_wanted(env);
    *filter = made;
    return 0;
}

void pex__filter_destroy(void *instance)
{
    struct pex__filter *filter = instance;
    free(filter->text_key);
    free(filter);
}

static int32_t decide_row(const struct pex__filter *filter, pex_batch *batch, size_t row,
                          struct pex_string_view text, uint8_t state, bool *keep)
{
    if (!filter->is_stat_wanted) {
        *keep = filter->decide(filter, text, state);
        return 0;
    }
    struct pex_number number = {.type = PEX_NUMBER_INT64};
    number.int64 = filter->measure(filter, text, state);
    *keep = pex__interval_keeps(&filter->interval, number.int64);
    return pex_batch_stat_set(batch, PEX__FIELD_STAT, row, &number);
}

static int32_t filter_row(const struct pex__filter *filter, pex_batch *batch, size_t row,
                          struct pex_string_view text, uint8_t state)
{
    struct pex_number number;
    bool keep;
    int32_t rc = pex_batch_stat_get(batch, PEX__FIELD_STAT, row, &number);
    if (rc == 0) {
        keep = pex__interval_keeps_number(&filter->interval, &number);
    } else if (rc == PEX_EDATA) {
        return pex_batch_fail_row(batch, row, PEX_EDATA,
                                  "the row brings a stat of this filter that is not a number; "
                                  "remove it, and it is computed");
    } else if (rc != PEX_ENOENT) {
        return rc;
    } else if (state != PEX_STATE_VALUE && state != PEX_STATE_ESCAPED) {
        return pex__text_fail(batch, row, state, filter->text_key);
    } else if ((rc = decide_row(filter, batch, row, text, state, &keep))) {
        return rc;
    }
    return keep ? 0 : pex_batch_drop(batch, row);
}

int32_t pex__filter_rows(const struct pex__filter *filter, pex_batch *batch,
                         const struct pex_string_view *texts, const uint8_t *states)
{
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; row < count; row++) {
        int32_t rc = filter_row(filter, batch, row, texts[row], states[row]);
        if (rc)
            return rc;
    }
    return 0;
}
