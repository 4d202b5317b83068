/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

struct chinese_mapper {
    struct pex__mapper mapper;
    bool keeps_punctuation;
    uint8_t ascii[128]; /* 1: stays */
};

/* The first of them are ASCII. */
static const uint32_t punctuation[] = {'.',    ' ',    ',',    '-',    '%',    '*',    '/',
                                       '&',    '(',    ')',    '+',    '!',    0xFF0C, 0x3002,
                                       0x300A, 0x300B, 0x2022, 0x3001, 0xFF06, 0x2014, 0xFF08,
                                       0xFF09, 0xFF1A, 0xFF1F, 0xFF01, 0x201C, 0x201D, 0xB7};
#define PUNCTUATION_COUNT (sizeof(punctuation) / sizeof(punctuation[0]))

static bool keeps(const struct chinese_mapper *chinese, uint32_t point)
{
    if (point >= 0x4E00 && point <= 0x9FA5)
        return true;
    if (!chinese->keeps_punctuation)
        return false;
    for (size_t i = 0; i < PUNCTUATION_COUNT; i++)
        if (punctuation[i] == point)
            return true;
    return false;
}

/* Every byte is written, and counts only if it stays. */
static size_t copy_kept(const struct chinese_mapper *chinese, struct pex_string_view text,
                        char *out)
{
    size_t written = 0;
    for (size_t at = 0; at < text.length;) {
        uint64_t eight = ~(uint64_t)0;
        if (text.length - at >= sizeof(eight))
            memcpy(&eight, text.data + at, sizeof(eight));
        if (!(eight & 0x8080808080808080u)) {
            for (size_t i = 0; i < sizeof(eight); i++) {
                out[written] = text.data[at + i];
                written += chinese->ascii[(unsigned char)text.data[at + i]];
            }
            at += sizeof(eight);
            continue;
        }
        unsigned char byte = (unsigned char)text.data[at];
        if (byte < 0x80) {
            out[written] = (char)byte;
            written += chinese->ascii[byte];
            at++;
            continue;
        }
        size_t size;
        if (keeps(chinese, pex__decode(text.data + at, &size))) {
            memcpy(out + written, text.data + at, size);
            written += size;
        }
        at += size;
    }
    return written;
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct chinese_mapper *chinese = (const struct chinese_mapper *)(const void *)mapper;
    char *out = pex__map_room(at, at->text.length);
    if (!out)
        return PEX_ENOMEM;
    size_t length = copy_kept(chinese, at->text, out);
    return length == at->text.length ? 0 : pex__map_set(at, out, length);
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static void keep_range(struct chinese_mapper *chinese, char first, char last)
{
    for (int c = first; c <= last; c++)
        chinese->ascii[c] = 1;
}

static int32_t init(struct chinese_mapper *chinese, const pex_params *params, struct pex_error *err)
{
    int32_t alphabet, number, punc, rc;
    if ((rc = pex_params_bool(params, "keep_alphabet", &alphabet)) ||
        (rc = pex_params_bool(params, "keep_number", &number)) ||
        (rc = pex_params_bool(params, "keep_punc", &punc)))
        return pex_error_set(err, rc, "the parameters cannot be read");
    if (alphabet) {
        keep_range(chinese, 'a', 'z');
        keep_range(chinese, 'A', 'Z');
    }
    if (number)
        keep_range(chinese, '0', '9');
    for (size_t i = 0; punc && i < PUNCTUATION_COUNT && punctuation[i] < 0x80; i++)
        chinese->ascii[punctuation[i]] = 1;
    chinese->keeps_punctuation = punc;
    return pex__mapper_init(&chinese->mapper, params, err);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct chinese_mapper *chinese = calloc(1, sizeof(*chinese));
    if (!chinese)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = init(chinese, params, err);
    if (rc)
        free(chinese);
    else
        *instance = chinese;
    return rc;
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "keep_alphabet",
     .default_json = "true",
     .help = "Whether A to Z and a to z stay.",
     .type = PEX_PARAM_BOOL},
    {.name = "keep_number",
     .default_json = "true",
     .help = "Whether 0 to 9 stay.",
     .type = PEX_PARAM_BOOL},
    {.name = "keep_punc",
     .default_json = "true",
     .help = "Whether blanks and common Chinese and ASCII punctuation stay.",
     .type = PEX_PARAM_BOOL},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_non_chinese_character_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_non_chinese_character_mapper",
    .version = "1",
    .help = "Keeps Chinese characters, and letters, digits and punctuation if wanted.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = process,
    .destroy = pex__mapper_destroy,
};
