/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"
#include "operators.h"

/*
 * [A-Za-z0-9.+_-]+@[a-z0-9.+_-]+\.[a-z]+ in linear time: neither side of an @ holds another one, so
 * every character is looked at once from its left and once from its right.
 */
static bool is_local(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '+' || c == '_' || c == '-';
}

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_domain(char c)
{
    return is_local(c) && !(c >= 'A' && c <= 'Z');
}

/* End of the address whose domain starts here; 0 if it is none. It ends in the last label of small
 * letters that has something before its dot. */
static size_t domain_end(struct pex_string_view text, size_t start)
{
    size_t end = start, dot;
    while (end < text.length && is_domain(text.data[end]))
        end++;
    if (end < start + 3)
        return 0;
    for (dot = end - 2; dot > start; dot--)
        if (text.data[dot] == '.' && is_small(text.data[dot + 1]))
            break;
    if (dot == start)
        return 0;
    for (end = dot + 1; end < text.length && is_small(text.data[end]);)
        end++;
    return end;
}

static bool find_email(const struct pex__kernel *kernel, struct pex_string_view text, size_t from,
                       struct pex__span groups[PEX__SCAN_GROUPS_MAX])
{
    static const char at_sign[4] = "@@@@";
    for (size_t at = kernel->find_any(text.data, text.length, from, at_sign); at < text.length;
         at = kernel->find_any(text.data, text.length, at + 1, at_sign)) {
        size_t start = at, end = domain_end(text, at + 1);
        while (end && start > from && is_local(text.data[start - 1]))
            start--;
        if (end && start < at) {
            groups[0] = (struct pex__span){start, end};
            return true;
        }
    }
    return false;
}

static const struct pex__scanner scanner = {find_email, 1};

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    return pex__clean_create(&scanner, env, params, instance, err);
}

static const struct pex_param_def params[] = {
    PEX__CLEAN_PARAMS("an e-mail address", ""),
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__clean_email_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "clean_email_mapper",
    .version = "1",
    .help = "Removes e-mail addresses from the text, or replaces them.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = pex__clean_process,
    .destroy = pex__clean_destroy,
    .check = pex__clean_check,
};
