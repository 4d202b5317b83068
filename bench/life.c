/* SPDX-License-Identifier: Apache-2.0 */
/* How long a context takes to give its first row, and to go. Through the public interface alone. */
#include "dispatch.h"

#include <partexec/partexec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 10000, ROWS = 1000 };

static double now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* A file of rows of 150 bytes. path: a template for mkstemp. */
static int make_rows(char *path)
{
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (file == NULL) {
        perror("dispatch: a file of rows");
        return -1;
    }
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "{\"text\": \"%0138d\"}\n", i);
    return fclose(file);
}

static int fail(const char *what, const struct pex_error *err)
{
    fprintf(stderr, "dispatch: %s: %s\n", what, err->message);
    return -1;
}

/* create_us: from nothing to the first row in hand. destroy_us: the end of everything. */
static int one_round(const char *plugin, const char *path, double *create_us, double *destroy_us)
{
    static const char copy[] = "{\"process\": []}";
    static const char filter[] = "{\"process\": [{\"text_length_filter\": {\"min_len\": 10}}]}";
    const char *text = plugin != NULL ? filter : copy;
    struct pex_dataset_options lines = {.struct_size = sizeof lines, .format = PEX_FORMAT_JSONL};
    struct pex_job_options options = {.struct_size = sizeof options, .pull = 1};
    struct pex_error err = {.code = 0};
    pex_context *ctx = NULL;
    pex_dataset *dataset = NULL;
    pex_spec *spec = NULL;
    pex_job *job = NULL;
    pex_rows *first = NULL;
    double begin = now_us();

    if (pex_context_create(NULL, &ctx, &err) != 0 ||
        (plugin != NULL && pex_plugin_load(ctx, plugin, &err) != 0) ||
        pex_spec_parse(text, strlen(text), &spec, &err) != 0 ||
        pex_dataset_from_files(ctx, &path, 1, &lines, &dataset, &err) != 0 ||
        pex_job_submit(ctx, spec, dataset, &options, &job, &err) != 0 ||
        pex_job_next_batch(job, -1, &first, &err) != 0)
        return fail("first row", &err);
    *create_us = now_us() - begin;
    pex_rows_release(first);
    begin = now_us();
    pex_job_release(job);
    pex_spec_release(spec);
    pex_dataset_release(dataset);
    if (pex_context_destroy(ctx, -1, &err) != 0)
        return fail("destroy", &err);
    *destroy_us = now_us() - begin;
    return 0;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static void print_percentiles(const char *what, double *us, int count)
{
    qsort(us, (size_t)count, sizeof *us, compare);
    printf("  %-34s %7.0f %7.0f %7.0f %7.0f us   target 2000: %s\n", what, us[0], us[count / 2],
           us[count * 9 / 10], us[count * 99 / 100], us[count / 2] < 2000 ? "ok" : "SHORT");
}

int life_report(const char *plugin, int rounds)
{
    static double create_us[MOST_ROUNDS], destroy_us[MOST_ROUNDS];
    char path[] = "/tmp/partexec-bench-XXXXXX";
    int failed = make_rows(path) != 0;

    if (rounds > MOST_ROUNDS)
        rounds = MOST_ROUNDS;
    for (int i = 0; i < rounds && !failed; i++)
        failed = one_round(plugin, path, &create_us[i], &destroy_us[i]);
    if (!failed) {
        print_percentiles(plugin != NULL ? "create, text plugin, first row" : "create to first row",
                          create_us, rounds);
        print_percentiles("destroy", destroy_us, rounds);
    }
    unlink(path);
    return failed;
}
