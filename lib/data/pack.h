/* SPDX-License-Identifier: Apache-2.0 */
/* Compression of whole pieces: each becomes a gzip member or a zstd frame of its own. */
#ifndef PEX_DATA_PACK_H
#define PEX_DATA_PACK_H

#include "base/buffer.h"

enum { PEX__PACK_NONE, PEX__PACK_GZIP, PEX__PACK_ZSTD };

/* About what a packer itself holds while it packs. */
enum { PEX__PACKER_BYTES = 4 * 1024 * 1024 };

/* By one thread at a time. */
struct pex__packer;

/* PEX__PACK_* by the end of a path: ".gz", ".zst", in any case. */
int32_t pex__pack_of(const char *path);
/* ".gz", ".zst" or "". */
const char *pex__pack_suffix(int32_t pack);
/* How long a piece of `length` bytes can get. */
size_t pex__pack_bound(int32_t pack, size_t length);
/* pack: not PEX__PACK_NONE. Returns 0 or PEX_ENOMEM. */
int32_t pex__packer_create(int32_t pack, struct pex__packer **packer);
/* Appends the piece, which may be empty. The bytes are a function of the data alone. Returns 0 or
 * PEX_ENOMEM. */
int32_t pex__pack(struct pex__packer *packer, const char *data, size_t length,
                  struct pex__buffer *out);
/* NULL is allowed. */
void pex__packer_free(struct pex__packer *packer);

#endif
