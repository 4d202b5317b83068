/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include <stdlib.h>

int32_t pex__filter_init(struct pex__filter *filter, pex_env *env, const pex_params *params,
                         const char *const bounds[2], struct pex_error *err)
{
    int32_t rc = pex__interval_init(&filter->interval, params, bounds);
    if (rc)
        return pex_error_set(err, rc, "the parameters of the range cannot be read");
    filter->text_key = pex__text_key(params);
    if (!filter->text_key)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter text_key");
    filter->kernel = pex__kernel_best();
    filter->is_stat_wanted = pex_env_stats_wanted(env);
    return 0;
}

void pex__filter_release(struct pex__filter *filter)
{
    free(filter->text_key);
}

int32_t pex__filter_create(pex_env *env, const pex_params *params, const char *const bounds[2],
                           struct pex__filter **filter, struct pex_error *err)
{
    struct pex__filter *made = calloc(1, sizeof(*made));
    if (!made)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__filter_init(made, env, params, bounds, err);
    if (rc)
        free(made);
    else
        *filter = made;
    return rc;
}

void pex__filter_destroy(void *instance)
{
    pex__filter_release(instance);
    free(instance);
}

static int32_t decide_row(const struct pex__filter *filter, const struct pex__measuring *at,
                          bool *keep)
{
    struct pex_number stat;
    if (filter->decide && !filter->is_stat_wanted) {
        *keep = filter->decide(filter, at);
        return 0;
    }
    int32_t rc = filter->measure(filter, at, &stat);
    if (rc)
        return rc;
    *keep = pex__interval_keeps_number(&filter->interval, &stat);
    return filter->is_stat_wanted ? pex_batch_stat_set(at->batch, PEX__FIELD_STAT, at->row, &stat)
                                  : 0;
}

static int32_t filter_row(const struct pex__filter *filter, const struct pex__measuring *at)
{
    struct pex_number number;
    bool keep;
    int32_t rc = pex_batch_stat_get(at->batch, PEX__FIELD_STAT, at->row, &number);
    if (rc == 0) {
        keep = pex__interval_keeps_number(&filter->interval, &number);
    } else if (rc == PEX_EDATA) {
        return pex_batch_fail_row(at->batch, at->row, PEX_EDATA,
                                  "the row brings a stat of this filter that is not a number; "
                                  "remove it, and it is computed");
    } else if (rc != PEX_ENOENT) {
        return rc;
    } else if (at->state != PEX_STATE_VALUE && at->state != PEX_STATE_ESCAPED) {
        return pex__text_fail(at->batch, at->row, at->state, filter->text_key);
    } else if ((rc = decide_row(filter, at, &keep))) {
        return rc;
    }
    return keep ? 0 : pex_batch_drop(at->batch, at->row);
}

int32_t pex__filter_rows(const struct pex__filter *filter, pex_batch *batch,
                         const struct pex_string_view *texts, const uint8_t *states, void *work)
{
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; row < count; row++) {
        struct pex__measuring at = {batch, row, texts[row], states[row], work};
        int32_t rc = filter_row(filter, &at);
        if (rc)
            return rc;
    }
    return 0;
}
