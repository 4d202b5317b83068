/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values of a spec: check against a declared type, bring into one form, print. */
#ifndef PEX_PLAN_VALUE_H
#define PEX_PLAN_VALUE_H

#include "base/buffer.h"

#include <partexec/operator.h>

#include <jansson.h>

/*
 * Checks a value by type, bounds, choices and flags of def. place: the key path, for the error that
 * is added to `errors`. Returns 0, PEX_ESPEC or PEX_ENOMEM.
 */
int32_t pex__value_check(const json_t *value, const struct pex_param_def *def, const char *place,
                         struct pex__buffer *errors);

/* A copy in the one form that equal values have: 1 for a double is 1.0, a single string of a list
 * parameter is a list. NULL without memory. */
json_t *pex__value_normal(const json_t *value, int32_t type);

/* Compact JSON with sorted keys and the shortest text of each real that reads back equal. */
int32_t pex__value_text(const json_t *value, struct pex__buffer *out);

/* The same, cut to what fits a message. Returns text. */
const char *pex__value_show(const json_t *value, char *text, size_t size);

/* Parses one JSON value; duplicate keys are an error. NULL: not JSON (or no memory). */
json_t *pex__value_parse(const char *text, size_t length);

/* Non-zero for a JSON string without NUL in it. */
int pex__value_is_text(const json_t *value);

/*
 * Bytes: a number (times `unit`), or text: a number with KB, MB, GB, TB, KiB, .., k, m, g, t (all
 * 1024-based), or a percentage of `whole`. Returns 0 or PEX_EINVAL (also for 0 and out of range).
 */
int32_t pex__value_bytes(const json_t *value, uint64_t unit, uint64_t whole, uint64_t *bytes);

/* A count of at least 1, also as text; "auto" and null give 0. Returns 0 or PEX_EINVAL. */
int32_t pex__value_count(const json_t *value, int32_t *count);

/* The name of a PEX_PARAM_* type. */
const char *pex__value_type_name(int32_t type);

#endif
