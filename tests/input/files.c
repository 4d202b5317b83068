/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/scan.h"

static char folder[64];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *place)
{
    return remove(path);
}

void files_setup(void)
{
    strcpy(folder, "/tmp/pex-input-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void files_teardown(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *files_path(const char *name)
{
    static char paths[8][512];
    static int last;

    last = (last + 1) % 8;
    snprintf(paths[last], sizeof paths[last], "%s/%s", folder, name);
    return paths[last];
}

const char *files_write(const char *name, const void *data, size_t length)
{
    const char *path = files_path(name);
    char parent[512];
    FILE *file;

    strcpy(parent, path);
    for (char *slash = parent + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(parent, 0777);
        *slash = '/';
    }
    file = fopen(path, "w");
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_uint_eq(fwrite(data, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

const char *files_text(const char *name, const char *text)
{
    return files_write(name, text, strlen(text));
}

struct pex__input *files_list(const char *const *paths, size_t count, int32_t format)
{
    struct pex__input *input = NULL;
    struct pex_error err;
    int32_t code = pex__input_list(paths, count, format, NULL, &input, &err);

    ck_assert_msg(code == 0, "%d %s", code, code != 0 ? err.message : "");
    return input;
}

struct pex__input *files_list_one(const char *path, int32_t format)
{
    return files_list(&path, 1, format);
}

void lines_add(struct lines *lines, uint32_t source, uint64_t offset, const char *text,
               size_t length)
{
    struct line *line;

    if (lines->count == lines->capacity) {
        lines->capacity = lines->capacity * 2 + 16;
        lines->items = realloc(lines->items, lines->capacity * sizeof *lines->items);
        ck_assert_ptr_nonnull(lines->items);
    }
    line = &lines->items[lines->count++];
    *line = (struct line){source, offset, malloc(length + 1), length};
    memcpy(line->text, text, length);
    line->text[length] = '\0';
}

void lines_split(struct lines *lines, uint32_t source, const char *data, size_t length)
{
    size_t begin = 0, i;

    if (length >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0)
        begin = 3;
    for (i = begin; i < length; i++) {
        if (data[i] != '\n')
            continue;
        lines_add(lines, source, begin, data + begin, i - begin);
        begin = i + 1;
    }
    if (begin < length)
        lines_add(lines, source, begin, data + begin, length - begin);
}

void lines_of_slice(struct lines *lines, const struct pex__slice *slice)
{
    size_t at = slice->rows_begin, segment = 0;

    ck_assert_uint_le(slice->rows_begin, slice->rows_end);
    ck_assert_uint_le(slice->rows_end, slice->length);
    ck_assert_uint_le(slice->length + PEX__SCAN_SLACK, slice->capacity);
    if (slice->length > 0)
        ck_assert_int_eq(slice->data[slice->length - 1], '\n');
    while (at < slice->rows_end) {
        const char *lf = memchr(slice->data + at, '\n', slice->length - at);

        while (segment + 1 < slice->segment_count && slice->segments[segment + 1].begin <= at)
            segment++;
        ck_assert_uint_lt(segment, slice->segment_count);
        lines_add(lines, slice->segments[segment].source,
                  slice->segments[segment].offset + (at - slice->segments[segment].begin),
                  slice->data + at, (size_t)(lf - (slice->data + at)));
        at = (size_t)(lf + 1 - slice->data);
    }
}

uint64_t lines_read(struct lines *lines, const struct pex__input *input, uint64_t begin,
                    uint64_t end, uint64_t slice_bytes)
{
    struct pex__slice slice = {0};
    struct pex__reader *reader;
    struct pex_error err;
    uint64_t at = begin, to, marks = 0;

    ck_assert_int_eq(pex__reader_create(&reader), 0);
    do {
        to = end - at < slice_bytes ? end : at + slice_bytes;
        ck_assert_msg(pex__reader_read(reader, input, at, to, &slice, &err) == 0, "%s",
                      err.message);
        ck_assert_uint_eq(slice.input_bytes, to - at);
        ck_assert_ptr_null(slice.ids);
        marks += slice.marks;
        lines_of_slice(lines, &slice);
        at = to;
    } while (at < end);
    pex__reader_free(reader);
    pex__slice_free(&slice);
    return marks;
}

void lines_compare(const struct lines *have, const struct lines *want, const char *what)
{
    for (size_t i = 0; i < have->count && i < want->count; i++) {
        const struct line *a = &have->items[i], *b = &want->items[i];

        ck_assert_msg(a->length == b->length && memcmp(a->text, b->text, a->length) == 0,
                      "%s: line %zu is `%.200s`, expected `%.200s`", what, i, a->text, b->text);
        ck_assert_msg(a->source == b->source && a->offset == b->offset,
                      "%s: line %zu is at %u:%lu, expected %u:%lu", what, i, a->source,
                      (unsigned long)a->offset, b->source, (unsigned long)b->offset);
    }
    ck_assert_msg(have->count == want->count, "%s: %zu lines, expected %zu", what, have->count,
                  want->count);
}

void lines_free(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].text);
    free(lines->items);
    *lines = (struct lines){0};
}

uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}
