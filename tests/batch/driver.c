/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a script of batch operations, so that a test in another language can hold a batch against a
 * model of its own. Words are separated by one blank, texts are in hex ("-": empty). Lines:
 *
 *   layout N, then N lines of keys      rows TEXT              ids N, then N lines: source offset
 * child op INDEX CARDINALITY PHASE N, then N lines: column kind call FIRST COUNT string|json FIELD
 * ROW TEXT      alloc FIELD ROW TEXT int64|double|bool FIELD ROW VALUE   missing FIELD ROW
 * stat_int64|stat_double FIELD ROW VALUE stat FIELD ROW                      drop ROW fail ROW TEXT
 * append ROW emit ROW TEXT                       consumed N             commit | abort     reencode
 *   read ACCESSOR FIELD                 encode KEEP            row_ids  rejects  keys
 *   counts N..                          apply                  reject FIRST COUNT OP
 *
 * Each prints one line: what a set returned, or values and states in JSON-like form.
 */
#include "base/memory.h"
#include "data/batch.h"

#include <partexec/operator.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 16

struct driver {
    struct pex__batch *batch;
    struct pex__layout *layout;
    struct pex__scan *scan;
    struct pex__site site;
    int32_t columns[FIELDS_MAX], kinds[FIELDS_MAX], access[FIELDS_MAX];
    pex_batch *call;
    char *line;
    size_t capacity;
};

static void die(const char *why, const char *what)
{
    fprintf(stderr, "driver: %s: %s\n", why, what);
    exit(1);
}

static char *next_word(char **rest)
{
    char *word = strsep(rest, " ");

    if (word == NULL)
        die("a word is missing", "");
    return word;
}

static size_t next_number(char **rest)
{
    return strtoull(next_word(rest), NULL, 10);
}

/* Decodes in place. */
static struct pex_string_view next_text(char **rest)
{
    char *word = next_word(rest);
    size_t length = 0;
    unsigned byte;

    if (*word == '-')
        return (struct pex_string_view){word, 0};
    for (; sscanf(word + 2 * length, "%2x", &byte) == 1; length++)
        word[length] = (char)byte;
    word[length] = '\0';
    return (struct pex_string_view){word, length};
}

static char *read_line(struct driver *d)
{
    ssize_t length = getline(&d->line, &d->capacity, stdin);

    if (length < 0)
        return NULL;
    d->line[length - 1] = '\0';
    return d->line;
}

static void print_hex(const char *text, size_t length)
{
    if (length == 0)
        putchar('-');
    for (size_t i = 0; i < length; i++)
        printf("%02x", (unsigned char)text[i]);
}

static void make_layout(struct driver *d, char *rest)
{
    size_t count = next_number(&rest);
    struct pex__path *paths = pex__calloc(count, sizeof *paths);

    for (size_t i = 0; i < count; i++) {
        const char *keys[8];
        size_t depth = 0;

        rest = read_line(d);
        while (rest != NULL && depth < 8)
            keys[depth++] = next_text(&rest).data;
        pex__path_keys(keys, depth, &paths[i]);
    }
    pex__layout_free(d->layout);
    if (pex__layout_create(paths, count, &d->layout) != 0)
        die("layout", "");
}

static void load_rows(struct driver *d, char *rest)
{
    struct pex_string_view text = next_text(&rest);
    struct pex__slice *slice = pex__batch_slice(d->batch);
    struct pex_error err;
    uint32_t half;

    pex__batch_reset(d->batch, 1 << 20);
    if (pex__slice_reserve(slice, text.length) != 0)
        die("slice", "");
    memcpy(slice->data, text.data, text.length);
    slice->length = slice->rows_end = text.length;
    half = (uint32_t)(text.length / 2);
    slice->segment_count = 0;
    pex__grow(&slice->segments, &slice->segment_capacity, 2, sizeof *slice->segments);
    slice->segments[slice->segment_count++] = (struct pex__segment){0, 7, 1000};
    if (half > 0)
        slice->segments[slice->segment_count++] = (struct pex__segment){half, 8, 0};
    if (pex__batch_scan(d->batch, d->layout, d->scan, &err) != 0)
        die("scan", err.message);
    printf("%zu %" PRIu64 " %" PRIu64 "\n", pex__batch_rows(d->batch), pex__batch_lines(d->batch),
           pex__batch_blank(d->batch));
}

