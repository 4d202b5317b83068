/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

int32_t pex__bytes_reserve(struct pex__bytes *bytes, size_t more)
{
    if (more <= bytes->capacity - bytes->length)
        return 0;
    size_t capacity = bytes->length + more + bytes->capacity / 2 + 256;
    char *grown = realloc(bytes->data, capacity);
    if (!grown)
        return PEX_ENOMEM;
    bytes->data = grown;
    bytes->capacity = capacity;
    return 0;
}

int32_t pex__bytes_append(struct pex__bytes *bytes, const char *data, size_t length)
{
    if (length == 0)
        return 0;
    if (pex__bytes_reserve(bytes, length))
        return PEX_ENOMEM;
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
    return 0;
}

void pex__bytes_free(struct pex__bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct pex__bytes){0};
}
