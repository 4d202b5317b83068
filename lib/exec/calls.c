/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of an operator on a window of a batch: a transaction, and what its answer leads to. A
 * failing window is made smaller until the rows that fail are found; rows that fail go by the
 * policy.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "exec/calls.h"

enum {
    INSTANCE_TRIES = 3,
    SEARCH_CALLS = 64 /* calls to find the rows of a batch that fail */
};

/* Pauses before a call is made again that answered PEX_EAGAIN: each twice the one before, and all
 * of a batch in one operator together at most so much. The first call has nine. */
#define PAUSE_FIRST_NS INT64_C(1000000)
#define PAUSES_MOST_NS INT64_C(600000000)

int32_t pex__calls_fail(const struct pex__window_call *call, int32_t code, struct pex_error *err)
{
    pex__error_prefix(err, code, "partition %d: operator %s", (int)call->work->ticket.part->index,
                      call->step->op->operator->op.name);
    pex__run_fail(call->run, err);
    return PEX__END_GONE;
}

/* The operator gave up on these rows. */
static int32_t give_up(const struct pex__window_call *call, int32_t code, struct pex_error *err)
{
    struct pex_row_id first;

    pex__batch_ids(call->work->batch, call->first, 1, &first);
    pex__run_name_rows(call->run, &first, call->count, "", err);
    return pex__calls_fail(call, code, err);
}

static int may_halve(const struct pex__window_call *call)
{
    return (call->step->op->operator->op.flags & PEX_OP_BATCH_SENSITIVE) == 0 && call->count > 1;
}

/* An operator names rows in any order. */
static const struct pex__reject *lowest(const struct pex__reject *rejects, size_t count)
{
    const struct pex__reject *low = rejects;

    for (size_t i = 1; i < count; i++)
        if (rejects[i].id.source < low->id.source ||
            (rejects[i].id.source == low->id.source && rejects[i].id.offset < low->id.offset))
            low = &rejects[i];
    return low;
}

/* Rows that failed are gone from the batch; `fail` ends the job with the first of them. unknown: of
 * how many rows that went only one must have failed; 1: each did. */
static int32_t by_policy(const struct pex__window_call *call, size_t failed, size_t unknown,
                         struct pex_error *err)
{
    struct pex__tally *tally = pex__work_tally(call->work, call->step->plan->op);
    const struct pex__reject *rejects;
    size_t count;

    if (failed == 0)
        return PEX__END_NEXT;
    if (call->step->op->on_error == PEX__ON_ERROR_QUARANTINE) {
        tally->quarantined += failed;
        return PEX__END_NEXT;
    }
    if (call->step->op->on_error == PEX__ON_ERROR_SKIP) {
        tally->dropped += failed;
        tally->skipped += failed;
        return PEX__END_NEXT;
    }
    rejects = pex__batch_rejects(call->work->batch, &count);
    rejects = lowest(rejects + count - failed, failed);
    if (pex__run_fail_row(call->run, call->work, rejects, unknown) != 0)
        return pex__calls_fail(call, pex__error_memory(err), err);
    return PEX__END_NEXT;
}

static int32_t reject(const struct pex__window_call *call, int32_t code, const char *message,
                      struct pex_error *err)
{
    struct pex__tally *tally = pex__work_tally(call->work, call->step->plan->op);
    size_t reached = call->step->plan->site.keeps_dropped
                         ? pex__batch_reached(call->work->batch, call->first, call->count)
                         : 0;

    if (pex__batch_reject_rows(call->work->batch, call->first, call->count, call->step->plan->op,
                               code, call->work->attempt, message) != 0)
        return pex__calls_fail(call, pex__error_memory(err), err);
    if (call->step->plan->phase != PEX__PHASE_APPLY)
        tally->in += call->count;
    tally->reached += reached;
    call->work->step_rejected += call->count;
    return by_policy(call, call->count, call->count, err);
}

/* Notes a ticket whose every row failed with whole calls. Whether the operator is broken is judged
 * where tickets are counted in order, so that the verdict does not depend on which came first. */
