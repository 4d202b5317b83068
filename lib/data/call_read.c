/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as operators read them. */
#include "data/call.h"

#include "data/encode.h"
#include "data/number.h"
#include "data/overlay.h"

#include <string.h>

/* Arrays of the rows of the call, filled by one accessor. */
struct filling {
    struct pex_batch *call;
    struct pex__column_state *column;
    int32_t index;
    void *values;
    uint8_t *states;
};

/* One row: writes the value where there is one, and returns the state, or a negative code. */
typedef int32_t (*fill_row)(const struct filling *filling, size_t row, size_t at);

static int32_t state_of(uint8_t type)
{
    return type == PEX__MISSING ? PEX_STATE_MISSING
           : type == PEX__NULL  ? PEX_STATE_NULL
                                : PEX_STATE_OTHER;
}

static int32_t fill_token(const struct filling *filling, size_t row, size_t at)
{
    struct pex_string_view *value = (struct pex_string_view *)filling->values + at, json;
    const struct pex__cell *cell = pex__column_cell(filling->column, row);
    uint8_t type;

    *value = (struct pex_string_view){"", 0};
    if (cell != NULL) {
        if (cell->kind != PEX__CELL_STRING)
            return PEX_STATE_OTHER;
        *value = filling->column->views[row];
        return PEX_STATE_VALUE;
    }
    type = pex__column_type(filling->call->batch, filling->index, row);
    if (type != PEX__STRING && type != PEX__ESCAPED)
        return state_of(type);
    json = pex__column_json(filling->call->batch, filling->index, row);
    *value = (struct pex_string_view){json.data + 1, json.length - 2};
    return type == PEX__STRING ? PEX_STATE_VALUE : PEX_STATE_ESCAPED;
}

static int32_t fill_int64(const struct filling *filling, size_t row, size_t at)
{
    int64_t *value = (int64_t *)filling->values + at;
    const struct pex__cell *cell = pex__column_cell(filling->column, row);
    struct pex_string_view json;
    uint8_t type;

    *value = 0;
    if (cell != NULL) {
        if (cell->kind != PEX__CELL_INT64)
            return PEX_STATE_OTHER;
        *value = cell->as.int64;
        return PEX_STATE_VALUE;
    }
    type = pex__column_type(filling->call->batch, filling->index, row);
    if (type != PEX__NUMBER)
        return state_of(type);
    json = pex__column_json(filling->call->batch, filling->index, row);
    return pex__number_int64(json.data, json.length, value) ? PEX_STATE_VALUE : PEX_STATE_OTHER;
}

static int32_t fill_double(const struct filling *filling, size_t row, size_t at)
{
    double *value = (double *)filling->values + at;
    const struct pex__cell *cell = pex__column_cell(filling->column, row);
    struct pex_string_view json;
    uint8_t type;

    *value = 0;
    if (cell != NULL) {
        if (cell->kind != PEX__CELL_INT64 && cell->kind != PEX__CELL_DOUBLE)
            return PEX_STATE_OTHER;
        *value = cell->kind == PEX__CELL_INT64 ? (double)cell->as.int64 : cell->as.float64;
        return PEX_STATE_VALUE;
    }
    type = pex__column_type(filling->call->batch, filling->index, row);
    if (type != PEX__NUMBER)
        return state_of(type);
    json = pex__column_json(filling->call->batch, filling->index, row);
    *value = pex__number_double(json.data, json.length);
    return PEX_STATE_VALUE;
}

static int32_t fill_bool(const struct filling *filling, size_t row, size_t at)
{
    uint8_t *value = (uint8_t *)filling->values + at;
    const struct pex__cell *cell = pex__column_cell(filling->column, row);
    uint8_t type;

    *value = 0;
    if (cell != NULL) {
        if (cell->kind != PEX__CELL_BOOL)
            return PEX_STATE_OTHER;
        *value = (uint8_t)cell->as.int64;
        return PEX_STATE_VALUE;
    }
    type = pex__column_type(filling->call->batch, filling->index, row);
    if (type != PEX__TRUE && type != PEX__FALSE)
        return state_of(type);
    *value = type == PEX__TRUE;
    return PEX_STATE_VALUE;
}

