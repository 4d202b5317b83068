/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"
#include "gram.h"
#include "groups.h"
#include "normal.h"
#include "operators.h"
#include "text.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    KEY_LINES = 8,  /* hashes of lines in a key, which has 64 bytes at most */
    CANCEL = 65536, /* keys between two looks at whether the job is cancelled */
};

struct lines {
    char *text_key;
    int64_t threshold;  /* documents */
    int64_t min_length; /* code points */
    bool lowercase;
    bool ignore_special;
    bool skip_brackets;
    bool skip_headers;
    bool skip_latex;
    bool skip_html;
};

static void destroy(void *instance)
{
    struct lines *lines = instance;
    free(lines->text_key);
    free(lines);
}

static int32_t read_flag(const pex_params *params, const char *name, bool *flag)
{
    int32_t value = 0, rc = pex_params_bool(params, name, &value);
    *flag = value;
    return rc;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct lines *lines = calloc(1, sizeof(*lines));
    if (!lines || !(lines->text_key = pex__text_key(params))) {
        free(lines);
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    }
    int32_t rc;
    if ((rc = pex_params_int64(params, "frequency_threshold", &lines->threshold)) ||
        (rc = pex_params_int64(params, "min_line_length", &lines->min_length)) ||
        (rc = read_flag(params, "lowercase", &lines->lowercase)) ||
        (rc = read_flag(params, "ignore_special_character", &lines->ignore_special)) ||
        (rc = read_flag(params, "skip_brackets", &lines->skip_brackets)) ||
        (rc = read_flag(params, "skip_markdown_headers", &lines->skip_headers)) ||
        (rc = read_flag(params, "skip_latex_env", &lines->skip_latex)) ||
        (rc = read_flag(params, "skip_html_tags", &lines->skip_html))) {
        destroy(lines);
        return pex_error_set(err, rc, "the parameters cannot be read");
    }
    *instance = lines;
    return 0;
}

static bool is_shorter(struct pex_string_view text, int64_t points)
{
    if ((int64_t)text.length < points)
        return true;
    if ((int64_t)(text.length / 4) >= points)
        return false;
    for (size_t i = 0; i < text.length && points > 0; i++)
        points -= !pex__is_continuation(text.data[i]);
    return points > 0;
}

static bool has_only_brackets(struct pex_string_view text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!memchr("{}[]();", text.data[i], 7))
            return false;
    return true;
}

static bool starts_with(struct pex_string_view text, const char *start)
{
    size_t length = strlen(start);
    return text.length >= length && memcmp(text.data, start, length) == 0;
}

/* [a-z] without regard to case, which in Python has four more. */
static bool is_letter(struct pex_string_view text, size_t at)
{
    size_t size;
    if (at >= text.length)
        return false;
    uint32_t point = pex__decode(text.data + at, &size);
    return (point < 0x80 && (point | 0x20) >= 'a' && (point | 0x20) <= 'z') || point == 0x130 ||
           point == 0x131 || point == 0x17F || point == 0x212A;
}

/* < or </, a letter, and no > but at the end. */
static bool is_html_tag(struct pex_string_view text)
{
    if (text.length < 2 || text.data[0] != '<' || !is_letter(text, 1 + (text.data[1] == '/')))
        return false;
    return !memchr(text.data, '>', text.length - 1);
}

/* line: without white space at its ends. */
static bool is_skipped(const struct lines *lines, struct pex_string_view line)
{
    if (is_shorter(line, lines->min_length))
        return true;
    if (line.length == 0)
        return lines->skip_brackets;
    switch (line.data[0]) {
    case '#':
        return lines->skip_headers;
    case '\\':
        return lines->skip_latex && (starts_with(line, "\\begin{") || starts_with(line, "\\end{"));
    case '<':
        return lines->skip_html && is_html_tag(line);
    default:
        return lines->skip_brackets && has_only_brackets(line);
    }
}

/* One text after the other, line by line. */
struct walk {
    const struct lines *lines;
    struct pex__normal normal;
    struct pex__grams seen; /* of a text */
    struct pex__bytes out;
};

/* *hash: that of the line's normal form; *counts: it is not skipped. */
static int32_t hash_line(struct walk *walk, struct pex_string_view line, uint64_t *hash,
                         bool *counts)
{
    struct pex_string_view form = pex__text_strip(line);
    *counts = !is_skipped(walk->lines, form);
    if (!*counts)
        return 0;
    if (walk->lines->lowercase || walk->lines->ignore_special) {
        int32_t rc = pex__normal_form(&walk->normal, form, &form);
        if (rc)
            return rc;
        form = pex__text_strip(form);
    }
    *hash = XXH3_64bits(form.data, form.length);
    return 0;
}

