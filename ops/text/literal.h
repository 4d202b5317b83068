/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and strings as Python writes them. */
#ifndef PEX_TEXT_LITERAL_H
#define PEX_TEXT_LITERAL_H

#include "value.h"

#include <partexec/base.h>

/*
 * The literal at source[*at], which is a digit, a point with a digit behind it, or a quote with or
 * without a prefix (prefix: its length); *at goes behind it. Returns 0, PEX_ENOMEM, or PEX_EINVAL
 * with the reason in *fault.
 */
int32_t pex__literal_number(struct pex__scratch *scratch, struct pex_string_view source, size_t *at,
                            struct pex__value *value, const char **fault);
int32_t pex__literal_string(struct pex__scratch *scratch, struct pex_string_view source, size_t *at,
                            size_t prefix, struct pex__value *value, const char **fault);

#endif
