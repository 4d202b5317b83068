/* SPDX-License-Identifier: Apache-2.0 */
/* A growing run of bytes. A buffer of zeros is empty and valid. */
#ifndef PEX_BASE_BUFFER_H
#define PEX_BASE_BUFFER_H

#include "base/memory.h"

#include <partexec/base.h>

struct pex__buffer {
    char *data;
    size_t length;
    size_t capacity;
    const struct pex__heap *heap; /* of its memory; stays when that is freed */
};

/* Room for `more` bytes behind length. Returns 0 or PEX_ENOMEM. */
int32_t pex__buffer_reserve(struct pex__buffer *buffer, size_t more);
int32_t pex__buffer_add(struct pex__buffer *buffer, const void *data, size_t length);
int32_t pex__buffer_text(struct pex__buffer *buffer, const char *text);
int32_t pex__buffer_print(struct pex__buffer *buffer, const char *format, ...) PEX_PRINTF(2, 3);
/* Appends a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD. */
int32_t pex__buffer_json(struct pex__buffer *buffer, const char *text, size_t length);
/* Appends nanoseconds as seconds with six digits behind a point, whatever the locale. */
int32_t pex__buffer_seconds(struct pex__buffer *buffer, int64_t ns);
/* Ends the text with NUL and hands it over, to be freed with pex_free; without memory the buffer is
 * freed. Returns 0 or PEX_ENOMEM. */
int32_t pex__buffer_give(struct pex__buffer *buffer, char **text);
void pex__buffer_free(struct pex__buffer *buffer);

#endif
