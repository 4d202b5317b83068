/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"
#include "unicode.h"
#include "value.h"

#include <string.h>

#define DEPTH_MAX 1000

const char pex__value_fault[] = "has a whole number of more than 4300 digits, or lists and objects "
                                "in each other more than 1000 deep";

/* One walk over a JSON text, which is valid. */
struct reading {
    struct pex__scratch *scratch;
    const char *at;
    const char *end;
    int32_t depth;
};

static int32_t read_value(struct reading *r, struct pex__value *value);

static char skip_blanks(struct reading *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
    return r->at < r->end ? *r->at : 0;
}

/* Behind the quote that ends the string whose first byte is at `at`. */
static const char *skip_string(const char *at, const char *end, bool *is_escaped)
{
    const char *quote = at - 1;
    *is_escaped = false;
    for (;;) {
        if (quote < at)
            quote = memchr(at, '"', (size_t)(end - at));
        const char *slash = memchr(at, '\\', (size_t)(quote - at));
        if (!slash)
            return quote + 1;
        *is_escaped = true;
        at = slash + 2;
    }
}

static uint32_t hex4(const char *digits)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : (uint32_t)((c | 0x20) - 'a' + 10);
        value = value << 4 | digit;
    }
    return value;
}

/* The escape \uXXXX at `at`, with the one behind it if both are a pair. */
static const char *decode_unicode(const char *at, const char *end, uint32_t *point)
{
    *point = hex4(at + 2);
    at += 6;
    if (*point >= 0xD800 && *point < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        uint32_t low = hex4(at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            *point = 0x10000 + ((*point - 0xD800) << 10) + (low - 0xDC00);
            at += 6;
        }
    }
    return at;
}

static char decode_letter(char letter)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *found = strchr(from, letter);
    return found ? to[found - from] : letter;
}

static int32_t decode_string(struct reading *r, const char *at, const char *end,
                             struct pex_string_view *text)
{
    char *out = pex__scratch_alloc(r->scratch, (size_t)(end - at));
    size_t length = 0;
    if (!out)
        return PEX_ENOMEM;
    while (at < end) {
        if (*at != '\\') {
            const char *slash = memchr(at, '\\', (size_t)(end - at));
            size_t run = (size_t)((slash ? slash : end) - at);
            memcpy(out + length, at, run);
            length += run;
            at += run;
        } else if (at[1] == 'u') {
            uint32_t point;
            at = decode_unicode(at, end, &point);
            length += pex__encode(out + length, point);
        } else {
            out[length++] = decode_letter(at[1]);
            at += 2;
        }
    }
    *text = (struct pex_string_view){out, length};
    return 0;
}

/* The string whose quote is next. */
static int32_t read_string(struct reading *r, struct pex_string_view *text)
{
    bool is_escaped;
    const char *start = r->at + 1;
    r->at = skip_string(start, r->end, &is_escaped);
    if (is_escaped)
        return decode_string(r, start, r->at - 1, text);
    *text = (struct pex_string_view){start, (size_t)(r->at - 1 - start)};
    return 0;
}

/* Values that are being gathered; room doubles, what it leaves is forgotten with the scratch. */
struct gathering {
    struct pex__value *item;
    size_t count;
    size_t room;
};

static struct pex__value *add_item(struct reading *r, struct gathering *all)
{
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 8;
        struct pex__value *larger = pex__scratch_alloc(r->scratch, room * sizeof(*larger));
        if (!larger)
            return NULL;
        if (all->count)
            memcpy(larger, all->item, all->count * sizeof(*larger));
        all->item = larger;
        all->room = room;
    }
    return &all->item[all->count++];
}

struct member {
    struct pex__value name;
    struct pex__value value;
};

static int by_name(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return pex__text_compare(x->name.as.text, y->name.as.text);
}

/* Bottom up, so that the order of equal names stays; `other` has the same room. */
static struct member *sort_members(struct member *members, struct member *other, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = middle + width < count ? middle + width : count;
            size_t i = low, j = middle;
            for (size_t k = low; k < high; k++) {
                bool is_left = i < middle && (j == high || by_name(&members[i], &members[j]) <= 0);
                other[k] = members[is_left ? i++ : j++];
            }
        }
        struct member *sorted = other;
        other = members;
        members = sorted;
    }
    return members;
}