/* The line at the start of the rest, which goes on behind its LF. */
static struct pex_string_view next_line(struct pex_string_view *rest, bool *is_last)
{
    const char *feed = rest->length ? memchr(rest->data, '\n', rest->length) : NULL;
    struct pex_string_view line = {rest->data, feed ? (size_t)(feed - rest->data) : rest->length};
    *is_last = !feed;
    if (feed)
        *rest = (struct pex_string_view){feed + 1, rest->length - line.length - 1};
    return line;
}

/* Keys with the hashes of the text's lines, each once. */
static int32_t observe_text(struct walk *walk, pex_batch *batch, size_t row,
                            struct pex_string_view text)
{
    uint64_t key[KEY_LINES];
    size_t count = 0;
    bool is_last = false;
    int32_t rc = pex__grams_begin(&walk->seen, text.length);
    while (!rc && !is_last) {
        struct pex_string_view line = next_line(&text, &is_last);
        size_t distinct = walk->seen.distinct;
        uint64_t hash;
        bool counts;
        rc = hash_line(walk, line, &hash, &counts);
        if (rc || !counts)
            continue;
        rc = pex__grams_add(&walk->seen, hash);
        if (rc || walk->seen.distinct == distinct)
            continue;
        key[count++] = hash;
        if (count == KEY_LINES) {
            rc = pex_keys_emit(batch, row, key, sizeof(key));
            count = 0;
        }
    }
    if (!rc && count > 0)
        rc = pex_keys_emit(batch, row, key, count * sizeof(*key));
    return rc;
}

typedef int32_t row_fn(struct walk *walk, pex_batch *batch, size_t row, struct pex_string_view text,
                       struct pex_string_view told);

static int32_t observe_row(struct walk *walk, pex_batch *batch, size_t row,
                           struct pex_string_view text, struct pex_string_view told)
{
    (void)told;
    if (pex__has_surrogate(text))
        return pex_batch_fail_row(batch, row, PEX_EDATA,
                                  "the text has half of a surrogate pair, which has no UTF-8 form "
                                  "to compare; repair the text first");
    return observe_text(walk, batch, row, text);
}

static bool is_frequent(struct pex_string_view told, uint64_t hash)
{
    const uint64_t *hashes = (const uint64_t *)(const void *)told.data;
    size_t low = 0, high = told.length / sizeof(hash);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hashes[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < told.length / sizeof(hash) && hashes[low] == hash;
}

/* Lines that are in too many texts go, with one LF each. */
static int32_t apply_row(struct walk *walk, pex_batch *batch, size_t row,
                         struct pex_string_view text, struct pex_string_view told)
{
    struct pex_string_view rest = text;
    bool is_last = false, is_first = true, is_changed = false;
    walk->out.length = 0;
    while (!is_last) {
        struct pex_string_view line = next_line(&rest, &is_last);
        uint64_t hash;
        bool counts;
        int32_t rc = hash_line(walk, line, &hash, &counts);
        if (rc)
            return rc;
        if (counts && is_frequent(told, hash)) {
            is_changed = true;
            continue;
        }
        if ((!is_first && pex__bytes_append(&walk->out, "\n", 1)) ||
            pex__bytes_append(&walk->out, line.data, line.length))
            return PEX_ENOMEM;
        is_first = false;
    }
    if (!is_changed)
        return 0;
    struct pex_string_view out = {walk->out.length ? walk->out.data : "", walk->out.length};
    return pex_batch_set_string(batch, PEX__FIELD_TEXT, row, out);
}

static int32_t each_row(const struct lines *lines, pex_batch *batch, row_fn *fn,
                        struct pex_string_view told)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    struct walk walk = {.lines = lines};
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch);
    pex__normal_init(&walk.normal, lines->lowercase, lines->ignore_special);
    for (size_t row = 0; !rc && row < count; row++)
        rc = states[row] == PEX_STATE_VALUE
                 ? fn(&walk, batch, row, texts[row], told)
                 : pex__text_fail(batch, row, states[row], lines->text_key);
    free(walk.normal.buffer);
    pex__grams_free(&walk.seen);
    pex__bytes_free(&walk.out);
    return rc;
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    return each_row(instance, batch, observe_row, (struct pex_string_view){0});
}

static int32_t apply(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct pex_string_view told;
    int32_t rc = pex_batch_told(batch, &told);
    return rc || told.length == 0 ? rc : each_row(instance, batch, apply_row, told);
}

struct verdict {
    const struct lines *lines;
    pex_keys *keys;
    struct pex__table table; /* texts that have a line */
    uint64_t part, parts;
    struct pex__bytes frequent; /* hashes */
};

