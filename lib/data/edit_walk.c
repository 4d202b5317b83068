/* SPDX-License-Identifier: Apache-2.0 */
#include "data/edit_walk.h"

#include "data/batch.h"
#include "data/edit.h"
#include "data/text_escapes.h"

static size_t skip_blanks(const char *text, size_t pos)
{
    while (text[pos] == ' ' || text[pos] == '\t' || text[pos] == '\n' || text[pos] == '\r')
        pos++;
    return pos;
}

/* A string without backslashes that ends within so many bytes is not worth a call. */
#define SHORT_STRING 24

/* Quotes behind an odd number of backslashes belong to the string. */
static size_t skip_string(const char *text, size_t pos, size_t length)
{
    for (size_t i = pos + 1; i < length && i <= pos + SHORT_STRING && text[i] != '\\'; i++)
        if (text[i] == '"')
            return i + 1;
    for (size_t begin = ++pos;; pos++) {
        const char *quote = memchr(text + pos, '"', length - pos);
        size_t slashes = 0;

        pos = (size_t)(quote - text);
        while (slashes < pos - begin && text[pos - 1 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            return pos + 1;
    }
}

static size_t skip_container(const char *text, size_t pos, size_t length)
{
    size_t depth = 0;

    do {
        char c = text[pos];

        if (c == '"') {
            pos = skip_string(text, pos, length);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        pos++;
    } while (depth != 0);
    return pos;
}

static size_t skip_value(const char *text, size_t pos, size_t length)
{
    if (text[pos] == '"')
        return skip_string(text, pos, length);
    if (text[pos] == '{' || text[pos] == '[')
        return skip_container(text, pos, length);
    while (text[pos] != ',' && text[pos] != '}' && (unsigned char)text[pos] > ' ')
        pos++;
    return pos;
}

int pex__members_next(struct pex__members *members, struct pex__member *member)
{
    const char *text = members->object;
    size_t pos = skip_blanks(text, members->pos);

    if (text[pos] == ',')
        pos = skip_blanks(text, pos + 1);
    if (text[pos] == '}')
        return 0;
    member->key_begin = pos;
    member->key_end = skip_string(text, pos, members->length);
    pos = skip_blanks(text, member->key_end) + 1;
    member->begin = skip_blanks(text, pos);
    if (member->begin == members->known_begin)
        member->end = members->known_end;
    else
        member->end = skip_value(text, member->begin, members->length);
    members->pos = member->end;
    return 1;
}

int pex__string_spells(const char *string, size_t length, const char *text, size_t text_length)
{
    const char *p = string + 1, *end = string + length - 1, *text_end = text + text_length;
    char piece[4];
    size_t used, count;

    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));

        count = (size_t)((slash != NULL ? slash : end) - p);
        if ((size_t)(text_end - text) < count || memcmp(p, text, count) != 0)
            return 0;
        p += count;
        text += count;
        if (slash == NULL)
            break;
        count = pex__unescape(p, end, piece, &used);
        if ((size_t)(text_end - text) < count || memcmp(piece, text, count) != 0)
            return 0;
        p += used;
        text += count;
    }
    return text == text_end;
}

int pex__member_is(const struct pex__members *members, const struct pex__member *member,
                   const char *key, size_t key_length)
{
    const char *string = members->object + member->key_begin;

    /* Not escaped, and another letter: nearly all keys that are not looked for end here. */
    if (string[1] != '\\' && string[1] != (key_length != 0 ? *key : '"'))
        return 0;
    return pex__string_spells(string, member->key_end - member->key_begin, key, key_length);
}

size_t pex__edit_count(const char *object, size_t length, const char *key, size_t *last_begin,
                       size_t *last_length)
{
    struct pex__members members = pex__members_of(object, length);
    struct pex__member member;
    size_t key_length = strlen(key), count = 0;

    while (pex__members_next(&members, &member)) {
        if (!pex__member_is(&members, &member, key, key_length))
            continue;
        *last_begin = member.begin;
        *last_length = member.end - member.begin;
        count++;
    }
    return count;
}

int pex__edit_is_unique(const char *object, size_t length, char *const *keys, size_t depth)
{
    size_t begin, inner;

    for (size_t i = 0; i < depth; i++) {
        if (pex__edit_count(object, length, keys[i], &begin, &inner) != 1)
            return 0;
        object += begin;
        length = inner;
    }
    return 1;
}

size_t pex__edit_insertion(const char *object, size_t length, int *is_empty)
{
    size_t pos = length - 1;

    while ((unsigned char)object[pos - 1] <= ' ')
        pos--;
    *is_empty = pos == 1;
    return pos;
}

int pex__edit_stats_last(const char *object, size_t length, size_t *begin, size_t *end)
{
    struct pex__members members = pex__members_of(object, length);
    struct pex__member member;
    size_t count = 0, found_end = 0, before = 0, last = 0;

    for (; pex__members_next(&members, &member); last = member.end) {
        if (!pex__member_is(&members, &member, PEX__STATS_KEY, sizeof PEX__STATS_KEY - 1))
            continue;
        before = last;
        found_end = member.end;
        count++;
    }
    if (count != 1 || found_end != last || before == 0)
        return 0;
    *begin = (size_t)((const char *)memchr(object + before, ',', length - before) - object);
    *end = found_end;
    return 1;
}
