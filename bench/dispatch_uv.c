/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libuv's side: uv_queue_work, with order and the budget kept on the loop thread. As few hops as
 * can be: operators without a budget run together in one piece of work.
 */
#include "dispatch.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct uv_side;

struct uv_batch {
    uv_work_t work; /* first */
    struct uv_side *side;
    uint64_t number;
    int32_t next;  /* operator to go on with */
    int32_t until; /* where this piece of work ends */
    int has_lease;
    int is_done;
};

struct uv_side {
    const struct cell *cell;
    uv_loop_t loop;
    struct uv_batch batches[DISPATCH_FLIGHT]; /* batch i in slot i mod flight */
    uint64_t begun, finished;
    struct uv_batch *waiting[DISPATCH_FLIGHT]; /* for the budget, first come first served */
    uint32_t waiting_begin, waiting_end;
    int is_leased;
};

static void on_work(uv_work_t *work)
{
    struct uv_batch *batch = (struct uv_batch *)(void *)work;

    for (; batch->next < batch->until; batch->next++)
        dispatch_spin(batch->side->cell->turns);
}

static void on_done(uv_work_t *work, int status);

static void queue(struct uv_batch *batch, int32_t until)
{
    batch->until = until;
    if (uv_queue_work(&batch->side->loop, &batch->work, on_work, on_done) != 0)
        abort();
}

static void go_on(struct uv_batch *batch)
{
    struct uv_side *side = batch->side;
    int32_t budgeted = side->cell->budgeted;

    if (batch->next == budgeted) {
        side->waiting[side->waiting_end++ % DISPATCH_FLIGHT] = batch;
        return;
    }
    queue(batch, batch->next < budgeted ? budgeted : side->cell->operators);
}

static void begin(struct uv_side *side)
{
    struct uv_batch *batch = &side->batches[side->begun % DISPATCH_FLIGHT];

    batch->side = side;
    batch->number = side->begun++;
    batch->next = 0;
    batch->is_done = 0;
    go_on(batch);
}

static void finish(struct uv_side *side)
{
    struct uv_batch *batch = &side->batches[side->finished % DISPATCH_FLIGHT];

    while (side->finished < side->begun && batch->is_done) {
        dispatch_finish(&side->finished, batch->number);
        if (side->begun < side->cell->batches)
            begin(side);
        batch = &side->batches[side->finished % DISPATCH_FLIGHT];
    }
}

static void serve(struct uv_side *side)
{
    struct uv_batch *batch;

    if (side->is_leased || side->waiting_begin == side->waiting_end)
        return;
    batch = side->waiting[side->waiting_begin++ % DISPATCH_FLIGHT];
    batch->has_lease = 1;
    side->is_leased = 1;
    queue(batch, side->cell->budgeted + 1);
}

static void on_done(uv_work_t *work, int status)
{
    struct uv_batch *batch = (struct uv_batch *)(void *)work;
    struct uv_side *side = batch->side;

    (void)status;
    if (batch->has_lease) {
        batch->has_lease = 0;
        side->is_leased = 0;
    }
    if (batch->next == side->cell->operators)
        batch->is_done = 1;
    else
        go_on(batch);
    finish(side);
    serve(side);
}

void uv_run_cell(const struct cell *cell)
{
    struct uv_side *side = calloc(1, sizeof *side);

    if (side == NULL || uv_loop_init(&side->loop) != 0)
        abort();
    side->cell = cell;
    while (side->begun < cell->batches && side->begun < DISPATCH_FLIGHT)
        begin(side);
    serve(side);
    uv_run(&side->loop, UV_RUN_DEFAULT);
    if (side->finished != cell->batches || uv_loop_close(&side->loop) != 0)
        abort();
    free(side);
}
