/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of many small pieces, all given back at once. */
#ifndef PEX_TEXT_SCRATCH_H
#define PEX_TEXT_SCRATCH_H

#include <stddef.h>

/* Zeros are the empty one. */
struct pex__scratch {
    struct pex__block *block;
};

/* Aligned to 16. NULL without memory. */
void *pex__scratch_alloc(struct pex__scratch *scratch, size_t size);
/* Forgets what is in it; the oldest block stays for what comes next. */
void pex__scratch_reset(struct pex__scratch *scratch);
void pex__scratch_free(struct pex__scratch *scratch);

#endif
