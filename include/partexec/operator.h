/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators: what the host, or a plugin, writes and registers.
 *
 * An operator is a table of constant data and functions. Its parameters and the fields it touches
 * are declared, so that a plan can be made, checked and explained without running it. State lives
 * in instances: `create` makes one from the parameters, `process` works on a batch of rows,
 * `destroy` ends it. An instance is used by one call at a time unless PEX_OP_REENTRANT says
 * otherwise. Which thread calls: any worker; with PEX_OP_BLOCKING create, process and destroy of an
 * instance run on one thread of its own. No lock of the library is held during these calls; they
 * may call the functions of batch.h and of this header on what they were given, nothing else.
 */
#ifndef PARTEXEC_OPERATOR_H
#define PARTEXEC_OPERATOR_H

#include <partexec/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pex_context pex_context;
typedef struct pex_env pex_env;
typedef struct pex_params pex_params;
typedef struct pex_keys pex_keys;

/* Types of a parameter, as they stand in the spec. */
#define PEX_PARAM_INT64 1
#define PEX_PARAM_DOUBLE 2 /* an integer is accepted too */
#define PEX_PARAM_BOOL 3
#define PEX_PARAM_STRING 4
#define PEX_PARAM_STRINGS 5 /* a list of strings, or one string */
#define PEX_PARAM_INT64S 6  /* a list of integers, or one integer */
#define PEX_PARAM_JSON 7    /* anything */

#define PEX_PARAM_REQUIRED 1 /* has no default */
#define PEX_PARAM_NULLABLE 2 /* null is a value of its own */
#define PEX_PARAM_IGNORED 4  /* accepted for the sake of existing recipes; the plan lists it */

struct pex_param_def {
    const char *name;
    const char *default_json; /* JSON text; NULL with PEX_PARAM_REQUIRED */
    const char *choices;      /* "a|b|c" for strings, or NULL */
    const char *help;         /* one sentence */
    double min;               /* numbers: inclusive bounds, checked only if min < max */
    double max;
    int32_t type;
    int32_t flags;
};

/* Kinds of a field. */
#define PEX_FIELD_PATH 0 /* a dotted path: "text", "meta.lang" */
#define PEX_FIELD_STAT 1 /* a literal key of the row's stats: "text_len", also "meta.lang" */

/* Access to a field; both together are possible. */
#define PEX_FIELD_READ 1
#define PEX_FIELD_WRITE 2

struct pex_field_def {
    const char *name;  /* the path or key itself, or NULL: */
    const char *param; /* the string parameter that holds it ("" means: no field) */
    int32_t kind;
    int32_t access;
};

#define PEX_OP_REENTRANT 1 /* one instance, concurrent calls */
#define PEX_OP_BLOCKING 2  /* waits in calls (network, device): a thread per instance */
#define PEX_OP_GPU 4       /* needs a device; implies BLOCKING */
/* A call that failed may be repeated with the same or fewer rows. Under num_proc and batch_size
 * such an operator may be called with the rows of several slices, unless it is batch sensitive. */
#define PEX_OP_RETRY_SAFE 8
#define PEX_OP_BATCH_SENSITIVE 16 /* the result for a row depends on the other rows of the call */

#define PEX_ROW_TO_ROW 0  /* changes rows; neither drops nor appends */
#define PEX_FILTER 1      /* drops rows; may write stats */
#define PEX_ROW_TO_MANY 2 /* appends and drops */
#define PEX_GLOBAL 3      /* needs all rows: observe, resolve, apply */

/*
 * The operator table. Everything in it is copied at registration. The caller sets struct_size to
 * its own sizeof; members it does not know are zero. An unknown tail is ignored by an older
 * library, unless required_features has a bit that the library does not know.
 */
struct pex_operator {
    size_t struct_size;
    uint64_t required_features; /* 0 */

    const char *name;    /* [a-z][a-z0-9_]*, unique in the context */
    const char *version; /* changes when the output for the same input changes; "1" */
    const char *help;    /* one sentence; more may follow, each paragraph in a line of its own */
    int32_t cardinality; /* PEX_ROW_TO_ROW .. PEX_GLOBAL */
    int32_t flags;       /* PEX_OP_* */

    const struct pex_param_def *params;
    size_t param_count;
    size_t param_stride; /* sizeof(struct pex_param_def) of the caller */
    const struct pex_field_def *fields;
    size_t field_count;
    size_t field_stride; /* sizeof(struct pex_field_def) of the caller */

