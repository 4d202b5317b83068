/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *table_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "-";
}

int table_width(const json_t *list, const char *key)
{
    size_t widest = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t length = strlen(table_text(json_array_get(list, i), key));

        widest = length > widest ? length : widest;
    }
    return (int)widest;
}

void table_print_choices(const json_t *object)
{
    const json_t *choices = json_object_get(object, "choices");

    for (size_t i = 0; i < json_array_size(choices); i++)
        printf("%s%s", i == 0 ? ", one of " : " | ", json_string_value(json_array_get(choices, i)));
}

void table_print_range(const json_t *object)
{
    const json_t *min = json_object_get(object, "min");
    const json_t *max = json_object_get(object, "max");

    if (json_is_number(min) && json_is_number(max))
        printf(", %.15g to %.15g", json_number_value(min), json_number_value(max));
    else if (json_is_number(min))
        printf(", at least %.15g", json_number_value(min));
    else if (json_is_number(max))
        printf(", at most %.15g", json_number_value(max));
}

void table_print_json(const json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17));

    if (text)
        command_print(text);
    free(text);
}