/* Text that has to be printed first, in the scratch memory of the call. */
static int32_t print(const struct filling *filling, const struct pex__new *value,
                     struct pex_string_view *text)
{
    struct pex__buffer *buffer = &filling->call->batch->edit.json;
    char *copy;

    buffer->length = 0;
    if (pex__new_print(value, buffer) != 0)
        return PEX_ENOMEM;
    copy = pex__call_array(filling->call, buffer->length, 1);
    if (copy == NULL)
        return PEX_ENOMEM;
    memcpy(copy, buffer->data, buffer->length);
    *text = (struct pex_string_view){copy, buffer->length};
    return PEX_STATE_VALUE;
}

/* The whole stats object of a row that has stats cells. */
static int32_t print_stats(const struct filling *filling, size_t row, struct pex_string_view *text)
{
    struct pex__batch *batch = filling->call->batch;
    struct pex__buffer *stats = &batch->edit.stats;
    char *copy;

    if (pex__overlay_take_apart(batch, row) != 0)
        return PEX_ENOMEM;
    copy = pex__call_array(filling->call, stats->length, 1);
    if (copy == NULL)
        return PEX_ENOMEM;
    memcpy(copy, stats->data, stats->length);
    *text = (struct pex_string_view){copy, stats->length};
    return PEX_STATE_VALUE;
}

static int32_t fill_json(const struct filling *filling, size_t row, size_t at)
{
    struct pex_string_view *value = (struct pex_string_view *)filling->values + at;
    struct pex__new cell;

    *value = (struct pex_string_view){"", 0};
    if (pex__column_is_changed_stats(filling->call->batch, filling->index, row))
        return print_stats(filling, row, value);
    if (pex__column_cell(filling->column, row) != NULL) {
        cell = pex__column_value(filling->column, row);
        return print(filling, &cell, value);
    }
    if (pex__column_type(filling->call->batch, filling->index, row) == PEX__MISSING)
        return PEX_STATE_MISSING;
    *value = pex__column_json(filling->call->batch, filling->index, row);
    return PEX_STATE_VALUE;
}

static int32_t fill(struct pex_batch *call, int32_t index, fill_row row, size_t size,
                    struct pex__read *read)
{
    struct filling filling = {call, &call->batch->columns[index], index, NULL, NULL};

    filling.values = pex__call_array(call, call->count + 1, size);
    filling.states = pex__call_array(call, call->count + 1, 1);
    if (filling.values == NULL || filling.states == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < call->count; i++) {
        int32_t state;

        /* Stats that were set make the column of all stats an object, whatever the row had. */
        if (row != fill_json && pex__column_is_changed_stats(call->batch, index, call->first + i)) {
            memset((char *)filling.values + i * size, 0, size);
            state = PEX_STATE_OTHER;
        } else {
            state = row(&filling, call->first + i, i);
        }
        if (state < 0)
            return state;
        filling.states[i] = (uint8_t)state;
    }
    *read = (struct pex__read){filling.values, filling.states};
    return 0;
}

static int32_t read_strings(struct pex_batch *call, int32_t index, struct pex__read *read)
{
    struct pex__column_state *column = &call->batch->columns[index];
    int32_t failed = pex__column_read(call->batch, index, call->first, call->count);

    if (failed == 0)
        *read = (struct pex__read){column->views + call->first, column->states + call->first};
    return failed;
}

/* The arrays of an accessor, made on first use. */
static int32_t read_field(struct pex_batch *call, int32_t field, int accessor,
                          struct pex__read *result)
{
    static const struct {
        fill_row row;
        size_t size;
    } ways[PEX__READ_COUNT] = {
        [PEX__READ_STRINGS] = {NULL, sizeof(struct pex_string_view)},
        [PEX__READ_TOKENS] = {fill_token, sizeof(struct pex_string_view)},
        [PEX__READ_INT64] = {fill_int64, sizeof(int64_t)},
        [PEX__READ_DOUBLE] = {fill_double, sizeof(double)},
        [PEX__READ_BOOL] = {fill_bool, sizeof(uint8_t)},
        [PEX__READ_JSON] = {fill_json, sizeof(struct pex_string_view)},
    };
    int32_t index = pex__call_column(call, field), failed = 0;
    struct pex__read *read;

