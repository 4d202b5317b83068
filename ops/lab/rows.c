/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that change, add and drop rows. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

struct expand {
    int64_t count;
    int64_t more_rows;
};

#define FIELD_COUNT 0
#define FIELD_CHILD 1

static int32_t create_expand(pex_env *env, const pex_params *params, void **instance,
                             struct pex_error *err)
{
    struct expand *expand = calloc(1, sizeof(*expand));
    if (!expand)
        return pex__lab_no_memory(err);
    expand->count = pex__lab_int64(params, "n");
    expand->more_rows = pex__lab_int64(params, "more_rows");
    *instance = expand;
    return 0;
}

static int32_t expand_row(pex_batch *batch, size_t row, int64_t count)
{
    int32_t rc = pex_batch_drop(batch, row);
    for (int64_t i = 0; !rc && i < count; i++) {
        size_t child;
        rc = pex_batch_append(batch, row, &child);
        if (!rc)
            rc = pex_batch_set_int64(batch, FIELD_CHILD, child, i);
    }
    return rc;
}

static int32_t process_expand(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct expand *expand = instance;
    const int64_t *counts = NULL;
    const uint8_t *states = NULL;
    int32_t rc = pex_batch_int64(batch, FIELD_COUNT, &counts, &states);
    size_t rows = pex_batch_rows(batch), done = rows;
    if (rc == PEX_EINVAL) /* n_field is empty: there is no such field */
        rc = 0;
    if (expand->more_rows && (size_t)expand->more_rows < rows)
        done = (size_t)expand->more_rows;
    for (size_t row = 0; !rc && row < done; row++)
        rc = expand_row(batch, row,
                        states && states[row] == PEX_STATE_VALUE ? counts[row] : expand->count);
    if (rc || done == rows)
        return rc;
    rc = pex_batch_consumed(batch, done);
    return rc ? rc : PEX_MORE;
}

static const struct pex_param_def expand_params[] = {
    {.name = "n",
     .default_json = "2",
     .help = "How many rows one row becomes; 0 drops it.",
     .min = 0,
     .max = 1e9,
     .type = PEX_PARAM_INT64},
    {.name = "n_field",
     .default_json = "\"\"",
     .help = "An integer field that holds the number; rows without it take n.",
     .type = PEX_PARAM_STRING},
    {.name = "more_rows",
     .default_json = "0",
     .help = "Ask for the rest in another call after so many input rows; 0: never.",
     .min = 0,
     .max = 1e9,
     .type = PEX_PARAM_INT64},
};

static const struct pex_field_def expand_fields[] = {
    [FIELD_COUNT] = {.param = "n_field", .access = PEX_FIELD_READ},
    [FIELD_CHILD] = {.name = "lab_child", .access = PEX_FIELD_WRITE},
};

const struct pex_operator pex__lab_expand_mapper = {
    LAB_HEAD,
    LAB_PARAMS(expand_params),
    LAB_FIELDS(expand_fields),
    .name = "lab_expand_mapper",
    .help = "Turns a row into n rows, numbered from 0 in the field lab_child.",
    .cardinality = PEX_ROW_TO_MANY,
    .flags = PEX_OP_RETRY_SAFE,
    .create = create_expand,
    .process = process_expand,
    .destroy = free,
};

struct alloc {
    size_t bytes;
    bool is_holding;
};

static int32_t create_alloc(pex_env *env, const pex_params *params, void **instance,
                            struct pex_error *err)
{
    struct alloc *alloc = calloc(1, sizeof(*alloc));
    if (!alloc)
        return pex__lab_no_memory(err);
    alloc->bytes = (size_t)pex__lab_int64(params, "bytes_per_row");
    alloc->is_holding = pex__lab_bool(params, "hold");
    *instance = alloc;
    return 0;
}

