/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"
#include "selector.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

/* The key of a row is one byte, all that is to be known of it; PEX__KEY_MISSING is another one. */
#define KEY_GOES 1
#define KEY_STAYS 2
#define KEY_BAD 3

struct tags_selector {
    struct pex__selector selector;
    char *json; /* what the tags point into */
    struct pex__scratch scratch;
    struct pex__value tags;
};

static bool has_tag(const struct tags_selector *tags, const struct pex__value *value)
{
    for (size_t i = 0; i < tags->tags.as.list.count; i++)
        if (pex__value_equal(&tags->tags.as.list.item[i], value))
            return true;
    return false;
}

static bool is_scalar(const struct pex__value *value)
{
    return value->type <= PEX__STRING;
}

static int32_t make_key(const struct pex__selector *selector, const struct pex__value *value,
                        struct pex__bytes *key)
{
    const struct tags_selector *tags = (const struct tags_selector *)(const void *)selector;
    char byte = PEX__KEY_MISSING;
    if (value && !is_scalar(value))
        byte = KEY_BAD;
    else if (value)
        byte = has_tag(tags, value) ? KEY_STAYS : KEY_GOES;
    return pex__bytes_append(key, &byte, 1);
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__selector_observe(instance, batch, make_key);
}

static int32_t decide(const struct tags_selector *tags, pex_keys *keys)
{
    const struct pex__value null = {.type = PEX__NULL};
    bool missing_stays = has_tag(tags, &null);
    struct pex__rows rows = {0};
    int32_t rc = pex__rows_begin(&rows, keys);
    while (!rc && !(rc = pex__rows_next(&rows))) {
        char kind = *rows.key.data;
        if (kind == KEY_GOES || (kind == PEX__KEY_MISSING && !missing_stays))
            rc = pex_keys_decide(keys, rows.row, 0);
    }
    pex__rows_free(&rows);
    return rc == PEX_ENOENT ? 0 : rc;
}

/* Two walks over the keys, no memory but for the present one. */
static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    const struct tags_selector *tags = instance;
    struct pex__survey survey;
    if (!*tags->selector.key)
        return 0;
    int32_t rc = pex__selector_survey(&tags->selector, keys, KEY_BAD, &survey, err);
    if (rc || survey.row_count < 2)
        return rc;
    if (survey.has_bad)
        return pex_error_set(err, PEX_EDATA,
                             "row %llu: field '%s' is a list or an object, which is no tag; name a "
                             "field of texts or numbers with field_key",
                             (unsigned long long)survey.bad_row, tags->selector.key);
    rc = decide(tags, keys);
    return rc ? pex_error_set(err, rc, "selecting rows by field '%s' failed", tags->selector.key)
              : 0;
}

/* Of a string every character is a tag. */
static int32_t split_letters(struct tags_selector *tags)
{
    struct pex_string_view text = tags->tags.as.text;
    struct pex__value *letter =
        pex__scratch_alloc(&tags->scratch, (text.length + 1) * sizeof(*letter));
    size_t count = 0, size;
    if (!letter)
        return PEX_ENOMEM;
    for (size_t at = 0; at < text.length; at += size) {
        pex__decode(text.data + at, &size);
        letter[count++] = pex__value_text((struct pex_string_view){text.data + at, size});
    }
    tags->tags = (struct pex__value){.type = PEX__LIST, .as.list = {letter, count}};
    return 0;
}

static int32_t read_tags(struct tags_selector *tags, const pex_params *params,
                         struct pex_error *err)
{
    struct pex_string_view view;
    int32_t rc = pex_params_json(params, "target_tags", &view);
    if (rc)
        return pex_error_set(err, rc, "parameter 'target_tags' cannot be read");
    tags->json = malloc(view.length + 1);
    rc = tags->json ? 0 : PEX_ENOMEM;
    if (!rc) {
        memcpy(tags->json, view.data, view.length);
        view.data = tags->json;
        rc = pex__value_parse(&tags->scratch, view, &tags->tags);
    }
    if (!rc && tags->tags.type == PEX__STRING)
        rc = split_letters(tags);
    if (rc == PEX_ENOMEM)
        return pex_error_set(err, rc, "out of memory for parameter target_tags");
    bool is_good = !rc && tags->tags.type == PEX__LIST;
    for (size_t i = 0; is_good && i < tags->tags.as.list.count; i++)
        is_good = is_scalar(&tags->tags.as.list.item[i]);
    return is_good ? 0
                   : pex_error_set(err, PEX_EINVAL,
                                   "parameter 'target_tags': found %.*s, expected a list of texts, "
                                   "numbers, bools or null",
                                   view.length < 60 ? (int)view.length : 60, view.data);
}

static void release(struct tags_selector *tags)
{
    pex__scratch_free(&tags->scratch);
    free(tags->json);
}

static int32_t check(const pex_params *params, struct pex_error *err)
{
    struct tags_selector tags = {0};
    int32_t rc = read_tags(&tags, params, err);
    release(&tags);
    return rc;
}

static void destroy(void *instance)
{
    struct tags_selector *tags = instance;
    pex__selector_release(&tags->selector);
    release(tags);
    free(tags);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct tags_selector *tags = calloc(1, sizeof(*tags));
    if (!tags)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__selector_init(&tags->selector, params, err);
    if (!rc)
        rc = read_tags(tags, params, err);
    if (rc)
        destroy(tags);
    else
        *instance = tags;
    return rc;
}

static const struct pex_param_def params[] = {
    PEX__FIELD_KEY_PARAM,
    {.name = "target_tags",
     .help = "The values of the field to keep; of a string every character is one.",
     .type = PEX_PARAM_JSON,
     .flags = PEX_PARAM_REQUIRED},
    PEX__NO_TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {{.param = "field_key", .access = PEX_FIELD_READ}};

const struct pex_operator pex__tags_specified_field_selector = {
    .struct_size = sizeof(struct pex_operator),
    .name = "tags_specified_field_selector",
    .version = "1",
    .help = "Keeps the rows whose value of a field is one of some tags.\n"
            "A field that is not there counts as null. Without field_key, and of a single row, all "
            "stays.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .destroy = destroy,
    .check = check,
    .observe = observe,
    .resolve = resolve,
};
