/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input of a job: a listing of sources that lie one behind the other in one space of byte
 * offsets ("global offsets"), cut into partitions, read in slices.
 */
#ifndef PEX_DATA_INPUT_H
#define PEX_DATA_INPUT_H

#include "data/slice.h"

struct pex__buffers;
struct pex__feed;

enum { PEX__CODEC_NONE, PEX__CODEC_GZIP, PEX__CODEC_ZSTD };

struct pex__source {
    char *path;         /* as found, for messages and the quarantine */
    const char *memory; /* its bytes, when they are the host's; NULL: a file */
    const int *copy;    /* descriptor of a copy of a feed that was read; NULL: none */
    uint64_t begin;     /* global offset of its first byte */
    uint64_t size;      /* bytes of the file, compressed if it is */
    int64_t mtime_ns;
    int32_t format;  /* PEX_FORMAT_JSONL or _TEXT */
    int32_t codec;   /* PEX__CODEC_* */
    int32_t unwrap;  /* a quarantine.jsonl: the rows are in `raw` or `raw_base64` */
    uint64_t window; /* zstd: what its first frame needs */
};

/*
 * Where a row begins. Offsets in a source are those in what it holds: in the decoded bytes, if it
 * is compressed. at: global offset (of the file's bytes) from which the row can be read: its own,
 * or that of the member or frame that is to be decoded, whose content begins at `base`.
 */
struct pex__place {
    uint64_t at;
    uint64_t base;
    uint64_t row;  /* offset in the source */
    size_t source; /* index; source_count at the end of the input */
};

struct pex__input {
    struct pex__source *sources;
    size_t source_count;
    uint64_t bytes;
    uint64_t row_limit;           /* rows of it that are wanted, the first ones; 0: all */
    struct pex__buffers *buffers; /* what the sources are in; NULL: files, or a feed */
    struct pex__feed *feed;       /* the one source, of unknown size, is the host's; else NULL */
};

/* Which files of a folder are listed: those with one of these suffixes; none: all. */
struct pex__suffixes {
    const char **names; /* with their dot or without */
    size_t count;
};

/*
 * Lists files, folders and glob patterns (see pex_dataset_from_files). format: PEX_FORMAT_*.
 * suffixes may be NULL.
 * Errors name the path, what was found and the remedy: missing, not readable, neither file nor
 * folder, a pattern or folder without a file (PEX_ENOENT), a suffix of a format that this version
 * does not read, a .json file that starts with an array (PEX_ENOTSUP). Files of 0 bytes are listed.
 */
int32_t pex__input_list(const char *const *paths, size_t count, int32_t format,
                        const struct pex__suffixes *suffixes, struct pex__input **input,
                        struct pex_error *err);
/* No row will be read any more: gives back what is the host's. The rest of the listing stays. */
void pex__input_let_go(struct pex__input *input);
void pex__input_free(struct pex__input *input);

/*
 * Cuts for `want` (at least 1) partitions by bytes: cuts[0] is the begin of the input, cuts[i] the
 * first row at or after i * bytes / want, cuts[n] the end; equal cuts merge, but without compressed
 * sources want >= rows gives a partition per row. Compressed sources are cut in front, and zstd
 * between frames, if these tell their size: at the first row that begins behind an LF in a frame.
 * cuts has room for want + 1. *count gets n >= 1. rows: the same by exact row counts (the first
 * rows mod n get one more; reads the input). A row is a line that is not blank, or a text file, so
 * that no partition is without a row unless the input is. Text files of 0 bytes share their offset
 * with what follows and are not parted from it. An input of 0 bytes is one partition [0, 0), which
 * is to be read: it can hold such files. rows: no more than `limit` rows, and the last cut is
 * behind them.
 */
int32_t pex__input_cut_bytes(const struct pex__input *input, size_t want, struct pex__place *cuts,
                             size_t *count, struct pex_error *err);
int32_t pex__input_cut_rows(const struct pex__input *input, uint64_t limit, size_t want,
                            struct pex__place *cuts, size_t *count, struct pex_error *err);
/* Non-zero if lines of compressed sources lie between two cuts: they are read as a stream. */
int pex__input_is_stream(const struct pex__input *input, const struct pex__place *begin,
                         const struct pex__place *end);
/* Sources of lines that are compressed; and the most that decoding one of them takes. */
size_t pex__input_compressed(const struct pex__input *input);
uint64_t pex__input_decoder_cost(const struct pex__input *input, size_t buffer_bytes);
/* Number of rows (lines that are not blank; files in text format) up to `limit`, by reading. */
int32_t pex__input_count_rows(const struct pex__input *input, uint64_t limit, uint64_t *rows,
                              struct pex_error *err);

/* Per-thread reader: keeps the last file open. */
struct pex__reader;
int32_t pex__reader_create(struct pex__reader **reader);
/* Where its own memory for rows comes from; before its first use. */
void pex__reader_use(struct pex__reader *reader, const struct pex__heap *heap);
void pex__reader_free(struct pex__reader *reader);
/* Closes the file that it keeps. */
void pex__reader_close(struct pex__reader *reader);

/*
 * Reads the rows that start at global offsets [begin, end) into slice: whole rows, also past end.
 * begin need not be a row start. Text sources become JSON rows here (a file belongs to the slice
 * that holds its first byte; a file of 0 bytes to the slice that holds its offset, or that ends
 * there if that is the input's end). Lines of a source to unwrap become the rows they hold. The
 * content of slice counts on success only. A source that is shorter than listed, changed, or
 * unreadable is PEX_EIO, one that is gone PEX_ENOENT, a row that does not fit into the 32 bits of a
 * span PEX_ELIMIT, with path and offset.
 */
int32_t pex__reader_read(struct pex__reader *reader, const struct pex__input *input, uint64_t begin,
                         uint64_t end, struct pex__slice *slice, struct pex_error *err);
/* Reads the one row with this id again; *row is a view into the slice. Codes as above, and those of
 * a decoder. Of compressed sources rows in ascending order are cheap: a reader goes on where it
 * stands. */
int32_t pex__reader_row(struct pex__reader *reader, const struct pex__input *input,
                        const struct pex_row_id *id, struct pex__slice *slice,
                        struct pex_string_view *row, struct pex_error *err);

#endif
