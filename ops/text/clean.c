/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"

#include <stdlib.h>

struct clean_mapper {
    struct pex__mapper mapper;
    struct pex__replacer replacer;
};

void pex__clean_destroy(void *instance)
{
    struct clean_mapper *clean = instance;
    pex__mapper_release(&clean->mapper);
    pex__replacer_release(&clean->replacer);
    free(clean);
}

/* *made stays NULL where the parameter is null. */
static int32_t compile(struct pex__pattern **made, const pex_params *params, struct pex_error *err)
{
    struct pex_string_view source;
    if (pex_params_is_null(params, "pattern") == 1)
        return 0;
    int32_t rc = pex_params_string(params, "pattern", &source);
    if (rc)
        return pex_error_set(err, rc, "parameter 'pattern' cannot be read");
    return pex__replacer_compile(made, source, "'pattern'", err);
}

static int32_t init(struct clean_mapper *clean, pex_env *env, const pex_params *params,
                    struct pex_error *err)
{
    struct pex_string_view repl;
    int32_t rc = pex_params_string(params, "repl", &repl);
    if (rc)
        return pex_error_set(err, rc, "parameter 'repl' cannot be read");
    rc = pex__mapper_init(&clean->mapper, params, err);
    if (!rc)
        rc = compile(&clean->replacer.pattern, params, err);
    return rc ? rc : pex__replacer_template(&clean->replacer, repl, env, err);
}

int32_t pex__clean_create(const struct pex__scanner *scanner, pex_env *env,
                          const pex_params *params, void **instance, struct pex_error *err)
{
    struct clean_mapper *clean = calloc(1, sizeof(*clean));
    if (!clean)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    clean->replacer.scanner = scanner;
    int32_t rc = init(clean, env, params, err);
    if (rc)
        pex__clean_destroy(clean);
    else
        *instance = clean;
    return rc;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct clean_mapper *clean = (const struct clean_mapper *)(const void *)mapper;
    int32_t rc = pex__replace(&clean->replacer, at->state, mapper->kernel, at->text, at->out);
    if (rc < 0)
        return pex__replace_fail(&clean->replacer, at, rc);
    return rc ? pex__map_set(at, at->out->data, at->out->length) : 0;
}

int32_t pex__clean_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct clean_mapper *clean = instance;
    struct pex__session *session = NULL;
    if (pex__replacer_session(&clean->replacer, &session))
        return pex_error_set(err, PEX_ENOMEM, "out of memory to match parameter 'pattern'");
    int32_t rc = pex__map_rows_with(&clean->mapper, batch, map, session);
    pex__session_free(session);
    return rc;
}

int32_t pex__clean_check(const pex_params *params, struct pex_error *err)
{
    struct pex__pattern *pattern = NULL;
    int32_t rc = compile(&pattern, params, err);
    pex__pattern_free(pattern);
    return rc;
}
