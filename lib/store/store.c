/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"

struct pex__store {
    pthread_t thread;
    pthread_mutex_t lock; /* the queue; a leaf lock */
    pthread_cond_t wake;
    struct pex__store_task *first;
    struct pex__store_task **end;
    int is_ending;
};

static struct pex__store_task *take(struct pex__store *store)
{
    struct pex__store_task *task;

    pthread_mutex_lock(&store->lock);
    while (store->first == NULL && !store->is_ending)
        pthread_cond_wait(&store->wake, &store->lock);
    task = store->first;
    if (task != NULL) {
        store->first = task->next;
        if (store->first == NULL)
            store->end = &store->first;
    }
    pthread_mutex_unlock(&store->lock);
    return task;
}

static void *run_store(void *argument)
{
    for (struct pex__store_task *task; (task = take(argument)) != NULL;)
        task->run(task);
    return NULL;
}

int32_t pex__store_create(struct pex__store **result, struct pex_error *err)
{
    struct pex__store *store = pex__calloc(1, sizeof *store);

    if (store == NULL)
        return pex__error_memory(err);
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->wake, NULL);
    store->end = &store->first;
    if (pex__thread_start(&store->thread, "pex-store", run_store, store) != 0) {
        pthread_cond_destroy(&store->wake);
        pthread_mutex_destroy(&store->lock);
        pex__free(store);
        return pex_error_set(err, PEX_ENOMEM, "the store thread cannot be started");
    }
    *result = store;
    return 0;
}

void pex__store_free(struct pex__store *store)
{
    if (store == NULL)
        return;
    pthread_mutex_lock(&store->lock);
    store->is_ending = 1;
    pthread_cond_signal(&store->wake);
    pthread_mutex_unlock(&store->lock);
    pthread_join(store->thread, NULL);
    pthread_cond_destroy(&store->wake);
    pthread_mutex_destroy(&store->lock);
    pex__free(store);
}

void pex__store_do(struct pex__store *store, struct pex__store_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&store->lock);
    *store->end = task;
    store->end = &task->next;
    pthread_cond_signal(&store->wake);
    pthread_mutex_unlock(&store->lock);
}
