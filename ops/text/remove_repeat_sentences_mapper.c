/* SPDX-License-Identifier: Apache-2.0 */
#include "gram.h"
#include "mapper.h"
#include "normal.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct sentence_mapper {
    struct pex__mapper mapper;
    int32_t lowercase;
    int32_t ignores_special;
    int64_t min_length;
};

/* One text on its way: the sentences that were seen, and the one that is looked at. */
struct walk {
    const struct sentence_mapper *mapper;
    const struct pex__mapping *at;
    struct pex__grams seen;
    struct pex__bytes lower;
    struct pex__bytes key;
};

#define ELLIPSIS 0x2026

static bool is_closing(uint32_t point)
{
    return point == 0x2019 || point == 0x201D;
}

static bool is_end(uint32_t point)
{
    return point == '.' || point == 0x3002 || point == '!' || point == 0xFF01 || point == 0xFF1F ||
           point == '?';
}

/* What may stand before a closing quote so that a sentence ends behind it. The reference's set was
 * meant to be shorter. */
static bool is_end_in_quotes(uint32_t point)
{
    return is_end(point) || point == ELLIPSIS || point == '{' || point == '}' || point == '6' ||
           point == '2';
}

/*
 * The three rules by which a sentence ends, each of which goes over the line once and goes on
 * behind the character that it looked at last: behind one end that no closing quote follows; behind
 * two ellipses that no closing quote follows; behind a closing quote after an end that no closing
 * quote follows.
 */
struct rules {
    size_t resume[3]; /* places in the line, by rule */
};

/* The code points at a place of a line, and where they end; 0 past the line's end. */
struct ahead {
    uint32_t point[3];
    size_t end[3];
};

static void look_ahead(struct pex_string_view line, size_t at, struct ahead *ahead)
{
    for (size_t i = 0; i < 3; i++) {
        size_t size = 0;
        ahead->point[i] = at < line.length ? pex__decode(line.data + at, &size) : 0;
        at += size;
        ahead->end[i] = at;
    }
}

/* Most bytes are ASCII and nowhere near the end of a sentence. */
static inline bool is_inside(char byte)
{
    return !(byte & 0x80) && byte != '.' && byte != '!' && byte != '?' && byte != '{' &&
           byte != '}' && byte != '6' && byte != '2';
}

/* Where the sentence at `start` of a line ends. */
static size_t sentence_end(struct pex_string_view line, size_t start, struct rules *rules)
{
    struct ahead ahead;
    for (size_t at = start; at < line.length; at = ahead.end[0]) {
        while (at < line.length && is_inside(line.data[at]))
            at++;
        if (at == line.length)
            break;
        look_ahead(line, at, &ahead);
        size_t one = ahead.end[0], two = ahead.end[1];
        if (is_end(ahead.point[0]) && at >= rules->resume[0] && one < line.length &&
            !is_closing(ahead.point[1])) {
            rules->resume[0] = two;
            return one;
        }
        if (two >= line.length || is_closing(ahead.point[2]))
            continue;
        if (ahead.point[0] == ELLIPSIS && ahead.point[1] == ELLIPSIS && at >= rules->resume[1]) {
            rules->resume[1] = ahead.end[2];
            return two;
        }
        if (is_end_in_quotes(ahead.point[0]) && is_closing(ahead.point[1]) &&
            at >= rules->resume[2]) {
            rules->resume[2] = ahead.end[2];
            return two;
        }
    }
    return line.length;
}

/* What counts of a sentence if special characters do not. */
static bool is_plain(uint32_t point)
{
    return (point >= '0' && point <= '9') || (point >= 'A' && point <= 'Z') ||
           (point >= 'a' && point <= 'z') || (point >= 0x4E00 && point <= 0x9FA5) ||
           point == '\t' || point == ' ';
}

