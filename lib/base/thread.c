/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <partexec/base.h>

#include <signal.h>

/* Deep enough for operators that recurse a little; the host's ulimit may be anything. */
#define STACK_BYTES (1024 * 1024)

int32_t pex__thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t all, old;
    int failed;

    if (pthread_attr_init(&attributes) != 0)
        return PEX_ENOMEM;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    failed = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        return PEX_ENOMEM;
    pthread_setname_np(*thread, name);
    return 0;
}
