/* SPDX-License-Identifier: Apache-2.0 */
/* A batch with a layout, for unit tests. */
#ifndef PEX_TESTS_BATCH_FIXTURE_H
#define PEX_TESTS_BATCH_FIXTURE_H

#include "base/memory.h"
#include "data/batch.h"

#include <partexec/operator.h>

#include <check.h>
#include <string.h>

#define FIELDS_MAX 8
#define SV(text) ((struct pex_string_view){text, sizeof(text) - 1})

struct fixture {
    struct pex__layout *layout;
    struct pex__batch *batch;
    struct pex__scan *scan;
    struct pex__site site; /* field i is column i */
    int32_t columns[FIELDS_MAX], kinds[FIELDS_MAX], access[FIELDS_MAX];
    struct pex__buffer out;
    pex_batch *call;
};

/* fields: dotted paths, "!key" for a stat, with blanks in between. The operator may do anything. */
void fixture_open(struct fixture *f, const char *fields);
void fixture_close(struct fixture *f);
/* Fills and scans the batch; the source is 3, the data begins at offset 100. */
void fixture_load(struct fixture *f, const char *data, size_t length);
void fixture_rows(struct fixture *f, const char *text);
/* Begins a call of operator `op` on all rows. */
pex_batch *fixture_call(struct fixture *f, int32_t op);
struct pex__call_result fixture_commit(struct fixture *f);
/* The encoded rows; valid until the next call. */
const char *fixture_text(struct fixture *f, int keep_stats);

/* The test cases of each file. */
TCase *cases_of_sets(void);
TCase *cases_of_reads(void);
TCase *cases_of_rows(void);
TCase *cases_of_encoding(void);
TCase *cases_of_keys(void);
TCase *cases_of_numbers(void);
TCase *cases_of_quarantine(void);
TCase *cases_of_memory(void);
TCase *cases_of_joined(void);

#endif
