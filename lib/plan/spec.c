/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/spec.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/value.h"

#include <stdlib.h>
#include <string.h>

int32_t pex_spec_parse(const char *json, size_t length, pex_spec **spec, struct pex_error *err)
{
    json_error_t where;
    pex_spec *made;
    json_t *root;

    if (json == NULL || spec == NULL)
        return pex_error_set(err, PEX_EINVAL, "pex_spec_parse: json and spec must not be NULL");
    root = json_loadb(json, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
    if (root == NULL && json_error_code(&where) == json_error_out_of_memory)
        return pex__error_memory(err);
    if (root == NULL && json_error_code(&where) == json_error_numeric_overflow)
        return pex_error_set(err, PEX_ESPEC,
                             "line %d, column %d: the number is too large: integers have 64 bits, "
                             "others end at 1.8e308; in quotes it is text",
                             where.line, where.column);
    if (root == NULL)
        return pex_error_set(err, PEX_ESPEC, "line %d, column %d: %s", where.line, where.column,
                             where.text);
    if (!json_is_object(root)) {
        json_decref(root);
        return pex_error_set(err, PEX_ESPEC,
                             "line 1, column 1: found a list, expected an object of keys");
    }
    made = pex__malloc(sizeof *made);
    if (made == NULL) {
        json_decref(root);
        return pex__error_memory(err);
    }
    made->root = root;
    *spec = made;
    return 0;
}

void pex_spec_release(pex_spec *spec)
{
    if (spec == NULL)
        return;
    json_decref(spec->root);
    pex__free(spec);
}

/* The number that a path segment is, or -1. */
static long index_of(const char *segment, size_t length)
{
    long index = 0;

    if (length == 0 || length > 9)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (segment[i] < '0' || segment[i] > '9')
            return -1;
        index = index * 10 + (segment[i] - '0');
    }
    return index;
}

static json_t *child_of(const json_t *node, const char *segment, size_t length)
{
    long index = index_of(segment, length);

    if (json_is_array(node))
        return index >= 0 ? json_array_get(node, (size_t)index) : NULL;
    return json_object_getn(node, segment, length);
}

/* Puts `value` (taken over) at a segment below node. Returns 0, PEX_ESPEC or PEX_ENOMEM. */
static int32_t put_child(json_t *node, const char *segment, size_t length, json_t *value)
{
    long index = index_of(segment, length);
    size_t size = json_array_size(node);

    if (json_is_array(node) && (index < 0 || (size_t)index > size)) {
        json_decref(value);
        return PEX_ESPEC;
    }
    if (json_is_array(node) && (size_t)index < size)
        return json_array_set_new(node, (size_t)index, value) == 0 ? 0 : PEX_ENOMEM;
    if (json_is_array(node))
        return json_array_append_new(node, value) == 0 ? 0 : PEX_ENOMEM;
    return json_object_setn_new(node, segment, length, value) == 0 ? 0 : PEX_ENOMEM;
}

/* An empty container that the next segment fits into. */
static json_t *container_for(const char *segment, size_t length)
{
    return index_of(segment, length) == 0 ? json_array() : json_object();
}

/*
 * What stands in the way of an object: nothing or null gives an empty one, the bare name of an
 * operator ("op", which means {op: null}) the object that says the same. NULL: it stays in the way.
 */
static json_t *opened(const json_t *there, const char *segment, size_t length)
{
    json_t *object;

    if (there == NULL || json_is_null(there))
        return container_for(segment, length);
    if (!json_is_string(there) || json_string_length(there) != length ||
        memcmp(json_string_value(there), segment, length) != 0)
        return NULL;
    object = json_object();
    if (object != NULL && json_object_setn_new(object, segment, length, json_null()) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static int32_t set_at(json_t *node, const char *path, const char *rest, json_t *value,
                      struct pex_error *err)
{
    size_t length = strcspn(rest, ".");
    const char *next = rest[length] == '.' ? rest + length + 1 : NULL;
    json_t *child, *made;
    int32_t code;

    if (length == 0)
        return pex_error_set(err, PEX_ESPEC,
                             "%s: found an empty part, expected keys with dots between", path);
    if (next == NULL)
        code = put_child(node, rest, length, json_incref(value));
    else {
        size_t next_length = strcspn(next, ".");

        child = child_of(node, rest, length);
        if (json_is_object(child) || json_is_array(child))
            return set_at(child, path, next, value, err);
        made = opened(child, next, next_length);
        if (made == NULL)
            return pex_error_set(err, PEX_ESPEC,
                                 "%s: \"%.*s\" is a value, nothing can be set below it", path,
                                 (int)length, rest);
        code = set_at(made, path, next, value, err);
        if (code != 0) {
            json_decref(made);
            return code;
        }
        code = put_child(node, rest, length, made);
    }
    if (code == PEX_ESPEC)
        return pex_error_set(err, PEX_ESPEC,
                             "%s: found \"%.*s\", expected the number of a list element (0 to %zu)",
                             path, (int)length, rest, json_array_size(node));
    return code != 0 ? pex__error_memory(err) : 0;
}

int32_t pex_spec_set(pex_spec *spec, const char *path, const char *value, struct pex_error *err)
{
    json_t *parsed = NULL, *key;
    int32_t code;

    if (spec == NULL || path == NULL || *path == '\0' || value == NULL)
        return pex_error_set(err, PEX_EINVAL, "pex_spec_set: needs a spec, a key path and a value");
    key = json_string(path); /* fails for what is not UTF-8 */
    if (key != NULL)
        parsed = pex__value_parse(value, strlen(value));
    if (key != NULL && parsed == NULL)
        parsed = json_string(value);
    json_decref(key);
    if (parsed == NULL)
        return pex_error_set(err, PEX_ESPEC, "%s: key path or value is not UTF-8", path);
    code = set_at(spec->root, path, path, parsed, err);
    json_decref(parsed);
    return code;
}

int32_t pex_spec_get(const pex_spec *spec, const char *path, char **json)
{
    struct pex__buffer out = {0};
    const json_t *node;
    size_t length;

    if (spec == NULL || path == NULL || json == NULL)
        return PEX_EINVAL;
    node = spec->root;
    for (const char *at = path; node != NULL; at += length + 1) {
        length = strcspn(at, ".");
        node = child_of(node, at, length);
        if (at[length] == '\0')
            break;
    }
    if (node == NULL)
        return PEX_ENOENT;
    if (pex__value_text(node, &out) != 0 || pex__buffer_add(&out, "", 1) != 0) {
        pex__buffer_free(&out);
        return PEX_ENOMEM;
    }
    *json = out.data;
    return 0;
}
