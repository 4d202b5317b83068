/* SPDX-License-Identifier: Apache-2.0 */
#include "macro.h"
#include "mapper.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

/* A text that grows beyond this is taken for one that was made to grow without end. */
#define GROWTH_MAX 16
#define ROOM_MAX ((size_t)8 << 20)

struct definitions {
    struct pex__macro *macro;
    size_t count;
    size_t capacity;
};

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The end of the name at `at`, a backslash with letters or digits behind it; NULL: there is none.
 */
static const char *name_end(const char *at, const char *end)
{
    const char *name = at + 1;
    if (at == end || *at != '\\')
        return NULL;
    while (name < end && is_alnum(*name))
        name++;
    return name > at + 1 ? name : NULL;
}

/* A place that reads `start` with the name behind it; *name gets it. NULL: another place. */
static const char *read_newcommand(const char *at, const char *end, struct pex_string_view *name)
{
    static const char start[] = "\\newcommand";
    if ((size_t)(end - at) < sizeof(start) || memcmp(at, start, sizeof(start) - 1) != 0)
        return NULL;
    at += sizeof(start) - 1;
    at += *at == '*';
    if (at == end || *at != '{')
        return NULL;
    const char *stop = name_end(++at, end);
    *name = (struct pex_string_view){at, (size_t)(stop ? stop - at : 0)};
    return stop && stop < end && *stop == '}' ? stop + 1 : NULL;
}

static const char *skip_spaces(const char *at, const char *end)
{
    size_t size;
    while (at < end && (pex__unicode_class(pex__decode(at, &size)) & PEX__SPACE))
        at += size;
    return at;
}

static const char *read_def(const char *at, const char *end, struct pex_string_view *name)
{
    static const char start[] = "\\def";
    if ((size_t)(end - at) < sizeof(start) || memcmp(at, start, sizeof(start) - 1) != 0)
        return NULL;
    at = skip_spaces(at + sizeof(start) - 1, end);
    const char *stop = name_end(at, end);
    *name = (struct pex_string_view){at, (size_t)(stop ? stop - at : 0)};
    return stop ? skip_spaces(stop, end) : NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct pex__macro *x = *(struct pex__macro *const *)a,
                            *y = *(struct pex__macro *const *)b;
    size_t shorter = x->name.length < y->name.length ? x->name.length : y->name.length;
    int order = memcmp(x->name.data, y->name.data, shorter);
    if (order != 0)
        return order;
    if (x->name.length != y->name.length)
        return x->name.length < y->name.length ? -1 : 1;
    return x < y ? -1 : 1;
}

static int32_t add(struct definitions *definitions, struct pex_string_view name,
                   struct pex_string_view value)
{
    if (definitions->count == definitions->capacity) {
        size_t capacity = 2 * definitions->capacity + 16;
        struct pex__macro *grown = realloc(definitions->macro, capacity * sizeof(*grown));
        if (!grown)
            return PEX_ENOMEM;
        definitions->macro = grown;
        definitions->capacity = capacity;
    }
    definitions->macro[definitions->count++] = (struct pex__macro){name, value};
    return 0;
}

typedef const char *reader(const char *at, const char *end, struct pex_string_view *name);

/* All definitions of one kind: the value goes from '{' to the '}' that is the last on its line. */
static int32_t collect(struct definitions *definitions, struct pex_string_view text, reader *read)
{
    const char *end = text.data + text.length, *at = text.data, *line = text.data, *value;
    struct pex_string_view name;
    int32_t rc = 0;
    while (!rc && at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
        value = read(at, end, &name);
        if (!value || value == end || *value != '{') {
            at++;
            continue;
        }
        /* The line's end is looked for once, however many definitions stand on it. */
        if (line <= value && !(line = memchr(value, '\n', (size_t)(end - value))))
            line = end;
        if (line - value < 2 || line[-1] != '}') {
            at++;
            continue;
        }
        value++;
        rc = add(definitions, name, (struct pex_string_view){value, (size_t)(line - 1 - value)});
        at = line;
    }
    return rc;
}

/* Of definitions with the same name the first keeps its place and takes the value of the last. */
static int32_t merge(struct definitions *definitions)
{
    size_t count = definitions->count, kept = 0;
    struct pex__macro **sorted = malloc((count + 1) * sizeof(struct pex__macro *));
    if (!sorted)
        return PEX_ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &definitions->macro[i];
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && sorted[end]->name.length == sorted[i]->name.length &&
             !memcmp(sorted[end]->name.data, sorted[i]->name.data, sorted[i]->name.length);
             end++)
            sorted[end]->name.length = 0;
        sorted[i]->value = sorted[end - 1]->value;
    }
    for (size_t i = 0; i < count; i++)
        if (definitions->macro[i].name.length)
            definitions->macro[kept++] = definitions->macro[i];
    definitions->count = kept;
    free(sorted);
    return 0;
}

static int32_t expand(const struct definitions *definitions, const struct pex__mapping *at)
{
    size_t limit = GROWTH_MAX * at->text.length;
    if (limit < ROOM_MAX)
        limit = ROOM_MAX;
    int32_t rc =
        pex__macros_expand(at->text, definitions->macro, definitions->count, limit, at->out);
    if (rc == PEX_ELIMIT)
        return pex__map_fail(at, PEX_ELIMIT,
                             "the macros of the text expand to more than 16 times its size (at "
                             "least 8 MiB); take the macro out that contains itself twice");
    return rc ? rc : pex__map_set(at, at->out->data, at->out->length);
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    struct definitions definitions = {0};
    int32_t rc = collect(&definitions, at->text, read_newcommand);
    if (!rc)
        rc = collect(&definitions, at->text, read_def);
    if (!rc && definitions.count)
        rc = merge(&definitions);
    if (!rc && definitions.count)
        rc = expand(&definitions, at);
    free(definitions.macro);
    return rc;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {PEX__TEXT_KEY_PARAM};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__expand_macro_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "expand_macro_mapper",
    .version = "1",
    .help = "Expands LaTeX macros without arguments by their definitions in the text.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = pex__mapper_create,
    .process = process,
    .destroy = pex__mapper_destroy,
};
