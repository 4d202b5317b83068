/* SPDX-License-Identifier: Apache-2.0 */
#include "python.h"
#include "python_parser.h"
#include "unicode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEAT_MAX 65535 /* of PCRE2 */

static size_t points_before(struct pex_string_view source, size_t end)
{
    size_t points = 0;
    for (size_t i = 0; i < end && i < source.length; i++)
        points += !pex__is_continuation(source.data[i]);
    return points;
}

bool pex__parser_fail(struct pex__parser *parser, const char *format, ...)
{
    char *error = parser->made->error;
    size_t room = sizeof(parser->made->error);
    int length =
        snprintf(error, room, "at position %zu: ", points_before(parser->source, parser->token));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error + length, room - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

char pex__peek(const struct pex__parser *parser, size_t ahead)
{
    size_t at = parser->at + ahead;
    return at < parser->source.length ? parser->source.data[at] : 0;
}

bool pex__accept(struct pex__parser *parser, const char *text)
{
    size_t length = strlen(text);
    if (parser->source.length - parser->at < length ||
        memcmp(parser->source.data + parser->at, text, length) != 0)
        return false;
    parser->at += length;
    return true;
}

void pex__emit_bytes(struct pex__parser *parser, const char *data, size_t length)
{
    if (pex__bytes_append(&parser->made->out, data, length))
        parser->lacks_memory = true;
}

void pex__emit(struct pex__parser *parser, const char *text)
{
    pex__emit_bytes(parser, text, strlen(text));
}

static bool is_word_ascii(uint32_t point)
{
    return (point >= '0' && point <= '9') || ((point | 0x20) >= 'a' && (point | 0x20) <= 'z') ||
           point == '_';
}

void pex__emit_point(struct pex__parser *parser, uint32_t point)
{
    char text[16];
    bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < 0x20 || point == 0x7F || is_surrogate) {
        snprintf(text, sizeof(text), "\\x{%x}", point);
        pex__emit(parser, text);
    } else if (point < 0x80 && !is_word_ascii(point)) {
        char escaped[2] = {'\\', (char)point};
        pex__emit_bytes(parser, escaped, 2);
    } else {
        pex__emit_bytes(parser, text, pex__encode(text, point));
    }
}

