/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanner: cuts a slice into lines, checks each against the one grammar (RFC 8259, UTF-8, any
 * number text, last duplicate key wins, keys compared unescaped, depth 1000, an object per line)
 * and notes the spans of the wanted fields, in one pass. The verdict and the spans are the same on
 * every instruction set; the reference scanner alone defines them.
 */
#ifndef PEX_DATA_SCAN_H
#define PEX_DATA_SCAN_H

#include "data/path.h"
#include "data/rows.h"

/* Readable bytes that must follow the data of a scan; their content does not matter. */
#define PEX__SCAN_SLACK 128

/* Per-thread state: bitmaps, key templates. */
struct pex__scan;

/* isa: a PEX__ISA_* or PEX__ISA_BEST; PEX_ENOTSUP if this machine lacks it. */
enum {
    PEX__ISA_BEST = -1,
    PEX__ISA_PLAIN, /* the reference scanner alone */
    PEX__ISA_SSE,   /* SSE4.2 */
    PEX__ISA_AVX2,
    PEX__ISA_AVX512,
    PEX__ISA_NEON,
    PEX__ISA_COUNT
};
int32_t pex__scan_create(int32_t isa, struct pex__scan **scan);
void pex__scan_free(struct pex__scan *scan);
int32_t pex__scan_isa(const struct pex__scan *scan);
const char *pex__isa_name(int32_t isa);
/* Memory held, in bytes. */
size_t pex__scan_bytes(const struct pex__scan *scan);

/*
 * Appends to `rows` the lines that start in [begin, end). data[length - 1] is LF and length + slack
 * bytes are readable; a line that starts before end ends before length. Blank lines are counted,
 * damaged ones go to rows->bad. A line ends at LF or CRLF; blanks around the object are left out.
 * Returns 0 or PEX_ENOMEM.
 */
int32_t pex__scan_slice(struct pex__scan *scan, const struct pex__paths *paths, const char *data,
                        size_t begin, size_t end, size_t length, struct pex__rows *rows);

/*
 * One line by the reference scanner, no slack needed: verdict (PEX__ROW_*), the object's span, and
 * spans and types of the wanted fields (arrays of pex__paths_count elements, or NULL). *at gets the
 * offset of the damage.
 */
int32_t pex__scan_reference(const struct pex__paths *paths, const char *data, size_t begin,
                            size_t end, struct pex__span *object, struct pex__span *spans,
                            uint8_t *types, uint32_t *at);

/* Non-zero if text is exactly one valid JSON value (blanks around it allowed; LF is a blank here,
 * so a value that spans lines must not go into a row as it is); *type gets its PEX__* type, *value
 * its span. */
int pex__scan_value(const char *text, size_t length, uint8_t *type, struct pex__span *value);

#endif
