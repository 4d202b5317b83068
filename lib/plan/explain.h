/* SPDX-License-Identifier: Apache-2.0 */
/* What the two forms of an explanation share. */
#ifndef PEX_PLAN_EXPLAIN_H
#define PEX_PLAN_EXPLAIN_H

#include "plan/plan.h"

/* Sizes of partitions in bytes. */
struct pex__spread {
    uint64_t least;
    uint64_t most;
};

struct pex__spread pex__plan_spread(const struct pex__plan *plan);
const char *pex__policy_name(int32_t on_error);
/* The first op with the same budget, if it is not `index` itself, or -1. */
int64_t pex__budget_owner(const struct pex__plan *plan, size_t index);
/* The units of the budget of op `index`: the largest num_proc of all with the same key. */
int32_t pex__budget_units(const struct pex__plan *plan, size_t index);
/* Bytes that may be granted (C), and a partition's reserve of them. */
uint64_t pex__plan_granted(const struct pex__plan *plan);
uint64_t pex__plan_reserve(const struct pex__plan *plan);

int32_t pex__explain_text(const struct pex__plan *plan, const struct pex__machine *machine,
                          struct pex__buffer *out);
int32_t pex__explain_json(const struct pex__plan *plan, const struct pex__machine *machine,
                          struct pex__buffer *out);

#endif
