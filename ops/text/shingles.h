/* SPDX-License-Identifier: Apache-2.0 */
/* Shingles of a text: every run of so many tokens, one token apart. */
#ifndef PEX_TEXT_SHINGLES_H
#define PEX_TEXT_SHINGLES_H

#include "bytes.h"
#include "pattern.h"

#include <partexec/plugin.h>

enum { PEX__BY_SPACE, PEX__BY_CHARACTER, PEX__BY_PUNCTUATION };

/* How texts are taken apart; shared by threads. */
struct pex__shingling {
    int tokenization;
    size_t window; /* tokens of a shingle */
    bool lowercase;
    struct pex__pattern *ignored; /* what it matches is left out; NULL: nothing */
};

#define PEX__SHINGLING_PARAMS(window)                                                              \
    {.name = "tokenization",                                                                       \
     .default_json = "\"space\"",                                                                  \
     .choices = "space|character|punctuation",                                                     \
     .help = "What a token is: what lies between blanks, or between punctuation, or a character.", \
     .type = PEX_PARAM_STRING},                                                                    \
        {.name = "window_size",                                                                    \
         .default_json = window,                                                                   \
         .help = "Tokens that are compared together, a shingle.",                                  \
         .min = 1,                                                                                 \
         .max = INT32_MAX,                                                                         \
         .type = PEX_PARAM_INT64},                                                                 \
        {.name = "lowercase",                                                                      \
         .default_json = "true",                                                                   \
         .help = "Compare texts in lower case.",                                                   \
         .type = PEX_PARAM_BOOL},                                                                  \
    {                                                                                              \
        .name = "ignore_pattern", .default_json = "null",                                          \
        .help = "What is left out before, a pattern in Python's syntax; null: nothing.",           \
        .type = PEX_PARAM_STRING, .flags = PEX_PARAM_NULLABLE                                      \
    }

/* Reads these parameters. 0, or a code with its text in err. Released in both cases. */
int32_t pex__shingling_init(struct pex__shingling *shingling, const pex_params *params,
                            struct pex_error *err);
void pex__shingling_release(struct pex__shingling *shingling);
/* For `check`: what is wrong whatever the rows. */
int32_t pex__shingling_check(const pex_params *params, struct pex_error *err);

/* Number of rows that are taken for the same because they have no shingle, in the notes of the
 * summary. */
#define PEX__UNSHINGLABLE_NOTE "without_shingles"

/* The shingles of one text after the other. */
struct pex__shingles {
    const struct pex__shingling *shingling;
    struct pex__session *session;
    struct pex__bytes lower;
    struct pex__bytes rest;
    struct pex__bytes joined; /* the tokens, a blank between two */
    struct pex__span *token;  /* in the text that they are taken of */
    size_t token_count, token_room;
    const char *text;
    size_t count; /* of shingles */
};

/* 0 or PEX_ENOMEM. */
int32_t pex__shingles_init(struct pex__shingles *shingles, const struct pex__shingling *shingling);
/* Takes a text apart; it must stay. Returns 0, PEX_ENOMEM, PEX_ELIMIT (of a pattern's search). */
int32_t pex__shingles_make(struct pex__shingles *shingles, struct pex_string_view text);
void pex__shingles_free(struct pex__shingles *shingles);

static inline struct pex_string_view pex__shingle(const struct pex__shingles *shingles, size_t i)
{
    size_t start = shingles->token[i].start;
    size_t end = shingles->token[i + shingles->shingling->window - 1].end;
    return (struct pex_string_view){shingles->text + start, end - start};
}

#endif
