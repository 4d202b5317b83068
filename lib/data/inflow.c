/* SPDX-License-Identifier: Apache-2.0 */
#include "data/inflow.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/decode.h"
#include "data/reader.h"

#include <partexec/dataset.h>

#include <assert.h>
#include <string.h>

/* What a row that goes on is read further in the first step (a byte order mark fits in), and at
 * most. */
#define STEP_LEAST ((size_t)16)
#define STEP_FIRST ((size_t)4 << 10)
#define STEP_MAX ((size_t)4 << 20)

struct pex__inflow {
    const struct pex__input *input;
    struct pex__place begin, end;
    uint64_t slice_bytes;
    size_t source;                /* that is read, or next */
    int is_open;                  /* the source is: `offset` counts */
    uint64_t offset;              /* in it, of the next byte to be read */
    struct pex__open_source file; /* not compressed */
    struct pex__decoder *decoder;
    size_t buffer_bytes;
    struct pex__buffer rest; /* of a row that began in the last slice's bytes */
    uint64_t told;           /* global offset up to which slices counted bytes */
};

int32_t pex__inflow_create(const struct pex__input *input, const struct pex__place *begin,
                           const struct pex__place *end, uint64_t slice_bytes, size_t buffer_bytes,
                           struct pex__inflow **stream)
{
    struct pex__inflow *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return PEX_ENOMEM;
    made->input = input;
    made->begin = *begin;
    made->end = *end;
    made->slice_bytes = slice_bytes;
    made->buffer_bytes = buffer_bytes;
    made->source = begin->source;
    made->told = begin->at;
    made->file.fd = -1;
    *stream = made;
    return 0;
}

void pex__inflow_free(struct pex__inflow *stream)
{
    if (stream == NULL)
        return;
    pex__source_free(&stream->file);
    pex__decoder_free(stream->decoder);
    pex__buffer_free(&stream->rest);
    pex__free(stream);
}

uint64_t pex__inflow_bytes(const struct pex__inflow *stream)
{
    return stream->rest.capacity +
           (stream->decoder != NULL ? pex__decoder_bytes(stream->decoder) : 0);
}

static const struct pex__source *current(const struct pex__inflow *stream)
{
    return &stream->input->sources[stream->source];
}

static int is_at_end(const struct pex__inflow *stream)
{
    return stream->source >= stream->input->source_count || stream->source > stream->end.source ||
           (stream->source == stream->end.source && stream->end.row == 0);
}

/* Where the source's part of the partition ends, in what it holds. */
static uint64_t end_of_source(const struct pex__inflow *stream)
{
    const struct pex__source *source = current(stream);

    if (stream->source == stream->end.source)
        return stream->end.row;
    return source->codec == PEX__CODEC_NONE ? source->size : UINT64_MAX;
}

static int32_t open_source(struct pex__inflow *stream, struct pex_error *err)
{
    const struct pex__source *source = current(stream);
    int is_first = stream->source == stream->begin.source;
    int32_t code;

    stream->offset = is_first ? stream->begin.row : 0;
    stream->is_open = 1;
    if (source->codec == PEX__CODEC_NONE)
        return pex__source_open(&stream->file, source, err);
    if (stream->decoder == NULL && pex__decoder_create(stream->buffer_bytes, &stream->decoder) != 0)
        return pex__error_memory(err);
    code =
        pex__decoder_open(stream->decoder, source, is_first ? stream->begin.at - source->begin : 0,
                          is_first ? stream->begin.base : 0, err);
    return code == 0 ? pex__decoder_skip(stream->decoder, stream->offset, err) : code;
}

/* Up to `room` bytes of the source's part; fewer at its end. */
static int32_t read_some(struct pex__inflow *stream, char *data, size_t room, size_t *got,
                         struct pex_error *err)
{
    uint64_t left = end_of_source(stream) - stream->offset;
    int32_t code;

    room = left < room ? (size_t)left : room;
    *got = room;
    if (current(stream)->codec != PEX__CODEC_NONE)
        code = pex__decoder_read(stream->decoder, data, room, got, err);
    else
        code = pex__source_read(&stream->file, stream->offset, data, room, err);
    if (code == 0)
        stream->offset += *got;
    return code;
}

static int32_t close_source(struct pex__inflow *stream, struct pex_error *err)
{
    int32_t code = 0;

    if (current(stream)->codec == PEX__CODEC_NONE && stream->is_open)
        code = pex__source_unchanged(&stream->file, err);
    stream->is_open = 0;
    stream->source++;
    return code;
}

/* The lines of one source in the slice that is filled. */
struct lines {
    size_t begin;    /* in the slice's data */
    size_t fill;     /* end of what is read */
    uint64_t offset; /* of data[begin] in the source */
    size_t step;
};

/* Reads on. *got 0: the source's part is at its end. */
static int32_t read_on(struct pex__inflow *stream, const struct pex__reader *reader,
                       struct pex__slice *slice, struct lines *lines, size_t *got,
                       struct pex_error *err)
{
    size_t room = lines->fill < stream->slice_bytes ? (size_t)stream->slice_bytes - lines->fill : 0;
    int32_t code;

