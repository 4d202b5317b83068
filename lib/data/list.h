/* SPDX-License-Identifier: Apache-2.0 */
/* What a listed file is taken as. */
#ifndef PEX_DATA_LIST_H
#define PEX_DATA_LIST_H

#include "data/input.h"

/*
 * Sets source->format and source->unwrap from the wanted format (PEX_FORMAT_*) and the name; looks
 * into the file where the name leaves a doubt. PEX_ENOTSUP, PEX_EIO, PEX_ENOENT.
 */
int32_t pex__list_format(struct pex__source *source, int32_t wanted, struct pex_error *err);

#endif
