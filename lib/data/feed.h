/* SPDX-License-Identifier: Apache-2.0 */
/* A source of the host's, read by callbacks: what its data set, the listings of jobs and the thread
 * that reads it share. */
#ifndef PEX_DATA_FEED_H
#define PEX_DATA_FEED_H

#include "data/input.h"

#include <partexec/dataset.h>

#include <pthread.h>
#include <stdatomic.h>

struct pex__feed {
    _Atomic int32_t refs;
    struct pex_source source; /* a copy; identity is not used */
    char *identity;           /* what messages call it */
    void *user;
    void (*release)(void *user);
    pthread_mutex_t lock; /* a leaf */
    int is_taken;         /* by a job that may still read it */
    int was_read;         /* from its start: the next job needs restart */
};

/* Copies the table. PEX_EINVAL, PEX_ENOTSUP, PEX_ENOMEM; release is not called then. */
int32_t pex__feed_create(const struct pex_source *source, void *user, void (*release)(void *user),
                         struct pex__feed **feed, struct pex_error *err);
struct pex__feed *pex__feed_ref(struct pex__feed *feed);
/* The last one calls release. */
void pex__feed_unref(struct pex__feed *feed);

/* A job wants to read it. PEX_EBUSY: another one does; PEX_ENOTSUP: it was read and cannot restart.
 */
int32_t pex__feed_take(struct pex__feed *feed, struct pex_error *err);
/* The job does not read it any more. */
void pex__feed_give_back(struct pex__feed *feed);

/*
 * The calls to the host, by one thread at a time; each may block. begin: restarts it if it was read
 * before. next: 1 (a piece, its bytes live until the next call), 0 (the same, and nothing follows)
 * or a code. All messages begin with the name.
 */
int32_t pex__feed_begin(struct pex__feed *feed, struct pex_error *err);
uint64_t pex__feed_size_hint(struct pex__feed *feed);
int32_t pex__feed_next(struct pex__feed *feed, struct pex_string_view *piece,
                       struct pex_error *err);

/* A listing of this one source, of a size that is not known. */
int32_t pex__input_list_feed(struct pex__feed *feed, struct pex__input **input,
                             struct pex_error *err);

#endif
