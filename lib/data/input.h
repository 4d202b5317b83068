/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input of a job: a listing of sources that lie one behind the other in one space of byte
 * offsets ("global offsets"), cut into partitions, read in slices.
 */
#ifndef PEX_DATA_INPUT_H
#define PEX_DATA_INPUT_H

#include "data/slice.h"

struct pex__source {
    char *path;     /* as found, for messages and the quarantine */
    uint64_t begin; /* global offset of its first byte */
    uint64_t size;  /* bytes */
    int64_t mtime_ns;
    int32_t format; /* PEX_FORMAT_JSONL or _TEXT */
    int32_t unwrap; /* a quarantine.jsonl: the rows are in `raw` or `raw_base64` */
};

struct pex__input {
    struct pex__source *sources;
    size_t source_count;
    uint64_t bytes;
};

/*
 * Lists files, folders and glob patterns (see pex_dataset_from_files). format: PEX_FORMAT_*.
 * Errors name the path, what was found and the remedy: missing, not readable, neither file nor
 * folder, a pattern or folder without a file (PEX_ENOENT), a suffix of a format that this version
 * does not read, a .json file that starts with an array (PEX_ENOTSUP). Files of 0 bytes are listed.
 */
int32_t pex__input_list(const char *const *paths, size_t count, int32_t format,
                        struct pex__input **input, struct pex_error *err);
void pex__input_free(struct pex__input *input);

/*
 * Cuts for `want` (at least 1) partitions by bytes: cuts[0] = 0, cuts[i] = the first row start at
 * or after i * bytes / want, cuts[n] = bytes; equal cuts merge, but want >= rows gives a partition
 * per row. cuts has room for want + 1. *count gets n >= 1. rows: the same by exact row counts (the
 * first rows mod n get one more; reads the input). A row is a line that is not blank, or a text
 * file, so that no partition is without a row unless the input is. Text files of 0 bytes share
 * their offset with what follows and are not parted from it. An input of 0 bytes is one partition
 * [0, 0), which is to be read: it can hold such files.
 */
int32_t pex__input_cut_bytes(const struct pex__input *input, size_t want, uint64_t *cuts,
                             size_t *count, struct pex_error *err);
int32_t pex__input_cut_rows(const struct pex__input *input, size_t want, uint64_t *cuts,
                            size_t *count, struct pex_error *err);
/* Number of rows (lines that are not blank; files in text format) up to `limit`, by reading. */
int32_t pex__input_count_rows(const struct pex__input *input, uint64_t limit, uint64_t *rows,
                              struct pex_error *err);

/* Per-thread reader: keeps the last file open. */
struct pex__reader;
int32_t pex__reader_create(struct pex__reader **reader);
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
/* Reads the one row with this id again; *row is a view into the slice. Codes as above. */
int32_t pex__reader_row(struct pex__reader *reader, const struct pex__input *input,
                        const struct pex_row_id *id, struct pex__slice *slice,
                        struct pex_string_view *row, struct pex_error *err);

#endif
