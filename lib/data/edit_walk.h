/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the fields of an object that is known to be valid. */
#ifndef PEX_DATA_EDIT_WALK_H
#define PEX_DATA_EDIT_WALK_H

#include <stddef.h>

/* Offsets in the object's text; the key's include its quotes. */
struct pex__member {
    size_t key_begin;
    size_t key_end;
    size_t begin; /* of the value */
    size_t end;
};

struct pex__members {
    const char *object;
    size_t length;
    size_t pos;
    size_t known_begin; /* a value whose end is known, to be jumped over */
    size_t known_end;
};

static inline struct pex__members pex__members_of(const char *object, size_t length)
{
    return (struct pex__members){object, length, 1, 0, 0};
}

/* The next field: non-zero and *member, or 0 at the end. */
int pex__members_next(struct pex__members *members, struct pex__member *member);
/* Non-zero if the member's key is `key`, which is not escaped. */
int pex__member_is(const struct pex__members *members, const struct pex__member *member,
                   const char *key, size_t key_length);

/* Non-zero if the valid string (with quotes) spells `text`. */
int pex__string_spells(const char *string, size_t length, const char *text, size_t text_length);

#endif
