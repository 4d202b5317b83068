/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets that a source of the host's gives, by callbacks. */
#include "texts.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN                                                                                      \
    "[\"whitespace_normalization_mapper\", {\"words_num_filter\": {\"min_num\": 2}}, "             \
    "{\"lab_fail_mapper\": {\"every\": 7}}, \"document_deduplicator\", "                           \
    "{\"lab_fail_mapper\": {\"every\": 5}}]"
#define MINUTE INT64_C(60000000000)

static struct folder folder;
static struct pex_error err;

static void set_up(void)
{
    folder_make(&folder);
}

static void tear_down(void)
{
    folder_free(&folder);
}

static void destroy(pex_context *ctx)
{
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}

enum { ALL = 0, RANDOM = -1 };

/* A source over a text, which can fail, wait, or have no end. */
struct feed {
    struct text text;
    size_t at;
    int piece; /* bytes of each, ALL or RANDOM */
    uint64_t seed;
    int32_t fail_code; /* when it is at its end */
    const char *fail_text;
    int32_t restart_code;
    int is_endless;
    size_t block_at; /* waits here until the gate opens; 0: never */
    char *piece_copy;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_open;
    int is_waiting;
    int starts, released;
    _Atomic size_t given;
    _Atomic int inside;
    pex_job *_Atomic job; /* to be asked from inside */
    _Atomic int32_t wait_code, pull_code, destroy_code;
    pex_context *ctx;
};

static void feed_init(struct feed *feed, int piece)
{
    memset(feed, 0, sizeof *feed);
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->changed, NULL);
    feed->piece = piece;
    feed->seed = 7;
}

static void feed_free(struct feed *feed)
{
    ck_assert_int_eq(feed->released, 1);
    text_free(&feed->text);
    free(feed->piece_copy);
}

static void wait_at_gate(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->is_waiting = 1;
    pthread_cond_broadcast(&feed->changed);
    while (!feed->is_open)
        pthread_cond_wait(&feed->changed, &feed->lock);
    feed->is_waiting = 0;
    pthread_mutex_unlock(&feed->lock);
}

static void feed_await(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    while (!feed->is_waiting)
        pthread_cond_wait(&feed->changed, &feed->lock);
    pthread_mutex_unlock(&feed->lock);
}

