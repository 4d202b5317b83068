/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks. Rules and state machines read none; they are handed the time. */
#ifndef PEX_BASE_CLOCK_H
#define PEX_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic nanoseconds. */
int64_t pex__now_ns(void);
/* CPU time of the calling thread, of the process, in nanoseconds. */
int64_t pex__thread_cpu_ns(void);
int64_t pex__process_cpu_ns(void);

#endif
