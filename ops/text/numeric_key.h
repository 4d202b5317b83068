/* SPDX-License-Identifier: Apache-2.0 */
/* Values of any type as numbers to select by. */
#ifndef PEX_TEXT_NUMERIC_KEY_H
#define PEX_TEXT_NUMERIC_KEY_H

#include "bytes.h"
#include "value.h"

/*
 * Appends the key of a value as a number: a text that is one, the mean of a list, else the value
 * itself. What is unusable (NULL and null, too) counts as -(2^63 - 1), or with is_last_high as
 * 2^63 - 1. Returns 0 or PEX_ENOMEM.
 */
int32_t pex__numeric_key(struct pex__bytes *key, const struct pex__value *value, bool is_last_high);

#endif
