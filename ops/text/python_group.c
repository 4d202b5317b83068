/* SPDX-License-Identifier: Apache-2.0 */
/* Parentheses: groups, flags, looks ahead and behind, references by name. */
#include "python_parser.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_group(struct pex__parser *parser, const char *head, size_t number)
{
    if (parser->depth == PEX__DEPTH_MAX)
        return pex__parser_fail(parser, "groups are nested at most %d deep here", PEX__DEPTH_MAX);
    parser->open[parser->depth++] =
        (struct pex__open_group){.number = number, .at = parser->token, .flags = parser->flags};
    parser->last = PEX__LAST_NOTHING;
    pex__emit(parser, head);
    return true;
}

bool pex__close_group(struct pex__parser *parser)
{
    if (!parser->depth)
        return pex__parser_fail(parser, "this parenthesis closes nothing");
    parser->at++;
    parser->depth--;
    parser->flags = parser->open[parser->depth].flags;
    parser->last = PEX__LAST_ITEM;
    pex__emit(parser, ")");
    return true;
}

static bool is_name(struct pex_string_view name)
{
    size_t size;
    for (size_t at = 0; at < name.length; at += size) {
        uint32_t point = pex__decode(name.data + at, &size);
        bool is_digit = (pex__unicode_class(point) & PEX__PY_DIGIT) != 0;
        if (!(pex__unicode_class(point) & PEX__WORD) || (at == 0 && is_digit))
            return false;
    }
    return name.length > 0;
}

/* What stands before `end`, which is consumed. */
static bool parse_word(struct pex__parser *parser, char end, struct pex_string_view *word)
{
    const char *start = parser->source.data + parser->at;
    size_t length = 0, rest = parser->source.length - parser->at;
    while (length < rest && start[length] != end)
        length++;
    if (length == rest)
        return pex__parser_fail(parser, "a name lacks its %c", end);
    parser->at += length + 1;
    *word = (struct pex_string_view){start, length};
    return true;
}

static bool add_name(struct pex__parser *parser, struct pex_string_view name, size_t group)
{
    struct pex__group_names *names = &parser->made->names;
    if (!is_name(name))
        return pex__parser_fail(parser, "'%.*s' cannot be the name of a group", (int)name.length,
                                name.data);
    if (pex__group_of(names, name))
        return pex__parser_fail(parser, "the name '%.*s' stands for two groups", (int)name.length,
                                name.data);
    if (names->count == parser->name_room) {
        size_t room = parser->name_room * 2 + 8;
        struct pex__group_name *grown = realloc(names->item, room * sizeof(*grown));
        if (!grown) {
            parser->lacks_memory = true;
            return false;
        }
        names->item = grown;
        parser->name_room = room;
    }
    names->item[names->count++] = (struct pex__group_name){name, group};
    return true;
}

static bool parse_named(struct pex__parser *parser)
{
    struct pex_string_view name = {0};
    size_t group = parser->made->group_count;
    if (!parse_word(parser, '>', &name) || !add_name(parser, name, group))
        return false;
    parser->made->group_count++;
    return open_group(parser, "(", group);
}

static bool is_number(struct pex_string_view word, size_t *value)
{
    *value = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.data[i] < '0' || word.data[i] > '9')
            return false;
        if (*value < 100000)
            *value = *value * 10 + (size_t)(word.data[i] - '0');
    }
    return word.length > 0;
}

bool pex__parse_reference(struct pex__parser *parser, char end, size_t *group)
{
    struct pex_string_view word = {0};
    if (!parse_word(parser, end, &word))
        return false;
    if (is_number(word, group) && *group > 0)
        return true;
    *group = pex__group_of(&parser->made->names, word);
    return *group || pex__parser_fail(parser, "there is no group '%.*s' before this place",
                                      (int)word.length, word.data);
}

/* That the group exists is checked at the end of the pattern. */
static void note_reference(struct pex__parser *parser, size_t group)
{
    if (group <= parser->reference)
        return;
    parser->reference = group;
    parser->reference_at = parser->token;
}

bool pex__emit_backreference(struct pex__parser *parser, size_t group)
{
    char text[32];
    for (size_t i = 0; i < parser->depth; i++)
        if (parser->open[i].number == group)
            return pex__parser_fail(parser, "group %zu is still open here", group);
    /* The module regex may name a group before it starts. */
    if (group >= parser->made->group_count && parser->dialect == PEX__PYTHON_RE)
        return pex__parser_fail(parser, "there is no group %zu before this place", group);
    note_reference(parser, group);
    snprintf(text, sizeof(text), "\\g{%zu}", group);
    pex__emit(parser, text);
    parser->last = PEX__LAST_ITEM;
    return true;
}

