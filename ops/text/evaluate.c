/* SPDX-License-Identifier: Apache-2.0 */
#include "expression.h"
#include "number.h"

#include <string.h>

static const char no_order[] = "compares values that have no order, such as text and a number";
static const char no_hash[] = "puts a list or object into a set, or looks for one there";

struct evaluation {
    const struct pex__expression *expression;
    struct pex__scratch *scratch;
    const struct pex_string_view *field;
    const char *fault;
};

static int32_t evaluate(struct evaluation *e, const struct pex__node *node,
                        struct pex__value *value);

static int32_t fail(struct evaluation *e, const char *fault)
{
    e->fault = fault;
    return PEX_EDATA;
}

static bool is_hashable(const struct pex__value *value)
{
    if (value->type == PEX__LIST || value->type == PEX__OBJECT || value->type == PEX__SET)
        return false;
    for (size_t i = 0; value->type == PEX__TUPLE && i < value->as.list.count; i++)
        if (!is_hashable(&value->as.list.item[i]))
            return false;
    return true;
}

static bool has_item(const struct pex__value *list, const struct pex__value *item)
{
    for (size_t i = 0; i < list->as.list.count; i++)
        if (pex__value_equal(&list->as.list.item[i], item))
            return true;
    return false;
}

int32_t pex__expression_build(struct pex__scratch *scratch, int32_t type,
                              const struct pex__value *items, size_t count,
                              struct pex__value *value, const char **fault)
{
    struct pex__value *item = pex__scratch_alloc(scratch, (count + 1) * sizeof(*item));
    if (!item)
        return PEX_ENOMEM;
    *value = (struct pex__value){.type = type, .as.list.item = item};
    for (size_t i = 0; i < count; i++) {
        *fault = no_hash;
        if (type == PEX__SET && !is_hashable(&items[i]))
            return PEX_EDATA;
        if (type == PEX__SET && has_item(value, &items[i]))
            continue;
        item[value->as.list.count++] = items[i];
    }
    return 0;
}

static int32_t evaluate_name(struct evaluation *e, const struct pex__node *node,
                             struct pex__value *value)
{
    struct pex_string_view json = e->field[node->index];
    *value = (struct pex__value){.type = PEX__NULL};
    if (!json.data)
        return 0;
    int32_t rc = pex__value_parse(e->scratch, json, value);
    return rc == PEX_EDATA ? fail(e, pex__value_fault) : rc;
}

/* Whether a name is one of those in a text, with a blank behind each. */
static bool is_among(struct pex_string_view name, const char *list)
{
    for (size_t length; *list; list += length + 1) {
        length = strcspn(list, " ");
        if (length == name.length && !memcmp(list, name.data, length))
            return true;
    }
    return false;
}

/* The methods that values have in Python; what such a name stands for is true. */
static bool has_method(const struct pex__value *value, struct pex_string_view name)
{
    static const char of_text[] =
        "capitalize casefold center count encode endswith expandtabs find format format_map index "
        "isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable "
        "isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix "
        "removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines "
        "startswith strip swapcase title translate upper zfill ";
    static const char of_list[] =
        "append clear copy count extend index insert pop remove reverse sort ";
    static const char of_tuple[] = "count index ";
    static const char of_set[] =
        "add clear copy difference difference_update discard intersection intersection_update "
        "isdisjoint issubset issuperset pop remove symmetric_difference "
        "symmetric_difference_update union update ";
    static const char of_whole[] =
        "as_integer_ratio bit_count bit_length conjugate from_bytes to_bytes ";
    static const char of_real[] = "as_integer_ratio conjugate fromhex hex is_integer ";
    switch (value->type) {
    case PEX__STRING:
        return is_among(name, of_text);
    case PEX__LIST:
        return is_among(name, of_list);
    case PEX__TUPLE:
        return is_among(name, of_tuple);
    case PEX__SET:
        return is_among(name, of_set);
    case PEX__REAL:
        return is_among(name, of_real);
    default:
        return pex__value_is_number(value) && is_among(name, of_whole);
    }
}

/* The parts of a number that are numbers. */
static bool read_part(const struct pex__value *number, struct pex_string_view name,
                      struct pex__value *value)
{
    bool is_real = number->type == PEX__REAL;
    if (is_among(name, "real ") || (!is_real && is_among(name, "numerator "))) {
        *value = *number;
        if (number->type == PEX__BOOL)
            *value = (struct pex__value){.type = PEX__WHOLE, .as.whole = number->as.truth};
        return true;
    }
    if (is_among(name, "imag ") || (!is_real && is_among(name, "denominator "))) {
        *value = (struct pex__value){.type = PEX__WHOLE, .as.whole = *name.data == 'd'};
        if (is_real)
            *value = (struct pex__value){.type = PEX__REAL};
        return true;
    }
    return false;
}

