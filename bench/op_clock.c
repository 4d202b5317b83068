/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin around another one: it registers the other's operators once more, as clocked_NAME, and
 * takes the CPU time of their calls, so that what others do on the machine meanwhile counts little.
 * When the process ends it prints three numbers on standard error: the seconds in `process` or
 * `observe`; those in `resolve` and `apply`; and those that went before into making the texts out
 * of JSON, which an operator gets done by its first look at them. PEX_BENCH_PLUGIN names the file
 * of the other.
 */
#include <partexec/plugin.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPERATORS_MAX = 256 };

/* An instance of the other's. */
struct clocked {
    const struct pex_operator *op;
    void *instance;
};

PEX_PLUGIN_DEFINE("op_clock", "1")

static struct pex_host inner_host;
static struct pex_operator inner[OPERATORS_MAX];
static size_t inner_count;
static atomic_llong calls_ns, rest_ns, texts_ns;

static long long cpu_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct clocked *clocked = calloc(1, sizeof *clocked);
    int32_t failed = 0;

    if (clocked == NULL)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    clocked->op = pex_env_user(env);
    if (clocked->op->create != NULL)
        failed = clocked->op->create(env, params, &clocked->instance, err);
    if (failed != 0)
        free(clocked);
    else
        *instance = clocked;
    return failed;
}

static void destroy(void *instance)
{
    struct clocked *clocked = instance;

    if (clocked->op->destroy != NULL)
        clocked->op->destroy(clocked->instance);
    free(clocked);
}

/* Has the texts made, if the operator's first field is one. */
static void make_texts(const struct pex_operator *op, pex_batch *batch)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    long long begin = cpu_ns();

    if (op->field_count > 0 && op->fields[0].param != NULL &&
        strcmp(op->fields[0].param, "text_key") == 0)
        pex_batch_strings(batch, 0, &texts, &states);
    texts_ns += cpu_ns() - begin;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct clocked *clocked = instance;
    long long begin;
    int32_t code;

    make_texts(clocked->op, batch);
    begin = cpu_ns();
    code = clocked->op->process(clocked->instance, batch, err);

    calls_ns += cpu_ns() - begin;
    return code;
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct clocked *clocked = instance;
    long long begin;
    int32_t code;

    make_texts(clocked->op, batch);
    begin = cpu_ns();
    code = clocked->op->observe(clocked->instance, batch, err);

    calls_ns += cpu_ns() - begin;
    return code;
}

static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    struct clocked *clocked = instance;
    long long begin = cpu_ns();
    int32_t code = clocked->op->resolve(clocked->instance, keys, err);

    rest_ns += cpu_ns() - begin;
    return code;
}

static int32_t apply(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct clocked *clocked = instance;
    long long begin = cpu_ns();
    int32_t code = clocked->op->apply(clocked->instance, batch, err);

    rest_ns += cpu_ns() - begin;
    return code;
}

static int32_t register_clocked(pex_context *registry, const struct pex_operator *op, void *user,
                                void (*release)(void *user), struct pex_error *err)
{
    struct pex_operator outer = *op;
    char name[128];

    if (user != NULL || release != NULL || inner_count == OPERATORS_MAX)
        return pex_error_set(err, PEX_ENOTSUP, "op_clock: operator %s", op->name);
    snprintf(name, sizeof name, "clocked_%s", op->name);
    inner[inner_count] = *op;
    outer.name = name;
    outer.create = create;
    outer.destroy = destroy;
    outer.process = op->process != NULL ? process : NULL;
    outer.observe = op->observe != NULL ? observe : NULL;
    outer.resolve = op->resolve != NULL ? resolve : NULL;
    outer.apply = op->apply != NULL ? apply : NULL;
    return pex_operator_register(registry, &outer, &inner[inner_count++], NULL, err);
}

static void report(void)
{
    fprintf(stderr, "%.6f %.6f %.6f\n", (double)calls_ns / 1e9, (double)rest_ns / 1e9,
            (double)texts_ns / 1e9);
}

PEX_PLUGIN_ENTRY(pex_context *registry)
{
    const char *path = getenv("PEX_BENCH_PLUGIN");
    void *object = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    pex_plugin_init_fn init;

    if (object == NULL) {
        fprintf(stderr, "op_clock: PEX_BENCH_PLUGIN: %s\n", path != NULL ? dlerror() : "not set");
        return PEX_EINVAL;
    }
    *(void **)&init = dlsym(object, "pex_plugin_init");
    if (init == NULL || atexit(report) != 0)
        return PEX_EINVAL;
    inner_host = *pex_plugin_host;
    inner_host.operator_register = register_clocked;
    return init(&inner_host, registry);
}
