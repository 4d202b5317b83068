/* SPDX-License-Identifier: Apache-2.0 */
/* A reader's way into compressed sources: whole text files, and single rows read again. */
#include "data/decode.h"
#include "data/reader.h"

#include "base/error.h"

#include <string.h>

#define STEP_BYTES ((size_t)16 << 10)
/* More, left by a long row, is given back. */
#define KEEP_BYTES ((size_t)1 << 20)

int32_t pex__reader_decode(struct pex__reader *reader, const struct pex__source *source,
                           struct pex_error *err)
{
    reader->ahead.length = 0;
    if (reader->decoder == NULL && pex__decoder_create(0, &reader->decoder) != 0)
        return pex__error_memory(err);
    return pex__decoder_open(reader->decoder, source, 0, 0, err);
}

/* Goes to `offset` of the source: what lies ahead begins there. */
static int32_t go_to(struct pex__reader *reader, const struct pex__source *source, uint64_t offset,
                     struct pex_error *err)
{
    struct pex__buffer *ahead = &reader->ahead;
    uint64_t end, begin;
    int32_t code = 0;

    if (reader->decoder == NULL || !pex__decoder_goes_on(reader->decoder, source) ||
        offset < pex__decoder_offset(reader->decoder) - ahead->length)
        code = pex__reader_decode(reader, source, err);
    if (code != 0)
        return code;
    end = pex__decoder_offset(reader->decoder);
    begin = end - ahead->length;
    if (offset >= end) {
        ahead->length = 0;
        return pex__decoder_skip(reader->decoder, offset, err);
    }
    ahead->length = (size_t)(end - offset);
    memmove(ahead->data, ahead->data + (offset - begin), ahead->length);
    return 0;
}

/* Decodes on until an LF is ahead, or the source ends. *length: of the line. */
static int32_t find_end(struct pex__reader *reader, size_t *length, struct pex_error *err)
{
    struct pex__buffer *ahead = &reader->ahead;
    const char *lf = NULL;
    size_t from = 0, got = 1;
    int32_t code;

    for (;;) {
        if (ahead->length > from)
            lf = memchr(ahead->data + from, '\n', ahead->length - from);
        if (lf != NULL || got == 0)
            break;
        from = ahead->length;
        if (pex__buffer_reserve(ahead, STEP_BYTES) != 0)
            return pex__error_memory(err);
        code = pex__decoder_read(reader->decoder, ahead->data + from, STEP_BYTES, &got, err);
        if (code != 0)
            return code;
        ahead->length += got;
    }
    *length = lf != NULL ? (size_t)(lf + 1 - ahead->data) : ahead->length;
    return 0;
}

int32_t pex__reader_line(struct pex__reader *reader, const struct pex__source *source,
                         uint64_t offset, struct pex__slice *slice, struct pex_error *err)
{
    struct pex__buffer *ahead = &reader->ahead;
    size_t length = 0, at = slice->length;
    int32_t code = go_to(reader, source, offset, err);

    if (code == 0)
        code = find_end(reader, &length, err);
    if (code == 0)
        code = pex__reader_room(reader, slice, at + length + 1, source, offset, err);
    if (code != 0)
        return code;
    if (length > 0)
        memcpy(slice->data + at, ahead->data, length);
    slice->length = at + length;
    if (length == 0 || slice->data[slice->length - 1] != '\n')
        slice->data[slice->length++] = '\n';
    if (ahead->capacity > KEEP_BYTES) {
        pex__buffer_free(ahead);
        pex__decoder_close(reader->decoder);
    }
    return 0;
}
