/* SPDX-License-Identifier: Apache-2.0 */
#include "data/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <partexec/dataset.h>

#include "base/error.h"
#include "data/decode.h"
#include "data/reader.h"

#define QUARANTINE_NAME "quarantine.jsonl"

struct suffix {
    const char *name;
    int32_t format; /* PEX_FORMAT_*, or PEX_FORMAT_AUTO: not read by this version */
    int32_t codec;
    const char *magic; /* compressed files: their first bytes */
    size_t magic_bytes;
    const char *remedy;
};

#define TO_LINES "convert it to JSON lines (a JSON object per line, suffix .jsonl)"

static const struct suffix suffixes[] = {
    {".jsonl", PEX_FORMAT_JSONL, PEX__CODEC_NONE, NULL, 0, NULL},
    {".ndjson", PEX_FORMAT_JSONL, PEX__CODEC_NONE, NULL, 0, NULL},
    {".json", PEX_FORMAT_JSONL, PEX__CODEC_NONE, NULL, 0, NULL},
    {".txt", PEX_FORMAT_TEXT, PEX__CODEC_NONE, NULL, 0, NULL},
    {".text", PEX_FORMAT_TEXT, PEX__CODEC_NONE, NULL, 0, NULL},
    {".md", PEX_FORMAT_TEXT, PEX__CODEC_NONE, NULL, 0, NULL},
    {".rst", PEX_FORMAT_TEXT, PEX__CODEC_NONE, NULL, 0, NULL},
    {".tex", PEX_FORMAT_TEXT, PEX__CODEC_NONE, NULL, 0, NULL},
    {".gz", PEX_FORMAT_AUTO, PEX__CODEC_GZIP, NULL, 0, NULL},
    {".zst", PEX_FORMAT_AUTO, PEX__CODEC_ZSTD, NULL, 0, NULL},
    {".tgz", PEX_FORMAT_AUTO, PEX__CODEC_NONE, "\x1F\x8B", 2, "unpack it first (tar xzf FILE)"},
    {".bz2", PEX_FORMAT_AUTO, PEX__CODEC_NONE, "BZh", 3, "unpack it first (bunzip2 -k FILE)"},
    {".xz", PEX_FORMAT_AUTO, PEX__CODEC_NONE,
     "\xFD"
     "7zXZ",
     5, "unpack it first (unxz -k FILE)"},
    {".lz4", PEX_FORMAT_AUTO, PEX__CODEC_NONE, "\x04\x22\x4D\x18", 4,
     "unpack it first (unlz4 -k FILE)"},
    {".zip", PEX_FORMAT_AUTO, PEX__CODEC_NONE, "PK\x03\x04", 4, "unpack it first (unzip FILE)"},
    {".parquet", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".csv", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".tsv", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".arrow", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".feather", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".orc", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".avro", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".xml", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".yaml", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
    {".yml", PEX_FORMAT_AUTO, PEX__CODEC_NONE, NULL, 0, TO_LINES},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* From the last dot on; "" without a suffix. */
static const char *suffix_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot != NULL && dot != name ? dot : "";
}

static const struct suffix *find_suffix(const char *name)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(suffixes[i].name, name) == 0)
            return &suffixes[i];
    return NULL;
}

/* The file's name goes to name, without the suffix of a compression that is read. */
static void take_codec(struct pex__source *source, char *name, size_t room)
{
    const struct suffix *outer;
    const char *text;

    snprintf(name, room, "%s", base_name(source->path));
    text = suffix_of(name);
    outer = find_suffix(text);
    source->codec = outer != NULL ? outer->codec : PEX__CODEC_NONE;
    if (source->codec != PEX__CODEC_NONE)
        name[text - name] = '\0';
}

/* Begins at the start of what the source holds. */
struct peek {
    struct pex__open_source file;
    struct pex__decoder *decoder; /* NULL: not compressed */
    uint64_t offset;
};

static int32_t peek_open(struct peek *peek, const struct pex__source *source, struct pex_error *err)
{
    *peek = (struct peek){.file = {.fd = -1}};
    if (source->codec == PEX__CODEC_NONE)
        return pex__source_open(&peek->file, source, err);
    if (pex__decoder_create(0, &peek->decoder) != 0)
        return pex__error_memory(err);
    return pex__decoder_open(peek->decoder, source, 0, 0, err);
}

/* Reads up to `room` bytes on, fewer at the end. */
static int32_t peek_read(struct peek *peek, void *data, size_t room, size_t *length,
                         struct pex_error *err)
{
    int32_t code;

    if (peek->decoder != NULL) {
        code = pex__decoder_read(peek->decoder, data, room, length, err);
    } else {
        uint64_t left = peek->file.size - peek->offset;

        *length = left < room ? (size_t)left : room;
        code = pex__source_read(&peek->file, peek->offset, data, *length, err);
    }
    peek->offset += code == 0 ? *length : 0;
    return code;
}

