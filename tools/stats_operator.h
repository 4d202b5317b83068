/* SPDX-License-Identifier: Apache-2.0 */
/* The last operator of an analysis: it counts the stats of the rows, and lets no row through. */
#ifndef TOOL_STATS_OPERATOR_H
#define TOOL_STATS_OPERATOR_H

#include "number_bag.h"
#include "value_bag.h"

#include <pthread.h>

#include <partexec/partexec.h>

/* What came under one key. */
struct stat_counts {
    pthread_mutex_t lock;
    struct number_bag numbers;
    struct value_bag values;
    uint64_t missing; /* rows without it */
};

struct stats_counts {
    size_t count;
    struct stat_counts *stats;
};

void stats_counts_init(struct stats_counts *counts, size_t count);
void stats_counts_free(struct stats_counts *counts);

/*
 * Registers the operator for these keys; counts must outlive the context. Returns what
 * pex_operator_register does.
 */
int32_t stats_operator_register(pex_context *ctx, char *const *keys, struct stats_counts *counts,
                                struct pex_error *err);

extern const char stats_operator_name[];

#endif
