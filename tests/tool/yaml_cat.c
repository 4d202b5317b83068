/* SPDX-License-Identifier: Apache-2.0 */
/* YAML on stdin, JSON on stdout; or the place of the error, and exit status 1. For the scripts. */
#include "yaml_reader.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { INPUT_MAX = 4 << 20 };
    char *text = malloc(INPUT_MAX);
    struct yaml_error error;
    size_t length;
    char *json;

    if (!text)
        return 2;
    length = fread(text, 1, INPUT_MAX, stdin);
    if (yaml_to_json(text, length, &json, &error)) {
        printf("%zu:%zu: %s\n", error.line, error.column, error.message);
        free(text);
        return 1;
    }
    puts(json);
    free(json);
    free(text);
    return 0;
}
