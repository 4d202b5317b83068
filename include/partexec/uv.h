/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a context in a libuv loop of the host. The only header that includes a third-party
 * one; partexec.h leaves it out, and a host that includes it is compiled with libuv's own flags
 * (`pkg-config --cflags --libs partexec libuv`).
 *
 * The library runs a loop of its own on a thread of its own, and never touches this one; all that
 * happens here is that pex_context_dispatch is called on the loop's thread when events wait. The
 * functions are inline, so that the handle is of the libuv that the host is linked with. Several
 * contexts in one loop have a watch each, and a context is watched by one loop.
 *
 * A watch keeps uv_run going, as any handle does, until it is closed, for example when the event of
 * the last job came; uv_unref((uv_handle_t *)&watch.poll) lets the loop end without that.
 *
 * Thread-safety: the loop's thread. Since: 0.1.
 */
#ifndef PARTEXEC_UV_H
#define PARTEXEC_UV_H

#include <partexec/context.h>

#include <uv.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory is the host's, and stays where it is from pex_uv_start until `closed` was called. */
struct pex_uv {
    uv_poll_t poll; /* its data member is taken */
    pex_context *ctx;
    void (*closed)(struct pex_uv *watch);
    void *data; /* the host's */
};

static inline void pex_uv_on_readable(uv_poll_t *poll, int status, int events)
{
    struct pex_uv *watch = (struct pex_uv *)poll->data;

    (void)events;
    /* An event's callback may close the watch; in a forked child there is nothing to come. */
    if (status == 0 && pex_context_dispatch(watch->ctx, 0) != PEX_EFORKED)
        return;
    if (!uv_is_closing((uv_handle_t *)poll))
        uv_poll_stop(poll);
}

static inline void pex_uv_on_closed(uv_handle_t *handle)
{
    struct pex_uv *watch = (struct pex_uv *)handle->data;

    if (watch->closed)
        watch->closed(watch);
}

/*
 * Watches ctx in the loop: events are delivered in uv_run, on its thread, up to 256 a turn. watch,
 * loop, ctx: not NULL; watch->data is left as it is. Returns 0, or a failure with nothing to close:
 * PEX_EINVAL, PEX_EFORKED, PEX_ENOMEM, PEX_EIO (the loop does not take the descriptor).
 */
static inline int32_t pex_uv_start(struct pex_uv *watch, uv_loop_t *loop, pex_context *ctx)
{
    int32_t fd = pex_context_fd(ctx);
    int failed;

    if (!watch || !loop)
        return PEX_EINVAL;
    if (fd < 0)
        return fd;
    failed = uv_poll_init(loop, &watch->poll, fd);
    if (failed)
        return failed == UV_ENOMEM ? PEX_ENOMEM : PEX_EIO;
    watch->poll.data = watch;
    watch->ctx = ctx;
    watch->closed = NULL;
    /* Fails only for a handle that is closing, which this one is not. */
    uv_poll_start(&watch->poll, UV_READABLE, pex_uv_on_readable);
    return 0;
}

/*
 * Ends a watch; once. No event is delivered any more from here on; uv_run then calls closed (NULL
 * allowed) and the memory is the host's again. The context lives on, but must not be destroyed
 * before this call. May be called from an event's callback; pex_context_destroy may not, so a host
 * that ends everything there destroys the context in `closed`, or behind uv_run.
 */
static inline void pex_uv_close(struct pex_uv *watch, void (*closed)(struct pex_uv *watch))
{
    watch->closed = closed;
    uv_close((uv_handle_t *)&watch->poll, pex_uv_on_closed);
}

#ifdef __cplusplus
}
#endif

#endif
