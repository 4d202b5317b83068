/* SPDX-License-Identifier: Apache-2.0 */
/* A YAML job file as JSON text. */
#ifndef TOOL_YAML_READER_H
#define TOOL_YAML_READER_H

#include <stddef.h>

struct yaml_error {
    size_t line; /* both counted from 1 */
    size_t column;
    char message[400];
};

/*
 * Converts one YAML document, a mapping with text keys, by the rules of PyYAML's safe loader, with
 * anchors, aliases and merge keys; a key that comes twice is an error. Returns 0 and *json (free),
 * or -1 and the place and reason in error.
 */
int yaml_to_json(const char *text, size_t length, char **json, struct yaml_error *error);

#endif
