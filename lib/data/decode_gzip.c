/* SPDX-License-Identifier: Apache-2.0 */
/* gzip: libdeflate decodes a member that fits into our buffers whole; zlib streams the others. */
#include "data/decode_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <string.h>

/* The fixed part of a member's head. */
#define HEAD_BYTES 10

static void *zlib_alloc(void *opaque, unsigned items, unsigned size)
{
    return pex__calloc(items, size);
}

static void zlib_free(void *opaque, void *memory)
{
    pex__free(memory);
}

/* Behind a member: another, zeros that a tape or a block device left, or the end. */
static int32_t see_next(struct pex__decoder *d, int *is_end, struct pex_error *err)
{
    int32_t code = pex__decoder_fill(d, 2, err);
    size_t left = pex__decoder_left(d);

    *is_end = 0;
    if (code != 0)
        return code;
    if (left >= 2 && d->in[d->in_at] == 0x1F && d->in[d->in_at + 1] == 0x8B)
        return 0;
    while (left > 0) {
        while (left > 0 && d->in[d->in_at] == 0) {
            d->in_at++;
            left--;
        }
        if (left > 0)
            return pex__decoder_foreign(d, "another gzip member or the end of the file", err);
        code = pex__decoder_fill(d, 1, err);
        if (code != 0)
            return code;
        left = pex__decoder_left(d);
    }
    *is_end = 1;
    return 0;
}

/* The head of a member, as far as it can be told from other bytes (RFC 1952). */
static int is_head(const unsigned char *data)
{
    enum { RESERVED_FLAGS = 0xE0, LAST_SYSTEM = 13, UNKNOWN_SYSTEM = 255 };

    return data[0] == 0x1F && data[1] == 0x8B && data[2] == Z_DEFLATED &&
           (data[3] & RESERVED_FLAGS) == 0 && (data[8] == 0 || data[8] == 2 || data[8] == 4) &&
           (data[9] <= LAST_SYSTEM || data[9] == UNKNOWN_SYSTEM);
}

/* The member in front of us seems to end in what is read: the file does, or another follows. Else
 * it would be decoded in vain, as far as there is room. */
static int seems_whole(const struct pex__decoder *d)
{
    const unsigned char *at = d->in + d->in_at + HEAD_BYTES, *end = d->in + d->in_fill;

    if (d->read_at == d->source->size)
        return 1;
    while (end - at >= HEAD_BYTES && (at = memchr(at, 0x1F, (size_t)(end - at))) != NULL) {
        if (end - at < HEAD_BYTES || is_head(at))
            return end - at >= HEAD_BYTES;
        at++;
    }
    return 0;
}

/* Decodes the member in front of us at one go. Returns 0 if it does not fit into what is read of
 * the file and the room for it, or is damaged. */
static int decode_whole(struct pex__decoder *d)
{
    size_t taken, given;

    if (libdeflate_gzip_decompress_ex(d->whole, d->in + d->in_at, pex__decoder_left(d), d->member,
                                      d->member_capacity, &taken, &given) != LIBDEFLATE_SUCCESS)
        return 0;
    d->in_at += taken;
    d->member_at = 0;
    d->member_fill = given;
    if (taken > d->member_taken)
        d->member_taken = taken;
    return 1;
}

/*
 * What is too large, or damaged, is left to zlib, which can say where. Members are taken to be as
 * large as those in front of them, so that the buffer is not moved for each of many small ones.
 */
static int32_t try_whole(struct pex__decoder *d, struct pex_error *err)
{
    size_t need = d->member_taken > 0 && d->member_taken < d->in_capacity / 2 ? 2 * d->member_taken
                                                                              : d->in_capacity;
    int32_t code = pex__decoder_fill(d, need, err);

    if (code != 0)
        return code;
    if (d->whole == NULL)
        d->whole = libdeflate_alloc_decompressor();
    if (d->member == NULL)
        d->member = pex__malloc(d->member_capacity);
    if (d->whole == NULL || d->member == NULL)
        return pex__error_memory(err);
    if (seems_whole(d) && decode_whole(d))
        return 0;
    code = pex__decoder_fill(d, d->in_capacity, err);
    if (code == 0)
        d->is_large = !seems_whole(d) || !decode_whole(d);
    if (d->is_large) {
        pex__free(d->member);
        d->member = NULL;
    }
    return code;
}

static int32_t begin_stream(struct pex__decoder *d, struct pex_error *err)
{
    int result;

    if (d->has_stream) {
        result = inflateReset(&d->stream);
    } else {
        memset(&d->stream, 0, sizeof d->stream);
        d->stream.zalloc = zlib_alloc;
        d->stream.zfree = zlib_free;
        result = inflateInit2(&d->stream, 15 + 16);
        d->has_stream = result == Z_OK;
    }
    d->is_inside = result == Z_OK;
    return result == Z_OK ? 0 : pex__error_memory(err);
}

/* One member, as far as the room goes. *got can be 0 at the end of one. */
static int32_t inflate_some(struct pex__decoder *d, char *data, size_t room, size_t *got,
                            struct pex_error *err)
{
    z_stream *stream = &d->stream;
    int result = Z_OK;
    int32_t code;

    stream->next_out = (Bytef *)data;
    stream->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    room = stream->avail_out;
    while (stream->avail_out > 0 && result == Z_OK) {
        code = pex__decoder_fill(d, 1, err);
        if (code != 0)
            return code;
        stream->next_in = d->in + d->in_at;
        stream->avail_in = (uInt)pex__decoder_left(d);
        if (stream->avail_in == 0)
            return pex__decoder_cut(d, "gzip member", err);
        result = inflate(stream, Z_NO_FLUSH);
        d->in_at = d->in_fill - stream->avail_in;
    }
    *got = room - stream->avail_out;
    if (result == Z_MEM_ERROR)
        return pex__error_memory(err);
    if (result != Z_OK && result != Z_STREAM_END)
        return pex__decoder_damaged(d, stream->msg != NULL ? stream->msg : "not a gzip member",
                                    err);
    d->is_inside = result != Z_STREAM_END;
    return 0;
}

static size_t give_member(struct pex__decoder *d, char *data, size_t room)
{
    size_t length = d->member_fill - d->member_at;

    length = length < room ? length : room;
    memcpy(data, d->member + d->member_at, length);
    d->member_at += length;
    return length;
}

int32_t pex__gzip_read(struct pex__decoder *d, char *data, size_t room, size_t *got,
                       struct pex_error *err)
{
    int32_t code = 0;
    int is_end;

    *got = 0;
    while (*got == 0) {
        if (d->member_at < d->member_fill) {
            *got = give_member(d, data, room);
            return 0;
        }
        if (!d->is_inside) {
            code = see_next(d, &is_end, err);
            if (code != 0 || is_end)
                return code;
            d->frame_at = pex__decoder_taken(d);
            d->frame_base = d->out;
            if (!d->is_large)
                code = try_whole(d, err);
            if (code == 0 && d->is_large)
                code = begin_stream(d, err);
        }
        if (code == 0 && d->is_inside)
            code = inflate_some(d, data, room, got, err);
        if (code != 0)
            return code;
    }
    return 0;
}
