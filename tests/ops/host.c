/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ops_host PLUGIN.so: runs operators over rows given on stdin.
 *
 * A line of stdin is a request, {"operator": name, "params": {}, "rows": [..]} and, optionally,
 *     "stats": false       nobody wants the stats
 *     "batch": n           rows per call
 *     "attempts": n        how often a call that fails is made (1)
 *     "instances": n       how often a create that fails is tried, and an instance replaced (1)
 *     "seed": n            pex_env_seed (42)
 *     "cancelled": true    pex_batch_cancelled says so
 *     "keys_memory": n     pex_keys_memory (so little that some thousand keys take several walks)
 * A line of stdout answers it:
 *     {"rows": [[index, row], ..], "failed": [[index, code, message], ..], "keys": [[index, hex],
 * ..], "calls": [answer of each call, ..], "log": [[level, text], ..]} or {"error": {"at": "check"
 * | "create" | "process", "code", "message"}, "calls", "log"}. Rows of a global operator go through
 * observe, resolve and apply. {"list": true} gives the operator names.
 */
#include "host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct arena *arena;
    const struct pex_operator *op;
    struct pex_params params;
    struct pex_env env;
    void *instance;
    bool has_instance;
    struct pex_string_view *row;
    size_t *index;
    uint32_t *counts;
    struct pex_string_view told, notes;
    size_t row_count, batch, attempts, instances, keys_memory;
    bool is_cancelled;
    struct pex_string_view rows, failed, calls; /* elements of arrays */
    struct emitted_keys keys;
    struct pex_error err;
    const char *where;
};

static void *env_user(const pex_env *env)
{
    return env->user;
}

static uint64_t env_seed(const pex_env *env)
{
    return env->seed;
}

static int32_t env_stats_wanted(const pex_env *env)
{
    return env->is_stat_wanted;
}

static int32_t env_device(const pex_env *env)
{
    return -1;
}

static void env_charge(pex_env *env, int64_t bytes)
{
    env->charged += bytes;
}

/* Adds an element to the text of an array. */
static void add(struct arena *arena, struct pex_string_view *list, struct pex_string_view element)
{
    *list = arena_print(arena, "%.*s%s%.*s", (int)list->length, list->data ? list->data : "",
                        list->length ? "," : "", (int)element.length, element.data);
}

static struct pex_string_view quote(struct arena *arena, const char *text)
{
    return json_quote(arena, (struct pex_string_view){text, strlen(text)});
}

static void env_log(const pex_env *env, int32_t level, const char *message)
{
    struct pex_string_view text = quote(env->arena, message);
    struct pex_env *writable = (struct pex_env *)(uintptr_t)env;
    add(env->arena, &writable->log,
        arena_print(env->arena, "[%d,%.*s]", level, (int)text.length, text.data));
}

static uint64_t keys_rows(const pex_keys *keys)
{
    return keys->row_count;
}

static uint64_t keys_count(const pex_keys *keys)
{
    return keys->emitted.count;
}

static int32_t keys_next(pex_keys *keys, struct pex_key *key)
{
    if (keys->at == keys->emitted.count)
        return PEX_ENOENT;
    const struct emitted_key *emitted = &keys->emitted.item[keys->at++];
    *key = (struct pex_key){emitted->row, emitted->data, emitted->size};
    return 0;
}

static int32_t keys_rewind(pex_keys *keys)
{
    keys->at = 0;
    return 0;
}

static int32_t keys_decide(pex_keys *keys, uint64_t row, uint32_t count)
{
    if (row >= keys->row_count)
        return PEX_EINVAL;
    keys->counts[row] = count;
    return 0;
}

static int32_t keys_tell(pex_keys *keys, const void *data, size_t size)
{
    char *copy = arena_alloc(keys->arena, size + 1);
    if (size)
        memcpy(copy, data, size);
    keys->told = (struct pex_string_view){copy, size};
    return 0;
}

