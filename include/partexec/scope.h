/* SPDX-License-Identifier: Apache-2.0 */
/* The concurrency scoper's rule as a pure function. */
#ifndef PARTEXEC_SCOPE_H
#define PARTEXEC_SCOPE_H

#include <partexec/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEX_SCOPE_FLOOR 0    /* max(1, num_proc div active): the sum may pass num_proc */
#define PEX_SCOPE_BALANCED 1 /* num_proc div active, one more for the first num_proc mod active */
#define PEX_SCOPE_ELASTIC 2  /* the same shares as a guarantee; free units go to who waits */

/*
 * The share of an operator's budget of num_proc units that falls to the partition of rank `rank`
 * (0-based, by partition index) among `active` running partitions.
 *
 * Checked in this order: an unknown policy gives PEX_EINVAL; num_proc <= 0 (automatic) comes back
 * unchanged; active <= 0, rank < 0 or rank >= active give 0.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_scope_share(int32_t policy, int32_t num_proc, int32_t active, int32_t rank);

#ifdef __cplusplus
}
#endif

#endif
