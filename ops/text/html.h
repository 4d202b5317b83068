/* SPDX-License-Identifier: Apache-2.0 */
/* The text of an HTML document: gumbo's tree, built within bounds. */
#ifndef PEX_TEXT_HTML_H
#define PEX_TEXT_HTML_H

#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>

/* Elements inside each other, as browsers have it. The parser looks through all that are open at
 * every tag, so its time grows with their number. */
#define PEX__HTML_DEPTH 512
/* Bytes of memory for a byte of text; what goes beyond is made to go beyond. */
#define PEX__HTML_GROWTH 256

/* Memory of a tree: given back all at once. A struct of zeros has none. */
struct pex__html {
    struct pex__html_chunk *chunk; /* that is filled; those before it are full */
    struct pex__html_block *free_blocks[64];
    size_t room; /* bytes that the tree may still take */
    struct pex__bytes shielded;
};

/*
 * Appends the text nodes of the document to `out`, in order, but for those inside of templates.
 * Returns 0, PEX_ENOMEM, or PEX_ELIMIT: more than PEX__HTML_GROWTH.
 */
int32_t pex__html_text(struct pex__html *html, struct pex_string_view text, struct pex__bytes *out);
void pex__html_free(struct pex__html *html);

/* Whether elements of the document may lie inside each other deeper than PEX__HTML_DEPTH. */
bool pex__html_is_deep(struct pex_string_view text);

#endif
