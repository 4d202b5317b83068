/* SPDX-License-Identifier: Apache-2.0 */
#include "resource/budget.h"

#include <assert.h>
#include <stddef.h>

static void set_units(struct pex__budget *budget)
{
    int32_t n = 0;

    for (const struct pex__demand *d = budget->demands; d != NULL; d = d->next)
        n = d->num_proc > n ? d->num_proc : n;
    if (budget->ceiling > 0 && n > budget->ceiling)
        n = budget->ceiling;
    budget->n = n;
}

/* A job that neither waits nor holds has no part in the split: its units are others'. Nor has one
 * that is paused. */
static int takes_part(const struct pex__demand *demand)
{
    return !demand->is_paused && (demand->waiting > 0 || demand->out > 0);
}

/* What the job got so far, and will have with its share, for its weight. */
static double gains(const struct pex__demand *demand)
{
    return ((double)demand->granted + demand->share) / demand->weight;
}

/* Units that are left after the whole parts go to who got least for its weight so far. */
static struct pex__demand *neediest(struct pex__budget *budget)
{
    struct pex__demand *best = NULL;

    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next)
        if (takes_part(d) && d->share < d->num_proc && (best == NULL || gains(d) < gains(best)))
            best = d;
    return best;
}

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Sets the share of every job. */
static void split(struct pex__budget *budget)
{
    struct pex__demand *taker;
    double weights = 0;
    int32_t left = budget->n;

    if (budget->demands->next == NULL) {
        budget->demands->share = lesser(budget->n, budget->demands->num_proc);
        return;
    }
    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next)
        weights += takes_part(d) ? d->weight : 0;
    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next) {
        d->share = takes_part(d) ? (int32_t)(budget->n * (d->weight / weights)) : 0;
        d->share = lesser(d->share, d->num_proc);
        left -= d->share;
    }
    for (; left > 0 && (taker = neediest(budget)) != NULL; left--)
        taker->share++;
}

static int32_t share_of(const struct pex__demand *demand, int32_t rank)
{
    /* A share of 0 means automatic to pex_scope_share. */
    return demand->share > 0 ? pex_scope_share(demand->policy, demand->share, demand->active, rank)
                             : 0;
}

int32_t pex__claim_share(const struct pex__claim *claim)
{
    int32_t rank = 0;

    if (!claim->needs)
        return 0;
    split(claim->demand->budget);
    for (const struct pex__claim *c = claim->demand->claims; c != claim; c = c->next)
        rank += c->needs != 0;
    return share_of(claim->demand, rank);
}

/* The best waiting claim of one job, and by how much it is below its share. */
static struct pex__claim *pick_claim(const struct pex__demand *demand,
                                     int (*may_go)(const struct pex__claim *claim, const void *arg),
                                     const void *arg, int32_t *below)
{
    struct pex__claim *best = NULL;
    int32_t rank = 0, waiting = demand->waiting;

    for (struct pex__claim *c = demand->claims; waiting > 0; rank += c->needs != 0, c = c->next) {
        int32_t gap;

        if (c->waiting == 0)
            continue;
        waiting -= c->waiting;
        gap = share_of(demand, rank) - c->out;
        if ((demand->policy == PEX_SCOPE_BALANCED && gap <= 0) || !may_go(c, arg))
            continue;
        if (best == NULL || (demand->policy == PEX_SCOPE_ELASTIC && gap > *below)) {
            best = c;
            *below = gap;
        }
    }
    return best;
}

struct pex__claim *pex__budget_pick(struct pex__budget *budget,
                                    int (*may_go)(const struct pex__claim *claim, const void *arg),
                                    const void *arg)
{
    struct pex__claim *best = NULL;
    int32_t best_below = 0, best_is_owed = 0;

    if (budget->waiting == 0 || budget->out >= budget->n)
        return NULL;
    split(budget);
    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next) {
        int32_t below = 0, is_owed = d->out < d->share;
        struct pex__claim *claim;

        if (d->waiting == 0 || d->is_paused || d->out >= d->num_proc)
            continue;
        claim = pick_claim(d, may_go, arg, &below);
        if (claim == NULL || (best != NULL && (is_owed < best_is_owed ||
                                               (is_owed == best_is_owed && below <= best_below))))
            continue;
        best = claim;
        best_below = below;
        best_is_owed = is_owed;
    }
    return best;
}

