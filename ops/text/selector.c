/* SPDX-License-Identifier: Apache-2.0 */
#include "selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_VALUE 0
#define PIECE 64

int32_t pex__selector_init(struct pex__selector *selector, const pex_params *params,
                           struct pex_error *err)
{
    struct pex_string_view key;
    int32_t rc = pex_params_string(params, "field_key", &key);
    if (rc)
        return pex_error_set(err, rc, "parameter 'field_key' cannot be read");
    selector->key = calloc(key.length + 1, 1);
    if (!selector->key)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter field_key");
    memcpy(selector->key, key.data, key.length);
    return 0;
}

void pex__selector_release(struct pex__selector *selector)
{
    free(selector->key);
}

static int32_t emit(pex_batch *batch, size_t row, const struct pex__bytes *key)
{
    int32_t rc = 0;
    for (size_t at = 0; at < key->length && !rc; at += PIECE) {
        size_t rest = key->length - at;
        rc = pex_keys_emit(batch, row, key->data + at, rest < PIECE ? rest : PIECE);
    }
    return rc;
}

static int32_t fail(const struct pex__selector *selector, pex_batch *batch, size_t row)
{
    char message[512];
    snprintf(message, sizeof(message), "field '%.200s' %s", selector->key, pex__value_fault);
    return pex_batch_fail_row(batch, row, PEX_EDATA, message);
}

int32_t pex__selector_observe(const struct pex__selector *selector, pex_batch *batch,
                              pex__key_fn make_key)
{
    const struct pex_string_view *json;
    const uint8_t *states;
    struct pex__scratch scratch = {0};
    struct pex__bytes key = {0};
    if (!*selector->key)
        return 0;
    int32_t rc = pex_batch_json(batch, FIELD_VALUE, &json, &states);
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; row < count && !rc; row++) {
        struct pex__value value;
        bool is_there = states[row] == PEX_STATE_VALUE;
        pex__scratch_reset(&scratch);
        key.length = 0;
        if (is_there && (rc = pex__value_parse(&scratch, json[row], &value)) == PEX_EDATA) {
            rc = fail(selector, batch, row);
            continue;
        }
        if (!rc)
            rc = make_key(selector, is_there ? &value : NULL, &key);
        if (!rc)
            rc = emit(batch, row, &key);
    }
    pex__scratch_free(&scratch);
    pex__bytes_free(&key);
    return rc;
}

static int32_t read_next(struct pex__rows *rows)
{
    int32_t rc = pex_keys_next(rows->keys, &rows->next);
    rows->has_next = rc == 0;
    return rc == PEX_ENOENT ? 0 : rc;
}

int32_t pex__rows_begin(struct pex__rows *rows, pex_keys *keys)
{
    rows->keys = keys;
    rows->count = 0;
    int32_t rc = pex_keys_rewind(keys);
    return rc ? rc : read_next(rows);
}

int32_t pex__rows_next(struct pex__rows *rows)
{
    if (!rows->has_next)
        return PEX_ENOENT;
    if (rows->count % 65536 == 0 && pex_keys_cancelled(rows->keys))
        return PEX_ECANCELLED;
    rows->row = rows->next.row;
    rows->key.length = 0;
    rows->count++;
    while (rows->has_next && rows->next.row == rows->row) {
        int32_t rc = pex__bytes_append(&rows->key, rows->next.data, rows->next.size);
        if (!rc)
            rc = read_next(rows);
        if (rc)
            return rc;
    }
    return 0;
}

void pex__rows_free(struct pex__rows *rows)
{
    pex__bytes_free(&rows->key);
}

static void survey_row(const struct pex__rows *rows, uint8_t bad, struct pex__survey *survey)
{
    uint8_t kind = (uint8_t)*rows->key.data;
    if (survey->row_count++ == 0)
        survey->kind = kind;
    survey->missing_count += kind == PEX__KEY_MISSING;
    if (kind == bad && !survey->has_bad) {
        survey->has_bad = true;
        survey->bad_row = rows->row;
    }
    if (kind != survey->kind && !survey->has_odd) {
        survey->has_odd = true;
        survey->odd_row = rows->row;
    }
}

int32_t pex__selector_survey(const struct pex__selector *selector, pex_keys *keys, uint8_t bad,
                             struct pex__survey *survey, struct pex_error *err)
{
    struct pex__rows rows = {0};
    *survey = (struct pex__survey){0};
    int32_t rc = pex__rows_begin(&rows, keys);
    while (!rc && !(rc = pex__rows_next(&rows)))
        survey_row(&rows, bad, survey);
    pex__rows_free(&rows);
    if (rc != PEX_ENOENT)
        return pex_error_set(err, rc, "the keys of the rows cannot be read");
    if (survey->row_count > 1 && survey->missing_count == survey->row_count)
        return pex_error_set(err, PEX_EDATA,
                             "no row has a field '%s'; name one that is there with field_key",
                             selector->key);
    return 0;
}

int32_t pex__share_read(struct pex__share *share, const pex_params *params, const char *ratio,
                        const char *number, struct pex_error *err)
{
    int32_t rc = 0;
    *share = (struct pex__share){0};
    if (!pex_params_is_null(params, ratio))
        rc = pex_params_double(params, ratio, &share->ratio);
    if (!rc && !pex_params_is_null(params, number))
        rc = pex_params_int64(params, number, &share->number);
    return rc ? pex_error_set(err, rc, "parameters '%s' and '%s' cannot be read", ratio, number)
              : 0;
}

bool pex__share_of(const struct pex__share *share, uint64_t count, uint64_t *result)
{
    double part = share->ratio * (double)count;
    bool is_number = share->ratio == 0 || (share->number && (double)share->number < part);
    *result = is_number ? (uint64_t)share->number : (uint64_t)part;
    return share->ratio > 0 || share->number > 0;
}
