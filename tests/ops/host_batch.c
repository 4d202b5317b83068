/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATS "__dj__stats__"

static struct pex_string_view field_path(const struct pex_params *params,
                                         const struct pex_field_def *field)
{
    struct pex_string_view path = {0};
    if (field->name)
        return (struct pex_string_view){field->name, strlen(field->name)};
    if (host_params_string(params, field->param, &path) || !path.length)
        path.data = NULL;
    return path;
}

void host_batch_init(struct pex_batch *batch, const struct pex_params *params,
                     struct pex_string_view *row, const size_t *index, size_t count)
{
    memset(batch, 0, sizeof(*batch));
    batch->arena = params->arena;
    batch->op = params->op;
    batch->row = row;
    batch->index = index;
    batch->count = count;
    batch->path = arena_alloc(batch->arena, params->op->field_count * sizeof(*batch->path));
    for (size_t i = 0; i < params->op->field_count; i++)
        batch->path[i] = field_path(params, &params->op->fields[i]);
    batch->is_dropped = arena_alloc(batch->arena, count);
    batch->failure = arena_alloc(batch->arena, count * sizeof(*batch->failure));
    batch->message = arena_alloc(batch->arena, count * sizeof(*batch->message));
}

static bool has_field(const pex_batch *batch, int32_t field)
{
    return field >= 0 && (size_t)field < batch->op->field_count;
}

static bool is_stat(const pex_batch *batch, int32_t field)
{
    return batch->op->fields[field].kind == PEX_FIELD_STAT;
}

static struct pex_string_view read_field(pex_batch *batch, int32_t field, size_t row)
{
    struct pex_string_view path = batch->path[field], none = {0};
    if (!path.data)
        return none;
    if (!is_stat(batch, field))
        return json_path(batch->arena, batch->row[row], path);
    struct pex_string_view stats = json_get(batch->arena, batch->row[row], STATS);
    if (!stats.data || stats.data[0] != '{')
        return none;
    char *key = arena_alloc(batch->arena, path.length + 1);
    memcpy(key, path.data, path.length);
    return json_get(batch->arena, stats, key);
}

struct pex_string_view host_batch_row(struct pex_batch *batch, size_t row)
{
    struct pex_string_view made =
        batch->row[row < batch->count ? row : batch->child[row - batch->count]];
    for (size_t i = 0; i < batch->change_count; i++) {
        const struct change *change = &batch->change[i];
        if (change->row != row)
            continue;
        struct pex_string_view path = batch->path[change->field];
        if (is_stat(batch, change->field)) {
            struct pex_string_view stats = json_get(batch->arena, made, STATS);
            if (!stats.data || stats.data[0] != '{')
                stats = (struct pex_string_view){"{}", 2};
            stats = json_with(batch->arena, stats, path, change->value);
            made = json_with(batch->arena, made, (struct pex_string_view){STATS, strlen(STATS)},
                             stats);
        } else {
            made = json_with_path(batch->arena, made, path, change->value);
        }
    }
    return made;
}

static size_t batch_rows(const pex_batch *batch)
{
    return batch->count;
}

static uint8_t state_of(struct pex_string_view json)
{
    if (!json.data)
        return PEX_STATE_MISSING;
    return view_is(json, "null") ? PEX_STATE_NULL : PEX_STATE_OTHER;
}

static bool read_text(pex_batch *batch, struct pex_string_view json, bool is_token,
                      struct pex_string_view *value, uint8_t *state)
{
    bool is_escaped;
    if (!json.data || json.data[0] != '"')
        return false;
    struct pex_string_view token = json_token(json, &is_escaped);
    *state = is_token && is_escaped ? PEX_STATE_ESCAPED : PEX_STATE_VALUE;
    *value = is_token ? arena_copy(batch->arena, token.data, token.length)
                      : json_string(batch->arena, json);
    return true;
}

static char *copy_text(struct pex_string_view text)
{
    char *copy = calloc(text.length + 1, 1);

    if (copy != NULL)
        memcpy(copy, text.data, text.length);
    return copy;
}

