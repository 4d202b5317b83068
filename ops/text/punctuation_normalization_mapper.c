/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"
#include "unicode.h"

#include <string.h>

/* Sorted by code point. No replacement is longer than what it replaces. */
static const struct {
    uint32_t point;
    char text[4];
} replacements[] = {
    {0x00AB, "\""}, {0x00B4, "'"},  {0x00BB, "\""}, {0x2013, "-"},  {0x2014, " - "},
    {0x2019, "'"},  {0x201C, "\""}, {0x201D, "\""}, {0x201E, "\""}, {0x2026, "..."},
    {0x2236, ":"},  {0x2501, "-"},  {0x25BA, "-"},  {0x3001, ","},  {0x3002, "."},
    {0x3008, "<"},  {0x3009, ">"},  {0x300A, "\""}, {0x300B, "\""}, {0x300C, "\""},
    {0x300D, "\""}, {0x3010, "["},  {0x3011, "]"},  {0xFF01, "!"},  {0xFF05, "%"},
    {0xFF08, "("},  {0xFF09, ")"},  {0xFF0C, ","},  {0xFF0E, ". "}, {0xFF11, "\""},
    {0xFF1A, ":"},  {0xFF1B, ";"},  {0xFF1F, "?"},  {0xFF5E, "~"},
};

/* What replaces the code point; NULL: it stays. */
static const char *replacement_of(uint32_t point)
{
    size_t low = 0, high = sizeof(replacements) / sizeof(replacements[0]);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (replacements[middle].point == point)
            return replacements[middle].text;
        if (replacements[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The next code point that is replaced; the text's length if there is none. */
static size_t find(const struct pex__kernel *kernel, struct pex_string_view text, size_t at,
                   size_t *size, const char **replacement)
{
    /* The first bytes of all code points in the table. */
    static const char leads[4] = {(char)0xC2, (char)0xE2, (char)0xE3, (char)0xEF};
    for (;;) {
        at = kernel->find_any(text.data, text.length, at, leads);
        if (at == text.length)
            return at;
        *replacement = replacement_of(pex__decode(text.data + at, size));
        if (*replacement)
            return at;
        at += *size;
    }
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const char *replacement;
    size_t size, copied = 0, written = 0;
    size_t found = find(mapper->kernel, at->text, 0, &size, &replacement);
    if (found == at->text.length)
        return 0;
    char *out = pex__map_room(at, at->text.length);
    if (!out)
        return PEX_ENOMEM;
    while (found < at->text.length) {
        memcpy(out + written, at->text.data + copied, found - copied);
        written += found - copied;
        size_t length = strlen(replacement);
        memcpy(out + written, replacement, length);
        written += length;
        copied = found + size;
        found = find(mapper->kernel, at->text, copied, &size, &replacement);
    }
    memcpy(out + written, at->text.data + copied, at->text.length - copied);
    return pex__map_set(at, out, written + at->text.length - copied);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {PEX__TEXT_KEY_PARAM};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__punctuation_normalization_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "punctuation_normalization_mapper",
    .version = "1",
    .help = "Replaces Unicode punctuation by its ASCII form.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = pex__mapper_create,
    .process = process,
    .destroy = pex__mapper_destroy,
};
