/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators on one text field have in common: the field, its complaint, its ends. */
#ifndef PEX_TEXT_TEXT_H
#define PEX_TEXT_TEXT_H

#include <partexec/plugin.h>

/* Index of the text in the field table of every operator here. */
#define PEX__FIELD_TEXT 0

#define PEX__TEXT_KEY_PARAM                                                                        \
    {                                                                                              \
        .name = "text_key", .default_json = "\"text\"", .help = "The field that holds the text.",  \
        .type = PEX_PARAM_STRING                                                                   \
    }

/* Copies parameter text_key; NULL without memory. Released with free. */
char *pex__text_key(const pex_params *params);

/* Fails a row whose text has a state other than a string. */
int32_t pex__text_fail(pex_batch *batch, size_t row, uint8_t state, const char *text_key);

/* The text without white space at both ends. */
struct pex_string_view pex__text_strip(struct pex_string_view text);

#endif
