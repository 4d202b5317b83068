/* SPDX-License-Identifier: Apache-2.0 */
#include "data/decode_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BUFFER_LEAST ((size_t)64 << 10)
/* A third of the buffers is for bytes of the file: text shrinks to less. */
#define IN_SHARE 3
/* What is read at a time, so that it stays in the cache; more only for a member at one go. */
#define CHUNK_BYTES ((size_t)128 << 10)
/* What a decoder of zlib or zstd holds beside its window and buffers, generously. */
#define CODEC_BYTES (UINT64_C(512) << 10)

int32_t pex__decoder_create(size_t buffer_bytes, struct pex__decoder **decoder)
{
    struct pex__decoder *d = pex__calloc(1, sizeof *d);

    if (d == NULL)
        return PEX_ENOMEM;
    if (buffer_bytes < BUFFER_LEAST)
        buffer_bytes = BUFFER_LEAST;
    d->file.fd = -1;
    d->in_capacity = buffer_bytes / IN_SHARE;
    d->member_capacity = buffer_bytes - d->in_capacity;
    d->in = pex__malloc(d->in_capacity);
    if (d->in == NULL) {
        pex__free(d);
        return PEX_ENOMEM;
    }
    *decoder = d;
    return 0;
}

void pex__decoder_close(struct pex__decoder *d)
{
    pex__source_close(&d->file);
    d->source = NULL;
    if (d->has_stream)
        inflateEnd(&d->stream);
    d->has_stream = 0;
    if (d->whole != NULL)
        libdeflate_free_decompressor(d->whole);
    d->whole = NULL;
    ZSTD_freeDCtx(d->frames);
    d->frames = NULL;
    d->window = 0;
    pex__free(d->member);
    d->member = NULL;
}

void pex__decoder_free(struct pex__decoder *d)
{
    if (d == NULL)
        return;
    pex__decoder_close(d);
    pex__source_free(&d->file);
    pex__free(d->in);
    pex__free(d);
}

int32_t pex__decoder_open(struct pex__decoder *d, const struct pex__source *source, uint64_t at,
                          uint64_t base, struct pex_error *err)
{
    int32_t code = pex__source_open(&d->file, source, err);

    if (code != 0)
        return code;
    d->source = source;
    d->in_at = d->in_fill = 0;
    d->member_at = d->member_fill = 0;
    d->read_at = d->frame_at = at;
    d->out = d->frame_base = base;
    d->is_inside = d->is_over = d->is_large = 0;
    d->member_taken = 0;
    return 0;
}

int32_t pex__decoder_fill(struct pex__decoder *d, size_t need, struct pex_error *err)
{
    size_t left = pex__decoder_left(d), room;
    int32_t code;

    if (left >= need || d->read_at == d->source->size)
        return 0;
    memmove(d->in, d->in + d->in_at, left);
    d->in_at = 0;
    d->in_fill = left;
    room = need < CHUNK_BYTES ? CHUNK_BYTES : need;
    room = (room < d->in_capacity ? room : d->in_capacity) - left;
    if (room > d->source->size - d->read_at)
        room = (size_t)(d->source->size - d->read_at);
    code = pex__source_read(&d->file, d->read_at, d->in + left, room, err);
    if (code != 0)
        return code;
    d->read_at += room;
    d->in_fill += room;
    return 0;
}

int32_t pex__decoder_read(struct pex__decoder *d, void *data, size_t room, size_t *got,
                          struct pex_error *err)
{
    size_t filled = 0, more;
    int32_t code = 0;

    while (filled < room && !d->is_over && code == 0) {
        code = (d->source->codec == PEX__CODEC_GZIP ? pex__gzip_read : pex__zstd_read)(
            d, (char *)data + filled, room - filled, &more, err);
        if (code != 0)
            return code;
        filled += more;
        d->out += more;
        if (more == 0) {
            d->is_over = 1;
            code = pex__source_unchanged(&d->file, err);
        }
    }
    *got = filled;
    return code;
}

int32_t pex__decoder_skip(struct pex__decoder *d, uint64_t offset, struct pex_error *err)
{
    char piece[16384];
    size_t got = 1;
    int32_t code = 0;

    while (d->out < offset && got > 0 && code == 0) {
        uint64_t left = offset - d->out;

        code = pex__decoder_read(d, piece, left < sizeof piece ? (size_t)left : sizeof piece, &got,
                                 err);
    }
    return code;
}

int pex__decoder_goes_on(struct pex__decoder *d, const struct pex__source *source)
{
    if (d->source == NULL || !pex__source_is_open(&d->file, source))
        return 0;
    d->source = source;
    return 1;
}

uint64_t pex__decoder_offset(const struct pex__decoder *d)
{
    return d->out;
}

