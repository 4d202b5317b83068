/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a spec against the table, and typed access to those that passed. */
#include "plan/spec.h"

#include "base/memory.h"
#include "plan/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_KEYS 256
#define NAMES_MAX 256

struct check {
    struct pex__buffer *errors;
    struct pex__buffer *ignored;
    struct pex__buffer *later;
    const struct pex__spec_key *keys;
    const json_t *root; /* the whole spec */
    size_t count;
    int32_t code;
};

int32_t pex__errors_add(struct pex__buffer *errors, const char *format, ...)
{
    char small[512], *text = small;
    int32_t code = PEX_ENOMEM;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length >= (int)sizeof small) {
        text = pex__malloc((size_t)length + 1);
        if (text == NULL)
            return PEX_ENOMEM;
        va_start(args, format);
        vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    for (char *at = text; *at != '\0'; at++) {
        if (*at == '\n')
            *at = ' '; /* one error, one line, whatever a key or an operator's message holds */
    }
    if (pex__buffer_text(errors, text) == 0 && pex__buffer_text(errors, "\n") == 0)
        code = PEX_ESPEC;
    if (text != small)
        pex__free(text);
    return code;
}

int32_t pex__errors_join(int32_t first, int32_t second)
{
    return first == 0 || second == PEX_ENOMEM ? second : first;
}

static const json_t *value_at(const json_t *root, const char *path)
{
    const char *dot = strchr(path, '.');
    char key[PATH_MAX_KEYS];

    if (dot == NULL)
        return json_object_get(root, path);
    snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
    return value_at(json_object_get(root, key), dot + 1);
}

const json_t *pex__spec_given(const pex_spec *spec, const char *path)
{
    const json_t *value = value_at(spec->root, path);

    return json_is_null(value) ? NULL : value;
}

static const char *fallback_of(const char *path)
{
    size_t count;
    const struct pex__spec_key *keys = pex__spec_keys(&count),
                               *key = pex__spec_key_find(keys, count, path);

    return key != NULL ? key->fallback : NULL;
}

int64_t pex__spec_int64(const pex_spec *spec, const char *path)
{
    const json_t *value = pex__spec_given(spec, path);
    const char *fallback = fallback_of(path);

    if (json_is_integer(value))
        return json_integer_value(value);
    return fallback != NULL ? strtoll(fallback, NULL, 10) : -1;
}

double pex__spec_double(const pex_spec *spec, const char *path)
{
    const json_t *value = pex__spec_given(spec, path);
    const char *fallback = fallback_of(path);

    if (json_is_number(value))
        return json_number_value(value);
    return fallback != NULL ? (double)strtoll(fallback, NULL, 10) : -1; /* defaults are whole */
}

int pex__spec_bool(const pex_spec *spec, const char *path)
{
    const json_t *value = pex__spec_given(spec, path);
    const char *fallback = fallback_of(path);

    if (json_is_boolean(value))
        return json_is_true(value);
    return fallback != NULL && strcmp(fallback, "true") == 0;
}

const char *pex__spec_text(const pex_spec *spec, const char *path)
{
    const json_t *value = pex__spec_given(spec, path);

    return json_is_string(value) ? json_string_value(value) : NULL;
}

static int32_t check_special(const struct pex__spec_key *key, const json_t *value,
                             struct pex__buffer *errors)
{
    char found[80];
    uint64_t bytes;
    int32_t count;

    pex__value_show(value, found, sizeof found);
    if (key->type == PEX__KEY_COUNT && pex__value_count(value, &count) != 0)
        return pex__errors_add(errors,
                               "%s: found %s, expected \"auto\" or an integer of at least 1",
                               key->path, found);
    if (key->type == PEX__KEY_BYTES && pex__value_bytes(value, 1, UINT64_C(1) << 40, &bytes) != 0)
        return pex__errors_add(errors,
                               "%s: found %s, expected bytes as a number, or text as \"512MB\", "
                               "\"2GiB\" or \"25%%\"",
                               key->path, found);
    if (key->type == PEX__KEY_NAME && !json_is_string(value) && !json_is_integer(value))
        return pex__errors_add(errors, "%s: found %s, expected a string or an integer", key->path,
                               found);
    return 0;
}

