/* SPDX-License-Identifier: Apache-2.0 */
/* Every instruction set that this machine has, against loops over single code points. */
#include "kernel.h"
#include "unicode.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 1000
#define LONGEST 300

static uint64_t state;

static size_t below(size_t count)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % count;
}

static void seed_with(uint64_t seed)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    state = seed;
}

/* A text in memory of its exact size, of pieces of which some are rare. */
static char *random_text(const char *const *piece, size_t count, size_t *length)
{
    char text[LONGEST + 16];
    size_t wanted = below(LONGEST), used = 0;
    size_t common = below(count);
    while (used < wanted) {
        const char *next = piece[below(4) ? common : below(count)];
        memcpy(text + used, next, strlen(next));
        used += strlen(next);
    }
    char *copy = malloc(used ? used : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, used);
    *length = used;
    return copy;
}

static const char *const texts[] = {"a",
                                    "Z",
                                    "7",
                                    ".",
                                    " ",
                                    "\n",
                                    "\t",
                                    "\r",
                                    "\x01",
                                    "\x7f",
                                    "\xc2\x84",
                                    "\xc2\x85",
                                    "\xc2\xa0",
                                    "\xc3\xa9",
                                    "\xce\xa3",
                                    "\xd8\x8c",
                                    "w",
                                    "\xe2\x80\x8d",
                                    "\xe2\x80\x8e",
                                    "\xe2\x80\xaf",
                                    "\xe2\x81\x9f",
                                    "\xe2\x80\x99",
                                    ":",
                                    "\xe3\x80\x80",
                                    "\xe3\x80\x81",
                                    "\xe4\xb8\xad",
                                    "\xe4\xb7\xbf",
                                    "\xe4\xb8\x80",
                                    "\xe4\xb8\x8a",
                                    "\xe5\xa3\xab",
                                    "\xe9\xbe\xa5",
                                    "\xef\xbf\xbc",
                                    "\xef\xbc\x8c",
                                    "/",
                                    "\xed\xa0\x80",
                                    "\xf0\x9f\x98\x80",
                                    "\xf0\x90\x90\x80"};
static const char *const tokens[] = {
    "a",       "\\n",     "\\\\",    "\\\"",    "\xc3\xa9", "\xe4\xb8\xad",
    "\\u00e9", "\\ud83d", "\\ude00", "\\uDBFF", "\\uDfff",  "\\ud7ff",
    "\\ue000", "u",       "d83d",    "\\/"};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t slow_points(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += !pex__is_continuation(text[i]);
    return count;
}

static uint32_t hex_at(const char *token)
{
    char digits[5] = {token[2], token[3], token[4], token[5], 0};
    return (uint32_t)strtoul(digits, NULL, 16);
}

static size_t slow_escaped(const char *token, size_t length)
{
    size_t count = 0;
    uint32_t before = 0;
    for (size_t at = 0; at < length; count++) {
        uint32_t unit = 0;
        if (token[at] != '\\') {
            size_t size;
            pex__decode(token + at, &size);
            at += size;
        } else if (token[at + 1] != 'u') {
            at += 2;
        } else {
            unit = hex_at(token + at);
            at += 6;
        }
        bool ends_pair = before >= 0xD800 && before < 0xDC00 && unit >= 0xDC00 && unit < 0xE000;
        count -= ends_pair;
        before = ends_pair ? 0 : unit;
    }
    return count;
}

static size_t slow_words(const char *text, size_t length)
{
    size_t count = 0, size;
    bool has_core = false;
    for (size_t at = 0; at < length; at += size) {
        uint32_t point = pex__decode(text + at, &size);
        if (point == ' ' || point == '\n' || point == '\t') {
            count += has_core;
            has_core = false;
        } else {
            has_core |= !(pex__unicode_class(point) & PEX__SPECIAL);
        }
    }
    return count + has_core;
}

static size_t slow_blank(const char *text, size_t length, size_t from)
{
    size_t size;
    for (size_t at = from; at < length; at += size) {
        uint32_t point = pex__decode(text + at, &size);
        if (point == 9 || point == 0x84 || point == 0xA0 || (point >= 0x2000 && point <= 0x200D) ||
            point == 0x202F || point == 0x205F || point == 0x2060 || point == 0x3000 ||
            point == 0xFFFC)
            return at;
    }
    return length;
}