static int32_t keys_note(pex_keys *keys, const char *name, uint64_t value)
{
    add(keys->arena, &keys->notes,
        arena_print(keys->arena, "\"%s\":%llu", name, (unsigned long long)value));
    return 0;
}

static uint64_t keys_memory(const pex_keys *keys)
{
    return keys->memory;
}

static int32_t keys_cancelled(const pex_keys *keys)
{
    return 0;
}

static int32_t operator_register(pex_context *ctx, const struct pex_operator *op, void *user,
                                 void (*release)(void *), struct pex_error *err)
{
    if (ctx->count == sizeof(ctx->entry) / sizeof(ctx->entry[0]))
        return PEX_ENOMEM;
    ctx->entry[ctx->count++] = (struct registration){*op, user, release};
    return 0;
}

void host_env_install(struct pex_host *host)
{
    host->operator_register = operator_register;
    host->env_user = env_user;
    host->env_seed = env_seed;
    host->env_stats_wanted = env_stats_wanted;
    host->env_device = env_device;
    host->env_charge = env_charge;
    host->env_log = env_log;
    host->keys_rows = keys_rows;
    host->keys_count = keys_count;
    host->keys_next = keys_next;
    host->keys_rewind = keys_rewind;
    host->keys_decide = keys_decide;
    host->keys_cancelled = keys_cancelled;
    host->keys_memory = keys_memory;
    host->keys_tell = keys_tell;
    host->keys_note = keys_note;
}

static int32_t failed_at(struct job *job, const char *where, int32_t rc)
{
    job->where = where;
    job->err.code = rc;
    return rc;
}

static void end_instance(struct job *job)
{
    if (job->has_instance && job->op->destroy)
        job->op->destroy(job->instance);
    job->has_instance = false;
}

static int32_t make_instance(struct job *job)
{
    int32_t rc = 0;
    for (size_t i = 0; i < job->instances; i++) {
        job->instance = NULL;
        rc = job->op->create ? job->op->create(&job->env, &job->params, &job->instance, &job->err)
                             : 0;
        if (!rc) {
            job->has_instance = true;
            return 0;
        }
    }
    return failed_at(job, "create", rc);
}

static void add_row(struct job *job, size_t index, struct pex_string_view row, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add(job->arena, &job->rows,
            arena_print(job->arena, "[%zu,%.*s]", index, (int)row.length, row.data));
}

static void commit_row(struct job *job, struct pex_batch *batch, size_t row)
{
    if (batch->failure[row]) {
        struct pex_string_view message = json_quote(job->arena, batch->message[row]);
        add(job->arena, &job->failed,
            arena_print(job->arena, "[%zu,%d,%.*s]", batch->index[row], batch->failure[row],
                        (int)message.length, message.data));
        return;
    }
    uint32_t count = batch->counts ? batch->counts[row] : 1;
    if (!batch->is_dropped[row])
        add_row(job, batch->index[row], host_batch_row(batch, row), count);
    for (size_t i = 0; i < batch->child_count; i++)
        if (batch->child[i] == row)
            add_row(job, batch->index[row], host_batch_row(batch, batch->count + i), 1);
}

typedef int32_t (*call_fn)(void *, pex_batch *, struct pex_error *);

/* One call, repeated as long as the request allows when it fails. */
static int32_t call_batch(struct job *job, call_fn call, struct pex_batch *batch, size_t first,
                          size_t count, bool has_counts)
{
    int32_t rc = 0;
    for (size_t i = 0; i < job->attempts; i++) {
        host_batch_init(batch, &job->params, job->row + first, job->index + first, count);
        batch->is_cancelled = job->is_cancelled;
        batch->counts = has_counts ? job->counts + first : NULL;
        batch->told = job->told;
        rc = call ? call(job->instance, batch, &job->err) : 0;
        add(job->arena, &job->calls, arena_print(job->arena, "%d", rc));
        if (rc >= 0)
            return rc;
        if (rc == PEX_EINSTANCE) {
            end_instance(job);
            if (make_instance(job))
                return PEX_EINSTANCE;
        }
    }
    return failed_at(job, "process", rc);
}

