/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators in a shared object of their own.
 *
 * A plugin links to nothing of this library: it gets the functions it may call as a table, so that
 * it works in a static host, under ctypes, and next to a second copy of the library alike. A plugin
 * source defines PEX_PLUGIN_BUILD before it includes this header; the names of batch.h and
 * operator.h then go through the table, and the same operator compiles into a host or a plugin
 * without a change. One file of the plugin says
 *
 *     PEX_PLUGIN_DEFINE("mine", "1.0")
 *     PEX_PLUGIN_ENTRY(pex_context *registry) { return pex_operator_register(registry, ...); }
 *
 * Everything else is hidden
 * (-fvisibility=hidden).
 */
#ifndef PARTEXEC_PLUGIN_H
#define PARTEXEC_PLUGIN_H

#include <partexec/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEX_PLUGIN_MAGIC 0x31584550u /* "PEX1" in memory, little endian */
#define PEX_PLUGIN_MAJOR 0           /* a plugin of another major is refused */

/* Exported by a plugin as `pex_plugin_info`: data only, read before any code of the plugin runs. */
struct pex_plugin_info {
    uint32_t magic;
    uint32_t struct_size;
    int32_t major;
    int32_t host_size; /* sizeof(struct pex_host) that the plugin was built with */
    uint64_t required_features;
    const char *name;
    const char *version;
};

/* The host's functions. Append-only: a slot never moves and never changes its meaning. */
struct pex_host {
    size_t struct_size;
    int32_t (*operator_register)(pex_context *, const struct pex_operator *, void *,
                                 void (*)(void *), struct pex_error *);
    int32_t (*error_set)(struct pex_error *, int32_t, const char *, ...) PEX_PRINTF(3, 4);

    int32_t (*params_is_null)(const pex_params *, const char *);
    int32_t (*params_int64)(const pex_params *, const char *, int64_t *);
    int32_t (*params_double)(const pex_params *, const char *, double *);
    int32_t (*params_bool)(const pex_params *, const char *, int32_t *);
    int32_t (*params_string)(const pex_params *, const char *, struct pex_string_view *);
    int64_t (*params_count)(const pex_params *, const char *);
    int32_t (*params_string_at)(const pex_params *, const char *, size_t, struct pex_string_view *);
    int32_t (*params_int64_at)(const pex_params *, const char *, size_t, int64_t *);
    int32_t (*params_json)(const pex_params *, const char *, struct pex_string_view *);

    void *(*env_user)(const pex_env *);
    uint64_t (*env_seed)(const pex_env *);
    int32_t (*env_stats_wanted)(const pex_env *);
    int32_t (*env_device)(const pex_env *);
    void (*env_charge)(pex_env *, int64_t);
    void (*env_log)(const pex_env *, int32_t, const char *);

    size_t (*batch_rows)(const pex_batch *);
    int32_t (*batch_strings)(pex_batch *, int32_t, const struct pex_string_view **,
                             const uint8_t **);
    int32_t (*batch_tokens)(pex_batch *, int32_t, const struct pex_string_view **,
                            const uint8_t **);
    int32_t (*batch_int64)(pex_batch *, int32_t, const int64_t **, const uint8_t **);
    int32_t (*batch_double)(pex_batch *, int32_t, const double **, const uint8_t **);
    int32_t (*batch_bool)(pex_batch *, int32_t, const uint8_t **, const uint8_t **);
    int32_t (*batch_json)(pex_batch *, int32_t, const struct pex_string_view **, const uint8_t **);
    int32_t (*batch_set_string)(pex_batch *, int32_t, size_t, struct pex_string_view);
    int32_t (*batch_set_int64)(pex_batch *, int32_t, size_t, int64_t);
    int32_t (*batch_set_double)(pex_batch *, int32_t, size_t, double);
    int32_t (*batch_set_bool)(pex_batch *, int32_t, size_t, int32_t);
    int32_t (*batch_set_json)(pex_batch *, int32_t, size_t, struct pex_string_view);
    int32_t (*batch_set_missing)(pex_batch *, int32_t, size_t);
    char *(*batch_alloc)(pex_batch *, int32_t, size_t);
    int32_t (*batch_drop)(pex_batch *, size_t);
    int32_t (*batch_fail_row)(pex_batch *, size_t, int32_t, const char *);
    int32_t (*batch_append)(pex_batch *, size_t, size_t *);
    int32_t (*batch_consumed)(pex_batch *, size_t);
    int32_t (*batch_row_ids)(pex_batch *, const struct pex_row_id **);
    int32_t (*batch_cancelled)(const pex_batch *);
    int32_t (*batch_stat_get)(pex_batch *, int32_t, size_t, struct pex_number *);
    int32_t (*batch_stat_set)(pex_batch *, int32_t, size_t, const struct pex_number *);
    void *(*batch_cache_put)(pex_batch *, int32_t, const char *, size_t);
    const void *(*batch_cache_get)(pex_batch *, int32_t, const char *, size_t *);
    int32_t (*batch_counts)(pex_batch *, const uint32_t **);

