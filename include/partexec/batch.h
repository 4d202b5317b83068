/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of one `process` call, as an operator sees them.
 *
 * A batch shows dense live rows 0 .. pex_batch_rows() - 1. An operator names a field by its index
 * in its own field table (struct pex_operator, `fields`). A column comes as two parallel arrays:
 * the values and, per row, a state byte (PEX_STATE_*); a value counts only where its state says so.
 *
 * `process` is a transaction: sets, drops, appends and failed rows take effect when it returns 0 or
 * PEX_MORE, all of them, and none of them otherwise. Reading after a set still shows the value of
 * before the call. Views and arrays live until `process` returns.
 *
 * Thread-safety: a batch belongs to the thread that runs the call. Only pex_batch_cancelled may be
 * called from other threads meanwhile.
 */
#ifndef PARTEXEC_BATCH_H
#define PARTEXEC_BATCH_H

#include <partexec/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pex_batch pex_batch;

#define PEX_STATE_VALUE 0   /* the value is there and of the type that was asked for */
#define PEX_STATE_MISSING 1 /* the row has no such field */
#define PEX_STATE_NULL 2    /* the field is null */
#define PEX_STATE_OTHER 3   /* the field is there, of another type */
#define PEX_STATE_ESCAPED 4 /* pex_batch_tokens only: a string with its JSON escapes in place */

/* A number as a row or a stat holds it. Layout frozen for ever. */
#define PEX_NUMBER_INT64 0
#define PEX_NUMBER_DOUBLE 1
struct pex_number {
    int32_t type; /* PEX_NUMBER_*; says which of the two members counts */
    int32_t reserved;
    int64_t int64;
    double float64;
};

/*
 * Where a row came from. It survives stages and checkpoints, names quarantined rows, and is what a
 * random operator seeds itself with. Layout frozen for ever.
 */
struct pex_row_id {
    uint64_t offset; /* byte offset of the row in its source */
    uint32_t source; /* index of the source in the listing of the input */
    uint32_t child;  /* 0, or the ordinal among the rows that one row became, counted from 1 */
};

/* Number of rows of the call. Since: 0.1. */
PEX_API size_t pex_batch_rows(const pex_batch *batch);

/*
 * The field's strings, escapes decoded: UTF-8, but a lone surrogate escape is its three WTF-8
 * bytes, and NUL may occur. Values without a backslash are views into the row, the others are
 * decoded on first use.
 * batch: not NULL. field: index in the operator's field table. values, states: written on success;
 * NULL allowed for each. Returns 0, PEX_EINVAL (no such field), PEX_ENOMEM. Since: 0.1.
 */
PEX_API int32_t pex_batch_strings(pex_batch *batch, int32_t field,
                                  const struct pex_string_view **values, const uint8_t **states);

/*
 * As pex_batch_strings, without decoding: where the state is PEX_STATE_ESCAPED the value is the
 * text between the quotes with valid JSON escapes in it; where it is PEX_STATE_VALUE the value is
 * the string itself. For operators that count or search and can do so on the escaped form.
 * Since: 0.1.
 */
PEX_API int32_t pex_batch_tokens(pex_batch *batch, int32_t field,
                                 const struct pex_string_view **values, const uint8_t **states);

/*
 * The field as 64-bit integers. Numbers with a fraction or exponent, or outside the range, are
 * PEX_STATE_OTHER. Parameters and codes as pex_batch_strings. Since: 0.1.
 */
PEX_API int32_t pex_batch_int64(pex_batch *batch, int32_t field, const int64_t **values,
                                const uint8_t **states);

/*
 * The field as doubles, every JSON number rounded to nearest (1e400 is infinity).
 * Parameters and codes as pex_batch_strings. Since: 0.1.
 */
PEX_API int32_t pex_batch_double(pex_batch *batch, int32_t field, const double **values,
                                 const uint8_t **states);

/* The field as booleans, 0 or 1. Parameters and codes as pex_batch_strings. Since: 0.1. */
PEX_API int32_t pex_batch_bool(pex_batch *batch, int32_t field, const uint8_t **values,
                               const uint8_t **states);

