/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include "unicode.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A long double holds every int64 and every double. */
_Static_assert(LDBL_MANT_DIG >= 64, "int64 and double are compared as long double");

#define TWO_63 9223372036854775808.0
#define ROOM 400 /* enough for the digits of every double */

/* strtod of the locale "C", whatever the host has set. */
static double read_double(const char *text)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return strtod(text, NULL);
    double real = strtod_l(text, NULL, plain);
    freelocale(plain);
    return real;
}

bool pex__number_double(const struct pex__value *number, double *real)
{
    char digits[PEX__DIGITS_MAX + 2];
    switch (number->type) {
    case PEX__BOOL:
        *real = number->as.truth;
        return true;
    case PEX__WHOLE:
        *real = (double)number->as.whole;
        return true;
    case PEX__REAL:
        *real = number->as.real;
        return true;
    default:
        memcpy(digits, number->as.text.data, number->as.text.length);
        digits[number->as.text.length] = 0;
        *real = read_double(digits);
        return isfinite(*real);
    }
}

static void put_big_endian(char *key, uint64_t bits)
{
    for (int i = 0; i < 8; i++)
        key[i] = (char)(bits >> (56 - 8 * i));
}

/* The bits of a double turn into its order if negative ones are inverted and others get the sign.
 */
static void put_double(char *key, double real)
{
    uint64_t bits;
    real += 0.0; /* there is one zero */
    memcpy(&bits, &real, sizeof(bits));
    put_big_endian(key, bits >> 63 ? ~bits : bits | (uint64_t)1 << 63);
}

/* The digits of a whole number that is no int64, without the sign. */
static size_t digits_of(const struct pex__value *number, double real, char *digits)
{
    if (number->type == PEX__LARGE) {
        size_t sign = number->as.text.data[0] == '-';
        memcpy(digits, number->as.text.data + sign, number->as.text.length - sign);
        return number->as.text.length - sign;
    }
    char text[ROOM];
    int length = number->type == PEX__WHOLE
                     ? snprintf(text, sizeof(text), "%lld", (long long)number->as.whole)
                     : snprintf(text, sizeof(text), "%.0f", real);
    size_t sign = text[0] == '-';
    memcpy(digits, text + sign, (size_t)length - sign);
    return (size_t)length - sign;
}

/*
 * Behind the nearest double, which is right but for what was rounded away, stands that: of numbers
 * below 2^63 the difference, of larger ones all digits, longer ones being larger.
 */
size_t pex__number_key(const struct pex__value *number, char key[PEX__NUMBER_KEY_MAX])
{
    double real;
    pex__number_double(number, &real);
    put_double(key, real);
    if (isinf(real) && number->type == PEX__REAL) {
        memset(key + 8, real > 0 ? 0xFF : 0, 2);
        return 10;
    }
    if (fabs(real) < TWO_63) {
        int64_t rest = number->type == PEX__WHOLE ? number->as.whole - (int64_t)real : 0;
        uint16_t biased = (uint16_t)(rest + 0x8000);
        key[8] = (char)(biased >> 8);
        key[9] = (char)biased;
        return 10;
    }
    size_t count = digits_of(number, real, key + 10);
    key[8] = (char)(count >> 8);
    key[9] = (char)count;
    for (size_t i = 8; real < 0 && i < 10 + count; i++)
        key[i] = (char)~key[i];
    return 10 + count;
}

static int64_t whole_of(const struct pex__value *number)
{
    return number->type == PEX__BOOL ? number->as.truth : number->as.whole;
}

int pex__number_compare(const struct pex__value *a, const struct pex__value *b)
{
    if (a->type == PEX__LARGE || b->type == PEX__LARGE) {
        char x[PEX__NUMBER_KEY_MAX], y[PEX__NUMBER_KEY_MAX];
        size_t m = pex__number_key(a, x), n = pex__number_key(b, y);
        return memcmp(x, y, m < n ? m : n);
    }
    if (a->type != PEX__REAL && b->type != PEX__REAL) {
        int64_t x = whole_of(a), y = whole_of(b);
        return (x > y) - (x < y);
    }
    long double x = a->type == PEX__REAL ? (long double)a->as.real : (long double)whole_of(a);
    long double y = b->type == PEX__REAL ? (long double)b->as.real : (long double)whole_of(b);
    return (x > y) - (x < y);
}