static int is_deduplicator(const char *name)
{
    return name != NULL && strstr(name, "deduplicator") != NULL;
}

/* Non-zero if the chain has an operator of the kind that leaves hashes in the reference's rows. */
static int has_deduplicator(const json_t *root)
{
    const json_t *process = json_object_get(root, "process"), *entry;
    const char *name;
    json_t *value;

    for (size_t i = 0; i < json_array_size(process); i++) {
        entry = json_array_get(process, i);
        if (is_deduplicator(json_string_value(entry)))
            return 1;
        json_object_foreach((json_t *)entry, name, value)
        {
            if (is_deduplicator(name))
                return 1;
        }
    }
    return 0;
}

/* Non-zero if a refused key has a value that changes nothing. */
static int is_harmless(const struct check *check, const struct pex__spec_key *key,
                       const json_t *value)
{
    json_t *harmless;
    int equal;

    if (strcmp(key->path, "keep_hashes_in_res_ds") == 0 && !has_deduplicator(check->root))
        return 1;
    if (json_is_null(value) || (json_is_array(value) && json_array_size(value) == 0) ||
        (json_is_object(value) && json_object_size(value) == 0))
        return 1;
    if (key->fallback == NULL)
        return 0;
    harmless = pex__value_parse(key->fallback, strlen(key->fallback));
    equal = harmless != NULL && json_equal(harmless, value);
    json_decref(harmless);
    return equal;
}

int32_t pex__note_ignored(struct pex__buffer *list, const char *place, const char *why)
{
    size_t length = strlen(why);

    /* The help of an operator's parameter is a sentence. */
    while (length > 0 && why[length - 1] == '.')
        length--;
    return pex__buffer_print(list, "%s%s (%.*s)", list->length != 0 ? ", " : "", place, (int)length,
                             why);
}

static int32_t note_ignored(struct check *check, const char *path, const char *why)
{
    return check->ignored != NULL ? pex__note_ignored(check->ignored, path, why) : 0;
}

static int32_t note_later(struct check *check, const char *path)
{
    struct pex__buffer *list = check->later;

    if (list == NULL)
        return 0;
    return pex__buffer_print(list, "%s%s", list->length != 0 ? ", " : "", path);
}

/* Non-zero if the value is the default of the table. */
static int is_default(const struct pex__spec_key *key, const json_t *value)
{
    json_t *fallback;
    int equal;

    if (key->fallback == NULL)
        return 0;
    fallback = pex__value_parse(key->fallback, strlen(key->fallback));
    equal = fallback != NULL && json_equal(fallback, value);
    json_decref(fallback);
    return equal;
}

static int32_t check_value(struct check *check, const struct pex__spec_key *key,
                           const json_t *value)
{
    struct pex_param_def def = {key->path, NULL,     key->choices, NULL,
                                key->min,  key->max, key->type,    0};
    char found[80];
    int32_t code;

    if (key->class == PEX__KEY_IGNORED)
        return json_is_null(value) ? 0 : note_ignored(check, key->path, key->help);
    if (key->class == PEX__KEY_REFUSED) {
        if (is_harmless(check, key, value))
            return note_ignored(check, key->path, "asks for nothing");
        return pex__errors_add(check->errors, "%s: found %s, which is not in this version: %s",
                               key->path, pex__value_show(value, found, sizeof found), key->help);
    }
    if (json_is_null(value))
        return 0;
    if (key->type >= PEX__KEY_COUNT)
        return check_special(key, value, check->errors);
    code = pex__value_check(value, &def, key->path, check->errors);
    if (code == 0 && key->later && !is_default(key, value))
        code = note_later(check, key->path);
    return code;
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL ? dot + 1 : path;
}

