/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

struct comments_mapper {
    struct pex__mapper mapper;
    int32_t is_inline;
    int32_t is_multiline;
};

/*
 * Where the next comment behind other text starts: a character that is no backslash, then a percent
 * sign that is not the last on its line. That character belongs to it. NULL: there is none.
 */
static const char *find_inline(const char *from, const char *end, const char **percent)
{
    const char *at = from;
    while (at < end && (at = memchr(at, '%', (size_t)(end - at)))) {
        if (at > from && at[-1] != '\\' && at + 1 < end && at[1] != '\n') {
            size_t start;
            pex__decode_before(from, (size_t)(at - from), &start);
            *percent = at;
            return from + start;
        }
        at++;
    }
    return NULL;
}

static const char *line_end(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

static int32_t remove_inline(struct pex_string_view text, struct pex__bytes *out)
{
    const char *from = text.data, *end = text.data + text.length, *percent, *comment;
    int32_t rc = 0;
    while (!rc && (comment = find_inline(from, end, &percent))) {
        rc = pex__bytes_append(out, from, (size_t)(comment - from));
        from = line_end(percent, end);
    }
    return rc ? rc : pex__bytes_append(out, from, (size_t)(end - from));
}

/* Removes the lines that start with a percent sign, in place. */
static size_t remove_lines(char *data, size_t length)
{
    const char *at = data, *end = data + length;
    char *to = data;
    while (at < end) {
        const char *next = line_end(at, end);
        next += next < end;
        if (*at != '%') {
            memmove(to, at, (size_t)(next - at));
            to += next - at;
        }
        at = next;
    }
    return (size_t)(to - data);
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct comments_mapper *comments = (const struct comments_mapper *)(const void *)mapper;
    struct pex_string_view text = at->text;
    int32_t rc;
    if (!memchr(text.data, '%', text.length))
        return 0;
    rc = comments->is_inline ? remove_inline(text, at->out)
                             : pex__bytes_append(at->out, text.data, text.length);
    if (rc)
        return rc;
    if (comments->is_multiline && at->out->length)
        at->out->length = remove_lines(at->out->data, at->out->length);
    return at->out->length == text.length ? 0 : pex__map_set(at, at->out->data, at->out->length);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct comments_mapper *comments = calloc(1, sizeof(*comments));
    if (!comments)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc;
    if (!(rc = pex_params_bool(params, "inline", &comments->is_inline)) &&
        !(rc = pex_params_bool(params, "multiline", &comments->is_multiline)))
        rc = pex__mapper_init(&comments->mapper, params, err);
    if (rc) {
        free(comments);
        return rc;
    }
    *instance = comments;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "doc_type",
     .default_json = "\"tex\"",
     .help = "Has no effect: comments are those of LaTeX.",
     .type = PEX_PARAM_STRINGS,
     .flags = PEX_PARAM_IGNORED},
    {.name = "inline",
     .default_json = "true",
     .help = "Whether comments behind other text go, with the character before the percent sign.",
     .type = PEX_PARAM_BOOL},
    {.name = "multiline",
     .default_json = "true",
     .help = "Whether lines go that start with a percent sign.",
     .type = PEX_PARAM_BOOL},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_comments_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_comments_mapper",
    .version = "1",
    .help = "Removes comments from a LaTeX text.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = process,
    .destroy = pex__mapper_destroy,
};
