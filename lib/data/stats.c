/* SPDX-License-Identifier: Apache-2.0 */
/* Stats: numbers below literal keys of the row's stats object. */
#include "data/call.h"

#include "data/number.h"
#include "data/overlay.h"

#include <math.h>

static int32_t column_of(const struct pex_batch *call, int32_t field)
{
    int32_t column = pex__call_column(call, field);

    return column >= 0 && call->site->kinds[field] == PEX_FIELD_STAT ? column : -1;
}

static int32_t get_cell(const struct pex__cell *cell, struct pex_number *value)
{
    if (cell->kind == PEX__CELL_INT64) {
        *value = (struct pex_number){.type = PEX_NUMBER_INT64, .int64 = cell->as.int64};
        return 0;
    }
    if (cell->kind != PEX__CELL_DOUBLE)
        return PEX_EDATA;
    *value = (struct pex_number){.type = PEX_NUMBER_DOUBLE, .float64 = cell->as.float64};
    return 0;
}

static int32_t parse(struct pex_string_view json, struct pex_number *value)
{
    struct pex_number number = {.type = PEX_NUMBER_INT64};

    if (!pex__number_int64(json.data, json.length, &number.int64)) {
        number.type = PEX_NUMBER_DOUBLE;
        number.int64 = 0;
        number.float64 = pex__number_double(json.data, json.length);
    }
    *value = number;
    return 0;
}

int32_t pex_batch_stat_get(pex_batch *batch, int32_t field, size_t row, struct pex_number *value)
{
    int32_t column = column_of(batch, field);
    const struct pex__cell *cell;

    batch = pex__call_at(batch, &row);
    if (column < 0 || value == NULL || !pex__call_has_row(batch, row))
        return PEX_EINVAL;
    row = pex__call_row(batch, row);
    cell = pex__column_cell(&batch->batch->columns[column], row);
    if (cell != NULL)
        return get_cell(cell, value);
    switch (pex__column_type(batch->batch, column, row)) {
    case PEX__MISSING:
        return PEX_ENOENT;
    case PEX__NUMBER:
        return parse(pex__column_json(batch->batch, column, row), value);
    default:
        return PEX_EDATA;
    }
}

int32_t pex_batch_stat_set(pex_batch *batch, int32_t field, size_t row,
                           const struct pex_number *value)
{
    struct pex__new made = {.kind = PEX__NEW_INT64};
    int32_t column = column_of(batch, field);

    batch = pex__call_at(batch, &row);
    if (column < 0 || value == NULL || !pex__call_has_row(batch, row) ||
        (batch->site->access[field] & PEX_FIELD_WRITE) == 0)
        return PEX_EINVAL;
    if (value->type == PEX_NUMBER_DOUBLE) {
        if (!isfinite(value->float64))
            return PEX_EDATA;
        made.kind = PEX__NEW_DOUBLE;
        made.float64 = value->float64;
    } else if (value->type == PEX_NUMBER_INT64) {
        made.int64 = value->int64;
    } else {
        return PEX_EINVAL;
    }
    return pex__call_change(batch, column, row, &made);
}
