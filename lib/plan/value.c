/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/value.h"

#include "base/memory.h"
#include "plan/spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SHOW_MAX 60

static int32_t write_real(double real, struct pex__buffer *out)
{
    char text[40], *from = text, *to = text;
    int plain = 1;

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    /* The decimal point is the locale's, of any length. */
    while (*from != '\0') {
        if (strchr("0123456789eE+-", *from) != NULL) {
            plain = plain && *from != 'e';
            *to++ = *from++;
            continue;
        }
        plain = 0;
        *to++ = '.';
        while (*from != '\0' && strchr("0123456789eE+-", *from) == NULL)
            from++;
    }
    *to = '\0';
    return pex__buffer_print(out, "%s%s", text, plain ? ".0" : "");
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int32_t write_object(const json_t *object, struct pex__buffer *out)
{
    const char **keys, *key;
    size_t count = 0;
    json_t *value;
    int32_t failed;

    keys = pex__malloc(json_object_size(object) * sizeof *keys);
    if (keys == NULL)
        return PEX_ENOMEM;
    json_object_foreach((json_t *)object, key, value)
    {
        keys[count++] = key;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    failed = pex__buffer_text(out, "{");
    for (size_t i = 0; i < count && failed == 0; i++) {
        if (i != 0)
            failed = pex__buffer_text(out, ",");
        if (failed == 0)
            failed = pex__buffer_json(out, keys[i], strlen(keys[i]));
        if (failed == 0)
            failed = pex__buffer_text(out, ":");
        if (failed == 0)
            failed = pex__value_text(json_object_get(object, keys[i]), out);
    }
    pex__free(keys);
    return failed != 0 ? failed : pex__buffer_text(out, "}");
}

static int32_t write_array(const json_t *array, struct pex__buffer *out)
{
    int32_t failed = pex__buffer_text(out, "[");

    for (size_t i = 0; i < json_array_size(array) && failed == 0; i++) {
        if (i != 0)
            failed = pex__buffer_text(out, ",");
        if (failed == 0)
            failed = pex__value_text(json_array_get(array, i), out);
    }
    return failed != 0 ? failed : pex__buffer_text(out, "]");
}

int32_t pex__value_text(const json_t *value, struct pex__buffer *out)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return write_object(value, out);
    case JSON_ARRAY:
        return write_array(value, out);
    case JSON_STRING:
        return pex__buffer_json(out, json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
        return pex__buffer_print(out, "%lld", (long long)json_integer_value(value));
    case JSON_REAL:
        return write_real(json_real_value(value), out);
    case JSON_TRUE:
        return pex__buffer_text(out, "true");
    case JSON_FALSE:
        return pex__buffer_text(out, "false");
    case JSON_NULL:
    default:
        return pex__buffer_text(out, "null");
    }
}

const char *pex__value_show(const json_t *value, char *text, size_t size)
{
    struct pex__buffer out = {0};
    size_t length;

    if (pex__value_text(value, &out) != 0)
        snprintf(text, size, "a value");
    else if (out.length <= SHOW_MAX)
        snprintf(text, size, "%.*s", (int)out.length, out.data);
    else {
        for (length = SHOW_MAX; length > 0 && ((unsigned char)out.data[length] & 0xC0) == 0x80;)
            length--;
        snprintf(text, size, "%.*s...", (int)length, out.data);
    }
    pex__buffer_free(&out);
    return text;
}

json_t *pex__value_parse(const char *text, size_t length)
{
    return json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL,
                      NULL);
}

int pex__value_is_text(const json_t *value)
{
    return json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value);
}

const char *pex__value_type_name(int32_t type)
{
    static const char *const names[] = {
        [PEX_PARAM_INT64] = "integer",   [PEX_PARAM_DOUBLE] = "number",
        [PEX_PARAM_BOOL] = "boolean",    [PEX_PARAM_STRING] = "string",
        [PEX_PARAM_STRINGS] = "strings", [PEX_PARAM_INT64S] = "integers",
        [PEX_PARAM_JSON] = "json",
    };

    return type >= PEX_PARAM_INT64 && type <= PEX_PARAM_JSON ? names[type] : "unknown";
}