static void note_whole(const struct pex__window_call *call, int32_t code,
                       const struct pex_error *err)
{
    struct pex__work *work = call->work;

    if (work->step_rejected < work->step_in)
        return;
    pex__work_tally(work, call->step->plan->op)->whole_code = code;
    pex__free(work->whole_message);
    work->whole_message = pex__strdup(err->message);
}

/* Its rows are decided, one way or the other. */
static void call_is_over(struct pex__work *work)
{
    work->attempts = work->instances = 0;
    if (work->is_apart)
        work->window = 0;
    work->is_apart = 0;
}

static int32_t next_window(struct pex__work *work)
{
    return work->cursor < pex__batch_rows(work->batch) ? PEX__END_AGAIN : PEX__END_NEXT;
}

/* While rows that fail are searched: half of those among which one must be, or all the rest. */
static void set_search_window(struct pex__work *work)
{
    if (work->bad_end <= work->cursor)
        work->bad_end = 0;
    if (work->cursor >= work->failed_end)
        work->failed_end = work->bad_end = work->window = 0;
    else if (work->bad_end != 0)
        work->window = (work->bad_end - work->cursor + 1) / 2;
    else
        work->window = work->failed_end - work->cursor;
}

int32_t pex__calls_committed(const struct pex__window_call *call, struct pex_error *err)
{
    struct pex__work *work = call->work;
    struct pex__tally *tally = pex__work_tally(work, call->step->plan->op);
    struct pex__call_result result;
    int32_t end;

    if (pex__call_commit(call->batch, work->attempt, &result, err) != 0)
        return pex__calls_fail(call, err->code, err);
    if (call->step->plan->phase != PEX__PHASE_APPLY)
        tally->in += result.in;
    if (call->step->plan->phase != PEX__PHASE_OBSERVE)
        tally->out += result.out;
    tally->added += result.added;
    tally->dropped += result.dropped;
    tally->spared += result.spared;
    tally->reached += result.reached;
    tally->lost += result.lost;
    call_is_over(work);
    work->cursor = call->first + result.out;
    if (work->failed_end != 0) {
        work->search_calls++;
        /* The ends move with the rows. */
        work->failed_end = work->failed_end + result.out - result.in;
        if (work->bad_end != 0)
            work->bad_end = work->bad_end + result.out - result.in;
        set_search_window(work);
    }
    /* Else a window that memory made small stays so for the rest of the batch. */
    end = by_policy(call, result.failed, 1, err);
    return end != PEX__END_NEXT ? end : next_window(work);
}

/* Zero when the pauses are used up. */
int pex__calls_set_backoff(struct pex__work *work)
{
    int64_t pause = PAUSE_FIRST_NS << work->attempts;

    if (work->paused_ns + pause > PAUSES_MOST_NS)
        return 0;
    work->attempts++;
    work->paused_ns += pause;
    work->delay_ns = pause;
    return 1;
}

/* Rejects the window and goes on behind it. */
static int32_t reject_window(const struct pex__window_call *call, int32_t code,
                             struct pex_error *err)
{
    struct pex__work *work = call->work;
    int32_t end = reject(call, code, err->message, err);

    if (end == PEX__END_NEXT)
        note_whole(call, code, err);
    if (end != PEX__END_NEXT)
        return end;
    if (work->failed_end != 0) {
        work->failed_end -= call->count;
        work->bad_end = 0;
        set_search_window(work);
    }
    call_is_over(work);
    return next_window(work);
}

/* Looks for the rows that fail: half the window until one row fails by itself. */
static int32_t search(const struct pex__window_call *call, int32_t code, struct pex_error *err)
{
    struct pex__work *work = call->work;
    struct pex__window_call rest = *call;

    if (work->failed_end == 0) {
        work->failed_end = call->first + call->count;
        work->search_calls = work->is_apart = 0;
    }
    if (++work->search_calls >= SEARCH_CALLS) {
        rest.count = work->failed_end - call->first;
        pex__error_prefix(err, code, "unresolved: %d calls did not find all rows that fail",
                          SEARCH_CALLS);
        return reject_window(&rest, code, err);
    }
    if (call->count == 1)
        return reject_window(call, code, err);
    work->bad_end = call->first + call->count;
    set_search_window(work);
    return PEX__END_AGAIN;
}

