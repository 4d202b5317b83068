/* SPDX-License-Identifier: Apache-2.0 */
/* Fails rows and calls in every way that the answers of `process` allow. */
#include "lab.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_ID 0

struct list {
    int64_t *value;
    size_t count;
};

struct fail {
    struct list rows;
    struct list calls;
    int64_t every;
    int64_t max_rows; /* 0: no limit */
    int64_t times;    /* negative: always */
    int32_t code;     /* 0: rows fail, not calls */
    char *message;
    char *until_file;
    int64_t call; /* number of the call, from 1 */
    _Atomic int64_t *failures;
};

static const struct {
    const char *name;
    int32_t code;
} codes[] = {
    {"row", 0},
    {"error", PEX_EDATA},
    {"eagain", PEX_EAGAIN},
    {"enomem", PEX_ENOMEM},
    {"einstance", PEX_EINSTANCE},
    {"efatal", PEX_EFATAL},
};

static void destroy(void *instance)
{
    struct fail *fail = instance;
    free(fail->rows.value);
    free(fail->calls.value);
    free(fail->message);
    free(fail->until_file);
    free(fail);
}

static bool read_list(struct list *list, const pex_params *params, const char *name)
{
    int64_t count = pex_params_count(params, name);
    list->count = count > 0 ? (size_t)count : 0;
    list->value = calloc(list->count + 1, sizeof(*list->value));
    for (size_t i = 0; list->value && i < list->count; i++)
        (void)pex_params_int64_at(params, name, i, &list->value[i]);
    return list->value;
}

static bool has(const struct list *list, int64_t value)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->value[i] == value)
            return true;
    return false;
}

static int32_t code_of(const pex_params *params)
{
    struct pex_string_view name = {"", 0};
    (void)pex_params_string(params, "code", &name);
    for (size_t i = 0; i < LAB_COUNT(codes); i++)
        if (strlen(codes[i].name) == name.length &&
            memcmp(codes[i].name, name.data, name.length) == 0)
            return codes[i].code;
    return 0;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct fail *fail = calloc(1, sizeof(*fail));
    if (!fail)
        return pex__lab_no_memory(err);
    fail->every = pex__lab_int64(params, "every");
    fail->max_rows = pex__lab_int64(params, "max_rows");
    fail->times = pex__lab_int64(params, "times");
    fail->code = code_of(params);
    fail->message = pex__lab_string(params, "message");
    fail->until_file = pex__lab_string(params, "until_file");
    fail->failures = pex__lab_counter(env);
    if (!fail->message || !fail->until_file || !fail->failures ||
        !read_list(&fail->rows, params, "rows") || !read_list(&fail->calls, params, "calls")) {
        destroy(fail);
        return pex__lab_no_memory(err);
    }
    *instance = fail;
    return 0;
}

/* Takes one of `times` failures; false when none is left. */
static bool take_failure(const struct fail *fail)
{
    if (fail->until_file[0] && pex__lab_file_exists(fail->until_file))
        return false;
    return atomic_fetch_add_explicit(fail->failures, 1, memory_order_relaxed) < fail->times ||
           fail->times < 0;
}

static bool is_bad_row(const struct fail *fail, int64_t id, uint8_t state)
{
    return state == PEX_STATE_VALUE &&
           (has(&fail->rows, id) || (fail->every > 0 && id % fail->every == 0));
}

static int32_t fail_rows(const struct fail *fail, pex_batch *batch, const int64_t *ids,
                         const uint8_t *states, bool all)
{
    int32_t rc = 0;
    size_t count = pex_batch_rows(batch);
    for (size_t row = 0; !rc && row < count; row++)
        if (all || is_bad_row(fail, ids[row], states[row]))
            rc = pex_batch_fail_row(batch, row, PEX_EDATA, fail->message);
    return rc;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    struct fail *fail = instance;
    const int64_t *ids;
    const uint8_t *states;
    int32_t rc = pex_batch_int64(batch, FIELD_ID, &ids, &states);
    if (rc)
        return rc;
    size_t count = pex_batch_rows(batch);
    bool is_whole =
        has(&fail->calls, ++fail->call) || (fail->max_rows > 0 && count > (size_t)fail->max_rows);
    bool is_bad = is_whole;
    for (size_t row = 0; !is_bad && row < count; row++)
        is_bad = is_bad_row(fail, ids[row], states[row]);
    if (!is_bad || !take_failure(fail))
        return 0;
    if (fail->code)
        return pex_error_set(err, fail->code, "%s", fail->message);
    return fail_rows(fail, batch, ids, states, is_whole);
}

static const struct pex_param_def params_of_fail[] = {
    LAB_FIELD_PARAM,
    {.name = "rows",
     .default_json = "[]",
     .help = "Values of the field on which to fail.",
     .type = PEX_PARAM_INT64S},
    {.name = "every",
     .default_json = "0",
     .help = "Fail on rows whose field is a multiple of this; 0: no.",
     .min = 0,
     .max = 1e15,
     .type = PEX_PARAM_INT64},
    {.name = "calls",
     .default_json = "[]",
     .help = "Numbers of the calls of an instance, from 1, that fail as a whole.",
     .type = PEX_PARAM_INT64S},
    {.name = "max_rows",
     .default_json = "0",
     .help = "Calls with more rows fail as a whole; 0: no.",
     .min = 0,
     .max = 1e9,
     .type = PEX_PARAM_INT64},
    {.name = "code",
     .default_json = "\"row\"",
     .choices = "row|error|eagain|enomem|einstance|efatal",
     .help = "Fail the rows, or the call that has such a row, with this answer.",
     .type = PEX_PARAM_STRING},
    {.name = "times",
     .default_json = "-1",
     .help = "How many calls of the job fail before all succeed; -1: always.",
     .min = -1,
     .max = 1e15,
     .type = PEX_PARAM_INT64},
    {.name = "until_file",
     .default_json = "\"\"",
     .help = "Fail only as long as this file does not exist.",
     .type = PEX_PARAM_STRING},
    {.name = "message",
     .default_json = "\"lab_fail says so\"",
     .help = "The text of the failure.",
     .type = PEX_PARAM_STRING},
};

static const struct pex_field_def fields[] = {
    [FIELD_ID] = {.param = "field", .access = PEX_FIELD_READ},
};

const struct pex_operator pex__lab_fail_mapper = {
    LAB_HEAD,
    LAB_PARAMS(params_of_fail),
    LAB_FIELDS(fields),
    .name = "lab_fail_mapper",
    .help = "Fails on chosen rows or calls; a failed call may be repeated.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE,
    .create = create,
    .process = process,
    .destroy = destroy,
};

const struct pex_operator pex__lab_fail_once_mapper = {
    LAB_HEAD,
    LAB_PARAMS(params_of_fail),
    LAB_FIELDS(fields),
    .name = "lab_fail_once_mapper",
    .help = "As lab_fail_mapper, but a failed call must not be repeated.",
    .cardinality = PEX_ROW_TO_ROW,
    .create = create,
    .process = process,
    .destroy = destroy,
};