/* By what a sentence is known; *points is the number of its code points. */
static int32_t make_key(struct walk *walk, struct pex_string_view sentence,
                        struct pex_string_view *key, int64_t *points)
{
    size_t size;
    *key = pex__text_strip(sentence);
    if (walk->mapper->lowercase) {
        walk->lower.length = 0;
        if (pex__lower_append(&walk->lower, *key))
            return PEX_ENOMEM;
        *key = (struct pex_string_view){walk->lower.data, walk->lower.length};
    }
    if (walk->mapper->ignores_special) {
        walk->key.length = 0;
        if (pex__bytes_reserve(&walk->key, key->length))
            return PEX_ENOMEM;
        for (size_t at = 0; at < key->length; at += size) {
            if (!is_plain(pex__decode(key->data + at, &size)))
                continue;
            memcpy(walk->key.data + walk->key.length, key->data + at, size);
            walk->key.length += size;
        }
        *key = (struct pex_string_view){walk->key.data, walk->key.length};
    }
    *points = 0;
    for (size_t i = 0; i < key->length; i++)
        *points += !pex__is_continuation(key->data[i]);
    return 0;
}

static int32_t put_sentence(struct walk *walk, struct pex_string_view sentence)
{
    struct pex_string_view key;
    int64_t points;
    int32_t rc = make_key(walk, sentence, &key, &points);
    if (rc)
        return rc;
    if (points >= walk->mapper->min_length) {
        size_t distinct = walk->seen.distinct;
        rc = pex__grams_add(&walk->seen, XXH3_64bits(key.data, key.length));
        if (rc || walk->seen.distinct == distinct)
            return rc;
    }
    return pex__bytes_append(walk->at->out, sentence.data, sentence.length);
}

static int32_t put_line(struct walk *walk, struct pex_string_view line)
{
    struct rules rules = {{0}};
    int32_t rc = 0;
    for (size_t at = 0, end; !rc && at < line.length; at = end) {
        end = sentence_end(line, at, &rules);
        rc = put_sentence(walk, (struct pex_string_view){line.data + at, end - at});
    }
    return rc;
}

static int32_t put_lines(struct walk *walk)
{
    const char *at = walk->at->text.data, *end = at + walk->at->text.length;
    int32_t rc = pex__grams_begin(&walk->seen, walk->at->text.length);
    while (!rc && at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const char *stop = feed ? feed : end;
        rc = put_line(walk, (struct pex_string_view){at, (size_t)(stop - at)});
        if (!rc && feed)
            rc = pex__bytes_append(walk->at->out, "\n", 1);
        at = feed ? feed + 1 : end;
    }
    return rc;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    struct walk walk = {.mapper = (const struct sentence_mapper *)(const void *)mapper, .at = at};
    int32_t rc = put_lines(&walk);
    pex__grams_free(&walk.seen);
    pex__bytes_free(&walk.lower);
    pex__bytes_free(&walk.key);
    if (rc || at->out->length == at->text.length)
        return rc;
    return pex__map_set(at, at->out->data, at->out->length);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct sentence_mapper *sentences = calloc(1, sizeof(*sentences));
    if (!sentences)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc;
    if (!(rc = pex_params_bool(params, "lowercase", &sentences->lowercase)) &&
        !(rc = pex_params_bool(params, "ignore_special_character", &sentences->ignores_special)) &&
        !(rc = pex_params_int64(params, "min_repeat_sentence_length", &sentences->min_length)))
        rc = pex__mapper_init(&sentences->mapper, params, err);
    if (rc) {
        free(sentences);
        return rc;
    }
    *instance = sentences;
    return 0;
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    if (pex_params_is_null(params, "tokenizer") == 1)
        return 0;
    return pex_error_set(err, PEX_EINVAL,
                         "parameter 'tokenizer': there is none; leave it null to cut sentences at "
                         "their punctuation");
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "lowercase",
     .default_json = "false",
     .help = "Compare sentences in lower case.",
     .type = PEX_PARAM_BOOL},
    {.name = "ignore_special_character",
     .default_json = "true",
     .help = "Compare only blanks, tabs, and ASCII and Chinese letters and digits.",
     .type = PEX_PARAM_BOOL},
    {.name = "min_repeat_sentence_length",
     .default_json = "2",
     .help = "A sentence with fewer code points to compare always stays.",
     .type = PEX_PARAM_INT64},
    {.name = "tokenizer",
     .default_json = "null",
     .help = "Only null: sentences are cut at their punctuation.",
     .type = PEX_PARAM_JSON,
     .flags = PEX_PARAM_NULLABLE},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_repeat_sentences_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_repeat_sentences_mapper",
    .version = "1",
    .help = "Removes sentences that came before in the same text.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = process,
    .destroy = pex__mapper_destroy,
    .check = check,
};
