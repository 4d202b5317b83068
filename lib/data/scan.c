/* SPDX-License-Identifier: Apache-2.0 */
#include "data/scan.h"

#include "base/memory.h"
#include "data/scan_fast.h"

#include <assert.h>

/* Words of bitmap that are kept between slices in any case (4 MiB of text). */
#define KEEP_WORDS ((size_t)1 << 16)

struct pex__scan {
    struct pex__fast fast;
    int32_t isa;
    uint64_t *words; /* memory of the marks */
    size_t word_capacity;
    struct pex__span *spans; /* the wanted fields of the row at hand */
    size_t span_capacity;
    uint8_t *types;
    size_t type_capacity;
};

int32_t pex__scan_create(int32_t isa, struct pex__scan **scan)
{
    int32_t chosen = isa == PEX__ISA_BEST ? pex__isa_best() : isa;
    const struct pex__kernels *kernels = pex__isa_kernels(chosen);
    struct pex__scan *made;

    if (kernels == NULL)
        return PEX_ENOTSUP;
    made = pex__calloc(1, sizeof *made);
    if (made == NULL)
        return PEX_ENOMEM;
    made->isa = chosen;
    made->fast.kernels = kernels;
    *scan = made;
    return 0;
}

void pex__scan_free(struct pex__scan *scan)
{
    if (scan == NULL)
        return;
    pex__free(scan->words);
    pex__free(scan->spans);
    pex__free(scan->types);
    pex__free(scan);
}

int32_t pex__scan_isa(const struct pex__scan *scan)
{
    return scan->isa;
}

size_t pex__scan_bytes(const struct pex__scan *scan)
{
    return sizeof *scan + scan->word_capacity * sizeof *scan->words +
           scan->span_capacity * sizeof *scan->spans + scan->type_capacity * sizeof *scan->types;
}

/* Room for `need` words, and not much more than that once a slice was exceptionally long. */
static int32_t reserve_words(struct pex__scan *scan, size_t need)
{
    if (scan->word_capacity > KEEP_WORDS && need < scan->word_capacity / 4) {
        pex__free(scan->words);
        scan->words = NULL;
        scan->word_capacity = 0;
    }
    return pex__grow(&scan->words, &scan->word_capacity, need, sizeof *scan->words);
}

/* Stage 1 over data[begin .. length). */
static int32_t mark(struct pex__scan *scan, const char *data, size_t begin, size_t length)
{
    struct pex__fast *fast = &scan->fast;
    size_t base = begin & ~(size_t)63, blocks = (length - base + 63) / 64;
    size_t block_words = (blocks + 63) / 64;

    if (fast->kernels->mark == NULL)
        return 0;
    if (reserve_words(scan, blocks + 2 * block_words) != 0)
        return PEX_ENOMEM;
    fast->base = base;
    fast->marks.stops = scan->words;
    fast->marks.suspects = scan->words + blocks;
    fast->marks.escapes = scan->words + blocks + block_words;
    fast->kernels->mark(data + base, length - base, &fast->marks);
    return 0;
}

static int32_t prepare(struct pex__scan *scan, const struct pex__paths *paths, const char *data,
                       size_t begin, size_t length)
{
    if (pex__grow(&scan->spans, &scan->span_capacity, paths->count, sizeof *scan->spans) != 0 ||
        pex__grow(&scan->types, &scan->type_capacity, paths->count, sizeof *scan->types) != 0)
        return PEX_ENOMEM;
    scan->fast.walk.data = data;
    scan->fast.walk.end = length;
    scan->fast.walk.spans = scan->spans;
    scan->fast.walk.types = scan->types;
    pex__fast_reset(&scan->fast);
    return mark(scan, data, begin, length);
}

static int32_t add_row(struct pex__rows *rows, const struct pex__scan *scan,
                       struct pex__span object)
{
    size_t row = rows->count;

    if (row == rows->capacity && pex__rows_reserve(rows, row + 1) != 0)
        return PEX_ENOMEM;
    rows->rows[row] = object;
    for (size_t i = 0; i < rows->column_count; i++) {
        rows->columns[i].spans[row] = scan->spans[i];
        rows->columns[i].types[row] = scan->types[i];
    }
    rows->count = row + 1;
    return 0;
}

static int32_t add_bad(struct pex__rows *rows, size_t begin, size_t end, int32_t reason,
                       uint32_t at)
{
    if (pex__grow(&rows->bad, &rows->bad_capacity, rows->bad_count + 1, sizeof *rows->bad) != 0)
        return PEX_ENOMEM;
    rows->bad[rows->bad_count++] = (struct pex__bad_row){
        .line = {(uint32_t)begin, (uint32_t)(end - begin)},
        .at = at,
        .reason = reason,
        .before = (uint32_t)rows->count,
    };
    return 0;
}

/* The line at data[*pos], which is not blank, by the reference; *pos gets the start of the next. */
static int32_t scan_line(struct pex__scan *scan, const struct pex__paths *paths, size_t *pos,
                         struct pex__rows *rows)
{
    const char *data = scan->fast.walk.data;
    const char *lf = memchr(data + *pos, '\n', scan->fast.walk.end - *pos);
    size_t begin = *pos, end = (size_t)(lf - data);
    struct pex__span object;
    int32_t reason;
    uint32_t at;

    *pos = end + 1;
    if (data[end - 1] == '\r')
        end--;
    reason = pex__scan_reference(paths, data, begin, end, &object, scan->spans, scan->types, &at);
    return reason == PEX__ROW_OK ? add_row(rows, scan, object)
                                 : add_bad(rows, begin, end, reason, at);
}

static size_t skip_blanks(const char *data, size_t pos)
{
    while (data[pos] == ' ' || data[pos] == '\t' || data[pos] == '\r')
        pos++;
    return pos;
}

int32_t pex__scan_slice(struct pex__scan *scan, const struct pex__paths *paths, const char *data,
                        size_t begin, size_t end, size_t length, struct pex__rows *rows)
{
    const struct pex__key *root = paths->count != 0 ? paths->keys : NULL;
    int is_fast = scan->fast.kernels->mark != NULL;
    size_t pos = begin, next;
    struct pex__span object;
    int32_t code = 0;

    assert(rows->column_count == paths->count && length <= UINT32_MAX);
    if (begin >= end)
        return 0;
    if (prepare(scan, paths, data, begin, length) != 0)
        return PEX_ENOMEM;
    for (; pos < end && code == 0; rows->lines++) {
        next = skip_blanks(data, pos);
        if (data[next] == '\n') {
            rows->blank++;
            pos = next + 1;
        } else if (is_fast && pex__fast_row(&scan->fast, root, &next, &object)) {
            code = add_row(rows, scan, object);
            pos = next + 1;
        } else {
            code = scan_line(scan, paths, &pos, rows);
        }
    }
    return code;
}
