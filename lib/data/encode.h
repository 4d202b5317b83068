/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as JSON lines. */
#ifndef PEX_DATA_ENCODE_H
#define PEX_DATA_ENCODE_H

#include "data/overlay.h"

/* Appends a row that is no part of a run, and its LF. */
int32_t pex__encode_row(struct pex__batch *batch, size_t row, int keep_stats,
                        struct pex__buffer *out);

#endif
