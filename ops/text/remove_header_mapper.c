/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"

#include <stdlib.h>
#include <string.h>

struct header_mapper {
    struct pex__mapper mapper;
    int32_t drops_no_head;
};

/* What may close a head, found once per text so that no head is looked at to its end. */
struct ends {
    const char *brace;   /* the last closing brace, or NULL */
    const char *bracket; /* the last "]{" before it, or NULL */
};

static struct ends find_ends(struct pex_string_view text)
{
    struct ends ends = {memrchr(text.data, '}', text.length), NULL};
    const char *at = ends.brace;
    while (at && at > text.data && (at = memrchr(text.data, ']', (size_t)(at - text.data)))) {
        if (at[1] == '{') {
            ends.bracket = at;
            break;
        }
    }
    return ends;
}

/* The bytes of a command that is a head, its backslash excluded; 0: none. */
static size_t name_size(const char *name, size_t length)
{
    static const char *const names[] = {"chapter",       "part",      "section",     "subsection",
                                        "subsubsection", "paragraph", "subparagraph"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t size = strlen(names[i]);
        if (length > size && !memcmp(name, names[i], size) && strchr("*[{", name[size]))
            return size;
    }
    return 0;
}

/* Whether a head starts at a backslash: a command, '*' or nothing, [..] or nothing, {..}. */
static bool is_head(const char *at, const char *end, const struct ends *ends)
{
    size_t size = name_size(at + 1, (size_t)(end - at - 1));
    if (!size)
        return false;
    at += 1 + size;
    at += *at == '*';
    if (at < end && *at == '[')
        return ends->bracket && ends->bracket > at;
    return at < end && *at == '{' && ends->brace && ends->brace > at;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct header_mapper *header = (const struct header_mapper *)(const void *)mapper;
    const char *text = at->text.data, *end = text + at->text.length, *found = text;
    struct ends ends = find_ends(at->text);
    while (found < end && (found = memchr(found, '\\', (size_t)(end - found)))) {
        if (is_head(found, end, &ends))
            return found == text ? 0 : pex__map_set(at, found, (size_t)(end - found));
        found++;
    }
    return header->drops_no_head && text != end ? pex__map_set(at, text, 0) : 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct header_mapper *header = calloc(1, sizeof(*header));
    if (!header)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex_params_bool(params, "drop_no_head", &header->drops_no_head);
    if (!rc)
        rc = pex__mapper_init(&header->mapper, params, err);
    if (rc) {
        free(header);
        return rc;
    }
    *instance = header;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "drop_no_head",
     .default_json = "true",
     .help = "Whether a text without any chapter or section becomes empty.",
     .type = PEX_PARAM_BOOL},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_header_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_header_mapper",
    .version = "1",
    .help = "Removes everything before the first chapter or section of a LaTeX text.",
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
