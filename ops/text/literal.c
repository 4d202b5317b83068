/* SPDX-License-Identifier: Apache-2.0 */
#include "literal.h"

#include "number.h"
#include "unicode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a digit, up to 35 for z; 36 for what is none. */
static unsigned digit_value(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10 : 36;
}

/* The byte at `at`, or 0 at the end. */
static char byte_at(struct pex_string_view source, size_t at)
{
    return at < source.length ? source.data[at] : 0;
}

/* A number beyond 64 bits keeps its digits. */
static int32_t make_whole(struct pex__scratch *scratch, uint64_t whole, struct pex__value *value)
{
    if (whole <= INT64_MAX) {
        *value = (struct pex__value){.type = PEX__WHOLE, .as.whole = (int64_t)whole};
        return 0;
    }
    char *digits = pex__scratch_alloc(scratch, 24);
    if (!digits)
        return PEX_ENOMEM;
    int length = snprintf(digits, 24, "%" PRIu64, whole);
    *value = (struct pex__value){.type = PEX__LARGE, .as.text = {digits, (size_t)length}};
    return 0;
}

/* 0x1f, 0o17, 0b1_1: `at` is behind the letter. An underscore has a digit behind it. */
static int32_t read_based(struct pex__scratch *scratch, struct pex_string_view source, size_t *at,
                          unsigned base, struct pex__value *value, const char **fault)
{
    uint64_t whole = 0;
    size_t count = 0;
    for (;; (*at)++) {
        unsigned digit = digit_value(byte_at(source, *at));
        if (byte_at(source, *at) == '_' && digit_value(byte_at(source, *at + 1)) < base)
            continue;
        if (digit >= base)
            break;
        if (whole > (UINT64_MAX - digit) / base) {
            *fault = "a number with a base has more than 64 bits; write it in decimal";
            return PEX_EINVAL;
        }
        whole = whole * base + digit;
        count++;
    }
    *fault = "a number with a base has no digits";
    return count ? make_whole(scratch, whole, value) : PEX_EINVAL;
}

/* Digits with single underscores between them go to out, which has room. */
static void read_digits(struct pex_string_view source, size_t *at, char *out, size_t *length)
{
    for (;; (*at)++) {
        char c = byte_at(source, *at);
        if (is_digit(c))
            out[(*length)++] = c;
        else if (c == '_' && is_digit(byte_at(source, *at + 1)) &&
                 is_digit(byte_at(source, *at - 1)))
            continue;
        else
            return;
    }
}

static bool has_zero_in_front(const char *digits, size_t length)
{
    size_t zeros = strspn(digits, "0");
    return zeros > 0 && zeros < length;
}

static int32_t read_decimal(struct pex__scratch *scratch, struct pex_string_view source, size_t *at,
                            struct pex__value *value, const char **fault)
{
    size_t length = 0;
    bool is_whole = true;
    char *text = pex__scratch_alloc(scratch, source.length - *at + 2);
    if (!text)
        return PEX_ENOMEM;
    if (byte_at(source, *at) == '.')
        text[length++] = '0';
    read_digits(source, at, text, &length);
    if (byte_at(source, *at) == '.') {
        is_whole = false;
        text[length++] = '.';
        (*at)++;
        read_digits(source, at, text, &length);
    }
    if ((byte_at(source, *at) | 0x20) == 'e') {
        size_t sign = *at + 1;
        sign += byte_at(source, sign) == '+' || byte_at(source, sign) == '-';
        if (is_digit(byte_at(source, sign))) {
            is_whole = false;
            text[length++] = 'e';
            if (sign > *at + 1)
                text[length++] = source.data[*at + 1];
            *at = sign;
            read_digits(source, at, text, &length);
        }
    }
    text[length] = 0;
    if (is_whole && has_zero_in_front(text, length)) {
        *fault = "a whole number starts with 0; leave that out, or write 0o for octal";
        return PEX_EINVAL;
    }
    size_t zeros = is_whole && length > 1 ? strspn(text, "0") : 0;
    zeros -= zeros == length; /* 00 is 0 */
    int32_t rc = pex__number_parse((struct pex_string_view){text + zeros, length - zeros}, value);
    *fault = "a whole number has more than 4300 digits";
    return rc == PEX_EDATA ? PEX_EINVAL : rc;
}

