/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys as JSON. */
#include "plan/spec.h"

#include "base/error.h"
#include "plan/value.h"
#include "plan/writer.h"

#include <string.h>

#define KEYS_MAX 512

static const char *type_name(int32_t type)
{
    switch (type) {
    case PEX__KEY_COUNT:
        return "count";
    case PEX__KEY_BYTES:
        return "bytes";
    case PEX__KEY_NAME:
        return "name";
    default:
        return pex__value_type_name(type);
    }
}

static void write_ours(struct pex__writer *out, const struct pex__spec_key *key)
{
    pex__write_text(out, "type", type_name(key->type));
    pex__write_raw(out, "default", key->fallback != NULL ? key->fallback : "null");
    if (key->choices != NULL)
        pex__write_choices(out, "choices", key->choices);
    if (key->min < key->max) {
        pex__write_double(out, "min", key->min);
        pex__write_double(out, "max", key->max);
    }
    pex__write_bool(out, "without_effect", key->later);
}

static void write_key(struct pex__writer *out, const struct pex__spec_key *key, const char *of,
                      const char *section)
{
    static const char *const classes[] = {"ours", "ignored", "refused"};

    pex__write_open(out, NULL, '{');
    pex__write_text(out, "key", key->path);
    pex__write_text(out, "of", of);
    pex__write_text(out, "class", classes[key->class]);
    if (key->class == PEX__KEY_OURS && section != NULL)
        pex__write_text(out, "section", section);
    if (key->class == PEX__KEY_OURS)
        write_ours(out, key);
    if (key->class == PEX__KEY_REFUSED && key->fallback != NULL)
        pex__write_raw(out, "accepted", key->fallback);
    pex__write_text(out, "help", key->help);
    pex__write_close(out, '}');
}

/* The section that begins with this key, or else `current`. */
static const char *section_at(const char *path, const char *current)
{
    size_t count;
    const struct pex__spec_section *sections = pex__spec_sections(&count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(sections[i].first, path) == 0)
            return sections[i].title;
    }
    return current;
}

/* Whether a key is the one asked for, or lies below it; all are for NULL. */
static int is_asked_for(const struct pex__spec_key *key, const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;

    return path == NULL || (strncmp(key->path, path, length) == 0 &&
                            (key->path[length] == '\0' || key->path[length] == '.'));
}

/* Writes the keys that were asked for. Returns their number. */
static size_t write_keys(struct pex__writer *out, const char *path)
{
    size_t count, written = 0;
    const struct pex__spec_key *keys = pex__spec_keys(&count);
    const char *section = NULL;

    for (size_t i = 0; i < count; i++) {
        section = section_at(keys[i].path, section);
        if (is_asked_for(&keys[i], path)) {
            write_key(out, &keys[i], "job", section);
            written++;
        }
    }
    keys = pex__operator_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_asked_for(&keys[i], path)) {
            write_key(out, &keys[i], "operator", NULL);
            written++;
        }
    }
    return written;
}

static int32_t no_such_key(const char *path, struct pex_error *err)
{
    const char *names[KEYS_MAX], *nearest;
    size_t count, total = 0;
    const struct pex__spec_key *keys = pex__spec_keys(&count);

    for (size_t i = 0; i < count && total < KEYS_MAX; i++)
        names[total++] = keys[i].path;
    keys = pex__operator_keys(&count);
    for (size_t i = 0; i < count && total < KEYS_MAX; i++)
        names[total++] = keys[i].path;
    nearest = pex__nearest(path, names, total);
    if (nearest != NULL)
        return pex_error_set(err, PEX_ENOENT, "%s: no such key; the nearest known is %s", path,
                             nearest);
    return pex_error_set(err, PEX_ENOENT, "%s: no such key, and no known key is near", path);
}

int32_t pex_spec_describe(const char *path, char **json, struct pex_error *err)
{
    struct pex__buffer text = {0};
    struct pex__writer out = {.out = &text};
    size_t written;

    if (json == NULL)
        return pex_error_set(err, PEX_EINVAL, "pex_spec_describe: json must not be NULL");
    pex__write_open(&out, NULL, '[');
    written = write_keys(&out, path);
    pex__write_close(&out, ']');
    if (out.failed == 0 && written == 0) {
        pex__buffer_free(&text);
        return no_such_key(path, err);
    }
    if (out.failed == 0)
        out.failed = pex__buffer_give(&text, json);
    pex__buffer_free(&text);
    return out.failed != 0 ? pex__error_memory(err) : 0;
}
