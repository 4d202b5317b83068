/* SPDX-License-Identifier: Apache-2.0 */
#include "value.h"

#include "number.h"

#include <string.h>

int pex__text_compare(struct pex_string_view a, struct pex_string_view b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

bool pex__value_is_number(const struct pex__value *value)
{
    return value->type >= PEX__BOOL && value->type <= PEX__LARGE;
}

static bool has_equal(const struct pex__value *list, const struct pex__value *value)
{
    for (size_t i = 0; i < list->as.list.count; i++)
        if (pex__value_equal(&list->as.list.item[i], value))
            return true;
    return false;
}

static bool lists_equal(const struct pex__value *a, const struct pex__value *b)
{
    if (a->as.list.count != b->as.list.count)
        return false;
    for (size_t i = 0; i < a->as.list.count; i++)
        if (a->type == PEX__SET ? !has_equal(b, &a->as.list.item[i])
                                : !pex__value_equal(&a->as.list.item[i], &b->as.list.item[i]))
            return false;
    return true;
}

bool pex__value_equal(const struct pex__value *a, const struct pex__value *b)
{
    if (pex__value_is_number(a) && pex__value_is_number(b))
        return pex__number_compare(a, b) == 0;
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case PEX__NULL:
        return true;
    case PEX__STRING:
        return pex__text_compare(a->as.text, b->as.text) == 0;
    case PEX__METHOD:
        return false;
    default:
        return lists_equal(a, b);
    }
}

int32_t pex__value_compare(const struct pex__value *a, const struct pex__value *b, int *order)
{
    if (pex__value_is_number(a) && pex__value_is_number(b)) {
        *order = pex__number_compare(a, b);
        return 0;
    }
    if (a->type != b->type)
        return PEX_EDATA;
    if (a->type == PEX__STRING) {
        *order = pex__text_compare(a->as.text, b->as.text);
        return 0;
    }
    if (a->type != PEX__LIST && a->type != PEX__TUPLE)
        return PEX_EDATA;
    size_t m = a->as.list.count, n = b->as.list.count;
    for (size_t i = 0; i < m && i < n; i++)
        if (!pex__value_equal(&a->as.list.item[i], &b->as.list.item[i]))
            return pex__value_compare(&a->as.list.item[i], &b->as.list.item[i], order);
    *order = (m > n) - (m < n);
    return 0;
}

bool pex__value_truth(const struct pex__value *value)
{
    switch (value->type) {
    case PEX__NULL:
        return false;
    case PEX__BOOL:
        return value->as.truth;
    case PEX__WHOLE:
        return value->as.whole != 0;
    case PEX__REAL:
        return value->as.real != 0;
    case PEX__STRING:
        return value->as.text.length != 0;
    case PEX__LARGE:
    case PEX__METHOD:
        return true;
    default:
        return value->as.list.count != 0;
    }
}

const struct pex__value *pex__value_member(const struct pex__value *object,
                                           struct pex_string_view name)
{
    size_t low = 0, high = object->as.list.count / 2;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct pex__value *item = &object->as.list.item[2 * middle];
        int order = pex__text_compare(item->as.text, name);
        if (order == 0)
            return item + 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *pex__value_kind(const struct pex__value *value)
{
    static const char *const kinds[] = {"null",     "a bool",   "a number", "a number",
                                        "a number", "a string", "a list",   "an object",
                                        "a tuple",  "a set",    "a method"};
    return kinds[value->type];
}
