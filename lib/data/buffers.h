/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in memory of the host's: what a data set and the listings of jobs share. */
#ifndef PEX_DATA_BUFFERS_H
#define PEX_DATA_BUFFERS_H

#include "data/input.h"

#include <stdatomic.h>

struct pex__buffers {
    _Atomic int32_t refs;
    struct pex_string_view *views;
    size_t count;
    char *identity; /* what the host calls them */
    void (*release)(void *user);
    void *user;
};

/*
 * Takes note of `count` buffers, which are not copied; the views are. identity: NULL for "memory".
 * release: NULL for none; it is called by the last unref, with user. PEX_EINVAL (a buffer without
 * data, more bytes than there can be), PEX_ENOMEM; nothing is released then.
 */
int32_t pex__buffers_create(const struct pex_string_view *views, size_t count, const char *identity,
                            void (*release)(void *user), void *user, struct pex__buffers **buffers,
                            struct pex_error *err);
struct pex__buffers *pex__buffers_ref(struct pex__buffers *buffers);
void pex__buffers_unref(struct pex__buffers *buffers);

/* Lists buffers, each of JSON lines; the listing holds a reference. PEX_ELIMIT, PEX_ENOMEM. */
int32_t pex__input_list_buffers(struct pex__buffers *buffers, struct pex__input **input,
                                struct pex_error *err);

#endif
