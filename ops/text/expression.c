/* SPDX-License-Identifier: Apache-2.0 */
#include "expression.h"

#include "token.h"

#include <partexec/plugin.h>

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 200 /* as deep as Python nests brackets */

static const char not_understood[] =
    "only names, attributes, literals, lists, tuples, sets, and, or, not, + and - in front, "
    "comparisons, in and not in are understood";

struct parsing {
    struct pex__tokens tokens;
    struct pex__expression *expression;
    struct pex_string_view *name; /* as expression->name; grows with name_room */
    size_t name_room;
    size_t depth;
};

/* Parts that are being gathered. */
struct parts {
    struct pex__node **item;
    uint8_t *compare;
    size_t count;
    size_t room;
};

static int32_t parse_or(struct parsing *p, struct pex__node **node);
static int32_t parse_unary(struct parsing *p, struct pex__node **node);

static int32_t fail(struct parsing *p, const char *fault)
{
    p->tokens.fault = fault;
    return PEX_EINVAL;
}

static struct pex__node *new_node(struct parsing *p, int32_t kind)
{
    struct pex__node *node = pex__scratch_alloc(&p->expression->scratch, sizeof(*node));
    if (node)
        *node = (struct pex__node){.kind = kind};
    return node;
}

/* Adds a part, with the comparison that stands behind it. */
static int32_t add_part(struct parsing *p, struct parts *parts, struct pex__node *node,
                        uint8_t compare)
{
    if (parts->count == parts->room) {
        struct parts more = {.count = parts->count, .room = 2 * parts->room + 4};
        more.item = pex__scratch_alloc(&p->expression->scratch, more.room * sizeof(*more.item));
        more.compare = pex__scratch_alloc(&p->expression->scratch, more.room);
        if (!more.item || !more.compare)
            return PEX_ENOMEM;
        if (parts->count) {
            memcpy(more.item, parts->item, parts->count * sizeof(*more.item));
            memcpy(more.compare, parts->compare, parts->count);
        }
        *parts = more;
    }
    parts->item[parts->count] = node;
    parts->compare[parts->count++] = compare;
    return 0;
}

static int32_t make_node(struct parsing *p, int32_t kind, const struct parts *parts,
                         struct pex__node **node)
{
    *node = new_node(p, kind);
    if (!*node)
        return PEX_ENOMEM;
    (*node)->part = parts->item;
    (*node)->compare = parts->compare;
    (*node)->count = parts->count;
    return 0;
}

