/* SPDX-License-Identifier: Apache-2.0 */
/* What an analysis counts in, beside the sorted list of all that went in. */
#include "number_bag.h"
#include "value_bag.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBERS = 4000, ROUNDS = 40, KINDS = 7, LIMIT = 200 };

static uint64_t test_seed(void)
{
    const char *given = getenv("PEX_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);

    printf("# PEX_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed * 2 + 1;
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double uniform(uint64_t *state)
{
    return (double)(next(state) >> 11) / (double)(UINT64_C(1) << 53);
}

static double any_number(uint64_t *state, int kind)
{
    switch (kind) {
    case 0:
        return floor(uniform(state) * 50);
    case 1:
        return uniform(state);
    case 2:
        return (uniform(state) - 0.5) * 1e9;
    case 3:
        return exp(40 * uniform(state) - 20);
    case 4:
        return -floor(uniform(state) * 1e6);
    case 5:
        return next(state) % 3 ? uniform(state) : 0;
    default:
        return 7.25;
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void fill(struct number_bag *bag, size_t limit, const double *numbers, size_t count)
{
    number_bag_init(bag, limit);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(number_bag_add(bag, numbers[i]), 0);
    ck_assert_int_eq(number_bag_sort(bag), 0);
}

static size_t distinct_of(const double *sorted, size_t count)
{
    size_t distinct = count > 0;

    for (size_t i = 1; i < count; i++)
        distinct += sorted[i] != sorted[i - 1];
    return distinct;
}

static void check_near(double found, double expected, double rounding, double scale)
{
    double allowed = (rounding + 1e-12) * fmax(fabs(expected), scale);

    ck_assert_msg(fabs(found - expected) <= allowed, "%.17g is not %.17g within %g", found,
                  expected, allowed);
}

static void check_moments(const struct number_bag *bag, const double *sorted, size_t count)
{
    double largest = fmax(fabs(sorted[0]), fabs(sorted[count - 1]));
    double rounding = number_bag_rounding(bag);
    long double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    for (size_t i = 0; i < count; i++)
        squares += ((long double)sorted[i] - sum / count) * ((long double)sorted[i] - sum / count);
    ck_assert_uint_eq(bag->count, count);
    ck_assert(bag->min == sorted[0] && bag->max == sorted[count - 1]);
    check_near(number_bag_mean(bag), (double)(sum / count), rounding, largest);
    if (count > 1)
        check_near(number_bag_deviation(bag, number_bag_mean(bag)),
                   (double)sqrtl(squares / (count - 1)), 2 * rounding, largest);
}

static void check_quantiles(const struct number_bag *bag, const double *sorted, size_t count,
                            uint64_t *seed)
{
    for (int i = 0; i < 20; i++) {
        double share = i < 3 ? i * 0.5 : uniform(seed), place = share * (double)(count - 1);
        size_t first = (size_t)place;
        double low = sorted[first], high = sorted[first + 1 < count ? first + 1 : first];

        check_near(number_bag_quantile(bag, share), low + (high - low) * (place - floor(place)),
                   number_bag_rounding(bag), fmax(fabs(low), fabs(high)));
    }
}

static void check_below(const struct number_bag *bag, const double *sorted, size_t count,
                        uint64_t *seed)
{
    for (int i = 0; i < 20; i++) {
        double bound = sorted[next(seed) % count] + (i % 3 - 1) * 0.125;
        uint64_t below = 0, with = 0;

        for (size_t at = 0; at < count; at++) {
            below += sorted[at] < bound;
            with += sorted[at] <= bound;
        }
        ck_assert_uint_eq(number_bag_below(bag, bound, 0), below);
        ck_assert_uint_eq(number_bag_below(bag, bound, 1), with);
    }
}

START_TEST(a_bag_is_the_sorted_list)
{
    static double numbers[NUMBERS];
    uint64_t seed = test_seed();

    for (int round = 0; round < ROUNDS; round++) {
        size_t count = 1 + next(&seed) % NUMBERS, limit = LIMIT + next(&seed) % NUMBERS;
        struct number_bag bag;

        for (size_t i = 0; i < count; i++)
            numbers[i] = any_number(&seed, round % KINDS);
        fill(&bag, limit, numbers, count);
        qsort(numbers, count, sizeof(*numbers), compare);
        ck_assert_uint_le(bag.distinct, limit);
        ck_assert_int_eq(bag.rounded_bits == 0, distinct_of(numbers, count) <= limit);
        check_moments(&bag, numbers, count);
        check_quantiles(&bag, numbers, count, &seed);
        if (bag.rounded_bits == 0)
            check_below(&bag, numbers, count, &seed);
        number_bag_free(&bag);
    }
}
END_TEST

static void shuffle(double *numbers, size_t count, uint64_t *seed)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = next(seed) % i;
        double kept = numbers[i - 1];

        numbers[i - 1] = numbers[other];
        numbers[other] = kept;
    }
}

START_TEST(the_order_does_not_matter)
{
    static double numbers[NUMBERS];
    uint64_t seed = test_seed();

    for (int round = 0; round < ROUNDS; round++) {
        size_t limit = LIMIT + next(&seed) % 500;
        struct number_bag one, other;

        for (size_t i = 0; i < NUMBERS; i++)
            numbers[i] = any_number(&seed, round % KINDS);
        fill(&one, limit, numbers, NUMBERS);
        if (round % 2)
            qsort(numbers, NUMBERS, sizeof(*numbers), compare);
        else
            shuffle(numbers, NUMBERS, &seed);
        fill(&other, limit, numbers, NUMBERS);
        ck_assert_int_eq(one.rounded_bits, other.rounded_bits);
        ck_assert_uint_eq(one.distinct, other.distinct);
        ck_assert_int_eq(memcmp(one.values, other.values, one.distinct * sizeof(*one.values)), 0);
        ck_assert_int_eq(memcmp(one.counts, other.counts, one.distinct * sizeof(*one.counts)), 0);
        number_bag_free(&one);
        number_bag_free(&other);
    }
}
END_TEST

START_TEST(zero_and_whole_numbers_are_not_rounded)
{
    struct number_bag bag;
    double numbers[3001];

    for (int i = 0; i < 3000; i++)
        numbers[i] = i < 1000 ? 0 : i % 2 ? exp2(i / 100) : 3 * exp2(i / 100);
    numbers[3000] = 1e15;
    fill(&bag, 20, numbers, 3001);
    ck_assert_int_gt(bag.rounded_bits, 0);
    ck_assert(bag.values[0] == 0 && bag.counts[0] == 1000);
    number_bag_free(&bag);

    for (int i = 0; i < 3001; i++)
        numbers[i] = i % 9 + (i % 500 == 0 ? 1e6 + i : 0);
    fill(&bag, 12, numbers, 3001);
    ck_assert_int_gt(bag.rounded_bits, 0);
    for (size_t i = 0; i < 9; i++)
        ck_assert(bag.values[i] == (double)i);
    number_bag_free(&bag);
}
END_TEST

START_TEST(what_is_not_finite_is_counted_apart)
{
    static const double numbers[] = {NAN, INFINITY, 2, -INFINITY, -0.0, 0.0};
    struct number_bag bag;

    fill(&bag, 10, numbers, 6);
    ck_assert_uint_eq(bag.count, 3);
    ck_assert_uint_eq(bag.nans, 1);
    ck_assert_uint_eq(bag.infinities, 2);
    ck_assert_uint_eq(bag.distinct, 2);
    ck_assert(bag.min == 0 && bag.max == 2);
    number_bag_free(&bag);
}
END_TEST

static void add(struct value_bag *bag, const char *json)
{
    ck_assert_int_eq(value_bag_add(bag, json, strlen(json)), 0);
}

static void check_value(const struct value_bag *bag, size_t at, const char *json, uint64_t count)
{
    ck_assert_uint_lt(at, bag->distinct);
    ck_assert_str_eq(bag->slots[at].json, json);
    ck_assert_uint_eq(bag->slots[at].count, count);
}

START_TEST(values_are_counted_by_what_they_are)
{
    struct value_bag bag;

    value_bag_init(&bag, 10);
    add(&bag, "\"a\"");
    add(&bag, "[\"a\", \"\\u0061\", \"b\", null]");
    add(&bag, "[]");
    add(&bag, "true");
    add(&bag, "\"\\ud800\"");
    value_bag_sort(&bag);
    ck_assert_uint_eq(bag.rows, 5);
    ck_assert_uint_eq(bag.count, 7);
    check_value(&bag, 0, "\"a\"", 3);
    check_value(&bag, 1, "\"\\ud800\"", 1);
    check_value(&bag, 2, "\"b\"", 1);
    check_value(&bag, 3, "null", 1);
    check_value(&bag, 4, "true", 1);
    value_bag_free(&bag);
}
END_TEST

START_TEST(long_values_are_told_apart_though_not_kept)
{
    char text[2000];
    struct value_bag bag;

    value_bag_init(&bag, 10);
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof(text), "\"%01500d\"", i % 2);
        add(&bag, text);
    }
    value_bag_sort(&bag);
    ck_assert_uint_eq(bag.distinct, 2);
    ck_assert_uint_eq(bag.slots[0].count, 3);
    ck_assert_uint_eq(bag.slots[0].length, 1502);
    ck_assert_uint_le(strlen(bag.slots[0].json), 200);
    value_bag_free(&bag);
}
END_TEST

START_TEST(too_many_values_are_only_counted)
{
    struct value_bag bag;
    char text[20];

    value_bag_init(&bag, 10);
    for (int i = 0; i < 30; i++) {
        snprintf(text, sizeof(text), "\"%d\"", i % 11);
        add(&bag, text);
    }
    value_bag_sort(&bag);
    ck_assert_int_eq(bag.is_full, 1);
    ck_assert_uint_eq(bag.rows, 30);
    ck_assert_uint_eq(bag.slot_count, 0);
    value_bag_free(&bag);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bags");
    TCase *tests = tcase_create("bags");
    SRunner *runner;
    int failed;

    tcase_add_test(tests, a_bag_is_the_sorted_list);
    tcase_add_test(tests, the_order_does_not_matter);
    tcase_add_test(tests, zero_and_whole_numbers_are_not_rounded);
    tcase_add_test(tests, what_is_not_finite_is_counted_apart);
    tcase_add_test(tests, values_are_counted_by_what_they_are);
    tcase_add_test(tests, long_values_are_told_apart_though_not_kept);
    tcase_add_test(tests, too_many_values_are_only_counted);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
