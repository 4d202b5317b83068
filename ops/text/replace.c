/* SPDX-License-Identifier: Apache-2.0 */
#include "replace.h"

#include <stdio.h>
#include <string.h>

struct pex_string_view pex__pattern_unwrap(struct pex_string_view source)
{
    size_t length = source.length;
    if (length < 3 || source.data[0] != 'r' || (source.data[1] != '\'' && source.data[1] != '"') ||
        source.data[length - 1] != source.data[1])
        return source;
    return (struct pex_string_view){source.data + 2, length - 3};
}

int32_t pex__replacer_compile(struct pex__pattern **made, struct pex_string_view source,
                              const char *name, struct pex_error *err)
{
    char reason[300];
    int32_t rc = pex__pattern_create(made, pex__pattern_unwrap(source), PEX__PYTHON_REGEX,
                                     PEX__PYTHON_DOTALL, reason);
    return rc ? pex_error_set(err, rc, "parameter %s: %s", name, reason) : 0;
}

static size_t group_count(const struct pex__replacer *replacer)
{
    return replacer->pattern ? pex__pattern_groups(replacer->pattern)
                             : replacer->scanner->group_count;
}

int32_t pex__replacer_template(struct pex__replacer *replacer, struct pex_string_view repl,
                               pex_env *env, struct pex_error *err)
{
    const struct pex__group_names *names =
        replacer->pattern ? pex__pattern_names(replacer->pattern) : NULL;
    if (pex__template_parse(&replacer->repl, repl, group_count(replacer), names))
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter repl");
    if (replacer->repl.error[0]) {
        char message[300];
        snprintf(message, sizeof(message), "parameter 'repl': %s; rows with a match will fail",
                 replacer->repl.error);
        pex_env_log(env, PEX_LOG_WARNING, message);
    }
    return 0;
}

void pex__replacer_release(struct pex__replacer *replacer)
{
    pex__pattern_free(replacer->pattern);
    pex__template_free(&replacer->repl);
}

int32_t pex__replacer_session(const struct pex__replacer *replacer, struct pex__session **session)
{
    if (!replacer->pattern)
        return 0;
    *session = pex__session_create(replacer->pattern);
    return *session ? 0 : PEX_ENOMEM;
}

static int32_t append_replacement(struct pex__bytes *out, const struct pex__template *repl,
                                  struct pex_string_view text, const struct pex__span *groups)
{
    int32_t rc = 0;
    for (size_t i = 0; !rc && i < repl->part_count; i++) {
        const struct pex__template_part *part = &repl->part[i];
        rc = pex__bytes_append(out, repl->literal + part->start, part->length);
        if (rc || part->group == SIZE_MAX)
            continue;
        struct pex__span span = groups[part->group];
        if (span.end > span.start)
            rc = pex__bytes_append(out, text.data + span.start, span.end - span.start);
    }
    return rc;
}

/* The search through one text. */
struct search {
    const struct pex__replacer *replacer;
    struct pex__session *session;
    const struct pex__kernel *kernel;
    struct pex_string_view text;
    struct pex__span scanned[PEX__SCAN_GROUPS_MAX];
    const struct pex__span *groups; /* of the match */
};

static int32_t next_match(struct search *search, size_t from)
{
    if (search->session)
        return pex__session_next(search->session, &search->groups);
    search->groups = search->scanned;
    return search->replacer->scanner->next(search->kernel, search->text, from, search->scanned);
}

int32_t pex__replace(const struct pex__replacer *replacer, struct pex__session *session,
                     const struct pex__kernel *kernel, struct pex_string_view text,
                     struct pex__bytes *out)
{
    struct search search = {
        .replacer = replacer, .session = session, .kernel = kernel, .text = text};
    size_t copied = 0;
    if (session)
        pex__session_text(session, text);
    int32_t rc = next_match(&search, 0);
    if (rc <= 0)
        return rc;
    if (replacer->repl.error[0])
        return PEX_EINVAL;
    while (rc == 1) {
        struct pex__span match = search.groups[0];
        if (pex__bytes_append(out, text.data + copied, match.start - copied) ||
            append_replacement(out, &replacer->repl, text, search.groups))
            return PEX_ENOMEM;
        copied = match.end;
        rc = next_match(&search, copied);
    }
    if (rc < 0)
        return rc;
    return pex__bytes_append(out, text.data + copied, text.length - copied) ? PEX_ENOMEM : 1;
}

int32_t pex__replace_fail(const struct pex__replacer *replacer, const struct pex__mapping *at,
                          int32_t code)
{
    char message[300];
    if (code == PEX_ENOMEM)
        return code;
    if (code == PEX_EINVAL)
        snprintf(message, sizeof(message), "parameter 'repl': %s", replacer->repl.error);
    else
        snprintf(message, sizeof(message), "parameter 'pattern': %s", pex__session_reason(code));
    return pex__map_fail(at, code, message);
}
