/* SPDX-License-Identifier: Apache-2.0 */
/* A host's allocator gets what grows with the rows, and gets all of it back. */
#include "host.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
enum { ROWS = 4000 };

/* Counts bytes, knows its own blocks, and fails when told to. */
struct heap {
    pthread_mutex_t lock;
    size_t live;
    size_t peak;
    uint64_t made;
    uint64_t fail_from; /* every allocation from this one on fails; 0: none */
};

/* malloc's alignment is kept, and malloc's own free would crash on what we hand out. */
struct block {
    _Alignas(max_align_t) struct heap *owner;
    size_t size;
};

static struct folder folder;

static void set_up(void)
{
    folder_make(&folder);
    rows_write(&folder, "rows.jsonl", ROWS, 100);
}

static void tear_down(void)
{
    folder_free(&folder);
}

static void heap_init(struct heap *heap)
{
    memset(heap, 0, sizeof *heap);
    pthread_mutex_init(&heap->lock, NULL);
}

static int may_grow(struct heap *heap, size_t more)
{
    int may;

    pthread_mutex_lock(&heap->lock);
    heap->made++;
    may = heap->fail_from == 0 || heap->made < heap->fail_from;
    heap->live += may ? more : 0;
    heap->peak = heap->live > heap->peak ? heap->live : heap->peak;
    pthread_mutex_unlock(&heap->lock);
    return may;
}

static void shrink(struct heap *heap, size_t less)
{
    pthread_mutex_lock(&heap->lock);
    heap->live -= less;
    pthread_mutex_unlock(&heap->lock);
}

static void *heap_alloc(void *user, size_t size)
{
    struct block *block;

    if (!may_grow(user, size))
        return NULL;
    block = malloc(sizeof *block + size);
    block->owner = user;
    block->size = size;
    return block + 1;
}

static void *heap_realloc(void *user, void *memory, size_t size)
{
    struct block *block = (struct block *)memory - 1;

    ck_assert_ptr_nonnull(memory);
    ck_assert_ptr_eq(block->owner, user);
    if (!may_grow(user, size))
        return NULL;
    shrink(user, block->size);
    block = realloc(block, sizeof *block + size);
    block->size = size;
    return block + 1;
}

static void heap_free(void *user, void *memory)
{
    struct block *block = (struct block *)memory - 1;

    ck_assert_ptr_nonnull(memory);
    ck_assert_ptr_eq(block->owner, user);
    shrink(user, block->size);
    block->owner = NULL;
    free(block);
}

static struct pex_context_options options_of(struct heap *heap)
{
    return (struct pex_context_options){.struct_size = sizeof(struct pex_context_options),
                                        .workers = 2,
                                        .memory_limit_bytes = 64 << 20,
                                        .memory_alloc = heap_alloc,
                                        .memory_realloc = heap_realloc,
                                        .memory_free = heap_free,
                                        .memory_user = heap};
}

static pex_context *make(struct heap *heap)
{
    struct pex_context_options options = options_of(heap);
    struct pex_error err = {0};
    pex_context *ctx = NULL;

    ck_assert_msg(pex_context_create(&options, &ctx, &err) == 0, "%s", err.message);
    ck_assert_msg(pex_plugin_load(ctx, PEX_TEST_TEXT, &err) == 0, "%s", err.message);
    ck_assert_msg(pex_plugin_load(ctx, PEX_TEST_LAB, &err) == 0, "%s", err.message);
    return ctx;
}

/* Chains that use every kind of memory for rows. */
static const char *const chains[] = {
    "[]",
    "[{\"text_length_filter\": {\"min_len\": 10}}]",
    "[{\"whitespace_normalization_mapper\": {\"num_proc\": 1}}, \"clean_links_mapper\"]",
    "[{\"lab_fail_mapper\": {\"every\": 100}}]",
    "[{\"lab_expand_mapper\": {\"n\": 3}}, {\"words_num_filter\": {\"min_num\": 1}}]",
    "[\"document_deduplicator\", {\"lab_repeat_global\": {\"count\": 2}}]",
};

static void assert_balanced(struct heap *heap)
{
    ck_assert_msg(heap->live == 0, "%zu bytes were not given back", heap->live);
}

