/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes, and how to compress them; and the lines of a part of an input, read as a job does. */
#ifndef TESTS_INPUT_PACKED_H
#define TESTS_INPUT_PACKED_H

#include "files.h"

struct bytes {
    char *data;
    size_t length;
};

enum { PACK_CHECKSUM = 1, PACK_SIZE = 2 };

void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_free(struct bytes *bytes);
/* Appends a gzip member. */
void pack_gzip(struct bytes *out, const void *data, size_t length);
/* Appends a zstd frame; flags: PACK_*. */
void pack_zstd(struct bytes *out, const void *data, size_t length, int flags);
/* Appends a skippable frame. */
void pack_skippable(struct bytes *out, const void *data, size_t length);

/* Reads what lies between two cuts, in slices; `buffer`: of the decoder. Returns 0 or the code. */
int32_t packed_read(struct lines *lines, const struct pex__input *input,
                    const struct pex__place *begin, const struct pex__place *end,
                    uint64_t slice_bytes, size_t buffer, struct pex_error *err);

#endif
