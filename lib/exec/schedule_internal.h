/* SPDX-License-Identifier: Apache-2.0 */
/* Between schedule.c (what happened), pick.c (what next) and credit.c (memory). */
#ifndef PEX_EXEC_SCHEDULE_INTERNAL_H
#define PEX_EXEC_SCHEDULE_INTERNAL_H

#include "exec/schedule.h"

/* Takes the write role: the finished tickets at the head of the window, as a list; only those of
 * one owner unless owner is PEX__ANY_OWNER. NULL: none. */
enum { PEX__ANY_OWNER = -1 };
struct pex__ticket *pex__window_take(struct pex__part *part, int32_t owner);
/* Reserves room for an opening part; 0: it must wait. */
int pex__part_admit(struct pex__part *part);
/* Gives the reserve back; the part holds nothing. */
void pex__part_release(struct pex__part *part);
/* The charge of a ticket of the part goes from `before` to `after`; never refused. */
void pex__part_charge(struct pex__part *part, uint64_t before, uint64_t after);
/* Non-zero if the part may be granted `cost` for its next slice. */
int pex__part_may_grant(const struct pex__part *part, uint64_t cost);
/* Bytes to charge for the next slice of the part: its own times the growth of the stage. */
uint64_t pex__part_price(const struct pex__part *part);
/* What a job that is held or stopped does not need: reserves above what is held; and which slice
 * that passed the limit goes first now. */
void pex__job_yield(struct pex__sjob *job);
/* The job goes on: its parts that hold nothing get reserves where there is room. */
void pex__job_reclaim(struct pex__sjob *job);
/* The lowest active part of the oldest job that goes on, or NULL. While a slice that passed
 * the limit is out it is the part of that slice: an older job that comes then passes after it. */
struct pex__part *pex__sched_lowest(const struct pex__sched *sched);
/* Over the limit, the part whose lowest unwritten ticket alone goes on: the lowest of all, or of
 * the job when only the job is over its own limit. NULL: no such bound. */
const struct pex__part *pex__sched_only(const struct pex__sched *sched,
                                        const struct pex__sjob *job);
int pex__ticket_may_go(const struct pex__sched *sched, const struct pex__ticket *ticket);

/* It gets steps: neither stopped nor paused. */
static inline int pex__job_goes_on(const struct pex__sjob *job)
{
    return !job->is_stopped && !job->is_paused;
}

static inline int pex__part_has_unread(const struct pex__part *part)
{
    return part->next_seq < part->slice_count;
}

/* A slice will be given out, now or once it is known. */
static inline int pex__part_goes_on(const struct pex__part *part)
{
    return part->is_open || pex__part_has_unread(part);
}

/* The lowest unwritten ticket; NULL: none is in the window. */
static inline struct pex__ticket *pex__part_first(const struct pex__part *part)
{
    if (part->head_seq == part->next_seq)
        return NULL;
    return part->ring[part->head_seq & (part->ring_size - 1)];
}

#endif