START_TEST(what_grows_with_rows_is_the_hosts_and_all_of_it_comes_back)
{
    struct heap heap;
    pex_context *ctx;
    pex_job *job;

    heap_init(&heap);
    ctx = make(&heap);
    job = job_start(ctx, &folder, "out.jsonl", chains[_i],
                    ", \"debug\": {\"slice_bytes\": 20000},"
                    " \"partition\": {\"num_of_partitions\": 3}");
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    /* A slice and what came of it, at the least. */
    ck_assert_uint_gt(heap.peak, 40000);
    assert_balanced(&heap);
}
END_TEST

static pex_job *start_pull(pex_context *ctx)
{
    struct pex_job_options options = {.struct_size = sizeof options, .pull = 1};
    pex_spec *spec = spec_make(&folder, "out", chains[1], ", \"debug\": {\"slice_bytes\": 20000}");
    pex_job *job = job_submit(ctx, spec, &options);

    pex_spec_release(spec);
    return job;
}

struct long_row {
    struct heap *heap;
    char *piece;
    size_t peak; /* when the second piece is asked for */
    int calls;
};

enum { LONG_BYTES = 2000000 };

static int32_t give_long_row(void *user, struct pex_string_view *piece, struct pex_error *why)
{
    struct long_row *row = user;

    (void)why;
    pthread_mutex_lock(&row->heap->lock);
    row->peak = row->heap->peak;
    pthread_mutex_unlock(&row->heap->lock);
    if (row->calls++ > 0) {
        *piece = (struct pex_string_view){"\"}\n", 3};
        return 0;
    }
    *piece = (struct pex_string_view){row->piece, LONG_BYTES};
    return PEX_MORE;
}

START_TEST(what_a_source_gives_is_kept_in_the_hosts_heap)
{
    struct pex_source source = {.struct_size = sizeof source, .next = give_long_row};
    struct pex_error err = {0};
    struct heap heap;
    struct long_row row = {.heap = &heap, .piece = malloc(LONG_BYTES)};
    pex_dataset *dataset = NULL;
    pex_job *job = NULL;
    pex_context *ctx;
    pex_spec *spec;

    memset(row.piece, 'x', LONG_BYTES);
    memcpy(row.piece, "{\"text\": \"", 10);
    heap_init(&heap);
    ctx = make(&heap);
    spec = spec_make(&folder, "out.jsonl", "[]", "");
    ck_assert_int_eq(pex_dataset_from_source(ctx, &source, &row, NULL, &dataset, &err), 0);
    ck_assert_int_eq(pex_job_submit(ctx, spec, dataset, NULL, &job, &err), 0);
    job_expect(job, PEX_JOB_DONE);
    ck_assert_uint_ge(row.peak, LONG_BYTES);
    pex_job_release(job);
    pex_dataset_release(dataset);
    pex_spec_release(spec);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    assert_balanced(&heap);
    free(row.piece);
}
END_TEST

START_TEST(rows_that_were_taken_outlive_the_context)
{
    struct pex_error err = {0};
    struct heap heap;
    pex_context *ctx;
    pex_rows *rows;
    pex_job *job;
    struct pex_string_view lines;
    const char *at;

    heap_init(&heap);
    ctx = make(&heap);
    job = start_pull(ctx);
    ck_assert_msg(pex_job_next_batch(job, 20 * SECOND, &rows, &err) == 0, "%s", err.message);
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    lines = pex_rows_data(rows);
    ck_assert_uint_ge(heap.live, lines.length);
    at = lines.data;
    ck_assert_int_eq(rows_next_id(&at, lines.data + lines.length), 0);
    pex_rows_release(rows);
    assert_balanced(&heap);
}
END_TEST

