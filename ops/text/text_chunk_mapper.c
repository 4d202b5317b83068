/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"
#include "pattern.h"
#include "unicode.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of chunks after which a call hands over what it has. */
enum { OUTPUT_ENOUGH = 4 << 20 };

#define NO_PROGRESS                                                                                \
    "parameter 'split_pattern' matches nothing but the start of a text that is longer than "       \
    "max_len, which cannot be cut there; use a pattern that matches a separator"

struct chunk_mapper {
    struct pex__mapper mapper;
    struct pex__pattern *pattern; /* NULL: none */
    int64_t max_len;              /* code points; 0: no limit */
    int64_t overlap_len;
};

/* What one call needs. */
struct run {
    const struct chunk_mapper *chunk;
    struct pex__session *session;
    struct pex__span *span; /* the chunks of a text */
    size_t count;
    size_t room;
};

static int32_t add_chunk(struct run *run, size_t start, size_t end)
{
    if (run->count == run->room) {
        size_t room = 2 * run->room + 16;
        struct pex__span *grown = realloc(run->span, room * sizeof(*grown));
        if (!grown)
            return PEX_ENOMEM;
        run->span = grown;
        run->room = room;
    }
    run->span[run->count++] = (struct pex__span){start, end};
    return 0;
}

static int32_t add_unless_blank(struct run *run, struct pex_string_view text, size_t start,
                                size_t end)
{
    struct pex_string_view piece = {text.data + start, end - start};
    return pex__text_strip(piece).length > 0 ? add_chunk(run, start, end) : 0;
}

/* The position `points` code points behind `at`, or the end. */
static size_t go_on(struct pex_string_view text, size_t at, int64_t points)
{
    while (points > 0 && at < text.length) {
        do
            at++;
        while (at < text.length && pex__is_continuation(text.data[at]));
        points--;
    }
    return at;
}

/* At every match; what groups of the pattern match are chunks too. */
static int32_t split(struct run *run, struct pex_string_view text)
{
    size_t groups = pex__pattern_groups(run->chunk->pattern), from = 0;
    const struct pex__span *match;
    int32_t rc;
    pex__session_text(run->session, text);
    while ((rc = pex__session_next(run->session, &match)) == 1) {
        rc = add_unless_blank(run, text, from, match[0].start);
        for (size_t i = 1; !rc && i < groups; i++)
            if (match[i].start != SIZE_MAX)
                rc = add_unless_blank(run, text, match[i].start, match[i].end);
        if (rc)
            return rc;
        from = match[0].end;
    }
    return rc ? rc : add_unless_blank(run, text, from, text.length);
}

/* Windows that overlap; the last may lie inside of the one before. */
static int32_t cut_windows(struct run *run, struct pex_string_view text)
{
    int64_t max = run->chunk->max_len, step = max - run->chunk->overlap_len;
    int32_t rc = 0;
    if (go_on(text, 0, max) == text.length)
        return add_chunk(run, 0, text.length);
    for (size_t at = 0; !rc && at < text.length; at = go_on(text, at, step))
        rc = add_chunk(run, at, go_on(text, at, max));
    return rc;
}

/* The last match in the window; one that ends at its start is none to cut at. */
static int32_t last_match(struct run *run, struct pex_string_view window, struct pex__span *last)
{
    const struct pex__span *match;
    int32_t rc;
    *last = (struct pex__span){SIZE_MAX, SIZE_MAX};
    pex__session_part(run->session, window);
    while ((rc = pex__session_next(run->session, &match)) == 1)
        *last = match[0];
    return rc ? rc : last->end == 0 ? PEX_EDATA : 0;
}

/* While the rest is too long, at the last match that leaves a chunk short enough; where there is
 * none, as windows. */
static int32_t cut_at_matches(struct run *run, struct pex_string_view text)
{
    size_t at = 0, end;
    pex__session_text(run->session, text);
    while ((end = go_on(text, at, run->chunk->max_len)) < text.length) {
        struct pex_string_view window = {text.data + at, end - at};
        struct pex__span last;
        int32_t rc = last_match(run, window, &last);
        bool is_cut = last.start != SIZE_MAX;
        if (!rc)
            rc = add_unless_blank(run, text, at, is_cut ? at + last.start : end);
        if (rc)
            return rc;
        at =
            is_cut ? at + last.end : go_on(text, at, run->chunk->max_len - run->chunk->overlap_len);
    }
    return add_chunk(run, at, text.length);
}

static int32_t set_text(pex_batch *batch, size_t row, struct pex_string_view text,
                        struct pex__span span)
{
    struct pex_string_view piece = {text.data + span.start, span.end - span.start};
    return pex_batch_set_string(batch, PEX__FIELD_TEXT, row, piece);
}

/* *written grows by the bytes of the chunks. */
static int32_t put_chunks(struct run *run, pex_batch *batch, size_t row,
                          struct pex_string_view text, size_t *written)
{
    int32_t rc = 0;
    if (run->count == 1) {
        *written += run->span[0].end - run->span[0].start;
        return run->span[0].end - run->span[0].start == text.length
                   ? 0
                   : set_text(batch, row, text, run->span[0]);
    }
    rc = pex_batch_drop(batch, row);
    for (size_t i = 0; !rc && i < run->count; i++) {
        size_t child;
        rc = pex_batch_append(batch, row, &child);
        if (!rc)
            rc = set_text(batch, child, text, run->span[i]);
        *written += run->span[i].end - run->span[i].start;
    }
    return rc;
}

