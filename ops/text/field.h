/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of a filter on a field of any type, named by parameter field_key. The stat is the value
 * itself, under the path as it is written; one that the row brings along decides instead of the
 * field. The empty path is the field whose name is empty.
 */
#ifndef PEX_TEXT_FIELD_H
#define PEX_TEXT_FIELD_H

#include "value.h"

#include <partexec/plugin.h>

/* The field table of these filters. */
#define PEX__FIELD_TABLE                                                                           \
    {.param = "field_key", .access = PEX_FIELD_READ},                                              \
        {.param = "field_key",                                                                     \
         .kind = PEX_FIELD_STAT,                                                                   \
         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},                                              \
    {                                                                                              \
        .name = "__dj__stats__", .access = PEX_FIELD_READ | PEX_FIELD_WRITE                        \
    }

#define PEX__FIELD_KEY_PARAM                                                                       \
    {                                                                                              \
        .name = "field_key", .default_json = "\"\"", .help = "The field to look at, as a or a.b.", \
        .type = PEX_PARAM_STRING                                                                   \
    }

/* Operators here take the name of the text field as all do, and have none. */
#define PEX__NO_TEXT_KEY_PARAM                                                                     \
    {                                                                                              \
        .name = "text_key", .default_json = "\"text\"",                                            \
        .help = "Has no effect: no text is looked at.", .type = PEX_PARAM_STRING,                  \
        .flags = PEX_PARAM_IGNORED                                                                 \
    }

/* The parameters of a range, for filters that take them and have no range. */
#define PEX__NO_INTERVAL_PARAMS                                                                    \
    {.name = "min_closed_interval",                                                                \
     .default_json = "true",                                                                       \
     .help = "Has no effect: there is no range.",                                                  \
     .type = PEX_PARAM_BOOL,                                                                       \
     .flags = PEX_PARAM_IGNORED},                                                                  \
        {.name = "max_closed_interval",                                                            \
         .default_json = "true",                                                                   \
         .help = "Has no effect: there is no range.",                                              \
         .type = PEX_PARAM_BOOL,                                                                   \
         .flags = PEX_PARAM_IGNORED},                                                              \
    {                                                                                              \
        .name = "reversed_range", .default_json = "false",                                         \
        .help = "Keep the rows that would go, and the other way round.", .type = PEX_PARAM_BOOL    \
    }

struct pex__field_filter {
    char *key;
    bool is_stat_wanted;
    /* Says whether a row with this value stays. Returns 0, PEX_EDATA and what is wrong with the
     * value in *fault, or PEX_ENOMEM. */
    int32_t (*decide)(const struct pex__field_filter *filter, const struct pex__value *value,
                      bool *keep, const char **fault);
};

/* Sets up the beginning of an instance. Returns 0 or a code with its text in err. */
int32_t pex__field_filter_init(struct pex__field_filter *filter, pex_env *env,
                               const pex_params *params, struct pex_error *err);
void pex__field_filter_release(struct pex__field_filter *filter);

/* Drops the rows that the filter does not keep. */
int32_t pex__field_filter_rows(const struct pex__field_filter *filter, pex_batch *batch);

/* Sets a field to a value whose JSON text is given; the usual types in the ways made for them. */
int32_t pex__field_set(pex_batch *batch, int32_t field, size_t row, const struct pex__value *value,
                       struct pex_string_view json);

#endif
