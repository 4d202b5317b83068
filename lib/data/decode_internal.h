/* SPDX-License-Identifier: Apache-2.0 */
/* Between decode.c (files, offsets) and the codecs. */
#ifndef PEX_DATA_DECODE_INTERNAL_H
#define PEX_DATA_DECODE_INTERNAL_H

#include "data/decode.h"
#include "data/reader.h"

#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

struct pex__decoder {
    struct pex__open_source file;
    const struct pex__source *source;
    unsigned char *in; /* bytes of the file: in[in_at .. in_fill) are not decoded yet */
    size_t in_at, in_fill, in_capacity;
    uint64_t read_at;              /* of the file: what is read next */
    uint64_t out;                  /* of what it holds: the next byte */
    uint64_t frame_at, frame_base; /* member or frame that begins last */
    int is_inside;                 /* of a member or frame */
    int is_over;

    /* gzip */
    z_stream stream;
    int has_stream;
    struct libdeflate_decompressor *whole;
    int is_large; /* a member did not fit: those that follow are not tried */
    char *member; /* a member decoded at one go: member[member_at .. member_fill) is to be given */
    size_t member_at, member_fill, member_capacity;
    size_t member_taken; /* bytes of the file in the largest member so far; 0: none */

    /* zstd */
    ZSTD_DCtx *frames;
    uint64_t window; /* the largest so far, which zstd keeps */
};

/* The next bytes of a member or frame, at most room; *got 0 at the end of the source alone. */
int32_t pex__gzip_read(struct pex__decoder *d, char *data, size_t room, size_t *got,
                       struct pex_error *err);
int32_t pex__zstd_read(struct pex__decoder *d, char *data, size_t room, size_t *got,
                       struct pex_error *err);

/* Makes `need` bytes ready in d->in, or as many as the file has left; at most its capacity. */
int32_t pex__decoder_fill(struct pex__decoder *d, size_t need, struct pex_error *err);

static inline size_t pex__decoder_left(const struct pex__decoder *d)
{
    return d->in_fill - d->in_at;
}

/* PEX_EDATA: what is wrong where decoding stands. */
int32_t pex__decoder_damaged(const struct pex__decoder *d, const char *what, struct pex_error *err);
int32_t pex__decoder_cut(const struct pex__decoder *d, const char *part, struct pex_error *err);
int32_t pex__decoder_foreign(const struct pex__decoder *d, const char *expected,
                             struct pex_error *err);

/* What the first bytes of a zstd frame say. */
struct pex__frame_head {
    uint64_t skip; /* a skippable frame: its length behind the head; else 0 */
    uint64_t window;
    uint64_t content;    /* ZSTD_CONTENTSIZE_UNKNOWN: it does not say */
    uint32_t dictionary; /* 0: none */
    int is_skippable;
    int has_checksum;
    size_t length; /* of the head */
};

#define PEX__FRAME_HEAD_MAX 18

/* Returns 0 if data does not begin with a whole head. */
int pex__frame_head(const unsigned char *data, size_t length, struct pex__frame_head *head);

#endif
