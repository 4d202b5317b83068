/* SPDX-License-Identifier: Apache-2.0 */
#include "macro.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct piece {
    struct pex_string_view text;
    char *own; /* memory of `text` if it was put together, or NULL */
    uint32_t before;
    uint32_t after;
    uint32_t macro; /* a command with this name; NONE: any other */
    uint32_t pass;  /* the macro that it was last looked at for */
    bool is_command;
    bool is_gone;
};

/* The pieces that had a macro's name at some time. */
struct use {
    uint32_t piece;
    uint32_t next;
};

struct expansion {
    const struct pex__macro *macros;
    uint32_t *by_name; /* macros sorted by name */
    uint32_t *first;   /* of the uses, by macro */
    size_t macro_count;
    size_t longest_name;
    struct piece *piece;
    size_t piece_count, piece_capacity;
    struct use *use;
    size_t use_count, use_capacity;
    size_t length; /* of the whole text */
    size_t limit;
};

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static int compare(struct pex_string_view a, struct pex_string_view b)
{
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    return memcmp(a.data, b.data, a.length);
}

static uint32_t macro_of(const struct expansion *x, struct pex_string_view name)
{
    size_t low = 0, high = name.length > x->longest_name ? 0 : x->macro_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(x->macros[x->by_name[middle]].name, name);
        if (order == 0)
            return x->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NONE;
}

static void sift(struct expansion *x, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        uint32_t *names = x->by_name, swapped = names[root];
        if (child + 1 < count &&
            compare(x->macros[names[child]].name, x->macros[names[child + 1]].name) < 0)
            child++;
        if (compare(x->macros[swapped].name, x->macros[names[child]].name) >= 0)
            return;
        names[root] = names[child];
        names[child] = swapped;
    }
}

/* Heap sort, as qsort has no way to hand the names to its comparison. */
static void sort_names(struct expansion *x)
{
    for (size_t i = x->macro_count / 2; i-- > 0;)
        sift(x, i, x->macro_count);
    for (size_t count = x->macro_count; count-- > 1;) {
        uint32_t largest = x->by_name[0];
        x->by_name[0] = x->by_name[count];
        x->by_name[count] = largest;
        sift(x, 0, count);
    }
}

static int32_t grow(void *array, size_t *capacity, size_t count, size_t size)
{
    void **memory = array;
    if (count < *capacity)
        return 0;
    size_t larger = 2 * *capacity + 64;
    void *grown = realloc(*memory, larger * size);
    if (!grown)
        return PEX_ENOMEM;
    *memory = grown;
    *capacity = larger;
    return 0;
}

/* Looks the piece's name up and notes it with the macro. */
static int32_t note_use(struct expansion *x, uint32_t index)
{
    struct piece *piece = &x->piece[index];
    piece->macro = macro_of(x, piece->text);
    if (piece->macro == NONE)
        return 0;
    if (grow(&x->use, &x->use_capacity, x->use_count, sizeof(*x->use)))
        return PEX_ENOMEM;
    x->use[x->use_count] = (struct use){index, x->first[piece->macro]};
    x->first[piece->macro] = (uint32_t)x->use_count++;
    return 0;
}

/* Adds a piece behind `before`, in front of what comes there now. */
static int32_t insert(struct expansion *x, uint32_t before, struct pex_string_view text,
                      bool is_command, uint32_t pass)
{
    if (grow(&x->piece, &x->piece_capacity, x->piece_count, sizeof(*x->piece)) ||
        x->piece_count == NONE)
        return PEX_ENOMEM;
    uint32_t index = (uint32_t)x->piece_count++, after = x->piece[before].after;
    x->piece[index] = (struct piece){.text = text,
                                     .before = before,
                                     .after = after,
                                     .macro = NONE,
                                     .pass = pass,
                                     .is_command = is_command};
    x->piece[before].after = index;
    if (after != NONE)
        x->piece[after].before = index;
    return is_command ? note_use(x, index) : 0;
}

/* Cuts a text into pieces behind *before, which then is the last of them. */
static int32_t insert_text(struct expansion *x, uint32_t *before, struct pex_string_view text,
                           uint32_t pass)
{
    int32_t rc = 0;
    for (size_t at = 0, end; !rc && at < text.length; at = end) {
        bool is_command = text.data[at] == '\\';
        const char *found = NULL;
        end = at + 1;
        if (is_command)
            while (end < text.length && is_alnum(text.data[end]))
                end++;
        else if ((found = memchr(text.data + at, '\\', text.length - at)))
            end = (size_t)(found - text.data);
        else
            end = text.length;
        struct pex_string_view piece = {text.data + at, end - at};
        rc = insert(x, *before, piece, is_command, pass);
        *before = (uint32_t)x->piece_count - 1;
    }
    return rc;
}

