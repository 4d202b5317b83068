/* SPDX-License-Identifier: Apache-2.0 */
#include "normal.h"
#include "text.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

#define CAPITAL_SIGMA 0x3A3
#define SMALL_SIGMA 0x3C3
#define FINAL_SIGMA 0x3C2

static bool is_ignored(const struct pex__normal *normal, uint32_t point)
{
    if (normal->ignored == 0)
        return false;
    if (pex__unicode_class(point) & normal->ignored)
        return true;
    return (point >= 0x21 && point <= 0x2F) || (point >= 0x3A && point <= 0x40) ||
           (point >= 0x5B && point <= 0x60) || (point >= 0x7B && point <= 0x7E);
}

/* Whether the next code point that is not case-ignorable has a case. */
static bool is_cased_next(struct pex_string_view text, size_t at)
{
    size_t size;
    for (; at < text.length; at += size) {
        uint32_t class = pex__unicode_class(pex__decode(text.data + at, &size));
        if (!(class & PEX__IGNORABLE))
            return class & PEX__CASED;
    }
    return false;
}

/* The same for the code point before. */
static bool is_cased_before(struct pex_string_view text, size_t at)
{
    while (at > 0) {
        uint32_t class = pex__unicode_class(pex__decode_before(text.data, at, &at));
        if (!(class & PEX__IGNORABLE))
            return class & PEX__CASED;
    }
    return false;
}

/* Lower case of the code point at `at`, one or two; a sigma at the end of a word has its own. */
static size_t lower_points(struct pex_string_view text, size_t at, size_t size, uint32_t points[2])
{
    if (!(pex__unicode_class(points[0]) & PEX__LOWERS))
        return 1;
    if (points[0] == CAPITAL_SIGMA) {
        bool is_final = is_cased_before(text, at) && !is_cased_next(text, at + size);
        points[0] = is_final ? FINAL_SIGMA : SMALL_SIGMA;
        return 1;
    }
    const struct pex__lower *lower = pex__unicode_lower_of(points[0]);
    points[0] = lower->to[0];
    points[1] = lower->to[1];
    return points[1] ? 2 : 1;
}

static size_t write_normal(const struct pex__normal *normal, struct pex_string_view text, char *out)
{
    size_t written = 0, size;
    for (size_t at = 0; at < text.length; at += size) {
        unsigned char first = (unsigned char)text.data[at];
        if (first < 0x80) {
            out[written] = normal->ascii[first];
            written += normal->ascii_size[first];
            size = 1;
            continue;
        }
        uint32_t points[2] = {pex__decode(text.data + at, &size), 0};
        size_t count = normal->lowercase ? lower_points(text, at, size, points) : 1;
        for (size_t i = 0; i < count; i++)
            if (!is_ignored(normal, points[i]))
                written += pex__encode(out + written, points[i]);
    }
    return written;
}

void pex__normal_init(struct pex__normal *normal, bool lowercase, uint32_t ignored)
{
    memset(normal, 0, sizeof(*normal));
    normal->lowercase = lowercase;
    normal->ignored = ignored;
    for (unsigned c = 0; c < 128; c++) {
        bool is_upper = c >= 'A' && c <= 'Z';
        normal->ascii[c] = (char)(lowercase && is_upper ? c | 0x20 : c);
        normal->ascii_size[c] = !is_ignored(normal, c);
    }
}

int32_t pex__normal_form(struct pex__normal *normal, struct pex_string_view text,
                         struct pex_string_view *out)
{
    if (!normal->lowercase && normal->ignored == 0) {
        *out = pex__text_strip(text);
        return 0;
    }
    /* Two bytes may become three: U+0130, U+023A. */
    size_t need = text.length + text.length / 2 + 4;
    if (need > normal->capacity) {
        char *grown = realloc(normal->buffer, need);
        if (!grown)
            return PEX_ENOMEM;
        normal->buffer = grown;
        normal->capacity = need;
    }
    struct pex_string_view written = {normal->buffer, write_normal(normal, text, normal->buffer)};
    *out = pex__text_strip(written);
    return 0;
}

/* Written so that a compiler makes vector instructions of it. */
static void lower_ascii(const char *text, size_t length, char *out)
{
    for (size_t i = 0; i < length; i++)
        out[i] = (char)(text[i] + ((unsigned char)(text[i] - 'A') < 26 ? 32 : 0));
}

int32_t pex__lower_append(struct pex__bytes *out, struct pex_string_view text)
{
    static const size_t stride = 64;
    size_t size;
    if (pex__bytes_reserve(out, text.length + text.length / 2 + 4))
        return PEX_ENOMEM;
    for (size_t at = 0; at < text.length;) {
        size_t end = at;
        while (end < text.length && !(text.data[end] & 0x80) && end - at < stride)
            end++;
        lower_ascii(text.data + at, end - at, out->data + out->length);
        out->length += end - at;
        at = end;
        if (at == text.length || !(text.data[at] & 0x80))
            continue;
        uint32_t points[2] = {pex__decode(text.data + at, &size), 0};
        size_t count = lower_points(text, at, size, points);
        for (size_t i = 0; i < count; i++)
            out->length += pex__encode(out->data + out->length, points[i]);
        at += size;
    }
    return 0;
}

bool pex__has_surrogate(struct pex_string_view text)
{
    const char *at = text.data, *end = text.data + text.length;
    while (at < end && (at = memchr(at, 0xED, (size_t)(end - at)))) {
        if ((unsigned char)at[1] >= 0xA0)
            return true;
        at += 3;
    }
    return false;
}
