/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts between partitions, and row counts: both walk along the starts of rows. */
#include "data/input.h"

#include <assert.h>
#include <string.h>

#include <partexec/dataset.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/reader.h"

#define CHUNK_BYTES ((size_t)256 << 10)
/* A search for one row start seldom goes far. */
#define FIRST_CHUNK_BYTES ((size_t)16 << 10)

/* Walks over the global offsets at which rows (lines that are not blank, text files) start. */
struct walk {
    const struct pex__input *input;
    struct pex__open_source open;
    char *buffer; /* the bytes of the source in front of `next` */
    size_t at;
    size_t fill;
    size_t chunk;
    size_t source; /* the one that is walked over; source_count at the end */
    uint64_t next; /* offset in it of what is read next */
    uint64_t line; /* offset in it of the line that `at` is in */
    int in_row;    /* the line is known not to be blank, or began before the walk */
};

static int32_t walk_begin(struct walk *walk, const struct pex__input *input, struct pex_error *err)
{
    *walk = (struct walk){.input = input, .open = {.fd = -1}};
    walk->buffer = pex__malloc(CHUNK_BYTES);
    return walk->buffer != NULL ? 0 : pex__error_memory(err);
}

static void walk_end(struct walk *walk)
{
    pex__source_free(&walk->open);
    pex__free(walk->buffer);
}

static void enter_source(struct walk *walk, size_t source, uint64_t offset)
{
    walk->source = source;
    /* From the byte in front: if it is an LF, a row starts at the offset. */
    walk->next = offset > 0 ? offset - 1 : 0;
    walk->line = 0;
    walk->in_row = offset > 0;
    walk->at = walk->fill = 0;
}

/* Goes to the first row that starts at or behind the global offset. */
static void walk_seek(struct walk *walk, uint64_t offset)
{
    const struct pex__input *input = walk->input;
    size_t source = pex__input_find(input, offset);
    uint64_t begin = source < input->source_count ? input->sources[source].begin : offset;

    walk->chunk = FIRST_CHUNK_BYTES;
    if (offset > begin && input->sources[source].format == PEX_FORMAT_TEXT) {
        source++;
        begin = offset;
    }
    enter_source(walk, source, offset > begin ? offset - begin : 0);
}

static int32_t fill_buffer(struct walk *walk, const struct pex__source *source,
                           struct pex_error *err)
{
    uint64_t left = source->size - walk->next;
    size_t length = left < walk->chunk ? (size_t)left : walk->chunk;
    int32_t code = pex__source_open(&walk->open, source, err);

    if (code == 0)
        code = pex__source_read(&walk->open, walk->next, walk->buffer, length, err);
    if (code != 0)
        return code;
    walk->at = 0;
    walk->fill = length;
    if (walk->next == 0 && length >= PEX__MARK_BYTES &&
        memcmp(walk->buffer, PEX__MARK, PEX__MARK_BYTES) == 0)
        walk->at = PEX__MARK_BYTES;
    walk->next += length;
    walk->chunk = CHUNK_BYTES;
    return 0;
}

/* Goes on to the next row start in the buffer. Returns non-zero if there is one. */
static int next_in_buffer(struct walk *walk)
{
    while (walk->at < walk->fill) {
        const char *data = walk->buffer + walk->at;
        const char *lf = data;

        if (walk->in_row)
            lf = memchr(data, '\n', walk->fill - walk->at);
        else if (*data == ' ' || *data == '\t' || *data == '\r') {
            walk->at++;
            continue;
        }
        if (lf == NULL) {
            walk->at = walk->fill;
        } else if (*lf == '\n') {
            walk->at = (size_t)(lf + 1 - walk->buffer);
            walk->line = walk->next - (walk->fill - walk->at);
            walk->in_row = 0;
        } else {
            walk->in_row = 1;
            return 1;
        }
    }
    return 0;
}

/* Sets *row to the next row start, or to UINT64_MAX at the end. */
static int32_t walk_next(struct walk *walk, uint64_t *row, struct pex_error *err)
{
    int32_t code;

    for (; walk->source < walk->input->source_count; enter_source(walk, walk->source + 1, 0)) {
        const struct pex__source *source = &walk->input->sources[walk->source];

        if (source->format == PEX_FORMAT_TEXT) {
            *row = source->begin;
            enter_source(walk, walk->source + 1, 0);
            return 0;
        }
        for (;;) {
            if (next_in_buffer(walk)) {
                *row = source->begin + walk->line;
                return 0;
            }
            if (walk->next == source->size)
                break;
            code = fill_buffer(walk, source, err);
            if (code != 0)
                return code;
        }
    }
    *row = UINT64_MAX;
    return 0;
}

/* Adds a cut unless it would leave a partition without a row. */
static void add_cut(uint64_t cut, uint64_t *cuts, size_t *count)
{
    if (cut > cuts[*count - 1])
        cuts[(*count)++] = cut;
}

