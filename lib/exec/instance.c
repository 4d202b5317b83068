/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/instance.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"

#include <string.h>

static int is_same(const struct pex__instances *a, const struct pex__instances *b)
{
    return a->seed == b->seed && a->stats_wanted == b->stats_wanted && strcmp(a->key, b->key) == 0;
}

static void free_handle(struct pex__engine *engine, struct pex__handle *handle)
{
    pthread_mutex_lock(&engine->lock);
    pex__account_charge(&engine->sched.account, -handle->charged_bytes);
    pthread_mutex_unlock(&engine->lock);
    pex__free(handle);
}

void pex__instance_destroy_handle(struct pex__instances *instances, struct pex__handle *handle)
{
    if (instances->op->destroy != NULL)
        instances->op->destroy(handle->state);
    atomic_fetch_add_explicit(&instances->destroyed, 1, memory_order_relaxed);
    free_handle(instances->engine, handle);
}

static void free_pool(struct pex__instances *instances)
{
    pex__seats_free(instances);
    pthread_mutex_destroy(&instances->seat_lock);
    pex__free(instances->key);
    pex__free(instances);
}

static struct pex__instances *make_pool(const struct pex_env *env, const char *key,
                                        const struct pex_operator *op)
{
    struct pex__engine *engine = env->engine;
    struct pex__instances *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    pthread_mutex_init(&made->seat_lock, NULL);
    made->engine = engine;
    made->seed = env->seed;
    made->stats_wanted = env->stats_wanted;
    made->op = op;
    made->key = pex__strdup(key);
    made->seats = pex__calloc((size_t)engine->worker_count, sizeof *made->seats);
    made->pool.is_blocking = (op->flags & (PEX_OP_BLOCKING | PEX_OP_GPU)) != 0;
    made->pool.is_stateless = op->create == NULL && !made->pool.is_blocking;
    /* A blocking instance has a thread of its own, so it cannot be shared. */
    made->pool.is_shared = (op->flags & PEX_OP_REENTRANT) != 0 && !made->pool.is_blocking;
    if (made->key == NULL || made->seats == NULL) {
        free_pool(made);
        return NULL;
    }
    return made;
}

struct pex__instances *pex__instances_get(const struct pex_env *env, const char *key,
                                          const struct pex_operator *op)
{
    struct pex__engine *engine = env->engine;
    struct pex__instances *made = make_pool(env, key, op), *found;

    if (made == NULL)
        return NULL;
    pthread_mutex_lock(&engine->lock);
    found = engine->instances;
    while (found != NULL && !is_same(found, made))
        found = found->next;
    if (found == NULL) {
        made->next = engine->instances;
        engine->instances = found = made;
        made = NULL;
    }
    if (found->users++ == 0)
        pex__seats_renew(found);
    pthread_mutex_unlock(&engine->lock);
    if (made != NULL)
        free_pool(made);
    return found;
}

void pex__instances_put(struct pex__instances *instances)
{
    pthread_mutex_lock(&instances->engine->lock);
    instances->users--;
    pthread_mutex_unlock(&instances->engine->lock);
}

int32_t pex__instance_create(struct pex__instances *instances, struct pex_env *env,
                             const pex_params *params, struct pex__handle **handle,
                             struct pex_error *err)
{
    struct pex__handle *made = pex__calloc(1, sizeof *made);
    struct pex_env own = *env;
    int32_t failed = 0;

    if (made == NULL)
        return pex__error_memory(err);
    if (instances->op->create != NULL) {
        pex_error_set(err, PEX_EFATAL, "no reason given");
        failed = instances->op->create(&own, params, &made->state, err);
    }
    made->charged_bytes = own.charged_bytes;
    if (failed != 0) {
        free_handle(instances->engine, made);
        return pex__error_prefix(err, failed, "cannot create an instance of %s",
                                 instances->op->name);
    }
    atomic_fetch_add_explicit(&instances->created, 1, memory_order_relaxed);
    *handle = made;
    return 0;
}

void pex__instances_free(struct pex__engine *engine)
{
    for (struct pex__instances *at = engine->instances, *next; at != NULL; at = next) {
        next = at->next;
        free_pool(at);
    }
    engine->instances = NULL;
}

static void free_instance(struct pex__instance *instance)
{
    pthread_cond_destroy(&instance->wake);
    pex__free(instance);
}

static void on_pause_end(struct pex__message *message);
static void create_again(struct pex__task *task);