static bool is_integer(struct pex_string_view json, int64_t *value)
{
    char *end;
    if (!strchr("-0123456789", json.data[0]))
        return false;
    char *copy = copy_text(json);
    errno = 0;
    *value = strtoll(copy, &end, 10);
    bool is_whole = *end == 0 && errno == 0;
    free(copy);
    return is_whole;
}

static bool is_number(struct pex_string_view json, double *value)
{
    if (!strchr("-0123456789", json.data[0]))
        return false;
    char *copy = copy_text(json);
    *value = strtod(copy, NULL);
    free(copy);
    return true;
}

static int32_t text_column(pex_batch *batch, int32_t field, bool is_token,
                           const struct pex_string_view **values, const uint8_t **states)
{
    if (!has_field(batch, field))
        return PEX_EINVAL;
    struct pex_string_view *value = arena_alloc(batch->arena, batch->count * sizeof(*value));
    uint8_t *state = arena_alloc(batch->arena, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        struct pex_string_view json = read_field(batch, field, i);
        if (!read_text(batch, json, is_token, &value[i], &state[i]))
            state[i] = state_of(json);
    }
    if (values)
        *values = value;
    if (states)
        *states = state;
    return 0;
}

static int32_t batch_strings(pex_batch *batch, int32_t field, const struct pex_string_view **values,
                             const uint8_t **states)
{
    return text_column(batch, field, false, values, states);
}

static int32_t batch_tokens(pex_batch *batch, int32_t field, const struct pex_string_view **values,
                            const uint8_t **states)
{
    return text_column(batch, field, true, values, states);
}

static int32_t batch_json(pex_batch *batch, int32_t field, const struct pex_string_view **values,
                          const uint8_t **states)
{
    if (!has_field(batch, field))
        return PEX_EINVAL;
    struct pex_string_view *value = arena_alloc(batch->arena, batch->count * sizeof(*value));
    uint8_t *state = arena_alloc(batch->arena, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        value[i] = read_field(batch, field, i);
        state[i] = value[i].data ? PEX_STATE_VALUE : PEX_STATE_MISSING;
    }
    if (values)
        *values = value;
    if (states)
        *states = state;
    return 0;
}

#define NUMBER_COLUMN(name, type, test)                                                            \
    static int32_t name(pex_batch *batch, int32_t field, const type **values,                      \
                        const uint8_t **states)                                                    \
    {                                                                                              \
        if (!has_field(batch, field))                                                              \
            return PEX_EINVAL;                                                                     \
        type *value = arena_alloc(batch->arena, batch->count * sizeof(*value));                    \
        uint8_t *state = arena_alloc(batch->arena, batch->count);                                  \
        for (size_t i = 0; i < batch->count; i++) {                                                \
            struct pex_string_view json = read_field(batch, field, i);                             \
            state[i] = json.data && test(json, &value[i]) ? PEX_STATE_VALUE : state_of(json);      \
        }                                                                                          \
        if (values)                                                                                \
            *values = value;                                                                       \
        if (states)                                                                                \
            *states = state;                                                                       \
        return 0;                                                                                  \
    }

static bool is_bool(struct pex_string_view json, uint8_t *value)
{
    *value = view_is(json, "true");
    return *value || view_is(json, "false");
}

NUMBER_COLUMN(batch_int64, int64_t, is_integer)
NUMBER_COLUMN(batch_double, double, is_number)
NUMBER_COLUMN(batch_bool, uint8_t, is_bool)

static int32_t set(pex_batch *batch, int32_t field, size_t row, struct pex_string_view json)
{
    if (!has_field(batch, field) || row >= batch->count + batch->child_count ||
        !(batch->op->fields[field].access & PEX_FIELD_WRITE) || !batch->path[field].data)
        return PEX_EINVAL;
    if (batch->change_count == batch->change_capacity) {
        struct change *old = batch->change;
        batch->change_capacity = batch->change_capacity * 2 + 16;
        batch->change = arena_alloc(batch->arena, batch->change_capacity * sizeof(*old));
        if (old)
            memcpy(batch->change, old, batch->change_count * sizeof(*old));
    }
    batch->change[batch->change_count++] = (struct change){row, field, json};
    return 0;
}

