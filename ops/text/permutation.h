/* SPDX-License-Identifier: Apache-2.0 */
/* The permutation of numpy's default_rng(42).permutation(count). */
#ifndef PEX_TEXT_PERMUTATION_H
#define PEX_TEXT_PERMUTATION_H

#include <stddef.h>
#include <stdint.h>

/* Fills in the numbers from 0 to count - 1 in their new order; count is below 2^32. */
void pex__permutation(uint32_t *index, size_t count);

#endif
