/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances without a budget: one per worker, which takes no lock for it, or one for all. An
 * instance is held during a call: where fewer can be made than there are workers, those without go
 * on with the instances of others while these are not in use.
 */
#include "exec/instance.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#define FIRST_PAUSE_NS INT64_C(50000000)
#define NEXT_PAUSE_NS INT64_C(200000000)
/* All instances are in use by others. */
#define BORROW_PAUSE_NS INT64_C(1000000)

int64_t pex__load_pause_ns(int32_t failures)
{
    return failures == 1 ? FIRST_PAUSE_NS : NEXT_PAUSE_NS;
}

void pex__seats_renew(struct pex__instances *instances)
{
    for (int32_t i = 0; i < instances->engine->worker_count; i++) {
        instances->seats[i].failures = 0;
        instances->seats[i].is_given_up = 0;
    }
}

void pex__seats_free(struct pex__instances *instances)
{
    for (int32_t i = 0; instances->seats != NULL && i < instances->engine->worker_count; i++)
        if (instances->seats[i].handle != NULL)
            pex__instance_destroy_handle(instances, instances->seats[i].handle);
    pex__free(instances->seats);
}

/* Returns 0, or a code; *delay_ns is not 0 if another try is due later. */
static int32_t make(struct pex__instances *instances, struct pex__seat *seat, struct pex_env *env,
                    const pex_params *params, struct pex__handle **made, int64_t *delay_ns,
                    struct pex_error *err)
{
    int64_t now = pex__now_ns();
    int32_t failed;

    if (seat->failures > 0 && now < seat->due_ns) {
        *delay_ns = seat->due_ns - now;
        return PEX_EAGAIN;
    }
    failed = pex__instance_create(instances, env, params, made, err);
    if (failed == 0) {
        seat->failures = 0;
        return 0;
    }
    if (++seat->failures < PEX__LOAD_TRIES) {
        *delay_ns = pex__load_pause_ns(seat->failures);
        seat->due_ns = pex__now_ns() + *delay_ns;
    } else {
        seat->failures = 0;
    }
    return failed;
}

static int32_t take_shared(struct pex__instances *instances, struct pex_env *env,
                           const pex_params *params, struct pex__handle **handle, int64_t *delay_ns,
                           struct pex_error *err)
{
    struct pex__seat *seat = &instances->seats[0];
    int32_t failed = 0;

    pthread_mutex_lock(&instances->seat_lock);
    if (seat->handle == NULL) {
        failed = make(instances, seat, env, params, &seat->handle, delay_ns, err);
        if (failed == 0)
            atomic_init(&seat->handle->holders, 1);
    }
    if (failed == 0) {
        *handle = seat->handle;
        atomic_fetch_add_explicit(&seat->handle->holders, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&instances->seat_lock);
    return failed;
}

static void let_go(struct pex__instances *instances, struct pex__handle *handle)
{
    /* Release and acquire: what other calls did to it happens before it ends. */
    if (atomic_fetch_sub_explicit(&handle->holders, 1, memory_order_acq_rel) == 1)
        pex__instance_destroy_handle(instances, handle);
}

static void give_shared(struct pex__instances *instances, struct pex__handle *handle, int is_broken)
{
    int was_there = 0;

    if (is_broken) {
        pthread_mutex_lock(&instances->seat_lock);
        was_there = instances->seats[0].handle == handle;
        if (was_there)
            instances->seats[0].handle = NULL;
        pthread_mutex_unlock(&instances->seat_lock);
    }
    if (was_there)
        let_go(instances, handle);
    let_go(instances, handle);
}

static int hold(struct pex__handle *handle)
{
    return atomic_exchange_explicit(&handle->holders, 1, memory_order_acquire) == 0;
}

static void release(struct pex__handle *handle)
{
    atomic_store_explicit(&handle->holders, 0, memory_order_release);
}

/* An instance that nobody calls now. count: how many there are at all. */
static struct pex__handle *borrow(struct pex__instances *instances, int32_t *count)
{
    struct pex__handle *found = NULL;

