/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "data/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *printed(double value)
{
    static char text[PEX__NUMBER_TEXT + 1];

    text[pex__number_print_double(value, text)] = '\0';
    return text;
}

static double parsed(const char *text)
{
    return pex__number_double(text, strlen(text));
}

START_TEST(doubles_print_as_python_prints_them)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {5, "5.0"},
        {-0.0, "-0.0"},
        {1e16, "1e+16"},
        {9999999999999998, "9999999999999998.0"},
        {123456789012345680, "1.2345678901234568e+17"},
        {1e-7, "1e-07"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-24, "5.960464477539063e-08"},
        {9007199254740992, "9007199254740992.0"},
        {-1234.5, "-1234.5"},
        {100, "100.0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(printed(cases[i].value), cases[i].text);
}
END_TEST

START_TEST(numbers_read_exactly)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"-12.5e1", -125},
        {"1e22", 1e22},
        {"9007199254740993", 9007199254740992},
        {"9007199254740993.00000000000000000000000000000001", 9007199254740994},
        {"2.4703282292062327e-324", 0},
        {"2.4703282292062328e-324", 5e-324},
        {"1.7976931348623159e308", INFINITY},
        {"1e400", INFINITY},
        {"-1e99999999999999999999", -INFINITY},
        {"0e99999999999999999999", 0},
        {"1e-99999999999999999999", 0},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(parsed(cases[i].text) == cases[i].value, "%s", cases[i].text);
}
END_TEST

START_TEST(any_number_of_digits_counts)
{
    char text[4100];

    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    text[4000] = '1';
    ck_assert(pex__number_double(text, 4001) == 9007199254740994);
    ck_assert(pex__number_double(text, 4000) == 9007199254740992);
    memcpy(text, "0.", 2);
    memset(text + 2, '0', 3000);
    memcpy(text + 3002, "15e3001", 8);
    ck_assert(parsed(text) == 1.5);
}
END_TEST

START_TEST(integers_fit_or_are_none)
{
    int64_t value;

    ck_assert(pex__number_int64("-9223372036854775808", 20, &value) && value == INT64_MIN);
    ck_assert(pex__number_int64("9223372036854775807", 19, &value) && value == INT64_MAX);
    ck_assert(!pex__number_int64("9223372036854775808", 19, &value));
    ck_assert(!pex__number_int64("-9223372036854775809", 20, &value));
    ck_assert(!pex__number_int64("99999999999999999999", 20, &value));
    ck_assert(!pex__number_int64("1.0", 3, &value));
    ck_assert(!pex__number_int64("1e2", 3, &value));
    ck_assert(pex__number_int64("-0", 2, &value) && value == 0);
}
END_TEST

/* Random bits, printed and read by us and by the C library. */
START_TEST(printing_and_reading_are_inverse)
{
    uint64_t bits = 88172645463325252u;

    for (int i = 0; i < 20000; i++) {
        double value;
        char text[PEX__NUMBER_TEXT + 1];

        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        if (i % 2 != 0)
            value = (double)(int64_t)(bits >> 20) / (double)(1 + (bits & 0xFFFF));
        text[pex__number_print_double(value, text)] = '\0';
        ck_assert_msg(parsed(text) == value, "%a %s", value, text);
        ck_assert_msg(strtod(text, NULL) == value, "%a %s", value, text);
    }
}
END_TEST

START_TEST(the_locale_has_no_say)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
    size_t i = 0;

    while (i < 3 && setlocale(LC_ALL, names[i]) == NULL)
        i++;
    printf("# locale %s\n", i < 3 ? names[i] : "C");
    ck_assert(parsed("1.7976931348623157e308") == 1.7976931348623157e308);
    ck_assert_str_eq(printed(1.5e300), "1.5e+300");
    setlocale(LC_ALL, "C");
}
END_TEST

TCase *cases_of_numbers(void)
{
    TCase *cases = tcase_create("numbers");

    tcase_add_test(cases, doubles_print_as_python_prints_them);
    tcase_add_test(cases, numbers_read_exactly);
    tcase_add_test(cases, any_number_of_digits_counts);
    tcase_add_test(cases, integers_fit_or_are_none);
    tcase_add_test(cases, printing_and_reading_are_inverse);
    tcase_add_test(cases, the_locale_has_no_say);
    return cases;
}