/*
 * The field as JSON text, whatever its type (a null is the text "null", in state PEX_STATE_VALUE).
 * Parameters and codes as pex_batch_strings. Since: 0.1.
 */
PEX_API int32_t pex_batch_json(pex_batch *batch, int32_t field,
                               const struct pex_string_view **values, const uint8_t **states);

/*
 * The whole row as JSON text, its stats in it, as it was before the call: for operators whose
 * parameters name any number of fields. A declared field is read faster. An operator that reads
 * stats in this way declares the field "__dj__stats__", so that they are there.
 * row: below pex_batch_rows(). json: not NULL, written on success. Returns 0, PEX_EINVAL,
 * PEX_ENOMEM. Since: 0.1.
 */
PEX_API int32_t pex_batch_row_json(pex_batch *batch, size_t row, struct pex_string_view *json);

/*
 * Sets the field of a row to a string (UTF-8 or WTF-8). The bytes are copied, except when they
 * start at the last pex_batch_alloc of this field, where they stay; a value equal to the present
 * one changes nothing. The field must be declared PEX_FIELD_WRITE.
 * Returns 0, PEX_EINVAL (row, field, access), PEX_EDATA (not UTF-8), PEX_ENOMEM. Since: 0.1.
 */
PEX_API int32_t pex_batch_set_string(pex_batch *batch, int32_t field, size_t row,
                                     struct pex_string_view value);

/* Sets a 64-bit integer. Codes as pex_batch_set_string. Since: 0.1. */
PEX_API int32_t pex_batch_set_int64(pex_batch *batch, int32_t field, size_t row, int64_t value);

/* Sets a double, printed in the shortest form that reads back equal; NaN and infinities are
 * PEX_EDATA. Codes as pex_batch_set_string. Since: 0.1. */
PEX_API int32_t pex_batch_set_double(pex_batch *batch, int32_t field, size_t row, double value);

/* Sets true (any non-zero value) or false. Codes as pex_batch_set_string. Since: 0.1. */
PEX_API int32_t pex_batch_set_bool(pex_batch *batch, int32_t field, size_t row, int32_t value);

/* Sets JSON text, one valid value (PEX_EDATA if it is not). Codes as pex_batch_set_string.
 * Since: 0.1. */
PEX_API int32_t pex_batch_set_json(pex_batch *batch, int32_t field, size_t row,
                                   struct pex_string_view json);

/* Removes the field from a row; 0 also if it was not there. Codes as pex_batch_set_string.
 * Since: 0.1. */
PEX_API int32_t pex_batch_set_missing(pex_batch *batch, int32_t field, size_t row);

/*
 * Room for a new string value of `field`, written in place and then passed to pex_batch_set_string:
 * saves the copy. Room that is not used, or not used up, is given back by the next call.
 * Returns the memory (alive until process returns), or NULL without memory or with a bad argument.
 * Since: 0.1.
 */
PEX_API char *pex_batch_alloc(pex_batch *batch, int32_t field, size_t size);

/* Drops a row: it is not in the output. Returns 0 (also the second time) or PEX_EINVAL. Since: 0.1.
 */
PEX_API int32_t pex_batch_drop(pex_batch *batch, size_t row);

/*
 * Declares that the operator failed on this row, for the reason code (negative) and message
 * (copied, NULL allowed); what becomes of it is the policy's affair (`on_error`). Returns 0,
 * PEX_EINVAL, PEX_ENOMEM. Since: 0.1.
 */
PEX_API int32_t pex_batch_fail_row(pex_batch *batch, size_t row, int32_t code, const char *message);

/*
 * Adds a row to the output of a row-to-many operator: a copy of input row `row` as it was before
 * the call, on which the pex_batch_set functions work with the index written to *child (NULL
 * allowed). Children follow in the order of their input rows, and of their appending; the input row
 * itself stays unless it is dropped. Returns 0, PEX_EINVAL (also when the operator did not declare
 * PEX_ROW_TO_MANY), PEX_ENOMEM. Since: 0.1.
 */
PEX_API int32_t pex_batch_append(pex_batch *batch, size_t row, size_t *child);