static int32_t batch_set_string(pex_batch *batch, int32_t field, size_t row,
                                struct pex_string_view value)
{
    return set(batch, field, row, json_quote(batch->arena, value));
}

static int32_t batch_set_int64(pex_batch *batch, int32_t field, size_t row, int64_t value)
{
    return set(batch, field, row, arena_print(batch->arena, "%" PRId64, value));
}

static int32_t batch_set_double(pex_batch *batch, int32_t field, size_t row, double value)
{
    if (!isfinite(value))
        return PEX_EDATA;
    return set(batch, field, row, arena_print(batch->arena, "%.17g", value));
}

static int32_t batch_set_bool(pex_batch *batch, int32_t field, size_t row, int32_t value)
{
    return set(batch, field, row, arena_print(batch->arena, "%s", value ? "true" : "false"));
}

static int32_t batch_set_json(pex_batch *batch, int32_t field, size_t row,
                              struct pex_string_view json)
{
    return set(batch, field, row, arena_copy(batch->arena, json.data, json.length));
}

static int32_t batch_set_missing(pex_batch *batch, int32_t field, size_t row)
{
    return set(batch, field, row, (struct pex_string_view){0});
}

static char *batch_alloc(pex_batch *batch, int32_t field, size_t size)
{
    return has_field(batch, field) ? batch->room = arena_alloc(batch->arena, size) : NULL;
}

static int32_t batch_drop(pex_batch *batch, size_t row)
{
    if (row >= batch->count || batch->op->cardinality == PEX_ROW_TO_ROW)
        return PEX_EINVAL;
    batch->is_dropped[row] = true;
    return 0;
}

static int32_t batch_fail_row(pex_batch *batch, size_t row, int32_t code, const char *message)
{
    if (row >= batch->count || code >= 0)
        return PEX_EINVAL;
    batch->failure[row] = code;
    batch->message[row] = arena_print(batch->arena, "%s", message ? message : "");
    return 0;
}

static int32_t batch_append(pex_batch *batch, size_t row, size_t *child)
{
    if (row >= batch->count || batch->op->cardinality != PEX_ROW_TO_MANY)
        return PEX_EINVAL;
    if (batch->child_count == batch->child_capacity) {
        size_t *old = batch->child;
        batch->child_capacity = batch->child_capacity * 2 + 16;
        batch->child = arena_alloc(batch->arena, batch->child_capacity * sizeof(*old));
        if (old)
            memcpy(batch->child, old, batch->child_count * sizeof(*old));
    }
    if (child)
        *child = batch->count + batch->child_count;
    batch->child[batch->child_count++] = row;
    return 0;
}

static int32_t batch_consumed(pex_batch *batch, size_t count)
{
    if (count == 0 || count > batch->count)
        return PEX_EINVAL;
    batch->consumed = count;
    return 0;
}

static int32_t batch_row_ids(pex_batch *batch, const struct pex_row_id **ids)
{
    struct pex_row_id *id = arena_alloc(batch->arena, batch->count * sizeof(*id));
    for (size_t i = 0; i < batch->count; i++)
        id[i].offset = batch->index[i];
    *ids = id;
    return 0;
}

static int32_t batch_cancelled(const pex_batch *batch)
{
    return batch->is_cancelled;
}

static int32_t batch_stat_get(pex_batch *batch, int32_t field, size_t row, struct pex_number *value)
{
    if (!has_field(batch, field) || !is_stat(batch, field) || row >= batch->count)
        return PEX_EINVAL;
    struct pex_string_view json = read_field(batch, field, row);
    if (!json.data)
        return PEX_ENOENT;
    memset(value, 0, sizeof(*value));
    if (is_integer(json, &value->int64))
        return 0;
    value->type = PEX_NUMBER_DOUBLE;
    return is_number(json, &value->float64) ? 0 : PEX_EDATA;
}

