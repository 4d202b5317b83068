/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (!memory) {
        fputs("fake host: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (arena->count == arena->capacity) {
        arena->capacity = arena->capacity * 2 + 64;
        arena->piece = must(realloc(arena->piece, arena->capacity * sizeof(*arena->piece)));
    }
    return arena->piece[arena->count++] = must(calloc(1, size ? size : 1));
}

void arena_free(struct arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        free(arena->piece[i]);
    free(arena->piece);
    memset(arena, 0, sizeof(*arena));
}

struct pex_string_view arena_copy(struct arena *arena, const char *data, size_t length)
{
    char *copy = arena_alloc(arena, length);
    if (length)
        memcpy(copy, data, length);
    return (struct pex_string_view){copy, length};
}

struct pex_string_view arena_print(struct arena *arena, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    struct pex_string_view made = arena_copy(arena, must(length < 0 ? NULL : text), (size_t)length);
    free(text);
    return made;
}

bool view_equal(struct pex_string_view a, struct pex_string_view b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool view_is(struct pex_string_view view, const char *text)
{
    return view_equal(view, (struct pex_string_view){text, strlen(text)});
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at))
        at++;
    return at;
}

static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at + 1;
}

static const char *skip_value(const char *at, const char *end)
{
    size_t depth = 0;
    for (; at < end; at++) {
        if (*at == '"') {
            at = skip_string(at) - 1;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return at;
            depth--;
        } else if (depth == 0 && strchr(", \t\r\n", *at)) {
            return at;
        }
        if (depth == 0 && strchr("\"}]", *at))
            return at + 1;
    }
    return at;
}

struct members json_members(struct arena *arena, struct pex_string_view json)
{
    struct members found = {0};
    size_t capacity = 0;
    if (!json.data)
        return found;
    const char *end = json.data + json.length, *at = skip_space(json.data, end);
    bool is_object = at < end && *at == '{';
    for (at = skip_space(at + 1, end); at < end && *at != '}' && *at != ']';
         at = skip_space(at, end)) {
        struct member member = {0};
        if (is_object) {
            const char *key = at;
            at = skip_string(at);
            member.key = json_string(arena, (struct pex_string_view){key, (size_t)(at - key)});
            at = skip_space(skip_space(at, end) + 1, end);
        }
        const char *value = at;
        at = skip_value(at, end);
        member.value = (struct pex_string_view){value, (size_t)(at - value)};
        at = skip_space(at, end);
        if (at < end && *at == ',')
            at++;
        if (found.count == capacity) {
            struct member *old = found.item;
            capacity = capacity * 2 + 8;
            found.item = arena_alloc(arena, capacity * sizeof(member));
            if (old)
                memcpy(found.item, old, found.count * sizeof(member));
        }
        found.item[found.count++] = member;
    }
    return found;
}

struct pex_string_view json_get(struct arena *arena, struct pex_string_view object, const char *key)
{
    struct members members = json_members(arena, object);
    struct pex_string_view value = {0};
    for (size_t i = 0; i < members.count; i++)
        if (view_is(members.item[i].key, key))
            value = members.item[i].value;
    return value;
}

/* Cuts the first key off a dotted path. */
static struct pex_string_view path_head(struct pex_string_view *path)
{
    const char *dot = path->length ? memchr(path->data, '.', path->length) : NULL;
    struct pex_string_view head = *path;
    if (!dot) {
        path->length = 0;
        return head;
    }
    head.length = (size_t)(dot - path->data);
    path->data = dot + 1;
    path->length -= head.length + 1;
    return head;
}

struct pex_string_view json_path(struct arena *arena, struct pex_string_view object,
                                 struct pex_string_view path)
{
    struct pex_string_view value = object;
    while (path.length && value.data) {
        struct pex_string_view head = path_head(&path), found = {0};
        if (value.data[0] == '{') {
            struct members members = json_members(arena, value);
            for (size_t i = 0; i < members.count; i++)
                if (view_equal(members.item[i].key, head))
                    found = members.item[i].value;
        }
        value = found;
    }
    return value;
}

