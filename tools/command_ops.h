/* SPDX-License-Identifier: Apache-2.0 */
/* How an operator, described as pex_operators_describe does it, is shown. */
#ifndef TOOL_COMMAND_OPS_H
#define TOOL_COMMAND_OPS_H

#include <jansson.h>

void ops_print_operator(const json_t *op);
/* Non-zero if "flags" of an operator or a parameter has `flag`. */
int ops_has_flag(const json_t *object, const char *flag);

#endif