int32_t pex__literal_number(struct pex__scratch *scratch, struct pex_string_view source, size_t *at,
                            struct pex__value *value, const char **fault)
{
    static const char letters[] = "xob";
    static const unsigned bases[] = {16, 8, 2};
    char letter = (char)(byte_at(source, *at + 1) | 0x20);
    const char *found =
        byte_at(source, *at) == '0' && letter != ' ' ? strchr(letters, letter) : NULL;
    int32_t rc;
    if (found && *found) {
        *at += 2;
        rc = read_based(scratch, source, at, bases[found - letters], value, fault);
    } else {
        rc = read_decimal(scratch, source, at, value, fault);
    }
    char next = byte_at(source, *at);
    if (!rc && (next == '_' || digit_value(next) < 36 || (unsigned char)next >= 0x80)) {
        *fault = next == 'j' || next == 'J' ? "complex numbers are not understood"
                                            : "a number goes on with what belongs to none";
        return PEX_EINVAL;
    }
    return rc;
}

/* A string in the making. */
struct writing {
    struct pex_string_view source;
    size_t at;
    char *out;
    size_t length;
    const char *fault;
};

/* Exactly `count` hexadecimal digits. */
static bool read_hex(struct writing *w, size_t count, uint32_t *point)
{
    *point = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned digit = digit_value(byte_at(w->source, w->at));
        if (digit >= 16)
            return false;
        *point = *point << 4 | digit;
        w->at++;
    }
    return *point <= 0x10FFFF;
}

static uint32_t read_octal(struct writing *w)
{
    uint32_t point = 0;
    for (int i = 0; i < 3 && digit_value(byte_at(w->source, w->at)) < 8; i++)
        point = point << 3 | digit_value(w->source.data[w->at++]);
    return point;
}

/* What stands behind a backslash; an unknown letter stays, and the backslash too. */
static bool decode_escape(struct writing *w)
{
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    char letter = byte_at(w->source, w->at);
    const char *simple = letter ? strchr(from, letter) : NULL;
    uint32_t point;
    if (simple) {
        w->out[w->length++] = to[simple - from];
        w->at++;
        return true;
    }
    if (letter == '\n') {
        w->at++;
        return true;
    }
    if (digit_value(letter) < 8) {
        w->length += pex__encode(w->out + w->length, read_octal(w));
        return true;
    }
    if (letter == 'x' || letter == 'u' || letter == 'U') {
        w->at++;
        w->fault = "an escape \\x, \\u or \\U has too few digits, or is no code point";
        if (!read_hex(w, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, &point))
            return false;
        w->length += pex__encode(w->out + w->length, point);
        return true;
    }
    w->fault = "names of characters are not known; write \\u and the number";
    if (letter == 'N')
        return false;
    w->out[w->length++] = '\\';
    return true;
}

static bool is_at(const struct writing *w, const char *text, size_t length)
{
    return w->source.length - w->at >= length && !memcmp(w->source.data + w->at, text, length);
}

/* The text up to the closing quotes, and past them. */
static bool read_body(struct writing *w, const char *quotes, size_t quote_count, bool is_raw)
{
    while (w->at < w->source.length) {
        char c = w->source.data[w->at];
        if (is_at(w, quotes, quote_count)) {
            w->at += quote_count;
            return true;
        }
        if (c == '\n' && quote_count == 1)
            break;
        w->at++;
        if (c != '\\') {
            w->out[w->length++] = c;
        } else if (is_raw) {
            w->out[w->length++] = c;
            if (w->at < w->source.length)
                w->out[w->length++] = w->source.data[w->at++];
        } else if (!decode_escape(w)) {
            return false;
        }
    }
    w->fault = "a string has no end";
    return false;
}

int32_t pex__literal_string(struct pex__scratch *scratch, struct pex_string_view source, size_t *at,
                            size_t prefix, struct pex__value *value, const char **fault)
{
    bool is_raw = false;
    *fault = "strings with the prefix b or f are not understood; leave it out";
    for (size_t i = 0; i < prefix; i++) {
        char letter = (char)(source.data[*at + i] | 0x20);
        if (letter != 'r' && letter != 'u')
            return PEX_EINVAL;
        is_raw |= letter == 'r';
    }
    struct writing w = {.source = source, .at = *at + prefix};
    /* An escape is never shorter than what it stands for. */
    w.out = pex__scratch_alloc(scratch, source.length - w.at + 4);
    if (!w.out)
        return PEX_ENOMEM;
    char quote = source.data[w.at];
    const char quotes[3] = {quote, quote, quote};
    size_t quote_count = is_at(&w, quotes, 3) ? 3 : 1;
    w.at += quote_count;
    bool is_good = read_body(&w, quotes, quote_count, is_raw);
    *at = w.at;
    *fault = w.fault;
    *value = pex__value_text((struct pex_string_view){w.out, w.length});
    return is_good ? 0 : PEX_EINVAL;
}