    if (room < lines->step)
        room = lines->step;
    /* One more for the LF that the last row of a source may lack. */
    code = pex__reader_room(reader, slice, lines->fill + room + 1, current(stream), lines->offset,
                            err);
    if (code != 0)
        return code;
    code = read_some(stream, slice->data + lines->fill, room, got, err);
    if (code != 0)
        return code;
    if (stream->offset == *got && *got >= PEX__MARK_BYTES &&
        memcmp(slice->data + lines->fill, PEX__MARK, PEX__MARK_BYTES) == 0) {
        memmove(slice->data + lines->fill, slice->data + lines->fill + PEX__MARK_BYTES,
                *got - PEX__MARK_BYTES);
        lines->fill -= PEX__MARK_BYTES;
        lines->offset = PEX__MARK_BYTES;
        slice->marks++;
    }
    lines->fill += *got;
    return 0;
}

/* The lines that are whole; the rest waits for the next slice. Returns their end, or lines->begin.
 */
static size_t cut(const struct pex__slice *slice, const struct lines *lines)
{
    const char *lf = memrchr(slice->data + lines->begin, '\n', lines->fill - lines->begin);

    return lf != NULL ? (size_t)(lf + 1 - slice->data) : lines->begin;
}

static int32_t keep_rest(struct pex__inflow *stream, const struct pex__slice *slice, size_t end,
                         size_t fill, struct pex_error *err)
{
    stream->rest.length = 0;
    if (pex__buffer_add(&stream->rest, slice->data + end, fill - end) != 0)
        return pex__error_memory(err);
    return 0;
}

static int32_t add_lines(struct pex__inflow *stream, struct pex__reader *reader,
                         struct pex__slice *slice, const struct lines *lines, size_t end,
                         struct pex_error *err)
{
    if (end == lines->begin)
        return 0;
    if (current(stream)->unwrap)
        return pex__reader_unwrap(reader, stream->input, stream->source, lines->offset,
                                  lines->begin, end, slice, err);
    slice->length = end;
    if (pex__slice_segment(slice, lines->begin, stream->source, lines->offset) != 0)
        return pex__error_memory(err);
    return 0;
}

static size_t first_step(uint64_t slice_bytes)
{
    if (slice_bytes > STEP_FIRST)
        return STEP_FIRST;
    return slice_bytes > STEP_LEAST ? (size_t)slice_bytes : STEP_LEAST;
}

static int32_t begin_lines(struct pex__inflow *stream, const struct pex__reader *reader,
                           struct pex__slice *slice, struct lines *lines, struct pex_error *err)
{
    size_t rest = stream->rest.length;
    int32_t code = stream->is_open ? 0 : open_source(stream, err);

    *lines = (struct lines){slice->length, slice->length + rest, stream->offset - rest,
                            first_step(stream->slice_bytes)};
    if (code == 0)
        code = pex__reader_room(reader, slice, lines->fill, current(stream), lines->offset, err);
    if (code != 0)
        return code;
    memcpy(slice->data + lines->begin, stream->rest.data != NULL ? stream->rest.data : "", rest);
    stream->rest.length = 0;
    return 0;
}

/* Adds lines of the current source: until the slice is full, or to the end of the source. */
static int32_t read_lines(struct pex__inflow *stream, struct pex__reader *reader,
                          struct pex__slice *slice, int *is_full, struct pex_error *err)
{
    struct lines lines;
    size_t got, end;
    int32_t code = begin_lines(stream, reader, slice, &lines, err);

    while (code == 0) {
        code = read_on(stream, reader, slice, &lines, &got, err);
        if (code != 0)
            break;
        if (got == 0) {
            if (lines.fill > lines.begin && slice->data[lines.fill - 1] != '\n')
                slice->data[lines.fill++] = '\n';
            code = add_lines(stream, reader, slice, &lines, lines.fill, err);
            return code == 0 ? close_source(stream, err) : code;
        }
        if (lines.fill < stream->slice_bytes)
            continue;
        end = cut(slice, &lines);
        if (end > lines.begin || lines.begin > 0) {
            *is_full = 1;
            code = keep_rest(stream, slice, end, lines.fill, err);
            return code == 0 ? add_lines(stream, reader, slice, &lines, end, err) : code;
        }
        lines.step = 2 * lines.step < STEP_MAX ? 2 * lines.step : STEP_MAX;
    }
    return code;
}

/* Bytes of the file that are behind us, so that slices sum up to the partition's. */
static uint64_t progress(const struct pex__inflow *stream)
{
    uint64_t at = stream->end.at;

    if (!is_at_end(stream)) {
        at = current(stream)->begin;
        if (stream->is_open)
            at += current(stream)->codec != PEX__CODEC_NONE ? pex__decoder_taken(stream->decoder)
                                                            : stream->offset;
    }
    return at < stream->told ? stream->told : at < stream->end.at ? at : stream->end.at;
}

int32_t pex__inflow_read(struct pex__inflow *stream, struct pex__reader *reader,
                         struct pex__slice *slice, int *is_end, struct pex_error *err)
{
    int is_full = 0;
    int32_t code = 0;

    pex__slice_reset(slice);
    if (pex__slice_reserve(slice, 0) != 0)
        return pex__error_memory(err);
    while (!is_full && slice->length < stream->slice_bytes && !is_at_end(stream) && code == 0) {
        if (current(stream)->format != PEX_FORMAT_TEXT) {
            code = read_lines(stream, reader, slice, &is_full, err);
            continue;
        }
        code = pex__textfile_read(reader, stream->input, stream->source, slice, err);
        stream->source++;
    }
    if (code != 0)
        return code;
    *is_end = is_at_end(stream);
    slice->rows_end = slice->length;
    slice->input_bytes = progress(stream) - stream->told;
    stream->told += slice->input_bytes;
    return 0;
}
