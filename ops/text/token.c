/* SPDX-License-Identifier: Apache-2.0 */
#include "token.h"

#include "literal.h"
#include "unicode.h"

#include <string.h>

static char byte_at(const struct pex__tokens *tokens, size_t at)
{
    return at < tokens->source.length ? tokens->source.data[at] : 0;
}

static int32_t fail(struct pex__tokens *tokens, const char *fault)
{
    tokens->fault = fault;
    return PEX_EINVAL;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static void skip_line(struct pex__tokens *tokens)
{
    while (tokens->at < tokens->source.length && !is_line_end(tokens->source.data[tokens->at]))
        tokens->at++;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

/* Past blanks, comments, and line ends that do not end the expression. */
static int32_t skip_blanks(struct pex__tokens *tokens)
{
    bool is_ended = false;
    for (;; tokens->at++) {
        char c = byte_at(tokens, tokens->at);
        if (c == '#')
            skip_line(tokens);
        if (is_blank(c))
            continue;
        c = byte_at(tokens, tokens->at);
        if (c == '\\' && tokens->at > 0 && byte_at(tokens, tokens->at + 1) == '\n')
            tokens->at++;
        else if (is_line_end(c))
            is_ended |= tokens->depth == 0;
        else
            break;
    }
    tokens->token.text = (struct pex_string_view){tokens->source.data + tokens->at, 0};
    if (is_ended && tokens->at < tokens->source.length)
        return fail(tokens, "the line before is no condition of its own; put brackets around what "
                            "takes more than one line");
    return 0;
}

static bool is_name_start(const char *text)
{
    size_t size;
    unsigned char c = (unsigned char)*text;
    if (c < 0x80)
        return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return (pex__unicode_class(pex__decode(text, &size)) & PEX__WORD) != 0;
}

static size_t name_length(const struct pex__tokens *tokens)
{
    size_t at = tokens->at, size;
    while (at < tokens->source.length) {
        const char *text = tokens->source.data + at;
        if (!is_name_start(text) && !(*text >= '0' && *text <= '9'))
            break;
        pex__decode(text, &size);
        at += size;
    }
    return at - tokens->at;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* Strings beside each other are one. */
static int32_t join_string(struct pex__tokens *tokens, const struct pex__value *first)
{
    struct pex_string_view a = first->as.text, b = tokens->token.value.as.text;
    char *joined = pex__scratch_alloc(tokens->scratch, a.length + b.length);
    if (!joined)
        return PEX_ENOMEM;
    memcpy(joined, a.data, a.length);
    memcpy(joined + a.length, b.data, b.length);
    tokens->token.value.as.text = (struct pex_string_view){joined, a.length + b.length};
    return 0;
}

/* The length of a string's prefix at `at`, or 3 if no string is there. */
static size_t prefix_length(const struct pex__tokens *tokens)
{
    for (size_t i = 0; i < 3; i++) {
        char c = byte_at(tokens, tokens->at + i);
        if (is_quote(c))
            return i;
        if (!c || !strchr("rRuUbBfF", c))
            break;
    }
    return 3;
}

static int32_t read_strings(struct pex__tokens *tokens)
{
    struct pex__value before = {0};
    size_t prefix;
    tokens->token.kind = PEX__TOKEN_LITERAL;
    for (size_t count = 0; (prefix = prefix_length(tokens)) < 3; count++) {
        int32_t rc = pex__literal_string(tokens->scratch, tokens->source, &tokens->at, prefix,
                                         &tokens->token.value, &tokens->fault);
        if (!rc && count)
            rc = join_string(tokens, &before);
        if (!rc)
            rc = skip_blanks(tokens);
        if (rc)
            return rc;
        before = tokens->token.value;
    }
    return 0;
}

static int32_t read_sign(struct pex__tokens *tokens)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "**", "//", "<<", ">>", ":=", "->"};
    char c = byte_at(tokens, tokens->at), next = byte_at(tokens, tokens->at + 1);
    size_t length = 1;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (c == pairs[i][0] && next == pairs[i][1])
            length = 2;
    if (strchr("([{", c))
        tokens->depth++;
    else if (strchr(")]}", c) && tokens->depth > 0)
        tokens->depth--;
    tokens->token.kind = PEX__TOKEN_SIGN;
    tokens->at += length;
    return 0;
}

int32_t pex__tokens_next(struct pex__tokens *tokens)
{
    int32_t rc = skip_blanks(tokens);
    if (rc)
        return rc;
    size_t start = tokens->at;
    char c = byte_at(tokens, start), next = byte_at(tokens, start + 1);
    if (start == tokens->source.length) {
        tokens->token.kind = PEX__TOKEN_END;
    } else if (c == 0) {
        rc = fail(tokens, "a NUL character belongs to no condition");
    } else if (prefix_length(tokens) < 3) {
        rc = read_strings(tokens);
    } else if (is_name_start(tokens->source.data + start)) {
        tokens->token.kind = PEX__TOKEN_NAME;
        tokens->at += name_length(tokens);
    } else if ((c >= '0' && c <= '9') || (c == '.' && next >= '0' && next <= '9')) {
        tokens->token.kind = PEX__TOKEN_LITERAL;
        rc = pex__literal_number(tokens->scratch, tokens->source, &tokens->at, &tokens->token.value,
                                 &tokens->fault);
    } else {
        rc = read_sign(tokens);
    }
    tokens->token.text = (struct pex_string_view){tokens->source.data + start, tokens->at - start};
    return rc;
}

/* Lines in front that are empty do no harm; an expression that is indented is none. */
int32_t pex__tokens_begin(struct pex__tokens *tokens, struct pex__scratch *scratch,
                          struct pex_string_view source)
{
    *tokens = (struct pex__tokens){.scratch = scratch, .source = source};
    for (;;) {
        size_t line = tokens->at;
        while (is_blank(byte_at(tokens, tokens->at)))
            tokens->at++;
        if (byte_at(tokens, tokens->at) == '#')
            skip_line(tokens);
        if (is_line_end(byte_at(tokens, tokens->at)))
            tokens->at++;
        else if (tokens->at > line && tokens->at < source.length)
            return fail(tokens, "a blank is in front of the condition; leave it out");
        else
            return pex__tokens_next(tokens);
    }
}

bool pex__token_is(const struct pex__tokens *tokens, const char *text)
{
    const struct pex__token *token = &tokens->token;
    return (token->kind == PEX__TOKEN_NAME || token->kind == PEX__TOKEN_SIGN) &&
           token->text.length == strlen(text) &&
           !memcmp(token->text.data, text, token->text.length);
}