struct pex_string_view json_with(struct arena *arena, struct pex_string_view object,
                                 struct pex_string_view key, struct pex_string_view value)
{
    struct members members = json_members(arena, object);
    struct pex_string_view made = {"{", 1};
    bool is_there = false;
    for (size_t i = 0; i <= members.count; i++) {
        struct member member = {key, value};
        if (i < members.count) {
            bool is_it = view_equal(members.item[i].key, key);
            member.key = members.item[i].key;
            member.value = is_it ? value : members.item[i].value;
            is_there |= is_it;
        } else if (is_there) {
            break;
        }
        if (!member.value.data)
            continue;
        struct pex_string_view quoted = json_quote(arena, member.key);
        made = arena_print(arena, "%.*s%s%.*s:%.*s", (int)made.length, made.data,
                           made.length > 1 ? "," : "", (int)quoted.length, quoted.data,
                           (int)member.value.length, member.value.data);
    }
    return arena_print(arena, "%.*s}", (int)made.length, made.data);
}

struct pex_string_view json_with_path(struct arena *arena, struct pex_string_view object,
                                      struct pex_string_view path, struct pex_string_view value)
{
    struct pex_string_view head = path_head(&path);
    if (path.length) {
        struct pex_string_view inner = json_path(arena, object, head);
        if (!inner.data || inner.data[0] != '{')
            inner = (struct pex_string_view){"{}", 2};
        value = json_with_path(arena, inner, path, value);
    }
    return json_with(arena, object, head, value);
}

static size_t put_point(char *out, unsigned point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | point >> 6);
        out[1] = (char)(0x80 | (point & 63));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xE0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 63));
        out[2] = (char)(0x80 | (point & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 63));
    out[2] = (char)(0x80 | (point >> 6 & 63));
    out[3] = (char)(0x80 | (point & 63));
    return 4;
}

static unsigned hex4(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], 0};
    return (unsigned)strtoul(digits, NULL, 16);
}

static size_t put_escape(char *out, const char **at, const char *end)
{
    static const char letters[] = "bfnrt\"\\/", values[] = "\b\f\n\r\t\"\\/";
    char letter = (*at)[1];
    if (letter != 'u') {
        out[0] = values[strchr(letters, letter) - letters];
        *at += 2;
        return 1;
    }
    unsigned point = hex4(*at + 2);
    *at += 6;
    if (point >= 0xD800 && point < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' &&
        (*at)[1] == 'u') {
        unsigned second = hex4(*at + 2);
        if (second >= 0xDC00 && second < 0xE000) {
            *at += 6;
            point = 0x10000 + ((point - 0xD800) << 10) + (second - 0xDC00);
        }
    }
    return put_point(out, point);
}

struct pex_string_view json_token(struct pex_string_view json, bool *is_escaped)
{
    struct pex_string_view token = {json.data + 1, json.length - 2};
    *is_escaped = memchr(token.data, '\\', token.length);
    return token;
}

struct pex_string_view json_string(struct arena *arena, struct pex_string_view json)
{
    bool is_escaped;
    struct pex_string_view token = json_token(json, &is_escaped);
    char *out = arena_alloc(arena, token.length);
    size_t length = 0;
    for (const char *at = token.data, *end = at + token.length; at < end;) {
        if (*at == '\\')
            length += put_escape(out + length, &at, end);
        else
            out[length++] = *at++;
    }
    return arena_copy(arena, out, length);
}

struct pex_string_view json_quote(struct arena *arena, struct pex_string_view text)
{
    char *out = arena_alloc(arena, text.length * 6 + 3);
    size_t length = 0;
    out[length++] = '"';
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == 0xED && (unsigned char)text.data[i + 1] >= 0xA0) {
            unsigned point = 0xD000u | ((unsigned)text.data[i + 1] & 63u) << 6 |
                             ((unsigned)text.data[i + 2] & 63u);
            length += (size_t)sprintf(out + length, "\\u%04x", point);
            i += 2;
        } else if (c < 0x20 || c == '"' || c == '\\') {
            length += (size_t)sprintf(out + length, "\\u%04x", c);
        } else {
            out[length++] = (char)c;
        }
    }
    out[length++] = '"';
    return arena_copy(arena, out, length);
}
