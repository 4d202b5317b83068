/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of a mapper over the texts of its rows. */
#ifndef PEX_TEXT_MAPPER_H
#define PEX_TEXT_MAPPER_H

#include "bytes.h"
#include "kernel.h"
#include "text.h"

#include <stdbool.h>

/* What every mapper on a text has; the first member of an instance that has more. */
struct pex__mapper {
    const struct pex__kernel *kernel;
    char *text_key;
};

/* One text on its way through a mapper. */
struct pex__mapping {
    pex_batch *batch;
    size_t row;
    struct pex_string_view text;
    struct pex__bytes *out; /* scratch, empty at the start of each text */
    void *state;            /* the operator's own, for one call */
};

/* Changes one text with pex__map_set, or fails its row with pex__map_fail, or leaves it. Returns 0
 * or a code that fails the call. */
typedef int32_t pex__map_fn(const struct pex__mapper *mapper, const struct pex__mapping *at);

/* Sets up an instance in memory of the caller's. Returns 0 or a code with its text in err. */
int32_t pex__mapper_init(struct pex__mapper *mapper, const pex_params *params,
                         struct pex_error *err);
void pex__mapper_release(struct pex__mapper *mapper);

/* For the operator table of a mapper that has no state of its own. */
int32_t pex__mapper_create(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err);
void pex__mapper_destroy(void *instance);

/* Maps every row whose text is a string; fails the others. */
int32_t pex__map_rows(const struct pex__mapper *mapper, pex_batch *batch, pex__map_fn *map);
int32_t pex__map_rows_with(const struct pex__mapper *mapper, pex_batch *batch, pex__map_fn *map,
                           void *state);

/* The new text: a part of the old one, what is in `out`, or in pex__map_room. */
int32_t pex__map_set(const struct pex__mapping *at, const char *data, size_t length);
/* Room for a new text of at most `size` bytes, which saves a copy; NULL without memory. */
char *pex__map_room(const struct pex__mapping *at, size_t size);
int32_t pex__map_fail(const struct pex__mapping *at, int32_t code, const char *message);

#endif
