/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances: the pool of each budget key, shared by all jobs of the context. A pool without budget
 * has one instance per worker and takes no lock; a budgeted one has units that leases hand out; a
 * blocking one has a thread per unit.
 */
#ifndef PEX_EXEC_INSTANCE_H
#define PEX_EXEC_INSTANCE_H

#include "exec/engine.h"
#include "plan/params.h"

#include <stdatomic.h>

struct pex_env {
    void *user;
    uint64_t seed;
    int32_t stats_wanted;
    int32_t device;
    struct pex__engine *engine;
    int64_t charged_bytes; /* so far, in this create */
};

/* What the operator made, and what it accounted for: given back when the instance ends. */
struct pex__handle {
    void *state;
    int64_t charged_bytes;
    /* Without a budget: who holds it. A shared one: the pool, until it is broken, and every call;
     * it ends with the last. Another: the call, 0 or 1. Released when let go, acquired when taken.
     */
    _Atomic int32_t holders;
    int32_t is_broken; /* to be replaced by its worker; of whoever holds it */
};

/* A create that fails is tried twice more, after pauses. */
enum { PEX__LOAD_TRIES = 3 };

/* The seat of an unbudgeted instance: one per worker, or one for all. */
struct pex__seat {
    struct pex__handle *handle; /* NULL: none; changed under seat_lock */
    int32_t failures;           /* of create, in a row */
    int32_t is_given_up;        /* its worker goes on with instances of others */
    int64_t due_ns;             /* not before that is create tried again */
};

/* A budgeted instance. */
struct pex__instance {
    struct pex__unit unit; /* first */
    struct pex__instances *of;
    void *handle;              /* struct pex__handle; the benchmarks have their own */
    struct pex__step load;     /* the step that made it */
    int32_t failures;          /* of create, so far */
    struct pex__message retry; /* the pause before the next try is over */
    struct pex__task again;    /* that try */
    /* Blocking pools: the thread that creates, calls and destroys. Under the engine's lock: */
    struct pex__instance *next; /* of all threads, or of those that ended by themselves */
    pthread_t thread;
    pthread_cond_t wake;
    struct pex__agent agent;
    int32_t is_ending;    /* its thread ends, and is joined by whoever says so */
    int32_t is_broken;    /* it ends by itself */
    struct pex__task end; /* of one that is not blocking and has to go */
};

struct pex__instances {
    struct pex__pool pool; /* first */
    struct pex__instances *next;
    struct pex__engine *engine;
    char *key;
    uint64_t seed; /* with the key: what `create` is told */
    int32_t stats_wanted;
    const struct pex_operator *op;
    struct pex__seat *seats; /* no budget: by worker index; shared: the first */
    /* A leaf lock. Shared: held while a worker makes the instance, so that the others wait. */
    pthread_mutex_t seat_lock;
    int32_t users; /* live jobs; under the engine's lock */
    _Atomic uint64_t created;
    _Atomic uint64_t destroyed;
};

/* The pool of instances made with this key and env, made on first use; op must outlive the engine.
 * Under no lock. NULL: no memory. */
struct pex__instances *pex__instances_get(const struct pex_env *env, const char *key,
                                          const struct pex_operator *op);
/* Gives the pool back; its instances stay for later jobs. */
void pex__instances_put(struct pex__instances *instances);

/* Runs create. */
int32_t pex__instance_create(struct pex__instances *instances, struct pex_env *env,
                             const pex_params *params, struct pex__handle **handle,
                             struct pex_error *err);
/* Runs destroy. */
void pex__instance_destroy_handle(struct pex__instances *instances, struct pex__handle *handle);

/*
 * local.c: the instance that this worker calls without a lease, made on first need: its own, the
 * shared one, or, where no more can be made, one that another worker does not need now. Returns 0,
 * or a code; then *delay_ns is not 0 if it is worth trying again after so long.
 */
int32_t pex__instance_take(struct pex__worker *worker, struct pex__instances *instances,
                           struct pex_env *env, const pex_params *params,
                           struct pex__handle **handle, int64_t *delay_ns, struct pex_error *err);
/* Behind the call; is_broken: another must take its place. */
void pex__instance_give(struct pex__worker *worker, struct pex__instances *instances,
                        struct pex__handle *handle, int is_broken);
/* A new user: what failed before is tried again. No job uses the pool. */
void pex__seats_renew(struct pex__instances *instances);
/* Ends what is left in the seats of a pool. */
void pex__seats_free(struct pex__instances *instances);
/* Before another try, when so many have failed. */
int64_t pex__load_pause_ns(int32_t failures);
/* Ends the instances of a worker that leaves. */
void pex__instances_leave(struct pex__worker *worker);

/* Carries out a LOAD step. On a blocking pool it starts the thread, which reports by itself, and so
 * does a load that is tried again after a pause: returns 0 then, and 1 when *unit (NULL: failed) is
 * to be reported by the caller. */
int pex__instance_load(struct pex__engine *engine, struct pex__step *step, struct pex__unit **unit);
/* Ends one budgeted instance that no pool knows any more; joins its thread. */
void pex__instance_end(struct pex__instance *instance);
/* Ends what is idle of a pool's surplus: on a worker, or on the instance's own thread. Under the
 * engine's lock. */
void pex__instances_shed(struct pex__engine *engine, struct pex__pool *pool);
/* The life of a unit's thread, once its instance is made (engine.c). */
void *pex__unit_run(void *instance);
/* Non-zero if the thread is a unit's. */
int pex__instances_has_thread(struct pex__engine *engine, pthread_t thread);
/* Frees the pools; no instance and no thread may be left. */
void pex__instances_free(struct pex__engine *engine);
/* Ends idle budgeted instances of pools that no job uses. Returns how many. */
int32_t pex__instances_trim(struct pex__engine *engine);
/* Ends all budgeted instances, and waits for those that end by themselves; no job may be left. */
void pex__instances_end(struct pex__engine *engine);

#endif
