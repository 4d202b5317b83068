/* SPDX-License-Identifier: Apache-2.0 */
/* zstd: frames one behind the other, skippable ones between them (RFC 8878). */
#include "data/decode_internal.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zstd_errors.h>

#define MAGIC UINT32_C(0xFD2FB528)
#define SKIPPABLE UINT32_C(0x184D2A50) /* and the 15 that follow */
#define SKIPPABLE_HEAD 8
#define CHECKSUM_BYTES 4

static uint64_t little(const unsigned char *data, size_t length)
{
    uint64_t value = 0;

    for (size_t i = length; i-- > 0;)
        value = value << 8 | data[i];
    return value;
}

static uint64_t window_of(unsigned char byte)
{
    uint64_t base = UINT64_C(1) << (10 + (byte >> 3));

    return base + base / 8 * (byte & 7);
}

int pex__frame_head(const unsigned char *data, size_t length, struct pex__frame_head *head)
{
    static const size_t content_bytes[] = {0, 2, 4, 8}, dictionary_bytes[] = {0, 1, 2, 4};
    size_t at = 5, content, dictionary, window;
    int is_single;

    memset(head, 0, sizeof *head);
    if (length < 5)
        return 0;
    if ((little(data, 4) & ~UINT64_C(15)) == SKIPPABLE) {
        if (length < SKIPPABLE_HEAD)
            return 0;
        head->is_skippable = 1;
        head->length = SKIPPABLE_HEAD;
        head->skip = little(data + 4, 4);
        return 1;
    }
    if (little(data, 4) != MAGIC)
        return 0;
    is_single = (data[4] & 0x20) != 0;
    content = content_bytes[data[4] >> 6];
    if (content == 0 && is_single)
        content = 1;
    dictionary = dictionary_bytes[data[4] & 3];
    window = is_single ? 0 : 1;
    head->length = at + window + dictionary + content;
    if (length < head->length)
        return 0;
    head->has_checksum = (data[4] & 4) != 0;
    head->content = ZSTD_CONTENTSIZE_UNKNOWN;
    if (content > 0)
        head->content = little(data + at + window + dictionary, content) + (content == 2 ? 256 : 0);
    head->dictionary = (uint32_t)little(data + at + window, dictionary);
    head->window = is_single ? head->content : window_of(data[at]);
    return 1;
}

static int32_t refuse_window(const struct pex__decoder *d, uint64_t window, struct pex_error *err)
{
    return pex_error_set(err, PEX_ELIMIT,
                         "%s: the zstd frame at byte %" PRIu64 " needs a window of %" PRIu64
                         " bytes, at most %" PRIu64 " are given%s; compress the file again without "
                         "--long, or in smaller frames",
                         d->source->path, d->frame_at, window,
                         window > PEX__WINDOW_MAX ? PEX__WINDOW_MAX : d->source->window,
                         window > PEX__WINDOW_MAX ? "" : " (the window of the first frame)");
}

/* At a frame or the end of the file. *is_end: the end. */
static int32_t begin_frame(struct pex__decoder *d, int *is_end, struct pex_error *err)
{
    struct pex__frame_head head;
    char text[64];
    int32_t code = pex__decoder_fill(d, PEX__FRAME_HEAD_MAX, err);
    size_t left = pex__decoder_left(d);
    uint64_t magic = left >= 4 ? little(d->in + d->in_at, 4) : 0;

    *is_end = code == 0 && left == 0;
    if (code != 0 || *is_end)
        return code;
    d->frame_at = pex__decoder_taken(d);
    d->frame_base = d->out;
    if (magic != MAGIC && (magic & ~UINT64_C(15)) != SKIPPABLE)
        return pex__decoder_foreign(d, "another zstd frame or the end of the file", err);
    if (!pex__frame_head(d->in + d->in_at, left, &head))
        return pex__decoder_cut(d, "zstd frame", err);
    if (head.dictionary != 0) {
        snprintf(text, sizeof text, "it needs dictionary %" PRIu32 ", which is not known",
                 head.dictionary);
        return pex__decoder_damaged(d, text, err);
    }
    if (head.window > PEX__WINDOW_MAX ||
        (head.window > d->source->window && head.window > UINT64_C(8) << 20))
        return refuse_window(d, head.window, err);
    if (d->frames == NULL)
        d->frames = ZSTD_createDCtx();
    if (d->frames == NULL)
        return pex__error_memory(err);
    ZSTD_DCtx_reset(d->frames, ZSTD_reset_session_only);
    d->window = head.window > d->window ? head.window : d->window;
    d->is_inside = 1;
    return 0;
}

int32_t pex__zstd_read(struct pex__decoder *d, char *data, size_t room, size_t *got,
                       struct pex_error *err)
{
    ZSTD_outBuffer out = {data, room, 0};
    size_t result, before;
    ZSTD_inBuffer in;
    int32_t code;
    int is_end;

    *got = 0;
    while (out.pos == 0) {
        if (!d->is_inside) {
            code = begin_frame(d, &is_end, err);
            if (code != 0 || is_end)
                return code;
        }
        code = pex__decoder_fill(d, 1, err);
        if (code != 0)
            return code;
        in = (ZSTD_inBuffer){d->in + d->in_at, pex__decoder_left(d), 0};
        before = in.size;
        result = ZSTD_decompressStream(d->frames, &out, &in);
        d->in_at += in.pos;
        if (ZSTD_isError(result))
            return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
                       ? pex__error_memory(err)
                       : pex__decoder_damaged(d, ZSTD_getErrorName(result), err);
        d->is_inside = result != 0;
        if (d->is_inside && before == 0 && out.pos == 0)
            return pex__decoder_cut(d, "zstd frame", err);
    }
    *got = out.pos;
    return 0;
}

static int read_at(const struct pex__frames *frames, uint64_t at, unsigned char *data,
                   size_t length)
{
    return at <= frames->source->size && length <= frames->source->size - at &&
           pex__read_exactly(frames->fd, frames->source->path, at, data, length, NULL) == 0;
}

/* Behind the blocks and the checksum of a frame; 0: it has no end. */
static uint64_t end_of_blocks(const struct pex__frames *frames, uint64_t at, int has_checksum)
{
    enum { RLE = 1, RESERVED = 3 };
    unsigned char head[3];
    uint64_t block = 0;

    while ((block & 1) == 0) {
        if (!read_at(frames, at, head, sizeof head))
            return 0;
        block = little(head, sizeof head);
        if ((block >> 1 & 3) == RESERVED)
            return 0;
        at += sizeof head + ((block >> 1 & 3) == RLE ? 1 : block >> 3);
    }
    at += has_checksum ? CHECKSUM_BYTES : 0;
    return at <= frames->source->size ? at : 0;
}

int pex__frames_next(struct pex__frames *frames)
{
    unsigned char data[PEX__FRAME_HEAD_MAX];
    struct pex__frame_head head;
    uint64_t left = frames->source->size - frames->at, end;
    size_t length = left < sizeof data ? (size_t)left : sizeof data;

    if (frames->is_over)
        return 0;
    frames->is_over = 1;
    if (!read_at(frames, frames->at, data, length) || !pex__frame_head(data, length, &head))
        return 0;
    if (head.is_skippable)
        end = frames->at + head.length + head.skip;
    else if (head.content == ZSTD_CONTENTSIZE_UNKNOWN)
        return 0;
    else
        end = end_of_blocks(frames, frames->at + head.length, head.has_checksum);
    if (end == 0 || end >= frames->source->size)
        return 0;
    frames->is_over = 0;
    frames->at = end;
    frames->base += head.content;
    return 1;
}
