/* SPDX-License-Identifier: Apache-2.0 */
/* Random text of several kinds, in the form it has inside a JSON string. */
#ifndef PEX_BENCH_CORPUS_H
#define PEX_BENCH_CORPUS_H

#include <stddef.h>
#include <stdint.h>

enum {
    CORPUS_WORDS = 6000,
    CORPUS_FOLLOWERS = 16,
    CORPUS_GLYPHS = 3500,
    CORPUS_POOL = 8 * 1024 * 1024
};

struct corpus_word {
    char text[15];
    uint8_t length;
};

struct corpus {
    uint64_t state;
    uint64_t row;
    uint16_t word; /* where the chain stands */
    struct corpus_word words[CORPUS_WORDS];
    uint16_t followers[CORPUS_WORDS][CORPUS_FOLLOWERS];
    uint16_t glyphs[CORPUS_GLYPHS];
    size_t pool_length;
    char pool[CORPUS_POOL + 4096]; /* text to cut blocks from */
};

/* NULL: no memory. Ends with free. */
struct corpus *corpus_create(uint64_t seed);

uint64_t corpus_next(struct corpus *corpus);
uint32_t corpus_below(struct corpus *corpus, uint32_t limit);

/* Each writes about `length` bytes (never less, at most 64 more) and returns the end. */
/* Sentences of a word chain, with quotes, line ends and the odd curly apostrophe. */
char *corpus_prose(struct corpus *corpus, char *at, size_t length);
/* Random blocks of a pool of text, so that neither words nor blocks follow a chain. */
char *corpus_blocks(struct corpus *corpus, char *at, size_t length);
/* Chinese characters, raw or as \u escapes. */
char *corpus_cjk(struct corpus *corpus, char *at, size_t length, int is_escaped);

#endif