static int32_t chunk_row(struct run *run, pex_batch *batch, size_t row, struct pex_string_view text,
                         size_t *written)
{
    const struct chunk_mapper *chunk = run->chunk;
    run->count = 0;
    int32_t rc = !chunk->max_len   ? split(run, text)
                 : !chunk->pattern ? cut_windows(run, text)
                                   : cut_at_matches(run, text);
    if (rc == PEX_EDATA)
        return pex_batch_fail_row(batch, row, rc, NO_PROGRESS);
    if (rc && rc != PEX_ENOMEM)
        return pex_batch_fail_row(batch, row, rc, pex__session_reason(rc));
    return rc ? rc : put_chunks(run, batch, row, text, written);
}

static int32_t chunk_rows(struct run *run, pex_batch *batch)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch), row = 0, written = 0;
    for (; !rc && row < count && written < OUTPUT_ENOUGH; row++)
        rc = states[row] == PEX_STATE_VALUE
                 ? chunk_row(run, batch, row, texts[row], &written)
                 : pex__text_fail(batch, row, states[row], run->chunk->mapper.text_key);
    if (rc || row == count)
        return rc;
    rc = pex_batch_consumed(batch, row);
    return rc ? rc : PEX_MORE;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct run run = {.chunk = instance};
    if (run.chunk->pattern && !(run.session = pex__session_create(run.chunk->pattern)))
        return pex_error_set(err, PEX_ENOMEM, "out of memory to match parameter 'split_pattern'");
    int32_t rc = chunk_rows(&run, batch);
    pex__session_free(run.session);
    free(run.span);
    return rc;
}

static void destroy(void *instance)
{
    struct chunk_mapper *chunk = instance;
    pex__pattern_free(chunk->pattern);
    pex__mapper_destroy(chunk);
}

/* *made stays NULL where there is no pattern. */
static int32_t compile(struct pex__pattern **made, const pex_params *params, struct pex_error *err)
{
    struct pex_string_view source;
    char reason[300];
    if (pex_params_is_null(params, "split_pattern") == 1)
        return 0;
    int32_t rc = pex_params_string(params, "split_pattern", &source);
    if (rc)
        return pex_error_set(err, rc, "parameter 'split_pattern' cannot be read");
    rc = pex__pattern_create(made, source, PEX__PYTHON_RE, 0, reason);
    return rc ? pex_error_set(err, rc, "parameter 'split_pattern': %s", reason) : 0;
}

static int32_t init(struct chunk_mapper *chunk, const pex_params *params, struct pex_error *err)
{
    int32_t rc = pex__mapper_init(&chunk->mapper, params, err);
    if (rc)
        return rc;
    if (pex_params_is_null(params, "max_len") != 1)
        rc = pex_params_int64(params, "max_len", &chunk->max_len);
    if (!rc)
        rc = pex_params_int64(params, "overlap_len", &chunk->overlap_len);
    return rc ? pex_error_set(err, rc, "the parameters cannot be read")
              : compile(&chunk->pattern, params, err);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct chunk_mapper *chunk = calloc(1, sizeof(*chunk));
    if (!chunk)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(chunk, params, err);
    if (rc)
        destroy(chunk);
    else
        *instance = chunk;
    return rc;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    struct pex__pattern *pattern = NULL;
    int64_t max_len = 0, overlap_len = 0;
    bool has_max = pex_params_is_null(params, "max_len") != 1;
    if (pex_params_is_null(params, "tokenizer") != 1)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter 'tokenizer': there is no tokenizer model, lengths are in "
                             "code points; leave it out");
    if (!has_max && pex_params_is_null(params, "split_pattern") == 1)
        return pex_error_set(err, PEX_EINVAL,
                             "parameters 'max_len' and 'split_pattern' are both null; give one of "
                             "them");
    if (has_max && (pex_params_int64(params, "max_len", &max_len) ||
                    pex_params_int64(params, "overlap_len", &overlap_len)))
        return pex_error_set(err, PEX_EINVAL, "the parameters cannot be read");
    if (has_max && overlap_len >= max_len)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter 'overlap_len' is %lld, expected less than max_len, %lld",
                             (long long)overlap_len, (long long)max_len);
    int32_t rc = compile(&pattern, params, err);
    pex__pattern_free(pattern);
    return rc;
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "max_len",
     .default_json = "null",
     .help = "Most code points of a chunk; null: any number.",
     .min = 1,
     .max = INFINITY,
     .type = PEX_PARAM_INT64,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "split_pattern",
     .default_json = "\"\\n\\n\"",
     .help = "Where to cut, a pattern in Python's syntax; null: anywhere.",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "overlap_len",
     .default_json = "0",
     .help = "Code points that two chunks share where they are cut without a match.",
     .min = 0,
     .max = INFINITY,
     .type = PEX_PARAM_INT64},
    {.name = "tokenizer",
     .default_json = "null",
     .help = "Only null: there is no tokenizer model.",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "trust_remote_code",
     .default_json = "false",
     .help = "Has no effect: no code is loaded.",
     .type = PEX_PARAM_BOOL,
     .flags = PEX_PARAM_IGNORED},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__text_chunk_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "text_chunk_mapper",
    .version = "1",
    .help = "Makes rows of the pieces of the text, cut by a pattern, by length, or both; blank "
            "pieces go.",
    .cardinality = PEX_ROW_TO_MANY,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .check = check,
    .create = create,
    .process = process,
    .destroy = destroy,
};
