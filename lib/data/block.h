/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stage files: the rows between two stages, with their row ids. A file is a sequence of blocks
 * (header with magic, row count, sizes and a checksum; ids; rows as JSON lines).
 */
#ifndef PEX_DATA_BLOCK_H
#define PEX_DATA_BLOCK_H

#include "data/slice.h"
#include "base/buffer.h"

struct pex__block_entry {
    uint64_t offset;    /* of the block in the file */
    uint64_t first_row; /* number of its first row in the file */
    uint32_t rows;
    uint32_t bytes; /* of the whole block */
};

/* The blocks of one file, in order. A struct of zeros is empty. */
struct pex__block_index {
    struct pex__block_entry *entries;
    size_t count;
    size_t capacity;
    uint64_t bytes;
    uint64_t rows;
};

/* Puts a block of `rows` rows (JSON lines, ids) behind out, ready to be written. No rows: nothing.
 * Returns 0, PEX_ENOMEM, PEX_ELIMIT (a block of 4 GiB or more). */
int32_t pex__block_encode(const char *lines, size_t length, const struct pex_row_id *ids,
                          size_t rows, struct pex__buffer *out);
/* Notes a block that was written at the end of the file; no rows: nothing. */
int32_t pex__block_index_add(struct pex__block_index *index, size_t rows, size_t bytes);
void pex__block_index_free(struct pex__block_index *index);

/* Number of slices of about slice_bytes into which the blocks are grouped; a block is never cut, so
 * a slice behind a large one can be empty. */
size_t pex__block_slice_count(const struct pex__block_index *index, size_t slice_bytes);
/* Reads slice k (by the same grouping) from fd. PEX_EIO with path and offset when it is damaged. */
int32_t pex__block_read(int fd, const char *path, const struct pex__block_index *index,
                        size_t slice_bytes, size_t k, struct pex__slice *slice,
                        struct pex_error *err);

#endif