static int32_t evaluate_attribute(struct evaluation *e, const struct pex__node *node,
                                  struct pex__value *value)
{
    struct pex__value of;
    int32_t rc = evaluate(e, node->part[0], &of);
    *value = (struct pex__value){.type = PEX__NULL};
    if (rc)
        return rc;
    if (of.type == PEX__OBJECT) {
        const struct pex__value *member = pex__value_member(&of, node->name);
        if (member)
            *value = *member;
    } else if (pex__value_is_number(&of) && read_part(&of, node->name, value)) {
        return 0;
    } else if (has_method(&of, node->name)) {
        *value = (struct pex__value){.type = PEX__METHOD, .as.text = node->name};
    }
    return 0;
}

static int32_t evaluate_build(struct evaluation *e, const struct pex__node *node,
                              struct pex__value *value)
{
    struct pex__value *items = pex__scratch_alloc(e->scratch, (node->count + 1) * sizeof(*items));
    if (!items)
        return PEX_ENOMEM;
    for (size_t i = 0; i < node->count; i++) {
        int32_t rc = evaluate(e, node->part[i], &items[i]);
        if (rc)
            return rc;
    }
    return pex__expression_build(e->scratch, node->value.type, items, node->count, value,
                                 &e->fault);
}

/* The digits of a number beyond 64 bits with the other sign. */
static int32_t negate_large(struct evaluation *e, struct pex__value *value)
{
    struct pex_string_view old = value->as.text;
    char *digits = pex__scratch_alloc(e->scratch, old.length + 1);
    if (!digits)
        return PEX_ENOMEM;
    size_t from = old.data[0] == '-';
    digits[0] = '-';
    memcpy(digits + !from, old.data + from, old.length - from);
    /* -9223372036854775808 has 64 bits, without the sign it has not. */
    return pex__number_parse((struct pex_string_view){digits, old.length - from + !from}, value);
}

static int32_t evaluate_sign(struct evaluation *e, const struct pex__node *node,
                             struct pex__value *value)
{
    bool is_minus = node->kind == PEX__NODE_MINUS;
    int32_t rc = evaluate(e, node->part[0], value);
    if (rc)
        return rc;
    switch (value->type) {
    case PEX__BOOL:
        *value = (struct pex__value){.type = PEX__WHOLE,
                                     .as.whole = is_minus ? -value->as.truth : value->as.truth};
        return 0;
    case PEX__WHOLE:
        if (is_minus && value->as.whole == INT64_MIN)
            *value =
                (struct pex__value){.type = PEX__LARGE, .as.text = {"9223372036854775808", 19}};
        else if (is_minus)
            value->as.whole = -value->as.whole;
        return 0;
    case PEX__REAL:
        if (is_minus)
            value->as.real = -value->as.real;
        return 0;
    case PEX__LARGE:
        return is_minus ? negate_large(e, value) : 0;
    default:
        return fail(e, "puts + or - in front of what is no number");
    }
}

static int32_t contains(struct evaluation *e, const struct pex__value *item,
                        const struct pex__value *in, bool *result)
{
    switch (in->type) {
    case PEX__STRING:
        if (item->type != PEX__STRING)
            return fail(e, "looks for something in text that is no text");
        *result = item->as.text.length == 0 || memmem(in->as.text.data, in->as.text.length,
                                                      item->as.text.data, item->as.text.length);
        return 0;
    case PEX__LIST:
    case PEX__TUPLE:
        *result = has_item(in, item);
        return 0;
    case PEX__SET: /* a set may be looked for in a set, and is not there */
        *result = has_item(in, item);
        return is_hashable(item) || item->type == PEX__SET ? 0 : fail(e, no_hash);
    case PEX__OBJECT:
        *result = item->type == PEX__STRING && pex__value_member(in, item->as.text);
        return is_hashable(item) ? 0 : fail(e, no_hash);
    default:
        return fail(e, "looks with in into what holds nothing");
    }
}

static bool is_subset(const struct pex__value *a, const struct pex__value *b)
{
    for (size_t i = 0; i < a->as.list.count; i++)
        if (!has_item(b, &a->as.list.item[i]))
            return false;
    return true;
}

