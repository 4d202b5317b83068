/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library: all signals blocked, a name for debuggers; and waiting with an end. */
#ifndef PEX_BASE_THREAD_H
#define PEX_BASE_THREAD_H

#include <pthread.h>
#include <stdint.h>

/* Starts run(argument) on a new thread. Returns 0 or PEX_ENOMEM (the system gives no more). */
int32_t pex__thread_start(pthread_t *thread, const char *name, void *(*run)(void *),
                          void *argument);

/* When a timeout that begins now is over: INT64_MAX, which stands for never, if it is negative. */
int64_t pex__deadline_ns(int64_t timeout_ns);
/* A condition for pex__cond_wait_until: setting the time of day does not move its deadlines. */
void pex__cond_init(pthread_cond_t *cond);
/* Waits for a signal, or until pex__now_ns is deadline_ns. */
void pex__cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t deadline_ns);

#endif
