/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "number.h"

#include <string.h>

#define LIST_END 0 /* below every kind, so that a list comes before those that it begins */

static int32_t append_byte(struct pex__bytes *key, int byte)
{
    const char c = (char)byte;
    return pex__bytes_append(key, &c, 1);
}

/* Inside a list a text ends in two zeros, and a zero in it is followed by 255. */
static int32_t append_inner_text(struct pex__bytes *key, struct pex_string_view text)
{
    int32_t rc = 0;
    size_t from = 0;
    while (!rc && from < text.length) {
        const char *zero = memchr(text.data + from, 0, text.length - from);
        size_t to = zero ? (size_t)(zero - text.data) + 1 : text.length;
        rc = pex__bytes_append(key, text.data + from, to - from);
        if (!rc && zero)
            rc = append_byte(key, 255);
        from = to;
    }
    return rc ? rc : pex__bytes_append(key, "\0\0", 2);
}

static int32_t append_number(struct pex__bytes *key, const struct pex__value *value)
{
    if (pex__bytes_reserve(key, PEX__NUMBER_KEY_MAX))
        return PEX_ENOMEM;
    key->length += pex__number_key(value, key->data + key->length);
    return 0;
}

static bool has_order(const struct pex__value *value)
{
    if (value->type == PEX__NULL || value->type == PEX__OBJECT)
        return false;
    for (size_t i = 0; value->type == PEX__LIST && i < value->as.list.count; i++)
        if (!has_order(&value->as.list.item[i]))
            return false;
    return true;
}

static int32_t append(struct pex__bytes *key, const struct pex__value *value, bool is_inner)
{
    int32_t rc;
    if (pex__value_is_number(value)) {
        rc = append_byte(key, PEX__ORDER_NUMBER);
        return rc ? rc : append_number(key, value);
    }
    if (value->type == PEX__STRING) {
        rc = append_byte(key, PEX__ORDER_TEXT);
        if (rc)
            return rc;
        return is_inner ? append_inner_text(key, value->as.text)
                        : pex__bytes_append(key, value->as.text.data, value->as.text.length);
    }
    rc = append_byte(key, PEX__ORDER_LIST);
    for (size_t i = 0; i < value->as.list.count && !rc; i++)
        rc = append(key, &value->as.list.item[i], true);
    return rc ? rc : append_byte(key, LIST_END);
}

int32_t pex__order_append(struct pex__bytes *key, const struct pex__value *value)
{
    return has_order(value) ? append(key, value, false) : append_byte(key, PEX__ORDER_NONE);
}