    /*
     * Makes an instance. env and params live until create returns. Returns 0 and *instance (NULL is
     * a valid instance), or a negative code with the reason in err. Without state: NULL slot.
     */
    int32_t (*create)(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err);
    /*
     * Works on the rows of a batch. 0: done, except for rows given to pex_batch_fail_row. PEX_MORE:
     * see pex_batch_consumed. PEX_EAGAIN: the same batch after a pause. PEX_ENOMEM: again with half
     * of the rows. PEX_EINSTANCE: again on a new instance. PEX_EFATAL: the job fails. Any other
     * negative code: the batch failed; with PEX_OP_RETRY_SAFE the failing rows are searched, else
     * all rows go to the policy. For PEX_GLOBAL this slot is NULL.
     */
    int32_t (*process)(void *instance, pex_batch *batch, struct pex_error *err);
    /* Ends an instance; NULL slot: nothing to do. */
    void (*destroy)(void *instance);
    /*
     * Checks parameters at submit, whatever the rows: 0, or PEX_EINVAL with a text that names the
     * parameter. NULL slot: the declared types and bounds are all there is to check.
     */
    int32_t (*check)(const pex_params *params, struct pex_error *err);

    /* PEX_GLOBAL only. observe: as process, in parallel, reads fields and emits keys. */
    int32_t (*observe)(void *instance, pex_batch *batch, struct pex_error *err);
    /* Once, when every row was observed: walks the keys in row order and decides. */
    int32_t (*resolve)(void *instance, pex_keys *keys, struct pex_error *err);
    /* As process, in parallel, with pex_batch_counts. NULL slot: each row goes out `count` times.
     */
    int32_t (*apply)(void *instance, pex_batch *batch, struct pex_error *err);
};

/*
 * Registers an operator. ctx, op: not NULL; the table and all it points to are copied, except
 * functions and user. user: handed out by pex_env_user. release (NULL allowed): called once with
 * user, on any thread, after the last instance is gone and the context is destroyed; never if
 * registration failed. Returns 0, PEX_EINVAL (the table, with the place in err), PEX_EEXIST,
 * PEX_ENOTSUP (required_features), PEX_ENOMEM, PEX_ECLOSED, PEX_EFORKED.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_operator_register(pex_context *ctx, const struct pex_operator *op, void *user,
                                      void (*release)(void *user), struct pex_error *err);

/*
 * Loads operators from a plugin: a path with a slash is a file; a bare name ("text") is looked for
 * as NAME.so in the context's plugin folder. A plugin that the context has already, by whatever
 * path, is left alone, and the answer is 0. Plugins are never unloaded. All operators of a plugin
 * are registered, or none: if its init fails, or one of its registrations, those that succeeded
 * before are taken back and their release hooks called. Returns 0, PEX_ENOENT (no such file),
 * PEX_EABI (no plugin, one of another major, or one that the loader refuses), PEX_ENOTSUP (it needs
 * a feature), PEX_EEXIST (an operator's name is taken; err names both files), PEX_EINVAL, PEX_EIO,
 * PEX_ENOMEM, PEX_EDEADLK (from a plugin's init), PEX_ECLOSED, PEX_EFORKED, or the code of the
 * plugin's init.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_plugin_load(pex_context *ctx, const char *path, struct pex_error *err);

/*
 * What a plugin says about itself, as JSON, without calling its init: {"file", "name", "version",
 * "major", "host_size"}. path: of the file. The checks are those of pex_plugin_load, and so are the
 * codes. *json is released with pex_free.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_plugin_describe(const char *path, char **json, struct pex_error *err);

/*
 * The operators of a context as JSON: a list of {"name", "version", "help", "cardinality", "flags",
 * "params": [{"name", "type", "default", "choices", "min", "max", "help", "flags"}], "fields",
 * "plugin"}, sorted by name; only `name` if it is not NULL. *json is released with pex_free.
 * Returns 0, PEX_ENOENT (err names the nearest known), PEX_ENOMEM, PEX_ECLOSED, PEX_EFORKED,
 * PEX_EINVAL.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_operators_describe(pex_context *ctx, const char *name, char **json,
                                       struct pex_error *err);

/*
 * Parameters, checked against the table, defaults filled in. Each getter: params and name not NULL;
 * returns 0 and the value, PEX_ENOENT (no such parameter in the table), PEX_EINVAL (another type,
 * or null). Strings live as long as params. Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_params_is_null(const pex_params *params, const char *name);
PEX_API int32_t pex_params_int64(const pex_params *params, const char *name, int64_t *value);
PEX_API int32_t pex_params_double(const pex_params *params, const char *name, double *value);
PEX_API int32_t pex_params_bool(const pex_params *params, const char *name, int32_t *value);
PEX_API int32_t pex_params_string(const pex_params *params, const char *name,
                                  struct pex_string_view *value);
/* Number of elements of a list parameter (a single value counts as a list of one), or a code. */
PEX_API int64_t pex_params_count(const pex_params *params, const char *name);
PEX_API int32_t pex_params_string_at(const pex_params *params, const char *name, size_t index,
                                     struct pex_string_view *value);
