/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void folder_make(struct folder *folder)
{
    strcpy(folder->path, "/tmp/partexec-job-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder->path));
}

static void remove_below(const char *path)
{
    DIR *entries = opendir(path);
    struct dirent *entry;
    char inner[512];

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (unlink(inner) != 0) {
            remove_below(inner);
            rmdir(inner);
        }
    }
    if (entries != NULL)
        closedir(entries);
}

void folder_free(struct folder *folder)
{
    remove_below(folder->path);
    rmdir(folder->path);
}

const char *folder_at(const struct folder *folder, const char *name)
{
    static char paths[8][160];
    static int next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
    return path;
}

int folder_has(const struct folder *folder, const char *name)
{
    return access(folder_at(folder, name), F_OK) == 0;
}

void rows_write(const struct folder *folder, const char *name, size_t count, size_t text_bytes)
{
    FILE *file = fopen(folder_at(folder, name), "w");
    char *filler = malloc(text_bytes + 1);

    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(filler);
    memset(filler, 'x', text_bytes);
    filler[text_bytes] = '\0';
    for (size_t i = 0; i < count; i++)
        fprintf(file, "{\"id\": %zu, \"text\": \"row %zu %s\"}\n", i, i, filler);
    free(filler);
    ck_assert_int_eq(fclose(file), 0);
}

int64_t rows_next_id(const char **line, const char *end)
{
    const char *lf;
    int64_t id = 0;

    if (*line >= end)
        return -1;
    lf = memchr(*line, '\n', (size_t)(end - *line));
    ck_assert_msg(lf != NULL, "the last row is not ended");
    ck_assert_msg(strncmp(*line, "{\"id\": ", 7) == 0, "not a row: %.40s", *line);
    for (const char *at = *line + 7; at < lf && *at >= '0' && *at <= '9'; at++)
        id = 10 * id + (*at - '0');
    *line = lf + 1;
    return id;
}

void rows_check(const struct folder *folder, const char *name, size_t count)
{
    FILE *file = fopen(folder_at(folder, name), "r");
    char *line = NULL;
    size_t room = 0, found = 0;
    ssize_t length;

    ck_assert_msg(file != NULL, "no %s", name);
    while ((length = getline(&line, &room, file)) > 0) {
        const char *at = line;

        ck_assert_int_eq(rows_next_id(&at, line + length), (int64_t)found);
        found++;
    }
    ck_assert_uint_eq(found, count);
    free(line);
    fclose(file);
}

pex_context *context_make(int32_t workers)
{
    struct pex_context_options options = {.struct_size = sizeof options, .workers = workers};
    pex_context *ctx = NULL;
    struct pex_error err = {0};

    ck_assert_msg(pex_context_create(&options, &ctx, &err) == 0, "%s", err.message);
    ck_assert_msg(pex_plugin_load(ctx, PEX_TEST_TEXT, &err) == 0, "%s", err.message);
    ck_assert_msg(pex_plugin_load(ctx, PEX_TEST_LAB, &err) == 0, "%s", err.message);
    return ctx;
}

pex_spec *spec_make(const struct folder *folder, const char *out, const char *process,
                    const char *more)
{
    char text[2048];
    pex_spec *spec = NULL;
    struct pex_error err = {0};
    int length = snprintf(text, sizeof text,
                          "{\"dataset_path\": \"%s/rows.jsonl\", \"export_path\": \"%s/%s\", "
                          "\"work_dir\": \"%s/work\", \"checkpoint\": {\"enabled\": false}, "
                          "\"process\": %s%s}",
                          folder->path, folder->path, out, folder->path, process, more);

    ck_assert_int_lt(length, sizeof text);
    ck_assert_msg(pex_spec_parse(text, (size_t)length, &spec, &err) == 0, "%s: %s", err.message,
                  text);
    return spec;
}

