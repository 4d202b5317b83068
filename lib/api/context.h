/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PEX_API_CONTEXT_H
#define PEX_API_CONTEXT_H

#include "job/job.h"

struct pex_context {
    struct pex__core *core;
};

struct pex_dataset {
    struct pex__core *core;
    char **paths;
    size_t count;
    int32_t format;
    struct pex__buffers *buffers; /* the host's memory, or NULL */
    struct pex__feed *feed;       /* the host's source, or NULL */
};

/* Copies an options struct of any age: a short one is zero-filled, a tail that we do not know must
 * be zero. Returns 0, PEX_EINVAL or PEX_ENOTSUP. from: NULL gives all zeros. */
int32_t pex__options_copy(void *to, size_t size, const void *from, struct pex_error *err);

/* The listing of a data set, made anew for each job. */
int32_t pex__dataset_list(const pex_dataset *dataset, struct pex__input **input,
                          struct pex_error *err);

#endif
