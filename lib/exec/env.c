/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/instance.h"

void *pex_env_user(const pex_env *env)
{
    return env->user;
}

uint64_t pex_env_seed(const pex_env *env)
{
    return env->seed;
}

int32_t pex_env_stats_wanted(const pex_env *env)
{
    return env->stats_wanted;
}

int32_t pex_env_device(const pex_env *env)
{
    return env->device;
}

void pex_env_charge(pex_env *env, int64_t bytes)
{
    struct pex__engine *engine = env->engine;

    /* Of the context, not of a job: an instance outlives the job that made it. */
    pthread_mutex_lock(&engine->lock);
    pex__account_charge(&engine->sched.account, bytes);
    pthread_mutex_unlock(&engine->lock);
    env->charged_bytes += bytes;
}

void pex_env_log(const pex_env *env, int32_t level, const char *message)
{
    if (level < PEX_LOG_ERROR)
        level = PEX_LOG_ERROR;
    if (level > PEX_LOG_DEBUG)
        level = PEX_LOG_DEBUG;
    pex__engine_log(env->engine, level, "%s", message != NULL ? message : "");
}