static bool parse_conditional(struct pex__parser *parser)
{
    size_t group;
    char text[32];
    const char *next = parser->source.data + parser->at;
    if (parser->at < parser->source.length && (*next == '?' || *next == '*'))
        return pex__parser_fail(parser, "a condition can only be a group");
    if (!pex__parse_reference(parser, ')', &group))
        return false;
    note_reference(parser, group);
    snprintf(text, sizeof(text), "(?(%zu)", group);
    if (!open_group(parser, text, 0))
        return false;
    parser->open[parser->depth - 1].is_conditional = true;
    return true;
}

static bool skip_comment(struct pex__parser *parser)
{
    struct pex_string_view comment = {0};
    return parse_word(parser, ')', &comment);
}

/* The letters of (?ims-x: or (?ims). Returns false if there is one without a translation. */
static bool parse_letters(struct pex__parser *parser, uint32_t *on, uint32_t *off)
{
    static const char letters[] = "imsxau";
    static const uint32_t flags[] = {PEX__PYTHON_CASELESS, PEX__PYTHON_MULTILINE,
                                     PEX__PYTHON_DOTALL,   PEX__PYTHON_VERBOSE,
                                     PEX__PYTHON_ASCII,    0};
    uint32_t *side = on;
    *on = *off = 0;
    for (;; parser->at++) {
        char c = pex__peek(parser, 0);
        if (c == ':' || c == ')')
            return true;
        if (c == 'V' && pex__peek(parser, 1) == '0' && parser->dialect == PEX__PYTHON_REGEX) {
            parser->at++;
            continue;
        }
        const char *letter = c ? strchr(letters, c) : NULL;
        if (c == '-' && side == on)
            side = off;
        else if (letter)
            *side |= flags[letter - letters];
        else
            return pex__parser_fail(parser, "(?.. with what follows it has no translation here");
    }
}

static void write_flags(char head[16], uint32_t on, uint32_t off)
{
    static const char letters[] = "ims";
    static const uint32_t flags[] = {PEX__PYTHON_CASELESS, PEX__PYTHON_MULTILINE,
                                     PEX__PYTHON_DOTALL};
    size_t length = 2;
    memcpy(head, "(?", 2);
    for (size_t i = 0; i < 3; i++)
        if (on & flags[i])
            head[length++] = letters[i];
    head[length++] = '-';
    for (size_t i = 0; i < 3; i++)
        if (off & flags[i])
            head[length++] = letters[i];
    if (head[length - 1] == '-')
        length--;
    head[length] = 0;
}

/* (?i) holds from here to the end of the group, which the standard module allows at the start of
 * the pattern only. */
static bool parse_flags_from_here(struct pex__parser *parser, const char *head, uint32_t off)
{
    bool is_start = parser->made->out.length == parser->flags_end && !parser->depth;
    if (parser->dialect == PEX__PYTHON_RE && off)
        return pex__parser_fail(parser, "flags are switched off for a group only, as in (?-i:..)");
    if (parser->dialect == PEX__PYTHON_RE && !is_start)
        return pex__parser_fail(parser, "flags for the whole pattern stand at its start");
    parser->at++;
    pex__emit(parser, head);
    pex__emit(parser, ")");
    if (is_start)
        parser->flags_end = parser->made->out.length;
    parser->last = PEX__LAST_NOTHING;
    return true;
}

static bool parse_flags(struct pex__parser *parser)
{
    uint32_t on, off, both = PEX__PYTHON_ASCII | PEX__PYTHON_CASELESS;
    char head[16];
    if (!parse_letters(parser, &on, &off))
        return false;
    write_flags(head, on, off);
    if (pex__accept(parser, ":")) {
        strcat(head, ":");
        if (!open_group(parser, head, 0))
            return false;
    } else if (!parse_flags_from_here(parser, head, off)) {
        return false;
    }
    parser->flags = (parser->flags | on) & ~off;
    return (parser->flags & both) != both ||
           pex__parser_fail(parser, "the flags a and i have no translation together");
}

bool pex__parse_group(struct pex__parser *parser)
{
    static const char *const heads[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        if (pex__accept(parser, heads[i])) {
            bool is_open = open_group(parser, heads[i], 0);
            if (is_open)
                parser->open[parser->depth - 1].is_look = strpbrk(heads[i], "=!") != NULL;
            return is_open;
        }
    bool is_regex = parser->dialect == PEX__PYTHON_REGEX;
    if (pex__accept(parser, "(?P<") || (is_regex && pex__accept(parser, "(?<")))
        return parse_named(parser);
    if (pex__accept(parser, "(?P=")) {
        size_t group;
        return pex__parse_reference(parser, ')', &group) && pex__emit_backreference(parser, group);
    }
    if (pex__accept(parser, "(?#"))
        return skip_comment(parser);
    if (pex__accept(parser, "(?("))
        return parse_conditional(parser);
    if (pex__accept(parser, "(?"))
        return parse_flags(parser);
    if (pex__peek(parser, 1) == '*' && is_regex)
        return pex__parser_fail(parser, "(*.. has no translation here");
    parser->at++;
    return open_group(parser, "(", parser->made->group_count++);
}
