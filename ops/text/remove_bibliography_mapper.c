/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"

#include <string.h>

static bool starts_with(struct pex_string_view text, const char *start)
{
    size_t length = strlen(start);
    return text.length >= length && !memcmp(text.data, start, length);
}

/* Whether a bibliography begins here; `last_brace`: the last closing brace of the text, or NULL. */
static bool is_bibliography(struct pex_string_view rest, const char *last_brace)
{
    static const char *const heads[] = {"\\appendix", "\\begin{references}", "\\begin{REFERENCES}",
                                        "\\begin{thebibliography}"};
    static const char list[] = "\\bibliography{";
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        if (starts_with(rest, heads[i]))
            return true;
    return starts_with(rest, list) && last_brace && last_brace >= rest.data + sizeof(list) - 1;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    struct pex_string_view rest = at->text;
    const char *last_brace = memrchr(rest.data, '}', rest.length), *found;
    while ((found = memchr(rest.data, '\\', rest.length))) {
        rest.length -= (size_t)(found - rest.data);
        rest.data = found;
        if (is_bibliography(rest, last_brace))
            return pex__map_set(at, at->text.data, at->text.length - rest.length);
        rest.data++;
        rest.length--;
    }
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {PEX__TEXT_KEY_PARAM};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_bibliography_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_bibliography_mapper",
    .version = "1",
    .help = "Removes the bibliography and the appendix of a LaTeX text: all from their first "
            "command on.",
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
