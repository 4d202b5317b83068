/* SPDX-License-Identifier: Apache-2.0 */
/* Printing the library's descriptions, lists of JSON objects, as text on stdout. */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <jansson.h>

/* The text of a key, or "-". */
const char *table_text(const json_t *object, const char *key);
/* Width of the column `key` over all objects of a list. */
int table_width(const json_t *list, const char *key);
/* `, one of a | b`, and `, 1 to 5`, `, at least 1`, `, at most 5`; nothing if there is none. */
void table_print_choices(const json_t *object);
void table_print_range(const json_t *object);
void table_print_json(const json_t *value);

#endif
