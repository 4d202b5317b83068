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

/* One text that a filter looks at. */
struct pex__measuring {
    pex_batch *batch;
    size_t row;
    struct pex_string_view text;
    uint8_t state;
    void *work; /* what the filter made of the batch, or scratch of the call */
};

/* What every filter on a number has; the first member of an instance that has more. */
struct pex__filter {
    struct pex__interval interval;
    const struct pex__kernel *kernel;
    char *text_key;
    bool is_stat_wanted;
    /* The stat of a text; used when it goes into the row, or if there is no `decide`. */
    int32_t (*measure)(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat);
    /* The decision alone, which may cost less; NULL: none. */
    bool (*decide)(const struct pex__filter *filter, const struct pex__measuring *at);
};

/* Sets up an instance in memory of the caller's. `bounds`: the names of both bounds; their types in
 * the parameter table say whether the stat is a whole number or a ratio. Returns 0 or a code with
 * its text in err. */
int32_t pex__filter_init(struct pex__filter *filter, pex_env *env, const pex_params *params,
                         const char *const bounds[2], struct pex_error *err);
void pex__filter_release(struct pex__filter *filter);

/* The same in memory of its own; *filter goes to `measure` and `decide` with nothing around it. */
int32_t pex__filter_create(pex_env *env, const pex_params *params, const char *const bounds[2],
                           struct pex__filter **filter, struct pex_error *err);
void pex__filter_destroy(void *instance);

/* Drops the rows that the filter does not keep. texts, states: the column of the text field. */
int32_t pex__filter_rows(const struct pex__filter *filter, pex_batch *batch,
                         const struct pex_string_view *texts, const uint8_t *states, void *work);

#endif