static void feed_open(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->is_open = 1;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

static void ask_from_inside(struct feed *feed)
{
    pex_job *job = feed->job;
    pex_rows *rows = NULL;

    if (job == NULL)
        return;
    feed->wait_code = pex_job_wait(job, -1);
    feed->pull_code = pex_job_next_batch(job, -1, &rows, NULL);
    feed->destroy_code = pex_context_destroy(feed->ctx, -1, NULL);
}

static size_t piece_length(struct feed *feed)
{
    size_t left = feed->text.length - feed->at, most = left;

    if (feed->piece == RANDOM)
        most = random_next(&feed->seed) % 4 == 0 ? 0 : random_next(&feed->seed) % 700;
    else if (feed->piece != ALL)
        most = (size_t)feed->piece;
    return most < left ? most : left;
}

/* A copy that lives until the next call and no longer. */
static void give(struct feed *feed, struct pex_string_view *piece)
{
    size_t length = piece_length(feed);

    free(feed->piece_copy);
    feed->piece_copy = malloc(length + 1);
    memcpy(feed->piece_copy, feed->text.data + feed->at, length);
    *piece = (struct pex_string_view){feed->piece_copy, length};
    feed->at += length;
    feed->given += length;
}

static int32_t next(void *user, struct pex_string_view *piece, struct pex_error *why)
{
    struct feed *feed = user;

    ck_assert_int_eq(feed->inside++, 0);
    ck_assert(piece->data == NULL && piece->length == 0);
    ask_from_inside(feed);
    if (feed->block_at != 0 && feed->at >= feed->block_at)
        wait_at_gate(feed);
    if (feed->text.length > 0)
        give(feed, piece);
    feed->inside--;
    if (feed->at < feed->text.length)
        return PEX_MORE;
    if (feed->is_endless)
        feed->at = 0;
    if (feed->fail_code != 0)
        return feed->fail_text != NULL ? pex_error_set(why, feed->fail_code, "%s", feed->fail_text)
                                       : feed->fail_code;
    return feed->is_endless;
}

static int32_t restart(void *user, struct pex_error *why)
{
    struct feed *feed = user;

    feed->starts++;
    feed->at = 0;
    return feed->restart_code != 0 ? pex_error_set(why, feed->restart_code, "cannot go back") : 0;
}

static int64_t size_hint(void *user)
{
    return (int64_t)((struct feed *)user)->text.length + 5;
}

static void count_release(void *user)
{
    ((struct feed *)user)->released++;
}

static pex_dataset *from_source(pex_context *ctx, struct feed *feed, int can_restart)
{
    struct pex_source source = {.struct_size = sizeof source, .next = next, .size_hint = size_hint};
    pex_dataset *dataset = NULL;

    if (can_restart)
        source.restart = restart;
    feed->ctx = ctx;
    ck_assert_msg(pex_dataset_from_source(ctx, &source, feed, count_release, &dataset, &err) == 0,
                  "%s", err.message);
    return dataset;
}

static int32_t try_submit(pex_context *ctx, pex_dataset *dataset, const char *process,
                          const char *more, int32_t pull, pex_job **job)
{
    struct pex_job_options options = {.struct_size = sizeof options, .pull = pull};
    pex_spec *spec = spec_make(&folder, "out.jsonl", process, more);
    int32_t code = pex_job_submit(ctx, spec, dataset, &options, job, &err);

    pex_spec_release(spec);
    return code;
}

static pex_job *start(pex_context *ctx, pex_dataset *dataset, const char *process, const char *more,
                      int32_t pull)
{
    pex_job *job = NULL;

    ck_assert_msg(try_submit(ctx, dataset, process, more, pull, &job) == 0, "%s", err.message);
    return job;
}

static struct text read_quarantine(pex_job *job)
{
    char path[512];

    snprintf(path, sizeof path, "%s/quarantine.jsonl", pex_job_folder(job));
    return text_read(path);
}

/* What a run over a file of the name "source" gives; its folder is taken out of the records. */
static void run_file(const struct text *text, const char *more, struct text *out,
                     struct text *quarantine)
{
    struct pex_dataset_options format = {.struct_size = sizeof format, .format = PEX_FORMAT_JSONL};
    const char *path = folder_at(&folder, "source");
    pex_context *ctx = context_make(1);
    pex_dataset *dataset = NULL;
    char in_folder[80];
    struct text records;
    pex_job *job;

    text_write(text, path);
    ck_assert_int_eq(pex_dataset_from_files(ctx, &path, 1, &format, &dataset, &err), 0);
    job = start(ctx, dataset, CHAIN, more, 0);
    pex_dataset_release(dataset);
    job_expect(job, PEX_JOB_DONE);
    *out = text_read(folder_at(&folder, "out.jsonl"));
    records = read_quarantine(job);
    snprintf(in_folder, sizeof in_folder, "%s/", folder.path);
    *quarantine = text_without(&records, in_folder);
    ck_assert_uint_gt(text_count(quarantine, "{\"source\":\"source\","), 5);
    text_free(&records);
    pex_job_release(job);
    destroy(ctx);
}

START_TEST(a_source_gives_what_the_same_file_gives)
{
    static const int32_t widths[] = {1, 2, 7};
    static const int pieces[] = {1, ALL, RANDOM, 17};
    uint64_t seed = test_seed();

    for (int i = 0; i < 24; i++) {
        pex_context *ctx = context_make(widths[i % 3]);
        struct text out, quarantine, found = {0}, records;
        pex_dataset *dataset;
        struct feed feed;
        char more[100];
        pex_job *job;

        feed_init(&feed, pieces[i % 4]);
        text_add_odd(&feed.text, 400, &seed);
        snprintf(more, sizeof more, ", \"debug\": {\"slice_bytes\": %d}",
                 64 + (int)(random_next(&seed) % 9000));
        run_file(&feed.text, more, &out, &quarantine);
        dataset = from_source(ctx, &feed, 0);
        job = start(ctx, dataset, CHAIN, more, i / 2 % 2);
        pex_dataset_release(dataset);
        if (i / 2 % 2)
            found = pull_text(job);
        job_expect(job, PEX_JOB_DONE);
        if (i / 2 % 2 == 0)
            found = text_read(folder_at(&folder, "out.jsonl"));
        ck_assert_int_eq(feed.released, 1);
        text_expect(&found, &out);
        records = read_quarantine(job);
        text_expect(&records, &quarantine);
        ck_assert_int_eq(summary_value(job, "bytes"), (int64_t)feed.text.length);
        text_free(&out);
        text_free(&quarantine);
        text_free(&records);
        text_free(&found);
        pex_job_release(job);
        destroy(ctx);
        feed_free(&feed);
    }
}
END_TEST

START_TEST(a_long_row_among_small_ones_comes_whole)
{
    size_t long_bytes = 30000000 / test_scale();
    pex_context *ctx = context_make(2);
    struct text found;
    struct feed feed;
    pex_dataset *dataset;
    pex_job *job;

    feed_init(&feed, 70001);
    for (int i = 0; i < 3; i++) {
        char *filler = malloc(long_bytes);

        text_add(&feed.text, "{\"text\": \"a\"}\n{\"text\": \"", 24);
        memset(filler, 'b', long_bytes);
        text_add(&feed.text, filler, i == 1 ? long_bytes : 10);
        text_add(&feed.text, "\"}\n", 3);
        free(filler);
    }
    dataset = from_source(ctx, &feed, 0);
    job = start(ctx, dataset, "[]", ", \"memory_limit\": \"4MB\"", 1);
    pex_dataset_release(dataset);
    found = pull_text(job);
    text_expect(&found, &feed.text);
    text_free(&found);
    job_end(job, PEX_JOB_DONE);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

START_TEST(a_source_may_have_no_rows)
{
    static const char *const texts[] = {"", "\xEF\xBB\xBF", "\n\r\n"};
    pex_context *ctx = context_make(2);

    for (int i = 0; i < 6; i++) {
        const char *text = texts[i % 3];
        struct text found;
        struct feed feed;
        pex_dataset *dataset;
        pex_job *job;

        feed_init(&feed, 1);
        text_add(&feed.text, text, strlen(text));
        dataset = from_source(ctx, &feed, 0);
        job = start(ctx, dataset, i < 3 ? "[]" : CHAIN, "", 1);
        pex_dataset_release(dataset);
        found = pull_text(job);
        ck_assert_uint_eq(found.length, 0);
        ck_assert_int_eq(summary_value(job, "rows"), 0);
        text_free(&found);
        job_end(job, PEX_JOB_DONE);
        feed_free(&feed);
    }
    destroy(ctx);
}
END_TEST

static void add_rows(struct feed *feed, int count)
{
    for (int i = 0; i < count; i++) {
        char row[80];
        int length = snprintf(row, sizeof row, "{\"id\": %d, \"text\": \"row %d\"}\n", i, i);

        text_add(&feed->text, row, (size_t)length);
    }
}

static void fail_with(int32_t code, const char *text, const char *expected)
{
    pex_context *ctx = context_make(2);
    struct feed feed;
    pex_dataset *dataset;
    pex_job *job;

    feed_init(&feed, 100);
    add_rows(&feed, 300);
    feed.fail_code = code;
    feed.fail_text = text;
    dataset = from_source(ctx, &feed, 0);
    job = start(ctx, dataset, "[]", ", \"debug\": {\"slice_bytes\": 1000}", 0);
    pex_dataset_release(dataset);
    job_expect(job, PEX_JOB_FAILED);
    ck_assert_int_eq(feed.released, 1);
    ck_assert_int_eq(pex_job_error(job, &err), code > 0 ? PEX_EINVAL : code);
    ck_assert_msg(strstr(err.message, expected) != NULL, "%s", err.message);
    ck_assert(!folder_has(&folder, "out.jsonl"));
    pex_job_release(job);
    destroy(ctx);
    feed_free(&feed);
}

START_TEST(an_error_of_the_source_fails_the_job_with_its_message)
{
    fail_with(PEX_EIO, "the queue is gone", "source: next: the queue is gone");
    fail_with(PEX_ECALLBACK, NULL, "source: next: ");
    fail_with(PEX_ECANCELLED, "not by us", "source: next: not by us");
    fail_with(17, NULL, "source: next answered 17, expected 0, PEX_MORE");
}
END_TEST

START_TEST(a_source_is_read_by_one_job_at_a_time)
{
    pex_context *ctx = context_make(2);
    pex_job *job, *none = NULL;
    pex_dataset *dataset;
    struct text found;
    struct feed feed;

    feed_init(&feed, 100);
    add_rows(&feed, 300);
    feed.block_at = 1000;
    dataset = from_source(ctx, &feed, 0);
    ck_assert_int_eq(try_submit(ctx, dataset, "[\"no_such_mapper\"]", "", 1, &none), PEX_ESPEC);
    job = start(ctx, dataset, "[]", "", 1);
    feed_await(&feed);
    ck_assert_int_eq(try_submit(ctx, dataset, "[]", "", 1, &none), PEX_EBUSY);
    ck_assert_msg(strstr(err.message, "source: a job reads it") != NULL, "%s", err.message);
    feed_open(&feed);
    found = pull_text(job);
    text_expect(&found, &feed.text);
    text_free(&found);
    job_end(job, PEX_JOB_DONE);
    ck_assert_int_eq(try_submit(ctx, dataset, "[]", "", 1, &none), PEX_ENOTSUP);
    ck_assert_msg(strstr(err.message, "no restart") != NULL, "%s", err.message);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(feed.released, 0);
    pex_dataset_release(dataset);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

START_TEST(a_source_that_restarts_can_be_read_again)
{
    pex_context *ctx = context_make(2);
    pex_dataset *dataset;
    struct text found;
    struct feed feed;
    pex_job *job;

    feed_init(&feed, RANDOM);
    add_rows(&feed, 300);
    dataset = from_source(ctx, &feed, 1);
    for (int i = 0; i < 5; i++) {
        job = start(ctx, dataset, "[]", "", 1);
        found = pull_text(job);
        ck_assert_int_eq(feed.starts, i);
        text_expect(&found, &feed.text);
        text_free(&found);
        job_end(job, PEX_JOB_DONE);
    }
    feed.restart_code = PEX_EIO;
    job = start(ctx, dataset, "[]", "", 0);
    job_expect(job, PEX_JOB_FAILED);
    ck_assert_int_eq(pex_job_error(job, &err), PEX_EIO);
    ck_assert_msg(strstr(err.message, "source: restart: cannot go back") != NULL, "%s",
                  err.message);
    pex_job_release(job);
    pex_dataset_release(dataset);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

START_TEST(a_source_that_waits_stalls_no_other_job)
{
    pex_context *ctx = context_make(1);
    pex_dataset *datasets[2];
    struct feed feeds[2];
    pex_job *jobs[2], *other;
    struct text found;

    rows_write(&folder, "rows.jsonl", 20000, 50);
    for (int i = 0; i < 2; i++) {
        feed_init(&feeds[i], 100);
        add_rows(&feeds[i], 300);
        datasets[i] = from_source(ctx, &feeds[i], 0);
    }
    feeds[0].block_at = 2000;
    jobs[0] = start(ctx, datasets[0], "[]", "", 1);
    feed_await(&feeds[0]);
    other = job_start(ctx, &folder, "other.jsonl", CHAIN,
                      ", \"memory_limit\": \"2MB\", \"debug\": {\"slice_bytes\": 16384}");
    job_end(other, PEX_JOB_DONE);
    /* Nor one with a source of its own. */
    jobs[1] = start(ctx, datasets[1], "[]", "", 1);
    found = pull_text(jobs[1]);
    text_expect(&found, &feeds[1].text);
    text_free(&found);
    job_end(jobs[1], PEX_JOB_DONE);
    feed_open(&feeds[0]);
    found = pull_text(jobs[0]);
    text_expect(&found, &feeds[0].text);
    text_free(&found);
    job_end(jobs[0], PEX_JOB_DONE);
    for (int i = 0; i < 2; i++) {
        pex_dataset_release(datasets[i]);
        feed_free(&feeds[i]);
    }
    destroy(ctx);
}
END_TEST

START_TEST(a_cancel_does_not_wait_for_the_source)
{
    pex_context *ctx = context_make(2);
    pex_job *job, *none = NULL;
    pex_dataset *dataset;
    struct feed feed;

    feed_init(&feed, 100);
    add_rows(&feed, 300);
    feed.block_at = 2000;
    dataset = from_source(ctx, &feed, 1);
    job = start(ctx, dataset, CHAIN, "", 0);
    feed_await(&feed);
    ck_assert_int_eq(pex_job_cancel(job), 0);
    job_end(job, PEX_JOB_CANCELLED);
    ck_assert_int_eq(try_submit(ctx, dataset, "[]", "", 0, &none), PEX_EBUSY);
    pex_dataset_release(dataset);
    ck_assert_int_eq(feed.released, 0);
    ck_assert_int_eq(pex_context_destroy(ctx, 1000000, &err), PEX_ETIMEDOUT);
    ck_assert_msg(strstr(err.message, "a call of the source source has not returned") != NULL, "%s",
                  err.message);
    feed_open(&feed);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

/* Waits until the source is asked no more. */
static size_t settled(struct feed *feed)
{
    size_t before;
    int same = 0;

    do {
        before = feed->given;
        nap_us(5000);
        same = feed->given == before && before > 0 ? same + 1 : 0;
    } while (same < 20);
    return before;
}

START_TEST(reading_ahead_is_bounded)
{
    pex_context *ctx = context_make(2);
    pex_dataset *dataset;
    struct feed feed;
    pex_rows *rows = NULL;
    pex_job *job;
    size_t given;

    feed_init(&feed, 3000);
    add_rows(&feed, 1000);
    feed.is_endless = 1;
    dataset = from_source(ctx, &feed, 0);
    job = start(ctx, dataset, "[{\"text_length_filter\": {\"min_len\": 1}}]",
                ", \"memory_limit\": \"2MB\", \"debug\": {\"slice_bytes\": 16384}", 1);
    given = settled(&feed);
    ck_assert_msg(given < 2000000, "%zu bytes were taken", given);
    ck_assert_int_eq(pex_job_next_batch(job, MINUTE, &rows, &err), 0);
    pex_rows_release(rows);
    ck_assert_uint_gt(settled(&feed), given);
    pex_dataset_release(dataset);
    pex_job_release(job);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

START_TEST(progress_tells_what_the_source_expects)
{
    struct pex_progress progress = {.struct_size = sizeof progress};
    pex_context *ctx = context_make(2);
    pex_dataset *dataset;
    struct feed feed;
    struct text found;
    pex_job *job;

    feed_init(&feed, 1000);
    add_rows(&feed, 1000);
    feed.block_at = 2000;
    dataset = from_source(ctx, &feed, 0);
    job = start(ctx, dataset, "[]", "", 1);
    feed_await(&feed);
    ck_assert_int_eq(pex_job_progress(job, &progress), 0);
    ck_assert_uint_eq(progress.bytes_total, feed.text.length + 5);
    feed_open(&feed);
    found = pull_text(job);
    ck_assert_int_eq(pex_job_progress(job, &progress), 0);
    ck_assert_uint_eq(progress.bytes_total, feed.text.length);
    ck_assert_uint_eq(progress.bytes, feed.text.length);
    text_free(&found);
    pex_job_release(job);
    pex_dataset_release(dataset);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

START_TEST(a_source_may_not_wait_for_its_context)
{
    pex_context *ctx = context_make(2);
    pex_dataset *dataset;
    struct feed feed;
    struct text found;
    pex_job *job;

    feed_init(&feed, 1000);
    add_rows(&feed, 1000);
    feed.block_at = 2000;
    dataset = from_source(ctx, &feed, 0);
    job = start(ctx, dataset, "[]", "", 1);
    feed_await(&feed);
    feed.job = job;
    feed_open(&feed);
    found = pull_text(job);
    text_free(&found);
    ck_assert_int_eq(feed.wait_code, PEX_EDEADLK);
    ck_assert_int_eq(feed.pull_code, PEX_EDEADLK);
    ck_assert_int_eq(feed.destroy_code, PEX_EDEADLK);
    pex_job_release(job);
    pex_dataset_release(dataset);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

START_TEST(a_plan_says_that_it_is_one_partition)
{
    pex_context *ctx = context_make(2);
    pex_spec *spec =
        spec_make(&folder, "out.jsonl", "[]", ", \"partition\": {\"num_of_partitions\": 5}");
    pex_dataset *dataset;
    struct feed feed;
    char *text = NULL;

    feed_init(&feed, 1000);
    dataset = from_source(ctx, &feed, 0);
    for (int32_t format = PEX_EXPLAIN_TEXT; format <= PEX_EXPLAIN_JSON; format++) {
        ck_assert_int_eq(pex_plan_explain(ctx, spec, dataset, format, &text, &err), 0);
        ck_assert_msg(strstr(text, "a source of the host's is one partition") != NULL, "%s", text);
        pex_free(text);
    }
    ck_assert_uint_eq(feed.given, 0);
    pex_dataset_release(dataset);
    pex_spec_release(spec);
    destroy(ctx);
    feed_free(&feed);
}
END_TEST

START_TEST(tables_that_cannot_be_right_are_refused)
{
    pex_context *ctx = context_make(1);
    struct pex_source source = {.struct_size = sizeof source};
    pex_dataset *dataset = NULL;
    struct feed feed;

    feed_init(&feed, 1);
    ck_assert_int_eq(pex_dataset_from_source(ctx, &source, &feed, count_release, &dataset, &err),
                     PEX_EINVAL);
    source.next = next;
    source.struct_size = 8;
    ck_assert_int_eq(pex_dataset_from_source(ctx, &source, &feed, count_release, &dataset, &err),
                     PEX_EINVAL);
    source.struct_size = sizeof source;
    source.required_features = 4;
    ck_assert_int_eq(pex_dataset_from_source(ctx, &source, &feed, count_release, &dataset, &err),
                     PEX_ENOTSUP);
    ck_assert_int_eq(pex_dataset_from_source(NULL, &source, NULL, NULL, &dataset, &err),
                     PEX_EINVAL);
    ck_assert_int_eq(pex_dataset_from_source(ctx, NULL, NULL, NULL, &dataset, &err), PEX_EINVAL);
    ck_assert_int_eq(pex_dataset_from_source(ctx, &source, NULL, NULL, NULL, NULL), PEX_EINVAL);
    ck_assert(feed.released == 0 && dataset == NULL);
    destroy(ctx);
}
END_TEST

START_TEST(a_job_may_be_given_up_at_any_moment)
{
    uint64_t seed = test_seed();
    int rounds = 200 / (int)test_scale();

    for (int i = 0; i < rounds; i++) {
        pex_context *ctx = context_make(1 + i % 3);
        pex_dataset *dataset;
        struct feed feed;
        pex_rows *rows = NULL;
        pex_job *job;

        feed_init(&feed, RANDOM);
        add_rows(&feed, 2000);
        feed.is_endless = i % 4 == 0;
        dataset = from_source(ctx, &feed, 0);
        job = start(ctx, dataset, i % 2 ? "[]" : CHAIN, ", \"debug\": {\"slice_bytes\": 700}",
                    i % 3 == 0);
        pex_dataset_release(dataset);
        nap_us(random_next(&seed) % 3000);
        if (i % 3 == 0 && pex_job_next_batch(job, 0, &rows, &err) == 0)
            pex_rows_release(rows);
        if (i % 5 == 0)
            ck_assert_int_eq(pex_job_cancel(job), 0);
        if (i % 5 == 1)
            pex_job_release(job);
        destroy(ctx);
        if (i % 5 != 1)
            pex_job_release(job);
        feed_free(&feed);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("source");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_source_gives_what_the_same_file_gives);
    tcase_add_test(tcase, a_long_row_among_small_ones_comes_whole);
    tcase_add_test(tcase, a_source_may_have_no_rows);
    tcase_add_test(tcase, an_error_of_the_source_fails_the_job_with_its_message);
    tcase_add_test(tcase, a_source_is_read_by_one_job_at_a_time);
    tcase_add_test(tcase, a_source_that_restarts_can_be_read_again);
    tcase_add_test(tcase, a_source_that_waits_stalls_no_other_job);
    tcase_add_test(tcase, a_cancel_does_not_wait_for_the_source);
    tcase_add_test(tcase, reading_ahead_is_bounded);
    tcase_add_test(tcase, progress_tells_what_the_source_expects);
    tcase_add_test(tcase, a_source_may_not_wait_for_its_context);
    tcase_add_test(tcase, a_plan_says_that_it_is_one_partition);
    tcase_add_test(tcase, tables_that_cannot_be_right_are_refused);
    tcase_add_test(tcase, a_job_may_be_given_up_at_any_moment);
    return run_case("source", tcase);
}
