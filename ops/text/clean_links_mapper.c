/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"
#include "mapper.h"
#include "operators.h"
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link_mapper {
    struct pex__mapper mapper;
    struct pex__template repl;
};

static void destroy(void *instance)
{
    struct link_mapper *links = instance;
    pex__mapper_release(&links->mapper);
    pex__template_free(&links->repl);
    free(links);
}

static int32_t init(struct link_mapper *links, pex_env *env, const pex_params *params,
                    struct pex_error *err)
{
    struct pex_string_view repl;
    int32_t rc = pex_params_string(params, "repl", &repl);
    if (rc)
        return pex_error_set(err, rc, "parameter 'repl' cannot be read");
    rc = pex__mapper_init(&links->mapper, params, err);
    if (rc)
        return rc;
    if (pex__template_parse(&links->repl, repl, PEX__LINK_GROUPS))
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter repl");
    if (links->repl.error[0]) {
        char message[300];
        snprintf(message, sizeof(message), "parameter 'repl': %s; rows with a link will fail",
                 links->repl.error);
        pex_env_log(env, PEX_LOG_WARNING, message);
    }
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct link_mapper *links = calloc(1, sizeof(*links));
    if (!links)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(links, env, params, err);
    if (rc)
        destroy(links);
    else
        *instance = links;
    return rc;
}

static int32_t append_replacement(struct pex__bytes *out, const struct pex__template *repl,
                                  struct pex_string_view text, const struct pex__link *link)
{
    int32_t rc = 0;
    for (size_t i = 0; !rc && i < repl->part_count; i++) {
        const struct pex__template_part *part = &repl->part[i];
        rc = pex__bytes_append(out, repl->literal + part->start, part->length);
        if (rc || part->group >= PEX__LINK_GROUPS)
            continue;
        struct pex__span span = link->group[part->group];
        rc = pex__bytes_append(out, text.data + span.start, span.end - span.start);
    }
    return rc;
}

/* Replaces the link that was found and all after it. */
static int32_t replace_links(const struct link_mapper *links, const struct pex__mapping *at,
                             struct pex__link *link)
{
    struct pex_string_view text = at->text;
    size_t copied = 0;
    int32_t rc;
    do {
        rc = pex__bytes_append(at->out, text.data + copied, link->group[0].start - copied);
        if (!rc)
            rc = append_replacement(at->out, &links->repl, text, link);
        copied = link->group[0].end;
    } while (!rc && pex__link_find(links->mapper.kernel, text, copied, link));
    return rc ? rc : pex__bytes_append(at->out, text.data + copied, text.length - copied);
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct link_mapper *links = (const struct link_mapper *)(const void *)mapper;
    struct pex__link link;
    if (!pex__link_find(mapper->kernel, at->text, 0, &link))
        return 0;
    if (links->repl.error[0]) {
        char message[300];
        snprintf(message, sizeof(message), "parameter 'repl': %s", links->repl.error);
        return pex__map_fail(at, PEX_EINVAL, message);
    }
    int32_t rc = replace_links(links, at, &link);
    return rc ? rc : pex__map_set(at, at->out->data, at->out->length);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
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
