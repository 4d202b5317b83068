/* SPDX-License-Identifier: Apache-2.0 */
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *text, const char *data, size_t length)
{
    if (text->length + length > text->capacity) {
        text->capacity = 2 * (text->length + length);
        text->data = realloc(text->data, text->capacity);
        ck_assert_ptr_nonnull(text->data);
    }
    if (length > 0)
        memcpy(text->data + text->length, data, length);
    text->length += length;
}

void text_free(struct text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

static void add_line(struct text *text, uint64_t *seed)
{
    static const char *const odd[] = {
        "\n", "\r\n", "  \t\n", "{\"id\": 1, \"text\": \n", "[1, 2]\n", "{\"text\": \"\xFF\"}\r\n"};
    char line[400];
    size_t words = random_next(seed) % 12;
    int length;

    if (random_next(seed) % 9 == 0) {
        const char *one = odd[random_next(seed) % (sizeof odd / sizeof *odd)];

        text_add(text, one, strlen(one));
        return;
    }
    length = snprintf(line, sizeof line, "%s{\"id\": %u, \"text\": \"",
                      random_next(seed) % 5 == 0 ? "  " : "", (unsigned)random_next(seed));
    for (size_t i = 0; i < words; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " w%u\\n\\u00e9",
                           (unsigned)(random_next(seed) % 50));
    length +=
        snprintf(line + length, sizeof line - (size_t)length, "\"}%s%s",
                 random_next(seed) % 5 == 0 ? " " : "", random_next(seed) % 3 == 0 ? "\r\n" : "\n");
    text_add(text, line, (size_t)length);
}

void text_add_odd(struct text *text, size_t count, uint64_t *seed)
{
    if (random_next(seed) % 2 == 0)
        text_add(text, "\xEF\xBB\xBF", 3);
    for (size_t i = 0; i < count; i++)
        add_line(text, seed);
    if (random_next(seed) % 2 == 0)
        text_add(text, "{\"id\": 0, \"text\": \"the last has no end\"}", 41);
}

void text_write(const struct text *text, const char *path)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text->data, 1, text->length, file), text->length);
    ck_assert_int_eq(fclose(file), 0);
}

struct text text_read(const char *path)
{
    struct text text = {0};
    FILE *file = fopen(path, "r");
    char block[4096];
    size_t length;

    ck_assert_msg(file != NULL, "no %s", path);
    while ((length = fread(block, 1, sizeof block, file)) > 0)
        text_add(&text, block, length);
    fclose(file);
    return text;
}

size_t text_count(const struct text *text, const char *part)
{
    size_t count = 0, length = strlen(part);
    const char *at = text->data, *end = text->data + text->length;

    while (at != NULL && (at = memmem(at, (size_t)(end - at), part, length)) != NULL) {
        count++;
        at += length;
    }
    return count;
}

struct text text_without(const struct text *text, const char *part)
{
    struct text rest = {0};
    const char *at = text->data, *end = at + text->length, *hit;

    while ((hit = memmem(at, (size_t)(end - at), part, strlen(part))) != NULL) {
        text_add(&rest, at, (size_t)(hit - at));
        at = hit + strlen(part);
    }
    text_add(&rest, at, (size_t)(end - at));
    return rest;
}

void text_expect(const struct text *found, const struct text *expected)
{
    size_t same = 0;

    while (same < found->length && same < expected->length &&
           found->data[same] == expected->data[same])
        same++;
    ck_assert_msg(found->length == expected->length && same == found->length,
                  "%zu bytes, not %zu; they differ from byte %zu on: %.60s", found->length,
                  expected->length, same, same < found->length ? found->data + same : "(end)");
}

struct text pull_text(pex_job *job)
{
    struct text text = {0};
    struct pex_error err = {0};
    pex_rows *rows = NULL;
    int32_t code;

    while ((code = pex_job_next_batch(job, -1, &rows, &err)) == 0) {
        struct pex_string_view data = pex_rows_data(rows);

        text_add(&text, data.data, data.length);
        pex_rows_release(rows);
    }
    ck_assert_msg(code == PEX_ENOENT, "%d: %s", (int)code, err.message);
    return text;
}

void job_end(pex_job *job, int32_t state)
{
    job_expect(job, state);
    pex_job_release(job);
}

int64_t summary_value(pex_job *job, const char *name)
{
    char *summary = NULL, key[64];
    const char *at;
    int64_t value;

    ck_assert_int_eq(pex_job_summary(job, &summary), 0);
    snprintf(key, sizeof key, "\"%s\":", name);
    at = strstr(summary, key);
    ck_assert_msg(at != NULL, "no %s in %s", name, summary);
    value = strtoll(at + strlen(key), NULL, 10);
    pex_free(summary);
    return value;
}
