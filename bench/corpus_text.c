/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const common[] = {
    "the",  "of",    "and",   "to",   "in",    "a",     "is",    "that",   "for",   "it",
    "was",  "on",    "with",  "as",   "be",    "at",    "by",    "this",   "from",  "they",
    "have", "not",   "or",    "are",  "which", "their", "but",   "had",    "all",   "were",
    "when", "there", "can",   "an",   "your",  "each",  "about", "how",    "up",    "out",
    "them", "then",  "she",   "many", "some",  "so",    "these", "would",  "other", "into",
    "has",  "more",  "her",   "two",  "like",  "him",   "see",   "time",   "could", "no",
    "make", "than",  "first", "been", "its",   "who",   "now",   "people", "made",  "over",
    "did",  "down",  "only",  "way",  "find",  "use",   "may",   "water",  "long",  "little",
};

enum { COMMON = sizeof common / sizeof common[0] };

uint64_t corpus_next(struct corpus *corpus)
{
    uint64_t z = corpus->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t corpus_below(struct corpus *corpus, uint32_t limit)
{
    return (uint32_t)(((corpus_next(corpus) >> 32) * limit) >> 32);
}

/* Low numbers often, high ones seldom, as words are. */
static uint32_t skewed(struct corpus *corpus, uint32_t limit)
{
    uint64_t a = corpus_below(corpus, 65536), b = corpus_below(corpus, 65536);
    uint64_t c = corpus_below(corpus, 65536);

    return (uint32_t)(a * b / 65536 * c / 65536 * limit / 65536);
}

static void make_word(struct corpus *corpus, struct corpus_word *word)
{
    static const char *const onsets[] = {"b", "c", "d", "f", "g",  "l",  "m",  "n",
                                         "p", "r", "s", "t", "st", "tr", "ch", "v"};
    static const char *const vowels[] = {"a", "e", "i", "o", "u", "ea", "ou", "e"};
    static const char *const ends[] = {"", "", "n", "r", "s", "t", "l", "ng"};
    uint32_t syllables = 1 + corpus_below(corpus, 3);

    word->length = 0;
    for (uint32_t i = 0; i < syllables && word->length < 10; i++) {
        int length = snprintf(word->text + word->length, sizeof word->text - word->length, "%s%s%s",
                              onsets[corpus_below(corpus, 16)], vowels[corpus_below(corpus, 8)],
                              ends[corpus_below(corpus, 8)]);
        word->length = (uint8_t)(word->length + length);
    }
}

static void make_words(struct corpus *corpus)
{
    for (uint32_t i = 0; i < CORPUS_WORDS; i++) {
        if (i < COMMON)
            corpus->words[i].length = (uint8_t)snprintf(
                corpus->words[i].text, sizeof corpus->words[i].text, "%s", common[i]);
        else
            make_word(corpus, &corpus->words[i]);
    }
    for (uint32_t i = 0; i < CORPUS_WORDS; i++)
        for (uint32_t k = 0; k < CORPUS_FOLLOWERS; k++)
            corpus->followers[i][k] = (uint16_t)skewed(corpus, CORPUS_WORDS);
}

static char *put(char *at, const char *text)
{
    size_t length = strlen(text);

    memcpy(at, text, length);
    return at + length;
}

static char *put_word(const struct corpus *corpus, char *at, uint32_t index)
{
    const struct corpus_word *word = &corpus->words[index];

    memcpy(at, word->text, sizeof word->text);
    return at + word->length;
}

/* What ends a sentence, and a piece of one. */
static char *put_stop(struct corpus *corpus, char *at, int is_end)
{
    uint32_t choice = corpus_below(corpus, 20);

    if (!is_end)
        return put(at, choice < 12   ? ", "
                       : choice < 16 ? "\xe2\x80\x99s "
                       : choice < 18 ? " - "
                                     : "; ");
    if (choice == 0)
        return put(at, ".\\n\\n");
    return put(at, choice < 5 ? ".\\n" : choice < 7 ? ".\\\" " : choice == 7 ? "? " : ". ");
}

char *corpus_prose(struct corpus *corpus, char *at, size_t length)
{
    char *end = at + length;
    uint32_t left = 0;

    while (at < end) {
        uint64_t random = corpus_next(corpus);
        int is_first = left == 0;

        if (is_first) {
            left = 6 + (uint32_t)(random >> 40) % 18;
            if ((random >> 32) % 6 == 0)
                at = put(at, "\\\"");
        }
        /* A leap now and then, so that the chain runs into no circle. */
        corpus->word = random % 32 == 0 ? (uint16_t)skewed(corpus, CORPUS_WORDS)
                                        : corpus->followers[corpus->word][(random >> 8) % 16];
        at = put_word(corpus, at, corpus->word);
        if (is_first)
            at[-(int)corpus->words[corpus->word].length] &= (char)~0x20;
        if (--left == 0 || (random >> 16) % 14 == 0)
            at = put_stop(corpus, at, left == 0);
        else
            *at++ = ' ';
    }
    return at;
}

/* Text like source code and lists, with more to escape than prose. */
static void make_pool(struct corpus *corpus)
{
    static const char *const between[] = {" ", " ", " ",  " ",    " ",     " ",     " ",   " ",
                                          " ", " ", ", ", ".\\n", " \\\"", "\\\" ", "\\t", ": "};
    char *at = corpus->pool;

    while (at < corpus->pool + CORPUS_POOL) {
        at = put_word(corpus, at,
                      corpus_below(corpus, 4) == 0 ? corpus_below(corpus, CORPUS_WORDS)
                                                   : skewed(corpus, CORPUS_WORDS));
        at = put(at, between[corpus_below(corpus, 16)]);
    }
    corpus->pool_length = (size_t)(at - corpus->pool);
}

/* Blocks begin and end at blanks, so that no escape is cut. */
char *corpus_blocks(struct corpus *corpus, char *at, size_t length)
{
    char *end = at + length;

    while (at < end) {
        size_t left = (size_t)(end - at), size = 60 + corpus_below(corpus, 500);
        const char *begin = corpus->pool + corpus_below(corpus, CORPUS_POOL - 1024), *stop;

        if (size > left)
            size = left;
        begin = strchr(begin, ' ') + 1;
        stop = strchr(begin + size, ' ') + 1;
        memcpy(at, begin, (size_t)(stop - begin));
        at += stop - begin;
    }
    return at;
}

/* Shuffled, so that the frequent ones are not neighbours. */
static void make_glyphs(struct corpus *corpus)
{
    for (uint32_t i = 0; i < CORPUS_GLYPHS; i++)
        corpus->glyphs[i] = (uint16_t)(0x4e00 + i * 5);
    for (uint32_t i = CORPUS_GLYPHS; i-- > 1;) {
        uint32_t k = corpus_below(corpus, i + 1);
        uint16_t swap = corpus->glyphs[i];

        corpus->glyphs[i] = corpus->glyphs[k];
        corpus->glyphs[k] = swap;
    }
}

static char *put_glyph(char *at, uint32_t code, int is_escaped)
{
    static const char hex[] = "0123456789abcdef";

    if (is_escaped) {
        memcpy(at, "\\u", 2);
        for (int i = 0; i < 4; i++)
            at[2 + i] = hex[code >> (12 - 4 * i) & 15];
        return at + 6;
    }
    at[0] = (char)(0xe0 | code >> 12);
    at[1] = (char)(0x80 | (code >> 6 & 63));
    at[2] = (char)(0x80 | (code & 63));
    return at + 3;
}

char *corpus_cjk(struct corpus *corpus, char *at, size_t length, int is_escaped)
{
    char *end = at + length;

    while (at < end) {
        uint32_t run = 4 + corpus_below(corpus, 14), stop = corpus_below(corpus, 24);

        while (run-- > 0 && at < end)
            at = put_glyph(at, corpus->glyphs[skewed(corpus, CORPUS_GLYPHS)], is_escaped);
        if (stop == 0)
            at += sprintf(at, "%u", corpus_below(corpus, 3000));
        else
            at = put_glyph(at, stop < 14 ? 0xff0c : 0x3002, is_escaped);
        if (stop == 23)
            at = put(at, "\\n");
    }
    return at;
}

struct corpus *corpus_create(uint64_t seed)
{
    struct corpus *corpus = calloc(1, sizeof *corpus);

    if (corpus == NULL)
        return NULL;
    corpus->state = seed;
    make_words(corpus);
    make_glyphs(corpus);
    make_pool(corpus);
    return corpus;
}
