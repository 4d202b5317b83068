/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed sources: gzip (one member behind the other, zeros at the end) and zstd (frames and
 * skippable frames). A decoder gives the bytes of one source from front to back, from a member or
 * frame on. What is not a whole, undamaged archive is PEX_EDATA, named with the offset in the file
 * ("byte") and in what it holds.
 */
#ifndef PEX_DATA_DECODE_H
#define PEX_DATA_DECODE_H

#include "data/input.h"

/* A frame of zstd that needs a larger window is refused. */
#define PEX__WINDOW_MAX (UINT64_C(128) << 20)

struct pex__decoder;

/* buffer_bytes: what it may hold beside the window of the codec; at least 64 KiB are taken. Whole
 * gzip members that fit are decoded at one go. */
int32_t pex__decoder_create(size_t buffer_bytes, struct pex__decoder **decoder);
void pex__decoder_free(struct pex__decoder *decoder);

/*
 * Goes to the member or frame at byte `at` of the source, whose content begins at `base` of what
 * the source holds. The source must live as long as it is read. Codes as pex__source_open.
 */
int32_t pex__decoder_open(struct pex__decoder *decoder, const struct pex__source *source,
                          uint64_t at, uint64_t base, struct pex_error *err);
/* The next bytes; *got is less than room at the end of the source only. */
int32_t pex__decoder_read(struct pex__decoder *decoder, void *data, size_t room, size_t *got,
                          struct pex_error *err);
/* Reads on to `offset` of what the source holds, or to its end. */
int32_t pex__decoder_skip(struct pex__decoder *decoder, uint64_t offset, struct pex_error *err);
/* Non-zero if it stands in this source, as listed; the source opened may be gone meanwhile. */
int pex__decoder_goes_on(struct pex__decoder *decoder, const struct pex__source *source);
/* Offset, in what the source holds, of the next byte. */
uint64_t pex__decoder_offset(const struct pex__decoder *decoder);
/* Bytes of the file that are decoded. */
uint64_t pex__decoder_taken(const struct pex__decoder *decoder);
/* The last member or frame that begins at or in front of the next byte: `at` and `base`. */
void pex__decoder_place(const struct pex__decoder *decoder, uint64_t *at, uint64_t *base);
/* Lets go of file and codec, keeps little memory. */
void pex__decoder_close(struct pex__decoder *decoder);
/* Memory that it holds now; and that it is taken to hold for this source. */
uint64_t pex__decoder_bytes(const struct pex__decoder *decoder);
uint64_t pex__decoder_cost(const struct pex__source *source, size_t buffer_bytes);

/* Frame walk: where the frames of a zstd source begin, found without decoding. */
struct pex__frames {
    const struct pex__source *source;
    int fd;        /* of the source, not owned */
    uint64_t at;   /* of the frame that begins here, or the end of the source */
    uint64_t base; /* offset of its content in what the source holds */
    int is_over;   /* there is no next one */
};

/* Goes on to the next frame. Returns 0 when there is none that can be used: the end, a frame that
 * does not tell its size, or damage, which whoever reads the file finds. */
int pex__frames_next(struct pex__frames *frames);

/* Checks that the source begins as its codec says, and learns the window of its first frame. */
int32_t pex__decoder_check(struct pex__source *source, struct pex_error *err);

#endif
