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

/* A job that neither waits nor holds has no part in the split: its units are others'. */
static int takes_part(const struct pex__demand *demand)
{
    return demand->waiting > 0 || demand->out > 0;
}

static double deficit(const struct pex__demand *demand)
{
    return (double)demand->granted / demand->weight;
}

/* Units that are left after the whole parts go to who got least for its weight so far. */
static struct pex__demand *neediest(struct pex__budget *budget)
{
    struct pex__demand *best = NULL;

    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next)
        if (takes_part(d) && d->share < d->num_proc &&
            (best == NULL || deficit(d) + d->share / d->weight < deficit(best) + best->share / best->weight))
            best = d;
    return best;
}

static void split(struct pex__budget *budget)
{
    struct pex__demand *taker;
    double weights = 0;
    int32_t left = budget->n;

    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next)
        weights += takes_part(d) ? d->weight : 0;
    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next) {
        d->share = takes_part(d) ? (int32_t)(budget->n * (d->weight / weights)) : 0;
        if (d->share > d->num_proc)
            d->share = d->num_proc;
        left -= d->share;
    }
    for (; left > 0 && (taker = neediest(budget)) != NULL; left--)
        taker->share++;
}

static int32_t needing(const struct pex__demand *demand)
{
    int32_t count = 0;

    for (const struct pex__claim *c = demand->claims; c != NULL; c = c->next)
        count += c->needs != 0;
    return count;
}

int32_t pex__claim_share(const struct pex__claim *claim)
{
    int32_t rank = 0;

    if (!claim->needs)
        return 0;
    split(claim->demand->budget);
    for (const struct pex__claim *c = claim->demand->claims; c != claim; c = c->next)
        rank += c->needs != 0;
    return claim->demand->share > 0 ? pex_scope_share(claim->demand->policy, claim->demand->share,
                                                      needing(claim->demand), rank)
                                    : 0;
}

/* The best waiting claim of one job, and by how much it is below its share. */
static struct pex__claim *pick_claim(const struct pex__demand *demand, int32_t *below)
{
    struct pex__claim *best = NULL;
    int32_t active = needing(demand), rank = 0;

    for (struct pex__claim *c = demand->claims; c != NULL; c = c->next) {
        int32_t share, gap;

        if (!c->needs)
            continue;
        share = demand->share > 0 ? pex_scope_share(demand->policy, demand->share, active, rank) : 0;
        gap = share - c->out;
        rank++;
        if (c->waiting == 0 || (demand->policy == PEX_SCOPE_BALANCED && gap <= 0))
            continue;
        if (best == NULL || (demand->policy == PEX_SCOPE_ELASTIC && gap > *below)) {
            best = c;
            *below = gap;
        }
    }
    return best;
}

struct pex__claim *pex__budget_pick(struct pex__budget *budget)
{
    struct pex__claim *best = NULL;
    int32_t best_below = 0;

    if (budget->waiting == 0 || budget->out >= budget->n)
        return NULL;
    split(budget);
    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next) {
        struct pex__claim *claim;
        int32_t below = 0;

        if (d->waiting == 0 || d->out >= d->num_proc)
            continue;
        claim = pick_claim(d, &below);
        if (claim != NULL && (best == NULL || below > best_below)) {
            best = claim;
            best_below = below;
        }
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
    claim->demand->budget->waiting++;
}

void pex__claim_unpark(struct pex__claim *claim)
{
    assert(claim->waiting > 0);
    claim->waiting--;
    claim->demand->waiting--;
    claim->demand->budget->waiting--;
}

void pex__budget_attach(struct pex__budget *budget, struct pex__demand *demand)
{
    struct pex__demand **at = &budget->demands;

    while (*at != NULL && (*at)->age <= demand->age)
        at = &(*at)->next;
    demand->budget = budget;
    demand->next = *at;
    demand->claims = NULL;
    demand->waiting = demand->out = demand->out_max = demand->share = 0;
    /* A newcomer does not get back what others had before it came. */
    demand->granted = 0;
    for (struct pex__demand *d = budget->demands; d != NULL; d = d->next)
        d->granted = 0;
    *at = demand;
    set_units(budget);
}

void pex__budget_detach(struct pex__demand *demand)
{
    struct pex__demand **at = &demand->budget->demands;

    assert(demand->claims == NULL && demand->waiting == 0 && demand->out == 0);
    while (*at != demand)
        at = &(*at)->next;
    *at = demand->next;
    set_units(demand->budget);
}

void pex__budget_lower(struct pex__budget *budget, int32_t ceiling)
{
    budget->ceiling = ceiling;
    set_units(budget);
}

void pex__claim_attach(struct pex__demand *demand, struct pex__claim *claim)
{
    struct pex__claim **at = &demand->claims;

    while (*at != NULL && (*at)->index < claim->index)
        at = &(*at)->next;
    claim->demand = demand;
    claim->waiting = claim->out = 0;
    claim->needs = 1;
    claim->next = *at;
    *at = claim;
}

void pex__claim_detach(struct pex__claim *claim)
{
    struct pex__claim **at = &claim->demand->claims;

    assert(claim->waiting == 0 && claim->out == 0);
    while (*at != claim)
        at = &(*at)->next;
    *at = claim->next;
}
