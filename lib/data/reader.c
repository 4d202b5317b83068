/* SPDX-License-Identifier: Apache-2.0 */
#include "data/reader.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <partexec/dataset.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/decode.h"
#include "data/scan.h"

/* Read behind a range at once, so that the end of its last row seldom needs a second call. */
#define TAIL_BYTES 4096
/* Most that a row which goes on is read further in one step. */
#define STEP_MAX (4u << 20)

/* The part of a source that lies in the slice's data while its rows are cut out. */
struct window {
    const struct pex__source *source;
    uint64_t begin; /* rows that start in [begin, end) of the source are wanted */
    uint64_t end;
    uint64_t offset; /* in the source, of data[at] */
    uint64_t read;   /* end of what is read, in the source */
    size_t at;
};

int32_t pex__reader_create(struct pex__reader **reader)
{
    struct pex__reader *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return PEX_ENOMEM;
    made->open.fd = -1;
    made->limit = UINT32_MAX - PEX__SCAN_SLACK;
    *reader = made;
    return 0;
}

void pex__reader_use(struct pex__reader *reader, const struct pex__heap *heap)
{
    reader->scratch.heap = heap;
}

void pex__reader_free(struct pex__reader *reader)
{
    if (reader == NULL)
        return;
    pex__source_free(&reader->open);
    pex__decoder_free(reader->decoder);
    pex__buffer_free(&reader->ahead);
    pex__buffer_free(&reader->scratch);
    pex__paths_free(reader->raw);
    pex__free(reader);
}

void pex__reader_close(struct pex__reader *reader)
{
    pex__source_close(&reader->open);
    pex__decoder_free(reader->decoder);
    reader->decoder = NULL;
    pex__buffer_free(&reader->ahead);
}

int32_t pex__reader_room(const struct pex__reader *reader, struct pex__slice *slice, size_t length,
                         const struct pex__source *source, uint64_t offset, struct pex_error *err)
{
    if (length > reader->limit)
        return pex_error_set(err, PEX_ELIMIT,
                             "%s: the row at byte %" PRIu64 " does not fit into a slice of %zu "
                             "bytes; split the row, or leave it out",
                             source->path, offset, reader->limit);
    if (pex__slice_reserve(slice, length) != 0)
        return pex__error_memory(err);
    return 0;
}

int32_t pex__slice_segment(struct pex__slice *slice, size_t begin, size_t source, uint64_t offset)
{
    if (pex__heap_grow(slice->heap, &slice->segments, &slice->segment_capacity,
                       slice->segment_count + 1, sizeof *slice->segments) != 0)
        return PEX_ENOMEM;
    slice->segments[slice->segment_count++] =
        (struct pex__segment){(uint32_t)begin, (uint32_t)source, offset};
    return 0;
}

/* Index in the slice's data of a byte of the source that is read. */
static size_t place(const struct window *window, uint64_t offset)
{
    return window->at + (size_t)(offset - window->offset);
}

/* Reads the source on to offset `until`. row: where the row begins that asks for it. */
static int32_t read_on(struct pex__reader *reader, struct window *window, uint64_t until,
                       uint64_t row, struct pex__slice *slice, struct pex_error *err)
{
    size_t fill = place(window, window->read);
    int32_t code;

    if (until > window->source->size)
        until = window->source->size;
    /* One more for the LF that the last row of a source may lack. */
    code = pex__reader_room(reader, slice, place(window, until) + 1, window->source, row, err);
    if (code != 0)
        return code;
    code = pex__source_read(&reader->open, window->read, slice->data + fill,
                            (size_t)(until - window->read), err);
    if (code == 0)
        window->read = until;
    return code;
}

static void drop_mark(struct window *window, struct pex__slice *slice)
{
    char *data = slice->data + window->at;
    size_t length = (size_t)window->read;

    if (length < PEX__MARK_BYTES || memcmp(data, PEX__MARK, PEX__MARK_BYTES) != 0)
        return;
    memmove(data, data + PEX__MARK_BYTES, length - PEX__MARK_BYTES);
    window->offset = PEX__MARK_BYTES;
    slice->marks++;
}