static int all_elements(const json_t *list, json_type type)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_typeof(json_array_get(list, i)) != type)
            return 0;
    }
    return json_is_array(list);
}

static int has_type(const json_t *value, int32_t type)
{
    switch (type) {
    case PEX_PARAM_INT64:
        return json_is_integer(value);
    case PEX_PARAM_DOUBLE:
        return json_is_number(value);
    case PEX_PARAM_BOOL:
        return json_is_boolean(value);
    case PEX_PARAM_STRING:
        return json_is_string(value);
    case PEX_PARAM_STRINGS:
        return json_is_string(value) || all_elements(value, JSON_STRING);
    case PEX_PARAM_INT64S:
        return json_is_integer(value) || all_elements(value, JSON_INTEGER);
    default:
        return 1;
    }
}

/* Non-zero if text is one of "a|b|c". */
static int is_choice(const char *text, size_t length, const char *choices)
{
    for (const char *at = choices; *at != '\0';) {
        size_t size = strcspn(at, "|");

        if (size == length && memcmp(at, text, length) == 0)
            return 1;
        at += size + (at[size] == '|');
    }
    return 0;
}

static int single_fits(const json_t *value, const struct pex_param_def *def)
{
    if (json_is_string(value) && def->choices != NULL)
        return is_choice(json_string_value(value), json_string_length(value), def->choices);
    if (json_is_number(value) && def->min < def->max)
        return json_number_value(value) >= def->min && json_number_value(value) <= def->max;
    return 1;
}

static int fits(const json_t *value, const struct pex_param_def *def)
{
    if (def->type == PEX_PARAM_JSON)
        return 1;
    if (!json_is_array(value))
        return single_fits(value, def);
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!single_fits(json_array_get(value, i), def))
            return 0;
    }
    return 1;
}

static int32_t write_expected(const struct pex_param_def *def, struct pex__buffer *out)
{
    static const char *const words[] = {
        [PEX_PARAM_INT64] = "an integer",
        [PEX_PARAM_DOUBLE] = "a number",
        [PEX_PARAM_BOOL] = "true or false",
        [PEX_PARAM_STRING] = "a string",
        [PEX_PARAM_STRINGS] = "a string or a list of strings",
        [PEX_PARAM_INT64S] = "an integer or a list of integers",
        [PEX_PARAM_JSON] = "any value",
    };
    int32_t failed = pex__buffer_text(out, words[def->type]);

    if (failed == 0 && def->choices != NULL)
        failed = pex__buffer_print(out, ", one of %s", def->choices);
    if (failed == 0 && def->min < def->max) {
        if (isfinite(def->max) && def->max < 1e18)
            failed = pex__buffer_print(out, " from %.15g to %.15g", def->min, def->max);
        else
            failed = pex__buffer_print(out, " of at least %.15g", def->min);
    }
    if (failed == 0 && (def->flags & PEX_PARAM_NULLABLE) != 0)
        failed = pex__buffer_text(out, ", or null");
    return failed != 0 ? failed : pex__buffer_add(out, "", 1);
}

/* What to add about text that looks like the number that is asked for. To YAML 1.1, which wants a
 * point and a sign, 1e5 is such a text as well. */
static const char *number_hint(const json_t *value, int32_t type)
{
    json_t *number;
    int is_number;

    if (!json_is_string(value) || (type != PEX_PARAM_INT64 && type != PEX_PARAM_DOUBLE))
        return "";
    number = pex__value_parse(json_string_value(value), json_string_length(value));
    is_number = json_is_number(number);
    json_decref(number);
    if (!is_number)
        return "";
    return type == PEX_PARAM_INT64
               ? " (this is text: an integer has digits alone, and no quotes)"
               : " (this is text: a number has no quotes, and with an exponent is 1.0e-5 in YAML)";
}

