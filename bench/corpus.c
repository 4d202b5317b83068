/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the input of bench/rows: `corpus KIND BYTES SEED FILE`. The same kind, bytes and seed give
 * the same file. No text comes twice: each row is written anew, or put together from random pieces.
 */
#include "corpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1024 * 1024, ROW_ROOM = 128 * 1024, LONG_ROW = 4700 };

/* Many short, some long, none without end; 4.7 KB in the mean. */
static size_t text_length(struct corpus *corpus)
{
    size_t length = 700;

    for (int i = 0; i < 4; i++)
        length += corpus_below(corpus, 2 * (LONG_ROW - 800) / 4);
    return corpus_below(corpus, 50) == 0 ? 3 * length : length * 24 / 25;
}

static char *put(char *at, const char *text)
{
    size_t length = strlen(text);

    memcpy(at, text, length);
    return at + length;
}

static char *put_meta(struct corpus *corpus, char *at)
{
    static const char *const sources[] = {"web/crawl", "forum", "books", "wiki", "news/archive"};

    return at + sprintf(at,
                        "\", \"meta\": {\"id\": %llu, \"source\": \"%s\", \"date\": "
                        "\"20%02u-%02u-%02u\", \"score\": 0.%04u}}\n",
                        (unsigned long long)corpus->row, sources[corpus_below(corpus, 5)],
                        corpus_below(corpus, 26), 1 + corpus_below(corpus, 12),
                        1 + corpus_below(corpus, 28), corpus_below(corpus, 10000));
}

static char *row_english(struct corpus *corpus, char *at)
{
    at = put(at, "{\"text\": \"");
    at = corpus_prose(corpus, at, text_length(corpus));
    return put_meta(corpus, at);
}

static char *row_shuffled(struct corpus *corpus, char *at)
{
    at = put(at, "{\"text\": \"");
    at = corpus_blocks(corpus, at, text_length(corpus));
    return put_meta(corpus, at);
}

static char *row_cjk(struct corpus *corpus, char *at)
{
    at = put(at, "{\"text\": \"");
    at = corpus_cjk(corpus, at, text_length(corpus), 0);
    return put_meta(corpus, at);
}

/* Passages in two scripts; the foreign ones are a third of the bytes. */
static char *row_escaped(struct corpus *corpus, char *at)
{
    char *end;

    at = put(at, "{\"text\": \"");
    end = at + text_length(corpus);
    while (at < end) {
        at = corpus_prose(corpus, at, 100 + corpus_below(corpus, 300));
        at = corpus_cjk(corpus, at, 50 + corpus_below(corpus, 150), 1);
    }
    return put_meta(corpus, at);
}

/* 150 bytes; the filter drops some of them. */
static char *row_short(struct corpus *corpus, char *at)
{
    at += sprintf(at, "{\"id\": %llu, \"text\": \"", (unsigned long long)corpus->row);
    at = corpus_prose(corpus, at, 80 + corpus_below(corpus, 57));
    return at + sprintf(at, "\", \"label\": %u}\n", corpus_below(corpus, 10));
}

static char *put_number(struct corpus *corpus, char *at)
{
    uint64_t random = corpus_next(corpus);
    unsigned digits = (unsigned)(random >> 32) % 1000000;

    switch (random & 7) {
    case 0:
        return at + sprintf(at, "%u", digits % 2000);
    case 1:
        return at + sprintf(at, "%s%u.%03ue-%02u", random & 8 ? "-" : "", digits % 10,
                            digits % 1000, 1 + digits % 9);
    default:
        return at + sprintf(at, "%s0.%06u", random & 8 ? "-" : "", digits);
    }
}

static char *row_numbers(struct corpus *corpus, char *at)
{
    char *start;

    at = put(at, "{\"text\": \"");
    at = corpus_prose(corpus, at, 120);
    at = put(at, "\", \"vector\": [");
    start = at;
    while (at - start < LONG_ROW - 200) {
        at = put_number(corpus, at);
        at = put(at, ", ");
    }
    return put(at - 2, "]}\n");
}

static const struct kind {
    const char *name;
    char *(*row)(struct corpus *corpus, char *at);
} kinds[] = {
    {"english", row_english}, {"shuffled", row_shuffled}, {"cjk", row_cjk},
    {"escaped", row_escaped}, {"short", row_short},       {"numbers", row_numbers},
};

static int flush(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, data, length);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        data += done;
        length -= (size_t)done;
    }
    return 0;
}

static int make(struct corpus *corpus, const struct kind *kind, uint64_t bytes, int fd)
{
    char *buffer = malloc(BUFFER_BYTES + ROW_ROOM), *at = buffer;
    uint64_t made = 0;
    int failed = buffer == NULL;

    while (!failed && made < bytes) {
        char *row = at;

        at = kind->row(corpus, at);
        corpus->row++;
        made += (uint64_t)(at - row);
        if (at - buffer >= BUFFER_BYTES || made >= bytes) {
            failed = flush(fd, buffer, (size_t)(at - buffer));
            at = buffer;
        }
    }
    free(buffer);
    return failed;
}

int main(int argc, char **argv)
{
    const struct kind *kind = NULL;
    struct corpus *corpus;
    int fd, failed;

    for (size_t i = 0; argc == 5 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, argv[1]) == 0)
            kind = &kinds[i];
    if (kind == NULL) {
        fprintf(stderr,
                "usage: corpus english|shuffled|cjk|escaped|short|numbers BYTES SEED FILE\n");
        return 2;
    }
    corpus = corpus_create(strtoull(argv[3], NULL, 10));
    fd = open(argv[4], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    failed = corpus == NULL || fd < 0 || make(corpus, kind, strtoull(argv[2], NULL, 10), fd) != 0;
    if (failed)
        fprintf(stderr, "corpus: %s: %s\n", argv[4], strerror(errno));
    if (fd >= 0 && close(fd) != 0)
        failed = 1;
    free(corpus);
    return failed;
}