void pex__budget_lease(struct pex__claim *claim)
{
    struct pex__budget *budget = claim->demand->budget;

    assert(claim->waiting > 0 && budget->out < budget->n);
    pex__claim_unpark(claim);
    claim->out++;
    claim->demand->out++;
    claim->demand->granted++;
    if (claim->demand->out > claim->demand->out_max)
        claim->demand->out_max = claim->demand->out;
    budget->out++;
    if (budget->out > budget->lease_max)
        budget->lease_max = budget->out;
}

void pex__budget_return(struct pex__claim *claim)
{
    assert(claim->out > 0 && claim->demand->out > 0 && claim->demand->budget->out > 0);
    claim->out--;
    claim->demand->out--;
    claim->demand->budget->out--;
}

void pex__claim_park(struct pex__claim *claim)
{
    claim->waiting++;
    claim->demand->waiting++;
    claim->demand->budget->waiting += !claim->demand->is_paused;
}

void pex__claim_unpark(struct pex__claim *claim)
{
    assert(claim->waiting > 0);
    claim->waiting--;
    claim->demand->waiting--;
    claim->demand->budget->waiting -= !claim->demand->is_paused;
}

/* A newcomer does not get back what others had before it came. */
static void forget_deficits(struct pex__budget *budget)
{
    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next)
        d->granted = 0;
}

void pex__budget_attach(struct pex__budget *budget, struct pex__demand *demand)
{
    struct pex__demand **at = &budget->demands;

    while (*at != NULL && (*at)->age <= demand->age)
        at = &(*at)->next;
    demand->budget = budget;
    demand->next = *at;
    demand->claims = NULL;
    demand->active = demand->waiting = demand->out = demand->out_max = demand->share = 0;
    demand->is_paused = 0;
    *at = demand;
    forget_deficits(budget);
    set_units(budget);
}

void pex__budget_detach(struct pex__demand *demand)
{
    struct pex__demand **at = &demand->budget->demands;

    assert(demand->claims == NULL && demand->waiting == 0 && demand->out == 0);
    while (*at != demand)
        at = &(*at)->next;
    *at = demand->next;
    /* Whoever comes when nobody is left may try again what could not be loaded. */
    if (demand->budget->demands == NULL)
        demand->budget->ceiling = 0;
    set_units(demand->budget);
}

void pex__budget_lower(struct pex__budget *budget, int32_t ceiling)
{
    budget->ceiling = ceiling;
    set_units(budget);
}

void pex__budget_change(struct pex__demand *demand, int32_t num_proc)
{
    /* Who asks for more may try again what could not be loaded. */
    if (num_proc > demand->num_proc)
        demand->budget->ceiling = 0;
    demand->num_proc = num_proc;
    set_units(demand->budget);
}

void pex__budget_pause(struct pex__demand *demand, int32_t is_paused)
{
    if (demand->is_paused == is_paused)
        return;
    demand->is_paused = is_paused;
    demand->budget->waiting += is_paused ? -demand->waiting : demand->waiting;
    if (!is_paused)
        forget_deficits(demand->budget);
}

void pex__claim_attach(struct pex__demand *demand, struct pex__claim *claim)
{
    struct pex__claim **at = &demand->claims;

    while (*at != NULL && (*at)->index < claim->index)
        at = &(*at)->next;
    claim->demand = demand;
    claim->waiting = claim->out = 0;
    claim->needs = 1;
    demand->active++;
    claim->next = *at;
    *at = claim;
}

void pex__claim_end(struct pex__claim *claim)
{
    claim->demand->active -= claim->needs;
    claim->needs = 0;
}

void pex__claim_detach(struct pex__claim *claim)
{
    struct pex__claim **at = &claim->demand->claims;

    assert(claim->waiting == 0 && claim->out == 0);
    pex__claim_end(claim);
    while (*at != claim)
        at = &(*at)->next;
    *at = claim->next;
}
