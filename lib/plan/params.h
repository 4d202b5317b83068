/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of one operator of a chain: values from the spec, checked, with defaults. */
#ifndef PEX_PLAN_PARAMS_H
#define PEX_PLAN_PARAMS_H

#include "base/buffer.h"
#include "plan/registry.h"

#include <jansson.h>

/*
 * given: JSON object (NULL: none) without the keys that the engine takes (num_proc, ...). Every
 * error is added to `errors` as a line "place.name: ...", with the nearest known name; the return
 * value is 0 or PEX_ESPEC / PEX_ENOMEM.
 */
int32_t pex__params_create(const struct pex_operator *op, const json_t *given, const char *place,
                           pex_params **params, struct pex__buffer *errors);
void pex__params_free(pex_params *params);
/* Canonical text (sorted keys, defaults included), the same for equal parameters; lives as params.
 */
const char *pex__params_key(const pex_params *params);
/* The parameters as given in the spec, canonical, without defaults; lives as params. */
const char *pex__params_given(const pex_params *params);

/* Adds the parameters that differ from their defaults as "name=value name=value". Returns 0 or
 * PEX_ENOMEM. */
int32_t pex__params_changed(const pex_params *params, struct pex__buffer *out);

#endif
