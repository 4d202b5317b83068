/* SPDX-License-Identifier: Apache-2.0 */
#include "data/block.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "data/reader.h"

/* "PEXB" in memory on a little-endian machine; a file of the other byte order is not one of ours.
 */
#define MAGIC 0x42584550u

/* In front of a block; ids and lines follow. */
struct header {
    uint32_t magic;
    uint32_t rows;
    uint64_t length; /* of the lines */
    uint64_t checksum;
};
_Static_assert(sizeof(struct header) == 24, "the header has no padding");
_Static_assert(sizeof(struct pex_row_id) == 16, "ids have no padding");

static uint64_t checksum(struct header header, const void *ids_and_lines)
{
    uint64_t sum;

    header.checksum = 0;
    sum = pex__hash64(&header, sizeof header, 0);
    return pex__hash64(ids_and_lines, header.rows * sizeof(struct pex_row_id) + header.length, sum);
}

int32_t pex__block_encode(const char *lines, size_t length, const struct pex_row_id *ids,
                          size_t rows, struct pex__buffer *out)
{
    size_t ids_bytes = rows * sizeof *ids, begin = out->length;
    struct header header = {MAGIC, (uint32_t)rows, length, 0};

    if (rows == 0)
        return 0;
    if (rows > UINT32_MAX / sizeof *ids || length > UINT32_MAX - sizeof header - ids_bytes)
        return PEX_ELIMIT;
    if (pex__buffer_reserve(out, sizeof header + ids_bytes + length) != 0)
        return PEX_ENOMEM;
    memcpy(out->data + begin + sizeof header, ids, ids_bytes);
    memcpy(out->data + begin + sizeof header + ids_bytes, lines, length);
    header.checksum = checksum(header, out->data + begin + sizeof header);
    memcpy(out->data + begin, &header, sizeof header);
    out->length += sizeof header + ids_bytes + length;
    return 0;
}

int32_t pex__block_index_add(struct pex__block_index *index, size_t rows, size_t bytes)
{
    if (rows == 0)
        return 0;
    if (pex__grow(&index->entries, &index->capacity, index->count + 1, sizeof *index->entries) != 0)
        return PEX_ENOMEM;
    index->entries[index->count++] =
        (struct pex__block_entry){index->bytes, index->rows, (uint32_t)rows, (uint32_t)bytes};
    index->bytes += bytes;
    index->rows += rows;
    return 0;
}

void pex__block_index_free(struct pex__block_index *index)
{
    pex__free(index->entries);
    *index = (struct pex__block_index){0};
}

size_t pex__block_slice_count(const struct pex__block_index *index, size_t slice_bytes)
{
    return (size_t)((index->bytes + slice_bytes - 1) / slice_bytes);
}

/* The first block that begins at or behind offset. */
static size_t find_block(const struct pex__block_index *index, uint64_t offset)
{
    size_t low = 0, high = index->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (index->entries[middle].offset >= offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int32_t damaged(const char *path, const struct pex__block_entry *entry, const char *reason,
                       struct pex_error *err)
{
    return pex_error_set(err, PEX_EIO,
                         "%s: the block of %" PRIu32 " rows at byte %" PRIu64
                         " is damaged (%s); remove the file and run the job again",
                         path, entry->rows, entry->offset, reason);
}

/* Moves the block at slice->data[at] apart: ids to the slice's, lines behind slice->length. */
static int32_t unpack(const char *path, const struct pex__block_entry *entry, size_t at,
                      struct pex__slice *slice, struct pex_error *err)
{
    char *block = slice->data + at;
    size_t ids_bytes = entry->rows * sizeof *slice->ids;
    struct header header;

    memcpy(&header, block, sizeof header);
    if (header.magic != MAGIC)
        return damaged(path, entry, "its first bytes are not those of a block", err);
    if (header.rows != entry->rows || header.length != entry->bytes - sizeof header - ids_bytes)
        return damaged(path, entry, "its size is not the one that was written", err);
    if (header.checksum != checksum(header, block + sizeof header))
        return damaged(path, entry, "its checksum differs", err);
    memcpy(slice->ids + slice->id_count, block + sizeof header, ids_bytes);
    slice->id_count += entry->rows;
    memmove(slice->data + slice->length, block + sizeof header + ids_bytes, header.length);
    slice->length += header.length;
    return 0;
}

static int32_t reserve(const char *path, const struct pex__block_entry *first, size_t bytes,
                       size_t rows, struct pex__slice *slice, struct pex_error *err)
{
    if (bytes > UINT32_MAX)
        return pex_error_set(err, PEX_ELIMIT,
                             "%s: the blocks at byte %" PRIu64 " do not fit into a slice (%zu "
                             "bytes); use smaller slices",
                             path, first->offset, bytes);
    if (pex__slice_reserve(slice, bytes) != 0 ||
        pex__heap_grow(slice->heap, &slice->ids, &slice->id_capacity, rows, sizeof *slice->ids) !=
            0)
        return pex__error_memory(err);
    return 0;
}

/*
 * A slice takes the blocks that begin in its slice_bytes of the file: any slice is found without
 * the ones in front of it, at the price of an empty one now and then behind a big block.
 */
int32_t pex__block_read(int fd, const char *path, const struct pex__block_index *index,
                        size_t slice_bytes, size_t k, struct pex__slice *slice,
                        struct pex_error *err)
{
    size_t first = find_block(index, (uint64_t)k * slice_bytes);
    size_t behind = find_block(index, (uint64_t)(k + 1) * slice_bytes);
    uint64_t end = behind < index->count ? index->entries[behind].offset : index->bytes;
    uint64_t end_row = behind < index->count ? index->entries[behind].first_row : index->rows;
    uint64_t begin = first < index->count ? index->entries[first].offset : index->bytes;
    uint64_t row = first < index->count ? index->entries[first].first_row : index->rows;
    int32_t code;

    pex__slice_reset(slice);
    code = reserve(path, index->entries + first, (size_t)(end - begin), (size_t)(end_row - row),
                   slice, err);
    if (code == 0)
        code = pex__read_exactly(fd, path, begin, slice->data, (size_t)(end - begin), err);
    for (size_t i = first; i < behind && code == 0; i++)
        code = unpack(path, &index->entries[i], (size_t)(index->entries[i].offset - begin), slice,
                      err);
    if (code != 0)
        return code;
    slice->rows_end = slice->length;
    slice->first_row = row;
    slice->input_bytes = end - begin;
    return 0;
}
