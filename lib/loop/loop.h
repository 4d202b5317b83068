/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context's loop: one thread with a libuv loop of its own, an inbox and timers. What runs on it
 * decides about partitions and jobs, and never waits.
 */
#ifndef PEX_LOOP_LOOP_H
#define PEX_LOOP_LOOP_H

#include <partexec/base.h>

struct pex__loop;

/* Something to run on the loop thread. The poster owns the memory; it is free again when run
 * starts. */
struct pex__message {
    struct pex__message *next;
    void (*run)(struct pex__message *message);
    int64_t due_ns; /* of a timer */
};

int32_t pex__loop_create(struct pex__loop **loop, struct pex_error *err);
/* Runs what was posted before, ends the thread and closes everything; timers that are not due run
 * now, so that their owners can let go. NULL is allowed. */
void pex__loop_free(struct pex__loop *loop);

/* Runs message on the loop thread, in the order of posting. Any thread. */
void pex__loop_post(struct pex__loop *loop, struct pex__message *message);
/* The same after delay_ns. Any thread. */
void pex__loop_after(struct pex__loop *loop, struct pex__message *message, int64_t delay_ns);
/* Takes a timer back that is not due; on the loop's thread, in a message that was posted after it.
 * Returns 0 when it ran already. */
int pex__loop_forget(struct pex__loop *loop, struct pex__message *message);
/* Non-zero on the loop's thread. */
int pex__loop_is_current(const struct pex__loop *loop);

#endif
