/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"
#include "link.h"
#include "operators.h"
#include "template.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mapper {
    const struct pex__kernel *kernel;
    char *text_key;
    struct pex__template repl;
};

/* The new text in the making, reused from row to row of one call. */
struct output {
    char *data;
    size_t length;
    size_t capacity;
};

static void destroy(void *instance)
{
    struct mapper *mapper = instance;
    free(mapper->text_key);
    pex__template_free(&mapper->repl);
    free(mapper);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct pex_string_view repl;
    int32_t rc = pex_params_string(params, "repl", &repl);
    if (rc)
        return pex_error_set(err, rc, "parameter 'repl' cannot be read");
    struct mapper *mapper = calloc(1, sizeof(*mapper));
    if (!mapper)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    mapper->kernel = pex__kernel_best();
    mapper->text_key = pex__text_key(params);
    if (!mapper->text_key || pex__template_parse(&mapper->repl, repl, PEX__LINK_GROUPS)) {
        destroy(mapper);
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameters text_key and repl");
    }
    if (mapper->repl.error[0]) {
        char message[300];
        snprintf(message, sizeof(message), "parameter 'repl': %s; rows with a link will fail",
                 mapper->repl.error);
        pex_env_log(env, PEX_LOG_WARNING, message);
    }
    *instance = mapper;
    return 0;
}

static int32_t append(struct output *output, const char *data, size_t length)
{
    if (length > output->capacity - output->length) {
        size_t capacity = output->length + length + output->capacity / 2 + 256;
        char *grown = realloc(output->data, capacity);
        if (!grown)
            return PEX_ENOMEM;
        output->data = grown;
        output->capacity = capacity;
    }
    if (length)
        memcpy(output->data + output->length, data, length);
    output->length += length;
    return 0;
}

static int32_t append_replacement(struct output *output, const struct pex__template *repl,
                                  struct pex_string_view text, const struct pex__link *link)
{
    int32_t rc = 0;
    for (size_t i = 0; !rc && i < repl->part_count; i++) {
        const struct pex__template_part *part = &repl->part[i];
        rc = append(output, repl->literal + part->start, part->length);
        if (rc || part->group >= PEX__LINK_GROUPS)
            continue;
        struct pex__span span = link->group[part->group];
        rc = append(output, text.data + span.start, span.end - span.start);
    }
    return rc;
}

/* Replaces the link that was found and all after it. */
static int32_t replace_links(const struct mapper *mapper, struct output *output,
                             struct pex_string_view text, struct pex__link *link)
{
    size_t copied = 0;
    int32_t rc;
    output->length = 0;
    do {
        rc = append(output, text.data + copied, link->group[0].start - copied);
        if (!rc)
            rc = append_replacement(output, &mapper->repl, text, link);
        copied = link->group[0].end;
    } while (!rc && pex__link_find(mapper->kernel, text, copied, link));
    return rc ? rc : append(output, text.data + copied, text.length - copied);
}

static int32_t map_row(const struct mapper *mapper, struct output *output, pex_batch *batch,
                       size_t row, struct pex_string_view text)
{
    struct pex__link link;
    if (!pex__link_find(mapper->kernel, text, 0, &link))
        return 0;
    if (mapper->repl.error[0]) {
        char message[300];
        snprintf(message, sizeof(message), "parameter 'repl': %s", mapper->repl.error);
        return pex_batch_fail_row(batch, row, PEX_EINVAL, message);
    }
    int32_t rc = replace_links(mapper, output, text, &link);
    struct pex_string_view value = {output->data, output->length};
    return rc ? rc : pex_batch_set_string(batch, PEX__FIELD_TEXT, row, value);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct mapper *mapper = instance;
    const struct pex_string_view *texts;
    const uint8_t *states;
    struct output output = {0};
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++) {
        rc = states[row] == PEX_STATE_VALUE
                 ? map_row(mapper, &output, batch, row, texts[row])
                 : pex__text_fail(batch, row, states[row], mapper->text_key);
    }
    free(output.data);
    return rc;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    if (pex_params_is_null(params, "pattern") == 1)
        return 0;
    return pex_error_set(
        err, PEX_EINVAL,
        "parameter 'pattern': patterns of one's own are not supported yet; leave it "
        "null for the built-in definition of a link");
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "pattern",
     .default_json = "null",
     .help = "Only null: the built-in definition of a link.",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "repl",
     .default_json = "\"\"",
     .help = "What replaces a link; \\1 or \\g<0> in it is the link itself.",
     .type = PEX_PARAM_STRING},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__clean_links_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "clean_links_mapper",
    .version = "1",
    .help = "Removes links from the text, or replaces them.",
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
    .check = check,
};