static int32_t run_rows(struct job *job, call_fn call, bool is_observe, bool has_counts)
{
    size_t done = 0;
    while (done < job->row_count) {
        struct pex_batch batch;
        size_t count = job->row_count - done < job->batch ? job->row_count - done : job->batch;
        int32_t rc = call_batch(job, call, &batch, done, count, has_counts);
        if (rc < 0)
            return rc;
        if (rc == PEX_MORE && !batch.consumed)
            return failed_at(job, "process", PEX_EINTERNAL);
        if (rc == PEX_MORE)
            count = batch.consumed;
        for (size_t i = 0; i < count; i++)
            if (!is_observe || batch.failure[i])
                commit_row(job, &batch, i);
        for (size_t i = 0; i < batch.keys.count; i++)
            host_keys_add(job->arena, &job->keys, &batch.keys.item[i]);
        done += count;
    }
    return 0;
}

static int32_t run_global(struct job *job)
{
    int32_t rc = run_rows(job, job->op->observe, true, false);
    if (rc)
        return rc;
    struct pex_keys keys = {
        .arena = job->arena, .row_count = job->row_count, .memory = job->keys_memory};
    keys.counts = job->counts;
    for (size_t i = 0; i < job->row_count; i++)
        keys.counts[i] = 1;
    keys.emitted = job->keys;
    rc = job->op->resolve(job->instance, &keys, &job->err);
    if (rc)
        return failed_at(job, "process", rc);
    struct members failed = json_members(
        job->arena, arena_print(job->arena, "[%.*s]", (int)job->failed.length, job->failed.data));
    for (size_t i = 0; i < failed.count; i++) {
        struct members entry = json_members(job->arena, failed.item[i].value);
        job->counts[strtoull(entry.item[0].value.data, NULL, 10)] = 0;
    }
    job->told = keys.told;
    job->notes = keys.notes;
    return run_rows(job, job->op->apply, false, true);
}

static int32_t run_job(struct job *job)
{
    int32_t rc = host_check_params(&job->params, &job->err);
    if (rc)
        return failed_at(job, "check", rc);
    rc = make_instance(job);
    if (rc)
        return rc;
    rc = job->op->cardinality == PEX_GLOBAL ? run_global(job)
                                            : run_rows(job, job->op->process, false, false);
    end_instance(job);
    return rc;
}

static size_t number_of(struct arena *arena, struct pex_string_view request, const char *key,
                        size_t fallback)
{
    struct pex_string_view value = json_get(arena, request, key);
    return value.data ? strtoull(value.data, NULL, 10) : fallback;
}

static bool bool_of(struct arena *arena, struct pex_string_view request, const char *key,
                    bool fallback)
{
    struct pex_string_view value = json_get(arena, request, key);
    return value.data ? view_is(value, "true") : fallback;
}

static void read_request(struct job *job, struct pex_string_view request)
{
    struct arena *arena = job->arena;
    job->params.given = json_get(arena, request, "params");
    if (!job->params.given.data)
        job->params.given = (struct pex_string_view){"{}", 2};
    job->env.is_stat_wanted = bool_of(arena, request, "stats", true);
    job->is_cancelled = bool_of(arena, request, "cancelled", false);
    job->env.seed = number_of(arena, request, "seed", 42);
    job->batch = number_of(arena, request, "batch", 1000);
    job->attempts = number_of(arena, request, "attempts", 1);
    job->instances = number_of(arena, request, "instances", 1);
    job->keys_memory = number_of(arena, request, "keys_memory", 64 * 1024);
    struct members rows = json_members(arena, json_get(arena, request, "rows"));
    job->row_count = rows.count;
    job->row = arena_alloc(arena, rows.count * sizeof(*job->row));
    job->index = arena_alloc(arena, rows.count * sizeof(*job->index));
    job->counts = arena_alloc(arena, rows.count * sizeof(*job->counts));
    for (size_t i = 0; i < rows.count; i++) {
        job->row[i] = rows.item[i].value;
        job->index[i] = i;
    }
}

