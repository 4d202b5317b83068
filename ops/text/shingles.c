/* SPDX-License-Identifier: Apache-2.0 */
#include "shingles.h"

#include "normal.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

static int32_t compile(struct pex__pattern **made, const pex_params *params, struct pex_error *err)
{
    struct pex_string_view source;
    char reason[300];
    if (pex_params_is_null(params, "ignore_pattern") == 1)
        return 0;
    int32_t rc = pex_params_string(params, "ignore_pattern", &source);
    if (rc)
        return pex_error_set(err, rc, "parameter 'ignore_pattern' cannot be read");
    if (source.length == 0)
        return 0;
    rc = pex__pattern_create(made, source, PEX__PYTHON_REGEX, 0, reason);
    return rc ? pex_error_set(err, rc, "parameter 'ignore_pattern': %s", reason) : 0;
}

int32_t pex__shingling_check(const pex_params *params, struct pex_error *err)
{
    struct pex__pattern *pattern = NULL;
    int32_t rc = compile(&pattern, params, err);
    pex__pattern_free(pattern);
    return rc;
}

int32_t pex__shingling_init(struct pex__shingling *shingling, const pex_params *params,
                            struct pex_error *err)
{
    struct pex_string_view tokenization;
    int64_t window;
    int32_t lowercase, rc;
    *shingling = (struct pex__shingling){0};
    if ((rc = pex_params_string(params, "tokenization", &tokenization)) ||
        (rc = pex_params_int64(params, "window_size", &window)) ||
        (rc = pex_params_bool(params, "lowercase", &lowercase)))
        return pex_error_set(err, rc, "the parameters cannot be read");
    shingling->tokenization = tokenization.data[0] == 's'   ? PEX__BY_SPACE
                              : tokenization.data[0] == 'c' ? PEX__BY_CHARACTER
                                                            : PEX__BY_PUNCTUATION;
    shingling->window = (size_t)window;
    shingling->lowercase = lowercase;
    return compile(&shingling->ignored, params, err);
}

void pex__shingling_release(struct pex__shingling *shingling)
{
    pex__pattern_free(shingling->ignored);
}

int32_t pex__shingles_init(struct pex__shingles *shingles, const struct pex__shingling *shingling)
{
    *shingles = (struct pex__shingles){.shingling = shingling};
    if (!shingling->ignored)
        return 0;
    shingles->session = pex__session_create(shingling->ignored);
    return shingles->session ? 0 : PEX_ENOMEM;
}

void pex__shingles_free(struct pex__shingles *shingles)
{
    pex__session_free(shingles->session);
    pex__bytes_free(&shingles->lower);
    pex__bytes_free(&shingles->rest);
    pex__bytes_free(&shingles->joined);
    free(shingles->token);
}

static int32_t add_token(struct pex__shingles *shingles, size_t start, size_t end)
{
    if (shingles->token_count == shingles->token_room) {
        size_t room = 2 * shingles->token_room + 256;
        struct pex__span *grown = realloc(shingles->token, room * sizeof(*grown));
        if (!grown)
            return PEX_ENOMEM;
        shingles->token = grown;
        shingles->token_room = room;
    }
    shingles->token[shingles->token_count++] = (struct pex__span){start, end};
    return 0;
}

/* A character is a code point; shingles lie side by side in the text itself. */
static int32_t take_characters(struct pex__shingles *shingles, struct pex_string_view text)
{
    int32_t rc = 0;
    shingles->text = text.data;
    for (size_t at = 0, end; !rc && at < text.length; at = end) {
        end = at + 1;
        while (end < text.length && pex__is_continuation(text.data[end]))
            end++;
        rc = add_token(shingles, at, end);
    }
    return rc;
}

/* One more token, behind a blank. */
static int32_t join_token(struct pex__shingles *shingles, const char *data, size_t length)
{
    struct pex__bytes *joined = &shingles->joined;
    if (shingles->token_count > 0 && pex__bytes_append(joined, " ", 1))
        return PEX_ENOMEM;
    size_t start = joined->length;
    if (pex__bytes_append(joined, data, length))
        return PEX_ENOMEM;
    return add_token(shingles, start, joined->length);
}

static int32_t take_words(struct pex__shingles *shingles, struct pex_string_view text)
{
    const char *at = text.data, *end = text.data + text.length;
    int32_t rc = 0;
    while (!rc && at < end) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        const char *stop = blank ? blank : end;
        if (stop > at)
            rc = join_token(shingles, at, (size_t)(stop - at));
        at = stop + 1;
    }
    return rc;
}

/* Here, empty tokens count. */
static int32_t take_between_punctuation(struct pex__shingles *shingles, struct pex_string_view text)
{
    size_t start = 0, size;
    for (size_t at = 0; at < text.length; at += size) {
        if (!(pex__unicode_class(pex__decode(text.data + at, &size)) & PEX__PUNCTUATION))
            continue;
        if (join_token(shingles, text.data + start, at - start))
            return PEX_ENOMEM;
        start = at + size;
    }
    return join_token(shingles, text.data + start, text.length - start);
}

/* Never NULL, which no offset may be added to. */
static struct pex_string_view view_of(const struct pex__bytes *bytes)
{
    return (struct pex_string_view){bytes->data ? bytes->data : "", bytes->length};
}

/* The text without what is ignored. */
static int32_t leave_out(struct pex__shingles *shingles, struct pex_string_view *text)
{
    const struct pex__span *match;
    size_t copied = 0;
    int32_t rc;
    shingles->rest.length = 0;
    pex__session_text(shingles->session, *text);
    while ((rc = pex__session_next(shingles->session, &match)) == 1) {
        if (pex__bytes_append(&shingles->rest, text->data + copied, match[0].start - copied))
            return PEX_ENOMEM;
        copied = match[0].end;
    }
    if (rc || pex__bytes_append(&shingles->rest, text->data + copied, text->length - copied))
        return rc ? rc : PEX_ENOMEM;
    *text = view_of(&shingles->rest);
    return 0;
}

int32_t pex__shingles_make(struct pex__shingles *shingles, struct pex_string_view text)
{
    const struct pex__shingling *shingling = shingles->shingling;
    int32_t rc = 0;
    shingles->token_count = shingles->joined.length = 0;
    if (text.length == 0)
        text.data = "";
    if (shingling->lowercase) {
        shingles->lower.length = 0;
        rc = pex__lower_append(&shingles->lower, text);
        text = view_of(&shingles->lower);
    }
    if (!rc && shingling->ignored)
        rc = leave_out(shingles, &text);
    if (rc)
        return rc;
    rc = shingling->tokenization == PEX__BY_CHARACTER ? take_characters(shingles, text)
         : shingling->tokenization == PEX__BY_SPACE   ? take_words(shingles, text)
                                                      : take_between_punctuation(shingles, text);
    if (shingling->tokenization != PEX__BY_CHARACTER)
        shingles->text = view_of(&shingles->joined).data;
    shingles->count = shingles->token_count >= shingling->window
                          ? shingles->token_count - shingling->window + 1
                          : 0;
    return rc;
}