START_TEST(contexts_keep_their_heaps_apart)
{
    struct heap heaps[2];
    pex_context *ctxs[3];
    pex_job *jobs[3];

    for (int i = 0; i < 3; i++) {
        if (i < 2)
            heap_init(&heaps[i]);
        ctxs[i] = i < 2 ? make(&heaps[i]) : context_make(1);
        jobs[i] = job_start(ctxs[i], &folder,
                            i == 0   ? "0"
                            : i == 1 ? "1"
                                     : "2",
                            chains[1], i == 0 ? ", \"job_id\": \"a\"" : "");
    }
    for (int i = 0; i < 3; i++) {
        job_expect(jobs[i], PEX_JOB_DONE);
        pex_job_release(jobs[i]);
    }
    /* libuv's way to close a descriptor is hidden from TSan, which would take the next user of that
     * number, in a context that still works, for one of the closed one. */
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pex_context_destroy(ctxs[i], -1, NULL), 0);
        rows_check(&folder, i == 0 ? "0" : i == 1 ? "1" : "2", ROWS);
        if (i < 2)
            assert_balanced(&heaps[i]);
    }
}
END_TEST

/* Wherever memory ends, the job does too, and says why. */
static uint64_t live(const pex_spec *spec, uint64_t fail_from)
{
    struct pex_error err = {0};
    struct heap heap;
    pex_context *ctx;
    pex_job *job;

    heap_init(&heap);
    ctx = make(&heap);
    heap.fail_from = fail_from;
    job = job_submit(ctx, spec, NULL);
    ck_assert_int_eq(pex_job_wait(job, 60 * SECOND), 0);
    if (pex_job_state(job) != PEX_JOB_DONE) {
        ck_assert_int_eq(pex_job_state(job), PEX_JOB_FAILED);
        ck_assert_int_eq(pex_job_error(job, &err), PEX_ENOMEM);
    }
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    assert_balanced(&heap);
    return heap.made;
}

START_TEST(memory_that_ends_anywhere_ends_the_job)
{
    pex_spec *spec = spec_make(&folder, "out.jsonl", chains[2],
                               ", \"job_id\": \"j\", \"debug\": {\"slice_bytes\": 100000}");
    uint64_t made = live(spec, 0), step = made / 40 + 1;

    for (uint64_t k = 1; k <= made; k += step)
        live(spec, k);
    pex_spec_release(spec);
}
END_TEST

START_TEST(half_an_allocator_is_refused)
{
    struct heap heap;
    struct pex_context_options options = options_of(&heap);
    struct pex_error err = {0};
    pex_context *ctx = NULL;

    options.memory_free = NULL;
    ck_assert_int_eq(pex_context_create(&options, &ctx, &err), PEX_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "memory_free"));
    options = options_of(&heap);
    options.memory_alloc = NULL;
    ck_assert_int_eq(pex_context_create(&options, &ctx, &err), PEX_EINVAL);
    options = options_of(&heap);
    options.memory_realloc = NULL;
    ck_assert_int_eq(pex_context_create(&options, &ctx, &err), PEX_EINVAL);
    ck_assert_ptr_null(ctx);
}
END_TEST

START_TEST(a_host_that_does_not_know_the_allocator_has_none)
{
    struct heap heap;
    struct pex_context_options options = options_of(&heap);
    struct pex_error err = {0};
    pex_context *ctx;
    pex_job *job;

    heap_init(&heap);
    options.struct_size = offsetof(struct pex_context_options, memory_alloc);
    ck_assert_msg(pex_context_create(&options, &ctx, &err) == 0, "%s", err.message);
    job = job_start(ctx, &folder, "out.jsonl", "[]", "");
    job_expect(job, PEX_JOB_DONE);
    pex_job_release(job);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
    ck_assert_uint_eq(heap.made, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("allocator");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, what_grows_with_rows_is_the_hosts_and_all_of_it_comes_back, 0,
                        sizeof chains / sizeof *chains);
    tcase_add_test(tcase, rows_that_were_taken_outlive_the_context);
    tcase_add_test(tcase, contexts_keep_their_heaps_apart);
    tcase_add_test(tcase, memory_that_ends_anywhere_ends_the_job);
    tcase_add_test(tcase, what_a_source_gives_is_kept_in_the_hosts_heap);
    tcase_add_test(tcase, half_an_allocator_is_refused);
    tcase_add_test(tcase, a_host_that_does_not_know_the_allocator_has_none);
    return run_case("allocator", tcase);
}