/* Sorts by name; of members of one name the last stays. */
static int32_t sort_object(struct reading *r, struct gathering *all)
{
    size_t count = all->count / 2, kept = 0;
    if (count < 2)
        return 0;
    struct member *other = pex__scratch_alloc(r->scratch, count * sizeof(*other));
    if (!other)
        return PEX_ENOMEM;
    struct member *members = sort_members((struct member *)(void *)all->item, other, count);
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || by_name(&members[i], &members[i + 1]) != 0)
            members[kept++] = members[i];
    all->item = &members->name;
    all->count = 2 * kept;
    return 0;
}

static int32_t read_name(struct reading *r, struct gathering *all)
{
    struct pex__value *name = add_item(r, all);
    struct pex_string_view text;
    int32_t rc = name ? read_string(r, &text) : PEX_ENOMEM;
    if (rc)
        return rc;
    *name = pex__value_text(text);
    skip_blanks(r);
    r->at++; /* the colon */
    return 0;
}

/* The list or object whose bracket is next. */
static int32_t read_items(struct reading *r, char close, struct pex__value *value)
{
    struct gathering all = {0};
    int32_t rc = ++r->depth > DEPTH_MAX ? PEX_EDATA : 0;
    r->at++;
    while (!rc && skip_blanks(r) != close) {
        if (close == '}' && (rc = read_name(r, &all)))
            break;
        struct pex__value item;
        rc = read_value(r, &item);
        struct pex__value *place = rc ? NULL : add_item(r, &all);
        if (!rc && !place)
            rc = PEX_ENOMEM;
        if (rc)
            break;
        *place = item;
        if (skip_blanks(r) == ',')
            r->at++;
    }
    if (!rc && close == '}')
        rc = sort_object(r, &all);
    r->at++;
    r->depth--;
    value->type = close == '}' ? PEX__OBJECT : PEX__LIST;
    value->as.list.item = all.item;
    value->as.list.count = all.count;
    return rc;
}

static int32_t read_number(struct reading *r, struct pex__value *value)
{
    const char *start = r->at;
    while (r->at < r->end && strchr("+-.eE0123456789", *r->at) && *r->at)
        r->at++;
    return pex__number_parse((struct pex_string_view){start, (size_t)(r->at - start)}, value);
}

static int32_t read_value(struct reading *r, struct pex__value *value)
{
    switch (skip_blanks(r)) {
    case '{':
        return read_items(r, '}', value);
    case '[':
        return read_items(r, ']', value);
    case '"':
        value->type = PEX__STRING;
        return read_string(r, &value->as.text);
    case 'n':
        *value = (struct pex__value){.type = PEX__NULL};
        r->at += 4;
        return 0;
    case 't':
        *value = pex__value_bool(true);
        r->at += 4;
        return 0;
    case 'f':
        *value = pex__value_bool(false);
        r->at += 5;
        return 0;
    default:
        return read_number(r, value);
    }
}

int32_t pex__value_parse(struct pex__scratch *scratch, struct pex_string_view json,
                         struct pex__value *value)
{
    struct reading r = {scratch, json.data, json.data + json.length, 0};
    return read_value(&r, value);
}

/* Passes over a value of any kind. */
static void skip_value(struct reading *r)
{
    bool is_escaped;
    size_t depth = 0;
    do {
        char c = skip_blanks(r);
        if (c == '"') {
            r->at = skip_string(r->at + 1, r->end, &is_escaped);
        } else if (strchr("{}[]:,", c)) {
            depth += c == '{' || c == '[';
            depth -= c == '}' || c == ']';
            r->at++;
        } else {
            while (r->at < r->end && !strchr(" \t\r\n,]}", *r->at))
                r->at++;
        }
    } while (depth > 0);
}

static void note_member(struct pex_string_view name, struct pex_string_view json,
                        const struct pex_string_view *names, size_t count,
                        struct pex_string_view *found)
{
    for (size_t i = 0; i < count; i++)
        if (!pex__text_compare(name, names[i]))
            found[i] = json;
}

int32_t pex__value_members(struct pex__scratch *scratch, struct pex_string_view object,
                           const struct pex_string_view *names, size_t count,
                           struct pex_string_view *found)
{
    struct reading r = {scratch, object.data, object.data + object.length, 0};
    memset(found, 0, count * sizeof(*found));
    if (skip_blanks(&r) != '{')
        return 0;
    r.at++;
    while (skip_blanks(&r) != '}') {
        struct pex_string_view name;
        int32_t rc = read_string(&r, &name);
        if (rc)
            return rc;
        skip_blanks(&r);
        r.at++; /* the colon */
        const char *start = r.at;
        skip_value(&r);
        struct pex_string_view json = {start, (size_t)(r.at - start)};
        note_member(name, json, names, count, found);
        if (skip_blanks(&r) == ',')
            r.at++;
    }
    return 0;
}
