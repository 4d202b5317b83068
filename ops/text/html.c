/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gumbo checks no allocation and frees its tree by recursion. So it gets memory from chunks that
 * are given back at once, and a jump leads out of it when there is no more.
 */
#include "html.h"

#include "unicode.h"

#include <gumbo.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024, LEAST_ROOM = 256 * 1024 };

struct pex__html_chunk {
    struct pex__html_chunk *before;
    size_t size; /* of data */
    size_t used;
    alignas(max_align_t) char data[];
};

/* In front of what gumbo gets; sizes are powers of two. */
struct pex__html_block {
    alignas(max_align_t) struct pex__html_block *next; /* of the free ones */
    unsigned order;
};

/* One parse. */
struct parse {
    struct pex__html *html;
    jmp_buf out_of_it;
    int32_t rc;
};

static _Noreturn void give_up(struct parse *parse, int32_t rc)
{
    parse->rc = rc;
    longjmp(parse->out_of_it, 1);
}

static unsigned order_of(size_t size)
{
    unsigned order = 4;
    while (((size_t)1 << order) < size)
        order++;
    return order;
}

static struct pex__html_chunk *new_chunk(struct parse *parse, size_t least)
{
    size_t size = least > CHUNK ? least : CHUNK;
    struct pex__html_chunk *chunk = malloc(sizeof(*chunk) + size);
    if (!chunk)
        give_up(parse, PEX_ENOMEM);
    chunk->before = parse->html->chunk;
    chunk->size = size;
    chunk->used = 0;
    parse->html->chunk = chunk;
    return chunk;
}

static void *allocate(void *userdata, size_t size)
{
    struct parse *parse = userdata;
    struct pex__html *html = parse->html;
    unsigned order = order_of(size);
    size_t whole = sizeof(struct pex__html_block) + ((size_t)1 << order);
    struct pex__html_block *block = html->free_blocks[order];
    if (block) {
        html->free_blocks[order] = block->next;
        return block + 1;
    }
    if (whole > html->room)
        give_up(parse, PEX_ELIMIT);
    html->room -= whole;
    struct pex__html_chunk *chunk = html->chunk;
    if (!chunk || chunk->size - chunk->used < whole)
        chunk = new_chunk(parse, whole);
    block = (struct pex__html_block *)(void *)(chunk->data + chunk->used);
    chunk->used += whole;
    block->order = order;
    return block + 1;
}

static void release(void *userdata, void *memory)
{
    struct parse *parse = userdata;
    if (!memory)
        return;
    struct pex__html_block *block = (struct pex__html_block *)memory - 1;
    block->next = parse->html->free_blocks[block->order];
    parse->html->free_blocks[block->order] = block;
}

/* Keeps one chunk for the next tree. */
static void forget_tree(struct pex__html *html)
{
    while (html->chunk && html->chunk->before) {
        struct pex__html_chunk *before = html->chunk->before;
        free(html->chunk);
        html->chunk = before;
    }
    if (html->chunk)
        html->chunk->used = 0;
    memset(html->free_blocks, 0, sizeof(html->free_blocks));
}

void pex__html_free(struct pex__html *html)
{
    forget_tree(html);
    free(html->chunk);
    pex__bytes_free(&html->shielded);
}

/*
 * gumbo takes control characters, noncharacters and halves of surrogate pairs for damage. They go
 * through it as three characters of private use, of which the first stands for nothing else.
 */
enum { SHIELD = 0x10FFFD, DIGIT = 0xF0000 };

static bool needs_shield(uint32_t point)
{
    if (point < 0x20)
        return point != 0 && point != '\t' && point != '\n' && point != '\f' && point != '\r';
    if (point < 0xA0)
        return point >= 0x7F;
    if ((point & 0xFFFE) == 0xFFFE || point == SHIELD || point == 0xFEFF)
        return true;
    return (point >= 0xD800 && point <= 0xDFFF) || (point >= 0xFDD0 && point <= 0xFDEF);
}