static void print_list(const char *name, struct pex_string_view list)
{
    printf("\"%s\":[%.*s]", name, (int)list.length, list.data ? list.data : "");
}

static void print_keys(const struct emitted_keys *keys)
{
    printf("\"keys\":[");
    for (size_t i = 0; i < keys->count; i++) {
        printf("%s[%zu,\"", i ? "," : "", keys->item[i].row);
        for (size_t k = 0; k < keys->item[i].size; k++)
            printf("%02x", keys->item[i].data[k]);
        printf("\"]");
    }
    printf("]");
}

static void answer(struct job *job, int32_t rc)
{
    if (rc < 0) {
        struct pex_string_view message = quote(job->arena, job->err.message);
        printf("{\"error\":{\"at\":\"%s\",\"code\":%d,\"message\":%.*s},", job->where, rc,
               (int)message.length, message.data);
    } else {
        printf("{");
        print_list("rows", job->rows);
        printf(",");
        print_list("failed", job->failed);
        printf(",");
        print_keys(&job->keys);
        printf(",\"notes\":{%.*s},", (int)job->notes.length,
               job->notes.data ? job->notes.data : "");
    }
    print_list("calls", job->calls);
    printf(",\"charged\":%lld,", (long long)job->env.charged);
    print_list("log", job->env.log);
    printf("}\n");
    fflush(stdout);
}

static void list_operators(const struct pex_context *ctx)
{
    printf("[");
    for (size_t i = 0; i < ctx->count; i++)
        printf("%s\"%s\"", i ? "," : "", ctx->entry[i].op.name);
    printf("]\n");
    fflush(stdout);
}

static void serve(const struct pex_context *ctx, const char *line, size_t length)
{
    struct arena arena = {0};
    struct pex_string_view request = {line, length}, name;
    struct job job = {.arena = &arena, .env = {.arena = &arena}};
    if (json_get(&arena, request, "list").data) {
        list_operators(ctx);
        arena_free(&arena);
        return;
    }
    name = json_string(&arena, json_get(&arena, request, "operator"));
    for (size_t i = 0; i < ctx->count; i++) {
        if (view_is(name, ctx->entry[i].op.name)) {
            job.op = &ctx->entry[i].op;
            job.env.user = ctx->entry[i].user;
        }
    }
    if (!job.op) {
        fprintf(stderr, "fake host: no operator '%.*s'\n", (int)name.length, name.data);
        exit(2);
    }
    job.params = (struct pex_params){.arena = &arena, .op = job.op};
    read_request(&job, request);
    answer(&job, run_job(&job));
    arena_free(&arena);
}

static pex_plugin_init_fn find_init(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "fake host: %s\n", dlerror());
        exit(2);
    }
    const struct pex_plugin_info *info = dlsym(plugin, "pex_plugin_info");
    pex_plugin_init_fn init = (pex_plugin_init_fn)(uintptr_t)dlsym(plugin, "pex_plugin_init");
    if (!info || info->magic != PEX_PLUGIN_MAGIC || !init) {
        fprintf(stderr, "fake host: %s is no plugin\n", path);
        exit(2);
    }
    return init;
}

int main(int argc, char **argv)
{
    static struct pex_context ctx;
    static struct pex_host host = {.struct_size = sizeof(host)};
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    if (argc != 2) {
        fputs("usage: ops_host PLUGIN.so, requests on stdin\n", stderr);
        return 2;
    }
    host_params_install(&host);
    host_batch_install(&host);
    host_env_install(&host);
    if (find_init(argv[1])(&host, &ctx)) {
        fputs("fake host: the plugin did not register its operators\n", stderr);
        return 2;
    }
    while ((length = getline(&line, &capacity, stdin)) > 0)
        serve(&ctx, line, (size_t)length);
    for (size_t i = 0; i < ctx.count; i++)
        if (ctx.entry[i].release)
            ctx.entry[i].release(ctx.entry[i].user);
    free(line);
    return 0;
}
