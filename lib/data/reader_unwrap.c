/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows out of a quarantine.jsonl: each line holds one in `raw` (text) or `raw_base64`. A line that
 * is not one of ours, as a row of a data set that only has the file's name, stays as it is.
 */
#include "data/reader.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "data/scan.h"
#include "data/text.h"

/* A larger scratch, left by a long row, is given back. */
#define SCRATCH_KEEP_BYTES ((size_t)1 << 20)

enum { RAW, RAW_BASE64, SOURCE, OFFSET, CODE, MESSAGE, FIELD_COUNT };

static int32_t make_paths(struct pex__reader *reader)
{
    static const char *const names[FIELD_COUNT] = {"raw",    "raw_base64", "source",
                                                   "offset", "code",       "message"};
    struct pex__path paths[FIELD_COUNT] = {{0}};
    int32_t code = 0;

    if (reader->raw != NULL)
        return 0;
    for (size_t i = 0; i < FIELD_COUNT && code == 0; i++)
        code = pex__path_keys(&names[i], 1, &paths[i]);
    if (code == 0)
        code = pex__paths_create(paths, FIELD_COUNT, &reader->raw);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        pex__path_free(&paths[i]);
    return code;
}

static int base64_value(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes in place. Returns the length, or SIZE_MAX if the text is not base64. */
static size_t base64_decode(char *text, size_t length)
{
    uint32_t bits = 0;
    size_t count = 0, out = 0;
    int value;

    while (length > 0 && text[length - 1] == '=' && count < 2)
        length--, count++;
    if ((length + count) % 4 != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < length; i++) {
        value = base64_value((unsigned char)text[i]);
        if (value < 0)
            return SIZE_MAX;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 0)
            text[out++] = (char)(bits >> (6 - 2 * (i % 4)));
    }
    return out;
}

/* Non-zero if the line has what every line of a quarantine has beside its row. */
static int has_shape(const uint8_t types[FIELD_COUNT])
{
    for (int field = SOURCE; field < FIELD_COUNT; field++) {
        if (types[field] == PEX__MISSING)
            return 0;
    }
    return 1;
}

/* Puts the row in data[begin .. end), a line without its LF, into scratch. *found: there is one. */
static int32_t unwrap_line(struct pex__reader *reader, const char *data, size_t begin, size_t end,
                           int *found)
{
    struct pex__buffer *row = &reader->scratch;
    struct pex__span object, spans[FIELD_COUNT];
    uint8_t types[FIELD_COUNT];
    uint32_t at;

    *found = 0;
    row->length = 0;
    if (pex__scan_reference(reader->raw, data, begin, end, &object, spans, types, &at) !=
            PEX__ROW_OK ||
        !has_shape(types))
        return 0;
    for (int field = RAW; field <= RAW_BASE64 && !*found; field++) {
        const char *text = data + spans[field].begin + 1;
        size_t length = spans[field].length - 2;

        if (types[field] != PEX__STRING && types[field] != PEX__ESCAPED)
            continue;
        if (pex__buffer_reserve(row, length + PEX__TEXT_SLACK) != 0)
            return PEX_ENOMEM;
        if (types[field] == PEX__ESCAPED)
            length = pex__text_decode(text, length, row->data);
        else
            memcpy(row->data, text, length);
        if (field == RAW_BASE64)
            length = base64_decode(row->data, length);
        /* An LF would make two rows of one line, so such a text is not the row of a line. */
        *found = length != SIZE_MAX && memchr(row->data, '\n', length) == NULL;
        row->length = *found ? length : 0;
    }
    return 0;
}

int32_t pex__reader_unwrap(struct pex__reader *reader, const struct pex__input *input,
                           size_t source, uint64_t offset, size_t begin, size_t end,
                           struct pex__slice *slice, struct pex_error *err)
{
    char *data = slice->data;
    size_t in = begin, out = slice->length;
    int found;

    if (make_paths(reader) != 0)
        return pex__error_memory(err);
    while (in < end) {
        const char *lf = memchr(data + in, '\n', end - in);
        size_t length = (size_t)(lf - (data + in));

        if (unwrap_line(reader, data, in, in + length, &found) != 0 ||
            pex__slice_segment(slice, out, source, offset + (in - begin)) != 0)
            return pex__error_memory(err);
        /* A row is shorter than the line around it, so what is written never passes what is read.
         */
        assert(!found || reader->scratch.length <= length);
        if (found)
            memcpy(data + out, reader->scratch.data, reader->scratch.length);
        else
            memmove(data + out, data + in, length);
        out += found ? reader->scratch.length : length;
        data[out++] = '\n';
        in += length + 1;
    }
    reader->scratch.length = 0;
    if (reader->scratch.capacity > SCRATCH_KEEP_BYTES)
        pex__buffer_free(&reader->scratch);
    slice->length = out;
    return 0;
}