static int32_t count_lines(struct verdict *verdict, const struct pex_key *key)
{
    uint64_t hashes[KEY_LINES];
    size_t count = key->size / sizeof(*hashes);
    memcpy(hashes, key->data, count * sizeof(*hashes));
    for (size_t i = 0; i < count; i++)
        pex__table_fetch(&verdict->table, hashes[i]);
    for (size_t i = 0; i < count; i++) {
        if (verdict->parts > 1 && (hashes[i] >> 32) % verdict->parts != verdict->part)
            continue;
        uint32_t *number = pex__table_at(&verdict->table, hashes[i]);
        if (!number)
            return PEX_ENOMEM;
        *number += *number < UINT32_MAX;
        if (*number == verdict->lines->threshold + 1 &&
            pex__bytes_append(&verdict->frequent, (const char *)&hashes[i], sizeof(hashes[i])))
            return PEX_ENOMEM;
    }
    return 0;
}

static int32_t walk_keys(struct verdict *verdict)
{
    struct pex_key key;
    int32_t rc = pex_keys_rewind(verdict->keys);
    for (uint64_t seen = 1; !rc && !(rc = pex_keys_next(verdict->keys, &key)); seen++)
        rc = seen % CANCEL == 0 && pex_keys_cancelled(verdict->keys) ? PEX_ECANCELLED
                                                                     : count_lines(verdict, &key);
    return rc == PEX_ENOENT ? 0 : rc;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Lines that do not fit into the memory are counted in parts, a walk each. */
static int32_t find_frequent(struct verdict *verdict)
{
    uint64_t hashes = pex_keys_count(verdict->keys) * KEY_LINES, most;
    for (verdict->parts = 1;
         pex__table_bytes(hashes / verdict->parts) > pex_keys_memory(verdict->keys) &&
         verdict->parts < hashes;)
        verdict->parts++;
    most = hashes / verdict->parts;
    int32_t rc = pex__table_init(&verdict->table, (size_t)most);
    for (; !rc && verdict->part < verdict->parts; verdict->part++) {
        pex__table_clear(&verdict->table);
        rc = walk_keys(verdict);
    }
    return rc;
}

/* Tells the calls of apply, in order, the lines that go. */
static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    struct verdict verdict = {.lines = instance, .keys = keys};
    int32_t rc = 0;
    /* Of a single row nothing is told, as in the reference. */
    if (pex_keys_rows(keys) > 1 && verdict.lines->threshold < UINT32_MAX)
        rc = find_frequent(&verdict);
    if (!rc) {
        size_t count = verdict.frequent.length / sizeof(uint64_t);
        if (count > 0)
            qsort(verdict.frequent.data, count, sizeof(uint64_t), by_value);
        rc = pex_keys_tell(keys, verdict.frequent.data, verdict.frequent.length);
    }
    pex__table_free(&verdict.table);
    pex__bytes_free(&verdict.frequent);
    if (rc == PEX_ENOMEM)
        return pex_error_set(err, rc, "out of memory to count the lines of %llu rows",
                             (unsigned long long)pex_keys_rows(keys));
    return rc;
}

#define SKIP_PARAM(parameter, what)                                                                \
    {                                                                                              \
        .name = parameter, .default_json = "true", .help = "Leave " what " alone.",                \
        .type = PEX_PARAM_BOOL                                                                     \
    }

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "frequency_threshold",
     .default_json = "6",
     .help = "Lines go that are in more texts than so many.",
     .min = 0,
     .max = INT32_MAX,
     .type = PEX_PARAM_INT64},
    {.name = "lowercase",
     .default_json = "false",
     .help = "Compare lines in lower case.",
     .type = PEX_PARAM_BOOL},
    {.name = "ignore_special_character",
     .default_json = "false",
     .help = "Compare lines without white space, digits and ASCII punctuation.",
     .type = PEX_PARAM_BOOL},
    {.name = "min_line_length",
     .default_json = "2",
     .help = "Lines with fewer code points, without white space at their ends, stay.",
     .type = PEX_PARAM_INT64},
    SKIP_PARAM("skip_brackets", "lines of brackets and semicolons"),
    SKIP_PARAM("skip_markdown_headers", "lines that start with #"),
    SKIP_PARAM("skip_latex_env", "lines that start with \\begin{ or \\end{"),
    SKIP_PARAM("skip_html_tags", "lines that are one HTML tag"),
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__document_line_deduplicator = {
    .struct_size = sizeof(struct pex_operator),
    .name = "document_line_deduplicator",
    .version = "1",
    .help = "Removes lines that are in many texts, everywhere.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = resolve,
    .apply = apply,
};