static void set_op(struct driver *d, char *rest)
{
    d->site.op = (int32_t)next_number(&rest);
    d->site.cardinality = (int32_t)next_number(&rest);
    d->site.phase = (int32_t)next_number(&rest);
    d->site.field_count = next_number(&rest);
    d->site.columns = d->columns;
    d->site.kinds = d->kinds;
    d->site.access = d->access;
    for (size_t i = 0; i < d->site.field_count; i++) {
        rest = read_line(d);
        d->columns[i] = (int32_t)next_number(&rest);
        d->kinds[i] = (int32_t)next_number(&rest);
        d->access[i] = PEX_FIELD_READ | PEX_FIELD_WRITE;
    }
}

static void begin(struct driver *d, char *rest)
{
    size_t first = next_number(&rest);

    d->call = pex__call_begin(d->batch, &d->site, first, next_number(&rest), NULL);
    if (d->call == NULL)
        die("begin", "");
}

static int32_t set_alloc(struct driver *d, int32_t field, size_t row, struct pex_string_view text)
{
    char *room = pex_batch_alloc(d->call, field, text.length + 100);

    if (room == NULL)
        return PEX_ENOMEM;
    memcpy(room, text.data, text.length);
    return pex_batch_set_string(d->call, field, row, (struct pex_string_view){room, text.length});
}

/* The set functions; non-zero if the word is none of them. */
static int set(struct driver *d, const char *word, char *rest)
{
    int32_t field, code;
    size_t row;
    int is_set = strcmp(word, "string") == 0 || strcmp(word, "json") == 0 ||
                 strcmp(word, "alloc") == 0 || strcmp(word, "int64") == 0 ||
                 strcmp(word, "double") == 0 || strcmp(word, "bool") == 0 ||
                 strcmp(word, "missing") == 0 || strncmp(word, "stat_", 5) == 0;
    struct pex_number number = {0};

    if (!is_set)
        return 1;
    field = (int32_t)next_number(&rest);
    row = next_number(&rest);
    if (strcmp(word, "string") == 0)
        code = pex_batch_set_string(d->call, field, row, next_text(&rest));
    else if (strcmp(word, "json") == 0)
        code = pex_batch_set_json(d->call, field, row, next_text(&rest));
    else if (strcmp(word, "alloc") == 0)
        code = set_alloc(d, field, row, next_text(&rest));
    else if (strcmp(word, "missing") == 0)
        code = pex_batch_set_missing(d->call, field, row);
    else if (strcmp(word, "int64") == 0)
        code = pex_batch_set_int64(d->call, field, row, strtoll(next_word(&rest), NULL, 10));
    else if (strcmp(word, "double") == 0)
        code = pex_batch_set_double(d->call, field, row, strtod(next_word(&rest), NULL));
    else if (strcmp(word, "bool") == 0)
        code = pex_batch_set_bool(d->call, field, row, (int32_t)next_number(&rest));
    else {
        number.type = strcmp(word, "stat_double") == 0 ? PEX_NUMBER_DOUBLE : PEX_NUMBER_INT64;
        if (number.type == PEX_NUMBER_DOUBLE)
            number.float64 = strtod(next_word(&rest), NULL);
        else
            number.int64 = strtoll(next_word(&rest), NULL, 10);
        code = pex_batch_stat_set(d->call, field, row, &number);
    }
    printf("%d\n", (int)code);
    return 0;
}

static void get_stat(struct driver *d, char *rest)
{
    int32_t field = (int32_t)next_number(&rest);
    struct pex_number number;
    int32_t code = pex_batch_stat_get(d->call, field, next_number(&rest), &number);

    if (code != 0)
        printf("%d\n", (int)code);
    else if (number.type == PEX_NUMBER_INT64)
        printf("i%" PRId64 "\n", number.int64);
    else
        printf("d%a\n", number.float64);
}