uint32_t pex__next_point(struct pex__parser *parser)
{
    size_t size;
    uint32_t point = pex__decode(parser->source.data + parser->at, &size);
    parser->at += size;
    return point;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

static bool is_decimal(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int parse_hex(struct pex__parser *parser, char kind, size_t digits, uint32_t *point)
{
    uint32_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = pex__peek(parser, i), letter = c | 0x20;
        if (!is_decimal(c) && !(letter >= 'a' && letter <= 'f')) {
            pex__parser_fail(parser, "\\%c needs %zu hex digits", kind, digits);
            return -1;
        }
        value = value * 16 + (uint32_t)(is_decimal(c) ? c - '0' : letter - 'a' + 10);
    }
    if (value > 0x10FFFF) {
        pex__parser_fail(parser, "\\%c%08x is no code point", kind, value);
        return -1;
    }
    parser->at += digits;
    *point = value;
    return 1;
}

/* \0, \07, \012; three octal digits; in a class any octal digits. Else a group's number: 0. */
static int parse_octal(struct pex__parser *parser, bool is_in_class, uint32_t *point)
{
    size_t digits = 0;
    uint32_t value = 0;
    bool is_long = is_octal(pex__peek(parser, 0)) && is_octal(pex__peek(parser, 1)) &&
                   is_octal(pex__peek(parser, 2));
    if (!is_in_class && !is_long && pex__peek(parser, 0) != '0')
        return 0;
    for (; digits < 3 && is_octal(pex__peek(parser, digits)); digits++)
        value = value * 8 + (uint32_t)(pex__peek(parser, digits) - '0');
    if (!digits || (value > 0377 && parser->dialect == PEX__PYTHON_RE)) {
        pex__parser_fail(parser, digits ? "\\%o is above \\377" : "bad escape", value);
        return -1;
    }
    parser->at += digits;
    *point = value;
    return 1;
}

int pex__parse_character(struct pex__parser *parser, bool is_in_class, uint32_t *point)
{
    static const char letters[] = "afnrtv", values[] = "\a\f\n\r\t\v";
    char c = pex__peek(parser, 0);
    if (parser->at == parser->source.length) {
        pex__parser_fail(parser, "the pattern ends in a lone backslash");
        return -1;
    }
    if (is_decimal(c))
        return parse_octal(parser, is_in_class, point);
    if (!is_word_ascii((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80) {
        *point = pex__next_point(parser);
        return 1;
    }
    const char *letter = strchr(letters, c);
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits) {
        parser->at++;
        return parse_hex(parser, c, digits, point);
    }
    if (c == 'b' && is_in_class)
        *point = '\b';
    else if (letter)
        *point = (unsigned char)values[letter - letters];
    else
        return 0;
    parser->at++;
    return 1;
}

static void emit_literal(struct pex__parser *parser, uint32_t point)
{
    parser->last = PEX__LAST_ITEM;
    if (!pex__has_more_cases(parser, point, point)) {
        pex__emit_point(parser, point);
        return;
    }
    /* The module regex takes these two for one other character each. */
    bool is_exact = parser->dialect == PEX__PYTHON_REGEX && (point == 0x130 || point == 0x131);
    pex__emit(parser, is_exact ? "(?-i:[" : "[");
    pex__emit_point(parser, point);
    pex__emit_more_cases(parser, point, point);
    pex__emit(parser, is_exact ? "])" : "]");
}

/* A look at the character before or after: is it of a word? */
static void emit_look(struct pex__parser *parser, const char *look)
{
    pex__emit(parser, look);
    pex__emit(parser, "[");
    pex__emit_set(parser, PEX__SET_WORD);
    pex__emit(parser, "])");
}

/* PCRE2's own \b has another idea of a word. */
static void emit_boundary(struct pex__parser *parser, char kind)
{
    bool is_start = kind != 'M', is_end = kind != 'm', is_inside = kind == 'B';
    pex__emit(parser, "(?:");
    if (is_end) {
        emit_look(parser, "(?<=");
        emit_look(parser, is_inside ? "(?=" : "(?!");
    }
    if (is_start && is_end)
        pex__emit(parser, "|");
    if (is_start) {
        emit_look(parser, "(?<!");
        emit_look(parser, is_inside ? "(?!" : "(?=");
    }
    /* The standard module finds no \B in an empty text. */
    if (is_inside && parser->dialect == PEX__PYTHON_RE)
        pex__emit(parser, "(?!\\A\\z)");
    pex__emit(parser, ")");
}

/* Escapes that match a place. Returns false if `c` is none. */
static bool parse_place(struct pex__parser *parser, char c)
{
    bool is_regex = parser->dialect == PEX__PYTHON_REGEX;
    if (c == 'A')
        pex__emit(parser, "\\A");
    else if (c == 'Z' || (c == 'z' && is_regex))
        pex__emit(parser, "\\z");
    else if (c == 'b' || c == 'B' || (is_regex && (c == 'm' || c == 'M')))
        emit_boundary(parser, c);
    else
        return false;
    parser->last = PEX__LAST_NOTHING;
    return true;
}

/* Further escapes of the module regex. Returns false if `c` is none of them. */
static bool parse_regex_escape(struct pex__parser *parser, char c, bool *is_good)
{
    *is_good = true;
    switch (c) {
    case 'R':
    case 'X':
    case 'G':
    case 'K': {
        char text[3] = {'\\', c, 0};
        parser->at++;
        pex__emit(parser, text);
        if (c == 'G' || c == 'K')
            parser->last = PEX__LAST_NOTHING;
        return true;
    }
    case 'N': /* without a name */
        parser->at++;
        emit_literal(parser, c);
        return true;
    case 'h':
        parser->at++;
        pex__emit(parser, parser->flags & PEX__PYTHON_ASCII ? "[\\t\\x20]" : "[\\t\\p{Zs}]");
        return true;
    case 'p':
    case 'P':
        parser->at++;
        *is_good = pex__parse_property(parser, c == 'P');
        return true;
    case 'g':
        if (pex__peek(parser, 1) == '<') {
            size_t group;
            parser->at += 2;
            *is_good =
                pex__parse_reference(parser, '>', &group) && pex__emit_backreference(parser, group);
            return true;
        }
        return false;
    default:
        return false;
    }
}

static bool parse_number(struct pex__parser *parser)
{
    size_t group = (size_t)(pex__peek(parser, 0) - '0');
    parser->at++;
    if (is_decimal(pex__peek(parser, 0))) {
        group = group * 10 + (size_t)(pex__peek(parser, 0) - '0');
        parser->at++;
    }
    return pex__emit_backreference(parser, group);
}

static bool parse_escape(struct pex__parser *parser)
{
    uint32_t point;
    bool is_good;
    int rc = pex__parse_character(parser, false, &point);
    if (rc > 0)
        emit_literal(parser, point);
    if (rc)
        return rc > 0;
    char c = pex__peek(parser, 0);
    struct pex__set set = pex__set_of(c);
    parser->last = PEX__LAST_ITEM;
    if (is_decimal(c))
        return parse_number(parser);
    if (c == 'N' && pex__peek(parser, 1) == '{')
        return pex__parser_fail(parser, "names of characters are not known here; write \\uXXXX "
                                        "instead of \\N{..}");
    if (parser->dialect == PEX__PYTHON_REGEX && parse_regex_escape(parser, c, &is_good))
        return is_good;
    parser->at++;
    if (set.kind) {
        pex__emit(parser, set.is_negated ? "[^" : "[");
        pex__emit_set(parser, set.kind);
        pex__emit(parser, "]");
        return true;
    }
    if (parse_place(parser, c))
        return true;
    return pex__parser_fail(parser, "\\%c means nothing here; write \\\\%c for a backslash", c, c);
}

/* Past blanks of a verbose pattern, which the module regex allows between braces. */
static size_t skip_blanks(const struct pex__parser *parser, size_t ahead)
{
    bool skips = parser->dialect == PEX__PYTHON_REGEX && parser->flags & PEX__PYTHON_VERBOSE;
    while (skips && is_blank(pex__peek(parser, ahead)))
        ahead++;
    return ahead;
}

/* {n} {n,} {,m} {n,m}: fills both ends. Returns false if it is not one, but a brace. */
static bool scan_repeat(const struct pex__parser *parser, size_t *size, size_t bounds[2],
                        bool has[2])
{
    size_t i = 1;
    bool has_comma = false;
    has[0] = has[1] = false;
    bounds[0] = bounds[1] = 0;
    for (size_t side = 0; side < 2; side++) {
        i = skip_blanks(parser, i);
        for (; is_decimal(pex__peek(parser, i)); i = skip_blanks(parser, i + 1)) {
            has[side] = true;
            if (bounds[side] <= REPEAT_MAX)
                bounds[side] = bounds[side] * 10 + (size_t)(pex__peek(parser, i) - '0');
        }
        if (side == 0 && pex__peek(parser, i) != ',') {
            has[1] = has[0];
            bounds[1] = bounds[0];
            break;
        }
        has_comma = true;
        i += side == 0;
    }
    *size = i + 1;
    return (has_comma || has[0]) && pex__peek(parser, i) == '}';
}

/* {e<=1} and the like: errors that the module regex allows in a match. */
static bool is_fuzzy(const struct pex__parser *parser)
{
    bool has_kind = false;
    size_t i = 1;
    for (char c; (c = pex__peek(parser, i)) && strchr("eids0123456789<=+, ", c); i++)
        has_kind = has_kind || (c >= 'd' && c <= 's');
    return parser->dialect == PEX__PYTHON_REGEX && has_kind &&
           (pex__peek(parser, i) == '}' || pex__peek(parser, i) == ':');
}

static bool emit_repeat(struct pex__parser *parser, const size_t bounds[2], const bool has[2])
{
    char text[64];
    if (bounds[0] > REPEAT_MAX || bounds[1] > REPEAT_MAX)
        return pex__parser_fail(parser, "a repetition is at most %d here", REPEAT_MAX);
    if (has[1] && bounds[1] < bounds[0])
        return pex__parser_fail(parser, "the least number of repetitions is above the largest");
    if (has[1])
        snprintf(text, sizeof(text), "{%zu,%zu}", bounds[0], bounds[1]);
    else
        snprintf(text, sizeof(text), "{%zu,}", bounds[0]);
    pex__emit(parser, text);
    return true;
}

static bool is_in_look(const struct pex__parser *parser)
{
    for (size_t i = 0; i < parser->depth; i++)
        if (parser->open[i].is_look)
            return true;
    return false;
}

/* A pattern goes back over text, in ways without end, if anything follows a repetition that may
 * fail, or if a look repeats; a repetition of more than 16, or of a group, counts as one without
 * end. */
#define WAYS_MAX 256

static void note_repeat(struct pex__parser *parser, bool is_group, size_t most)
{
    if (most > 16 || (is_group && most > 1)) {
        parser->has_repeat = true;
        parser->made->can_go_back = parser->made->can_go_back || is_in_look(parser);
    } else if (parser->ways <= WAYS_MAX) {
        parser->ways *= most + 1;
    }
}

static void note_token(struct pex__parser *parser, char c)
{
    bool is_new_branch = c == '|' && !parser->depth;
    if (is_new_branch)
        parser->has_repeat = false;
    if (c == '|' && parser->ways <= WAYS_MAX)
        parser->ways *= 2;
    if ((parser->has_repeat && c != ')' && !is_new_branch) || parser->ways > WAYS_MAX)
        parser->made->can_go_back = true;
}

static bool parse_quantifier(struct pex__parser *parser)
{
    bool is_group = parser->at > 0 && parser->source.data[parser->at - 1] == ')';
    char c = pex__peek(parser, 0), text[2] = {c, 0};
    size_t size = 1, bounds[2];
    bool has[2];
    if (c == '{' && !scan_repeat(parser, &size, bounds, has)) {
        if (parser->last != PEX__LAST_NOTHING && is_fuzzy(parser))
            return pex__parser_fail(parser, "matching with errors has no translation");
        parser->at++;
        emit_literal(parser, '{');
        return true;
    }
    if (parser->last != PEX__LAST_ITEM)
        return pex__parser_fail(parser, parser->last ? "multiple repeat" : "nothing to repeat");
    parser->at += size;
    note_repeat(parser, is_group, c == '?' ? 1 : c == '{' && has[1] ? bounds[1] : SIZE_MAX);
    if (c != '{')
        pex__emit(parser, text);
    else if (!emit_repeat(parser, bounds, has))
        return false;
    parser->at += skip_blanks(parser, 0);
    if (pex__accept(parser, "?"))
        pex__emit(parser, "?");
    else if (pex__accept(parser, "+"))
        pex__emit(parser, "+");
    parser->last = PEX__LAST_QUANTIFIED;
    return true;
}

static bool parse_bar(struct pex__parser *parser)
{
    parser->at++;
    parser->last = PEX__LAST_NOTHING;
    pex__emit(parser, "|");
    if (!parser->depth)
        return true;
    struct pex__open_group *group = &parser->open[parser->depth - 1];
    group->bars++;
    if (group->is_conditional && group->bars > 1)
        return pex__parser_fail(parser, "a conditional group has two branches at most");
    return true;
}

/* White space and comments of verbose patterns. */
static bool skip_verbose(struct pex__parser *parser)
{
    size_t size;
    if (!(parser->flags & PEX__PYTHON_VERBOSE))
        return false;
    uint32_t point = pex__decode(parser->source.data + parser->at, &size);
    bool is_space = parser->dialect == PEX__PYTHON_REGEX && pex__unicode_class(point) & PEX__STRIP;
    bool is_skipped = is_space || point == '#' || (point < 0x80 && is_blank((char)point));
    if (!is_skipped)
        return false;
    parser->at += size;
    if (point == '#')
        while (parser->at < parser->source.length && parser->source.data[parser->at - 1] != '\n')
            parser->at++;
    return true;
}

static void mark_place(struct pex__parser *parser)
{
    struct pex__python *made = parser->made;
    if (made->place_count == parser->place_room) {
        size_t room = parser->place_room * 2 + 32;
        struct pex__python_place *grown = realloc(made->place, room * sizeof(*grown));
        if (!grown) {
            parser->lacks_memory = true;
            return;
        }
        made->place = grown;
        parser->place_room = room;
    }
    made->place[made->place_count++] = (struct pex__python_place){made->out.length, parser->token};
}

static bool parse_token(struct pex__parser *parser)
{
    char c = pex__peek(parser, 0);
    note_token(parser, c);
    switch (c) {
    case '\\':
        parser->at++;
        return parse_escape(parser);
    case '[':
        parser->last = PEX__LAST_ITEM;
        return pex__parse_class(parser);
    case '(':
        return pex__parse_group(parser);
    case ')':
        return pex__close_group(parser);
    case '|':
        return parse_bar(parser);
    case '*':
    case '+':
    case '?':
    case '{':
        return parse_quantifier(parser);
    case '^':
    case '$':
        parser->at++;
        parser->last = PEX__LAST_NOTHING;
        pex__emit(parser, c == '^' ? "^" : "$");
        return true;
    case '.':
        parser->at++;
        parser->last = PEX__LAST_ITEM;
        pex__emit(parser, ".");
        return true;
    default:
        emit_literal(parser, pex__next_point(parser));
        return true;
    }
}

static bool parse_all(struct pex__parser *parser)
{
    while (parser->at < parser->source.length) {
        parser->token = parser->at;
        mark_place(parser);
        if (parser->lacks_memory)
            return false;
        if (!skip_verbose(parser) && !parse_token(parser))
            return false;
    }
    if (parser->depth) {
        parser->token = parser->open[parser->depth - 1].at;
        return pex__parser_fail(parser, "this parenthesis is never closed");
    }
    if (parser->reference >= parser->made->group_count) {
        parser->token = parser->reference_at;
        return pex__parser_fail(parser, "there is no group %zu", parser->reference);
    }
    return true;
}

int32_t pex__python_translate(struct pex__python *made, struct pex_string_view source,
                              uint32_t dialect, uint32_t flags)
{
    struct pex__parser parser = {
        .made = made, .source = source, .dialect = dialect, .flags = flags, .ways = 1};
    memset(made, 0, sizeof(*made));
    made->flags = flags;
    made->group_count = 1;
    parse_all(&parser);
    return parser.lacks_memory ? PEX_ENOMEM : 0;
}

void pex__python_free(struct pex__python *made)
{
    pex__bytes_free(&made->out);
    free(made->names.item);
    free(made->place);
    memset(made, 0, sizeof(*made));
}

size_t pex__python_position(const struct pex__python *made, struct pex_string_view source,
                            size_t out)
{
    size_t at = 0;
    for (size_t i = 0; i < made->place_count && made->place[i].out <= out; i++)
        at = made->place[i].source;
    return points_before(source, at);
}

size_t pex__group_of(const struct pex__group_names *names, struct pex_string_view name)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->item[i].name.length == name.length &&
            memcmp(names->item[i].name.data, name.data, name.length) == 0)
            return names->item[i].group;
    return 0;
}
