/* SPDX-License-Identifier: Apache-2.0 */
/* The first row of all that have a key stays. */
#ifndef PEX_TEXT_FIRST_ROWS_H
#define PEX_TEXT_FIRST_ROWS_H

#include <partexec/plugin.h>

/* Keys are hashes of 16 bytes, one per row. */
int32_t pex__first_rows_resolve(pex_keys *keys, struct pex_error *err);

#endif
