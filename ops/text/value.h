/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values as the expressions and field operators of existing recipes see them, which is as
 * Python does: 1, 1.0 and true are equal, whole numbers have no bound, objects compare by their
 * members in any order, and strings by code points.
 */
#ifndef PEX_TEXT_VALUE_H
#define PEX_TEXT_VALUE_H

#include "scratch.h"

#include <partexec/base.h>

#include <stdbool.h>

#define PEX__NULL 0
#define PEX__BOOL 1
#define PEX__WHOLE 2 /* a whole number of 64 bits */
#define PEX__REAL 3
#define PEX__LARGE 4 /* a whole number beyond: its digits */
#define PEX__STRING 5
#define PEX__LIST 6
#define PEX__OBJECT 7 /* a list of names and values in turn, sorted by name, each name once */
/* Not in JSON, but in expressions: */
#define PEX__TUPLE 8
#define PEX__SET 9
#define PEX__METHOD 10 /* what `text.upper` is: true, and equal to itself alone */

struct pex__value {
    int32_t type;
    union {
        bool truth;
        int64_t whole;
        double real;
        struct pex_string_view text; /* also the name of a method, and the digits with their sign */
        struct {
            const struct pex__value *item;
            size_t count; /* of items: an object has two per member */
        } list;
    } as;
};

/*
 * The value of a valid JSON text, into which strings without escapes point. Strings are as
 * pex_batch_strings has them. Returns 0, PEX_ENOMEM, or PEX_EDATA: a whole number of more than
 * 4,300 digits, or lists and objects in each other more than 1,000 deep.
 */
int32_t pex__value_parse(struct pex__scratch *scratch, struct pex_string_view json,
                         struct pex__value *value);
/*
 * The texts of an object's members of these names, the last of each name; data is NULL where there
 * is none, or the text is no object. Returns 0 or PEX_ENOMEM.
 */
int32_t pex__value_members(struct pex__scratch *scratch, struct pex_string_view object,
                           const struct pex_string_view *names, size_t count,
                           struct pex_string_view *found);
/* The text of a PEX_EDATA of these. */
extern const char pex__value_fault[];

/* By code points, which is by bytes. */
int pex__text_compare(struct pex_string_view a, struct pex_string_view b);
bool pex__value_is_number(const struct pex__value *value); /* bools are */
bool pex__value_equal(const struct pex__value *a, const struct pex__value *b);
/* *order: negative, 0 or positive. PEX_EDATA: the two have no order. Sets are no business of it. */
int32_t pex__value_compare(const struct pex__value *a, const struct pex__value *b, int *order);
/* What Python's `if` makes of it: false are null, false, 0, "" and what is empty. */
bool pex__value_truth(const struct pex__value *value);
/* The value of an object's member, or NULL. */
const struct pex__value *pex__value_member(const struct pex__value *object,
                                           struct pex_string_view name);
/* "a list", for messages. */
const char *pex__value_kind(const struct pex__value *value);

struct pex__bytes;
/* Appends the value as JSON text; tuples and sets are lists, a method is "<callable>". Returns 0 or
 * PEX_ENOMEM. */
int32_t pex__value_print(struct pex__bytes *out, const struct pex__value *value);

static inline struct pex__value pex__value_text(struct pex_string_view text)
{
    return (struct pex__value){.type = PEX__STRING, .as.text = text};
}

static inline struct pex__value pex__value_bool(bool truth)
{
    return (struct pex__value){.type = PEX__BOOL, .as.truth = truth};
}

#endif
