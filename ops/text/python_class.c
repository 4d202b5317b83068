/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of characters. PCRE2's brackets cannot hold "all but these", as \W in them is one, so
 * such a class becomes a choice: [\Wx] is (?:[x]|[^words]).
 */
#include "python_parser.h"
#include "unicode.h"

#include <stdio.h>
#include <string.h>

struct pex__set pex__set_of(char letter)
{
    switch (letter) {
    case 'w':
    case 'W':
        return (struct pex__set){PEX__SET_WORD, letter == 'W'};
    case 'd':
    case 'D':
        return (struct pex__set){PEX__SET_DIGIT, letter == 'D'};
    case 's':
    case 'S':
        return (struct pex__set){PEX__SET_SPACE, letter == 'S'};
    default:
        return (struct pex__set){PEX__SET_NONE, false};
    }
}

static void emit_ranges(struct pex__parser *parser, const uint32_t ranges[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pex__emit_point(parser, ranges[i][0]);
        pex__emit(parser, "-");
        pex__emit_point(parser, ranges[i][1]);
    }
}

/* The classes of the module regex know newer characters than those of the standard one. */
void pex__emit_set(struct pex__parser *parser, uint32_t kind)
{
    static const char *const ascii[] = {"", "a-zA-Z0-9_", "0-9", "\\t-\\r\\x20", ""};
    static const char spaces[] = "\\t-\\r\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}"
                                 "\\x{2029}\\x{202f}\\x{205f}\\x{3000}";
    bool is_regex = parser->dialect == PEX__PYTHON_REGEX;
    if (parser->flags & PEX__PYTHON_ASCII) {
        pex__emit(parser, ascii[kind]);
    } else if (kind == PEX__SET_SPACE) {
        pex__emit(parser, spaces);
        if (!is_regex)
            pex__emit(parser, "\\x{1c}-\\x{1f}");
    } else if (kind == PEX__SET_DIGIT) {
        pex__emit(parser, "0-9\\p{Nd}");
        if (is_regex)
            emit_ranges(parser, pex__unicode_newer_digit, pex__unicode_newer_digit_count);
    } else if (kind == PEX__SET_PUNCTUATION) {
        pex__emit(parser, "\\p{P}");
        emit_ranges(parser, pex__unicode_newer_punctuation, pex__unicode_newer_punctuation_count);
    } else if (!is_regex) {
        pex__emit(parser, "a-zA-Z0-9_\\p{L}\\p{N}");
    } else {
        pex__emit(parser, "a-zA-Z0-9_\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}");
        emit_ranges(parser, pex__unicode_newer_word, pex__unicode_newer_word_count);
    }
}

/* A character and another one that it is without case. The standard module takes all of the first
 * four for the same; of the module regex each is another's on one side only. */
static const uint32_t more_cases[][2] = {
    {'i', 0x130},    {'I', 0x131},    {0x130, 'i'},    {0x131, 'I'},     {0x390, 0x1FD3},
    {0x1FD3, 0x390}, {0x3B0, 0x1FE3}, {0x1FE3, 0x3B0}, {0xFB05, 0xFB06}, {0xFB06, 0xFB05},
};

void pex__emit_more_cases(struct pex__parser *parser, uint32_t first, uint32_t last)
{
    bool has_i = false;
    if (!(parser->flags & PEX__PYTHON_CASELESS))
        return;
    for (size_t i = 0; i < sizeof(more_cases) / sizeof(more_cases[0]); i++) {
        if (more_cases[i][0] < first || more_cases[i][0] > last)
            continue;
        pex__emit_point(parser, more_cases[i][1]);
        has_i = has_i || i < 4;
    }
    if (has_i && parser->dialect == PEX__PYTHON_RE)
        pex__emit(parser, "i\\x{130}\\x{131}");
}

bool pex__has_more_cases(const struct pex__parser *parser, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < sizeof(more_cases) / sizeof(more_cases[0]); i++)
        if (more_cases[i][0] >= first && more_cases[i][0] <= last)
            return (parser->flags & PEX__PYTHON_CASELESS) != 0;
    return false;
}