uint64_t pex__decoder_taken(const struct pex__decoder *d)
{
    return d->read_at - pex__decoder_left(d);
}

void pex__decoder_place(const struct pex__decoder *d, uint64_t *at, uint64_t *base)
{
    *at = d->frame_at;
    *base = d->frame_base;
}

uint64_t pex__decoder_bytes(const struct pex__decoder *d)
{
    uint64_t codec = d->frames != NULL || d->has_stream || d->whole != NULL ? CODEC_BYTES : 0;

    return sizeof *d + d->in_capacity + codec + (d->member != NULL ? d->member_capacity : 0) +
           (d->frames != NULL ? d->window : 0);
}

uint64_t pex__decoder_cost(const struct pex__source *source, size_t buffer_bytes)
{
    return buffer_bytes + source->window + CODEC_BYTES;
}

int32_t pex__decoder_damaged(const struct pex__decoder *d, const char *what, struct pex_error *err)
{
    return pex_error_set(err, PEX_EDATA,
                         "%s: damaged at byte %" PRIu64 " (byte %" PRIu64
                         " of what it holds): %s; fetch or make the file again",
                         d->source->path, pex__decoder_taken(d), d->out, what);
}

int32_t pex__decoder_cut(const struct pex__decoder *d, const char *part, struct pex_error *err)
{
    return pex_error_set(err, PEX_EDATA,
                         "%s: ends at byte %" PRIu64 " inside a %s (byte %" PRIu64
                         " of what it holds): it was cut short; fetch or make the file again",
                         d->source->path, d->source->size, part, d->out);
}

int32_t pex__decoder_foreign(const struct pex__decoder *d, const char *expected,
                             struct pex_error *err)
{
    size_t left = pex__decoder_left(d);
    char found[16] = "";

    for (size_t i = 0; i < left && i < 4; i++)
        snprintf(found + strlen(found), 4, "%s%02x", i > 0 ? " " : "", d->in[d->in_at + i]);
    return pex_error_set(err, PEX_EDATA,
                         "%s: found %s at byte %" PRIu64
                         ", expected %s; cut off what is not part of the archive, or make the file "
                         "again",
                         d->source->path, found, pex__decoder_taken(d), expected);
}

static int32_t wrong_start(const struct pex__source *source, const unsigned char *head,
                           size_t length, const char *what, struct pex_error *err)
{
    char found[32] = "nothing (0 bytes)";

    for (size_t i = 0; i < length && i < 4; i++)
        snprintf(found + 3 * i, 4, "%02x ", head[i]);
    if (length > 0)
        found[3 * (length < 4 ? length : 4) - 1] = '\0';
    return pex_error_set(err, PEX_EDATA,
                         "%s: found %s at byte 0, expected %s; name the file by what it holds, or "
                         "fetch or make it again",
                         source->path, found, what);
}

/* The first frame with content; a file of skippable frames alone has none. */
static int32_t learn_window(struct pex__source *source, struct pex__open_source *file,
                            struct pex_error *err)
{
    unsigned char data[PEX__FRAME_HEAD_MAX];
    struct pex__frame_head head = {.is_skippable = 1};
    int32_t code = 0;
    size_t length;

    for (uint64_t at = 0; head.is_skippable && code == 0 && at < source->size;
         at += head.length + head.skip) {
        length = source->size - at < sizeof data ? (size_t)(source->size - at) : sizeof data;
        code = pex__source_read(file, at, data, length, err);
        if (code == 0 && !pex__frame_head(data, length, &head))
            return at > 0 ? 0 : wrong_start(source, data, length, "a zstd frame", err);
    }
    source->window = code == 0 && !head.is_skippable ? head.window : 0;
    return code;
}

int32_t pex__decoder_check(struct pex__source *source, struct pex_error *err)
{
    struct pex__open_source file = {.fd = -1};
    unsigned char head[4] = {0};
    size_t length = source->size < sizeof head ? (size_t)source->size : sizeof head;
    int32_t code = pex__source_open(&file, source, err);

    if (code == 0)
        code = pex__source_read(&file, 0, head, length, err);
    if (code == 0 && source->codec == PEX__CODEC_GZIP && (head[0] != 0x1F || head[1] != 0x8B))
        code = wrong_start(source, head, length, "a gzip member (1f 8b)", err);
    else if (code == 0 && source->codec == PEX__CODEC_ZSTD && length == 0)
        code = wrong_start(source, head, length, "a zstd frame (28 b5 2f fd)", err);
    else if (code == 0 && source->codec == PEX__CODEC_ZSTD)
        code = learn_window(source, &file, err);
    pex__source_free(&file);
    return code;
}
