/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How deep elements lie in each other, by a rough account of what HTML5 opens and closes: never too
 * small by more than a tag now and then. It walks from tag to tag once.
 */
#include "html.h"

#include <string.h>

#define SPACE " \t\n\f\r"

enum {
    VOID = 1,    /* has no content */
    RAW = 2,     /* its content is text, up to its end tag */
    INLINE = 4,  /* lies in a paragraph */
    THROUGH = 8, /* lies in an item */
    /* Start tags that close an open element of the same name, through what may lie in it: */
    PARAGRAPH = 16, /* inline elements */
    ITEM = 32,      /* these and paragraphs */
    CELL = 64,      /* everything but a table */
    TABLE = 128,
    SCOPE = 256,  /* inside, end tags of what is outside are not heard */
    FOREIGN = 512 /* inside, nothing is closed unsaid */
};

static const struct kind {
    const char *names;
    unsigned flags;
} kinds[] = {
    {" area base br col embed frame hr img input link meta param source track wbr ", VOID},
    {" script style textarea title xmp iframe noembed noframes ", RAW},
    {" b big code em font i s small span strike strong sub sup tt u label cite q ", INLINE},
    {" a nobr ", INLINE | ITEM},
    {" p ", PARAGRAPH | THROUGH},
    {" div address ", THROUGH},
    {" li dd dt option optgroup rb rt rp rtc ", ITEM},
    {" tr tbody thead tfoot colgroup ", CELL},
    {" td th caption ", CELL | SCOPE},
    {" table template html ", TABLE | SCOPE},
    {" applet button marquee object ", SCOPE},
    {" svg math ", SCOPE | FOREIGN},
};

enum { NAME = 13 }; /* longer ones are cut */

struct tag {
    char name[NAME + 3]; /* lower case, between two blanks */
    unsigned flags;
    bool is_end;
};

struct walk {
    const char *at;
    const char *end;
    size_t depth;
    size_t foreign; /* depth in which an element of another language lies, or 0 */
    struct tag open[PEX__HTML_DEPTH];
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool ends_name(char c)
{
    return c == '>' || c == '/' || c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static unsigned flags_of(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strstr(kinds[i].names, name))
            return kinds[i].flags;
    return 0;
}

/* Reads the name of the tag at `at`, a <. Returns the place behind it, or NULL: it is no tag. */
static const char *read_name(const char *at, const char *end, struct tag *tag)
{
    size_t length = 0;
    at++;
    tag->is_end = at < end && *at == '/';
    at += tag->is_end;
    if (at == end || !is_letter(*at))
        return NULL;
    memset(tag->name, 0, sizeof(tag->name));
    tag->name[length++] = ' ';
    for (; at < end && !ends_name(*at); at++)
        if (length <= NAME)
            tag->name[length++] = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at);
    tag->name[length] = ' ';
    return at;
}

/* The place behind the > that ends the tag. */
static const char *skip_attributes(const char *at, const char *end)
{
    bool is_value = false; /* = was the last but blanks */
    for (; at < end && *at != '>'; at++) {
        if (is_value && (*at == '"' || *at == '\'')) {
            const char *closing = memchr(at + 1, *at, (size_t)(end - at - 1));
            if (!closing)
                return end;
            at = closing;
        }
        if (!ends_name(*at))
            is_value = *at == '=';
    }
    return at < end ? at + 1 : end;
}

/* The place behind a comment, a declaration or the like. */
static const char *skip_markup(const char *at, const char *end)
{
    const char *close = end - at > 3 && memcmp(at, "<!--", 4) == 0 ? "-->" : ">";
    const char *found = memmem(at, (size_t)(end - at), close, strlen(close));
    return found ? found + strlen(close) : end;
}

/* Goes on to the next tag; false at the end. */
static bool next_tag(struct walk *walk, struct tag *tag)
{
    while ((walk->at = memchr(walk->at, '<', (size_t)(walk->end - walk->at)))) {
        const char *at = read_name(walk->at, walk->end, tag);
        if (at) {
            walk->at = skip_attributes(at, walk->end);
            return true;
        }
        bool is_markup = walk->end - walk->at > 1 && strchr("!?/", walk->at[1]) && walk->at[1];
        walk->at = is_markup ? skip_markup(walk->at, walk->end) : walk->at + 1;
    }
    return false;
}

/* Goes to the end tag of an element whose content is text. */
static void skip_raw(struct walk *walk, const struct tag *start)
{
    struct tag tag;
    const char *at = walk->at;
    for (; (at = memchr(at, '<', (size_t)(walk->end - at))); at++)
        if (read_name(at, walk->end, &tag) && tag.is_end && strcmp(tag.name, start->name) == 0)
            break;
    walk->at = at ? at : walk->end;
}

static void set_depth(struct walk *walk, size_t depth)
{
    walk->depth = depth;
    if (depth < walk->foreign)
        walk->foreign = 0;
}

/* Whether a tag that closes an element of its name looks no further out than this one. */
static bool stops(const struct tag *tag, const struct tag *open)
{
    if (tag->flags & (CELL | TABLE))
        return open->flags & TABLE;
    if (tag->is_end)
        return open->flags & SCOPE;
    return !(open->flags & (tag->flags & PARAGRAPH ? INLINE : INLINE | THROUGH));
}

/* Closes the innermost open element of this name that the tag can reach. */
static void close_element(struct walk *walk, const struct tag *tag)
{
    for (size_t i = walk->depth; i > 0; i--) {
        const struct tag *open = &walk->open[i - 1];
        if (memcmp(open->name, tag->name, sizeof(tag->name)) == 0) {
            set_depth(walk, i - 1);
            return;
        }
        if (stops(tag, open))
            return;
    }
}

/* False when there is no room for the element. */
static bool open_element(struct walk *walk, const struct tag *tag)
{
    if (tag->flags & (PARAGRAPH | ITEM | CELL) && walk->foreign == 0)
        close_element(walk, tag);
    if (walk->depth == PEX__HTML_DEPTH)
        return false;
    walk->open[walk->depth++] = *tag;
    if (tag->flags & FOREIGN && walk->foreign == 0)
        walk->foreign = walk->depth;
    return true;
}

bool pex__html_is_deep(struct pex_string_view text)
{
    struct walk walk;
    struct tag tag;
    walk.at = text.data;
    walk.end = text.data + text.length;
    walk.depth = walk.foreign = 0;
    while (next_tag(&walk, &tag)) {
        tag.flags = flags_of(tag.name);
        if (tag.is_end)
            close_element(&walk, &tag);
        else if (tag.flags & RAW && walk.foreign == 0)
            skip_raw(&walk, &tag);
        else if (!(tag.flags & VOID) && !open_element(&walk, &tag))
            return true;
    }
    return false;
}
