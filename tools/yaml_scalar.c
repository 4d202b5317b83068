/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

enum number_kind { NUMBER_NONE, NUMBER_INTEGER, NUMBER_FLOAT, NUMBER_BASE_60, NUMBER_NOT_FINITE };

static int is_one_of(const char *text, const char *const *names)
{
    while (*names && strcmp(text, *names) != 0)
        names++;
    return *names != NULL;
}

static int is_null(const char *text)
{
    static const char *const names[] = {"", "~", "null", "Null", "NULL", NULL};

    return is_one_of(text, names);
}

static int is_true(const char *text)
{
    static const char *const names[] = {"yes",  "Yes", "YES", "true", "True",
                                        "TRUE", "on",  "On",  "ON",   NULL};

    return is_one_of(text, names);
}

static int is_false(const char *text)
{
    static const char *const names[] = {"no",    "No",  "NO",  "false", "False",
                                        "FALSE", "off", "Off", "OFF",   NULL};

    return is_one_of(text, names);
}

static int is_not_finite(const char *text, int has_sign)
{
    static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const not_numbers[] = {".nan", ".NaN", ".NAN", NULL};

    return is_one_of(text, infinities) || (!has_sign && is_one_of(text, not_numbers));
}

static const char *skip_sign(const char *text)
{
    return text + (*text == '-' || *text == '+');
}

/* Past one or more digits of `set` (underscores among them), or NULL. */
static const char *skip_some(const char *text, const char *set)
{
    size_t length = strspn(text, set);

    return length > 0 ? text + length : NULL;
}

static int all_of(const char *text, const char *set)
{
    const char *end = skip_some(text, set);

    return end && *end == '\0';
}

/* Past the parts `:59` of a number in base 60. */
static const char *skip_base_60(const char *text)
{
    while (text[0] == ':' && strspn(text + 1, DIGITS) > 0) {
        size_t length = strspn(text + 1, DIGITS);

        if (length > 2 || (length == 2 && text[1] > '5'))
            break;
        text += 1 + length;
    }
    return text;
}

/* An exponent needs its sign: 1.5e3 is text to a YAML 1.1 loader, and so it is here. */
static int is_exponent_or_end(const char *text)
{
    if (*text == '\0')
        return 1;
    return (*text == 'e' || *text == 'E') && (text[1] == '-' || text[1] == '+') &&
           all_of(text + 2, DIGITS);
}

static enum number_kind integer_kind(const char *text)
{
    if (text[0] == '0') {
        if (text[1] == 'b')
            return all_of(text + 2, "01_") ? NUMBER_INTEGER : NUMBER_NONE;
        if (text[1] == 'x')
            return all_of(text + 2, DIGITS "abcdefABCDEF_") ? NUMBER_INTEGER : NUMBER_NONE;
        return text[1] == '\0' || all_of(text + 1, "01234567_") ? NUMBER_INTEGER : NUMBER_NONE;
    }
    if (*text < '1' || *text > '9')
        return NUMBER_NONE;
    text = skip_some(text, DIGITS "_");
    if (*text == '\0')
        return NUMBER_INTEGER;
    return *text == ':' && *skip_base_60(text) == '\0' ? NUMBER_BASE_60 : NUMBER_NONE;
}

static enum number_kind float_kind(const char *text, int has_sign)
{
    const char *end;

    if (is_not_finite(text, has_sign))
        return NUMBER_NOT_FINITE;
    if (*text == '.') {
        if (has_sign || !strchr(DIGITS, text[1]) || text[1] == '\0')
            return NUMBER_NONE;
        return is_exponent_or_end(skip_some(text + 1, DIGITS "_")) ? NUMBER_FLOAT : NUMBER_NONE;
    }
    if (*text < '0' || *text > '9')
        return NUMBER_NONE;
    end = skip_some(text, DIGITS "_");
    if (*end == ':') {
        end = skip_base_60(end);
        return *end == '.' && end[1 + strspn(end + 1, DIGITS "_")] == '\0' ? NUMBER_BASE_60
                                                                           : NUMBER_NONE;
    }
    if (*end != '.')
        return NUMBER_NONE;
    return is_exponent_or_end(end + 1 + strspn(end + 1, DIGITS "_")) ? NUMBER_FLOAT : NUMBER_NONE;
}

static enum number_kind number_kind(const char *text)
{
    const char *digits = skip_sign(text);
    enum number_kind kind = integer_kind(digits);

    return kind != NUMBER_NONE ? kind : float_kind(digits, digits != text);
}

static void drop_underscores(char *text)
{
    char *to = text;

    for (; *text; text++) {
        if (*text != '_')
            *to++ = *text;
    }
    *to = '\0';
}

/* digits: sign and number without underscores. */
static json_t *integer_value(char *digits, const char **problem)
{
    char *number = digits + (*digits == '-' || *digits == '+');
    int base = 10;
    char *end;
    long long value;

    if (number[0] == '0' && number[1] == 'x') {
        base = 16;
    } else if (number[0] == '0' && number[1] == 'b') {
        /* strtoll of glibc 2.36 does not know the prefix. */
        memmove(number, number + 2, strlen(number + 2) + 1);
        base = 2;
    } else if (number[0] == '0') {
        base = 8;
    }
    errno = 0;
    value = strtoll(digits, &end, base);
    if (errno == ERANGE) {
        *problem = "is an integer of more than 64 bits; write it in quotes to make it text";
        return NULL;
    }
    if (*end != '\0' || end == digits) {
        *problem = "is an integer without digits; write it in quotes to make it text";
        return NULL;
    }
    return json_integer(value);
}

static json_t *float_value(const char *digits, const char **problem)
{
    double value = strtod(digits, NULL);

    if (!isfinite(value)) {
        *problem = "is out of the range of a double; write it in quotes to make it text";
        return NULL;
    }
    return json_real(value);
}

static json_t *number_value(const char *text, enum number_kind kind, const char **problem)
{
    char *digits;
    json_t *value;

    if (kind == NUMBER_BASE_60) {
        *problem = "is a number in base 60 to YAML 1.1; write it in quotes to make it text";
        return NULL;
    }
    if (kind == NUMBER_NOT_FINITE) {
        *problem = "is not finite, and JSON has no such number; leave the key out or give a number";
        return NULL;
    }
    digits = strdup(text);
    if (!digits)
        return NULL;
    drop_underscores(digits);
    value = kind == NUMBER_INTEGER ? integer_value(digits, problem) : float_value(digits, problem);
    free(digits);
    return value;
}

json_t *yaml_scalar_resolve(const char *text, const char **problem)
{
    enum number_kind kind;

    *problem = "cannot be kept: out of memory";
    if (is_null(text))
        return json_null();
    if (is_true(text))
        return json_true();
    if (is_false(text))
        return json_false();
    kind = number_kind(text);
    return kind == NUMBER_NONE ? json_string(text) : number_value(text, kind, problem);
}
