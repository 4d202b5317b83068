/* SPDX-License-Identifier: Apache-2.0 */
/* A text file as one row: {"text": CONTENT, "meta": {"path": PATH, "size": BYTES}}. */
#include "data/decode.h"
#include "data/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Files are escaped piece by piece, so that a big one is never held twice. */
#define PIECE_BYTES ((size_t)64 << 10)
#define ESCAPED_MAX 6

static int is_special(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

/* Non-zero if one of the eight bytes must be escaped. */
static uint64_t has_special(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    uint64_t control = (word - ones * 0x20) & ~word;

    return (control | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) & ones << 7;
}

static size_t escape_byte(unsigned char c, char *out)
{
    static const char hex[] = "0123456789abcdef";
    static const char plain[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
    const char *found;

    if (!is_special(c)) {
        out[0] = (char)c;
        return 1;
    }
    out[0] = '\\';
    found = c != 0 ? strchr(plain, c) : NULL;
    if (found != NULL) {
        out[1] = letters[found - plain];
        return 2;
    }
    memcpy(out + 1, "u00", 3);
    out[4] = hex[c >> 4];
    out[5] = hex[c & 15];
    return 6;
}

/* pex__text_escape is not used: it writes surrogates and may mend bytes that are not UTF-8, which
 * must reach the scanner as they are, so that it finds the row bad. */
static size_t escape(const unsigned char *text, size_t length, char *out)
{
    char *begin = out;
    size_t i = 0;
    uint64_t word;

    while (i + 8 <= length) {
        memcpy(&word, text + i, 8);
        if (has_special(word) == 0) {
            memcpy(out, &word, 8);
            out += 8;
        } else {
            for (size_t k = 0; k < 8; k++)
                out += escape_byte(text[i + k], out);
        }
        i += 8;
    }
    for (; i < length; i++)
        out += escape_byte(text[i], out);
    return (size_t)(out - begin);
}

static int32_t add(struct pex__reader *reader, const struct pex__source *source,
                   struct pex__slice *slice, const char *text, size_t length, struct pex_error *err)
{
    int32_t code = pex__reader_room(reader, slice, slice->length + length, source, 0, err);

    if (code != 0)
        return code;
    memcpy(slice->data + slice->length, text, length);
    slice->length += length;
    return 0;
}

/* The next piece of what the file holds; *length 0 at its end. */
static int32_t read_piece(struct pex__reader *reader, const struct pex__source *source,
                          uint64_t offset, char *piece, size_t *length, struct pex_error *err)
{
    uint64_t left = source->size - offset;

    if (source->codec != PEX__CODEC_NONE)
        return pex__decoder_read(reader->decoder, piece, PIECE_BYTES, length, err);
    *length = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
    return pex__source_read(&reader->open, offset, piece, *length, err);
}

/* *size: bytes that the file holds. */
static int32_t add_content(struct pex__reader *reader, const struct pex__source *source,
                           struct pex__slice *slice, uint64_t *size, struct pex_error *err)
{
    uint64_t offset = 0;
    size_t length, skip;
    int32_t code;

    if (pex__buffer_reserve(&reader->scratch, PIECE_BYTES) != 0)
        return pex__error_memory(err);
    for (;; offset += length) {
        char *piece = reader->scratch.data;

        code = read_piece(reader, source, offset, piece, &length, err);
        if (code == 0)
            code = pex__reader_room(reader, slice, slice->length + ESCAPED_MAX * length, source, 0,
                                    err);
        if (code != 0)
            return code;
        if (length == 0)
            break;
        skip = offset == 0 && length >= PEX__MARK_BYTES &&
                       memcmp(piece, PEX__MARK, PEX__MARK_BYTES) == 0
                   ? PEX__MARK_BYTES
                   : 0;
        slice->marks += skip != 0;
        slice->length +=
            escape((const unsigned char *)piece + skip, length - skip, slice->data + slice->length);
    }
    *size = offset;
    return 0;
}

static int32_t add_meta(struct pex__reader *reader, const struct pex__source *source, uint64_t size,
                        struct pex__slice *slice, struct pex_error *err)
{
    struct pex__buffer *meta = &reader->scratch;
    int32_t code;

    meta->length = 0;
    if (pex__buffer_text(meta, "\", \"meta\": {\"path\": ") != 0 ||
        pex__buffer_json(meta, source->path, strlen(source->path)) != 0 ||
        pex__buffer_print(meta, ", \"size\": %" PRIu64 "}}\n", size) != 0)
        code = pex__error_memory(err);
    else
        code = add(reader, source, slice, meta->data, meta->length, err);
    meta->length = 0;
    return code;
}

int32_t pex__textfile_read(struct pex__reader *reader, const struct pex__input *input,
                           size_t source_index, struct pex__slice *slice, struct pex_error *err)
{
    static const char head[] = "{\"text\": \"";
    const struct pex__source *source = &input->sources[source_index];
    uint64_t size = 0;
    int32_t code = source->codec != PEX__CODEC_NONE ? pex__reader_decode(reader, source, err)
                                                    : pex__source_open(&reader->open, source, err);

    if (code != 0)
        return code;
    if (pex__slice_segment(slice, slice->length, source_index, 0) != 0)
        return pex__error_memory(err);
    code = add(reader, source, slice, head, sizeof head - 1, err);
    if (code == 0)
        code = add_content(reader, source, slice, &size, err);
    if (code == 0)
        code = add_meta(reader, source, size, slice, err);
    return code;
}
