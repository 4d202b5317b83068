/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include "data/isa.h"
#include "data/scan.h"
#include "data/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char difference[512];

static const char *differ(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(difference, sizeof difference, format, args);
    va_end(args);
    return difference;
}

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

struct pex__paths *compare_paths(void)
{
    static const char *const keys[][3] = {
        {"text"},         {"meta"},
        {"meta", "lang"}, {"a", "b", "c"},
        {"a", "b"},       {"id"},
        {"q\"\\\x01"},    {""},
        {"h\xC3\xA9"},    {"meta", "\xF0\x9F\x98\x80"},
    };
    enum { COUNT = sizeof keys / sizeof *keys };
    struct pex__path paths[COUNT];
    struct pex__paths *set;

    for (size_t i = 0; i < COUNT; i++) {
        size_t depth = 1;

        while (depth < 3 && keys[i][depth] != NULL)
            depth++;
        if (pex__path_keys(keys[i], depth, &paths[i]) != 0)
            abort();
    }
    if (pex__paths_create(paths, COUNT, &set) != 0)
        abort();
    for (size_t i = 0; i < COUNT; i++)
        pex__path_free(&paths[i]);
    return set;
}

/* A slice in memory of just its size, with treacherous bytes in the slack. */
static char *make_slice(const char *text, size_t *length)
{
    static const char traps[] = "\"\\u\xE2\x82{[,1e\x80";
    size_t size = *length;
    char *data = need(malloc(size + 1 + PEX__SCAN_SLACK));

    memcpy(data, text, size);
    if (size == 0 || data[size - 1] != '\n')
        data[size++] = '\n';
    for (size_t i = 0; i < PEX__SCAN_SLACK; i++)
        data[size + i] = traps[i % (sizeof traps - 1)];
    *length = size;
    return data;
}

static int is_blank(const char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line == end;
}

/* What the plain scanner is to say, line by line, by the contract of rows.h. */
static const char *check_line(const struct pex__paths *paths, const char *data, size_t begin,
                              size_t end, struct pex__rows *rows, size_t *row, size_t *bad)
{
    size_t count = pex__paths_count(paths);
    struct pex__span object, spans[16];
    uint8_t types[16];
    uint32_t at;
    int32_t reason = pex__scan_reference(paths, data, begin, end, &object, spans, types, &at);

    if (reason == PEX__ROW_OK) {
        if (*row >= rows->count || memcmp(&rows->rows[*row], &object, sizeof object) != 0)
            return differ("the good line at %zu", begin);
        for (size_t i = 0; i < count; i++)
            if (rows->columns[i].types[*row] != types[i] ||
                memcmp(&rows->columns[i].spans[*row], &spans[i], sizeof spans[i]) != 0)
                return differ("field %zu of the line at %zu", i, begin);
        ++*row;
        return NULL;
    }
    if (*bad >= rows->bad_count || rows->bad[*bad].reason != reason || rows->bad[*bad].at != at ||
        rows->bad[*bad].line.begin != begin || rows->bad[*bad].line.length != end - begin ||
        rows->bad[*bad].before != *row)
        return differ("the bad line at %zu (reason %d at %u)", begin, (int)reason, (unsigned)at);
    ++*bad;
    return NULL;
}

static const char *check_rows(const struct pex__paths *paths, const char *data, size_t length,
                              struct pex__rows *rows)
{
    size_t row = 0, bad = 0, blank = 0, lines = 0;
    const char *found = NULL;

    for (size_t begin = 0, next; begin < length && found == NULL; begin = next, lines++) {
        size_t end = (size_t)((const char *)memchr(data + begin, '\n', length - begin) - data);

        next = end + 1;
        if (is_blank(data + begin, data + end)) {
            blank++;
            continue;
        }
        end -= data[end - 1] == '\r';
        found = check_line(paths, data, begin, end, rows, &row, &bad);
    }
    if (found == NULL && (row != rows->count || bad != rows->bad_count || blank != rows->blank ||
                          lines != rows->lines))
        found = differ("counts");
    return found;
}