/* The letters that come to stand behind a command become a part of its name. */
static int32_t lengthen(struct expansion *x, uint32_t index, struct pex_string_view letters)
{
    struct piece *piece = &x->piece[index];
    size_t length = piece->text.length;
    char *name = realloc(piece->own, length + letters.length);
    if (!name)
        return PEX_ENOMEM;
    if (!piece->own)
        memcpy(name, piece->text.data, length);
    memcpy(name + length, letters.data, letters.length);
    piece->own = name;
    piece->text = (struct pex_string_view){name, length + letters.length};
    return note_use(x, index);
}

static int32_t replace(struct expansion *x, uint32_t index, uint32_t macro)
{
    struct pex_string_view value = x->macros[macro].value;
    struct piece *piece = &x->piece[index];
    uint32_t before = piece->before, after = piece->after;
    size_t letters = 0;
    x->length = x->length - piece->text.length + value.length;
    if (x->length > x->limit)
        return PEX_ELIMIT;
    piece->is_gone = true;
    x->piece[before].after = after;
    x->piece[after].before = before;
    while (letters < value.length && is_alnum(value.data[letters]))
        letters++;
    if (letters && x->piece[before].is_command) {
        int32_t rc = lengthen(x, before, (struct pex_string_view){value.data, letters});
        if (rc)
            return rc;
        value.data += letters;
        value.length -= letters;
    }
    return insert_text(x, &before, value, macro);
}

static bool is_open(const struct expansion *x, uint32_t index, uint32_t macro)
{
    const struct piece *piece = &x->piece[index];
    return !piece->is_gone && piece->macro == macro && piece->pass != macro;
}

/* Names that touch each other are looked at together: of two that follow, the second stays. */
static int32_t replace_run(struct expansion *x, uint32_t index, uint32_t macro)
{
    bool is_taken = false;
    int32_t rc = 0;
    while (is_open(x, x->piece[index].before, macro))
        index = x->piece[index].before;
    while (!rc && index != NONE && is_open(x, index, macro)) {
        uint32_t after = x->piece[index].after;
        x->piece[index].pass = macro;
        is_taken = !is_taken && after != NONE;
        if (is_taken)
            rc = replace(x, index, macro);
        index = after;
    }
    return rc;
}

static int32_t expand(struct expansion *x, struct pex_string_view text)
{
    /* The empty piece in front of all others saves asking for the first one. */
    uint32_t last = 0;
    if (grow(&x->piece, &x->piece_capacity, 0, sizeof(*x->piece)))
        return PEX_ENOMEM;
    x->piece[x->piece_count++] =
        (struct piece){.before = NONE, .after = NONE, .macro = NONE, .pass = NONE};
    int32_t rc = insert_text(x, &last, text, NONE);
    for (uint32_t macro = 0; !rc && macro < x->macro_count; macro++)
        for (uint32_t i = x->first[macro]; !rc && i != NONE; i = x->use[i].next)
            if (is_open(x, x->use[i].piece, macro))
                rc = replace_run(x, x->use[i].piece, macro);
    return rc;
}

int32_t pex__macros_expand(struct pex_string_view text, const struct pex__macro *macros,
                           size_t count, size_t limit, struct pex__bytes *out)
{
    struct expansion x = {.macros = macros, .macro_count = count, .length = text.length};
    int32_t rc = PEX_ENOMEM;
    x.limit = limit;
    x.by_name = malloc((count + 1) * sizeof(*x.by_name));
    x.first = malloc((count + 1) * sizeof(*x.first));
    if (x.by_name && x.first) {
        for (size_t i = 0; i < count; i++) {
            x.by_name[i] = (uint32_t)i;
            x.first[i] = NONE;
            if (macros[i].name.length > x.longest_name)
                x.longest_name = macros[i].name.length;
        }
        sort_names(&x);
        rc = expand(&x, text);
    }
    for (uint32_t i = 0; !rc && i != NONE; i = x.piece[i].after)
        rc = pex__bytes_append(out, x.piece[i].text.data, x.piece[i].text.length);
    for (size_t i = 0; i < x.piece_count; i++)
        free(x.piece[i].own);
    free(x.piece);
    free(x.use);
    free(x.by_name);
    free(x.first);
    return rc;
}