    int32_t (*keys_emit)(pex_batch *, size_t, const void *, size_t);
    uint64_t (*keys_rows)(const pex_keys *);
    uint64_t (*keys_count)(const pex_keys *);
    int32_t (*keys_next)(pex_keys *, struct pex_key *);
    int32_t (*keys_rewind)(pex_keys *);
    int32_t (*keys_decide)(pex_keys *, uint64_t, uint32_t);
    int32_t (*keys_cancelled)(const pex_keys *);
    uint64_t (*keys_memory)(const pex_keys *);
    void *(*batch_cache_put_rows)(pex_batch *, int32_t, const char *, size_t);
    void *(*batch_cache_room)(pex_batch *, int32_t, size_t);
    int32_t (*batch_row_json)(pex_batch *, size_t, struct pex_string_view *);
    int32_t (*keys_tell)(pex_keys *, const void *, size_t);
    int32_t (*batch_told)(pex_batch *, struct pex_string_view *);
    int32_t (*keys_note)(pex_keys *, const char *, uint64_t);
};

/*
 * The type of `pex_plugin_init`: registers the operators with `registry`, which is valid during the
 * call only, and returns 0 or a negative code. `host` is the same for the life of the process.
 * Calls do not overlap; a second context calls again. It is a transaction: if init fails, or one of
 * its registrations, no operator of the plugin stays. A registration that succeeded has taken over
 * `user`, and `release` is called for it, sooner or later, also then; one that failed has not. init
 * may call operator_register and error_set, and must not load plugins.
 */
typedef int32_t (*pex_plugin_init_fn)(const struct pex_host *host, pex_context *registry);

#define PEX_PLUGIN_DEFINE(plugin_name, plugin_version)                                             \
    const struct pex_host *pex_plugin_host;                                                        \
    PEX_API extern const struct pex_plugin_info pex_plugin_info;                                   \
    const struct pex_plugin_info pex_plugin_info = {PEX_PLUGIN_MAGIC,                              \
                                                    sizeof(struct pex_plugin_info),                \
                                                    PEX_PLUGIN_MAJOR,                              \
                                                    (int32_t)sizeof(struct pex_host),              \
                                                    0,                                             \
                                                    plugin_name,                                   \
                                                    plugin_version};                               \
    static int32_t pex_plugin_entry(pex_context *registry);                                        \
    PEX_API int32_t pex_plugin_init(const struct pex_host *host, pex_context *registry);           \
    int32_t pex_plugin_init(const struct pex_host *host, pex_context *registry)                    \
    {                                                                                              \
        if (pex_plugin_host != host)                                                               \
            pex_plugin_host = host;                                                                \
        return pex_plugin_entry(registry);                                                         \
    }
#define PEX_PLUGIN_ENTRY(argument) static int32_t pex_plugin_entry(argument)

#ifdef PEX_PLUGIN_BUILD
/* The same in every context of a process, so one pointer per plugin is enough. */
extern const struct pex_host *pex_plugin_host __attribute__((visibility("hidden")));

