/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the digits of a text. Shows: parameters, values written in place, `user`. */
#include "operators.h"

#include <stdatomic.h>
#include <stdlib.h>

struct tally {
    _Atomic uint64_t digits; /* instances run side by side */
};

struct tally *tally_new(void)
{
    struct tally *tally = malloc(sizeof(*tally));

    if (tally != NULL)
        atomic_init(&tally->digits, 0);
    return tally;
}

void tally_free(void *tally)
{
    free(tally);
}

struct mask {
    struct tally *tally;
    char with;
};

enum { FIELD_TEXT };
static const struct pex_field_def fields[] = {
    [FIELD_TEXT] = {.param = "text_key",
                    .kind = PEX_FIELD_PATH,
                    .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

static const struct pex_param_def params[] = {
    {.name = "text_key",
     .type = PEX_PARAM_STRING,
     .default_json = "\"text\"",
     .help = "The field that holds the text."},
    {.name = "with",
     .type = PEX_PARAM_STRING,
     .default_json = "\"#\"",
     .help = "The ASCII character that takes the place of a digit."},
};

/* At submit, before any row: what is wrong whatever the rows is said here. */
static int32_t mask_check(const pex_params *given, struct pex_error *err)
{
    struct pex_string_view with;
    int32_t rc = pex_params_string(given, "with", &with);

    if (rc == 0 && (with.length != 1 || (unsigned char)with.data[0] >= 0x80))
        rc = pex_error_set(err, PEX_EINVAL, "with: found \"%.*s\", expected one ASCII character",
                           (int)with.length, with.data);
    return rc;
}

static int32_t mask_create(pex_env *env, const pex_params *given, void **instance,
                           struct pex_error *err)
{
    struct pex_string_view with;
    struct mask *mask;
    int32_t rc = pex_params_string(given, "with", &with);

    if (rc != 0)
        return rc;
    mask = malloc(sizeof(*mask));
    if (mask == NULL)
        return pex_error_set(err, PEX_ENOMEM, "no memory for an instance");
    mask->tally = pex_env_user(env);
    mask->with = with.data[0];
    *instance = mask;
    return 0;
}

static uint64_t copy_masked(char *to, struct pex_string_view text, char with)
{
    uint64_t digits = 0;

    for (size_t i = 0; i < text.length; i++) {
        int is_digit = text.data[i] >= '0' && text.data[i] <= '9';

        to[i] = is_digit ? with : text.data[i];
        digits += (uint64_t)is_digit;
    }
    return digits;
}

static int32_t mask_row(const struct mask *mask, pex_batch *batch, size_t row,
                        struct pex_string_view text)
{
    struct pex_string_view masked = {NULL, text.length};
    char *room = pex_batch_alloc(batch, FIELD_TEXT, text.length);
    uint64_t digits;

    if (room == NULL)
        return PEX_ENOMEM;
    digits = copy_masked(room, text, mask->with);
    if (digits == 0)
        return 0; /* the room goes back by itself */
    atomic_fetch_add_explicit(&mask->tally->digits, digits, memory_order_relaxed);
    masked.data = room;
    return pex_batch_set_string(batch, FIELD_TEXT, row, masked);
}

static int32_t mask_process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex_string_view *texts;
    const uint8_t *states;
    int32_t rc = pex_batch_strings(batch, FIELD_TEXT, &texts, &states);

    (void)err;
    for (size_t row = 0; rc == 0 && row < pex_batch_rows(batch); row++) {
        if (states[row] != PEX_STATE_VALUE)
            rc = pex_batch_fail_row(batch, row, PEX_EDATA, "the field is not a string");
        else if (texts[row].length > 0)
            rc = mask_row(instance, batch, row, texts[row]);
    }
    return rc;
}

const struct pex_operator mask_digits_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "mask_digits_mapper",
    .version = "1",
    .help = "Replaces every ASCII digit of the text.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = COUNT(params),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = COUNT(fields),
    .field_stride = sizeof(fields[0]),
    .create = mask_create,
    .process = mask_process,
    .destroy = free,
    .check = mask_check,
};
