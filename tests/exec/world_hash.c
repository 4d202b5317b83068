/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a state: equal when the same can follow. */
#include "world.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_part(const struct world_part *own, size_t steps, uint64_t hash)
{
    const struct pex__part *part = &own->part;
    uint64_t flags = 0;

    hash = mix(hash, part->next_seq << 32 | part->head_seq);
    hash = mix(hash, part->slice_count << 1 | (uint64_t)part->is_open);
    if (part->is_open)
        hash = mix(hash, (uint64_t)part->reader);
    hash = mix(hash, part->reserve);
    flags = (uint64_t)part->is_active | (uint64_t)part->is_writing << 1 |
            (uint64_t)part->is_through << 2 | (uint64_t)part->has_file << 3 |
            (uint64_t)part->is_appending << 4 | (uint64_t)part->is_drained << 5 |
            (uint64_t)part->is_out << 6 | (uint64_t)own->append_asked << 7 |
            (uint64_t)own->is_out << 8 | (uint64_t)part->has_passed << 9;
    hash = mix(hash, flags << 32 | own->in_file << 16 | own->written);
    for (uint64_t seq = part->head_seq; seq < part->next_seq; seq++) {
        const struct pex__ticket *t = part->ring[seq & (part->ring_size - 1)];

        if (t == NULL)
            continue;
        hash = mix(hash, seq << 32 | (uint64_t)t->step << 8 | (uint64_t)t->state);
        hash = mix(hash, t->cost);
        hash = mix(hash, t->peak << 2 | (uint64_t)t->owner);
        hash = mix(hash, t->rows << 1 | (uint64_t)t->is_alone);
    }
    for (size_t i = 0; i < steps; i++)
        hash = mix(hash, (uint64_t)own->lanes[i].claim.needs);
    return hash;
}

static uint64_t hash_job(const struct world *world, int32_t j, uint64_t hash)
{
    const struct world_job *job = &world->jobs[j];
    uint64_t growth;

    memcpy(&growth, &job->sjob.growth, sizeof growth);
    hash = mix(hash, growth);
    hash = mix(hash, (uint64_t)job->has_entered | (uint64_t)job->has_left << 1 |
                         (uint64_t)job->sjob.is_stopped << 2 | (uint64_t)job->export_is_busy << 3 |
                         (uint64_t)job->host_is_told << 4 | (uint64_t)job->host_is_busy << 5 |
                         (uint64_t)job->sjob.is_held << 6 | (uint64_t)job->sjob.is_paused << 7 |
                         (uint64_t)job->sjob.head << 8 | (uint64_t)job->opened << 16 |
                         (uint64_t)job->active << 24 | (uint64_t)job->out << 32);
    /* Alone, a job's progress and deficits decide nothing. */
    if (world->spec->job_count > 1) {
        hash = mix(hash, job->sjob.bytes_read);
        for (size_t i = 0; i < job->sjob.step_count; i++)
            hash = mix(hash, job->steps[i].demand.granted);
    }
    for (size_t i = 0; i < job->sjob.step_count && world->spec->budgets > 0; i++)
        hash = mix(hash, (uint64_t)job->steps[i].demand.num_proc);
    for (int32_t p = 0; p < job->opened; p++)
        hash = hash_part(&job->own[p], job->sjob.step_count, hash);
    return hash;
}

static uint64_t hash_running(const struct world *world, const struct running *running)
{
    const struct pex__step *step = &running->step;
    uint64_t hash = mix(1, (uint64_t)step->kind << 2 | (uint64_t)running->is_cut << 1 |
                               (uint64_t)running->is_host);

    if (step->part != NULL)
        hash = mix(hash,
                   (uint64_t)((const struct world_job *)(const void *)step->part->job - world->jobs)
                           << 8 |
                       (uint64_t)step->part->index);
    if (step->job != NULL)
        hash = mix(hash, step->job->age);
    if (running->hand_part != NULL)
        hash = mix(hash, running->hand_seq << 9 | (uint64_t)running->hand_part->index << 1 |
                             (uint64_t)running->of_worker);
    if (step->pool != NULL)
        hash = mix(hash, (uint64_t)(step->pool - world->pools) << 8 | step->at);
    if (step->unit != NULL)
        hash = mix(hash, (uint64_t)step->unit->is_gone);
    for (const struct pex__ticket *t = step->ticket; t != NULL; t = t->next)
        hash = mix(hash, t->seq << 32 | t->cost);
    return mix(hash, (uint64_t)step->through);
}

uint64_t world_hash(const struct world *world)
{
    uint64_t hash = 1, running = 0;

    hash = mix(hash, world->served != NULL ? (uint64_t)(world->served - world->pools) + 1 : 0);
    for (int32_t j = 0; j < world->spec->job_count; j++)
        hash = hash_job(world, j, hash);
    for (int32_t i = 0; i < world->spec->pool_count; i++) {
        const struct pex__pool *pool = &world->pools[i];
        uint64_t idle = 0;

        for (const struct pex__unit *u = pool->idle; u != NULL; u = u->next)
            idle++;
        hash = mix(hash, idle | (uint64_t)pool->loaded << 8 | (uint64_t)pool->loading << 16 |
                             (uint64_t)pool->budget.ceiling << 24 | (uint64_t)pool->budget.n << 32 |
                             (uint64_t)pool->surplus << 48);
    }
    /* Workers are alike: which of them does what makes no difference. */
    for (int32_t r = 0; r < world->running_count; r++)
        running += hash_running(world, &world->running[r]);
    hash = mix(hash, running);
    hash = mix(hash, world->passed != NULL ? world->passed->job->age + 1 : 0);
    hash = mix(hash, (uint64_t)world->agains | (uint64_t)world->laters << 8 |
                         (uint64_t)world->breaks << 16 | (uint64_t)world->load_failures << 24 |
                         (uint64_t)world->evictions << 32 | (uint64_t)world->holds << 40 |
                         (uint64_t)world->pauses << 48 | (uint64_t)world->budgets << 56);
    return hash;
}
