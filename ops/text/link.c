/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"
#include "unicode.h"

#define NONE SIZE_MAX

#define UNIT 1   /* a unit of its own */
#define GOOD 2   /* and one that can be the last */
#define HOST 4   /* [a-z0-9.-] */
#define LETTER 8 /* [a-z] */

static unsigned ascii_class(char c)
{
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
        return UNIT | GOOD | HOST | LETTER;
    if (c >= '0' && c <= '9')
        return UNIT | GOOD | HOST;
    switch (c) {
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case ' ':
    case '(':
    case ')':
    case '<':
    case '>':
        return 0;
    case '`':
    case '!':
    case '[':
    case ']':
    case '{':
    case '}':
    case ';':
    case ':':
    case '\'':
    case '"':
    case ',':
    case '?':
        return UNIT;
    case '.':
        return UNIT | HOST;
    case '-':
        return UNIT | GOOD | HOST;
    default:
        return UNIT | GOOD;
    }
}

static unsigned class_of(uint32_t point)
{
    if (point < 0x80)
        return ascii_class((char)point);
    switch (point) {
    case 0x130: /* these three equal i, s and k when case is ignored */
    case 0x17F:
    case 0x212A:
        return UNIT | GOOD | HOST | LETTER;
    case 0xAB: /* quotes */
    case 0xBB:
    case 0x2018:
    case 0x2019:
    case 0x201C:
    case 0x201D:
        return UNIT;
    default:
        return pex__unicode_class(point) & PEX__SPACE ? 0 : UNIT | GOOD;
    }
}

static bool is_word(uint32_t point)
{
    return pex__unicode_class(point) & PEX__WORD;
}

static bool is_after_word(struct pex_string_view text, size_t at)
{
    size_t start;
    return at > 0 && is_word(pex__decode_before(text.data, at, &start));
}

static size_t skip_units(struct pex_string_view text, size_t at)
{
    size_t size;
    while (at < text.length && class_of(pex__decode(text.data + at, &size)) & UNIT)
        at += size;
    return at;
}

/* The end of the group whose parenthesis is at `at`, or NONE; its last item and last nested group.
 */
static size_t match_group(struct pex_string_view text, size_t at, struct pex__span *item,
                          struct pex__span *nested)
{
    size_t end = at + 1;
    while (end < text.length && text.data[end] != ')') {
        size_t start = end;
        bool is_nested = text.data[start] == '(';
        end = skip_units(text, start + is_nested);
        if (end == start + is_nested)
            return NONE;
        if (is_nested) {
            if (end == text.length || text.data[end] != ')')
                return NONE;
            end++;
            *nested = (struct pex__span){start, end};
        }
        *item = (struct pex__span){start, end};
    }
    return end < text.length ? end + 1 : NONE;
}

/*
 * Matches the units after a head. All of them are taken in one walk that remembers the longest end
 * so far. Only a parenthesis without its partner makes the walk look at text that it does not take,
 * and then at most to the second parenthesis after it, so that the whole search stays linear.
 */
static bool match_units(struct pex_string_view text, size_t at, struct pex__link *link)
{
    const struct pex__span nothing = {0, 0};
    struct pex__span item = nothing, nested = nothing;
    size_t end = NONE;
    for (size_t units = 1; at < text.length; units++) {
        struct pex__span last_item = nothing, last_nested = nothing;
        unsigned class = UNIT | GOOD;
        if (text.data[at] == '(') {
            at = match_group(text, at, &last_item, &last_nested);
            if (at == NONE)
                break;
        } else {
            size_t size;
            class = class_of(pex__decode(text.data + at, &size));
            if (!(class & UNIT))
                break;
            at += size;
        }
        if (units > 1 && class & GOOD) {
            end = at;
            link->group[2] = item;
            link->group[3] = nested;
            link->group[4] = last_item;
            link->group[5] = last_nested;
        }
        if (last_item.end)
            item = last_item;
        if (last_nested.end)
            nested = last_nested;
    }
    if (end == NONE)
        return false;
    link->group[0].end = end;
    return true;
}

/* The rest of a link from the colon of its scheme. */
static bool match_after_scheme(struct pex_string_view text, size_t colon, struct pex__link *link)
{
    size_t at = colon + 1, slashes = 0, size;
    while (slashes < 3 && at + slashes < text.length && text.data[at + slashes] == '/')
        slashes++;
    for (size_t taken = slashes; taken > 0; taken--)
        if (match_units(text, at + taken, link))
            return true;
    if (slashes || at == text.length)
        return false;
    uint32_t point = pex__decode(text.data + at, &size);
    bool is_start = point == '%' || (class_of(point) & HOST && point != '.' && point != '-');
    return is_start && match_units(text, at + size, link);
}

