/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

struct removal_mapper {
    struct pex__mapper mapper;
    uint8_t keeps_ascii[128]; /* 0: goes */
    bool removes_ascii;
    size_t count;
    uint32_t *point; /* the others that go, sorted */
};

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static bool removes(const struct removal_mapper *removal, uint32_t point)
{
    return bsearch(&point, removal->point, removal->count, sizeof(point), by_value) != NULL;
}

/* The next code point that goes, for sets without ASCII. */
static size_t find(const struct removal_mapper *removal, struct pex_string_view text, size_t at,
                   size_t *size)
{
    for (;;) {
        at = removal->mapper.kernel->find_high(text.data, text.length, at);
        if (at == text.length || removes(removal, pex__decode(text.data + at, size)))
            return at;
        at += *size;
    }
}

static int32_t map_high(const struct removal_mapper *removal, const struct pex__mapping *at)
{
    size_t size, copied = 0, written = 0;
    size_t found = find(removal, at->text, 0, &size);
    if (found == at->text.length)
        return 0;
    char *out = pex__map_room(at, at->text.length);
    if (!out)
        return PEX_ENOMEM;
    while (found < at->text.length) {
        memcpy(out + written, at->text.data + copied, found - copied);
        written += found - copied;
        copied = found + size;
        found = find(removal, at->text, copied, &size);
    }
    memcpy(out + written, at->text.data + copied, at->text.length - copied);
    return pex__map_set(at, out, written + at->text.length - copied);
}

/* Every byte is written, and counts only if it stays. */
static int32_t map_all(const struct removal_mapper *removal, const struct pex__mapping *at)
{
    size_t written = 0;
    char *out = pex__map_room(at, at->text.length);
    if (!out)
        return PEX_ENOMEM;
    for (size_t i = 0; i < at->text.length;) {
        unsigned char byte = (unsigned char)at->text.data[i];
        if (byte < 0x80) {
            out[written] = (char)byte;
            written += removal->keeps_ascii[byte];
            i++;
            continue;
        }
        size_t size;
        if (!removes(removal, pex__decode(at->text.data + i, &size))) {
            memcpy(out + written, at->text.data + i, size);
            written += size;
        }
        i += size;
    }
    return written == at->text.length ? 0 : pex__map_set(at, out, written);
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct removal_mapper *removal = (const struct removal_mapper *)(const void *)mapper;
    return removal->removes_ascii ? map_all(removal, at) : map_high(removal, at);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static void destroy(void *instance)
{
    struct removal_mapper *removal = instance;
    free(removal->point);
    pex__mapper_destroy(removal);
}

/* Adds the code points of one item; point has room for them. */
static void add_points(struct removal_mapper *removal, struct pex_string_view item)
{
    size_t size;
    for (size_t at = 0; at < item.length; at += size) {
        uint32_t point = pex__decode(item.data + at, &size);
        if (point < 0x80) {
            removal->keeps_ascii[point] = 0;
            removal->removes_ascii = true;
        } else {
            removal->point[removal->count++] = point;
        }
    }
}

static int32_t init(struct removal_mapper *removal, const pex_params *params, struct pex_error *err)
{
    int64_t items = pex_params_count(params, "chars_to_remove");
    size_t bytes = 0;
    struct pex_string_view item;
    int32_t rc = pex__mapper_init(&removal->mapper, params, err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < items && !rc; i++) {
        rc = pex_params_string_at(params, "chars_to_remove", (size_t)i, &item);
        bytes += rc ? 0 : item.length;
    }
    if (rc || items < 0)
        return pex_error_set(err, rc ? rc : (int32_t)items,
                             "parameter 'chars_to_remove' cannot be read");
    memset(removal->keeps_ascii, 1, sizeof(removal->keeps_ascii));
    removal->point = malloc((bytes + 1) * sizeof(*removal->point));
    if (!removal->point)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter chars_to_remove");
    for (int64_t i = 0; i < items; i++)
        if (!pex_params_string_at(params, "chars_to_remove", (size_t)i, &item))
            add_points(removal, item);
    qsort(removal->point, removal->count, sizeof(*removal->point), by_value);
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct removal_mapper *removal = calloc(1, sizeof(*removal));
    if (!removal)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(removal, params, err);
    if (rc)
        destroy(removal);
    else
        *instance = removal;
    return rc;
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "chars_to_remove",
     .default_json = "\"\\u25c6\\u25cf\\u25a0\\u25ba\\u25bc\\u25b2\\u25b4\\u2206\\u25bb\\u25b7\\u27"
                     "56\\u2661\\u25a1\"",
     .help = "The characters that go; a list is the same as its items in one string.",
     .type = PEX_PARAM_STRINGS},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_specific_chars_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_specific_chars_mapper",
    .version = "1",
    .help = "Removes every occurrence of some characters.",
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
    .destroy = destroy,
};