/* What a class holds beside the items that are emitted. */
struct class_state {
    bool has[PEX__SET_COUNT];   /* by kind of set */
    bool lacks[PEX__SET_COUNT]; /* all but the set */
    bool has_symbols;           /* punctuation and symbols that are no letters */
    size_t start;               /* of the items in the output */
};

struct property {
    const char *name;
    const char *items; /* inside of brackets */
};

/* Names that PCRE2 lacks or reads otherwise; small letters only. All others are tried as a script
 * and then as what PCRE2 takes them for. */
static const struct property properties[] = {
    {"l&", "\\p{L}"},
    {"lc", "\\p{L&}"},
    {"casedletter", "\\p{L&}"},
    {"letter", "\\p{L}"},
    {"uppercaseletter", "\\p{Lu}"},
    {"lowercaseletter", "\\p{Ll}"},
    {"titlecaseletter", "\\p{Lt}"},
    {"modifierletter", "\\p{Lm}"},
    {"otherletter", "\\p{Lo}"},
    {"mark", "\\p{M}"},
    {"nonspacingmark", "\\p{Mn}"},
    {"spacingmark", "\\p{Mc}"},
    {"enclosingmark", "\\p{Me}"},
    {"number", "\\p{N}"},
    {"decimalnumber", "\\p{Nd}"},
    {"letternumber", "\\p{Nl}"},
    {"othernumber", "\\p{No}"},
    {"symbol", "\\p{S}"},
    {"mathsymbol", "\\p{Sm}"},
    {"currencysymbol", "\\p{Sc}"},
    {"modifiersymbol", "\\p{Sk}"},
    {"othersymbol", "\\p{So}"},
    {"connectorpunctuation", "\\p{Pc}"},
    {"dashpunctuation", "\\p{Pd}"},
    {"openpunctuation", "\\p{Ps}"},
    {"closepunctuation", "\\p{Pe}"},
    {"initialpunctuation", "\\p{Pi}"},
    {"finalpunctuation", "\\p{Pf}"},
    {"otherpunctuation", "\\p{Po}"},
    {"separator", "\\p{Z}"},
    {"spaceseparator", "\\p{Zs}"},
    {"lineseparator", "\\p{Zl}"},
    {"paragraphseparator", "\\p{Zp}"},
    {"other", "\\p{C}"},
    {"control", "\\p{Cc}"},
    {"cntrl", "\\p{Cc}"},
    {"format", "\\p{Cf}"},
    {"unassigned", "\\p{Cn}"},
    {"privateuse", "\\p{Co}"},
    {"surrogate", "\\p{Cs}"},
    {"alpha", "\\p{Alphabetic}"},
    {"upper", "\\p{Uppercase}"},
    {"lower", "\\p{Lowercase}"},
    {"digit", "\\p{Nd}"},
    {"xdigit", "\\p{Hex_Digit}\\p{Nd}"},
    {"alnum", "\\p{Alphabetic}\\p{Nd}"},
    {"blank", "\\t\\p{Zs}"},
    {"space", "\\p{White_Space}"},
    {"graph", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}"},
    {"print", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}\\p{Zs}"},
    {"any", "\\x{0}-\\x{10ffff}"},
    {"ascii", "\\x{0}-\\x{7f}"},
};

/* Those that mean all cases where case does not count. */
static const char *const cased[] = {"lu",
                                    "ll",
                                    "lt",
                                    "upper",
                                    "lower",
                                    "uppercaseletter",
                                    "lowercaseletter",
                                    "titlecaseletter",
                                    "uppercase",
                                    "lowercase"};

#define PROPERTY_NAME_MAX 40

