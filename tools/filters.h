/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators of a job write as stats, and between which bounds its filters keep rows. */
#ifndef TOOL_FILTERS_H
#define TOOL_FILTERS_H

#include "console.h"

#include <partexec/partexec.h>

#include <jansson.h>

/* By convention: parameters min_X and max_X, min_closed_interval, reversed_range. */
struct bounds {
    char *min_name; /* NULL: the filter has no such pair of parameters */
    char *max_name;
    double min, max; /* infinite: none */
    int min_is_closed, max_is_closed;
    int is_reversed; /* what is between them goes */
};

struct link {
    char *name;
    char *cardinality; /* "filter", "row_to_row", .. */
    size_t stat_count;
    size_t *stats; /* places in chain.stats that it writes */
    struct bounds bounds;
};

struct chain {
    size_t link_count; /* as many as `process` has entries */
    struct link *links;
    size_t stat_count;
    char **stats; /* keys, in the order of the chain, each once */
};

/* Reads the chain of a spec that pex_plan_explain has found good. */
void chain_read(struct chain *chain, pex_context *ctx, const pex_spec *spec);
void chain_free(struct chain *chain);
int link_is_filter(const struct link *link);
/* Operators that need all rows have no place where filters drop none. */
int link_is_left_out(const struct link *link);

#endif