pex_job *job_submit(pex_context *ctx, const pex_spec *spec, const struct pex_job_options *options)
{
    struct pex_error err = {0};
    pex_job *job = NULL;

    ck_assert_msg(pex_job_submit(ctx, spec, NULL, options, &job, &err) == 0, "%s", err.message);
    return job;
}

pex_job *job_start(pex_context *ctx, const struct folder *folder, const char *out,
                   const char *process, const char *more)
{
    pex_spec *spec = spec_make(folder, out, process, more);
    pex_job *job = job_submit(ctx, spec, NULL);

    pex_spec_release(spec);
    return job;
}

void job_expect(pex_job *job, int32_t state)
{
    struct pex_error err = {0};

    ck_assert_int_eq(pex_job_wait(job, INT64_C(120000000000)), 0);
    pex_job_error(job, &err);
    ck_assert_msg(pex_job_state(job) == state, "state %d, not %d: %s", (int)pex_job_state(job),
                  (int)state, err.message);
}

void gate_init(struct gate *gate)
{
    memset(gate, 0, sizeof *gate);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
}

static int32_t gate_create(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    (void)params;
    (void)err;
    *instance = pex_env_user(env);
    return 0;
}

static int32_t gate_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct gate *gate = instance;

    (void)batch;
    (void)err;
    pthread_mutex_lock(&gate->lock);
    gate->calls++;
    gate->inside++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->is_open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    gate->inside--;
    pthread_mutex_unlock(&gate->lock);
    return 0;
}

static void gate_release(void *user)
{
    ((struct gate *)user)->released++;
}

void gate_register(struct gate *gate, pex_context *ctx)
{
    struct pex_operator op = {
        .struct_size = sizeof op,
        .name = "gate_mapper",
        .version = "1",
        .help = "Waits for the test.",
        .cardinality = PEX_ROW_TO_ROW,
        .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
        .create = gate_create,
        .process = gate_process,
    };
    struct pex_error err = {0};

    ck_assert_msg(pex_operator_register(ctx, &op, gate, gate_release, &err) == 0, "%s",
                  err.message);
}

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_open = 1;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void gate_await(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->inside == 0)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static int count_entries(const char *path)
{
    DIR *entries = opendir(path);
    int count = 0;

    ck_assert_ptr_nonnull(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count;
}

int count_descriptors(void)
{
    return count_entries("/proc/self/fd");
}

void print_descriptors(void)
{
    char name[64], to[256];
    ssize_t length;

    for (int fd = 0; fd < 1024; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        length = readlink(name, to, sizeof to);
        if (length > 0)
            printf("# %d: %.*s\n", fd, (int)length, to);
    }
    fflush(stdout);
}

int count_threads(void)
{
    return count_entries("/proc/self/task");
}

/* The sanitizers have heaps of their own. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

size_t count_heap_bytes(void)
{
    if (__sanitizer_get_current_allocated_bytes != NULL)
        return __sanitizer_get_current_allocated_bytes();
    return mallinfo2().uordblks;
}

size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long size = 0, resident = 0;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lu %lu", &size, &resident), 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

size_t test_scale(void)
{
    const char *text = getenv("PEX_TEST_SCALE");
    long scale = text != NULL ? strtol(text, NULL, 10) : 1;

    return scale > 1 ? (size_t)scale : 1;
}

uint64_t test_seed(void)
{
    const char *text = getenv("PEX_TEST_SEED");
    struct timespec now;
    uint64_t seed;

    clock_gettime(CLOCK_REALTIME, &now);
    seed = text != NULL ? strtoull(text, NULL, 10) : (uint64_t)now.tv_nsec + (uint64_t)now.tv_sec;
    printf("# PEX_TEST_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

/* splitmix64 */
uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

void nap_us(uint64_t us)
{
    struct timespec time = {(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};

    nanosleep(&time, NULL);
}

int run_case(const char *name, TCase *tcase)
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, getenv("PEX_TEST_MOMENTS") != NULL ? 1200 : 120);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