/* Small letters without blanks, hyphens and underscores. */
static bool fold_name(struct pex_string_view name, char folded[PROPERTY_NAME_MAX])
{
    size_t length = 0;
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (c == ' ' || c == '-' || c == '_')
            continue;
        if ((!is_letter && c != '&' && c != '=' && c != ':') || length == PROPERTY_NAME_MAX - 1)
            return false;
        folded[length++] = is_letter ? (char)(c | 0x20) : c;
    }
    folded[length] = 0;
    return length > 0;
}

static const char *items_in(const struct property *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i].name) == 0)
            return list[i].items;
    return NULL;
}

static const char *items_of(const struct pex__parser *parser, const char *name)
{
    for (size_t i = 0; (parser->flags & PEX__PYTHON_CASELESS) && i < sizeof(cased) / sizeof(*cased);
         i++)
        if (strcmp(name, cased[i]) == 0)
            return strlen(name) == 2 || strstr(name, "letter") ? "\\p{L&}" : "\\p{Cased}";
    return items_in(properties, sizeof(properties) / sizeof(properties[0]), name);
}

/* Script=.. and the like, with = or a colon. */
static const char *skip_key(const char *name, bool *is_script)
{
    static const char *const keys[] = {"script", "sc", "generalcategory", "gc"};
    const char *value = strpbrk(name, "=:");
    *is_script = false;
    if (!value)
        return name;
    for (size_t i = 0; i < 4; i++)
        if (strlen(keys[i]) == (size_t)(value - name) &&
            strncmp(name, keys[i], (size_t)(value - name)) == 0) {
            *is_script = i < 2;
            return value + 1;
        }
    return NULL;
}

static uint32_t set_named(const char *name)
{
    if (strcmp(name, "p") == 0 || strcmp(name, "punct") == 0 || strcmp(name, "punctuation") == 0)
        return PEX__SET_PUNCTUATION;
    return strcmp(name, "word") == 0 ? PEX__SET_WORD : PEX__SET_NONE;
}

/* \P{..} is one item only where \p{..} is. */
static bool emit_items(struct pex__parser *parser, const char *items, bool is_negated)
{
    bool is_one = strncmp(items, "\\p", 2) == 0 && !strchr(items + 1, '\\');
    if (is_negated && !is_one)
        return pex__parser_fail(parser, "this property cannot be negated here");
    pex__emit(parser, is_negated ? "\\P" : "");
    pex__emit(parser, items + (is_negated ? 2 : 0));
    return true;
}

static bool emit_property(struct pex__parser *parser, struct class_state *state, const char *name,
                          bool is_negated)
{
    char text[PROPERTY_NAME_MAX + 16];
    bool is_script;
    const char *value = skip_key(name, &is_script);
    if (!value)
        return pex__parser_fail(parser, "this property cannot be translated here");
    uint32_t set = is_script ? PEX__SET_NONE : set_named(value);
    const char *items = is_script ? NULL : items_of(parser, value);
    if (set)
        (is_negated ? state->lacks : state->has)[set] = true;
    if (set || items)
        return set || emit_items(parser, items, is_negated);
    const char *kind = pex__property_kind(value, is_script);
    if (!kind && strncmp(value, "is", 2) == 0)
        return emit_property(parser, state, value + 2, is_negated);
    if (!kind)
        return pex__parser_fail(parser, "the property '%s' is not known", name);
    snprintf(text, sizeof(text), "\\%c{%s%s}", is_negated ? 'P' : 'p', kind, value);
    pex__emit(parser, text);
    return true;
}

/* The text up to `end`, of one letter where that is empty; sets is_negated if it starts with ^. */
static bool parse_property_name(struct pex__parser *parser, const char *end,
                                char name[PROPERTY_NAME_MAX], bool *is_negated)
{
    const char *start = parser->source.data + parser->at;
    size_t rest = parser->source.length - parser->at, length = 0, tail = strlen(end);
    if (!tail)
        length = rest ? 1 : 0;
    else
        while (length + tail <= rest && memcmp(start + length, end, tail) != 0)
            length++;
    if (length + tail > rest || !length)
        return pex__parser_fail(parser, "the name of a property is not complete");
    parser->at += length + tail;
    *is_negated = *start == '^';
    start += *is_negated;
    length -= *is_negated;
    if (parser->flags & PEX__PYTHON_ASCII)
        return pex__parser_fail(parser, "a property has no translation with the flag a");
    return fold_name((struct pex_string_view){start, length}, name) ||
           pex__parser_fail(parser, "the property '%.*s' is not known",
                            (int)(length < 60 ? length : 60), start);
}

