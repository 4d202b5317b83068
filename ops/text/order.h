/* SPDX-License-Identifier: Apache-2.0 */
/* Values as bytes of which memcmp and the length tell the order, and equality. */
#ifndef PEX_TEXT_ORDER_H
#define PEX_TEXT_ORDER_H

#include "bytes.h"
#include "value.h"

/* What the first byte says of the value; values of different kinds have no order. */
#define PEX__ORDER_NONE 1 /* null, an object, or a list with one: it has none at all */
#define PEX__ORDER_NUMBER 2
#define PEX__ORDER_TEXT 3
#define PEX__ORDER_LIST 4

/* Appends the bytes of a value that came from JSON; of one without an order the first alone.
 * Returns 0 or PEX_ENOMEM. */
int32_t pex__order_append(struct pex__bytes *key, const struct pex__value *value);

#endif
