/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "exec/run.h"

#include <string.h>

/* Buffers above this go back to the system, so that one large row leaves no large buffers behind.
 */
enum { KEEP_BYTES = 1024 * 1024 };

static void on_backoff_end(struct pex__message *message)
{
    struct pex__work *work =
        (struct pex__work *)(void *)((char *)message - offsetof(struct pex__work, timer));

    pex__engine_lock(work->engine);
    pex__sched_wake(&work->ticket);
    pex__engine_unlock(work->engine);
}

struct pex__ticket *pex__work_create(struct pex__engine *engine)
{
    struct pex__work *work = pex__calloc(1, sizeof *work);

    if (work == NULL)
        return NULL;
    work->engine = engine;
    work->timer.run = on_backoff_end;
    work->attempt = 1;
    work->out.heap = work->stats.heap = engine->heap;
    work->rejects.heap = work->keys.heap = engine->heap;
    return &work->ticket;
}

static void empty(struct pex__buffer *buffer)
{
    buffer->length = 0;
    if (buffer->capacity > KEEP_BYTES)
        pex__buffer_free(buffer);
}

void pex__work_recycle(struct pex__work *work)
{
    if (work->batch != NULL)
        pex__batch_reset(work->batch, KEEP_BYTES);
    empty(&work->out);
    empty(&work->stats);
    empty(&work->rejects);
    empty(&work->keys);
    work->cursor = work->window = work->failed_end = work->bad_end = 0;
    work->search_calls = work->attempts = work->instances = work->is_apart = 0;
    work->paused_ns = 0;
    work->attempt = 1;
    work->step_in = work->step_rejected = 0;
    pex__free(work->whole_message);
    work->whole_message = NULL;
    work->out_rows = work->key_count = 0;
    work->lines = work->rows = work->blank = work->bad = work->input_bytes = work->errors = 0;
    pex__free(work->first_error);
    pex__free(work->failure);
    work->first_error = NULL;
    work->failure = NULL;
    if (work->tallies != NULL)
        memset(work->tallies, 0, work->tally_capacity * sizeof *work->tallies);
}

void pex__tally_add(struct pex__tally *sum, const struct pex__tally *tally)
{
    sum->in += tally->in;
    sum->added += tally->added;
    sum->out += tally->out;
    sum->dropped += tally->dropped;
    sum->quarantined += tally->quarantined;
    sum->skipped += tally->skipped;
    sum->spared += tally->spared;
    sum->reached += tally->reached;
    sum->lost += tally->lost;
    sum->calls += tally->calls;
    sum->ns += tally->ns;
}

void pex__work_free(struct pex__work *work)
{
    pex__batch_free(work->batch);
    pex__buffer_free(&work->out);
    pex__buffer_free(&work->stats);
    pex__buffer_free(&work->rejects);
    pex__buffer_free(&work->keys);
    pex__free(work->whole_message);
    pex__free(work->tallies);
    pex__free(work->first_error);
    pex__free(work->failure);
    pex__free(work);
}
