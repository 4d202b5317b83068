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

void pex__places_renew(struct pex__instances *instances)
{
    for (int32_t i = 0; i < instances->engine->worker_count; i++) {
        instances->places[i].failures = 0;
        instances->places[i].is_given_up = 0;
    }
}

void pex__places_free(struct pex__instances *instances)
{
    for (int32_t i = 0; instances->places != NULL && i < instances->engine->worker_count; i++)
        if (instances->places[i].handle != NULL)
            pex__instance_destroy_handle(instances, instances->places[i].handle);
    pex__free(instances->places);
}

/* Returns 0, or a code; *delay_ns is not 0 if another try is due later. */
static int32_t make(struct pex__instances *instances, struct pex__place *place, struct pex_env *env,
                    const pex_params *params, struct pex__handle **made, int64_t *delay_ns,
                    struct pex_error *err)
{
    int64_t now = pex__now_ns();
    int32_t failed;

    if (place->failures > 0 && now < place->due_ns) {
        *delay_ns = place->due_ns - now;
        return PEX_EAGAIN;
    }
    failed = pex__instance_create(instances, env, params, made, err);
    if (failed == 0) {
        place->failures = 0;
        return 0;
    }
    if (++place->failures < PEX__LOAD_TRIES) {
        *delay_ns = pex__load_pause_ns(place->failures);
        place->due_ns = pex__now_ns() + *delay_ns;
    } else {
        place->failures = 0;
    }
    return failed;
}

static int32_t take_shared(struct pex__instances *instances, struct pex_env *env,
                           const pex_params *params, struct pex__handle **handle, int64_t *delay_ns,
                           struct pex_error *err)
{
    struct pex__place *place = &instances->places[0];
    int32_t failed = 0;

    pthread_mutex_lock(&instances->place_lock);
    if (place->handle == NULL) {
        failed = make(instances, place, env, params, &place->handle, delay_ns, err);
        if (failed == 0)
            atomic_init(&place->handle->holders, 1);
    }
    if (failed == 0) {
        *handle = place->handle;
        atomic_fetch_add_explicit(&place->handle->holders, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&instances->place_lock);
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
        pthread_mutex_lock(&instances->place_lock);
        was_there = instances->places[0].handle == handle;
        if (was_there)
            instances->places[0].handle = NULL;
        pthread_mutex_unlock(&instances->place_lock);
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
    pthread_mutex_lock(&instances->place_lock);
    for (int32_t i = 0; i < instances->engine->worker_count; i++) {
        struct pex__handle *handle = instances->places[i].handle;

        *count += handle != NULL;
        if (handle == NULL || found != NULL || !hold(handle))
            continue;
        if (handle->is_broken)
            release(handle);
        else
            found = handle;
    }
    pthread_mutex_unlock(&instances->place_lock);
    return found;
}

static int32_t take_other(struct pex__instances *instances, struct pex__place *place,
                          struct pex__handle **handle, int64_t *delay_ns, struct pex_error *err)
{
    int32_t count;

    *handle = borrow(instances, &count);
    if (*handle != NULL)
        return 0;
    /* None is left: its worker makes one again. */
    if (count == 0)
        place->is_given_up = 0;
    *delay_ns = BORROW_PAUSE_NS;
    return pex_error_set(err, PEX_EAGAIN, "no instance of %s is free", instances->op->name);
}

static int32_t make_own(struct pex__instances *instances, struct pex__place *place,
                        struct pex_env *env, const pex_params *params, struct pex__handle **handle,
                        int64_t *delay_ns, struct pex_error *err)
{
    struct pex__handle *made, *other;
    int32_t failed = make(instances, place, env, params, &made, delay_ns, err), count;

    if (failed == 0) {
        atomic_init(&made->holders, 1);
        pthread_mutex_lock(&instances->place_lock);
        place->handle = *handle = made;
        pthread_mutex_unlock(&instances->place_lock);
        return 0;
    }
    if (*delay_ns != 0)
        return failed;
    other = borrow(instances, &count);
    if (count == 0)
        return failed;
    place->is_given_up = 1;
    pex__engine_log(instances->engine, PEX_LOG_WARNING, "%s; going on with %d instance%s",
                    err->message, (int)count, count > 1 ? "s" : "");
    if (other != NULL) {
        *handle = other;
        return 0;
    }
    return take_other(instances, place, handle, delay_ns, err);
}

/* Ends the worker's own instance, which it holds. */
static void end_own(struct pex__instances *instances, struct pex__place *place)
{
    struct pex__handle *handle = place->handle;

    pthread_mutex_lock(&instances->place_lock);
    place->handle = NULL;
    pthread_mutex_unlock(&instances->place_lock);
    pex__instance_destroy_handle(instances, handle);
}

int32_t pex__instance_take(struct pex__worker *worker, struct pex__instances *instances,
                           struct pex_env *env, const pex_params *params,
                           struct pex__handle **handle, int64_t *delay_ns, struct pex_error *err)
{
    struct pex__place *place = &instances->places[worker->index];

    *delay_ns = 0;
    if (instances->pool.is_shared)
        return take_shared(instances, env, params, handle, delay_ns, err);
    if (place->handle != NULL && hold(place->handle)) {
        if (!place->handle->is_broken) {
            *handle = place->handle;
            return 0;
        }
        end_own(instances, place);
    }
    if (place->handle != NULL || place->is_given_up)
        return take_other(instances, place, handle, delay_ns, err);
    return make_own(instances, place, env, params, handle, delay_ns, err);
}

void pex__instance_give(struct pex__worker *worker, struct pex__instances *instances,
                        struct pex__handle *handle, int is_broken)
{
    struct pex__place *place = &instances->places[worker->index];

    if (instances->pool.is_shared) {
        give_shared(instances, handle, is_broken);
    } else if (is_broken && place->handle == handle) {
        end_own(instances, place);
    } else {
        handle->is_broken = is_broken;
        release(handle);
    }
}

void pex__instances_leave(struct pex__worker *worker)
{
    for (struct pex__instances *at = worker->engine->instances; at != NULL; at = at->next)
        if (!at->pool.is_shared && at->places[worker->index].handle != NULL)
            end_own(at, &at->places[worker->index]);
}
