/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the selectors on a field have in common. A row emits what its field has as one key, in
 * pieces of 64 bytes if it is longer. A field that is not there is null; but if no row has it, that
 * is an error, as long as there are two rows or more: fewer stay as they are.
 */
#ifndef PEX_TEXT_SELECTOR_H
#define PEX_TEXT_SELECTOR_H

#include "bytes.h"
#include "field.h"
#include "order.h"

#include <partexec/plugin.h>

/* The first byte of the key of a row without the field; there is no other. */
#define PEX__KEY_MISSING 6

#define PEX__TOP_RATIO_PARAM(what)                                                                 \
    {                                                                                              \
        .name = "top_ratio", .default_json = "null",                                               \
        .help = "Share of the " what " to keep; of both numbers the smaller one counts.",          \
        .min = 0, .max = 1, .type = PEX_PARAM_DOUBLE, .flags = PEX_PARAM_NULLABLE                  \
    }
#define PEX__TOPK_PARAM(what)                                                                      \
    {                                                                                              \
        .name = "topk", .default_json = "null", .help = "Number of " what " to keep.", .min = 0,   \
        .max = 9e18, .type = PEX_PARAM_INT64, .flags = PEX_PARAM_NULLABLE                          \
    }

struct pex__selector {
    char *key; /* the path of the field; empty: every row stays */
};

/* Sets up the beginning of an instance. Returns 0 or a code with its text in err. */
int32_t pex__selector_init(struct pex__selector *selector, const pex_params *params,
                           struct pex_error *err);
void pex__selector_release(struct pex__selector *selector);

/* Appends the key of a value, or of NULL for a row without the field. Returns 0 or PEX_ENOMEM. */
typedef int32_t (*pex__key_fn)(const struct pex__selector *selector, const struct pex__value *value,
                               struct pex__bytes *key);
/* Has every row emit its key. A row whose value is beyond us fails. */
int32_t pex__selector_observe(const struct pex__selector *selector, pex_batch *batch,
                              pex__key_fn make_key);

/* A walk over the rows that emitted a key, with the pieces of each put together. */
struct pex__rows {
    pex_keys *keys;
    struct pex__bytes key;
    uint64_t row;
    struct pex_key next;
    bool has_next;
    uint64_t count; /* of rows so far */
};
/* Starts over from the first row. */
int32_t pex__rows_begin(struct pex__rows *rows, pex_keys *keys);
/* Goes to the next one. 0; PEX_ENOENT at the end; PEX_ECANCELLED, PEX_ENOMEM, PEX_EIO. */
int32_t pex__rows_next(struct pex__rows *rows);
void pex__rows_free(struct pex__rows *rows);

/* What there is to know before a selection. */
struct pex__survey {
    uint64_t row_count;
    uint64_t missing_count;
    uint64_t bad_row; /* the first one whose key starts with `bad`, if there are any */
    bool has_bad;
    uint8_t kind;     /* the first byte of the first key */
    uint64_t odd_row; /* the first one whose key starts otherwise, if there are any */
    bool has_odd;
};
/* Looks at all keys. Returns 0, or a code of pex__rows_next with a text in err; PEX_EDATA if there
 * are two rows or more and none has the field. */
int32_t pex__selector_survey(const struct pex__selector *selector, pex_keys *keys, uint8_t bad,
                             struct pex__survey *survey, struct pex_error *err);

/* A count of rows as a share of them or a number, whichever is smaller, as parameters have it. */
struct pex__share {
    double ratio;
    int64_t number;
};
int32_t pex__share_read(struct pex__share *share, const pex_params *params, const char *ratio,
                        const char *number, struct pex_error *err);
/* False: neither is given, or both are 0. */
bool pex__share_of(const struct pex__share *share, uint64_t count, uint64_t *result);

#endif