/*
 * Says that input rows 0 .. count - 1 are finished and the output is large enough: process then
 * returns PEX_MORE, what was done to these rows counts, and the remaining rows come in another
 * call. Returns 0, PEX_EINVAL (count is 0 or above pex_batch_rows). Since: 0.1.
 */
PEX_API int32_t pex_batch_consumed(pex_batch *batch, size_t count);

/* The ids of the rows; *ids has pex_batch_rows() elements. Returns 0, PEX_ENOMEM. Since: 0.1. */
PEX_API int32_t pex_batch_row_ids(pex_batch *batch, const struct pex_row_id **ids);

/* Non-zero once the job is cancelled: long calls look now and then, and may return PEX_ECANCELLED.
 * Thread-safety: any-thread, while the call runs. Since: 0.1. */
PEX_API int32_t pex_batch_cancelled(const pex_batch *batch);

/*
 * Reads the stat that field `field` (declared with PEX_FIELD_STAT) names. A stat that is no number
 * is read and written by pex_batch_json and pex_batch_set_json. Returns 0 and *value,
 * PEX_ENOENT when the row has no such stat, PEX_EDATA when it is no number, PEX_EINVAL.
 * A filter uses a stat that is there instead of computing it. Since: 0.1.
 */
PEX_API int32_t pex_batch_stat_get(pex_batch *batch, int32_t field, size_t row,
                                   struct pex_number *value);

/* Writes a stat, by the rules of pex_batch_stat_get. Returns 0, PEX_EINVAL, PEX_EDATA (NaN or
 * infinite), PEX_ENOMEM. Since: 0.1. */
PEX_API int32_t pex_batch_stat_set(pex_batch *batch, int32_t field, size_t row,
                                   const struct pex_number *value);

/*
 * What operators derive from a column and want to share (words, line starts): `key` names the kind,
 * the memory belongs to the batch, and it is gone as soon as a value of the field changes or a row
 * leaves. With a batch_size a call may have the rows of several slices; what is put then ends with
 * the call. _cache_put returns zeroed memory of `size` bytes that stays for later operators on the
 * same version of the column, or NULL (no memory, bad argument, key taken). _cache_get returns what
 * is there, with its size in *size (NULL allowed), or NULL. Since: 0.1.
 */
PEX_API void *pex_batch_cache_put(pex_batch *batch, int32_t field, const char *key, size_t size);
PEX_API const void *pex_batch_cache_get(pex_batch *batch, int32_t field, const char *key,
                                        size_t *size);

/*
 * As pex_batch_cache_put, with one element of `size` bytes per row of the call: elements follow
 * their rows, so that they stay for later operators although rows were dropped.
 * pex_batch_cache_get finds them, too. Since: 0.1.
 */
PEX_API void *pex_batch_cache_put_rows(pex_batch *batch, int32_t field, const char *key,
                                       size_t size);

/* Memory of `size` bytes, aligned to 16, not zeroed, for elements of pex_batch_cache_put_rows to
 * point to: it lives as long as they do. NULL without memory. Since: 0.1. */
PEX_API void *pex_batch_cache_room(pex_batch *batch, int32_t field, size_t size);

/*
 * Global operators, in `observe`: emits a key (1 to 64 bytes, copied) for a row; several per row
 * are allowed. Returns 0, PEX_EINVAL, PEX_ENOMEM. Since: 0.1.
 */
PEX_API int32_t pex_keys_emit(pex_batch *batch, size_t row, const void *key, size_t size);

/*
 * Global operators, in `apply`: how often each row of the call goes out, as `resolve` decided;
 * *counts has pex_batch_rows() elements. Returns 0, PEX_EINVAL outside of apply. Since: 0.1.
 */
PEX_API int32_t pex_batch_counts(pex_batch *batch, const uint32_t **counts);

/*
 * Global operators, in `apply`: what `resolve` handed over by pex_keys_tell; empty if nothing. It
 * is aligned to 16 bytes and lives as long as the call. Returns 0, PEX_EINVAL outside of apply.
 * Since: 0.1.
 */
PEX_API int32_t pex_batch_told(pex_batch *batch, struct pex_string_view *told);

#ifdef __cplusplus
}
#endif

#endif
