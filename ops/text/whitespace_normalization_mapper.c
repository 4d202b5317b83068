/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"
#include "operators.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

struct mapper {
    const struct pex__kernel *kernel;
    char *text_key;
};

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct mapper *mapper = calloc(1, sizeof(*mapper));
    if (!mapper || !(mapper->text_key = pex__text_key(params))) {
        free(mapper);
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    }
    mapper->kernel = pex__kernel_best();
    *instance = mapper;
    return 0;
}

static void destroy(void *instance)
{
    struct mapper *mapper = instance;
    free(mapper->text_key);
    free(mapper);
}

/* Copies `text` to `out` with every blank of the table as U+0020, from the one at `blank` on. */
static size_t replace_blanks(const struct mapper *mapper, struct pex_string_view text, size_t blank,
                             char *out)
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

static int32_t map_row(const struct mapper *mapper, pex_batch *batch, size_t row,
                       struct pex_string_view text)
{
    struct pex_string_view stripped = pex__text_strip(text);
    size_t blank = mapper->kernel->find_blank(stripped.data, stripped.length, 0);
    if (blank == stripped.length)
        return stripped.length == text.length
                   ? 0
                   : pex_batch_set_string(batch, PEX__FIELD_TEXT, row, stripped);
    char *out = pex_batch_alloc(batch, PEX__FIELD_TEXT, stripped.length);
    if (!out)
        return PEX_ENOMEM;
    struct pex_string_view value = {out, replace_blanks(mapper, stripped, blank, out)};
    return pex_batch_set_string(batch, PEX__FIELD_TEXT, row, value);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct mapper *mapper = instance;
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++) {
        rc = states[row] == PEX_STATE_VALUE
                 ? map_row(mapper, batch, row, texts[row])
                 : pex__text_fail(batch, row, states[row], mapper->text_key);
    }
    return rc;
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
    .create = create,
    .process = process,
    .destroy = destroy,
};
