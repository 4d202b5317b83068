/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the texts of a call, made once and shared by the filters that follow each other. */
#ifndef PEX_TEXT_COUNTS_H
#define PEX_TEXT_COUNTS_H

#include "kernel.h"
#include "text.h"

/* The counts per row; those of rows whose text is no string are zero. texts, states: the strings of
 * the text field. NULL without memory. */
struct pex__counts *pex__counts_of(pex_batch *batch, const struct pex__kernel *kernel,
                                   const struct pex_string_view *texts, const uint8_t *states);

/* As pex__counts_of, but only if they were made already. */
struct pex__counts *pex__counts_made(pex_batch *batch);

#endif
