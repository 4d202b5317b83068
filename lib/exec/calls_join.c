/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call on the rows of several batches. What the operator is content with is committed batch by
 * batch. When it fails, nothing is decided: each batch is called again by itself, with the rows
 * that it had in this call, so that what becomes of a row does not depend on which batches met
 * (docs/design/joined-calls.md).
 */
#include "exec/calls.h"

#include "base/error.h"

struct join {
    struct pex__window_call parts[PEX__CALL_TICKETS];
    size_t count;
    pex_batch *batch;
};

/* The rows that each work gives to the call. A work that has none left is done with the step. */
static void cut_windows(struct pex__run *run, struct pex__work *list, struct join *join)
{
    struct pex__run_step *step = &run->steps[list->step];
    size_t most = (size_t)step->op->batch_size;

    join->count = 0;
    for (struct pex__ticket *ticket = &list->ticket; ticket != NULL; ticket = ticket->next) {
        struct pex__work *work = pex__work_of(ticket);
        size_t count = pex__batch_rows(work->batch) - work->cursor;

        ticket->end = count == 0 ? PEX__END_NEXT : PEX__END_AGAIN;
        if (count > most)
            count = most;
        most -= count;
        if (count > 0)
            join->parts[join->count++] =
                (struct pex__window_call){run, step, work, NULL, work->cursor, count};
    }
}

static void abort_from(struct join *join, size_t i)
{
    for (; i < join->count; i++)
        if (join->parts[i].batch != NULL)
            pex__call_abort(join->parts[i].batch);
}

static int begin(struct pex__run *run, struct join *join)
{
    pex_batch *batches[PEX__CALL_TICKETS];

    for (size_t i = 0; i < join->count; i++) {
        struct pex__window_call *part = &join->parts[i];

        batches[i] = part->batch = pex__call_begin(part->work->batch, &part->step->plan->site,
                                                   part->first, part->count, &run->cancelled);
        if (batches[i] == NULL)
            return 0;
    }
    join->batch = pex__call_join(batches, join->count);
    return join->batch != NULL;
}

static void all_gone(struct pex__work *list)
{
    for (struct pex__ticket *ticket = &list->ticket; ticket != NULL; ticket = ticket->next)
        ticket->end = PEX__END_GONE;
}

/* Returns 0 when the run failed. */
static int commit(struct join *join, struct pex_error *err)
{
    size_t count = pex__call_split(join->batch), i = 0;
    int32_t end = PEX__END_NEXT;

    for (; i < count && end != PEX__END_GONE; i++) {
        end = pex__calls_committed(&join->parts[i], err);
        join->parts[i].work->ticket.end = end;
    }
    abort_from(join, i);
    return end != PEX__END_GONE;
}

/* Returns 0 when the run failed, or is cancelled. */
static int fall_apart(struct join *join, int32_t code, int *is_broken, struct pex_error *err)
{
    struct pex__run *run = join->parts[0].run;

    if (pex__run_is_cancelled(run))
        return 0;
    if (code == PEX_EFATAL) {
        pex__calls_fail(&join->parts[0], code, err);
        return 0;
    }
    *is_broken = code == PEX_EINSTANCE;
    for (size_t i = 0; i < join->count; i++) {
        struct pex__work *work = join->parts[i].work;

        work->window = join->parts[i].count;
        work->is_apart = 1;
        work->instances += *is_broken;
        if (code == PEX_EAGAIN && pex__calls_set_backoff(work))
            work->ticket.end = PEX__END_LATER;
    }
    return 1;
}

void pex__run_call_joined(struct pex__run *run, struct pex__work *list,
                          const struct pex__handle *instance, int *is_broken)
{
    struct pex__window_call all;
    struct pex_error err;
    struct join join;
    int32_t code;
    int goes_on;

    cut_windows(run, list, &join);
    if (pex__run_is_cancelled(run)) {
        all_gone(list);
        return;
    }
    if (join.count == 0)
        return;
    if (!begin(run, &join)) {
        abort_from(&join, 0);
        pex__calls_fail(&join.parts[0], pex__error_memory(&err), &err);
        all_gone(list);
        return;
    }
    all = join.parts[0];
    all.batch = join.batch;
    code = pex__calls_invoke(&all, instance, &err);
    if (code < 0)
        abort_from(&join, 0);
    goes_on = code >= 0 ? commit(&join, &err) : fall_apart(&join, code, is_broken, &err);
    if (!goes_on)
        all_gone(list);
}
