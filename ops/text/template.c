/* SPDX-License-Identifier: Apache-2.0 */
#include "template.h"
#include "unicode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_GROUP SIZE_MAX

struct parser {
    struct pex__template *made;
    struct pex_string_view text;
    size_t at; /* after what is parsed */
    size_t written;
    size_t group_count;
    const struct pex__group_names *names; /* or NULL */
};

static bool fail(struct parser *parser, const char *format, ...) PEX_PRINTF(2, 3);

static bool fail(struct parser *parser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->made->error, sizeof(parser->made->error), format, arguments);
    va_end(arguments);
    return false;
}

static void add_byte(struct parser *parser, char byte)
{
    parser->made->literal[parser->written++] = byte;
}

static bool add_point(struct parser *parser, uint32_t point)
{
    parser->written += pex__encode(parser->made->literal + parser->written, point);
    return true;
}

static bool add_group(struct parser *parser, size_t group)
{
    if (group >= parser->group_count)
        return fail(parser, "there is no group %zu; the pattern has groups 0 to %zu", group,
                    parser->group_count - 1);
    struct pex__template *made = parser->made;
    struct pex__template_part *part = &made->part[made->part_count];
    part->length = parser->written - part->start;
    part->group = group;
    made->part_count++;
    made->part[made->part_count] = (struct pex__template_part){parser->written, 0, NO_GROUP};
    return true;
}

/* The byte `ahead` of the parser, or 0 past the end. */
static char peek(const struct parser *parser, size_t ahead)
{
    size_t at = parser->at + ahead;
    return at < parser->text.length ? parser->text.data[at] : 0;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

static bool is_decimal(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* \0, \07, \012: a character; three octal digits too; else one or two digits name a group. */
static bool parse_number(struct parser *parser)
{
    size_t digits = 0, limit = 2;
    uint32_t value = 0;
    bool is_octal_escape =
        peek(parser, 0) == '0' ||
        (is_octal(peek(parser, 0)) && is_octal(peek(parser, 1)) && is_octal(peek(parser, 2)));
    if (is_octal_escape) {
        limit = 3;
        for (; digits < limit && is_octal(peek(parser, digits)); digits++)
            value = value * 8 + (uint32_t)(peek(parser, digits) - '0');
    } else {
        for (; digits < limit && is_decimal(peek(parser, digits)); digits++)
            value = value * 10 + (uint32_t)(peek(parser, digits) - '0');
    }
    parser->at += digits;
    return is_octal_escape ? add_point(parser, value) : add_group(parser, value);
}

static bool parse_hex(struct parser *parser, char kind, size_t digits)
{
    uint32_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = peek(parser, i), letter = c | 0x20;
        if (!is_decimal(c) && !(letter >= 'a' && letter <= 'f'))
            return fail(parser, "\\%c needs %zu hex digits", kind, digits);
        value = value * 16 + (uint32_t)(is_decimal(c) ? c - '0' : letter - 'a' + 10);
    }
    if (value > 0x10FFFF)
        return fail(parser, "\\%c%08x is no code point", kind, value);
    parser->at += digits;
    return add_point(parser, value);
}

static bool is_number(struct pex_string_view word, size_t limit, size_t *value)
{
    *value = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (!is_decimal(word.data[i]))
            return false;
        if (*value < limit)
            *value = *value * 10 + (size_t)(word.data[i] - '0');
    }
    return word.length > 0;
}

static bool parse_group(struct parser *parser)
{
    const char *start = parser->text.data + parser->at + 1;
    if (peek(parser, 0) != '<')
        return fail(parser, "\\g needs a group in angle brackets, as in \\g<1>");
    size_t rest = parser->text.length - parser->at - 1;
    const char *end = memchr(start, '>', rest);
    if (!end)
        return fail(parser, "\\g<.. lacks its >");
    struct pex_string_view word = {start, (size_t)(end - start)};
    size_t group;
    if (!is_number(word, parser->group_count, &group)) {
        group = parser->names ? pex__group_of(parser->names, word) : 0;
        if (!group)
            return fail(parser, "the pattern has no group '%.*s'",
                        (int)(word.length < 60 ? word.length : 60), start);
    }
    parser->at += word.length + 2;
    return add_group(parser, group);
}

static bool parse_escape(struct parser *parser)
{
    static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
    if (parser->at == parser->text.length)
        return fail(parser, "it ends in a lone backslash; write \\\\ for one");
    char c = peek(parser, 0);
    if (is_decimal(c))
        return parse_number(parser);
    if (!is_letter(c)) {
        add_byte(parser, '\\');
        if (c == '\\')
            parser->at++;
        return true;
    }
    parser->at++;
    const char *letter = strchr(letters, c);
    if (letter) {
        add_byte(parser, values[letter - letters]);
        return true;
    }
    switch (c) {
    case 'g':
        return parse_group(parser);
    case 'x':
        return parse_hex(parser, c, 2);
    case 'u':
        return parse_hex(parser, c, 4);
    case 'U':
        return parse_hex(parser, c, 8);
    default:
        return fail(parser, "\\%c means nothing here; write \\\\%c for a backslash", c, c);
    }
}

static bool parse_all(struct parser *parser)
{
    while (parser->at < parser->text.length) {
        char c = peek(parser, 0);
        parser->at++;
        if (c != '\\')
            add_byte(parser, c);
        else if (!parse_escape(parser))
            return false;
    }
    return true;
}

int32_t pex__template_parse(struct pex__template *made, struct pex_string_view text,
                            size_t group_count, const struct pex__group_names *names)
{
    struct parser parser = {.made = made, .text = text, .group_count = group_count, .names = names};
    memset(made, 0, sizeof(*made));
    /* No escape is shorter than what it stands for, and a group takes two bytes at least. */
    made->literal = malloc(text.length + 1);
    made->part = calloc(text.length / 2 + 1, sizeof(*made->part));
    if (!made->literal || !made->part) {
        pex__template_free(made);
        return PEX_ENOMEM;
    }
    made->part[0].group = NO_GROUP;
    if (parse_all(&parser)) {
        struct pex__template_part *last = &made->part[made->part_count];
        last->length = parser.written - last->start;
        made->part_count++;
    }
    return 0;
}

void pex__template_free(struct pex__template *made)
{
    free(made->literal);
    free(made->part);
    memset(made, 0, sizeof(*made));
}
