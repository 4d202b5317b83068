/* SPDX-License-Identifier: Apache-2.0 */
#include "kept_words.h"

#include "unicode.h"

#include <string.h>

/* 0: part of a word; a larger one wins. */
static inline char rank(char byte)
{
    return byte == ' ' ? 1 : byte == '\t' ? 2 : byte == '\n' ? 3 : 0;
}

int32_t pex__kept_words_map(const struct pex__mapper *mapper, const struct pex__mapping *at,
                            pex__keep_fn *keep)
{
    static const char separators[] = {' ', ' ', '\t', '\n'};
    struct pex_string_view text = at->text;
    char *out = pex__map_room(at, text.length), highest = 0;
    size_t written = 0;
    if (!out)
        return PEX_ENOMEM;
    for (size_t i = 0, end; i < text.length; i = end) {
        char found = rank(text.data[i]);
        end = i + 1;
        if (found) {
            highest = found > highest ? found : highest;
            continue;
        }
        while (end < text.length && !rank(text.data[end]))
            end++;
        struct pex_string_view word = {text.data + i, end - i};
        if (!keep(mapper, word))
            continue;
        if (written)
            out[written++] = separators[(size_t)highest];
        memcpy(out + written, word.data, word.length);
        written += word.length;
        highest = 0;
    }
    /* Of equal length only if every separator was a single one, and no word went. */
    return written == text.length ? 0 : pex__map_set(at, out, written);
}

struct pex_string_view pex__word_strip(struct pex_string_view word)
{
    size_t start = 0, end = word.length, size, at;
    while (start < end &&
           (pex__unicode_class(pex__decode(word.data + start, &size)) & PEX__SPECIAL))
        start += size;
    while (end > start &&
           (pex__unicode_class(pex__decode_before(word.data, end, &at)) & PEX__SPECIAL))
        end = at;
    return (struct pex_string_view){word.data + start, end - start};
}
