/* SPDX-License-Identifier: Apache-2.0 */
#include "packed.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "data/inflow.h"

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
    bytes->data = realloc(bytes->data, bytes->length + length + 1);
    ck_assert_ptr_nonnull(bytes->data);
    if (length > 0)
        memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void pack_gzip(struct bytes *out, const void *data, size_t length)
{
    z_stream stream = {0};
    Bytef *room;
    uLong bound;

    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    bound = deflateBound(&stream, (uLong)length);
    room = malloc(bound);
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)length;
    stream.next_out = room;
    stream.avail_out = (uInt)bound;
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes_add(out, room, stream.total_out);
    deflateEnd(&stream);
    free(room);
}

void pack_zstd(struct bytes *out, const void *data, size_t length, int flags)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(length), made;
    char *room = malloc(bound);

    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, (flags & PACK_CHECKSUM) != 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, (flags & PACK_SIZE) != 0);
    made = ZSTD_compress2(context, room, bound, data, length);
    ck_assert(!ZSTD_isError(made));
    bytes_add(out, room, made);
    ZSTD_freeCCtx(context);
    free(room);
}

void pack_skippable(struct bytes *out, const void *data, size_t length)
{
    unsigned char head[8] = {0x53, 0x2A, 0x4D, 0x18};

    for (int i = 0; i < 4; i++)
        head[4 + i] = (unsigned char)(length >> 8 * i);
    bytes_add(out, head, sizeof head);
    bytes_add(out, data, length);
}

static int32_t read_stream(struct lines *lines, const struct pex__input *input,
                           const struct pex__place *begin, const struct pex__place *end,
                           uint64_t slice_bytes, size_t buffer, struct pex_error *err)
{
    struct pex__reader *reader = NULL;
    struct pex__inflow *stream = NULL;
    struct pex__slice slice = {0};
    uint64_t counted = 0;
    int is_end = 0;
    int32_t code = 0;

    code = pex__reader_create(&reader);
    if (code == 0)
        code = pex__inflow_create(input, begin, end, slice_bytes, buffer, &stream);
    while (!is_end && code == 0) {
        code = pex__inflow_read(stream, reader, &slice, &is_end, err);
        if (code != 0)
            break;
        lines_of_slice(lines, &slice);
        counted += slice.input_bytes;
    }
    ck_assert_msg(code != 0 || counted == end->at - begin->at, "%lu bytes counted of %lu",
                  (unsigned long)counted, (unsigned long)(end->at - begin->at));
    pex__inflow_free(stream);
    pex__reader_free(reader);
    pex__slice_free(&slice);
    return code;
}

int32_t packed_read(struct lines *lines, const struct pex__input *input,
                    const struct pex__place *begin, const struct pex__place *end,
                    uint64_t slice_bytes, size_t buffer, struct pex_error *err)
{
    if (pex__input_is_stream(input, begin, end))
        return read_stream(lines, input, begin, end, slice_bytes, buffer, err);
    lines_read(lines, input, begin->at, end->at, slice_bytes);
    return 0;
}
