/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much JSON as the fake host needs. A value is its text, taken apart on demand, so that escapes,
 * numbers and lone surrogates stay as the test wrote them. Input is trusted to be valid. All memory
 * comes from an arena, each piece an allocation of its exact size, so that AddressSanitizer sees an
 * operator that reads past its view.
 */
#ifndef PEX_TEST_JSON_H
#define PEX_TEST_JSON_H

#include <partexec/base.h>

#include <stdbool.h>

struct arena {
    void **piece;
    size_t count;
    size_t capacity;
};

void *arena_alloc(struct arena *arena, size_t size); /* zeroed; never NULL */
void arena_free(struct arena *arena);
struct pex_string_view arena_copy(struct arena *arena, const char *data, size_t length);
/* printf into the arena. */
struct pex_string_view arena_print(struct arena *arena, const char *format, ...) PEX_PRINTF(2, 3);

bool view_is(struct pex_string_view view, const char *text);
bool view_equal(struct pex_string_view a, struct pex_string_view b);

struct member {
    struct pex_string_view key; /* decoded; empty in an array */
    struct pex_string_view value;
};

struct members {
    struct member *item;
    size_t count;
};

/* Members of an object, or elements of an array. */
struct members json_members(struct arena *arena, struct pex_string_view json);
/* The value of a key, or NULL data. */
struct pex_string_view json_get(struct arena *arena, struct pex_string_view object,
                                const char *key);
/* The value at a dotted path, or NULL data. */
struct pex_string_view json_path(struct arena *arena, struct pex_string_view object,
                                 struct pex_string_view path);
/* The object with the key set to `value`, or removed if value.data is NULL. */
struct pex_string_view json_with(struct arena *arena, struct pex_string_view object,
                                 struct pex_string_view key, struct pex_string_view value);
struct pex_string_view json_with_path(struct arena *arena, struct pex_string_view object,
                                      struct pex_string_view path, struct pex_string_view value);

/* Decodes a string value; lone surrogates become WTF-8. */
struct pex_string_view json_string(struct arena *arena, struct pex_string_view json);
/* The text between the quotes as it stands; *is_escaped tells whether a backslash is in it. */
struct pex_string_view json_token(struct pex_string_view json, bool *is_escaped);
/* Encodes a string with its quotes. */
struct pex_string_view json_quote(struct arena *arena, struct pex_string_view text);

#endif
