/* SPDX-License-Identifier: Apache-2.0 */
/* A text in the making. */
#ifndef PEX_TEXT_BYTES_H
#define PEX_TEXT_BYTES_H

#include <partexec/base.h>

/* A part of a text. */
struct pex__span {
    size_t start;
    size_t end;
};

/* All zero is the empty one. Released with pex__bytes_free. */
struct pex__bytes {
    char *data;
    size_t length;
    size_t capacity;
};

/* Makes room for `more` bytes behind what is there. Returns 0 or PEX_ENOMEM. */
int32_t pex__bytes_reserve(struct pex__bytes *bytes, size_t more);

/* Returns 0 or PEX_ENOMEM. data may be NULL if length is 0. */
int32_t pex__bytes_append(struct pex__bytes *bytes, const char *data, size_t length);

void pex__bytes_free(struct pex__bytes *bytes);

#endif
