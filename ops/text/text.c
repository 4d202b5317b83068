/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *pex__text_key(const pex_params *params)
{
    struct pex_string_view key;
    if (pex_params_string(params, "text_key", &key))
        return NULL;
    char *copy = calloc(key.length + 1, 1);
    if (copy)
        memcpy(copy, key.data, key.length);
    return copy;
}

int32_t pex__text_fail(pex_batch *batch, size_t row, uint8_t state, const char *text_key)
{
    const char *found = state == PEX_STATE_MISSING ? "the row has no such field"
                        : state == PEX_STATE_NULL  ? "it is null"
                                                   : "it is of another type";
    char message[512];
    snprintf(message, sizeof(message),
             "field '%.200s' must be a string, but %s; name the text field with text_key", text_key,
             found);
    return pex_batch_fail_row(batch, row, PEX_EDATA, message);
}

int32_t pex__tokenization_check(const pex_params *params, struct pex_error *err)
{
    int32_t tokenization;
    int32_t rc = pex_params_bool(params, "tokenization", &tokenization);
    if (rc)
        return rc;
    if (tokenization)
        return pex_error_set(
            err, PEX_EINVAL,
            "parameter 'tokenization': true needs a tokenizer model, which this "
            "operator does not have; leave it false to count what stands between blanks");
    return 0;
}

struct pex_string_view pex__text_strip(struct pex_string_view text)
{
    size_t start = 0, end = text.length, size, at;
    while (start < end && (pex__unicode_class(pex__decode(text.data + start, &size)) & PEX__STRIP))
        start += size;
    while (end > start &&
           (pex__unicode_class(pex__decode_before(text.data, end, &at)) & PEX__STRIP))
        end = at;
    struct pex_string_view stripped = {text.data + start, end - start};
    return stripped;
}
