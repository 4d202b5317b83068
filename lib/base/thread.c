/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include "base/clock.h"

#include <partexec/base.h>

#include <signal.h>
#include <time.h>

/* Deep enough for operators that recurse a little; the host's ulimit may be anything. */
#define STACK_BYTES (1024 * 1024)

int32_t pex__thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    pthread_attr_t attributes;
    sigset_t all, old;
    int failed;

    if (pthread_attr_init(&attributes) != 0)
        return PEX_ENOMEM;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    /* Except what a thread does to itself: a crash must reach the host's handler, or its core file.
     */
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    failed = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        return PEX_ENOMEM;
    pthread_setname_np(*thread, name);
    return 0;
}

int64_t pex__deadline_ns(int64_t timeout_ns)
{
    int64_t now = pex__now_ns();

    return timeout_ns < 0 || timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

void pex__cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

void pex__cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t deadline_ns)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000),
                             .tv_nsec = (long)(deadline_ns % 1000000000)};

    if (deadline_ns == INT64_MAX)
        pthread_cond_wait(cond, lock);
    else
        pthread_cond_timedwait(cond, lock, &until);
}
