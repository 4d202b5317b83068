/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"
#include "replace.h"

#include <stdio.h>
#include <stdlib.h>

struct content_mapper {
    struct pex__mapper mapper;
    size_t count;
    struct pex__replacer *replacer;
};

/* What one call needs. */
struct content_run {
    struct pex__session **session;
    struct pex__bytes spare;
};

static void destroy(void *instance)
{
    struct content_mapper *content = instance;
    for (size_t i = 0; i < content->count; i++)
        pex__replacer_release(&content->replacer[i]);
    free(content->replacer);
    pex__mapper_destroy(content);
}

static size_t pattern_count(const pex_params *params)
{
    int64_t count =
        pex_params_is_null(params, "pattern") == 1 ? 0 : pex_params_count(params, "pattern");
    return count > 0 ? (size_t)count : 0;
}

/* One template serves all patterns, if it is no list. */
static bool is_list(const pex_params *params, const char *name)
{
    struct pex_string_view json;
    return !pex_params_json(params, name, &json) && json.length && json.data[0] == '[';
}

static int32_t compile(struct pex__pattern **made, const pex_params *params, size_t index,
                       struct pex_error *err)
{
    struct pex_string_view source;
    char name[60] = "'pattern'";
    int32_t rc = pex_params_string_at(params, "pattern", index, &source);
    if (rc)
        return pex_error_set(err, rc, "parameter 'pattern' cannot be read");
    if (is_list(params, "pattern"))
        snprintf(name, sizeof(name), "'pattern', item %zu", index + 1);
    return pex__replacer_compile(made, source, name, err);
}

static int32_t init(struct content_mapper *content, pex_env *env, const pex_params *params,
                    struct pex_error *err)
{
    size_t count = pattern_count(params);
    bool has_list = is_list(params, "repl");
    int32_t rc = pex__mapper_init(&content->mapper, params, err);
    content->replacer = calloc(count + 1, sizeof(*content->replacer));
    if (!rc && !content->replacer)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter pattern");
    for (size_t i = 0; !rc && i < count; i++) {
        struct pex__replacer *replacer = &content->replacer[content->count++];
        struct pex_string_view repl;
        rc = compile(&replacer->pattern, params, i, err);
        if (!rc && pex_params_string_at(params, "repl", has_list ? i : 0, &repl))
            rc = pex_error_set(err, PEX_EINVAL, "parameter 'repl' cannot be read");
        if (!rc)
            rc = pex__replacer_template(replacer, repl, env, err);
    }
    return rc;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct content_mapper *content = calloc(1, sizeof(*content));
    if (!content)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(content, env, params, err);
    if (rc)
        destroy(content);
    else
        *instance = content;
    return rc;
}

/* Each pattern reads what the one before wrote, so two buffers take turns. */
static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct content_mapper *content = (const struct content_mapper *)(const void *)mapper;
    struct content_run *run = at->state;
    struct pex__bytes *out = at->out;
    struct pex_string_view text = at->text;
    for (size_t i = 0; i < content->count; i++) {
        const struct pex__replacer *replacer = &content->replacer[i];
        out->length = 0;
        int32_t rc = pex__replace(replacer, run->session[i], mapper->kernel, text, out);
        if (rc < 0)
            return pex__replace_fail(replacer, at, rc);
        if (!rc)
            continue;
        text = (struct pex_string_view){out->length ? out->data : "", out->length};
        out = out == at->out ? &run->spare : at->out;
    }
    return text.data == at->text.data ? 0 : pex__map_set(at, text.data, text.length);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct content_mapper *content = instance;
    struct content_run run = {.session = calloc(content->count + 1, sizeof(*run.session))};
    int32_t rc = run.session ? 0 : PEX_ENOMEM;
    for (size_t i = 0; !rc && i < content->count; i++)
        rc = pex__replacer_session(&content->replacer[i], &run.session[i]);
    if (!rc)
        rc = pex__map_rows_with(&content->mapper, batch, map, &run);
    for (size_t i = 0; run.session && i < content->count; i++)
        pex__session_free(run.session[i]);
    free(run.session);
    pex__bytes_free(&run.spare);
    return rc;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    size_t count = pattern_count(params);
    int64_t repls = pex_params_count(params, "repl");
    int32_t rc = 0;
    if (is_list(params, "repl") && repls >= 0 && (size_t)repls < count)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter 'repl' has %lld items for %zu patterns; give one for each, "
                             "or one text for all",
                             (long long)repls, count);
    for (size_t i = 0; !rc && i < count; i++) {
        struct pex__pattern *pattern = NULL;
        rc = compile(&pattern, params, i, err);
        pex__pattern_free(pattern);
    }
    return rc;
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "pattern",
     .default_json = "null",
     .help = "A pattern in Python's syntax, or several that take turns; null: none.",
     .type = PEX_PARAM_STRINGS,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "repl",
     .default_json = "\"\"",
     .help = "What replaces a match, with \\1 or \\g<name> for what was found; a list has one for "
             "each pattern.",
     .type = PEX_PARAM_STRINGS},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__replace_content_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "replace_content_mapper",
    .version = "1",
    .help = "Replaces what patterns find in the text.",
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
