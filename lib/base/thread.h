/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library: all signals blocked, a name for debuggers. */
#ifndef PEX_BASE_THREAD_H
#define PEX_BASE_THREAD_H

#include <pthread.h>
#include <stdint.h>

/* Starts run(argument) on a new thread. Returns 0 or PEX_ENOMEM (the system gives no more). */
int32_t pex__thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument);

#endif