/* The known path nearest to an unknown one: by its whole, else by its last part. */
static const char *nearest_path(const struct check *check, const char *path)
{
    const char *names[NAMES_MAX], *parts[NAMES_MAX], *found;
    size_t count = check->count < NAMES_MAX ? check->count : NAMES_MAX;

    for (size_t i = 0; i < count; i++) {
        names[i] = check->keys[i].path;
        parts[i] = last_part(names[i]);
        if (strcmp(parts[i], last_part(path)) == 0)
            return names[i];
    }
    found = pex__nearest(path, names, count);
    if (found != NULL)
        return found;
    found = pex__nearest(last_part(path), parts, count);
    for (size_t i = 0; i < count && found != NULL; i++) {
        if (parts[i] == found)
            return names[i];
    }
    return NULL;
}

static int32_t unknown(const struct check *check, const char *path)
{
    const char *nearest = nearest_path(check, path);

    if (nearest != NULL)
        return pex__errors_add(check->errors, "%s: unknown key; the nearest known key is %s", path,
                               nearest);
    return pex__errors_add(check->errors, "%s: unknown key, and no known key is near; leave it out",
                           path);
}

/* Non-zero if there are keys below `path`. */
static int is_section(const struct check *check, const char *path)
{
    size_t length = strlen(path);

    for (size_t i = 0; i < check->count; i++) {
        if (strncmp(check->keys[i].path, path, length) == 0 && check->keys[i].path[length] == '.')
            return 1;
    }
    return 0;
}

/* The nearest section of the table to a misspelt one, or NULL; text gets it. */
static const char *nearest_section(const struct check *check, const char *name, char *text,
                                   size_t size)
{
    for (size_t i = 0; i < check->count; i++) {
        const char *dot = strchr(check->keys[i].path, '.');

        if (dot == NULL)
            continue;
        snprintf(text, size, "%.*s", (int)(dot - check->keys[i].path), check->keys[i].path);
        if (pex__nearest(name, (const char *const *)&text, 1) != NULL)
            return text;
    }
    return NULL;
}

static int32_t check_object(struct check *check, const json_t *object, const char *prefix);

static int32_t check_key(struct check *check, const char *path, const char *name,
                         const json_t *value)
{
    const struct pex__spec_key *key = pex__spec_key_find(check->keys, check->count, path);
    char text[PATH_MAX_KEYS], found[80];
    const char *section;

    if (strchr(name, '.') != NULL)
        return pex__errors_add(check->errors,
                               "%s: found a key with a dot in it, expected one object inside the "
                               "other, as partition: {mode: auto}",
                               path);
    if (is_section(check, path) && (json_is_object(value) || key == NULL)) {
        if (json_is_null(value))
            return 0;
        if (json_is_object(value))
            return check_object(check, value, path);
        return pex__errors_add(check->errors, "%s: found %s, expected an object of keys", path,
                               pex__value_show(value, found, sizeof found));
    }
    if (key != NULL)
        return check_value(check, key, value);
    section = json_is_object(value) ? nearest_section(check, path, text, sizeof text) : NULL;
    if (section != NULL)
        return pex__errors_add(check->errors, "%s: unknown key; the nearest known key is %s", path,
                               section);
    return unknown(check, path);
}

static int32_t check_object(struct check *check, const json_t *object, const char *prefix)
{
    char path[PATH_MAX_KEYS];
    int32_t code = 0;
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)object, name, value)
    {
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix != '\0' ? "." : "", name);
        code = pex__errors_join(code, check_key(check, path, name, value));
    }
    return code;
}

int32_t pex__spec_check(const pex_spec *spec, struct pex__buffer *errors,
                        struct pex__buffer *ignored, struct pex__buffer *later)
{
    struct check check = {.errors = errors, .ignored = ignored, .later = later, .root = spec->root};

    check.keys = pex__spec_keys(&check.count);
    return check_object(&check, spec->root, "");
}
