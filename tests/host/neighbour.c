/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host that opens the library at run time, with local symbols, next to its own use of what the
 * library uses: jansson with allocators of its own, and a libuv loop that is busy. Neither may
 * notice the other.
 */
#include <partexec/partexec.h>

#include <check.h>
#include <dlfcn.h>
#include <jansson.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define SECOND INT64_C(1000000000)

/* The functions that this host uses; looked up by name, as a host with dlopen does. */
#define FUNCTIONS(USE)                                                                             \
    USE(pex_check_abi)                                                                             \
    USE(pex_context_create)                                                                        \
    USE(pex_context_destroy)                                                                       \
    USE(pex_plugin_load)                                                                           \
    USE(pex_spec_parse)                                                                            \
    USE(pex_spec_set)                                                                              \
    USE(pex_spec_release)                                                                          \
    USE(pex_plan_explain)                                                                          \
    USE(pex_job_submit)                                                                            \
    USE(pex_job_wait)                                                                              \
    USE(pex_job_state)                                                                             \
    USE(pex_job_summary)                                                                           \
    USE(pex_job_release)                                                                           \
    USE(pex_free)

#define MEMBER(name) __typeof__(name) *name;
static struct {
    void *object;
    FUNCTIONS(MEMBER)
} library;

/* jansson's blocks in this process: free() would crash on them. */
struct block {
    _Alignas(max_align_t) size_t mark;
};
#define MARK ((size_t)0x6a616e73)
static _Atomic long blocks;

static void *host_malloc(size_t size)
{
    struct block *block = malloc(sizeof *block + size);

    if (block == NULL)
        return NULL;
    block->mark = MARK;
    atomic_fetch_add(&blocks, 1);
    return block + 1;
}

static void host_free(void *memory)
{
    struct block *block = (struct block *)memory - 1;

    if (memory == NULL)
        return;
    if (block->mark != MARK)
        abort(); /* somebody else's block */
    block->mark = 0;
    atomic_fetch_sub(&blocks, 1);
    free(block);
}

static char folder[64];

