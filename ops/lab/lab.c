/* SPDX-License-Identifier: Apache-2.0 */
#include "lab.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long a wait or a spin goes on before it looks whether the job is cancelled. */
#define LOOK_NS 2000000

struct counter {
    struct counter *next;
    uint64_t seed;
    _Atomic int64_t value;
};

struct pex__lab_shared {
    pthread_mutex_t mutex; /* guards the list; the values are atomic */
    struct counter *counters;
};

struct pex__lab_shared *pex__lab_shared_new(void)
{
    struct pex__lab_shared *shared = calloc(1, sizeof(*shared));
    if (shared && pthread_mutex_init(&shared->mutex, NULL)) {
        free(shared);
        shared = NULL;
    }
    return shared;
}

void pex__lab_shared_free(void *user)
{
    struct pex__lab_shared *shared = user;
    while (shared->counters) {
        struct counter *next = shared->counters->next;
        free(shared->counters);
        shared->counters = next;
    }
    pthread_mutex_destroy(&shared->mutex);
    free(shared);
}

_Atomic int64_t *pex__lab_counter(pex_env *env)
{
    struct pex__lab_shared *shared = pex_env_user(env);
    uint64_t seed = pex_env_seed(env);
    pthread_mutex_lock(&shared->mutex);
    struct counter *counter = shared->counters;
    while (counter && counter->seed != seed)
        counter = counter->next;
    if (!counter && (counter = calloc(1, sizeof(*counter)))) {
        counter->seed = seed;
        counter->next = shared->counters;
        shared->counters = counter;
    }
    pthread_mutex_unlock(&shared->mutex);
    return counter ? &counter->value : NULL;
}

int64_t pex__lab_int64(const pex_params *params, const char *name)
{
    int64_t value = 0;
    (void)pex_params_int64(params, name, &value);
    return value;
}

double pex__lab_double(const pex_params *params, const char *name)
{
    double value = 0;
    (void)pex_params_double(params, name, &value);
    return value;
}

bool pex__lab_bool(const pex_params *params, const char *name)
{
    int32_t value = 0;
    (void)pex_params_bool(params, name, &value);
    return value;
}

char *pex__lab_string(const pex_params *params, const char *name)
{
    struct pex_string_view value = {"", 0};
    (void)pex_params_string(params, name, &value);
    char *copy = calloc(value.length + 1, 1);
    if (copy)
        memcpy(copy, value.data, value.length);
    return copy;
}

int32_t pex__lab_no_memory(struct pex_error *err)
{
    return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool is_cancelled(const pex_batch *batch)
{
    return batch && pex_batch_cancelled(batch);
}

int32_t pex__lab_sleep(double microseconds, const pex_batch *batch)
{
    int64_t end = now_ns(CLOCK_MONOTONIC) + (int64_t)(microseconds * 1e3);
    for (int64_t now; (now = now_ns(CLOCK_MONOTONIC)) < end;) {
        if (is_cancelled(batch))
            return PEX_ECANCELLED;
        int64_t left = end - now < LOOK_NS ? end - now : LOOK_NS;
        struct timespec time = {.tv_nsec = (long)left};
        nanosleep(&time, NULL);
    }
    return 0;
}

int32_t pex__lab_spin(double microseconds, const pex_batch *batch)
{
    int64_t now = now_ns(CLOCK_THREAD_CPUTIME_ID), end = now + (int64_t)(microseconds * 1e3);
    for (int64_t look = now + LOOK_NS; now < end; now = now_ns(CLOCK_THREAD_CPUTIME_ID)) {
        if (now < look)
            continue;
        if (is_cancelled(batch))
            return PEX_ECANCELLED;
        look = now + LOOK_NS;
    }
    return 0;
}

bool pex__lab_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
