/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the input share: an open source, the reader's state. */
#ifndef PEX_DATA_READER_H
#define PEX_DATA_READER_H

#include "base/buffer.h"
#include "data/input.h"
#include "data/path.h"

#define PEX__MARK "\xEF\xBB\xBF" /* the byte order mark of UTF-8 */
#define PEX__MARK_BYTES 3

/* One source, open. It stays open until another is opened. */
struct pex__open_source {
    int fd;             /* -1: none */
    const char *memory; /* the source is the host's memory; NULL: a file */
    const int *copy;    /* it is read from this descriptor, which is not ours; NULL: from fd */
    char *path;
    size_t path_capacity;
    uint64_t size;
    int64_t mtime_ns;
};

/*
 * Makes `file` stand for source; nothing happens if it does already. PEX_ENOENT, PEX_EIO when the
 * file is gone, unreadable, or no longer the one that was listed (size, time of change).
 */
int32_t pex__source_open(struct pex__open_source *file, const struct pex__source *source,
                         struct pex_error *err);
int pex__source_is_open(const struct pex__open_source *file, const struct pex__source *source);
/* Reads exactly length bytes at offset; a short file is PEX_EIO. */
int32_t pex__source_read(const struct pex__open_source *file, uint64_t offset, void *data,
                         size_t length, struct pex_error *err);
/* After reading: PEX_ENOENT, PEX_EIO when the open file was changed or removed meanwhile. */
int32_t pex__source_unchanged(const struct pex__open_source *file, struct pex_error *err);
void pex__source_close(struct pex__open_source *file);
/* Closes and frees what is held. */
void pex__source_free(struct pex__open_source *file);

/* Reads exactly length bytes at offset of fd. PEX_EIO names path and offset. */
int32_t pex__read_exactly(int fd, const char *path, uint64_t offset, void *data, size_t length,
                          struct pex_error *err);

/* Index of the first source with a byte at or behind the global offset, or that begins there. */
size_t pex__input_find(const struct pex__input *input, uint64_t offset);

struct pex__decoder;

struct pex__reader {
    struct pex__open_source open;
    struct pex__decoder *decoder; /* of compressed text files, and rows read again; when needed */
    struct pex__buffer ahead;     /* what it gave behind the row read last */
    struct pex__buffer scratch;   /* a piece of a text file, a decoded row */
    struct pex__paths *raw;       /* keys of a quarantine line; made when first needed */
    size_t limit;                 /* most bytes of a slice; spans have 32 bits */
};

/* Room for `length` bytes of data, asked for by the row of source at offset. PEX_ELIMIT,
 * PEX_ENOMEM. */
int32_t pex__reader_room(const struct pex__reader *reader, struct pex__slice *slice, size_t length,
                         const struct pex__source *source, uint64_t offset, struct pex_error *err);
/* Notes that data from slice->data[begin] on comes from offset of the source. */
int32_t pex__slice_segment(struct pex__slice *slice, size_t begin, size_t source, uint64_t offset);

/* The reader's decoder, at the start of the source. */
int32_t pex__reader_decode(struct pex__reader *reader, const struct pex__source *source,
                           struct pex_error *err);
/* Appends the line at `offset` of what a compressed source holds, its LF included. Goes on from
 * where the decoder stands, if that is not behind it. */
int32_t pex__reader_line(struct pex__reader *reader, const struct pex__source *source,
                         uint64_t offset, struct pex__slice *slice, struct pex_error *err);

/* Appends the text file as one JSON row. */
int32_t pex__textfile_read(struct pex__reader *reader, const struct pex__input *input,
                           size_t source, struct pex__slice *slice, struct pex_error *err);

/*
 * Replaces the quarantine lines in slice->data[begin .. end), which lie at `offset` of the source,
 * by the rows they hold; a line that holds none stays. Sets slice->length and a segment per line.
 */
int32_t pex__reader_unwrap(struct pex__reader *reader, const struct pex__input *input,
                           size_t source, uint64_t offset, size_t begin, size_t end,
                           struct pex__slice *slice, struct pex_error *err);

#endif
