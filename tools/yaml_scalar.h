/* SPDX-License-Identifier: Apache-2.0 */
/* What a YAML scalar means: the rules of YAML 1.1 as PyYAML's safe loader has them. */
#ifndef TOOL_YAML_SCALAR_H
#define TOOL_YAML_SCALAR_H

#include <jansson.h>

/*
 * The value of a plain scalar (text ends with NUL and holds none). Dates stay text. Returns NULL
 * with the reason in *problem, a text that ends in the remedy, for what JSON cannot hold or what
 * nobody means: infinities, NaN, base 60, integers past 64 bits.
 */
json_t *yaml_scalar_resolve(const char *text, const char **problem);

#endif