static void print_views(const struct pex_string_view *views, const uint8_t *states, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%d:", states[i]);
        if (states[i] == PEX_STATE_VALUE || states[i] == PEX_STATE_ESCAPED)
            print_hex(views[i].data, views[i].length);
        putchar(' ');
    }
    putchar('\n');
}

static void read_field(struct driver *d, char *rest)
{
    const char *accessor = next_word(&rest);
    int32_t field = (int32_t)next_number(&rest);
    size_t count = pex_batch_rows(d->call);
    const struct pex_string_view *views;
    const int64_t *int64;
    const double *float64;
    const uint8_t *bools, *states;

    if (strcmp(accessor, "strings") == 0) {
        pex_batch_strings(d->call, field, &views, &states);
        print_views(views, states, count);
    } else if (strcmp(accessor, "tokens") == 0) {
        pex_batch_tokens(d->call, field, &views, &states);
        print_views(views, states, count);
    } else if (strcmp(accessor, "json") == 0) {
        pex_batch_json(d->call, field, &views, &states);
        print_views(views, states, count);
    } else if (strcmp(accessor, "int64") == 0) {
        pex_batch_int64(d->call, field, &int64, &states);
        for (size_t i = 0; i < count; i++)
            printf("%d:%" PRId64 " ", states[i], int64[i]);
        putchar('\n');
    } else if (strcmp(accessor, "double") == 0) {
        pex_batch_double(d->call, field, &float64, &states);
        for (size_t i = 0; i < count; i++)
            printf("%d:%a ", states[i], float64[i]);
        putchar('\n');
    } else {
        pex_batch_bool(d->call, field, &bools, &states);
        for (size_t i = 0; i < count; i++)
            printf("%d:%d ", states[i], bools[i]);
        putchar('\n');
    }
}

static void commit(struct driver *d)
{
    struct pex__call_result result;
    struct pex_error err = {0};
    int32_t code = pex__call_commit(d->call, 1, &result, &err);

    if (code != 0)
        die("commit", err.message);
    printf("%zu %zu %zu %zu %zu\n", result.in, result.out, result.added, result.dropped,
           result.failed);
}

static void encode(struct driver *d, char *rest)
{
    struct pex__buffer out = {0};

    if (pex__batch_encode(d->batch, (int)next_number(&rest), &out, NULL) != 0)
        die("encode", "");
    print_hex(out.data, out.length);
    putchar('\n');
    pex__buffer_free(&out);
}

static void print_id(const struct pex_row_id *id)
{
    printf("%u.%" PRIu64 ".%u ", (unsigned)id->source, id->offset, (unsigned)id->child);
}

static void print_ids(struct driver *d)
{
    size_t rows = pex__batch_rows(d->batch);
    struct pex_row_id *ids = pex__calloc(rows, sizeof *ids);
    struct pex__buffer out = {0};

    pex__batch_encode(d->batch, 1, &out, ids);
    for (size_t i = 0; i < rows; i++)
        print_id(&ids[i]);
    putchar('\n');
    pex__free(ids);
    pex__buffer_free(&out);
}

static void print_rejects(struct driver *d)
{
    size_t count;
    const struct pex__reject *rejects = pex__batch_rejects(d->batch, &count);

    for (size_t i = 0; i < count; i++) {
        struct pex_string_view raw = pex__batch_reject_raw(d->batch, &rejects[i]);

        print_id(&rejects[i].id);
        printf("%d %d ", (int)rejects[i].op, (int)rejects[i].code);
        print_hex(rejects[i].message, strlen(rejects[i].message));
        putchar(' ');
        print_hex(raw.data, raw.length);
        putchar(';');
    }
    putchar('\n');
}

static void print_keys(struct driver *d)
{
    size_t count;
    struct pex_string_view keys = pex__batch_keys(d->batch, &count);

    printf("%zu ", count);
    print_hex(keys.data, keys.length);
    putchar('\n');
}