PEX_API int32_t pex_params_int64_at(const pex_params *params, const char *name, size_t index,
                                    int64_t *value);
/* The value as compact JSON text, whatever its type; where a list is expected, a single value as it
 * was given. */
PEX_API int32_t pex_params_json(const pex_params *params, const char *name,
                                struct pex_string_view *value);

/* What `create` learns about its surroundings. Thread-safety: the thread in create. Since: 0.1. */

/* The user pointer of the registration. */
PEX_API void *pex_env_user(const pex_env *env);
/* A seed that is the same for every instance and every run of this operator in this job. An
 * operator that stands in the chain twice has two, unless it has num_proc: its instances serve both
 * places. */
PEX_API uint64_t pex_env_seed(const pex_env *env);
/* Non-zero if anybody may read the stats of this operator: the output, or a later operator; always
 * so with num_proc, since such an instance serves other jobs too. */
PEX_API int32_t pex_env_stats_wanted(const pex_env *env);
/* The device of this instance, or -1 without one. */
PEX_API int32_t pex_env_device(const pex_env *env);
/* Accounts bytes (negative: gives back) of memory that the instance holds to the context; all of it
 * is given back when the instance ends. */
PEX_API void pex_env_charge(pex_env *env, int64_t bytes);
/* A line to the log of the context, at most 1023 bytes of it; level PEX_LOG_*, another counts as
 * the nearest that is one. */
#define PEX_LOG_ERROR 0
#define PEX_LOG_WARNING 1
#define PEX_LOG_INFO 2
#define PEX_LOG_DEBUG 3
PEX_API void pex_env_log(const pex_env *env, int32_t level, const char *message);

/*
 * The keys of a convergence point, in `resolve`. Rows are numbered from 0 in input order.
 * Thread-safety: the thread in resolve. Since: 0.1.
 */
struct pex_key {
    uint64_t row;
    const void *data; /* valid until the next call of pex_keys_next */
    size_t size;
};
/* Number of rows observed. */
PEX_API uint64_t pex_keys_rows(const pex_keys *keys);
/* Number of keys emitted. */
PEX_API uint64_t pex_keys_count(const pex_keys *keys);
/* The next key in row order (keys of a row in the order they were emitted): 0 and *key,
 * PEX_ENOENT at the end, PEX_EIO. */
PEX_API int32_t pex_keys_next(pex_keys *keys, struct pex_key *key);
/* Starts over from the first key. */
PEX_API int32_t pex_keys_rewind(pex_keys *keys);
/* Row `row` goes out `count` times; undecided rows go out once. Returns 0, PEX_EINVAL, PEX_ENOMEM.
 */
PEX_API int32_t pex_keys_decide(pex_keys *keys, uint64_t row, uint32_t count);
/* Hands `size` bytes (copied) to every call of `apply`, which finds them by pex_batch_told; the
 * last ones count. Returns 0, PEX_EINVAL, PEX_ENOMEM. */
PEX_API int32_t pex_keys_tell(pex_keys *keys, const void *data, size_t size);
/* Non-zero once the job is cancelled. */
PEX_API int32_t pex_keys_cancelled(const pex_keys *keys);
/* Bytes of memory that resolve may hold: what the job's memory limit leaves for it, at least 1 MiB.
 * With more keys than fit it walks them several times (pex_keys_rewind). */
PEX_API uint64_t pex_keys_memory(const pex_keys *keys);

/*
 * A number for summary.json, under `notes` of this operator: what a user should know about the
 * data. name: [a-z0-9_]+, copied; the last value of a name counts. Returns 0, PEX_EINVAL,
 * PEX_ENOMEM. Thread-safety: the thread in resolve. Since: 0.1.
 */
PEX_API int32_t pex_keys_note(pex_keys *keys, const char *name, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