static struct pex__counts slow_counts(const char *text, size_t length)
{
    struct pex__counts counts = {.words = (uint32_t)slow_words(text, length)};
    size_t size;
    for (size_t at = 0; at < length; at += size) {
        uint32_t class = pex__unicode_class(pex__decode(text + at, &size));
        counts.points++;
        counts.alnum += (class & PEX__ALNUM) != 0;
        counts.special += (class & PEX__SPECIAL) != 0;
    }
    return counts;
}

static bool is_line_end(uint32_t point)
{
    return (point >= 0x0A && point <= 0x0D) || (point >= 0x1C && point <= 0x1E) || point == 0x85 ||
           point == 0x2028 || point == 0x2029;
}

static struct pex__lines slow_lines(const char *text, size_t length)
{
    struct pex__lines lines = {0};
    size_t size, line = 0;
    bool is_open = false;
    for (size_t at = 0; at < length; at += size, lines.points++) {
        uint32_t point = pex__decode(text + at, &size);
        if (!is_line_end(point)) {
            is_open = true;
            line++;
            lines.longest = line > lines.longest ? line : lines.longest;
            continue;
        }
        lines.count += !(point == '\n' && at > 0 && text[at - 1] == '\r');
        line = 0;
        is_open = false;
    }
    lines.count += is_open;
    return lines;
}

/* Checks the words of a kernel one by one. */
static void expect_words(const struct pex__kernel *kernel, const char *text, size_t length)
{
    struct pex__word *words = calloc(length + 1, sizeof(*words));
    size_t count = kernel->split_words(text, length, words), seen = 0, size;
    size_t start = SIZE_MAX, end = 0;
    for (size_t at = 0; at <= length; at += size) {
        uint32_t point = at < length ? pex__decode(text + at, &size) : (size = 1, ' ');
        if (point == ' ' || point == '\n' || point == '\t') {
            if (start != SIZE_MAX) {
                ck_assert_msg(seen < count && words[seen].start == start && words[seen].end == end,
                              "%s: word %zu of %zu, %zu to %zu", kernel->name, seen, count, start,
                              end);
                seen++;
            }
            start = SIZE_MAX;
        } else if (!(pex__unicode_class(point) & PEX__SPECIAL)) {
            start = start == SIZE_MAX ? at : start;
            end = at + size;
        }
    }
    ck_assert_uint_eq(seen, count);
    free(words);
}

START_TEST(splits_words_as_a_plain_loop)
{
    seed_with(9);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length;
        char *text = random_text(texts, COUNT(texts), &length);
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++)
            expect_words(kernel, text, length);
        free(text);
    }
}
END_TEST

START_TEST(counts_all_as_a_plain_loop)
{
    seed_with(6);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length;
        char *text = random_text(texts, COUNT(texts), &length);
        struct pex__counts expected = slow_counts(text, length), found;
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++) {
            kernel->count_all(text, length, &found);
            ck_assert_msg(memcmp(&found, &expected, sizeof(found)) == 0, "%s, round %d",
                          kernel->name, round);
        }
        free(text);
    }
}
END_TEST

/* In a run of its own, so that each place of a block gets some of it. */
START_TEST(counts_every_code_point_as_its_class)
{
    enum { REPEATED = 50 };
    char text[4 * REPEATED];
    struct pex__counts expected, found;
    struct pex__word words[REPEATED];
    const struct pex__kernel *kernel;
    for (uint32_t point = 0; point < 0x20000; point++) {
        size_t size = pex__encode(text, point), length = size * REPEATED;
        for (size_t i = 1; i < REPEATED; i++)
            memcpy(text + i * size, text, size);
        expected = slow_counts(text, length);
        for (size_t i = 1; (kernel = pex__kernel_at(i)); i++) {
            kernel->count_all(text, length, &found);
            ck_assert_msg(memcmp(&found, &expected, sizeof(found)) == 0, "%s, U+%04X", kernel->name,
                          point);
            ck_assert_msg(kernel->split_words(text, length, words) == expected.words,
                          "%s, words of U+%04X", kernel->name, point);
            ck_assert_msg(kernel->find_blank(text, length, 0) == slow_blank(text, length, 0),
                          "%s, blank U+%04X", kernel->name, point);
        }
    }
}
END_TEST

