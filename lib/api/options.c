/* SPDX-License-Identifier: Apache-2.0 */
#include "api/context.h"

#include <string.h>

int32_t pex__options_copy(void *to, size_t size, const void *from, struct pex_error *err)
{
    size_t given;
    const char *bytes = from;

    memset(to, 0, size);
    if (from == NULL)
        return 0;
    memcpy(&given, from, sizeof given);
    if (given < sizeof given)
        return pex_error_set(err, PEX_EINVAL, "struct_size of the options is %zu: set it to sizeof",
                             given);
    for (size_t i = size; i < given; i++)
        if (bytes[i] != 0)
            return pex_error_set(
                err, PEX_ENOTSUP,
                "the options have %zu bytes, this library knows %zu and the rest is "
                "not zero: use a newer library",
                given, size);
    memcpy(to, from, given < size ? given : size);
    return 0;
}
