/* SPDX-License-Identifier: Apache-2.0 */
#include "data/cut_walk.h"

#include <string.h>

#include <partexec/dataset.h>

#include "base/error.h"
#include "base/memory.h"

#define CHUNK_BYTES ((size_t)256 << 10)
/* A search for one row start seldom goes far. */
#define FIRST_CHUNK_BYTES ((size_t)16 << 10)

int32_t pex__walk_begin(struct pex__walk *walk, const struct pex__input *input,
                        struct pex_error *err)
{
    *walk = (struct pex__walk){.input = input, .open = {.fd = -1}, .frames = {.fd = -1}};
    walk->buffer = pex__malloc(CHUNK_BYTES);
    return walk->buffer != NULL ? 0 : pex__error_memory(err);
}

void pex__walk_end(struct pex__walk *walk)
{
    pex__source_free(&walk->open);
    pex__decoder_free(walk->decoder);
    pex__free(walk->buffer);
}

static void enter_source(struct pex__walk *walk, size_t source, uint64_t offset)
{
    walk->source = source;
    /* From the byte in front: if it is an LF, a row starts at the offset. */
    walk->next = offset > 0 ? offset - 1 : 0;
    walk->line = 0;
    walk->in_row = offset > 0;
    walk->at = walk->fill = 0;
    walk->from_at = walk->from_base = walk->line_at = walk->line_base = 0;
    walk->is_entered = 0;
}

/* The byte in front of a frame would have to be decoded: the walk begins inside a row. */
static void enter_frame(struct pex__walk *walk, size_t source)
{
    enter_source(walk, source, 0);
    walk->in_row = 1;
    walk->from_at = walk->line_at = walk->frames.at;
    walk->from_base = walk->line_base = walk->next = walk->frames.base;
}

/* The first frame at or behind byte `offset` of a zstd source; 0: there is none. */
static int find_frame(struct pex__walk *walk, const struct pex__source *source, uint64_t offset)
{
    if (walk->frames.source != source)
        walk->frames = (struct pex__frames){.source = source};
    walk->frames.fd = walk->open.fd;
    while (walk->frames.at < offset)
        if (!pex__frames_next(&walk->frames))
            return 0;
    return 1;
}

int32_t pex__walk_seek(struct pex__walk *walk, uint64_t offset, struct pex_error *err)
{
    const struct pex__input *input = walk->input;
    size_t index = pex__input_find(input, offset);
    const struct pex__source *source = index < input->source_count ? &input->sources[index] : NULL;
    int32_t code;

    walk->chunk = FIRST_CHUNK_BYTES;
    if (source == NULL || offset <= source->begin) {
        enter_source(walk, index, 0);
        return 0;
    }
    if (source->format == PEX_FORMAT_TEXT || source->codec == PEX__CODEC_GZIP) {
        enter_source(walk, index + 1, 0);
        return 0;
    }
    if (source->codec == PEX__CODEC_NONE) {
        enter_source(walk, index, offset - source->begin);
        return 0;
    }
    code = pex__source_open(&walk->open, source, err);
    if (code != 0)
        return code;
    if (find_frame(walk, source, offset - source->begin))
        enter_frame(walk, index);
    else
        enter_source(walk, index + 1, 0);
    return 0;
}

static int32_t decode_some(struct pex__walk *walk, const struct pex__source *source, size_t *length,
                           struct pex_error *err)
{
    int32_t code = 0;

    if (walk->decoder == NULL && pex__decoder_create(0, &walk->decoder) != 0)
        return pex__error_memory(err);
    if (!walk->is_entered)
        code = pex__decoder_open(walk->decoder, source, walk->from_at, walk->from_base, err);
    walk->is_entered = code == 0;
    pex__decoder_place(walk->decoder, &walk->from_at, &walk->from_base);
    if (code == 0)
        code = pex__decoder_read(walk->decoder, walk->buffer, walk->chunk, length, err);
    return code;
}

/* Nothing is in the buffer at the end of the source. */
static int32_t fill_buffer(struct pex__walk *walk, const struct pex__source *source,
                           struct pex_error *err)
{
    uint64_t left = source->size - walk->next;
    size_t length = left < walk->chunk ? (size_t)left : walk->chunk;
    int32_t code = 0;

    walk->at = walk->fill = 0;
    if (source->codec != PEX__CODEC_NONE) {
        code = decode_some(walk, source, &length, err);
    } else if (length > 0) {
        code = pex__source_open(&walk->open, source, err);
        if (code == 0)
            code = pex__source_read(&walk->open, walk->next, walk->buffer, length, err);
    }
    if (code != 0)
        return code;
    walk->fill = length;
    if (walk->next == 0 && length >= PEX__MARK_BYTES &&
        memcmp(walk->buffer, PEX__MARK, PEX__MARK_BYTES) == 0)
        walk->at = PEX__MARK_BYTES;
    walk->next += length;
    walk->chunk = CHUNK_BYTES;
    return 0;
}

/* Goes on to the next row start in the buffer. Returns non-zero if there is one. */
static int next_in_buffer(struct pex__walk *walk)
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
            walk->line_at = walk->from_at;
            walk->line_base = walk->from_base;
            walk->in_row = 0;
        } else {
            walk->in_row = 1;
            return 1;
        }
    }
    return 0;
}

static struct pex__place here(const struct pex__walk *walk, const struct pex__source *source)
{
    if (source->codec != PEX__CODEC_NONE)
        return (struct pex__place){source->begin + walk->line_at, walk->line_base, walk->line,
                                   walk->source};
    return (struct pex__place){source->begin + walk->line, walk->line, walk->line, walk->source};
}

int32_t pex__walk_next(struct pex__walk *walk, struct pex__place *row, struct pex_error *err)
{
    const struct pex__input *input = walk->input;
    int32_t code;

    for (; walk->source < input->source_count; enter_source(walk, walk->source + 1, 0)) {
        const struct pex__source *source = &input->sources[walk->source];

        if (source->format == PEX_FORMAT_TEXT) {
            *row = (struct pex__place){source->begin, 0, 0, walk->source};
            enter_source(walk, walk->source + 1, 0);
            return 0;
        }
        for (;;) {
            if (next_in_buffer(walk)) {
                *row = here(walk, source);
                return 0;
            }
            code = fill_buffer(walk, source, err);
            if (code != 0)
                return code;
            if (walk->fill == 0)
                break;
        }
    }
    *row = (struct pex__place){input->bytes, 0, 0, input->source_count};
    return 0;
}