/* The first byte of the first row that starts in the range, or SIZE_MAX. */
static size_t find_first(const struct window *window, const struct pex__slice *slice)
{
    const char *data = slice->data + window->at, *end;

    if (window->begin == 0)
        return window->at;
    /* data[0] is the byte before the range: a row starts behind every LF but the range's last byte.
     */
    end = memchr(data, '\n', (size_t)(window->end - window->begin));
    return end == NULL ? SIZE_MAX : (size_t)(end + 1 - slice->data);
}

/* Where, in the source, the row begins that goes on behind data[fill]. */
static uint64_t unfinished_row(const struct window *window, size_t first, size_t fill,
                               const struct pex__slice *slice)
{
    const char *lf = memrchr(slice->data + first, '\n', fill - first);
    size_t at = lf != NULL ? (size_t)(lf + 1 - slice->data) : first;

    return window->offset + (at - window->at);
}

/* Finds the end of the last row that starts in the range, its LF included; reads on as needed. */
static int32_t find_end(struct pex__reader *reader, struct window *window, size_t first,
                        struct pex__slice *slice, size_t *end, struct pex_error *err)
{
    uint64_t last = window->end - 1, step = TAIL_BYTES, row = UINT64_MAX;
    size_t from = last > window->offset ? place(window, last) : window->at;
    size_t fill;
    const char *found;
    int32_t code;

    for (;;) {
        fill = place(window, window->read);
        found = memchr(slice->data + from, '\n', fill - from);
        if (found != NULL) {
            *end = (size_t)(found + 1 - slice->data);
            return 0;
        }
        if (window->read == window->source->size)
            break;
        if (row == UINT64_MAX)
            row = unfinished_row(window, first, fill, slice);
        from = fill;
        code = read_on(reader, window, window->read + step, row, slice, err);
        if (code != 0)
            return code;
        step = step < STEP_MAX ? step * 2 : STEP_MAX;
    }
    if (fill > first)
        slice->data[fill++] = '\n';
    *end = fill;
    return 0;
}

/* Appends the lines that start in [begin, end) of a source. */
static int32_t read_lines(struct pex__reader *reader, const struct pex__input *input, size_t index,
                          uint64_t begin, uint64_t end, struct pex__slice *slice,
                          struct pex_error *err)
{
    const struct pex__source *source = &input->sources[index];
    uint64_t offset = begin > 0 ? begin - 1 : 0;
    struct window window = {source, begin, end, offset, offset, slice->length};
    size_t first, last;
    int32_t code;

    assert(begin < end && end <= source->size);
    code = pex__source_open(&reader->open, source, err);
    if (code == 0)
        code = read_on(reader, &window, end + TAIL_BYTES, begin, slice, err);
    if (code != 0)
        return code;
    code = pex__source_unchanged(&reader->open, err);
    if (code != 0)
        return code;
    if (begin == 0)
        drop_mark(&window, slice);
    first = find_first(&window, slice);
    if (first == SIZE_MAX)
        return 0;
    code = find_end(reader, &window, first, slice, &last, err);
    if (code != 0 || last == first)
        return code;
    offset = window.offset + (first - window.at);
    if (source->unwrap)
        return pex__reader_unwrap(reader, input, index, offset, first, last, slice, err);
    /* Only the first source of a slice has foreign bytes in front of its first row. */
    if (slice->segment_count == 0)
        slice->rows_begin = first;
    slice->length = last;
    if (pex__slice_segment(slice, first, index, offset) != 0)
        return pex__error_memory(err);
    return 0;
}