static struct pex__instance *make_instance(struct pex__step *step)
{
    struct pex__instance *instance = pex__calloc(1, sizeof *instance);

    if (instance == NULL)
        return NULL;
    pex__cond_init(&instance->wake);
    instance->of = (struct pex__instances *)(void *)step->pool;
    instance->load = *step;
    instance->retry.run = on_pause_end;
    instance->again.run = create_again;
    return instance;
}

/* Runs create once. Returns 0; 1: worth another try after the pause; else the job was told. */
static int32_t try_create(struct pex__instance *instance)
{
    struct pex__step *load = &instance->load;
    const struct pex__engine_ops *ops = pex__ops_of(load->job);
    struct pex_error why;
    int32_t failed = ops->load(load->job, load->at, &instance->handle, &why);

    if (failed == 0)
        return 0;
    if (failed != PEX_ECANCELLED && ++instance->failures < PEX__LOAD_TRIES)
        return 1;
    ops->load_failed(load->job, load->at, &why);
    return failed;
}

static void report_load(struct pex__instance *instance, struct pex__unit *unit)
{
    struct pex__engine *engine = instance->of->engine;

    pex__engine_lock(engine);
    pex__engine_loaded(engine, &instance->load, unit);
    pex__engine_unlock(engine);
}

static void leave_list(struct pex__instance **list, struct pex__instance *instance)
{
    while (*list != instance)
        list = &(*list)->next;
    *list = instance->next;
}

/* A thread that ends by itself is joined by the next that looks, or at the end of the engine. */
static void end_by_itself(struct pex__instance *instance)
{
    struct pex__engine *engine = instance->of->engine;

    pthread_mutex_lock(&engine->lock);
    leave_list(&engine->units, instance);
    instance->next = engine->ended;
    engine->ended = instance;
    pthread_mutex_unlock(&engine->lock);
}

/* Its thread is nobody's but its own. */
static int32_t create_on_own_thread(struct pex__instance *instance)
{
    struct pex__engine *engine = instance->of->engine;
    int32_t result;

    while ((result = try_create(instance)) == 1) {
        int64_t due = pex__now_ns() + pex__load_pause_ns(instance->failures);

        pthread_mutex_lock(&engine->lock);
        while (pex__now_ns() < due)
            pex__cond_wait_until(&instance->wake, &engine->lock, due);
        pthread_mutex_unlock(&engine->lock);
    }
    return result;
}

static void *start_unit(void *argument)
{
    struct pex__instance *instance = argument;

    if (create_on_own_thread(instance) != 0) {
        report_load(instance, NULL);
        end_by_itself(instance);
        return NULL;
    }
    instance->agent.unit = &instance->unit;
    report_load(instance, &instance->unit);
    pex__unit_run(instance);
    pex__instance_destroy_handle(instance->of, instance->handle);
    if (instance->is_broken)
        end_by_itself(instance);
    return NULL;
}

static void reap(struct pex__engine *engine)
{
    struct pex__instance *ended;

    pthread_mutex_lock(&engine->lock);
    ended = engine->ended;
    engine->ended = NULL;
    pthread_mutex_unlock(&engine->lock);
    for (struct pex__instance *next; ended != NULL; ended = next) {
        next = ended->next;
        pthread_join(ended->thread, NULL);
        free_instance(ended);
    }
}

/* Listed before the thread runs, so that it can take itself off the list. */
static int start_thread(struct pex__engine *engine, struct pex__instance *instance)
{
    int32_t failed;

    pthread_mutex_lock(&engine->lock);
    failed = pex__thread_start(&instance->thread, "pex-unit", start_unit, instance);
    if (failed == 0) {
        instance->next = engine->units;
        engine->units = instance;
    }
    pthread_mutex_unlock(&engine->lock);
    return failed == 0;
}

/* No worker waits for the next try: the loop's timer queues it for any of them. */
static void on_pause_end(struct pex__message *message)
{
    struct pex__instance *instance =
        (struct pex__instance *)(void *)((char *)message - offsetof(struct pex__instance, retry));
    struct pex__engine *engine = instance->of->engine;

    pex__engine_lock(engine);
    pex__sched_task(&engine->sched, &instance->again);
    pex__engine_unlock(engine);
}

static int32_t create_on_worker(struct pex__instance *instance)
{
    int32_t result = try_create(instance);

    if (result == 1)
        pex__loop_after(instance->of->engine->loop, &instance->retry,
                        pex__load_pause_ns(instance->failures));
    return result;
}

