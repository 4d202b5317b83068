/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int32_t append(struct pex__bytes *out, const char *text)
{
    return pex__bytes_append(out, text, strlen(text));
}

/* A lone surrogate, three bytes of WTF-8, has no other JSON form than its escape. */
static int32_t print_text(struct pex__bytes *out, struct pex_string_view text)
{
    int32_t rc = append(out, "\"");
    for (size_t i = 0; i < text.length && !rc; i++) {
        unsigned char c = (unsigned char)text.data[i];
        char escape[8];
        if (c == 0xED && (unsigned char)text.data[i + 1] >= 0xA0) {
            unsigned point = 0xD000u | (unsigned)(text.data[i + 1] & 0x3F) << 6 |
                             (unsigned)(text.data[i + 2] & 0x3F);
            snprintf(escape, sizeof(escape), "\\u%04x", point);
            rc = append(out, escape);
            i += 2;
        } else if (c < 0x20 || c == '"' || c == '\\') {
            snprintf(escape, sizeof(escape), "\\u%04x", c);
            rc = append(out, escape);
        } else {
            rc = pex__bytes_append(out, text.data + i, 1);
        }
    }
    return rc ? rc : append(out, "\"");
}

/* Where the host has another locale the point may be a comma. */
static int32_t print_real(struct pex__bytes *out, char *number)
{
    char *comma = strchr(number, ',');
    if (comma)
        *comma = '.';
    return append(out, number);
}

static int32_t print_items(struct pex__bytes *out, const struct pex__value *value)
{
    bool is_object = value->type == PEX__OBJECT;
    int32_t rc = append(out, is_object ? "{" : "[");
    for (size_t i = 0; i < value->as.list.count && !rc; i++) {
        if (i > 0)
            rc = append(out, is_object && i % 2 ? ":" : ",");
        if (!rc)
            rc = pex__value_print(out, &value->as.list.item[i]);
    }
    return rc ? rc : append(out, is_object ? "}" : "]");
}

int32_t pex__value_print(struct pex__bytes *out, const struct pex__value *value)
{
    char number[40];
    switch (value->type) {
    case PEX__NULL:
        return append(out, "null");
    case PEX__BOOL:
        return append(out, value->as.truth ? "true" : "false");
    case PEX__WHOLE:
        snprintf(number, sizeof(number), "%" PRId64, value->as.whole);
        return append(out, number);
    case PEX__REAL:
        snprintf(number, sizeof(number), "%.17g", value->as.real);
        if (isinf(value->as.real))
            return append(out, value->as.real > 0 ? "1e999" : "-1e999");
        return print_real(out, number);
    case PEX__LARGE:
        return pex__bytes_append(out, value->as.text.data, value->as.text.length);
    case PEX__STRING:
        return print_text(out, value->as.text);
    case PEX__METHOD:
        return append(out, "\"<callable>\"");
    default:
        return print_items(out, value);
    }
}