    *count = 0;
    pthread_mutex_lock(&instances->seat_lock);
    for (int32_t i = 0; i < instances->engine->worker_count; i++) {
        struct pex__handle *handle = instances->seats[i].handle;

        *count += handle != NULL;
        if (handle == NULL || found != NULL || !hold(handle))
            continue;
        if (handle->is_broken)
            release(handle);
        else
            found = handle;
    }
    pthread_mutex_unlock(&instances->seat_lock);
    return found;
}

static int32_t take_other(struct pex__instances *instances, struct pex__seat *seat,
                          struct pex__handle **handle, int64_t *delay_ns, struct pex_error *err)
{
    int32_t count;

    *handle = borrow(instances, &count);
    if (*handle != NULL)
        return 0;
    /* None is left: its worker makes one again. */
    if (count == 0)
        seat->is_given_up = 0;
    *delay_ns = BORROW_PAUSE_NS;
    return pex_error_set(err, PEX_EAGAIN, "no instance of %s is free", instances->op->name);
}

static int32_t make_own(struct pex__instances *instances, struct pex__seat *seat,
                        struct pex_env *env, const pex_params *params, struct pex__handle **handle,
                        int64_t *delay_ns, struct pex_error *err)
{
    struct pex__handle *made, *other;
    int32_t failed = make(instances, seat, env, params, &made, delay_ns, err), count;

    if (failed == 0) {
        atomic_init(&made->holders, 1);
        pthread_mutex_lock(&instances->seat_lock);
        seat->handle = *handle = made;
        pthread_mutex_unlock(&instances->seat_lock);
        return 0;
    }
    if (*delay_ns != 0)
        return failed;
    other = borrow(instances, &count);
    if (count == 0)
        return failed;
    seat->is_given_up = 1;
    pex__engine_log(instances->engine, PEX_LOG_WARNING, "%s; going on with %d instance%s",
                    err->message, (int)count, count > 1 ? "s" : "");
    if (other != NULL) {
        *handle = other;
        return 0;
    }
    return take_other(instances, seat, handle, delay_ns, err);
}

/* Ends the worker's own instance, which it holds. */
static void end_own(struct pex__instances *instances, struct pex__seat *seat)
{
    struct pex__handle *handle = seat->handle;

    pthread_mutex_lock(&instances->seat_lock);
    seat->handle = NULL;
    pthread_mutex_unlock(&instances->seat_lock);
    pex__instance_destroy_handle(instances, handle);
}

int32_t pex__instance_take(struct pex__worker *worker, struct pex__instances *instances,
                           struct pex_env *env, const pex_params *params,
                           struct pex__handle **handle, int64_t *delay_ns, struct pex_error *err)
{
    struct pex__seat *seat = &instances->seats[worker->index];

    *delay_ns = 0;
    if (instances->pool.is_shared)
        return take_shared(instances, env, params, handle, delay_ns, err);
    if (seat->handle != NULL && hold(seat->handle)) {
        if (!seat->handle->is_broken) {
            *handle = seat->handle;
            return 0;
        }
        end_own(instances, seat);
    }
    if (seat->handle != NULL || seat->is_given_up)
        return take_other(instances, seat, handle, delay_ns, err);
    return make_own(instances, seat, env, params, handle, delay_ns, err);
}

void pex__instance_give(struct pex__worker *worker, struct pex__instances *instances,
                        struct pex__handle *handle, int is_broken)
{
    struct pex__seat *seat = &instances->seats[worker->index];

    if (instances->pool.is_shared) {
        give_shared(instances, handle, is_broken);
    } else if (is_broken && seat->handle == handle) {
        end_own(instances, seat);
    } else {
        handle->is_broken = is_broken;
        release(handle);
    }
}

void pex__instances_leave(struct pex__worker *worker)
{
    for (struct pex__instances *at = worker->engine->instances; at != NULL; at = at->next)
        if (!at->pool.is_shared && at->seats[worker->index].handle != NULL)
            end_own(at, &at->seats[worker->index]);
}
