/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"
#include "mapper.h"
#include "operators.h"

#include <string.h>

#define TOO_DEEP                                                                                   \
    "elements lie inside each other more than 512 deep, which makes HTML slow to read; repair "    \
    "the "                                                                                         \
    "text, or drop the row"
#define TOO_LARGE                                                                                  \
    "the HTML takes more than 256 times its size to read; repair the text, or drop the row"

/* Marks of lists, replaced one after the other before anything is parsed; exactly as they stand
 * here. */
static const struct list_tag {
    const char *tag;
    const char *becomes;
} list_tags[] = {{"<li>", "\n*"}, {"</li>", ""}, {"<ol>", "\n*"}, {"</ol>", ""}};

static void replace_tag(struct pex__bytes *text, const struct list_tag *list_tag)
{
    size_t size = strlen(list_tag->tag), new_size = strlen(list_tag->becomes);
    const char *at = text->data, *end = text->data + text->length, *found;
    char *to = text->data;
    while ((found = memmem(at, (size_t)(end - at), list_tag->tag, size))) {
        memmove(to, at, (size_t)(found - at));
        to += found - at;
        memcpy(to, list_tag->becomes, new_size);
        to += new_size;
        at = found + size;
    }
    memmove(to, at, (size_t)(end - at));
    text->length = (size_t)(to + (end - at) - text->data);
}

/* What the parser does to a text without markup: drops white space at its start. */
static int32_t map_plain(const struct pex__mapping *at)
{
    size_t start = 0;
    while (start < at->text.length && memchr(" \t\n\f", at->text.data[start], 4))
        start++;
    return start == 0 ? 0 : pex__map_set(at, at->text.data + start, at->text.length - start);
}

struct scratch {
    struct pex__html html;
    struct pex__bytes source;
};

static int32_t map_markup(struct scratch *scratch, const struct pex__mapping *at)
{
    struct pex__bytes *source = &scratch->source;
    source->length = 0;
    if (pex__bytes_append(source, at->text.data, at->text.length))
        return PEX_ENOMEM;
    for (size_t i = 0; i < sizeof(list_tags) / sizeof(list_tags[0]); i++)
        replace_tag(source, &list_tags[i]);
    struct pex_string_view text = {source->data, source->length};
    if (pex__html_is_deep(text))
        return pex__map_fail(at, PEX_ELIMIT, TOO_DEEP);
    int32_t rc = pex__html_text(&scratch->html, text, at->out);
    if (rc == PEX_ELIMIT)
        return pex__map_fail(at, rc, TOO_LARGE);
    return rc ? rc : pex__map_set(at, at->out->data, at->out->length);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex__mapper *mapper = instance;
    const struct pex_string_view *texts;
    const uint8_t *states;
    struct scratch scratch = {0};
    struct pex__bytes out = {0};
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++) {
        struct pex__mapping at = {.batch = batch, .row = row, .text = texts[row], .out = &out};
        struct pex_string_view text = texts[row];
        out.length = 0;
        if (states[row] == PEX_STATE_MISSING)
            rc = pex__text_fail(batch, row, states[row], mapper->text_key);
        else if (states[row] == PEX_STATE_VALUE)
            rc = mapper->kernel->find_any(text.data, text.length, 0, "<&\r") < text.length
                     ? map_markup(&scratch, &at)
                     : map_plain(&at);
    }
    pex__html_free(&scratch.html);
    pex__bytes_free(&scratch.source);
    pex__bytes_free(&out);
    return rc;
}

static const struct pex_param_def params[] = {PEX__TEXT_KEY_PARAM};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__clean_html_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "clean_html_mapper",
    .version = "1",
    .help =
        "Leaves the text nodes of an HTML document; <li> and <ol> become a line feed and *. What "
        "is no string stays.",
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