/* After \p or \P. */
static bool parse_property(struct pex__parser *parser, struct class_state *state, bool is_negated)
{
    char name[PROPERTY_NAME_MAX];
    bool has_caret;
    const char *end = pex__accept(parser, "{") ? "}" : "";
    return parse_property_name(parser, end, name, &has_caret) &&
           emit_property(parser, state, name, is_negated != has_caret);
}

/* After [: in a class. Some of these differ from the properties of the same name. */
static bool parse_posix(struct pex__parser *parser, struct class_state *state)
{
    static const struct property posix[] = {
        {"alnum", "\\p{Alphabetic}0-9"}, {"digit", "0-9"}, {"xdigit", "0-9A-Fa-f"}};
    char name[PROPERTY_NAME_MAX];
    bool is_negated;
    if (!parse_property_name(parser, ":]", name, &is_negated))
        return false;
    if (strcmp(name, "punct") == 0 && !is_negated) {
        state->has_symbols = true;
        return true;
    }
    const char *items =
        strcmp(name, "punct") == 0 ? "" : items_in(posix, sizeof(posix) / sizeof(posix[0]), name);
    return items ? emit_items(parser, items, is_negated)
                 : emit_property(parser, state, name, is_negated);
}

/* One side of a range, or a set. Returns 1 a character, 0 something else, -1 failed. */
static int parse_class_item(struct pex__parser *parser, struct class_state *state, uint32_t *point)
{
    bool is_regex = parser->dialect == PEX__PYTHON_REGEX;
    if (is_regex && pex__peek(parser, 0) == '[' && pex__peek(parser, 1) == ':' &&
        ((pex__peek(parser, 2) | 0x20) >= 'a' || pex__peek(parser, 2) == '^')) {
        size_t i = 2 + (pex__peek(parser, 2) == '^');
        while ((pex__peek(parser, i) | 0x20) >= 'a' && (pex__peek(parser, i) | 0x20) <= 'z')
            i++;
        if (pex__peek(parser, i) == ':' && pex__peek(parser, i + 1) == ']') {
            parser->at += 2;
            return parse_posix(parser, state) ? 0 : -1;
        }
    }
    if (!pex__accept(parser, "\\")) {
        *point = pex__next_point(parser);
        return 1;
    }
    int rc = pex__parse_character(parser, true, point);
    if (rc)
        return rc;
    char c = pex__peek(parser, 0);
    struct pex__set set = pex__set_of(c);
    parser->at++;
    if (set.kind) {
        (set.is_negated ? state->lacks : state->has)[set.kind] = true;
        return 0;
    }
    if (is_regex && (c == 'p' || c == 'P'))
        return parse_property(parser, state, c == 'P') ? 0 : -1;
    pex__parser_fail(parser, "\\%c means nothing in a class; write \\\\%c for a backslash", c, c);
    return -1;
}

static void emit_range(struct pex__parser *parser, uint32_t first, uint32_t last)
{
    pex__emit_point(parser, first);
    if (last > first) {
        pex__emit(parser, "-");
        pex__emit_point(parser, last);
    }
    pex__emit_more_cases(parser, first, last);
}