START_TEST(measures_lines_as_a_plain_loop)
{
    static const char *const pieces[] = {
        "a",        "\xe4\xb8\xad",     "\n",           "\r",
        "\r\n",     "\xc2\x85",         "\xe2\x80\xa8", "\xe2\x80\xa9",
        "\x1c",     "\xe2\x80\xa7",     "\xc2\x86",     "\v",
        "bbbbbbbb", "\xf0\x9f\x98\x80", "\x1f"};
    seed_with(7);
    for (int round = 0; round < 4 * ROUNDS; round++) {
        size_t length;
        char *text = random_text(pieces, COUNT(pieces), &length);
        struct pex__lines expected = slow_lines(text, length), found;
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++) {
            kernel->measure_lines(text, length, &found);
            ck_assert_msg(found.points == expected.points && found.count == expected.count &&
                              found.longest == expected.longest,
                          "%s, round %d: %zu lines for %zu, longest %zu for %zu", kernel->name,
                          round, found.count, expected.count, found.longest, expected.longest);
        }
        free(text);
    }
}
END_TEST

/* By the book. */
static uint32_t slow_permute(uint32_t hash, uint64_t a, uint64_t b)
{
    const uint64_t prime = ((uint64_t)1 << 61) - 1;
    return (uint32_t)((hash * a + b) % prime);
}

START_TEST(takes_least_hashes_as_a_plain_loop)
{
    enum { MOST_HASHES = 9, MOST_VALUES = 70 };
    const uint64_t prime = ((uint64_t)1 << 61) - 1;
    seed_with(10);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t hashes[MOST_HASHES] = {0}, expected[MOST_VALUES], found[MOST_VALUES];
        uint64_t a[MOST_VALUES], b[MOST_VALUES];
        size_t count = below(MOST_HASHES + 1), values = below(MOST_VALUES + 1);
        const struct pex__kernel *kernel;
        for (size_t i = 0; i < count; i++)
            hashes[i] = below(4) ? (uint32_t)below(UINT32_MAX) : below(2) ? 0 : UINT32_MAX;
        for (size_t i = 0; i < values; i++) {
            a[i] = below(4) ? below(SIZE_MAX) & prime : prime - below(3);
            /* Sums on both sides of a multiple of the prime. */
            b[i] = below(2) ? below(SIZE_MAX) & prime : prime - hashes[0] * a[i] % prime - below(2);
            expected[i] = UINT32_MAX;
            for (size_t k = 0; k < count; k++) {
                uint32_t value = slow_permute(hashes[k], a[i], b[i]);
                expected[i] = value < expected[i] ? value : expected[i];
            }
        }
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++) {
            memset(found, 0xFF, sizeof(found));
            kernel->min_hashes(hashes, count, a, b, values, found);
            ck_assert_msg(memcmp(found, expected, values * sizeof(*found)) == 0, "%s, round %d",
                          kernel->name, round);
        }
    }
}
END_TEST

static size_t slow_any(const char *text, size_t length, size_t from, const char wanted[4])
{
    while (from < length && !memchr(wanted, text[from], 4))
        from++;
    return from;
}

START_TEST(finds_bytes_as_a_plain_loop)
{
    static const char wanted[4] = {'\n', '/', (char)0xE2, 0};
    seed_with(8);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length;
        char *text = random_text(texts, COUNT(texts), &length);
        size_t from = below(length + 1), high = from;
        while (high < length && !(text[high] & 0x80))
            high++;
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++) {
            ck_assert_msg(kernel->find_any(text, length, from, wanted) ==
                              slow_any(text, length, from, wanted),
                          "%s, round %d", kernel->name, round);
            ck_assert_msg(kernel->find_high(text, length, from) == high, "%s, round %d",
                          kernel->name, round);
        }
        free(text);
    }
}
END_TEST

START_TEST(counts_points_as_a_plain_loop)
{
    seed_with(1);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length;
        char *text = random_text(texts, COUNT(texts), &length);
        size_t expected = slow_points(text, length);
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++)
            ck_assert_msg(kernel->count_points(text, length) == expected, "%s, round %d",
                          kernel->name, round);
        free(text);
    }
}
END_TEST

START_TEST(counts_escapes_as_a_plain_loop)
{
    seed_with(2);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length;
        char *token = random_text(tokens, COUNT(tokens), &length);
        size_t expected = slow_escaped(token, length);
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++)
            ck_assert_msg(kernel->count_escaped(token, length) == expected, "%s, round %d: %.*s",
                          kernel->name, round, (int)length, token);
        free(token);
    }
}
END_TEST

START_TEST(counts_words_as_a_plain_loop)
{
    seed_with(3);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length, enough = below(20);
        char *text = random_text(texts, COUNT(texts), &length);
        size_t expected = slow_words(text, length);
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++) {
            ck_assert_msg(kernel->count_words(text, length, SIZE_MAX) == expected, "%s, round %d",
                          kernel->name, round);
            size_t found = kernel->count_words(text, length, enough);
            ck_assert_msg(found == expected || (found >= enough && expected >= enough),
                          "%s, round %d: stops at %zu too early", kernel->name, round, enough);
        }
        free(text);
    }
}
END_TEST

