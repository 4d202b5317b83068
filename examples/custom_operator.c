/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two operators of the host's own: `phrase_filter` keeps the rows whose text holds a phrase, and
 * writes how often as a stat; `title_mapper` sets `title` to the first line of the text. The rows
 * that come out are taken by the host itself and printed.
 */
#define _GNU_SOURCE 1 /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <partexec/partexec.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct phrase {
    size_t length;
    int64_t min_count;
    char text[];
};

static const struct pex_param_def phrase_params[] = {
    {.name = "phrase",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_REQUIRED,
     .help = "The bytes that the text must hold."},
    {.name = "min_count",
     .type = PEX_PARAM_INT64,
     .default_json = "1",
     .min = 1,
     .max = 1e9,
     .help = "How often at least; overlapping finds do not count."},
};

enum { PHRASE_TEXT, PHRASE_STAT };
static const struct pex_field_def phrase_fields[] = {
    [PHRASE_TEXT] = {.name = "text", .kind = PEX_FIELD_PATH, .access = PEX_FIELD_READ},
    [PHRASE_STAT] = {.name = "phrase_count",
                     .kind = PEX_FIELD_STAT,
                     .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

/* An empty phrase is wrong whatever the rows, so the job is refused before it starts. */
static int32_t phrase_check(const pex_params *params, struct pex_error *err)
{
    struct pex_string_view text;
    int32_t rc = pex_params_string(params, "phrase", &text);
    if (rc == 0 && text.length == 0)
        rc = pex_error_set(err, PEX_EINVAL, "phrase: found \"\", expected at least one byte");
    return rc;
}

static int32_t phrase_create(pex_env *env, const pex_params *params, void **instance,
                             struct pex_error *err)
{
    (void)env;
    struct pex_string_view text;
    int64_t min_count;
    int32_t rc = pex_params_string(params, "phrase", &text);
    if (rc == 0)
        rc = pex_params_int64(params, "min_count", &min_count);
    if (rc != 0)
        return rc;

    struct phrase *phrase = malloc(sizeof(*phrase) + text.length);
    if (!phrase)
        return pex_error_set(err, PEX_ENOMEM, "no memory for a phrase of %zu bytes", text.length);
    phrase->length = text.length;
    phrase->min_count = min_count;
    memcpy(phrase->text, text.data, text.length);
    *instance = phrase;
    return 0;
}

static int64_t count_phrase(const struct phrase *phrase, struct pex_string_view text)
{
    int64_t count = 0;
    const char *at = text.data;
    const char *end = text.data + text.length;
    while ((at = memmem(at, (size_t)(end - at), phrase->text, phrase->length))) {
        count++;
        at += phrase->length;
    }
    return count;
}

/* A stat that is on the row already is used; a new one is written. */
static int32_t row_count(const struct phrase *phrase, pex_batch *batch, size_t row,
                         struct pex_string_view text, int64_t *count)
{
    struct pex_number stat;
    int32_t rc = pex_batch_stat_get(batch, PHRASE_STAT, row, &stat);
    if (rc == 0 && stat.type != PEX_NUMBER_INT64)
        rc = PEX_EDATA;
    if (rc == PEX_ENOENT) {
        stat = (struct pex_number){.type = PEX_NUMBER_INT64, .int64 = count_phrase(phrase, text)};
        rc = pex_batch_stat_set(batch, PHRASE_STAT, row, &stat);
    }
    if (rc == 0)
        *count = stat.int64;
    return rc;
}

static int32_t phrase_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)err;
    const struct phrase *phrase = instance;
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, PHRASE_TEXT, &texts, &states);

    for (size_t row = 0; rc == 0 && row < pex_batch_rows(batch); row++) {
        if (states[row] != PEX_STATE_VALUE) {
            rc = pex_batch_fail_row(batch, row, PEX_EDATA, "field text is not a string");
            continue;
        }
        int64_t count = 0;
        rc = row_count(phrase, batch, row, texts[row], &count);
        if (rc == PEX_EDATA)
            rc = pex_batch_fail_row(batch, row, rc, "stat phrase_count is not an integer");
        else if (rc == 0 && count < phrase->min_count)
            rc = pex_batch_drop(batch, row);
    }
    return rc;
}