static bool parse_class_part(struct pex__parser *parser, struct class_state *state)
{
    uint32_t first, last;
    int rc = parse_class_item(parser, state, &first);
    if (rc < 0)
        return false;
    bool is_range = pex__peek(parser, 0) == '-' && pex__peek(parser, 1) != ']' &&
                    parser->at + 1 < parser->source.length;
    if (!is_range) {
        if (rc)
            emit_range(parser, first, first);
        return true;
    }
    parser->at++;
    int last_rc = parse_class_item(parser, state, &last);
    if (last_rc < 0)
        return false;
    if (rc && last_rc) {
        if (last < first)
            return pex__parser_fail(parser, "a range of this class ends before it starts");
        emit_range(parser, first, last);
        return true;
    }
    if (parser->dialect == PEX__PYTHON_RE)
        return pex__parser_fail(parser, "a range of this class has no end");
    if (rc)
        emit_range(parser, first, first);
    emit_range(parser, '-', '-');
    if (last_rc)
        emit_range(parser, last, last);
    return true;
}

/* Whether the class holds a set and all but it. */
static bool is_everything(const struct class_state *state)
{
    for (size_t kind = 1; kind < PEX__SET_COUNT; kind++)
        if (state->has[kind] && state->lacks[kind])
            return true;
    return false;
}

static void insert(struct pex__parser *parser, size_t at, const char *text)
{
    struct pex__bytes *out = &parser->made->out;
    size_t length = strlen(text), moved = out->length - at;
    if (pex__bytes_reserve(out, length)) {
        parser->lacks_memory = true;
        return;
    }
    memmove(out->data + at + length, out->data + at, moved);
    memcpy(out->data + at, text, length);
    out->length += length;
}

/* What brackets cannot hold, as choices behind the brackets of the items, if there are any. */
static void emit_choices(struct pex__parser *parser, const struct class_state *state,
                         bool has_items)
{
    const char *bar = has_items ? "|" : "";
    for (size_t kind = 1; kind < PEX__SET_COUNT; kind++) {
        if (!state->lacks[kind])
            continue;
        pex__emit(parser, bar);
        pex__emit(parser, "[^");
        pex__emit_set(parser, (uint32_t)kind);
        pex__emit(parser, "]");
        bar = "|";
    }
    if (state->has_symbols) {
        pex__emit(parser, bar);
        pex__emit(parser, "(?!\\p{Alphabetic})[\\p{P}\\p{S}]");
    }
}

/* Closes the brackets; what they cannot hold becomes choices of their own. */
static void finish_class(struct pex__parser *parser, const struct class_state *state,
                         bool is_negated)
{
    bool has_choices = state->has_symbols;
    for (size_t kind = 1; kind < PEX__SET_COUNT; kind++) {
        has_choices = has_choices || state->lacks[kind];
        if (state->has[kind])
            pex__emit_set(parser, (uint32_t)kind);
    }
    bool has_items = parser->made->out.length > state->start;
    if (is_everything(state)) {
        parser->made->out.length = state->start;
        pex__emit(parser, is_negated ? "(?!)" : "(?s:.)");
    } else if (!has_choices) {
        insert(parser, state->start, is_negated ? "[^" : "[");
        pex__emit(parser, "]");
    } else {
        insert(parser, state->start, has_items ? "[" : "");
        insert(parser, state->start, is_negated ? "(?:(?!" : "(?:");
        pex__emit(parser, has_items ? "]" : "");
        emit_choices(parser, state, has_items);
        pex__emit(parser, is_negated ? ")(?s:.))" : ")");
    }
}

bool pex__parse_class(struct pex__parser *parser)
{
    struct class_state state = {.start = parser->made->out.length};
    parser->at++;
    bool is_negated = pex__accept(parser, "^"), is_first = true;
    while (is_first || pex__peek(parser, 0) != ']') {
        if (parser->at >= parser->source.length)
            return pex__parser_fail(parser, "this class lacks its ]");
        if (!parse_class_part(parser, &state))
            return false;
        is_first = false;
    }
    parser->at++;
    finish_class(parser, &state, is_negated);
    return true;
}

bool pex__parse_property(struct pex__parser *parser, bool is_negated)
{
    struct class_state state = {.start = parser->made->out.length};
    if (!parse_property(parser, &state, is_negated))
        return false;
    finish_class(parser, &state, false);
    return true;
}