/* The first start of a scheme that ends at `colon`; NONE without one. Not before `low`. */
static size_t scheme_start(struct pex_string_view text, size_t low, size_t colon)
{
    size_t start = colon, before, size;
    while (start > low) {
        uint32_t point = pex__decode_before(text.data, start, &before);
        if (!is_word(point) && point != '-')
            break;
        start = before;
    }
    for (bool after_word = is_after_word(text, start); start < colon; start += size) {
        uint32_t point = pex__decode(text.data + start, &size);
        if (class_of(point) & LETTER && !after_word && start + size < colon)
            return start;
        after_word = is_word(point);
    }
    return NONE;
}

/* The first start of a host that ends before `slash`; NONE without one. Not before `low`. */
static size_t host_start(struct pex_string_view text, size_t low, size_t slash)
{
    size_t start = slash, before, letters = 0, size;
    while (start > low && letters < 5 &&
           class_of(pex__decode_before(text.data, start, &before)) & LETTER) {
        start = before;
        letters++;
    }
    if (letters < 2 || letters > 4 || start == low || text.data[start - 1] != '.')
        return NONE;
    size_t dot = start - 1;
    for (start = dot; start > low; start = before)
        if (!(class_of(pex__decode_before(text.data, start, &before)) & HOST))
            break;
    for (bool after_word = is_after_word(text, start); start < dot; start += size) {
        bool is_in_word = is_word(pex__decode(text.data + start, &size));
        if (is_in_word != after_word)
            return start;
        after_word = is_in_word;
    }
    return NONE;
}

/* The end of the head "www." at `at`, or NONE. */
static size_t www_end(struct pex_string_view text, size_t at, size_t end)
{
    size_t size;
    if (end - at < 4 || (text.data[at] | 0x20) != 'w' || (text.data[at + 1] | 0x20) != 'w' ||
        (text.data[at + 2] | 0x20) != 'w' || is_after_word(text, at))
        return NONE;
    at += 3;
    for (int digits = 0; digits < 3 && at < end; digits++, at += size)
        if (!(pex__unicode_class(pex__decode(text.data + at, &size)) & PEX__DIGIT))
            break;
    return at < end && text.data[at] == '.' ? at + 1 : NONE;
}

/* The end of the word characters, dots and hyphens from `at` on: no head goes past it, except that
 * a scheme ends with the colon and a host with the slash there. */
static size_t run_end(struct pex_string_view text, size_t at)
{
    for (size_t size; at < text.length; at += size) {
        uint32_t point = pex__decode(text.data + at, &size);
        if (!is_word(point) && point != '.' && point != '-')
            break;
    }
    return at;
}

static bool match_from(struct pex_string_view text, size_t start, size_t head_end, bool is_scheme,
                       struct pex__link *link)
{
    bool is_link = is_scheme ? match_after_scheme(text, head_end - 1, link)
                             : match_units(text, head_end, link);
    if (is_link) {
        link->group[0].start = start;
        link->group[1] = link->group[0];
    }
    return is_link;
}

/*
 * Tries the heads of the run that ends at `end`: any "www." from `www` on, and the one that a colon
 * or slash ends. If the units after that one do not match from its first start, they match from no
 * start, so one is enough.
 */
static bool match_run(struct pex_string_view text, size_t low, size_t www, size_t end,
                      struct pex__link *link)
{
    bool is_scheme = end < text.length && text.data[end] == ':';
    size_t other = NONE;
    if (is_scheme)
        other = scheme_start(text, low, end);
    else if (end < text.length && text.data[end] == '/')
        other = host_start(text, low, end);
    for (; www < end; www++) {
        size_t head_end = www_end(text, www, end);
        if (head_end == NONE)
            continue;
        if (other < www || (other == www && is_scheme)) {
            if (match_from(text, other, end + 1, is_scheme, link))
                return true;
            other = NONE;
        }
        if (match_from(text, www, head_end, false, link))
            return true;
    }
    return other != NONE && match_from(text, other, end + 1, is_scheme, link);
}

bool pex__link_find(const struct pex__kernel *kernel, struct pex_string_view text, size_t from,
                    struct pex__link *link)
{
    size_t low = from, at;
    while ((at = kernel->find_link(text.data, text.length, low)) < text.length) {
        size_t end = run_end(text, at);
        if (match_run(text, low, at, end, link))
            return true;
        bool is_head_end = end < text.length && (text.data[end] == ':' || text.data[end] == '/');
        low = end + is_head_end;
    }
    return false;
}
