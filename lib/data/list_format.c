/* SPDX-License-Identifier: Apache-2.0 */
#include "data/list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <partexec/dataset.h>

#include "base/error.h"
#include "data/reader.h"

#define QUARANTINE_NAME "quarantine.jsonl"

struct suffix {
    const char *name;
    int32_t format;    /* PEX_FORMAT_*, or PEX_FORMAT_AUTO: not read by this version */
    const char *magic; /* compressed files: their first bytes */
    size_t magic_bytes;
    const char *remedy;
};

#define TO_LINES "convert it to JSON lines (a JSON object per line, suffix .jsonl)"

static const struct suffix suffixes[] = {
    {".jsonl", PEX_FORMAT_JSONL, NULL, 0, NULL},
    {".ndjson", PEX_FORMAT_JSONL, NULL, 0, NULL},
    {".json", PEX_FORMAT_JSONL, NULL, 0, NULL},
    {".txt", PEX_FORMAT_TEXT, NULL, 0, NULL},
    {".text", PEX_FORMAT_TEXT, NULL, 0, NULL},
    {".md", PEX_FORMAT_TEXT, NULL, 0, NULL},
    {".rst", PEX_FORMAT_TEXT, NULL, 0, NULL},
    {".tex", PEX_FORMAT_TEXT, NULL, 0, NULL},
    {".gz", PEX_FORMAT_AUTO, "\x1F\x8B", 2, "unpack it first (gunzip -k FILE)"},
    {".tgz", PEX_FORMAT_AUTO, "\x1F\x8B", 2, "unpack it first (tar xzf FILE)"},
    {".zst", PEX_FORMAT_AUTO, "\x28\xB5\x2F\xFD", 4, "unpack it first (zstd -d FILE)"},
    {".bz2", PEX_FORMAT_AUTO, "BZh", 3, "unpack it first (bunzip2 -k FILE)"},
    {".xz", PEX_FORMAT_AUTO,
     "\xFD"
     "7zXZ",
     5, "unpack it first (unxz -k FILE)"},
    {".lz4", PEX_FORMAT_AUTO, "\x04\x22\x4D\x18", 4, "unpack it first (unlz4 -k FILE)"},
    {".zip", PEX_FORMAT_AUTO, "PK\x03\x04", 4, "unpack it first (unzip FILE)"},
    {".parquet", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".csv", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".tsv", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".arrow", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".feather", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".orc", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".avro", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".xml", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".yaml", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
    {".yml", PEX_FORMAT_AUTO, NULL, 0, TO_LINES},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* From the last dot on; "" without a suffix. */
static const char *suffix_of(const char *path)
{
    const char *name = base_name(path), *dot = strrchr(name, '.');

    return dot != NULL && dot != name ? dot : "";
}

static const struct suffix *find_suffix(const char *name)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(suffixes[i].name, name) == 0)
            return &suffixes[i];
    return NULL;
}

/* Reads up to `room` bytes at offset, fewer at the end of the file. */
static int32_t peek(const struct pex__source *source, uint64_t offset, void *data, size_t room,
                    size_t *length, struct pex_error *err)
{
    struct pex__open_source file = {.fd = -1};
    int32_t code = pex__source_open(&file, source, err);

    *length = 0;
    if (code == 0 && offset < source->size) {
        *length = source->size - offset < room ? (size_t)(source->size - offset) : room;
        code = pex__source_read(&file, offset, data, *length, err);
    }
    pex__source_free(&file);
    return code;
}

static int32_t refuse_array(const struct pex__source *source, struct pex_error *err)
{
    char head[4096];
    size_t length, i;
    uint64_t offset = 0;
    int32_t code;

    for (;; offset += length) {
        code = peek(source, offset, head, sizeof head, &length, err);
        if (code != 0 || length == 0)
            return code;
        i = offset == 0 && length >= PEX__MARK_BYTES &&
                    memcmp(head, PEX__MARK, PEX__MARK_BYTES) == 0
                ? PEX__MARK_BYTES
                : 0;
        while (i < length && memchr(" \t\r\n", head[i], 4) != NULL)
            i++;
        if (i < length)
            break;
    }
    if (head[i] != '[')
        return 0;
    return pex_error_set(err, PEX_ENOTSUP,
                         "%s: holds a JSON array (byte %" PRIu64
                         " is `[`), expected a JSON object per line; convert it: jq -c '.[]' %s > "
                         "%sl",
                         source->path, offset + i, source->path, source->path);
}

static int32_t refuse_compressed(const struct pex__source *source, const struct suffix *suffix,
                                 struct pex_error *err)
{
    char head[8];
    size_t length;
    int32_t code = peek(source, 0, head, suffix->magic_bytes, &length, err);

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
        return pex_error_set(err, PEX_ENOTSUP,
                             "%s: no suffix says what it holds; set input_format to jsonl or text, "
                             "or name the files with a pattern",
                             source->path);
    if (suffix == NULL)
        return pex_error_set(
            err, PEX_ENOTSUP,
            "%s: the suffix %s does not say what it holds (known: .jsonl, .ndjson, "
            ".json, .txt, .text, .md, .rst, .tex); set input_format to jsonl or "
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
    const char *name = suffix_of(source->path);
    const struct suffix *suffix = find_suffix(name);
    int32_t code = 0;

    source->format = wanted;
    if (wanted == PEX_FORMAT_AUTO)
        code = by_suffix(source, name, suffix, err);
    else if (suffix != NULL && suffix->magic != NULL)
        code = refuse_compressed(source, suffix, err);
    if (code == 0 && source->format == PEX_FORMAT_JSONL && strcasecmp(name, ".json") == 0)
        code = refuse_array(source, err);
    source->unwrap =
        source->format == PEX_FORMAT_JSONL && strcmp(base_name(source->path), QUARANTINE_NAME) == 0;
    return code;
}