static int32_t batch_stat_set(pex_batch *batch, int32_t field, size_t row,
                              const struct pex_number *value)
{
    if (!has_field(batch, field) || !is_stat(batch, field))
        return PEX_EINVAL;
    return value->type == PEX_NUMBER_INT64 ? batch_set_int64(batch, field, row, value->int64)
                                           : batch_set_double(batch, field, row, value->float64);
}

static void *batch_cache_put(pex_batch *batch, int32_t field, const char *key, size_t size)
{
    return arena_alloc(batch->arena, size);
}

static void *batch_cache_put_rows(pex_batch *batch, int32_t field, const char *key, size_t size)
{
    return arena_alloc(batch->arena, size * batch_rows(batch));
}

static void *batch_cache_room(pex_batch *batch, int32_t field, size_t size)
{
    return arena_alloc(batch->arena, size);
}

static int32_t batch_row_json(pex_batch *batch, size_t row, struct pex_string_view *json)
{
    if (row >= batch->count)
        return PEX_EINVAL;
    *json = batch->row[row];
    return 0;
}

static const void *batch_cache_get(pex_batch *batch, int32_t field, const char *key, size_t *size)
{
    return NULL;
}

static int32_t batch_counts(pex_batch *batch, const uint32_t **counts)
{
    if (!batch->counts)
        return PEX_EINVAL;
    *counts = batch->counts;
    return 0;
}

static int32_t batch_told(pex_batch *batch, struct pex_string_view *told)
{
    if (!batch->counts)
        return PEX_EINVAL;
    *told = batch->told;
    return 0;
}

void host_keys_add(struct arena *arena, struct emitted_keys *keys, const struct emitted_key *key)
{
    if (keys->count == keys->capacity) {
        size_t capacity = keys->capacity * 2 + 64;
        struct emitted_key *grown = arena_alloc(arena, capacity * sizeof(*grown));
        if (keys->count)
            memcpy(grown, keys->item, keys->count * sizeof(*grown));
        keys->item = grown;
        keys->capacity = capacity;
    }
    keys->item[keys->count++] = *key;
}

static int32_t keys_emit(pex_batch *batch, size_t row, const void *key, size_t size)
{
    struct emitted_key emitted = {.size = size};
    if (row >= batch->count || size == 0 || size > sizeof(emitted.data))
        return PEX_EINVAL;
    emitted.row = batch->index[row];
    memcpy(emitted.data, key, size);
    host_keys_add(batch->arena, &batch->keys, &emitted);
    return 0;
}

void host_batch_install(struct pex_host *host)
{
    host->batch_rows = batch_rows;
    host->batch_strings = batch_strings;
    host->batch_tokens = batch_tokens;
    host->batch_int64 = batch_int64;
    host->batch_double = batch_double;
    host->batch_bool = batch_bool;
    host->batch_json = batch_json;
    host->batch_set_string = batch_set_string;
    host->batch_set_int64 = batch_set_int64;
    host->batch_set_double = batch_set_double;
    host->batch_set_bool = batch_set_bool;
    host->batch_set_json = batch_set_json;
    host->batch_set_missing = batch_set_missing;
    host->batch_alloc = batch_alloc;
    host->batch_drop = batch_drop;
    host->batch_fail_row = batch_fail_row;
    host->batch_append = batch_append;
    host->batch_consumed = batch_consumed;
    host->batch_row_ids = batch_row_ids;
    host->batch_cancelled = batch_cancelled;
    host->batch_stat_get = batch_stat_get;
    host->batch_stat_set = batch_stat_set;
    host->batch_cache_put = batch_cache_put;
    host->batch_cache_get = batch_cache_get;
    host->batch_cache_put_rows = batch_cache_put_rows;
    host->batch_cache_room = batch_cache_room;
    host->batch_row_json = batch_row_json;
    host->batch_counts = batch_counts;
    host->batch_told = batch_told;
    host->keys_emit = keys_emit;
}