/* Sets are ordered by what they hold, and then not all of them are. */
static bool compare_sets(const struct pex__value *a, const struct pex__value *b, uint8_t compare)
{
    bool is_less = compare == PEX__LT || compare == PEX__LE;
    bool may_equal = compare == PEX__LE || compare == PEX__GE;
    return (is_less ? is_subset(a, b) : is_subset(b, a)) &&
           (may_equal || a->as.list.count != b->as.list.count);
}

static int32_t compare_order(struct evaluation *e, const struct pex__value *a,
                             const struct pex__value *b, uint8_t compare, bool *result)
{
    int order;
    if (a->type == PEX__SET && b->type == PEX__SET) {
        *result = compare_sets(a, b, compare);
        return 0;
    }
    if (pex__value_compare(a, b, &order))
        return fail(e, no_order);
    *result = compare == PEX__LT   ? order < 0
              : compare == PEX__LE ? order <= 0
              : compare == PEX__GT ? order > 0
                                   : order >= 0;
    return 0;
}

/* Nothing is true of null but that it is in nothing. */
static int32_t compare_values(struct evaluation *e, const struct pex__value *a,
                              const struct pex__value *b, uint8_t compare, bool *result)
{
    int32_t rc;
    if (a->type == PEX__NULL || b->type == PEX__NULL) {
        *result = compare == PEX__NOT_IN;
        return 0;
    }
    switch (compare) {
    case PEX__EQ:
    case PEX__NE:
        *result = pex__value_equal(a, b) == (compare == PEX__EQ);
        return 0;
    case PEX__IN:
    case PEX__NOT_IN:
        rc = contains(e, a, b, result);
        *result = *result == (compare == PEX__IN);
        return rc;
    case PEX__IS:
    case PEX__IS_NOT:
        return fail(e, "asks whether values are the same object; write == or !=");
    default:
        return compare_order(e, a, b, compare, result);
    }
}

/* A chain is true if every link is, and ends at the first that is not. */
static int32_t evaluate_compare(struct evaluation *e, const struct pex__node *node,
                                struct pex__value *value)
{
    struct pex__value left, right;
    bool result = true;
    int32_t rc = evaluate(e, node->part[0], &left);
    for (size_t i = 1; i < node->count && result && !rc; i++) {
        rc = evaluate(e, node->part[i], &right);
        if (!rc)
            rc = compare_values(e, &left, &right, node->compare[i - 1], &result);
        left = right;
    }
    *value = pex__value_bool(result);
    return rc;
}

static int32_t evaluate_chain(struct evaluation *e, const struct pex__node *node,
                              struct pex__value *value)
{
    bool end = node->kind == PEX__NODE_OR;
    for (size_t i = 0; i < node->count; i++) {
        struct pex__value operand;
        int32_t rc = evaluate(e, node->part[i], &operand);
        if (rc)
            return rc;
        if (pex__value_truth(&operand) == end) {
            *value = pex__value_bool(end);
            return 0;
        }
    }
    *value = pex__value_bool(!end);
    return 0;
}

static int32_t evaluate(struct evaluation *e, const struct pex__node *node,
                        struct pex__value *value)
{
    int32_t rc;
    switch (node->kind) {
    case PEX__NODE_LITERAL:
        *value = node->value;
        return 0;
    case PEX__NODE_NAME:
        return evaluate_name(e, node, value);
    case PEX__NODE_ATTRIBUTE:
        return evaluate_attribute(e, node, value);
    case PEX__NODE_BUILD:
        return evaluate_build(e, node, value);
    case PEX__NODE_AND:
    case PEX__NODE_OR:
        return evaluate_chain(e, node, value);
    case PEX__NODE_NOT:
        rc = evaluate(e, node->part[0], value);
        *value = pex__value_bool(!pex__value_truth(value));
        return rc;
    case PEX__NODE_MINUS:
    case PEX__NODE_PLUS:
        return evaluate_sign(e, node, value);
    default:
        return evaluate_compare(e, node, value);
    }
}

int32_t pex__expression_evaluate(const struct pex__expression *expression,
                                 struct pex__scratch *scratch, const struct pex_string_view *fields,
                                 struct pex__value *value, const char **fault)
{
    struct evaluation e = {expression, scratch, fields, NULL};
    *value = (struct pex__value){.type = PEX__NULL};
    int32_t rc = evaluate(&e, expression->root, value);
    *fault = e.fault;
    return rc;
}