enum { MOST_BYTES = 4, SHIELDED = 3 * MOST_BYTES };

static int32_t shield(struct pex__bytes *bytes, struct pex_string_view text)
{
    size_t size;
    bytes->length = 0;
    if (pex__bytes_reserve(bytes, text.length))
        return PEX_ENOMEM;
    for (size_t at = 0; at < text.length; at += size) {
        uint32_t point = pex__decode(text.data + at, &size);
        if (!needs_shield(point)) {
            if (pex__bytes_append(bytes, text.data + at, size))
                return PEX_ENOMEM;
            continue;
        }
        char shielded[SHIELDED];
        pex__encode(shielded, SHIELD);
        pex__encode(shielded + MOST_BYTES, DIGIT + (point >> 12));
        pex__encode(shielded + 2 * MOST_BYTES, DIGIT + (point & 0xFFF));
        if (pex__bytes_append(bytes, shielded, sizeof(shielded)))
            return PEX_ENOMEM;
    }
    return 0;
}

/* What two digits at `text` stand for; false if there are none. */
static bool read_digits(const char *text, uint32_t *point)
{
    size_t size;
    uint32_t high = pex__decode(text, &size) - DIGIT;
    if (high > 0x110)
        return false;
    uint32_t low = pex__decode(text + size, &size) - DIGIT;
    *point = high << 12 | low;
    return low <= 0xFFF;
}

/* The text of a node, with what was shielded. A reference (&#x10FFFD;) may have made the first of
 * three characters: without digits it stands for itself. */
static int32_t add_text(struct pex__bytes *out, const char *text)
{
    char head[MOST_BYTES + 1] = {0}, bytes[MOST_BYTES];
    pex__encode(head, SHIELD);
    for (const char *found; (found = strstr(text, head)); text = found) {
        uint32_t point = SHIELD;
        int32_t rc = pex__bytes_append(out, text, (size_t)(found - text));
        found += read_digits(found + MOST_BYTES, &point) ? SHIELDED : MOST_BYTES;
        if (rc || pex__bytes_append(out, bytes, pex__encode(bytes, point)))
            return PEX_ENOMEM;
    }
    return pex__bytes_append(out, text, strlen(text));
}

/* The node behind `node` in the order of the document; NULL behind the last. */
static const GumboNode *next_node(const GumboNode *node)
{
    if (node->type == GUMBO_NODE_ELEMENT && node->v.element.children.length > 0)
        return node->v.element.children.data[0];
    if (node->type == GUMBO_NODE_DOCUMENT && node->v.document.children.length > 0)
        return node->v.document.children.data[0];
    for (; node->parent; node = node->parent) {
        const GumboVector *siblings = node->parent->type == GUMBO_NODE_DOCUMENT
                                          ? &node->parent->v.document.children
                                          : &node->parent->v.element.children;
        if (node->index_within_parent + 1 < siblings->length)
            return siblings->data[node->index_within_parent + 1];
    }
    return NULL;
}

static int32_t add_tree(struct pex__bytes *out, const GumboNode *node)
{
    int32_t rc = 0;
    for (; node && !rc; node = next_node(node))
        if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE ||
            node->type == GUMBO_NODE_CDATA)
            rc = add_text(out, node->v.text.text);
    return rc;
}

int32_t pex__html_text(struct pex__html *html, struct pex_string_view text, struct pex__bytes *out)
{
    struct parse parse = {.html = html};
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = allocate;
    options.deallocator = release;
    options.userdata = &parse;
    options.max_errors = 0;
    if (shield(&html->shielded, text))
        return PEX_ENOMEM;
    html->room = PEX__HTML_GROWTH * text.length + LEAST_ROOM;
    if (setjmp(parse.out_of_it) == 0) {
        const GumboOutput *output =
            gumbo_parse_with_options(&options, html->shielded.data, html->shielded.length);
        parse.rc = add_tree(out, output->document);
    }
    forget_tree(html);
    return parse.rc;
}