/* cuts[0 .. count) become *parts partitions, closed by the end of the input. */
static void close_cuts(const struct pex__input *input, uint64_t *cuts, size_t count, size_t *parts)
{
    /* Text files of 0 bytes at the end start where the input ends: they belong to the last part. */
    while (count > 1 && cuts[count - 1] == input->bytes)
        count--;
    cuts[count] = input->bytes;
    *parts = count;
}

/* floor(i * bytes / want) without overflow. */
static uint64_t target(uint64_t bytes, size_t want, size_t i)
{
    return bytes / want * i + bytes % want * i / want;
}

static int32_t cut_at_targets(struct walk *walk, size_t want, uint64_t *cuts, size_t *count,
                              struct pex_error *err)
{
    const struct pex__input *input = walk->input;
    uint64_t first, row;
    int32_t code;

    walk_seek(walk, 0);
    code = walk_next(walk, &first, err);
    if (code != 0)
        return code;
    row = first;
    cuts[0] = 0;
    *count = 1;
    for (size_t i = 1; i < want && row != UINT64_MAX; i++) {
        uint64_t offset = target(input->bytes, want, i);

        /* No row starts between the last target and `row`, and none is in front of `first`. */
        if (offset <= row)
            continue;
        walk_seek(walk, offset);
        code = walk_next(walk, &row, err);
        if (code != 0)
            return code;
        if (row != UINT64_MAX)
            add_cut(row, cuts, count);
    }
    return 0;
}

int32_t pex__input_count_rows(const struct pex__input *input, uint64_t limit, uint64_t *rows,
                              struct pex_error *err)
{
    struct walk walk;
    uint64_t count = 0, row = 0;
    int32_t code = walk_begin(&walk, input, err);

    if (code != 0)
        return code;
    walk_seek(&walk, 0);
    while (count < limit && code == 0) {
        code = walk_next(&walk, &row, err);
        if (row == UINT64_MAX)
            break;
        count += code == 0;
    }
    walk_end(&walk);
    if (code == 0)
        *rows = count;
    return code;
}

/* Walks to row number `number` (from 0), having passed *passed rows; its start goes to *row. */
static int32_t walk_to(struct walk *walk, uint64_t number, uint64_t *passed, uint64_t *row,
                       struct pex_error *err)
{
    int32_t code = 0;

    while (*passed <= number && code == 0) {
        code = walk_next(walk, row, err);
        ++*passed;
    }
    return code;
}

static int32_t cut_at_rows(struct walk *walk, uint64_t rows, size_t want, uint64_t *cuts,
                           size_t *count, struct pex_error *err)
{
    uint64_t passed = 0, row = 0;
    int32_t code = 0;

    walk_seek(walk, 0);
    cuts[0] = 0;
    *count = 1;
    for (uint64_t i = 1; i < want && code == 0; i++) {
        uint64_t more = i < rows % want ? i : rows % want;

        code = walk_to(walk, rows / want * i + more, &passed, &row, err);
        /* The rows can be fewer than counted only if the file changed, which the next read finds.
         */
        if (code == 0 && row != UINT64_MAX)
            add_cut(row, cuts, count);
    }
    return code;
}

int32_t pex__input_cut_rows(const struct pex__input *input, size_t want, uint64_t *cuts,
                            size_t *count, struct pex_error *err)
{
    struct walk walk;
    uint64_t rows = 0;
    size_t made = 1;
    int32_t code = pex__input_count_rows(input, UINT64_MAX, &rows, err);

    assert(want >= 1);
    if (code == 0)
        code = walk_begin(&walk, input, err);
    if (code != 0)
        return code;
    if (want > rows)
        want = rows > 0 ? (size_t)rows : 1;
    code = cut_at_rows(&walk, rows, want, cuts, &made, err);
    walk_end(&walk);
    if (code == 0)
        close_cuts(input, cuts, made, count);
    return code;
}

int32_t pex__input_cut_bytes(const struct pex__input *input, size_t want, uint64_t *cuts,
                             size_t *count, struct pex_error *err)
{
    struct walk walk;
    uint64_t rows = 0;
    size_t made = 1;
    int32_t code = walk_begin(&walk, input, err);

    assert(want >= 1);
    if (code != 0)
        return code;
    code = cut_at_targets(&walk, want, cuts, &made, err);
    walk_end(&walk);
    if (code != 0)
        return code;
    close_cuts(input, cuts, made, count);
    if (*count == want)
        return 0;
    /* Few rows of unlike length: so many partitions as there are rows, not fewer. */
    code = pex__input_count_rows(input, (uint64_t)want + 1, &rows, err);
    if (code == 0 && rows <= want && rows > *count)
        code = pex__input_cut_rows(input, want, cuts, count, err);
    return code;
}
