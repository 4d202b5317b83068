/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of input files that lives as long as a test, and the rows that a simple reader finds. */
#ifndef TESTS_INPUT_FILES_H
#define TESTS_INPUT_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "data/input.h"

/* Makes an empty folder, and removes it with all that is in it. */
void files_setup(void);
void files_teardown(void);
/* The path of `name` in the folder; valid until the next 8 calls. */
const char *files_path(const char *name);
/* Writes a file, making its folders; returns its path as files_path does. */
const char *files_write(const char *name, const void *data, size_t length);
const char *files_text(const char *name, const char *text);

/* Lists `count` paths, which must work. */
struct pex__input *files_list(const char *const *paths, size_t count, int32_t format);
struct pex__input *files_list_one(const char *path, int32_t format);

struct line {
    uint32_t source;
    uint64_t offset;
    char *text;
    size_t length;
};

struct lines {
    struct line *items;
    size_t count;
    size_t capacity;
};

void lines_add(struct lines *lines, uint32_t source, uint64_t offset, const char *text,
               size_t length);
/* The lines of a source of JSON lines, byte by byte, blank ones included. */
void lines_split(struct lines *lines, uint32_t source, const char *data, size_t length);
/* The lines of a slice, placed by its segments. */
void lines_of_slice(struct lines *lines, const struct pex__slice *slice);
/* Reads [begin, end) in slices of slice_bytes. Returns the byte order marks. */
uint64_t lines_read(struct lines *lines, const struct pex__input *input, uint64_t begin,
                    uint64_t end, uint64_t slice_bytes);
/* Fails the test, naming `what`, where the two differ. */
void lines_compare(const struct lines *have, const struct lines *want, const char *what);
void lines_free(struct lines *lines);

/* A small generator of numbers, for tests that print their seed. */
uint64_t next_random(uint64_t *state);

#endif