static char *at(const char *name)
{
    static char paths[2][128];
    static int next;
    char *path = paths[next++ % 2];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void set_up(void)
{
    FILE *file;

    json_set_alloc_funcs(host_malloc, host_free);
    library.object = dlopen(PEX_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library.object != NULL, "%s", dlerror());
#define LOOK_UP(name)                                                                              \
    *(void **)&library.name = dlsym(library.object, #name);                                        \
    ck_assert_msg(library.name != NULL, "%s", #name);
    FUNCTIONS(LOOK_UP)
    strcpy(folder, "/tmp/partexec-neighbour-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    file = fopen(at("rows.jsonl"), "w");
    for (int i = 0; i < 5000; i++)
        fprintf(file, "{\"id\": %d, \"text\": \"row %d\"}\n", i, i);
    ck_assert_int_eq(fclose(file), 0);
}

static void tear_down(void)
{
    char command[160];

    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
    dlclose(library.object);
}

static void run_job(pex_context *ctx, const char *out)
{
    static const char text[] = "{\"process\": [{\"text_length_filter\": {\"min_len\": 8}},"
                               " \"document_deduplicator\"]}";
    struct pex_error err = {0};
    pex_spec *spec = NULL;
    pex_job *job = NULL;
    char *plan = NULL, *summary = NULL;

    ck_assert_int_eq(library.pex_spec_parse(text, sizeof text - 1, &spec, &err), 0);
    ck_assert_int_eq(library.pex_spec_set(spec, "dataset_path", at("rows.jsonl"), &err), 0);
    ck_assert_int_eq(library.pex_spec_set(spec, "export_path", at(out), &err), 0);
    ck_assert_int_eq(library.pex_plan_explain(ctx, spec, NULL, PEX_EXPLAIN_JSON, &plan, &err), 0);
    ck_assert_msg(library.pex_job_submit(ctx, spec, NULL, NULL, &job, &err) == 0, "%s",
                  err.message);
    ck_assert_int_eq(library.pex_job_wait(job, 60 * SECOND), 0);
    ck_assert_int_eq(library.pex_job_state(job), PEX_JOB_DONE);
    ck_assert_int_eq(library.pex_job_summary(job, &summary), 0);
    ck_assert_ptr_nonnull(strstr(summary, "\"rows\": 4000"));
    library.pex_free(plan);
    library.pex_free(summary);
    library.pex_job_release(job);
    library.pex_spec_release(spec);
}

static pex_context *make_context(void)
{
    struct pex_error err = {0};
    pex_context *ctx = NULL;

    ck_assert_int_eq(library.pex_check_abi(PEX_ABI_VERSION, 1000, &err), 0);
    ck_assert_msg(library.pex_context_create(NULL, &ctx, &err) == 0, "%s", err.message);
    ck_assert_msg(library.pex_plugin_load(ctx, PEX_TEST_TEXT, &err) == 0, "%s", err.message);
    return ctx;
}

START_TEST(jansson_with_allocators_of_the_host_stays_balanced)
{
    json_malloc_t allocate;
    json_free_t release;
    json_t *own = json_pack("{s: [i, i], s: s}", "list", 1, 2, "text", "of the host");
    long before = atomic_load(&blocks);
    pex_context *ctx = make_context();

    run_job(ctx, "out.jsonl");
    ck_assert_int_eq(library.pex_context_destroy(ctx, -1, NULL), 0);
    ck_assert_int_eq(atomic_load(&blocks), before);
    json_get_alloc_funcs(&allocate, &release);
    ck_assert(allocate == host_malloc && release == host_free);
    ck_assert_str_eq(json_string_value(json_object_get(own, "text")), "of the host");
    json_decref(own);
    ck_assert_int_eq(atomic_load(&blocks), 0);
}
END_TEST

static void on_tick(uv_timer_t *timer)
{
    ++*(int *)timer->data;
}

struct errand {
    uv_work_t work;
    pex_context *ctx;
};

/* In libuv's own pool, of which the library uses nothing. */
static void run_errand(uv_work_t *work)
{
    run_job(((struct errand *)work->data)->ctx, "errand.jsonl");
}

static void after_errand(uv_work_t *work, int status)
{
    ck_assert_int_eq(status, 0);
    uv_stop(work->loop);
}

START_TEST(a_busy_loop_of_the_host_goes_on)
{
    int ticks = 0;
    uv_loop_t loop;
    uv_timer_t timer;
    struct errand errand = {.ctx = make_context()};

    errand.work.data = &errand;
    timer.data = &ticks;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &timer), 0);
    ck_assert_int_eq(uv_timer_start(&timer, on_tick, 0, 1), 0);
    ck_assert_int_eq(uv_queue_work(&loop, &errand.work, run_errand, after_errand), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_gt(ticks, 0);
    ck_assert_int_eq(library.pex_context_destroy(errand.ctx, -1, NULL), 0);
    uv_close((uv_handle_t *)&timer, NULL);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

/* What a process shares, and a guest must leave as it was. */
START_TEST(the_process_is_left_as_it_was)
{
    struct sigaction before, after;
    sigset_t mask_before = {{0}}, mask_after = {{0}}; /* of which the kernel fills a part */
    char *locale = strdup(setlocale(LC_ALL, NULL));
    mode_t mode = umask(022);
    pex_context *ctx;

    sigaction(SIGPIPE, NULL, &before);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    ctx = make_context();
    run_job(ctx, "out.jsonl");
    ck_assert_int_eq(library.pex_context_destroy(ctx, -1, NULL), 0);
    sigaction(SIGPIPE, NULL, &after);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    ck_assert(before.sa_handler == after.sa_handler);
    ck_assert_int_eq(memcmp(&mask_before, &mask_after, sizeof mask_before), 0);
    ck_assert_str_eq(setlocale(LC_ALL, NULL), locale);
    ck_assert_uint_eq(umask(mode), 022);
    free(locale);
}
END_TEST

/* The names of the library are not the process's: the plugin has its functions all the same. */
START_TEST(the_librarys_names_stay_its_own)
{
    pex_context *ctx = make_context();

    ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "pex_context_create"));
    ck_assert_int_eq(library.pex_context_destroy(ctx, -1, NULL), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("neighbour");
    TCase *tcase = tcase_create("neighbour");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, jansson_with_allocators_of_the_host_stays_balanced);
    tcase_add_test(tcase, a_busy_loop_of_the_host_goes_on);
    tcase_add_test(tcase, the_process_is_left_as_it_was);
    tcase_add_test(tcase, the_librarys_names_stay_its_own);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