    if (index < 0)
        return PEX_EINVAL;
    read = &call->reads[(size_t)field * PEX__READ_COUNT + (size_t)accessor];
    if (read->states == NULL && call->joint != NULL)
        failed = pex__joint_read(call->joint, read_field, field, accessor, ways[accessor].size);
    else if (read->states == NULL && accessor == PEX__READ_STRINGS)
        failed = read_strings(call, index, read);
    else if (read->states == NULL)
        failed = fill(call, index, ways[accessor].row, ways[accessor].size, read);
    if (failed == 0)
        *result = *read;
    return failed;
}

/* What all getters do; the caller knows the type of the values. */
static int32_t read_column(pex_batch *batch, int32_t field, int kind, const void **values,
                           const uint8_t **states)
{
    struct pex__read read;
    int32_t failed = read_field(batch, field, kind, &read);

    if (failed != 0)
        return failed;
    *values = read.values;
    if (states != NULL)
        *states = read.states;
    return 0;
}

int32_t pex_batch_strings(pex_batch *batch, int32_t field, const struct pex_string_view **values,
                          const uint8_t **states)
{
    const void *column;
    int32_t failed = read_column(batch, field, PEX__READ_STRINGS, &column, states);

    if (failed == 0 && values != NULL)
        *values = column;
    return failed;
}

int32_t pex_batch_tokens(pex_batch *batch, int32_t field, const struct pex_string_view **values,
                         const uint8_t **states)
{
    const void *column;
    int32_t failed = read_column(batch, field, PEX__READ_TOKENS, &column, states);

    if (failed == 0 && values != NULL)
        *values = column;
    return failed;
}

int32_t pex_batch_int64(pex_batch *batch, int32_t field, const int64_t **values,
                        const uint8_t **states)
{
    const void *column;
    int32_t failed = read_column(batch, field, PEX__READ_INT64, &column, states);

    if (failed == 0 && values != NULL)
        *values = column;
    return failed;
}

int32_t pex_batch_double(pex_batch *batch, int32_t field, const double **values,
                         const uint8_t **states)
{
    const void *column;
    int32_t failed = read_column(batch, field, PEX__READ_DOUBLE, &column, states);

    if (failed == 0 && values != NULL)
        *values = column;
    return failed;
}

int32_t pex_batch_bool(pex_batch *batch, int32_t field, const uint8_t **values,
                       const uint8_t **states)
{
    const void *column;
    int32_t failed = read_column(batch, field, PEX__READ_BOOL, &column, states);

    if (failed == 0 && values != NULL)
        *values = column;
    return failed;
}

int32_t pex_batch_json(pex_batch *batch, int32_t field, const struct pex_string_view **values,
                       const uint8_t **states)
{
    const void *column;
    int32_t failed = read_column(batch, field, PEX__READ_JSON, &column, states);

    if (failed == 0 && values != NULL)
        *values = column;
    return failed;
}

/* The row as it goes out, in the scratch memory of the call. */
static int32_t print_row(struct pex_batch *call, size_t row, struct pex_string_view *json)
{
    struct pex__buffer line = {0};
    int32_t failed = pex__encode_row(call->batch, row, 1, &line);
    char *copy = failed == 0 ? pex__call_array(call, line.length, 1) : NULL;

    if (copy != NULL) {
        memcpy(copy, line.data, line.length);
        *json = (struct pex_string_view){copy, line.length - 1}; /* without the LF */
    }
    pex__buffer_free(&line);
    return copy != NULL ? 0 : PEX_ENOMEM;
}

int32_t pex_batch_row_json(pex_batch *batch, size_t row, struct pex_string_view *json)
{
    size_t live;

    if (batch->site == NULL || row >= batch->count || json == NULL)
        return PEX_EINVAL;
    live = pex__call_row(batch, row);
    if ((batch->batch->flags[live] & (PEX__ROW_EDITED | PEX__ROW_STATED)) != 0)
        return print_row(batch, live, json);
    *json = pex__row_text(batch->batch, live);
    return 0;
}
