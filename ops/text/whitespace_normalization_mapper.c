/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"

#include <string.h>

/* Copies `text` to `out` with every blank of the table as U+0020, from the one at `blank` on. */
static size_t replace_blanks(const struct pex__mapper *mapper, struct pex_string_view text,
                             size_t blank, char *out)
{
    size_t copied = 0, written = 0;
    while (blank < text.length) {
        memcpy(out + written, text.data + copied, blank - copied);
        written += blank - copied;
        out[written++] = ' ';
        copied = blank + pex__blank_size(text.data + blank, text.length - blank);
        blank = mapper->kernel->find_blank(text.data, text.length, copied);
    }
    memcpy(out + written, text.data + copied, text.length - copied);
    return written + (text.length - copied);
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    struct pex_string_view stripped = pex__text_strip(at->text);
    size_t blank = mapper->kernel->find_blank(stripped.data, stripped.length, 0);
    if (blank == stripped.length)
        return stripped.length == at->text.length
                   ? 0
                   : pex__map_set(at, stripped.data, stripped.length);
    char *out = pex__map_room(at, stripped.length);
    if (!out)
        return PEX_ENOMEM;
    return pex__map_set(at, out, replace_blanks(mapper, stripped, blank, out));
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {PEX__TEXT_KEY_PARAM};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__whitespace_normalization_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "whitespace_normalization_mapper",
    .version = "1",
    .help =
        "Strips white space at both ends of the text and makes every unusual blank a plain one.",
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
