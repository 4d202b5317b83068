/* SPDX-License-Identifier: Apache-2.0 */
/* What the scanner finds in a slice: rows, and for each row the spans of the wanted fields. */
#ifndef PEX_DATA_ROWS_H
#define PEX_DATA_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct pex__heap;

/* Types of a field in a row. Stored in bytes. */
enum {
    PEX__MISSING,
    PEX__NULL,
    PEX__FALSE,
    PEX__TRUE,
    PEX__NUMBER,
    PEX__STRING,  /* without a backslash: the bytes between the quotes are the string */
    PEX__ESCAPED, /* with at least one backslash */
    PEX__OBJECT,
    PEX__ARRAY
};

/* Why a line is no row; PEX__ROW_OK is 0. Texts: pex__row_reason. */
enum {
    PEX__ROW_OK,
    PEX__ROW_NOT_OBJECT,
    PEX__ROW_SYNTAX,
    PEX__ROW_UNFINISHED, /* the line ends inside the object */
    PEX__ROW_TRAILING,   /* something but blanks behind the object */
    PEX__ROW_NUMBER,
    PEX__ROW_LITERAL,
    PEX__ROW_ESCAPE,
    PEX__ROW_CONTROL, /* control character inside a string */
    PEX__ROW_UTF8,
    PEX__ROW_DEPTH /* nesting above PEX__DEPTH_MAX */
};

#define PEX__DEPTH_MAX 1000

/* Bytes begin .. begin + length - 1, counted from the data of the slice. */
struct pex__span {
    uint32_t begin;
    uint32_t length;
};

/* One wanted field over all rows. A string's span includes its quotes. */
struct pex__column {
    struct pex__span *spans;
    uint8_t *types;
};

struct pex__bad_row {
    struct pex__span line; /* without its line end */
    uint32_t at;           /* offset of the damage, counted as the spans are */
    int32_t reason;
    uint32_t before; /* number of good rows of the slice in front of it */
};

struct pex__rows {
    size_t count;
    size_t capacity;
    struct pex__span *rows; /* from '{' to '}' */
    size_t column_count;
    struct pex__column *columns;
    struct pex__bad_row *bad;
    size_t bad_count;
    size_t bad_capacity;
    uint64_t lines; /* = count + bad_count + blank */
    uint64_t blank;
    const struct pex__heap *heap; /* of the arrays that grow with the rows */
};

/* Sets the number of columns and forgets the rows; keeps memory. Returns 0 or PEX_ENOMEM. */
int32_t pex__rows_reset(struct pex__rows *rows, size_t column_count);
/* Room for `count` rows in all arrays. Returns 0 or PEX_ENOMEM. */
int32_t pex__rows_reserve(struct pex__rows *rows, size_t count);
/* Memory held, in bytes. */
size_t pex__rows_bytes(const struct pex__rows *rows);
void pex__rows_free(struct pex__rows *rows);

/* A short text for a PEX__ROW_* reason. */
const char *pex__row_reason(int32_t reason);

#endif
