/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <stdlib.h>

static void parse_field(struct fixture *f, const char *word, struct pex__path *path)
{
    const char *const keys[] = {PEX__STATS_KEY, word + 1};
    size_t i = f->site.field_count++;

    f->columns[i] = (int32_t)i;
    f->kinds[i] = *word == '!' ? PEX_FIELD_STAT : PEX_FIELD_PATH;
    f->access[i] = PEX_FIELD_READ | PEX_FIELD_WRITE;
    if (*word == '!')
        ck_assert_int_eq(pex__path_keys(keys, 2, path), 0);
    else
        ck_assert_int_eq(pex__path_parse(word, path, NULL), 0);
}

void fixture_open(struct fixture *f, const char *fields)
{
    struct pex__path *paths = pex__calloc(FIELDS_MAX, sizeof *paths);
    char *words = pex__strdup(fields), *rest = words, *word;

    memset(f, 0, sizeof *f);
    while ((word = strsep(&rest, " ")) != NULL)
        parse_field(f, word, &paths[f->site.field_count]);
    f->site.columns = f->columns;
    f->site.kinds = f->kinds;
    f->site.access = f->access;
    f->site.cardinality = PEX_ROW_TO_MANY;
    ck_assert_int_eq(pex__layout_create(paths, f->site.field_count, &f->layout), 0);
    ck_assert_int_eq(pex__batch_create(NULL, &f->batch), 0);
    ck_assert_int_eq(pex__scan_create(PEX__ISA_BEST, &f->scan), 0);
    pex__free(words);
}

void fixture_close(struct fixture *f)
{
    pex__batch_free(f->batch);
    pex__layout_free(f->layout);
    pex__scan_free(f->scan);
    pex__buffer_free(&f->out);
}

void fixture_load(struct fixture *f, const char *data, size_t length)
{
    struct pex__slice *slice = pex__batch_slice(f->batch);
    struct pex_error err = {0};

    ck_assert_int_eq(pex__slice_reserve(slice, length), 0);
    memcpy(slice->data, data, length);
    slice->length = length;
    slice->rows_end = length;
    ck_assert_int_eq(
        pex__grow(&slice->segments, &slice->segment_capacity, 1, sizeof *slice->segments), 0);
    slice->segments[0] = (struct pex__segment){0, 3, 100};
    slice->segment_count = 1;
    ck_assert_msg(pex__batch_scan(f->batch, f->layout, f->scan, &err) == 0, "%s", err.message);
}

void fixture_rows(struct fixture *f, const char *text)
{
    fixture_load(f, text, strlen(text));
}

pex_batch *fixture_call(struct fixture *f, int32_t op)
{
    f->site.op = op;
    f->call = pex__call_begin(f->batch, &f->site, 0, pex__batch_rows(f->batch), NULL);
    ck_assert_ptr_nonnull(f->call);
    return f->call;
}

struct pex__call_result fixture_commit(struct fixture *f)
{
    struct pex__call_result result;
    struct pex_error err = {0};

    ck_assert_msg(pex__call_commit(f->call, 1, &result, &err) == 0, "%s", err.message);
    ck_assert_uint_eq(result.in + result.added, result.out + result.dropped + result.failed);
    return result;
}

const char *fixture_text(struct fixture *f, int keep_stats)
{
    f->out.length = 0;
    ck_assert_int_eq(pex__batch_encode(f->batch, keep_stats, &f->out, NULL), 0);
    ck_assert_int_eq(pex__buffer_reserve(&f->out, 1), 0);
    f->out.data[f->out.length] = '\0';
    return f->out.data;
}
