/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the translation of patterns: python.c tokens, python_group.c parentheses,
 * python_class.c classes of characters. For these files only. */
#ifndef PEX_TEXT_PYTHON_PARSER_H
#define PEX_TEXT_PYTHON_PARSER_H

#include "python.h"

#define PEX__DEPTH_MAX 200 /* of open groups; PCRE2 nests 250 */

/* What a quantifier would apply to. */
enum pex__last { PEX__LAST_NOTHING, PEX__LAST_ITEM, PEX__LAST_QUANTIFIED };

struct pex__open_group {
    size_t number; /* 0: captures nothing */
    size_t at;     /* of its parenthesis in the source */
    uint32_t flags;
    bool is_look;        /* ahead or behind */
    bool is_conditional; /* has two branches at most */
    size_t bars;
};

struct pex__parser {
    struct pex__python *made;
    struct pex_string_view source;
    size_t at;
    size_t token; /* start of the token that is parsed */
    uint32_t dialect;
    uint32_t flags; /* in force here */
    enum pex__last last;
    bool has_repeat; /* something before repeats without end */
    size_t ways;     /* to match what has an end */
    size_t depth;
    struct pex__open_group open[PEX__DEPTH_MAX];
    size_t name_room;
    size_t place_room;
    size_t reference; /* the largest group referred to, and where */
    size_t reference_at;
    size_t flags_end; /* of the flags at the start, in the output */
    bool lacks_memory;
};

/* A class of characters as an item of PCRE2's: what it has, and whether it is all others. */
struct pex__set {
    uint32_t kind; /* PEX__SET_.. */
    bool is_negated;
};
#define PEX__SET_NONE 0
#define PEX__SET_WORD 1
#define PEX__SET_DIGIT 2
#define PEX__SET_SPACE 3
#define PEX__SET_PUNCTUATION 4
#define PEX__SET_COUNT 5

bool pex__parser_fail(struct pex__parser *parser, const char *format, ...) PEX_PRINTF(2, 3);
char pex__peek(const struct pex__parser *parser, size_t ahead);
bool pex__accept(struct pex__parser *parser, const char *text);
void pex__emit(struct pex__parser *parser, const char *text);
void pex__emit_bytes(struct pex__parser *parser, const char *data, size_t length);
/* A character as it stands for itself, in classes and out of them. */
void pex__emit_point(struct pex__parser *parser, uint32_t point);
uint32_t pex__next_point(struct pex__parser *parser);

/* After a backslash: an escape that is one character. Returns 1, 0 (it is something else; nothing
 * is consumed) or -1 (it failed). */
int pex__parse_character(struct pex__parser *parser, bool is_in_class, uint32_t *point);

bool pex__parse_group(struct pex__parser *parser);
bool pex__close_group(struct pex__parser *parser);
/* A reference to a group that stands in `(?P=..)` or `\g<..>`, up to `end`. */
bool pex__parse_reference(struct pex__parser *parser, char end, size_t *group);
bool pex__emit_backreference(struct pex__parser *parser, size_t group);

bool pex__parse_class(struct pex__parser *parser);
/* After a backslash: \d \D \s \S \w \W. */
struct pex__set pex__set_of(char letter);
/* The items of the set (never negated) inside of brackets. */
void pex__emit_set(struct pex__parser *parser, uint32_t kind);
/* After \p or \P, outside of a class. */
bool pex__parse_property(struct pex__parser *parser, bool is_negated);
/* The characters that are the same as those of the range without case, where PCRE2 has fewer. */
void pex__emit_more_cases(struct pex__parser *parser, uint32_t first, uint32_t last);
bool pex__has_more_cases(const struct pex__parser *parser, uint32_t first, uint32_t last);

/* What makes a name of a property known to PCRE2: "sc:" for a script, "" for others; NULL if it
 * does not know it. */
const char *pex__property_kind(const char *name, bool is_script);

#endif