static void set_counts(struct driver *d, char *rest)
{
    size_t rows = pex__batch_rows(d->batch);
    uint32_t *counts = pex__calloc(rows, sizeof *counts);

    for (size_t i = 0; i < rows; i++)
        counts[i] = (uint32_t)next_number(&rest);
    printf("%d\n", (int)pex__batch_set_counts(d->batch, counts, (struct pex_string_view){"", 0}));
    pex__free(counts);
}

static void apply(struct driver *d)
{
    struct pex__call_result result;

    if (pex__batch_apply_counts(d->batch, &result) != 0)
        die("apply", "");
    printf("%zu %zu %zu %zu %zu\n", result.in, result.out, result.added, result.dropped,
           result.failed);
}

static void reencode(struct driver *d)
{
    struct pex_error err = {0};

    if (pex__batch_reencode(d->batch, d->scan, &err) != 0)
        die("reencode", err.message);
    puts("0");
}

/* What changes rows in the running call. */
static int change_rows(struct driver *d, const char *word, char *rest)
{
    size_t row, child = 0;
    int32_t code;

    if (strcmp(word, "drop") == 0) {
        code = pex_batch_drop(d->call, next_number(&rest));
    } else if (strcmp(word, "consumed") == 0) {
        code = pex_batch_consumed(d->call, next_number(&rest));
    } else if (strcmp(word, "append") == 0) {
        code = pex_batch_append(d->call, next_number(&rest), &child);
        printf("%d %zu\n", (int)code, child);
        return 0;
    } else if (strcmp(word, "fail") == 0) {
        row = next_number(&rest);
        code = pex_batch_fail_row(d->call, row, -15, next_text(&rest).data);
    } else if (strcmp(word, "emit") == 0) {
        struct pex_string_view key;

        row = next_number(&rest);
        key = next_text(&rest);
        code = pex_keys_emit(d->call, row, key.data, key.length);
    } else {
        return 1;
    }
    printf("%d\n", (int)code);
    return 0;
}

static void reject(struct driver *d, char *rest)
{
    size_t first = next_number(&rest), count = next_number(&rest);

    printf("%d\n", (int)pex__batch_reject_rows(d->batch, first, count, (int32_t)next_number(&rest),
                                               PEX_EDATA, 1, "rejected"));
}

static void run(struct driver *d, const char *word, char *rest)
{
    if (strcmp(word, "layout") == 0)
        make_layout(d, rest);
    else if (strcmp(word, "rows") == 0)
        load_rows(d, rest);
    else if (strcmp(word, "op") == 0)
        set_op(d, rest);
    else if (strcmp(word, "call") == 0)
        begin(d, rest);
    else if (strcmp(word, "commit") == 0)
        commit(d);
    else if (strcmp(word, "abort") == 0)
        pex__call_abort(d->call);
    else if (strcmp(word, "reencode") == 0)
        reencode(d);
    else if (strcmp(word, "stat") == 0)
        get_stat(d, rest);
    else if (strcmp(word, "read") == 0)
        read_field(d, rest);
    else if (strcmp(word, "encode") == 0)
        encode(d, rest);
    else if (strcmp(word, "row_ids") == 0)
        print_ids(d);
    else if (strcmp(word, "rejects") == 0)
        print_rejects(d);
    else if (strcmp(word, "keys") == 0)
        print_keys(d);
    else if (strcmp(word, "counts") == 0)
        set_counts(d, rest);
    else if (strcmp(word, "apply") == 0)
        apply(d);
    else if (strcmp(word, "reject") == 0)
        reject(d, rest);
    else if (set(d, word, rest) != 0 && change_rows(d, word, rest) != 0)
        die("unknown word", word);
}

int main(void)
{
    struct driver d = {0};
    char *rest;

    if (pex__batch_create(NULL, &d.batch) != 0 || pex__scan_create(PEX__ISA_BEST, &d.scan) != 0)
        die("create", "");
    while ((rest = read_line(&d)) != NULL) {
        char *word = next_word(&rest);

        run(&d, word, rest);
    }
    pex__batch_free(d.batch);
    pex__layout_free(d.layout);
    pex__scan_free(d.scan);
    free(d.line);
    return 0;
}
