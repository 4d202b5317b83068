/* SPDX-License-Identifier: Apache-2.0 */
/* Between schedule.c (what happened), pick.c (what next) and credit.c (memory). */
#ifndef PEX_EXEC_SCHEDULE_INTERNAL_H
#define PEX_EXEC_SCHEDULE_INTERNAL_H

#include "exec/schedule.h"

/* Takes the write role: the finished tickets at the head of the window, as a list. NULL: none. */
struct pex__ticket *pex__window_take(struct pex__part *part);
/* Reserves room for an opening part; 0: it must wait. */
int pex__part_admit(struct pex__part *part);
/* Gives the reserve back; the part holds nothing. */
void pex__part_release(struct pex__part *part);
/* The charge of a ticket of the part goes from `before` to `after`; never refused. */
void pex__part_charge(struct pex__part *part, uint64_t before, uint64_t after);
/* Non-zero if the part may be granted `cost` for its next slice. */
int pex__part_may_grant(const struct pex__part *part, uint64_t cost);
/* The lowest active part of the oldest job that is not stopped, or NULL. */
struct pex__part *pex__sched_lowest(const struct pex__sched *sched);
/* Over the limit, the part whose lowest unwritten ticket alone goes on: the lowest of all, or of the
 * job when only the job is over its own limit. NULL: no such bound. */
const struct pex__part *pex__sched_only(const struct pex__sched *sched, const struct pex__sjob *job);
int pex__ticket_may_go(const struct pex__sched *sched, const struct pex__ticket *ticket);

#endif