static bool is_keyword(const struct pex__tokens *tokens)
{
    static const char *const words[] = {
        "and",    "as",   "assert", "async",  "await",  "break",   "class",    "continue",
        "def",    "del",  "elif",   "else",   "except", "finally", "for",      "from",
        "global", "if",   "import", "in",     "is",     "lambda",  "nonlocal", "not",
        "or",     "pass", "raise",  "return", "try",    "while",   "with",     "yield"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (pex__token_is(tokens, words[i]))
            return true;
    return false;
}

static bool is_constant(const struct pex__tokens *tokens)
{
    return pex__token_is(tokens, "True") || pex__token_is(tokens, "False") ||
           pex__token_is(tokens, "None");
}

/* The index of a name in the expression's list, where it stands once. */
static int32_t find_name(struct parsing *p, struct pex_string_view name, size_t *index)
{
    struct pex__expression *expression = p->expression;
    for (*index = 0; *index < expression->name_count; (*index)++)
        if (!pex__text_compare(p->name[*index], name))
            return 0;
    if (expression->name_count == p->name_room) {
        size_t room = 2 * p->name_room + 4;
        struct pex_string_view *more =
            pex__scratch_alloc(&expression->scratch, room * sizeof(*more));
        if (!more)
            return PEX_ENOMEM;
        if (p->name_room)
            memcpy(more, p->name, p->name_room * sizeof(*more));
        expression->name = p->name = more;
        p->name_room = room;
    }
    p->name[expression->name_count++] = name;
    return 0;
}

static int32_t parse_name(struct parsing *p, struct pex__node **node)
{
    bool is_true = pex__token_is(&p->tokens, "True");
    if (is_keyword(&p->tokens))
        return fail(p, not_understood);
    *node = new_node(p, PEX__NODE_LITERAL);
    if (!*node)
        return PEX_ENOMEM;
    if (is_true || pex__token_is(&p->tokens, "False")) {
        (*node)->value = pex__value_bool(is_true);
    } else if (!is_constant(&p->tokens)) {
        (*node)->kind = PEX__NODE_NAME;
        int32_t rc = find_name(p, p->tokens.token.text, &(*node)->index);
        if (rc)
            return rc;
    }
    return pex__tokens_next(&p->tokens);
}

/* A list, tuple or set of literals is made here, once, and not for every row. */
static int32_t fold(struct parsing *p, struct pex__node *node)
{
    struct pex__scratch *scratch = &p->expression->scratch;
    const char *fault;
    for (size_t i = 0; i < node->count; i++)
        if (node->part[i]->kind != PEX__NODE_LITERAL)
            return 0;
    struct pex__value *items = pex__scratch_alloc(scratch, (node->count + 1) * sizeof(*items));
    if (!items)
        return PEX_ENOMEM;
    for (size_t i = 0; i < node->count; i++)
        items[i] = node->part[i]->value;
    struct pex__value value;
    int32_t rc =
        pex__expression_build(scratch, node->value.type, items, node->count, &value, &fault);
    if (rc)
        return rc == PEX_EDATA ? 0 : rc; /* fails when it is evaluated */
    *node = (struct pex__node){.kind = PEX__NODE_LITERAL, .value = value};
    return 0;
}

/* What stands between brackets, of which the first was read. */
static int32_t parse_items(struct parsing *p, const char *close, int32_t type,
                           struct pex__node **node)
{
    struct parts parts = {0};
    bool has_comma = false;
    int32_t rc;
    while (!pex__token_is(&p->tokens, close)) {
        struct pex__node *item;
        if ((rc = parse_or(p, &item)) || (rc = add_part(p, &parts, item, 0)))
            return rc;
        if (pex__token_is(&p->tokens, close))
            break;
        if (!pex__token_is(&p->tokens, ","))
            return fail(p, p->tokens.token.kind == PEX__TOKEN_END ? "a bracket is not closed"
                                                                  : not_understood);
        has_comma = true;
        if ((rc = pex__tokens_next(&p->tokens)))
            return rc;
    }
    if (type == PEX__SET && parts.count == 0)
        return fail(p, "{} is an object, and objects are not understood");
    if ((rc = pex__tokens_next(&p->tokens)))
        return rc;
    if (type == PEX__TUPLE && parts.count == 1 && !has_comma) {
        *node = parts.item[0];
        return 0;
    }
    if ((rc = make_node(p, PEX__NODE_BUILD, &parts, node)))
        return rc;
    (*node)->value.type = type;
    return fold(p, *node);
}

static int32_t parse_atom(struct parsing *p, struct pex__node **node)
{
    static const char *const open[] = {"(", "[", "{"}, *const close[] = {")", "]", "}"};
    static const int32_t types[] = {PEX__TUPLE, PEX__LIST, PEX__SET};
    int32_t rc;
    if (p->tokens.token.kind == PEX__TOKEN_NAME)
        return parse_name(p, node);
    if (p->tokens.token.kind == PEX__TOKEN_LITERAL) {
        *node = new_node(p, PEX__NODE_LITERAL);
        if (!*node)
            return PEX_ENOMEM;
        (*node)->value = p->tokens.token.value;
        return pex__tokens_next(&p->tokens);
    }
    for (size_t i = 0; i < 3; i++)
        if (pex__token_is(&p->tokens, open[i])) {
            rc = pex__tokens_next(&p->tokens);
            return rc ? rc : parse_items(p, close[i], types[i], node);
        }
    return fail(p, p->tokens.token.kind == PEX__TOKEN_END ? "the condition ends too early"
                                                          : not_understood);
}

static int32_t parse_primary(struct parsing *p, struct pex__node **node)
{
    int32_t rc = parse_atom(p, node);
    while (!rc && pex__token_is(&p->tokens, ".")) {
        struct parts parts = {0};
        struct pex__node *outer;
        if ((rc = pex__tokens_next(&p->tokens)))
            break;
        if (p->tokens.token.kind != PEX__TOKEN_NAME || is_keyword(&p->tokens) ||
            is_constant(&p->tokens))
            return fail(p, "the name of an attribute is missing behind a point");
        if ((rc = add_part(p, &parts, *node, 0)) ||
            (rc = make_node(p, PEX__NODE_ATTRIBUTE, &parts, &outer)))
            break;
        outer->name = p->tokens.token.text;
        *node = outer;
        rc = pex__tokens_next(&p->tokens);
    }
    return rc;
}

/* The operand behind an operator in front. */
static int32_t parse_operand(struct parsing *p, int32_t kind,
                             int32_t (*parse)(struct parsing *, struct pex__node **),
                             struct pex__node **node)
{
    struct parts parts = {0};
    struct pex__node *operand;
    if (++p->depth > DEPTH_MAX)
        return fail(p, "the condition is nested more than 200 deep");
    int32_t rc = pex__tokens_next(&p->tokens);
    if (!rc)
        rc = parse(p, &operand);
    if (!rc)
        rc = add_part(p, &parts, operand, 0);
    p->depth--;
    return rc ? rc : make_node(p, kind, &parts, node);
}

static int32_t parse_unary(struct parsing *p, struct pex__node **node)
{
    if (pex__token_is(&p->tokens, "-"))
        return parse_operand(p, PEX__NODE_MINUS, parse_unary, node);
    if (pex__token_is(&p->tokens, "+"))
        return parse_operand(p, PEX__NODE_PLUS, parse_unary, node);
    return parse_primary(p, node);
}

/* The comparison at the present token, and past it; *compare is PEX__IS_NOT + 1 if there is none.
 */
static int32_t parse_comparison_sign(struct parsing *p, uint8_t *compare)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not", "is"};
    static const uint8_t meanings[] = {PEX__EQ, PEX__NE, PEX__LT,     PEX__LE, PEX__GT,
                                       PEX__GE, PEX__IN, PEX__NOT_IN, PEX__IS};
    size_t i = 0, count = sizeof(signs) / sizeof(signs[0]);
    while (i < count && !pex__token_is(&p->tokens, signs[i]))
        i++;
    *compare = i < count ? meanings[i] : PEX__IS_NOT + 1;
    int32_t rc = i < count ? pex__tokens_next(&p->tokens) : 0;
    if (rc)
        return rc;
    if (*compare == PEX__NOT_IN) {
        if (!pex__token_is(&p->tokens, "in"))
            return fail(p, "behind a value, not belongs before in");
        return pex__tokens_next(&p->tokens);
    }
    if (*compare == PEX__IS && pex__token_is(&p->tokens, "not")) {
        *compare = PEX__IS_NOT;
        return pex__tokens_next(&p->tokens);
    }
    return 0;
}

