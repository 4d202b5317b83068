/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store thread: one thread for file work that waits (append, fsync, rename), so that neither
 * the loop nor a worker does. Tasks run one by one, in the order they came.
 */
#ifndef PEX_STORE_STORE_H
#define PEX_STORE_STORE_H

#include <partexec/base.h>

struct pex__store;

struct pex__store_task {
    struct pex__store_task *next;
    void (*run)(struct pex__store_task *task); /* on the store thread; may free the task */
};

int32_t pex__store_create(struct pex__store **store, struct pex_error *err);
/* Runs what was given before, then ends the thread. NULL is allowed. */
void pex__store_free(struct pex__store *store);
/* Any thread. */
void pex__store_do(struct pex__store *store, struct pex__store_task *task);

#endif
