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

/* Parameter tokenization of the operators on words and letters, and what they check of it. */
#define PEX__TOKENIZATION_PARAM                                                                    \
    {                                                                                              \
        .name = "tokenization", .default_json = "false",                                           \
        .help = "Only false: there is no tokenizer model.", .type = PEX_PARAM_BOOL                 \
    }
int32_t pex__tokenization_check(const pex_params *params, struct pex_error *err);

/* Parameter lang of operators that do the same in every language. */
#define PEX__LANG_PARAM                                                                            \
    {                                                                                              \
        .name = "lang", .default_json = "\"en\"",                                                  \
        .help = "Has no effect: all languages are alike.", .type = PEX_PARAM_STRING,               \
        .flags = PEX_PARAM_IGNORED                                                                 \
    }

/* The text without white space at both ends. */
struct pex_string_view pex__text_strip(struct pex_string_view text);

#endif
