/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of quarantine.jsonl (CONTRACT: source, offset, child, operator, index, attempt, code, ...).
 */
#ifndef PEX_DATA_QUARANTINE_H
#define PEX_DATA_QUARANTINE_H

#include "data/batch.h"
#include "data/input.h"

/* In front of each line in a file of records. */
struct pex__quarantine_head {
    struct pex_row_id id;
    uint64_t length; /* of the line, its LF included */
};

/*
 * Appends a head and a line per reject of the batch to out, in input order (source, offset, child).
 * operators: names by op index; NULL leaves out the rejects of that operator. keep_bad: zero leaves
 * out bad lines of the input. reader: reads source rows again, for batches of stage files, whose
 * rows may have changed since; NULL: the batch has them. Returns 0, PEX_ENOMEM or what
 * pex__reader_row does.
 */
int32_t pex__quarantine_records(const struct pex__batch *batch, const struct pex__input *input,
                                struct pex__reader *reader, const char *const *operators,
                                int keep_bad, struct pex__buffer *out, struct pex_error *err);

#endif
