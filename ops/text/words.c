/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include "normal.h"

#include <string.h>

/* Cuts one text, which stays where it is. */
static int32_t cut(pex_batch *batch, const struct pex__kernel *kernel, struct pex_string_view text,
                   struct pex__words *words)
{
    size_t count = kernel->count_words(text.data, text.length, SIZE_MAX);
    struct pex__word *word = pex_batch_cache_room(batch, PEX__FIELD_TEXT, count * sizeof(*word));
    if (!word)
        return PEX_ENOMEM;
    *words =
        (struct pex__words){text.data, word, kernel->split_words(text.data, text.length, word)};
    return 0;
}

/* The lower case of a text, kept with the words that are cut from it. */
static int32_t lower(pex_batch *batch, struct pex__bytes *out, struct pex_string_view *text)
{
    out->length = 0;
    if (pex__lower_append(out, *text))
        return PEX_ENOMEM;
    char *copy = pex_batch_cache_room(batch, PEX__FIELD_TEXT, out->length);
    if (!copy)
        return PEX_ENOMEM;
    memcpy(copy, out->data, out->length);
    *text = (struct pex_string_view){copy, out->length};
    return 0;
}

const struct pex__words *pex__words_of(pex_batch *batch, const struct pex__kernel *kernel,
                                       const struct pex_string_view *texts, const uint8_t *states,
                                       bool lowercase)
{
    const char *key = lowercase ? "text.words.lower" : "text.words";
    const struct pex__words *words = pex_batch_cache_get(batch, PEX__FIELD_TEXT, key, NULL);
    if (words)
        return words;
    struct pex__words *made = pex_batch_cache_put_rows(batch, PEX__FIELD_TEXT, key, sizeof(*made));
    struct pex__bytes out = {0};
    size_t count = pex_batch_rows(batch);
    int32_t rc = made ? 0 : PEX_ENOMEM;
    for (size_t row = 0; !rc && row < count; row++) {
        struct pex_string_view text = texts[row];
        if (states[row] != PEX_STATE_VALUE)
            continue;
        if (lowercase)
            rc = lower(batch, &out, &text);
        if (!rc)
            rc = cut(batch, kernel, text, &made[row]);
    }
    pex__bytes_free(&out);
    return rc ? NULL : made;
}