/* Non-zero if a source of 0 bytes belongs to the slice [begin, end). */
static int owns_empty(const struct pex__input *input, uint64_t at, uint64_t begin, uint64_t end)
{
    if (at < end)
        return at >= begin;
    return at == end && end == input->bytes && (begin < end || end == 0);
}

static int32_t read_source(struct pex__reader *reader, const struct pex__input *input, size_t index,
                           uint64_t begin, uint64_t end, struct pex__slice *slice,
                           struct pex_error *err)
{
    const struct pex__source *source = &input->sources[index];
    uint64_t from = begin > source->begin ? begin - source->begin : 0;
    uint64_t to = end > source->begin ? end - source->begin : 0;

    if (to > source->size)
        to = source->size;
    if (source->format != PEX_FORMAT_TEXT)
        return from < to ? read_lines(reader, input, index, from, to, slice, err) : 0;
    if (source->size == 0 ? owns_empty(input, source->begin, begin, end) : from == 0 && to > 0)
        return pex__textfile_read(reader, input, index, slice, err);
    return 0;
}

int32_t pex__reader_read(struct pex__reader *reader, const struct pex__input *input, uint64_t begin,
                         uint64_t end, struct pex__slice *slice, struct pex_error *err)
{
    int32_t code = 0;

    assert(begin <= end && end <= input->bytes);
    pex__slice_reset(slice);
    if (pex__slice_reserve(slice, 0) != 0)
        return pex__error_memory(err);
    for (size_t i = pex__input_find(input, begin); i < input->source_count && code == 0; i++) {
        if (input->sources[i].begin > end)
            break;
        code = read_source(reader, input, i, begin, end, slice, err);
    }
    if (code != 0)
        return code;
    slice->rows_end = slice->length;
    slice->input_bytes = end - begin;
    return 0;
}

/* The last line of the slice without what is around its object. */
static struct pex_string_view last_row(const struct pex__slice *slice)
{
    const char *lf = slice->length > 1 ? memrchr(slice->data, '\n', slice->length - 1) : NULL;
    const char *begin = lf != NULL ? lf + 1 : slice->data, *end = slice->data + slice->length;

    while (begin < end && (unsigned char)*begin <= ' ')
        begin++;
    while (begin < end && (unsigned char)end[-1] <= ' ')
        end--;
    return (struct pex_string_view){begin, (size_t)(end - begin)};
}

/* The row at its id in a compressed source. */
static int32_t decode_row(struct pex__reader *reader, const struct pex__input *input,
                          const struct pex_row_id *id, struct pex__slice *slice,
                          struct pex_error *err)
{
    const struct pex__source *source = &input->sources[id->source];
    int32_t code = pex__reader_line(reader, source, id->offset, slice, err);
    size_t end = slice->length;

    if (code != 0 || !source->unwrap)
        return code;
    slice->length = 0;
    return pex__reader_unwrap(reader, input, id->source, id->offset, 0, end, slice, err);
}

int32_t pex__reader_row(struct pex__reader *reader, const struct pex__input *input,
                        const struct pex_row_id *id, struct pex__slice *slice,
                        struct pex_string_view *row, struct pex_error *err)
{
    int32_t code = 0;
    uint64_t from;

    pex__slice_reset(slice);
    if (pex__slice_reserve(slice, 0) != 0)
        return pex__error_memory(err);
    if (input->sources[id->source].format == PEX_FORMAT_TEXT)
        code = pex__textfile_read(reader, input, id->source, slice, err);
    else if (input->sources[id->source].codec != PEX__CODEC_NONE)
        code = decode_row(reader, input, id, slice, err);
    /* The id is the place of the object: its line begins there, or some blanks before. */
    for (uint64_t back = 0; code == 0 && slice->length == 0; back = 2 * back + 1) {
        from = id->offset > back ? id->offset - back : 0;
        code = read_lines(reader, input, id->source, from, id->offset + 1, slice, err);
        if (from == 0)
            break;
    }
    if (code == 0)
        *row = last_row(slice);
    return code;
}