static void create_again(struct pex__task *task)
{
    struct pex__instance *instance =
        (struct pex__instance *)(void *)((char *)task - offsetof(struct pex__instance, again));
    int32_t result = create_on_worker(instance);

    if (result == 1)
        return;
    report_load(instance, result == 0 ? &instance->unit : NULL);
    if (result != 0)
        free_instance(instance);
}

int pex__instance_load(struct pex__engine *engine, struct pex__step *step, struct pex__unit **unit)
{
    struct pex__instance *instance = make_instance(step);
    struct pex_error why;
    int32_t result;

    *unit = NULL;
    reap(engine);
    pex_error_set(&why, PEX_ENOMEM, "the system gives no more memory or threads");
    if (instance == NULL) {
        pex__ops_of(step->job)->load_failed(step->job, step->at, &why);
        return 1;
    }
    if (step->pool->is_blocking) {
        if (start_thread(engine, instance))
            return 0;
        pex__ops_of(step->job)->load_failed(step->job, step->at, &why);
    } else {
        result = create_on_worker(instance);
        if (result == 1)
            return 0;
        *unit = result == 0 ? &instance->unit : NULL;
    }
    if (*unit == NULL)
        free_instance(instance);
    return 1;
}

void pex__instance_end(struct pex__instance *instance)
{
    struct pex__engine *engine = instance->of->engine;

    if (!instance->of->pool.is_blocking) {
        pex__instance_destroy_handle(instance->of, instance->handle);
        free_instance(instance);
        return;
    }
    pthread_mutex_lock(&engine->lock);
    instance->is_ending = 1;
    pthread_cond_signal(&instance->wake);
    pthread_mutex_unlock(&engine->lock);
    pthread_join(instance->thread, NULL);
    pthread_mutex_lock(&engine->lock);
    leave_list(&engine->units, instance);
    pthread_mutex_unlock(&engine->lock);
    free_instance(instance);
}

static void end_idle(struct pex__task *task)
{
    pex__instance_end(
        (struct pex__instance *)(void *)((char *)task - offsetof(struct pex__instance, end)));
}

void pex__instances_shed(struct pex__engine *engine, struct pex__pool *pool)
{
    struct pex__instance *instance;

    while ((instance = (struct pex__instance *)(void *)pex__pool_shed(pool)) != NULL) {
        if (pool->is_blocking) {
            instance->is_broken = 1;
            pthread_cond_signal(&instance->wake);
        } else {
            instance->end.run = end_idle;
            pex__sched_task(&engine->sched, &instance->end);
        }
    }
}

int pex__instances_has_thread(struct pex__engine *engine, pthread_t thread)
{
    int found = 0;

    pthread_mutex_lock(&engine->lock);
    for (const struct pex__instance *i = engine->units; i != NULL && !found; i = i->next)
        found = pthread_equal(i->thread, thread);
    pthread_mutex_unlock(&engine->lock);
    return found;
}

/* An idle instance of a pool that no job uses; of any pool when all is set. */
static struct pex__instance *evict_one(struct pex__engine *engine, int all)
{
    struct pex__unit *unit = NULL;

    pthread_mutex_lock(&engine->lock);
    for (struct pex__instances *at = engine->instances; at != NULL && unit == NULL; at = at->next)
        if (all || at->users == 0)
            unit = pex__pool_evict(&at->pool);
    pthread_mutex_unlock(&engine->lock);
    return (struct pex__instance *)(void *)unit;
}

static int32_t evict(struct pex__engine *engine, int all)
{
    struct pex__instance *instance;
    int32_t count = 0;

    for (; (instance = evict_one(engine, all)) != NULL; count++)
        pex__instance_end(instance);
    return count;
}

int32_t pex__instances_trim(struct pex__engine *engine)
{
    reap(engine);
    return evict(engine, 0);
}

static struct pex__instance *first_unit(struct pex__engine *engine)
{
    struct pex__instance *first;

    pthread_mutex_lock(&engine->lock);
    first = engine->units;
    pthread_mutex_unlock(&engine->lock);
    return first;
}

void pex__instances_end(struct pex__engine *engine)
{
    struct pex__instance *instance;

    evict(engine, 1);
    /* What is not idle has no job, so it ends by itself: its destroy may still run. */
    while ((instance = first_unit(engine)) != NULL) {
        pthread_join(instance->thread, NULL);
        pthread_mutex_lock(&engine->lock);
        leave_list(&engine->ended, instance);
        pthread_mutex_unlock(&engine->lock);
        free_instance(instance);
    }
    reap(engine);
}