int32_t pex__value_check(const json_t *value, const struct pex_param_def *def, const char *place,
                         struct pex__buffer *errors)
{
    struct pex__buffer expected = {0};
    char found[SHOW_MAX + 8];
    int32_t code;

    if (json_is_null(value) && (def->flags & PEX_PARAM_NULLABLE) != 0)
        return 0;
    if (has_type(value, def->type) && fits(value, def))
        return 0;
    code = write_expected(def, &expected);
    if (code == 0)
        code = pex__errors_add(errors, "%s: found %s, expected %s%s", place,
                               pex__value_show(value, found, sizeof found), expected.data,
                               number_hint(value, def->type));
    pex__buffer_free(&expected);
    return code;
}

json_t *pex__value_normal(const json_t *value, int32_t type)
{
    json_t *list, *copy;

    if (type == PEX_PARAM_DOUBLE && json_is_integer(value))
        return json_real((double)json_integer_value(value));
    copy = json_deep_copy(value);
    if (copy == NULL || json_is_array(value) || json_is_null(value) ||
        (type != PEX_PARAM_STRINGS && type != PEX_PARAM_INT64S))
        return copy;
    list = json_array();
    if (list == NULL || json_array_append_new(list, copy) != 0) {
        if (list == NULL)
            json_decref(copy);
        json_decref(list);
        return NULL;
    }
    return list;
}

/* The factor of a suffix of a byte size; 0: unknown. */
static double suffix_factor(const char *suffix)
{
    static const char units[] = "kmgt";
    const char *unit;

    if (*suffix == '\0' || strcasecmp(suffix, "b") == 0)
        return 1;
    unit = strchr(units, *suffix | 0x20);
    if (unit == NULL || *unit == '\0' ||
        (suffix[1] != '\0' && strcasecmp(suffix + 1, "b") != 0 &&
         strcasecmp(suffix + 1, "ib") != 0))
        return 0;
    return pow(1024, (double)(unit - units + 1));
}

/* Digits with at most one point, read without the locale. Returns the rest, or NULL. */
static const char *read_decimal(const char *text, double *value)
{
    double scale = 1;
    int digits = 0, fraction = 0;

    *value = 0;
    for (;; text++) {
        if (*text == '.' && !fraction) {
            fraction = 1;
            continue;
        }
        if (*text < '0' || *text > '9')
            break;
        digits++;
        *value = *value * 10 + (*text - '0');
        scale *= fraction ? 10 : 1;
    }
    *value /= scale;
    return digits != 0 ? text : NULL;
}

int32_t pex__value_bytes(const json_t *value, uint64_t unit, uint64_t whole, uint64_t *bytes)
{
    double number = 0;
    const char *rest;

    if (json_is_number(value))
        number = json_number_value(value) * (double)unit;
    else if (pex__value_is_text(value)) {
        rest = read_decimal(json_string_value(value), &number);
        if (rest == NULL)
            return PEX_EINVAL;
        rest += strspn(rest, " ");
        if (strcmp(rest, "%") == 0)
            number = number / 100 * (double)whole;
        else if (*rest == '\0')
            number *= (double)unit;
        else
            number *= suffix_factor(rest);
    }
    if (!(number >= 1) || number > 9e18)
        return PEX_EINVAL;
    *bytes = (uint64_t)number;
    return 0;
}

int32_t pex__value_count(const json_t *value, int32_t *count)
{
    json_int_t number = 0;
    const char *text;
    char *end;

    if (value == NULL || json_is_null(value)) {
        *count = 0;
        return 0;
    }
    if (json_is_integer(value))
        number = json_integer_value(value);
    else if (pex__value_is_text(value)) {
        text = json_string_value(value);
        if (strcmp(text, "auto") == 0) {
            *count = 0;
            return 0;
        }
        errno = 0;
        number = strtoll(text, &end, 10);
        if (*text < '0' || *text > '9' || *end != '\0' || errno != 0)
            return PEX_EINVAL;
    }
    if (number < 1 || number > INT32_MAX)
        return PEX_EINVAL;
    *count = (int32_t)number;
    return 0;
}
