/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines are in more than some number of rows. */
#ifndef PEX_TEXT_LINE_RESOLVE_H
#define PEX_TEXT_LINE_RESOLVE_H

#include <partexec/plugin.h>

#include <stdbool.h>

/* Hashes of lines in the key of a row, 8 bytes each as they are in memory. */
#define PEX__LINE_KEY_HASHES 8

/* Tells `apply` the hashes of the lines in more than `threshold` rows: nothing, if there is only
 * one row. Hashes are not 0. */
int32_t pex__line_resolve(pex_keys *keys, uint64_t threshold, struct pex_error *err);

/* Whether a hash is among what was told; not for nothing. */
bool pex__line_is_frequent(struct pex_string_view told, uint64_t hash);

#endif
