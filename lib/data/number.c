/* SPDX-License-Identifier: Apache-2.0 */
#include "data/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal digit string is decided by this many digits and whether anything follows them. */
#define DIGITS_MAX 800

/* Exponents beyond this are infinity or zero whatever the digits, as these are fewer than 2^32. */
#define EXPONENT_MAX 10000000000

/* The number as 0 <= digits < 10^19 times 10^exponent, if that is all of it. */
struct decimal {
    uint64_t digits;
    int64_t exponent;
    int is_exact;
    int is_negative;
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int pex__number_int64(const char *text, size_t length, int64_t *value)
{
    const char *end = text + length;
    int negative = *text == '-';
    uint64_t sum = 0, limit = (uint64_t)INT64_MAX + (uint64_t)negative;

    for (text += negative; text < end; text++) {
        uint64_t digit = (uint64_t)(*text - '0');

        if (!is_digit(*text) || sum > (limit - digit) / 10)
            return 0;
        sum = sum * 10 + digit;
    }
    *value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return 1;
}

static const char *read_exponent(const char *text, const char *end, int64_t *exponent)
{
    int negative = *text == '-';
    int64_t sum = 0;

    for (text += *text == '-' || *text == '+'; text < end; text++)
        if (sum < EXPONENT_MAX)
            sum = sum * 10 + (*text - '0');
    *exponent += negative ? -sum : sum;
    return text;
}

static struct decimal read_decimal(const char *text, const char *end)
{
    struct decimal number = {.is_exact = 1, .is_negative = *text == '-'};
    int in_fraction = 0;

    for (text += number.is_negative; text < end; text++) {
        if (*text == '.') {
            in_fraction = 1;
        } else if (!is_digit(*text)) {
            read_exponent(text + 1, end, &number.exponent);
            break;
        } else if (number.digits <= (UINT64_MAX - 9) / 10) {
            number.digits = number.digits * 10 + (uint64_t)(*text - '0');
            number.exponent -= in_fraction;
        } else {
            number.is_exact &= *text == '0';
            number.exponent += !in_fraction;
        }
    }
    return number;
}

/*
 * Rewrites the number for strtod as at most DIGITS_MAX significant digits and an exponent; a 1
 * stands for all digits behind them that are not zero. out has room for DIGITS_MAX + 40.
 */
static void shorten(const char *text, const char *end, char *out)
{
    int64_t exponent = 0;
    size_t count = 0;
    int in_fraction = 0, has_rest = 0;

    if (*text == '-')
        *out++ = *text++;
    for (; text < end; text++) {
        if (*text == '.') {
            in_fraction = 1;
        } else if (!is_digit(*text)) {
            read_exponent(text + 1, end, &exponent);
            break;
        } else if (count < DIGITS_MAX) {
            exponent -= in_fraction;
            if (count != 0 || *text != '0')
                out[count++] = *text;
        } else {
            exponent += !in_fraction;
            has_rest |= *text != '0';
        }
    }
    out[count++] = has_rest ? '1' : '0';
    sprintf(out + count, "e%lld", (long long)exponent - 1);
}

/* strtod under the C locale, which newlocale has at hand without allocating. */
static double convert(const char *text)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(text, NULL, c);

    freelocale(c);
    return value;
}

double pex__number_double(const char *text, size_t length)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal number = read_decimal(text, text + length);
    char shortened[DIGITS_MAX + 40];
    double value;

    /* Both operands are exact then, so the one operation rounds once. */
    if (number.is_exact && number.digits <= (uint64_t)1 << 53 && number.exponent >= -22 &&
        number.exponent <= 22) {
        value = (double)number.digits;
        value = number.exponent < 0 ? value / powers[-number.exponent]
                                    : value * powers[number.exponent];
        return number.is_negative ? -value : value;
    }
    shorten(text, text + length, shortened);
    return convert(shortened);
}

size_t pex__number_print_int64(int64_t value, char *out)
{
    char digits[20];
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    size_t count = 0, length = 0;

    do
        digits[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0)
        out[length++] = '-';
    while (count != 0)
        out[length++] = digits[--count];
    return length;
}