#define pex_operator_register (pex_plugin_host->operator_register)
#define pex_error_set (pex_plugin_host->error_set)
#define pex_params_is_null (pex_plugin_host->params_is_null)
#define pex_params_int64 (pex_plugin_host->params_int64)
#define pex_params_double (pex_plugin_host->params_double)
#define pex_params_bool (pex_plugin_host->params_bool)
#define pex_params_string (pex_plugin_host->params_string)
#define pex_params_count (pex_plugin_host->params_count)
#define pex_params_string_at (pex_plugin_host->params_string_at)
#define pex_params_int64_at (pex_plugin_host->params_int64_at)
#define pex_params_json (pex_plugin_host->params_json)
#define pex_env_user (pex_plugin_host->env_user)
#define pex_env_seed (pex_plugin_host->env_seed)
#define pex_env_stats_wanted (pex_plugin_host->env_stats_wanted)
#define pex_env_device (pex_plugin_host->env_device)
#define pex_env_charge (pex_plugin_host->env_charge)
#define pex_env_log (pex_plugin_host->env_log)
#define pex_batch_rows (pex_plugin_host->batch_rows)
#define pex_batch_strings (pex_plugin_host->batch_strings)
#define pex_batch_tokens (pex_plugin_host->batch_tokens)
#define pex_batch_int64 (pex_plugin_host->batch_int64)
#define pex_batch_double (pex_plugin_host->batch_double)
#define pex_batch_bool (pex_plugin_host->batch_bool)
#define pex_batch_json (pex_plugin_host->batch_json)
#define pex_batch_set_string (pex_plugin_host->batch_set_string)
#define pex_batch_set_int64 (pex_plugin_host->batch_set_int64)
#define pex_batch_set_double (pex_plugin_host->batch_set_double)
#define pex_batch_set_bool (pex_plugin_host->batch_set_bool)
#define pex_batch_set_json (pex_plugin_host->batch_set_json)
#define pex_batch_set_missing (pex_plugin_host->batch_set_missing)
#define pex_batch_alloc (pex_plugin_host->batch_alloc)
#define pex_batch_drop (pex_plugin_host->batch_drop)
#define pex_batch_fail_row (pex_plugin_host->batch_fail_row)
#define pex_batch_append (pex_plugin_host->batch_append)
#define pex_batch_consumed (pex_plugin_host->batch_consumed)
#define pex_batch_row_ids (pex_plugin_host->batch_row_ids)
#define pex_batch_cancelled (pex_plugin_host->batch_cancelled)
#define pex_batch_stat_get (pex_plugin_host->batch_stat_get)
#define pex_batch_stat_set (pex_plugin_host->batch_stat_set)
#define pex_batch_cache_put (pex_plugin_host->batch_cache_put)
#define pex_batch_cache_get (pex_plugin_host->batch_cache_get)
#define pex_batch_counts (pex_plugin_host->batch_counts)
#define pex_keys_emit (pex_plugin_host->keys_emit)
#define pex_keys_rows (pex_plugin_host->keys_rows)
#define pex_keys_count (pex_plugin_host->keys_count)
#define pex_keys_next (pex_plugin_host->keys_next)
#define pex_keys_rewind (pex_plugin_host->keys_rewind)
#define pex_keys_decide (pex_plugin_host->keys_decide)
#define pex_keys_cancelled (pex_plugin_host->keys_cancelled)
#define pex_keys_memory (pex_plugin_host->keys_memory)
#define pex_batch_cache_put_rows (pex_plugin_host->batch_cache_put_rows)
#define pex_batch_cache_room (pex_plugin_host->batch_cache_room)
#define pex_batch_row_json (pex_plugin_host->batch_row_json)
#define pex_keys_tell (pex_plugin_host->keys_tell)
#define pex_batch_told (pex_plugin_host->batch_told)
#define pex_keys_note (pex_plugin_host->keys_note)
#endif /* PEX_PLUGIN_BUILD */

#ifdef __cplusplus
}
#endif

#endif