static const struct pex_operator phrase_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "phrase_filter",
    .version = "1",
    .help = "Keeps rows whose text holds a phrase.",
    .cardinality = PEX_FILTER,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = phrase_params,
    .param_count = COUNT(phrase_params),
    .param_stride = sizeof(phrase_params[0]),
    .fields = phrase_fields,
    .field_count = COUNT(phrase_fields),
    .field_stride = sizeof(phrase_fields[0]),
    .create = phrase_create,
    .process = phrase_process,
    .destroy = free,
    .check = phrase_check,
};

enum { TITLE_TEXT, TITLE_TITLE };
static const struct pex_field_def title_fields[] = {
    [TITLE_TEXT] = {.name = "text", .kind = PEX_FIELD_PATH, .access = PEX_FIELD_READ},
    [TITLE_TITLE] = {.name = "title", .kind = PEX_FIELD_PATH, .access = PEX_FIELD_WRITE},
};

static int32_t title_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)err;
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, TITLE_TEXT, &texts, &states);

    for (size_t row = 0; rc == 0 && row < pex_batch_rows(batch); row++) {
        if (states[row] != PEX_STATE_VALUE)
            continue;
        struct pex_string_view title = texts[row];
        const char *line_end = memchr(title.data, '\n', title.length);
        if (line_end)
            title.length = (size_t)(line_end - title.data);
        rc = pex_batch_set_string(batch, TITLE_TITLE, row, title);
    }
    return rc;
}

static const struct pex_operator title_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "title_mapper",
    .version = "1",
    .help = "Sets title to the first line of the text.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .fields = title_fields,
    .field_count = COUNT(title_fields),
    .field_stride = sizeof(title_fields[0]),
    .process = title_process,
};

static const char job_text[] = "{\"process\": [{\"phrase_filter\": {\"phrase\": \"the\"}},"
                               "              \"title_mapper\"]}";

/* Takes the rows in input order; the job waits when we are slower than it is. */
static int32_t print_rows(pex_job *job, struct pex_error *err)
{
    pex_rows *rows;
    int32_t rc;
    while ((rc = pex_job_next_batch(job, -1, &rows, err)) == 0) {
        struct pex_string_view lines = pex_rows_data(rows);
        fwrite(lines.data, 1, lines.length, stdout);
        pex_rows_release(rows);
    }
    return rc == PEX_ENOENT ? 0 : rc;
}

int main(int argc, char **argv)
{
    pex_context *ctx = NULL;
    pex_spec *spec = NULL;
    pex_job *job = NULL;
    struct pex_error err = {0};
    struct pex_job_options options = {.struct_size = sizeof(options), .pull = 1};

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: custom_operator INPUT [PHRASE]\n");
        return 2;
    }
    int32_t rc = pex_context_create(NULL, &ctx, &err);
    if (rc == 0)
        rc = pex_operator_register(ctx, &phrase_filter, NULL, NULL, &err);
    if (rc == 0)
        rc = pex_operator_register(ctx, &title_mapper, NULL, NULL, &err);
    if (rc == 0)
        rc = pex_spec_parse(job_text, sizeof(job_text) - 1, &spec, &err);
    if (rc == 0)
        rc = pex_spec_set(spec, "dataset_path", argv[1], &err);
    if (rc == 0 && argc == 3)
        rc = pex_spec_set(spec, "process.0.phrase_filter.phrase", argv[2], &err);
    if (rc == 0)
        rc = pex_job_submit(ctx, spec, NULL, &options, &job, &err);
    if (rc == 0)
        rc = print_rows(job, &err);

    if (rc != 0)
        fprintf(stderr, "custom_operator: %s\n", err.message[0] ? err.message : pex_strerror(rc));
    pex_job_release(job);
    pex_spec_release(spec);
    pex_context_destroy(ctx, -1, NULL);
    return rc == 0 ? 0 : 1;
}
