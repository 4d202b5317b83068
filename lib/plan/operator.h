/* SPDX-License-Identifier: Apache-2.0 */
/* An operator table of a caller: checked and copied into memory of our own. */
#ifndef PEX_PLAN_OPERATOR_H
#define PEX_PLAN_OPERATOR_H

#include "plan/registry.h"

/* PEX_EINVAL and PEX_ENOTSUP name the operator and what is wrong with the table. */
int32_t pex__operator_copy(const struct pex_operator *op, struct pex__operator **copy,
                           struct pex_error *err);
void pex__operator_free(struct pex__operator *op);
/* Index of a parameter of the table, or -1. */
int32_t pex__operator_param(const struct pex_operator *op, const char *name);

#endif
