/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition that is read from front to back, because lines of compressed sources are in it: one
 * or several sources, of any form. Slices are cut behind the last whole row once slice_bytes are
 * there; the rest of the last row begins the next slice. One thread at a time.
 */
#ifndef PEX_DATA_INFLOW_H
#define PEX_DATA_INFLOW_H

#include "data/input.h"

struct pex__inflow;

/* buffer_bytes: of the decoder. input must outlive the stream; the places are copied. */
int32_t pex__inflow_create(const struct pex__input *input, const struct pex__place *begin,
                           const struct pex__place *end, uint64_t slice_bytes, size_t buffer_bytes,
                           struct pex__inflow **stream);
void pex__inflow_free(struct pex__inflow *stream);

/*
 * Fills the next slice. *is_end: nothing follows; the slice can be empty then. reader: for text
 * files, and lines to unwrap. Codes as pex__reader_read, and those of a decoder; the stream is not
 * to be read on after a failure.
 */
int32_t pex__inflow_read(struct pex__inflow *stream, struct pex__reader *reader,
                         struct pex__slice *slice, int *is_end, struct pex_error *err);
/* Memory that it holds. */
uint64_t pex__inflow_bytes(const struct pex__inflow *stream);

#endif