static bool is_whole(struct pex_string_view json)
{
    for (size_t i = 0; i < json.length; i++)
        if (json.data[i] == '.' || json.data[i] == 'e' || json.data[i] == 'E')
            return false;
    return true;
}

/* The text in memory that ends in NUL: in `room` of ROOM bytes if it fits, else in *heap. */
static char *terminated(struct pex_string_view text, char *room, char **heap)
{
    char *copy = text.length < ROOM ? room : (*heap = malloc(text.length + 1));
    if (!copy)
        return NULL;
    memcpy(copy, text.data, text.length);
    copy[text.length] = 0;
    return copy;
}

int32_t pex__number_parse(struct pex_string_view json, struct pex__value *number)
{
    char room[ROOM], *heap = NULL;
    bool whole = is_whole(json);
    if (whole && json.length > PEX__DIGITS_MAX + (json.data[0] == '-'))
        return PEX_EDATA;
    char *text = terminated(json, room, &heap);
    if (!text)
        return PEX_ENOMEM;
    if (whole) {
        errno = 0;
        *number =
            (struct pex__value){.type = PEX__WHOLE, .as.whole = (int64_t)strtoll(text, NULL, 10)};
        if (errno == ERANGE)
            *number = (struct pex__value){.type = PEX__LARGE, .as.text = json};
    } else {
        *number = (struct pex__value){.type = PEX__REAL, .as.real = read_double(text)};
    }
    free(heap);
    return 0;
}

/* Digits of a script lie together from zero to nine, and so do scripts beside each other. */
static char digit_of(uint32_t point)
{
    uint32_t first = point;
    while (pex__unicode_class(first - 1) & PEX__PY_DIGIT)
        first--;
    return (char)('0' + (point - first) % 10);
}

/* A blank, digit or other character as one of ASCII. */
static char plain_of(uint32_t point)
{
    if (point < 0x80)
        return (char)point;
    uint32_t class = pex__unicode_class(point);
    return class & PEX__STRIP ? ' ' : class & PEX__PY_DIGIT ? digit_of(point) : '?';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

/* What strtod reads and float() too; strtod also knows hexadecimal and nan(..). */
static bool is_float(const char *text)
{
    const char *at = text + (*text == '+' || *text == '-');
    if (!strcasecmp(at, "inf") || !strcasecmp(at, "infinity") || !strcasecmp(at, "nan"))
        return true;
    const char *start = at;
    at = skip_digits(at);
    size_t digits = (size_t)(at - start);
    if (*at == '.') {
        start = ++at;
        at = skip_digits(at);
        digits += (size_t)(at - start);
    }
    if (digits == 0)
        return false;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        if (!is_digit(*at))
            return false;
        at = skip_digits(at);
    }
    return *at == 0;
}

/* Takes out underscores; false where one is not between digits. */
static bool join_digits(char *text)
{
    char *to = text, before = 0;
    for (char *at = text; *at; before = *at++) {
        if ((*at == '_' && !is_digit(before)) || (before == '_' && !is_digit(*at)))
            return false;
        if (*at != '_')
            *to++ = *at;
    }
    *to = 0;
    return before != '_';
}

/* Of ASCII less counts than for strip(). */
static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The text in ASCII, without the blanks around it; plain has room for its length and a NUL. */
static bool make_plain(struct pex_string_view text, char *plain)
{
    size_t length = 0, start = 0, size;
    for (size_t at = 0; at < text.length; at += size) {
        char c = plain_of(pex__decode(text.data + at, &size));
        if (c == 0)
            return false;
        plain[length++] = c;
    }
    while (length > 0 && is_blank(plain[length - 1]))
        length--;
    while (start < length && is_blank(plain[start]))
        start++;
    memmove(plain, plain + start, length - start);
    plain[length - start] = 0;
    return true;
}

bool pex__number_read(struct pex_string_view text, double *real, int32_t *rc)
{
    char room[ROOM], *heap = NULL;
    char *plain = text.length < ROOM ? room : (heap = malloc(text.length + 1));
    *rc = plain ? 0 : PEX_ENOMEM;
    bool is_number = plain && make_plain(text, plain) && join_digits(plain) && is_float(plain);
    if (is_number)
        *real = read_double(plain);
    free(heap);
    return is_number;
}