/* Scans in two steps that meet at `middle`, a line start. */
static const char *check_isa(int32_t isa, const struct pex__paths *paths, const char *data,
                             size_t middle, size_t length)
{
    struct pex__rows rows = {0};
    struct pex__scan *scan;
    const char *found;
    char name[64];

    if (pex__scan_create(isa, &scan) != 0)
        return NULL;
    if (pex__rows_reset(&rows, pex__paths_count(paths)) != 0 ||
        pex__scan_slice(scan, paths, data, 0, middle, length, &rows) != 0 ||
        pex__scan_slice(scan, paths, data, middle, length, length, &rows) != 0)
        abort();
    found = check_rows(paths, data, length, &rows);
    if (found != NULL) {
        snprintf(name, sizeof name, "%s, cut at %zu: ", pex__isa_name(isa), middle);
        memmove(difference + strlen(name), difference, sizeof difference - strlen(name) - 1);
        memcpy(difference, name, strlen(name));
    }
    pex__rows_free(&rows);
    pex__scan_free(scan);
    return found;
}

const char *compare_scanners(const struct pex__paths *paths, const char *text, size_t length)
{
    char *data = make_slice(text, &length),
         *lf = memchr(data + length / 2, '\n', length - length / 2);
    size_t middle = (size_t)(lf - data) + 1;
    const char *found = NULL;

    for (int32_t isa = 0; isa < PEX__ISA_COUNT && found == NULL; isa++) {
        found = check_isa(isa, paths, data, length, length);
        if (found == NULL)
            found = check_isa(isa, paths, data, middle, length);
    }
    free(data);
    return found;
}

/* A copy with `slack` bytes behind it, so that whoever reads farther is caught by the sanitizer. */
static char *copy_exact(const char *text, size_t length, size_t slack)
{
    char *copy = need(malloc(length + slack + 1));

    memcpy(copy, text, length);
    memset(copy + length, '\\', slack);
    return copy;
}

static const char *check_escape(const char *text, size_t length)
{
    char *in = copy_exact(text, length, 0), *wanted = need(malloc(6 * length + PEX__TEXT_SLACK));
    char *out = need(malloc(6 * length + PEX__TEXT_SLACK));
    size_t size = pex__kernels_plain.escape(in, length, wanted);
    size_t bound = pex__kernels_plain.escaped_bound(in, length);
    const char *found = bound < size || (size == length && bound != length) ? "bound" : NULL;

    for (int32_t isa = 0; isa < PEX__ISA_COUNT && found == NULL; isa++) {
        const struct pex__kernels *kernels = pex__isa_kernels(isa);

        if (kernels == NULL)
            continue;
        if (kernels->escape(in, length, out) != size || memcmp(out, wanted, size) != 0)
            found = differ("escape by %s", pex__isa_name(isa));
        else if (kernels->escaped_bound(in, length) != bound)
            found = differ("bound by %s", pex__isa_name(isa));
    }
    free(in);
    free(wanted);
    free(out);
    return found;
}

/* text: the inside of a valid JSON string. */
static const char *check_decode(const char *text, size_t length)
{
    char *in = copy_exact(text, length, PEX__TEXT_SLACK);
    char *wanted = need(malloc(length + PEX__TEXT_SLACK));
    char *out = need(malloc(length + PEX__TEXT_SLACK));
    size_t size = pex__kernels_plain.decode(in, length, wanted);
    const char *found = NULL;

    for (int32_t isa = 0; isa < PEX__ISA_COUNT && found == NULL; isa++) {
        const struct pex__kernels *kernels = pex__isa_kernels(isa);

        if (kernels == NULL)
            continue;
        if (kernels->decode(in, length, out) != size || memcmp(out, wanted, size) != 0)
            found = differ("decode by %s", pex__isa_name(isa));
        else if (!kernels->valid(out, size))
            found = differ("valid by %s on decoded text", pex__isa_name(isa));
    }
    if (found == NULL)
        found = check_escape(wanted, size);
    free(in);
    free(wanted);
    free(out);
    return found;
}

const char *compare_texts(const char *text, size_t length)
{
    char *in = copy_exact(text, length, 0), *quoted = need(malloc(length + 2));
    int valid = pex__kernels_plain.valid(in, length);
    const char *found = NULL;
    struct pex__span span;
    uint8_t type;

    for (int32_t isa = 0; isa < PEX__ISA_COUNT && found == NULL; isa++)
        if (pex__isa_kernels(isa) != NULL && pex__isa_kernels(isa)->valid(in, length) != valid)
            found = differ("valid by %s", pex__isa_name(isa));
    if (found == NULL && valid)
        found = check_escape(in, length);
    quoted[0] = quoted[length + 1] = '"';
    memcpy(quoted + 1, text, length);
    if (found == NULL && pex__scan_value(quoted, length + 2, &type, &span) && type != PEX__OBJECT &&
        type != PEX__ARRAY)
        found = check_decode(in, length);
    free(in);
    free(quoted);
    return found;
}
