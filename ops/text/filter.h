/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of a filter over its rows: the stat that a row brings along decides, or it is computed.
 */
#ifndef PEX_TEXT_FILTER_H
#define PEX_TEXT_FILTER_H

#include "interval.h"
#include "kernel.h"
#include "text.h"

/* Index of the stat in the field table of every filter here. */
#define PEX__FIELD_STAT 1

struct pex__filter {
    struct pex__interval interval;
    const struct pex__kernel *kernel;
    char *text_key;
    bool is_stat_wanted;
    /* The stat of a text; used when it goes into the row. */
    int64_t (*measure)(const struct pex__filter *filter, struct pex_string_view text,
                       uint8_t state);
    /* The decision alone, which may cost less. */
    bool (*decide)(const struct pex__filter *filter, struct pex_string_view text, uint8_t state);
};

int32_t pex__filter_create(pex_env *env, const pex_params *params, const char *min_name,
                           const char *max_name, struct pex__filter **filter,
                           struct pex_error *err);
void pex__filter_destroy(void *instance);

/* Drops the rows that the filter does not keep. texts, states: the column of the text field. */
int32_t pex__filter_rows(const struct pex__filter *filter, pex_batch *batch,
                         const struct pex_string_view *texts, const uint8_t *states);

#endif
