/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest decimal of a double. */
#include "data/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* A positive double: mantissa * 2^exponent. */
struct binary {
    uint64_t mantissa;
    int exponent;
    int is_lowest; /* the gap to the double below is half as wide as the one above */
};

/* 0.DIGITS * 10^point */
struct decimal {
    uint64_t digits;
    int count;
    int point;
};

static struct binary split(double value)
{
    uint64_t bits, fraction;
    int exponent;

    memcpy(&bits, &value, sizeof bits);
    fraction = bits & (((uint64_t)1 << 52) - 1);
    exponent = (int)(bits >> 52);
    if (exponent == 0)
        return (struct binary){fraction, -1074, 0};
    return (struct binary){fraction | (uint64_t)1 << 52, exponent - 1075,
                           fraction == 0 && exponent != 1};
}

static uint64_t power(uint64_t base, int n)
{
    uint64_t product = 1;

    while (n-- > 0)
        product *= base;
    return product;
}

/*
 * Whether digits * 2^shift lies where `scaled` = mantissa * unit is the nearest of the doubles: up
 * to half a unit away, or a quarter below where the double is the lowest of its binade.
 */
static int reads_back(const struct binary *value, wide scaled, uint64_t unit, wide digits,
                      int shift)
{
    wide found = digits << shift, twice;

    if (found >= scaled)
        twice = (found - scaled) * 2;
    else
        twice = (scaled - found) * (value->is_lowest ? 4 : 2);
    return twice < unit || (twice == unit && (value->mantissa & 1) == 0);
}

/*
 * Rounds the value to `count` digits, exactly: value * 10^k = mantissa * 5^k * 2^(exponent + k),
 * and the first two factors fill at most 53 + 63 bits. Returns whether the result reads back.
 */
static int round_to(const struct binary *value, int count, struct decimal *decimal)
{
    int k = count - decimal->point, shift = -(value->exponent + k);
    uint64_t unit = power(5, k);
    wide scaled = value->mantissa * (wide)unit, digits = scaled >> shift;
    wide rest = scaled - (digits << shift), half = (wide)1 << (shift - 1);

    digits += rest > half || (rest == half && (digits & 1) != 0);
    decimal->count = count;
    decimal->digits = (uint64_t)digits;
    if (reads_back(value, scaled, unit, digits, shift))
        return 1;
    /* The interval of a lowest double reaches farther up than down: the next above may lie in it.
     */
    decimal->digits++;
    return value->is_lowest && reads_back(value, scaled, unit, digits + 1, shift);
}

/* For 1e-10 <= value < 1e15, where 128 bits are enough. */
static void shorten_exactly(double value, struct decimal *decimal)
{
    struct binary binary = split(value);
    int count = 15;

    /* 78913 / 2^18 is log10(2): the smallest of the binade decides, so this may be low by one. */
    decimal->point = (((binary.exponent + 52) * 78913) >> 18) + 1;
    round_to(&binary, 17, decimal);
    if (decimal->digits >= power(10, 17))
        decimal->point++;
    /* A decimal of fewer than 15 digits that reads back is what 15 digits round to, and zeros. */
    while (!round_to(&binary, count, decimal) && count < 17)
        count++;
}

static double read(const struct decimal *decimal)
{
    char text[48];

    snprintf(text, sizeof text, "%llue%d", (unsigned long long)decimal->digits,
             decimal->point - decimal->count);
    return strtod(text, NULL);
}

static void shorten_by_printf(double value, struct decimal *decimal)
{
    struct binary binary = split(value);
    char text[40];

    /* Doubles next to zero have fewer than 15 digits. */
    for (int count = value < 1e-300 ? 1 : 15; count <= 17; count++) {
        snprintf(text, sizeof text, "%.*e", count - 1, value);
        decimal->count = count;
        decimal->digits = (uint64_t)(text[0] - '0') * power(10, count - 1) +
                          (count > 1 ? strtoull(text + 2, NULL, 10) : 0);
        decimal->point = atoi(strchr(text, 'e') + 1) + 1;
        if (read(decimal) == value)
            return;
        decimal->digits++;
        if (binary.is_lowest && read(decimal) == value)
            return;
    }
}

/* printf and strtod must not meet the locale of the process. */
static void shorten_under_c(double value, struct decimal *decimal)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = uselocale(c);

    shorten_by_printf(value, decimal);
    uselocale(old);
    freelocale(c);
}

/* Zeros at the end are dropped, and so is the carry into one digit more. */
static void normalise(struct decimal *decimal)
{
    if (decimal->digits >= power(10, decimal->count)) {
        decimal->point++;
        decimal->count++;
    }
    while (decimal->digits % 10 == 0) {
        decimal->digits /= 10;
        decimal->count--;
    }
}

static char *fill(char *out, char c, int count)
{
    for (; count > 0; count--)
        *out++ = c;
    return out;
}

static char *put(char *out, const char *text, int count)
{
    memcpy(out, text, (size_t)count);
    return out + count;
}

static char *write_exponent(const char *digits, const struct decimal *decimal, char *out)
{
    int exponent = decimal->point - 1;

    *out++ = digits[0];
    if (decimal->count > 1) {
        *out++ = '.';
        out = put(out, digits + 1, decimal->count - 1);
    }
    return out + sprintf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static char *write_plain(const char *digits, const struct decimal *decimal, char *out)
{
    int count = decimal->count, point = decimal->point;

    if (point <= 0) {
        out = put(out, "0.", 2);
        out = fill(out, '0', -point);
        return put(out, digits, count);
    }
    if (point < count) {
        out = put(out, digits, point);
        *out++ = '.';
        return put(out, digits + point, count - point);
    }
    out = put(out, digits, count);
    out = fill(out, '0', point - count);
    return put(out, ".0", 2);
}

static char *write_decimal(const struct decimal *decimal, char *out)
{
    char digits[24];

    pex__number_print_int64((int64_t)decimal->digits, digits);
    if (decimal->point < -3 || decimal->point > 16)
        return write_exponent(digits, decimal, out);
    return write_plain(digits, decimal, out);
}

size_t pex__number_print_double(double value, char *out)
{
    struct decimal decimal = {0, 0, 0};
    char *to = out;
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63 != 0) {
        *to++ = '-';
        value = -value;
    }
    if (value == 0)
        return (size_t)(put(to, "0.0", 3) - out);
    if (value >= 1e-10 && value < 1e15)
        shorten_exactly(value, &decimal);
    else
        shorten_under_c(value, &decimal);
    normalise(&decimal);
    return (size_t)(write_decimal(&decimal, to) - out);
}