static int32_t failed(const struct pex__window_call *call, int32_t code, int *is_broken,
                      struct pex_error *err)
{
    struct pex__work *work = call->work;
    int32_t flags = call->step->op->operator->op.flags;

    if (pex__run_is_cancelled(call->run))
        return PEX__END_GONE;
    switch (code) {
    case PEX_EAGAIN:
        if (pex__calls_set_backoff(work))
            return PEX__END_LATER;
        break;
    case PEX_ENOMEM:
        if (!may_halve(call))
            break;
        work->window = call->count / 2;
        work->is_apart = 0;
        return PEX__END_AGAIN;
    case PEX_EINSTANCE:
        *is_broken = 1;
        if (++work->instances > INSTANCE_TRIES)
            return give_up(call, code, err);
        return PEX__END_AGAIN;
    case PEX_EFATAL:
        return give_up(call, code, err);
    default:
        break;
    }
    if ((flags & PEX_OP_RETRY_SAFE) != 0 && (flags & PEX_OP_BATCH_SENSITIVE) == 0)
        return search(call, code, err);
    return reject_window(call, code, err);
}

static int32_t answer(const struct pex__window_call *call, void *instance, struct pex_error *err)
{
    const struct pex_operator *op = &call->step->op->operator->op;
    int32_t code;

    switch (call->step->plan->phase) {
    case PEX__PHASE_OBSERVE:
        code = op->observe(instance, call->batch, err);
        break;
    case PEX__PHASE_APPLY:
        code = op->apply(instance, call->batch, err);
        break;
    default:
        code = op->process(instance, call->batch, err);
        break;
    }
    if (code > PEX_MORE)
        code = pex_error_set(err, PEX_EINVAL, "answered %d, which is no status code", (int)code);
    return code;
}

int32_t pex__calls_invoke(const struct pex__window_call *call, const struct pex__handle *instance,
                          struct pex_error *err)
{
    struct pex__tally *tally = pex__work_tally(call->work, call->step->plan->op);
    int64_t start;
    int32_t code;

    pex_error_set(err, 0, "no reason given");
    atomic_fetch_add_explicit(&call->step->running, 1, memory_order_relaxed);
    start = pex__now_ns();
    code = answer(call, instance != NULL ? instance->state : NULL, err);
    tally->ns += pex__now_ns() - start;
    atomic_fetch_sub_explicit(&call->step->running, 1, memory_order_relaxed);
    tally->calls++;
    return code;
}

static size_t window_of(const struct pex__window_call *call, size_t rows)
{
    size_t count = rows - call->first, most = call->work->window;

    if (most == 0)
        most = (size_t)call->step->op->batch_size;
    return most != 0 && most < count ? most : count;
}

int32_t pex__run_call(struct pex__run *run, struct pex__work *work,
                      const struct pex__handle *instance, int *is_broken)
{
    struct pex__window_call call = {run, &run->steps[work->step], work, NULL, work->cursor, 0};
    size_t rows = pex__batch_rows(work->batch);
    struct pex_error err;
    int32_t code;

    if (pex__run_is_cancelled(run))
        return PEX__END_GONE;
    if (call.first >= rows)
        return PEX__END_NEXT;
    call.count = window_of(&call, rows);
    call.batch = pex__call_begin(work->batch, &call.step->plan->site, call.first, call.count,
                                 &run->cancelled);
    if (call.batch == NULL)
        return pex__calls_fail(&call, pex__error_memory(&err), &err);
    code = pex__calls_invoke(&call, instance, &err);
    if (code >= 0)
        return pex__calls_committed(&call, &err);
    pex__call_abort(call.batch);
    return failed(&call, code, is_broken, &err);
}

void pex__run_begin_step(struct pex__work *work)
{
    work->cursor = work->window = work->failed_end = work->bad_end = 0;
    work->attempts = work->instances = work->search_calls = work->is_apart = 0;
    work->paused_ns = 0;
    work->step_in = pex__batch_rows(work->batch);
    work->step_rejected = 0;
}