static int32_t process_alloc(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct alloc *alloc = instance;
    size_t rows = pex_batch_rows(batch);
    for (size_t row = 0; row < rows; row++) {
        char *room = pex_batch_alloc(batch, 0, alloc->bytes);
        if (!room)
            return pex_error_set(err, PEX_ENOMEM, "out of memory for bytes_per_row");
        memset(room, 'x', alloc->bytes);
        struct pex_string_view value = {room, alloc->bytes};
        int32_t rc = alloc->is_holding ? pex_batch_set_string(batch, 0, row, value) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

static const struct pex_param_def alloc_params[] = {
    {.name = "bytes_per_row",
     .default_json = "1000",
     .help = "Bytes of the batch's memory to take per row.",
     .min = 1,
     .max = 1e12,
     .type = PEX_PARAM_INT64},
    {.name = "hold",
     .default_json = "true",
     .help = "Leave them in the row, as the string lab_alloc; false: give them back at once.",
     .type = PEX_PARAM_BOOL},
};

static const struct pex_field_def alloc_fields[] = {
    {.name = "lab_alloc", .access = PEX_FIELD_WRITE},
};

const struct pex_operator pex__lab_alloc_mapper = {
    LAB_HEAD,
    LAB_PARAMS(alloc_params),
    LAB_FIELDS(alloc_fields),
    .name = "lab_alloc_mapper",
    .help = "Makes rows grow.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE,
    .create = create_alloc,
    .process = process_alloc,
    .destroy = free,
};

struct append {
    size_t length;
    char suffix[]; /* may have NUL in it */
};

static int32_t create_append(pex_env *env, const pex_params *params, void **instance,
                             struct pex_error *err)
{
    struct pex_string_view suffix = {"", 0};
    (void)pex_params_string(params, "suffix", &suffix);
    struct append *append = malloc(sizeof(*append) + suffix.length);
    if (!append)
        return pex__lab_no_memory(err);
    append->length = suffix.length;
    memcpy(append->suffix, suffix.data, suffix.length);
    *instance = append;
    return 0;
}

static int32_t append_suffix(pex_batch *batch, size_t row, struct pex_string_view text,
                             const struct append *append)
{
    char *room = pex_batch_alloc(batch, 0, text.length + append->length);
    if (!room)
        return PEX_ENOMEM;
    memcpy(room, text.data, text.length);
    memcpy(room + text.length, append->suffix, append->length);
    struct pex_string_view value = {room, text.length + append->length};
    return pex_batch_set_string(batch, 0, row, value);
}

static int32_t process_append(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, 0, &texts, &states);
    size_t rows = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < rows; row++)
        rc = states[row] == PEX_STATE_VALUE
                 ? append_suffix(batch, row, texts[row], instance)
                 : pex_batch_fail_row(batch, row, PEX_EDATA, "the text is not a string");
    return rc;
}

static const struct pex_param_def append_params[] = {
    {.name = "suffix",
     .default_json = "\"+\"",
     .help = "What to append; work done twice shows.",
     .type = PEX_PARAM_STRING},
    {.name = "text_key",
     .default_json = "\"text\"",
     .help = "The field that holds the text.",
     .type = PEX_PARAM_STRING},
};

static const struct pex_field_def append_fields[] = {
    {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__lab_append_mapper = {
    LAB_HEAD,
    LAB_PARAMS(append_params),
    LAB_FIELDS(append_fields),
    .name = "lab_append_mapper",
    .help = "Appends a suffix to the text.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE | PEX_OP_REENTRANT,
    .create = create_append,
    .process = process_append,
    .destroy = free,
};

static int32_t process_batch(void *instance, pex_batch *batch, struct pex_error *err)
{
    size_t rows = pex_batch_rows(batch);
    int32_t rc = 0;
    for (size_t row = 0; !rc && row < rows; row++)
        rc = pex_batch_set_int64(batch, 0, row, (int64_t)rows);
    return rc;
}

static const struct pex_field_def batch_fields[] = {
    {.name = "lab_batch", .access = PEX_FIELD_WRITE},
};

const struct pex_operator pex__lab_batch_mapper = {
    LAB_HEAD,
    LAB_FIELDS(batch_fields),
    .name = "lab_batch_mapper",
    .help = "Writes the number of rows of the call into each, as the field lab_batch.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE | PEX_OP_REENTRANT | PEX_OP_BATCH_SENSITIVE,
    .process = process_batch,
};

struct drop {
    int64_t modulo;
    int64_t remainder;
};

static int32_t create_drop(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    struct drop *drop = calloc(1, sizeof(*drop));
    if (!drop)
        return pex__lab_no_memory(err);
    drop->modulo = pex__lab_int64(params, "modulo");
    drop->remainder = pex__lab_int64(params, "remainder");
    *instance = drop;
    return 0;
}

static int32_t process_drop(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct drop *drop = instance;
    const int64_t *ids;
    const uint8_t *states;
    int32_t rc = pex_batch_int64(batch, 0, &ids, &states);
    size_t rows = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < rows; row++) {
        if (states[row] != PEX_STATE_VALUE)
            rc = pex_batch_fail_row(batch, row, PEX_EDATA, "the field is not an integer");
        else if (ids[row] % drop->modulo != drop->remainder)
            rc = pex_batch_drop(batch, row);
    }
    return rc;
}

static const struct pex_param_def drop_params[] = {
    LAB_FIELD_PARAM,
    {.name = "modulo",
     .default_json = "2",
     .help = "Rows stay if their field modulo this,",
     .min = 1,
     .max = 1e15,
     .type = PEX_PARAM_INT64},
    {.name = "remainder", .default_json = "0", .help = "is this.", .type = PEX_PARAM_INT64},
};

static const struct pex_field_def drop_fields[] = {
    {.param = "field", .access = PEX_FIELD_READ},
};

const struct pex_operator pex__lab_drop_filter = {
    LAB_HEAD,
    LAB_PARAMS(drop_params),
    LAB_FIELDS(drop_fields),
    .name = "lab_drop_filter",
    .help = "Keeps the rows whose integer field has a remainder.",
    .cardinality = PEX_FILTER,
    .flags = PEX_OP_RETRY_SAFE | PEX_OP_REENTRANT,
    .create = create_drop,
    .process = process_drop,
    .destroy = free,
};
