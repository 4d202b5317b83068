/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Budgets: how many calls of an operator may run at a time, and whose turn it is.
 *
 * A *budget* has n units, for the whole context. A job that runs the operator has a *demand* on it,
 * capped by the job's own num_proc; each active partition of the job has a *claim*. A *lease* is
 * one unit taken for one claim. Plain structs and functions: no lock, no thread, no clock. The
 * scheduler calls them under its lock; so do the model and property tests.
 */
#ifndef PEX_RESOURCE_BUDGET_H
#define PEX_RESOURCE_BUDGET_H

#include <partexec/scope.h>

/* One partition's claim. */
struct pex__claim {
    struct pex__claim *next; /* next higher partition of the demand */
    struct pex__demand *demand;
    int32_t index;   /* of the partition: the rank order */
    int32_t waiting; /* batches parked */
    int32_t out;     /* leases held */
    int32_t needs;   /* non-zero while the partition has rows for this operator; see claim_end */
};

/* One job's demand. */
struct pex__demand {
    struct pex__demand *next; /* next younger job */
    struct pex__budget *budget;
    struct pex__claim *claims; /* ascending by index */
    uint64_t age;              /* of the job; smaller is older */
    uint64_t granted;          /* leases so far; the deficit that remainders rotate by */
    double weight;
    int32_t policy;   /* PEX_SCOPE_BALANCED or _ELASTIC */
    int32_t num_proc; /* the job's own cap */
    int32_t active;   /* its claims that need */
    int32_t waiting;  /* sums over its claims */
    int32_t out;
    int32_t out_max;   /* highest `out` so far */
    int32_t is_paused; /* gets no lease: its units are others' */
    int32_t share;     /* of the budget, as last split */
};

struct pex__budget {
    struct pex__demand *demands; /* ascending by age */
    int32_t n;       /* the largest num_proc of the demands, or less when instances cannot be had */
    int32_t ceiling; /* n never rises above it: what could be loaded; 0: no ceiling */
    int32_t out;
    int32_t waiting;   /* of demands that are not paused */
    int32_t lease_max; /* highest `out` so far */
};

/* Attaches a demand with its budget, age, weight, policy and num_proc set; n is set anew. */
void pex__budget_attach(struct pex__budget *budget, struct pex__demand *demand);
/* Detaches a demand that has no claims. n may fall below the leases that are out. */
void pex__budget_detach(struct pex__demand *demand);
/* No more than `ceiling` units, until the last job has left, or one asks for more. */
void pex__budget_lower(struct pex__budget *budget, int32_t ceiling);
/* Another cap for a job; n is set anew. n may fall below the leases that are out. */
void pex__budget_change(struct pex__demand *demand, int32_t num_proc);
/* A paused demand gets no lease; what it holds it returns. Whoever goes on is a newcomer: it does
 * not get back what others had meanwhile. */
void pex__budget_pause(struct pex__demand *demand, int32_t is_paused);

/* Adds a claim with index set; needs starts as 1. */
void pex__claim_attach(struct pex__demand *demand, struct pex__claim *claim);
/* Removes a claim that waits for nothing and holds nothing. */
void pex__claim_detach(struct pex__claim *claim);

/* No more rows will come for this claim. */
void pex__claim_end(struct pex__claim *claim);

/* A batch parks, or leaves without a lease. */
void pex__claim_park(struct pex__claim *claim);
void pex__claim_unpark(struct pex__claim *claim);

/* The claim's share now. */
int32_t pex__claim_share(const struct pex__claim *claim);

/*
 * Whose parked batch may be called next: NULL if no unit is free or no waiting claim may have one.
 * balanced: a claim that holds fewer than its share; elastic: the waiting claim with the largest
 * share - held, and first those of jobs that hold less than their own share. Ties by job age, then
 * partition. Only claims for which may_go is not zero count.
 */
struct pex__claim *pex__budget_pick(struct pex__budget *budget,
                                    int (*may_go)(const struct pex__claim *claim, const void *arg),
                                    const void *arg);
/* Takes a unit for a parked batch of the claim; a unit must be free. */
void pex__budget_lease(struct pex__claim *claim);
void pex__budget_return(struct pex__claim *claim);

#endif
