/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"

#include <string.h>

#define DOTTED_I "\xC4\xB0" /* its lower case counts as an i where case does not matter */

static bool says_copyright(const char *text, size_t length)
{
    static const char word[] = "copyright";
    for (size_t at = 0; at < length; at++) {
        size_t end = at, i = 0;
        for (; i < sizeof(word) - 1 && end < length; i++) {
            if ((text[end] | 0x20) == word[i])
                end++;
            else if (word[i] == 'i' && length - end >= 2 && !memcmp(text + end, DOTTED_I, 2))
                end += 2;
            else
                break;
        }
        if (i == sizeof(word) - 1)
            return true;
    }
    return false;
}

/* Length of the leading lines that are comments or empty; all of the text if there are no others.
 */
static size_t comment_lines(struct pex_string_view text)
{
    size_t at = 0;
    while (at < text.length) {
        const char *line = text.data + at;
        size_t left = text.length - at;
        if (line[0] != '\n' && line[0] != '#' &&
            (left < 2 || (memcmp(line, "//", 2) != 0 && memcmp(line, "--", 2) != 0)))
            return at;
        const char *end = memchr(line, '\n', left);
        at = end ? (size_t)(end + 1 - text.data) : text.length;
    }
    return text.length;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    struct pex_string_view text = at->text;
    const char *begin = memmem(text.data, text.length, "/*", 2), *end = NULL;
    if (begin)
        end = memmem(begin + 2, text.length - (size_t)(begin + 2 - text.data), "*/", 2);
    if (!end) {
        size_t skipped = comment_lines(text);
        return skipped ? pex__map_set(at, text.data + skipped, text.length - skipped) : 0;
    }
    end += 2;
    if (!says_copyright(begin, (size_t)(end - begin)))
        return 0;
    if (pex__bytes_append(at->out, text.data, (size_t)(begin - text.data)) ||
        pex__bytes_append(at->out, end, text.length - (size_t)(end - text.data)))
        return PEX_ENOMEM;
    return pex__map_set(at, at->out->data, at->out->length);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {PEX__TEXT_KEY_PARAM};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__clean_copyright_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "clean_copyright_mapper",
    .version = "1",
    .help = "Removes a copyright notice: the first block comment if it is one, else the comment "
            "lines at the start.",
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
