/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/loop.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"

#include <assert.h>
#include <uv.h>

struct pex__loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t timer;
    pthread_t thread;
    pthread_mutex_t lock; /* inbox, is_ending; a leaf lock */
    struct pex__message *inbox;
    struct pex__message **inbox_end;
    int is_ending;
    struct pex__message *timers; /* ascending by due_ns; loop thread only */
};

static struct pex__message *take_inbox(struct pex__loop *loop, int *is_ending)
{
    struct pex__message *messages;

    pthread_mutex_lock(&loop->lock);
    messages = loop->inbox;
    loop->inbox = NULL;
    loop->inbox_end = &loop->inbox;
    *is_ending = loop->is_ending;
    pthread_mutex_unlock(&loop->lock);
    return messages;
}

static void add_timer(struct pex__loop *loop, struct pex__message *message)
{
    struct pex__message **at = &loop->timers;

    while (*at != NULL && (*at)->due_ns <= message->due_ns)
        at = &(*at)->next;
    message->next = *at;
    *at = message;
}

static void run_timers(struct pex__loop *loop, int64_t until_ns)
{
    while (loop->timers != NULL && loop->timers->due_ns <= until_ns) {
        struct pex__message *message = loop->timers;

        loop->timers = message->next;
        message->run(message);
    }
}

static void on_timer(uv_timer_t *timer);

static void arm(struct pex__loop *loop)
{
    int64_t left;

    if (loop->timers == NULL) {
        uv_timer_stop(&loop->timer);
        return;
    }
    left = loop->timers->due_ns - pex__now_ns();
    uv_update_time(&loop->uv);
    uv_timer_start(&loop->timer, on_timer, left > 0 ? (uint64_t)((left + 999999) / 1000000) : 0, 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct pex__loop *loop = timer->data;

    run_timers(loop, pex__now_ns());
    arm(loop);
}

/* One wake-up may stand for thousands of posts: looks at the queue until it is empty. */
static int drain(struct pex__loop *loop)
{
    int is_ending;

    for (struct pex__message *m, *next; (m = take_inbox(loop, &is_ending)) != NULL;) {
        for (; m != NULL; m = next) {
            next = m->next;
            if (m->due_ns != 0)
                add_timer(loop, m);
            else
                m->run(m);
        }
    }
    return is_ending;
}

static void on_wake(uv_async_t *wake)
{
    struct pex__loop *loop = wake->data;

    if (!drain(loop)) {
        arm(loop);
        return;
    }
    /* What runs at the end may post once more, from this thread. */
    do
        run_timers(loop, INT64_MAX);
    while (drain(loop), loop->timers != NULL);
    uv_close((uv_handle_t *)&loop->timer, NULL);
    uv_close((uv_handle_t *)&loop->wake, NULL);
}

static void *run_loop(void *argument)
{
    struct pex__loop *loop = argument;

    uv_run(&loop->uv, UV_RUN_DEFAULT);
    return NULL;
}

static void post(struct pex__loop *loop, struct pex__message *message)
{
    message->next = NULL;
    pthread_mutex_lock(&loop->lock);
    assert(!loop->is_ending || pex__loop_is_current(loop));
    *loop->inbox_end = message;
    loop->inbox_end = &message->next;
    /* Under the lock, so that no send can come after the handle is closed. */
    uv_async_send(&loop->wake);
    pthread_mutex_unlock(&loop->lock);
}

void pex__loop_post(struct pex__loop *loop, struct pex__message *message)
{
    message->due_ns = 0;
    post(loop, message);
}

void pex__loop_after(struct pex__loop *loop, struct pex__message *message, int64_t delay_ns)
{
    message->due_ns = pex__now_ns() + (delay_ns > 0 ? delay_ns : 0);
    post(loop, message);
}

int pex__loop_forget(struct pex__loop *loop, struct pex__message *message)
{
    struct pex__message **at = &loop->timers;

    while (*at != NULL && *at != message)
        at = &(*at)->next;
    if (*at == NULL)
        return 0;
    *at = message->next;
    return 1;
}

int pex__loop_is_current(const struct pex__loop *loop)
{
    return pthread_equal(loop->thread, pthread_self());
}

int32_t pex__loop_create(struct pex__loop **result, struct pex_error *err)
{
    struct pex__loop *loop = pex__calloc(1, sizeof *loop);
    int failed;

    if (loop == NULL)
        return pex__error_memory(err);
    pthread_mutex_init(&loop->lock, NULL);
    loop->inbox_end = &loop->inbox;
    failed = uv_loop_init(&loop->uv);
    if (failed != 0)
        goto free_loop;
    failed = uv_async_init(&loop->uv, &loop->wake, on_wake);
    if (failed != 0)
        goto close_loop;
    uv_timer_init(&loop->uv, &loop->timer);
    loop->wake.data = loop->timer.data = loop;
    failed = pex__thread_start(&loop->thread, "pex-loop", run_loop, loop);
    if (failed != 0)
        goto close_handles;
    *result = loop;
    return 0;

close_handles:
    uv_close((uv_handle_t *)&loop->timer, NULL);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
close_loop:
    uv_loop_close(&loop->uv);
free_loop:
    pthread_mutex_destroy(&loop->lock);
    pex__free(loop);
    return pex_error_set(err, PEX_ENOMEM, "the loop thread cannot be started");
}

void pex__loop_free(struct pex__loop *loop)
{
    int failed;

    if (loop == NULL)
        return;
    pthread_mutex_lock(&loop->lock);
    loop->is_ending = 1;
    uv_async_send(&loop->wake);
    pthread_mutex_unlock(&loop->lock);
    pthread_join(loop->thread, NULL);
    failed = uv_loop_close(&loop->uv);
    assert(failed == 0);
    (void)failed;
    pthread_mutex_destroy(&loop->lock);
    pex__free(loop);
}
