/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"

#include "bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_VALUE, FIELD_STAT, FIELD_STATS };

int32_t pex__field_filter_init(struct pex__field_filter *filter, pex_env *env,
                               const pex_params *params, struct pex_error *err)
{
    struct pex_string_view key;
    int32_t rc = pex_params_string(params, "field_key", &key);
    if (rc)
        return pex_error_set(err, rc, "parameter 'field_key' cannot be read");
    filter->key = calloc(key.length + 1, 1);
    if (!filter->key)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for parameter field_key");
    memcpy(filter->key, key.data, key.length);
    filter->is_stat_wanted = pex_env_stats_wanted(env);
    return 0;
}

void pex__field_filter_release(struct pex__field_filter *filter)
{
    free(filter->key);
}

int32_t pex__field_set(pex_batch *batch, int32_t field, size_t row, const struct pex__value *value,
                       struct pex_string_view json)
{
    switch (value->type) {
    case PEX__BOOL:
        return pex_batch_set_bool(batch, field, row, value->as.truth);
    case PEX__WHOLE:
        return pex_batch_set_int64(batch, field, row, value->as.whole);
    case PEX__REAL:
        if (isfinite(value->as.real))
            return pex_batch_set_double(batch, field, row, value->as.real);
        break;
    case PEX__STRING:
        return pex_batch_set_string(batch, field, row, value->as.text);
    default:
        break;
    }
    return pex_batch_set_json(batch, field, row, json);
}

/* What a row has: data is NULL where there is nothing. */
struct found {
    struct pex_string_view field;
    struct pex_string_view stat;
    struct pex_string_view stats; /* of the empty path alone: all of them */
};

/* A walk over the rows of a call. */
struct walk {
    const struct pex__field_filter *filter;
    pex_batch *batch;
    const struct pex_string_view *field, *stat;
    const uint8_t *field_state, *stat_state;
    struct pex__scratch scratch;
    struct pex__bytes printed;
};

/* No path leads to a field without a name, so it is looked for in the row. */
static int32_t find_unnamed(struct walk *walk, size_t row, struct found *found)
{
    static const struct pex_string_view names[2] = {{"", 0}, {"__dj__stats__", 13}};
    struct pex_string_view json, member[2];
    int32_t rc = pex_batch_row_json(walk->batch, row, &json);
    if (!rc)
        rc = pex__value_members(&walk->scratch, json, names, 2, member);
    *found = (struct found){0};
    if (rc)
        return rc;
    found->field = member[0];
    found->stats = member[1];
    return found->stats.data
               ? pex__value_members(&walk->scratch, found->stats, names, 1, &found->stat)
               : 0;
}

static int32_t find(struct walk *walk, size_t row, struct found *found)
{
    if (!*walk->filter->key)
        return find_unnamed(walk, row, found);
    *found = (struct found){0};
    if (walk->field_state[row] == PEX_STATE_VALUE)
        found->field = walk->field[row];
    if (walk->stat_state[row] == PEX_STATE_VALUE)
        found->stat = walk->stat[row];
    return 0;
}

/* The stat without a name goes in front of the others. */
static int32_t set_unnamed(struct walk *walk, size_t row, const struct found *found)
{
    static const char head[] = "{\"\":", tail[] = "}";
    struct pex__bytes *out = &walk->printed;
    struct pex_string_view rest = {tail, 1};
    if (found->stats.data && found->stats.length > 2) {
        const char *brace = memchr(found->stats.data, '{', found->stats.length);
        if (brace)
            rest = (struct pex_string_view){
                brace + 1, (size_t)(found->stats.data + found->stats.length - brace - 1)};
    }
    size_t blanks = 0;
    while (blanks < rest.length && strchr(" \t\r\n", rest.data[blanks]))
        blanks++;
    bool is_last = rest.data[blanks] == '}';
    out->length = 0;
    if (pex__bytes_append(out, head, sizeof(head) - 1) ||
        pex__bytes_append(out, found->field.data, found->field.length) ||
        pex__bytes_append(out, ",", !is_last) || pex__bytes_append(out, rest.data, rest.length))
        return PEX_ENOMEM;
    return pex_batch_set_json(walk->batch, FIELD_STATS, row,
                              (struct pex_string_view){out->data, out->length});
}

static int32_t fail(const struct walk *walk, size_t row, const char *fault)
{
    char message[512];
    snprintf(message, sizeof(message), "field '%.200s' %s", walk->filter->key, fault);
    return pex_batch_fail_row(walk->batch, row, PEX_EDATA, message);
}

static int32_t filter_row(struct walk *walk, size_t row)
{
    const struct pex__field_filter *filter = walk->filter;
    const char *fault = pex__value_fault;
    struct pex__value value;
    struct found found;
    bool keep = true;
    pex__scratch_reset(&walk->scratch);
    int32_t rc = find(walk, row, &found);
    if (rc)
        return rc;
    struct pex_string_view json = found.stat.data ? found.stat : found.field;
    if (!json.data)
        return fail(walk, row, "is missing; name one that every row has with field_key");
    rc = pex__value_parse(&walk->scratch, json, &value);
    if (!rc)
        rc = filter->decide(filter, &value, &keep, &fault);
    if (rc == PEX_EDATA)
        return fail(walk, row, fault);
    if (!rc && !found.stat.data && filter->is_stat_wanted)
        rc = *filter->key ? pex__field_set(walk->batch, FIELD_STAT, row, &value, json)
                          : set_unnamed(walk, row, &found);
    if (rc)
        return rc;
    return keep ? 0 : pex_batch_drop(walk->batch, row);
}

int32_t pex__field_filter_rows(const struct pex__field_filter *filter, pex_batch *batch)
{
    struct walk walk = {.filter = filter, .batch = batch};
    int32_t rc = 0;
    if (*filter->key) {
        rc = pex_batch_json(batch, FIELD_VALUE, &walk.field, &walk.field_state);
        if (!rc)
            rc = pex_batch_json(batch, FIELD_STAT, &walk.stat, &walk.stat_state);
    }
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; row < count && !rc; row++)
        rc = filter_row(&walk, row);
    pex__scratch_free(&walk.scratch);
    pex__bytes_free(&walk.printed);
    return rc;
}