static void peek_close(struct peek *peek)
{
    pex__source_free(&peek->file);
    pex__decoder_free(peek->decoder);
}

/* The first byte that is neither a blank nor of a byte order mark; *found is 0 if there is none. */
static int32_t first_byte(struct peek *peek, char *found, uint64_t *at, struct pex_error *err)
{
    char head[4096];
    size_t length, i;
    int32_t code;

    for (*found = '\0';;) {
        *at = peek->offset;
        code = peek_read(peek, head, sizeof head, &length, err);
        if (code != 0 || length == 0)
            return code;
        i = *at == 0 && length >= PEX__MARK_BYTES && memcmp(head, PEX__MARK, PEX__MARK_BYTES) == 0
                ? PEX__MARK_BYTES
                : 0;
        while (i < length && memchr(" \t\r\n", head[i], 4) != NULL)
            i++;
        *at += i;
        if (i == length)
            continue;
        *found = head[i];
        return 0;
    }
}

static int32_t refuse_array(const struct pex__source *source, struct pex_error *err)
{
    struct peek peek;
    uint64_t at = 0;
    char found = 0;
    int32_t code = peek_open(&peek, source, err);

    if (code == 0)
        code = first_byte(&peek, &found, &at, err);
    peek_close(&peek);
    if (code != 0 || found != '[')
        return code;
    if (source->codec != PEX__CODEC_NONE)
        return pex_error_set(err, PEX_ENOTSUP,
                             "%s: holds a JSON array (byte %" PRIu64
                             " of what it holds is `[`), expected a JSON object per line; unpack "
                             "and convert it: jq -c '.[]'",
                             source->path, at);
    return pex_error_set(err, PEX_ENOTSUP,
                         "%s: holds a JSON array (byte %" PRIu64
                         " is `[`), expected a JSON object per line; convert it: jq -c '.[]' %s > "
                         "%sl",
                         source->path, at, source->path, source->path);
}

static int32_t refuse_compressed(const struct pex__source *source, const struct suffix *suffix,
                                 struct pex_error *err)
{
    char head[8];
    size_t length = 0;
    struct peek peek;
    int32_t code = peek_open(&peek, source, err);

    if (code == 0)
        code = peek_read(&peek, head, suffix->magic_bytes, &length, err);
    peek_close(&peek);
    if (code != 0 || length < suffix->magic_bytes ||
        memcmp(head, suffix->magic, suffix->magic_bytes) != 0)
        return code;
    return pex_error_set(err, PEX_ENOTSUP,
                         "%s: is a compressed file (%s), which this version does not read; %s",
                         source->path, suffix->name, suffix->remedy);
}

static int32_t by_suffix(struct pex__source *source, const char *name, const struct suffix *suffix,
                         struct pex_error *err)
{
    if (*name == '\0')
        return pex_error_set(
            err, PEX_ENOTSUP,
            "%s: no suffix%s says what it holds; set input_format to jsonl or text, "
            "or name the files with a pattern",
            source->path, source->codec != PEX__CODEC_NONE ? " in front of .gz or .zst" : "");
    if (suffix == NULL)
        return pex_error_set(
            err, PEX_ENOTSUP,
            "%s: the suffix %s does not say what it holds (known: .jsonl, .ndjson, "
            ".json, .txt, .text, .md, .rst, .tex, each also with .gz or .zst); set input_format to "
            "jsonl or "
            "text, or name the files with a pattern",
            source->path, name);
    if (suffix->format == PEX_FORMAT_AUTO)
        return pex_error_set(err, PEX_ENOTSUP,
                             "%s: files with the suffix %s are not read by this version; %s",
                             source->path, name, suffix->remedy);
    source->format = suffix->format;
    return 0;
}

int32_t pex__list_format(struct pex__source *source, int32_t wanted, struct pex_error *err)
{
    char name[512];
    const char *text;
    const struct suffix *suffix;
    int32_t code = 0;

    take_codec(source, name, sizeof name);
    text = suffix_of(name);
    suffix = find_suffix(text);
    source->format = wanted;
    if (wanted == PEX_FORMAT_AUTO)
        code = by_suffix(source, text, suffix, err);
    if (code == 0 && source->codec != PEX__CODEC_NONE)
        code = pex__decoder_check(source, err);
    if (code == 0 && suffix != NULL && suffix->magic != NULL)
        code = refuse_compressed(source, suffix, err);
    if (code == 0 && source->format == PEX_FORMAT_JSONL && strcasecmp(text, ".json") == 0)
        code = refuse_array(source, err);
    source->unwrap = source->format == PEX_FORMAT_JSONL && strcmp(name, QUARANTINE_NAME) == 0;
    return code;
}
