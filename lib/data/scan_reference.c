/* SPDX-License-Identifier: Apache-2.0 */
/* The reference scanner: looks at every byte, needs nothing but the line, says what is wrong where.
 */
#include "data/scan.h"

#include "data/scan_walk.h"
#include "data/text_escapes.h"

typedef struct {
    struct pex__walk walk;
} reader;

static inline int at_end(const reader *r, size_t pos)
{
    return pos >= r->walk.end;
}

static inline int peek(const reader *r, size_t pos)
{
    return at_end(r, pos) ? -1 : (unsigned char)r->walk.data[pos];
}

static inline size_t skip_blanks(const reader *r, size_t pos)
{
    for (;; pos++) {
        int c = peek(r, pos);

        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return pos;
    }
}

static inline size_t skip_digits(const reader *r, size_t pos)
{
    while (peek(r, pos) >= '0' && peek(r, pos) <= '9')
        pos++;
    return pos;
}

static inline int is_hex_digit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int32_t read_escape(const reader *r, size_t *pos)
{
    size_t p = *pos + 1, digits_end = p + 5;

    if (peek(r, p) != 'u') {
        if (at_end(r, p) || pex__text_letter_table[peek(r, p)] == '\0')
            goto bad;
        *pos = p + 1;
        return PEX__ROW_OK;
    }
    while (++p < digits_end)
        if (!is_hex_digit(peek(r, p)))
            goto bad;
    *pos = p;
    return PEX__ROW_OK;

bad:
    if (!at_end(r, p))
        return PEX__ROW_ESCAPE;
    *pos = p;
    return PEX__ROW_UNFINISHED;
}

static int32_t read_string(const reader *r, size_t *pos)
{
    const unsigned char *data = (const unsigned char *)r->walk.data;
    size_t p = *pos + 1, end = r->walk.end, length;
    int32_t bad = PEX__ROW_UNFINISHED;

    while (p < end) {
        unsigned char c = data[p];

        if (c == '"') {
            *pos = p + 1;
            return PEX__ROW_OK;
        }
        if (c == '\\') {
            if ((bad = read_escape(r, &p)) != 0)
                break;
            bad = PEX__ROW_UNFINISHED;
        } else if (c >= 0x80) {
            if ((length = pex__utf8_length(data + p, data + end, 0)) == 0) {
                bad = PEX__ROW_UTF8;
                break;
            }
            p += length;
        } else if (c >= 0x20) {
            p++;
        } else {
            bad = PEX__ROW_CONTROL;
            break;
        }
    }
    *pos = p;
    return bad;
}

static inline int has_escape(const reader *r, size_t begin, size_t end)
{
    return memchr(r->walk.data + begin, '\\', end - begin) != NULL;
}

static inline int known_member(const reader *r, size_t *pos, const struct pex__key *parent,
                               const struct pex__key **key)
{
    return 0;
}

static inline void learn_member(const reader *r, size_t begin, size_t end,
                                const struct pex__key *parent, const struct pex__key *key)
{
}

static inline void begin_array(const reader *r)
{
}

static inline int skip_numbers(const reader *r, size_t *pos, size_t room)
{
    return 0;
}

#include "data/scan_grammar.h"

/* Compares the text between a key's quotes, which holds a backslash, with a wanted key. */
static int spells(const struct pex__key *key, const char *text, const char *end)
{
    const char *wanted = key->text, *wanted_end = wanted + key->length;
    char piece[4];
    size_t length, used;

    while (text < end) {
        if (*text == '\\') {
            length = pex__unescape(text, end, piece, &used);
        } else {
            piece[0] = *text;
            length = used = 1;
        }
        if ((size_t)(wanted_end - wanted) < length || memcmp(wanted, piece, length) != 0)
            return 0;
        wanted += length;
        text += used;
    }
    return wanted == wanted_end;
}

const struct pex__key *pex__key_find(const struct pex__key *key, const char *text, size_t length)
{
    const struct pex__key *child = key->children, *end;

    if (key->child_count == 0)
        return NULL;
    end = child + key->child_count;
    if (memchr(text, '\\', length) != NULL) {
        for (; child < end; child++)
            if (spells(child, text, text + length))
                return child;
        return NULL;
    }
    for (; child < end; child++)
        if (child->length == length && memcmp(child->text, text, length) == 0)
            return child;
    return NULL;
}

int32_t pex__scan_reference(const struct pex__paths *paths, const char *data, size_t begin,
                            size_t end, struct pex__span *object, struct pex__span *spans,
                            uint8_t *types, uint32_t *at)
{
    reader r;
    const struct pex__key *root = paths->count != 0 && spans != NULL ? paths->keys : NULL;
    size_t pos = begin;
    int32_t reason;

    r.walk.data = data;
    r.walk.end = end;
    r.walk.spans = spans;
    r.walk.types = types;
    if (root != NULL)
        pex__walk_forget(&r.walk, root);
    reason = read_row(&r, &pos, root, object);
    *at = (uint32_t)pos;
    return reason;
}

int pex__scan_value(const char *text, size_t length, uint8_t *type, struct pex__span *value)
{
    const struct pex__key key = {.text = ""};
    struct pex__span found;
    uint8_t found_type;
    reader r;
    size_t pos;

    r.walk.data = text;
    r.walk.end = length;
    r.walk.spans = &found;
    r.walk.types = &found_type;
    pos = skip_blanks(&r, 0);
    if (read_value(&r, &pos, &key) != PEX__ROW_OK || skip_blanks(&r, pos) != length)
        return 0;
    *type = found_type;
    *value = found;
    return 1;
}