static int32_t parse_comparison(struct parsing *p, struct pex__node **node)
{
    struct parts parts = {0};
    uint8_t compare;
    for (;;) {
        int32_t rc = parse_unary(p, node);
        if (!rc)
            rc = parse_comparison_sign(p, &compare);
        if (rc)
            return rc;
        bool is_last = compare > PEX__IS_NOT;
        if (is_last && parts.count == 0)
            return 0;
        if ((rc = add_part(p, &parts, *node, compare)))
            return rc;
        if (is_last)
            return make_node(p, PEX__NODE_COMPARE, &parts, node);
    }
}

static int32_t parse_not(struct parsing *p, struct pex__node **node)
{
    if (pex__token_is(&p->tokens, "not"))
        return parse_operand(p, PEX__NODE_NOT, parse_not, node);
    return parse_comparison(p, node);
}

/* Operands with a word between them. */
static int32_t parse_chain(struct parsing *p, const char *word, int32_t kind,
                           int32_t (*parse)(struct parsing *, struct pex__node **),
                           struct pex__node **node)
{
    struct parts parts = {0};
    int32_t rc = parse(p, node);
    if (rc || !pex__token_is(&p->tokens, word))
        return rc;
    rc = add_part(p, &parts, *node, 0);
    while (!rc && pex__token_is(&p->tokens, word)) {
        if ((rc = pex__tokens_next(&p->tokens)) || (rc = parse(p, node)))
            break;
        rc = add_part(p, &parts, *node, 0);
    }
    return rc ? rc : make_node(p, kind, &parts, node);
}

