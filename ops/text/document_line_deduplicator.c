/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"
#include "line_resolve.h"
#include "normal.h"
#include "operators.h"
#include "text.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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
    struct pex__bytes out;
};

/* *hash: that of the line's normal form, not 0; *counts: it is not skipped. PEX_EDATA: a line that
 * counts has half of a surrogate pair. */
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
    }
    if (pex__has_surrogate(form))
        return PEX_EDATA;
    uint64_t made = XXH3_64bits(form.data, form.length);
    *hash = made ? made : 1;
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

/* Keys with the hashes of the text's lines. */
static int32_t observe_text(struct walk *walk, pex_batch *batch, size_t row,
                            struct pex_string_view text)
{
    uint64_t key[PEX__LINE_KEY_HASHES];
    size_t count = 0;
    bool is_last = false;
    int32_t rc = 0;
    while (!rc && !is_last) {
        struct pex_string_view line = next_line(&text, &is_last);
        bool counts;
        rc = hash_line(walk, line, &key[count], &counts);
        if (rc || !counts || ++count < PEX__LINE_KEY_HASHES)
            continue;
        rc = pex_keys_emit(batch, row, key, sizeof(key));
        count = 0;
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
    int32_t rc = observe_text(walk, batch, row, text);
    if (rc != PEX_EDATA)
        return rc;
    return pex_batch_fail_row(batch, row, rc,
                              "a line has half of a surrogate pair, which has no UTF-8 form to "
                              "compare; repair the text first");
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
        if (counts && pex__line_is_frequent(told, hash)) {
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
    pex__normal_init(&walk.normal, lines->lowercase,
                     lines->ignore_special ? PEX__STRIP | PEX__PY_DIGIT : 0);
    for (size_t row = 0; !rc && row < count; row++)
        rc = states[row] == PEX_STATE_VALUE
                 ? fn(&walk, batch, row, texts[row], told)
                 : pex__text_fail(batch, row, states[row], lines->text_key);
    free(walk.normal.buffer);
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

static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    const struct lines *lines = instance;
    return pex__line_resolve(keys, (uint64_t)lines->threshold, err);
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
     .min = 0,
     .max = INT32_MAX,
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