START_TEST(finds_blanks_as_a_plain_loop)
{
    seed_with(4);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length;
        char *text = random_text(texts, COUNT(texts), &length);
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++) {
            for (size_t at = 0; at < length;) {
                size_t expected = slow_blank(text, length, at);
                ck_assert_msg(kernel->find_blank(text, length, at) == expected, "%s, round %d",
                              kernel->name, round);
                if (expected == length)
                    break;
                at = expected + pex__blank_size(text + expected, length - expected);
            }
        }
        free(text);
    }
}
END_TEST

/* What it may leave out is only a colon before a blank. */
START_TEST(finds_every_place_for_a_link)
{
    seed_with(5);
    for (int round = 0; round < ROUNDS; round++) {
        size_t length;
        char *text = random_text(texts, COUNT(texts), &length);
        const struct pex__kernel *kernel;
        for (size_t i = 0; (kernel = pex__kernel_at(i)); i++) {
            size_t found = kernel->find_link(text, length, 0);
            for (size_t at = 0; at < found && at < length; at++) {
                bool is_last = at + 1 == length;
                ck_assert(text[at] != '/');
                ck_assert(text[at] != ':' || (!is_last && text[at + 1] == ' '));
                ck_assert(text[at] != 'w' || is_last || text[at + 1] != 'w');
            }
        }
        free(text);
    }
}
END_TEST

static uint64_t random64(void)
{
    uint64_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 16 | below(65536);
    return number;
}

START_TEST(finds_near_fingerprints_as_a_plain_loop)
{
    seed_with(11);
    for (int round = 0; round < ROUNDS; round++) {
        struct pex__fingerprint item[50];
        uint64_t bits = random64();
        uint32_t distance = (uint32_t)below(65);
        size_t count = below(COUNT(item)), from = below(count + 1), expected = from;
        for (size_t i = 0; i < count; i++) {
            item[i] = (struct pex__fingerprint){bits, (uint32_t)i};
            for (size_t flips = below(distance + 4); flips > 0; flips--)
                item[i].bits ^= (uint64_t)1 << below(64);
        }
        for (; expected < count; expected++) {
            uint32_t differ = 0;
            for (unsigned bit = 0; bit < 64; bit++)
                differ += (item[expected].bits ^ bits) >> bit & 1;
            if (differ <= distance)
                break;
        }
        const struct pex__kernel *kernel;
        for (size_t n = 0; (kernel = pex__kernel_at(n)); n++)
            ck_assert_uint_eq(kernel->find_near(item, count, from, bits, distance), expected);
    }
}
END_TEST

START_TEST(sorts_fingerprints)
{
    enum { MOST = 3000 };
    static struct pex__fingerprint item[MOST];
    static uint64_t bits[MOST];
    seed_with(12);
    for (int round = 0; round < 60; round++) {
        size_t count = below(MOST + 1);
        uint64_t mask = below(3) ? UINT64_MAX : random64() & random64() & random64();
        for (size_t i = 0; i < count; i++) {
            bits[i] = random64() & mask;
            item[i] = (struct pex__fingerprint){bits[i], (uint32_t)i};
        }
        pex__fingerprints_sort(item, count);
        for (size_t i = 0; i < count; i++) {
            ck_assert(i == 0 || item[i - 1].bits <= item[i].bits);
            ck_assert_uint_eq(bits[item[i].row], item[i].bits);
            bits[item[i].row] = ~item[i].bits; /* each comes once */
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernel");
    TCase *tcase = tcase_create("kernel");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, counts_points_as_a_plain_loop);
    tcase_add_test(tcase, counts_escapes_as_a_plain_loop);
    tcase_add_test(tcase, counts_words_as_a_plain_loop);
    tcase_add_test(tcase, splits_words_as_a_plain_loop);
    tcase_add_test(tcase, counts_all_as_a_plain_loop);
    tcase_add_test(tcase, counts_every_code_point_as_its_class);
    tcase_add_test(tcase, measures_lines_as_a_plain_loop);
    tcase_add_test(tcase, finds_near_fingerprints_as_a_plain_loop);
    tcase_add_test(tcase, sorts_fingerprints);
    tcase_add_test(tcase, takes_least_hashes_as_a_plain_loop);
    tcase_add_test(tcase, finds_bytes_as_a_plain_loop);
    tcase_add_test(tcase, finds_blanks_as_a_plain_loop);
    tcase_add_test(tcase, finds_every_place_for_a_link);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