static int32_t parse_and(struct parsing *p, struct pex__node **node)
{
    return parse_chain(p, "and", PEX__NODE_AND, parse_not, node);
}

static int32_t parse_or(struct parsing *p, struct pex__node **node)
{
    if (++p->depth > DEPTH_MAX)
        return fail(p, "the condition is nested more than 200 deep");
    int32_t rc = parse_chain(p, "or", PEX__NODE_OR, parse_and, node);
    p->depth--;
    return rc;
}

/* A tuple at the top needs no brackets. */
static int32_t parse_top(struct parsing *p, struct pex__node **node)
{
    struct parts parts = {0};
    int32_t rc = parse_or(p, node);
    if (rc || !pex__token_is(&p->tokens, ","))
        return rc;
    rc = add_part(p, &parts, *node, 0);
    while (!rc && pex__token_is(&p->tokens, ",")) {
        if ((rc = pex__tokens_next(&p->tokens)) || p->tokens.token.kind == PEX__TOKEN_END)
            break;
        if (!(rc = parse_or(p, node)))
            rc = add_part(p, &parts, *node, 0);
    }
    if (!rc)
        rc = make_node(p, PEX__NODE_BUILD, &parts, node);
    if (!rc)
        (*node)->value.type = PEX__TUPLE;
    return rc ? rc : fold(p, *node);
}

/* Names the place: what was read up to the token at which it went wrong. */
static int32_t explain(const struct parsing *p, struct pex_error *err)
{
    const struct pex__tokens *tokens = &p->tokens;
    size_t at = tokens->token.text.data ? (size_t)(tokens->token.text.data - tokens->source.data)
                                        : tokens->at;
    size_t length = tokens->source.length - at < 40 ? tokens->source.length - at : 40;
    while (length > 0 && at + length < tokens->source.length &&
           ((unsigned char)tokens->source.data[at + length] & 0xC0) == 0x80)
        length--;
    return pex_error_set(err, PEX_EINVAL, "parameter 'filter_condition': at byte %zu, '%.*s': %s",
                         at, (int)length, tokens->source.data + at, tokens->fault);
}

int32_t pex__expression_parse(struct pex__expression *expression, struct pex_string_view source,
                              struct pex_error *err)
{
    struct parsing p = {.expression = expression};
    struct pex__node *root;
    *expression = (struct pex__expression){.source = malloc(source.length + 1)};
    if (!expression->source)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter filter_condition");
    if (source.length)
        memcpy(expression->source, source.data, source.length);
    source.data = expression->source;
    int32_t rc = pex__tokens_begin(&p.tokens, &expression->scratch, source);
    if (!rc)
        rc = parse_top(&p, &root);
    if (!rc && p.tokens.token.kind != PEX__TOKEN_END)
        rc = fail(&p, not_understood);
    if (rc == PEX_EINVAL)
        return explain(&p, err);
    if (rc)
        return pex_error_set(err, rc, "out of memory for parameter filter_condition");
    expression->root = root;
    return 0;
}

void pex__expression_free(struct pex__expression *expression)
{
    pex__scratch_free(&expression->scratch);
    free(expression->source);
    *expression = (struct pex__expression){0};
}
