/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"
#include "operators.h"
#include "unicode.h"

/*
 * Four octets with dots, or eight groups of hexadecimal digits with colons, anywhere. A match has
 * its first separator within four digits of its start, so every separator is tried with the few
 * starts before it: the first separator with a match has the first match.
 */
static bool is_ascii_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Size of the longest octet at `at`; 0 if there is none. It has no needless zero before it. */
static size_t octet_size(struct pex_string_view text, size_t at)
{
    size_t size = 0, value = 0;
    while (size < 3 && at + size < text.length && is_ascii_digit(text.data[at + size])) {
        size_t more = value * 10 + (size_t)(text.data[at + size] - '0');
        if (more > 255 || (size > 0 && value == 0))
            break;
        value = more;
        size++;
    }
    return size;
}

/* End of the address at `at`; 0 if there is none. */
static size_t octets_end(struct pex_string_view text, size_t at)
{
    for (size_t i = 0; i < 3; i++) {
        size_t size = octet_size(text, at);
        if (!size || at + size >= text.length || text.data[at + size] != '.')
            return 0;
        at += size + 1;
    }
    size_t size = octet_size(text, at);
    return size ? at + size : 0;
}

/* Size of the hexadecimal digit at `at`, where any decimal digit of Unicode will do; 0: none. */
static size_t hex_size(struct pex_string_view text, size_t at)
{
    size_t size;
    if (at >= text.length)
        return 0;
    char letter = text.data[at] | 0x20;
    uint32_t point = pex__decode(text.data + at, &size);
    return (letter >= 'a' && letter <= 'f') || (pex__unicode_class(point) & PEX__DIGIT) ? size : 0;
}

/* End of one to four hexadecimal digits; `at` itself if there is none. */
static size_t hex_end(struct pex_string_view text, size_t at)
{
    for (size_t i = 0, size; i < 4 && (size = hex_size(text, at)); i++)
        at += size;
    return at;
}

/* As octets_end; *last is the seventh group with its colon. */
static size_t groups_end(struct pex_string_view text, size_t at, struct pex__span *last)
{
    for (size_t i = 0; i < 7; i++) {
        size_t end = hex_end(text, at);
        if (end == at || end >= text.length || text.data[end] != ':')
            return 0;
        *last = (struct pex__span){at, end + 1};
        at = end + 1;
    }
    size_t end = hex_end(text, at);
    return end > at ? end : 0;
}

/* The first of the starts before a separator that has a match. */
static bool try_separator(struct pex_string_view text, size_t from, size_t separator,
                          struct pex__span *groups)
{
    bool is_dot = text.data[separator] == '.';
    size_t starts[4], count = 0, at = separator;
    while (count < (is_dot ? 3 : 4) && at > from) {
        size_t start;
        pex__decode_before(text.data, at, &start);
        if (is_dot ? !is_ascii_digit(text.data[start]) : !hex_size(text, start))
            break;
        starts[count++] = at = start;
    }
    while (count-- > 0) {
        groups[1] = (struct pex__span){0, 0};
        size_t end =
            is_dot ? octets_end(text, starts[count]) : groups_end(text, starts[count], &groups[1]);
        if (end) {
            groups[0] = (struct pex__span){starts[count], end};
            return true;
        }
    }
    return false;
}

static bool find_ip(const struct pex__kernel *kernel, struct pex_string_view text, size_t from,
                    struct pex__span groups[PEX__SCAN_GROUPS_MAX])
{
    static const char separators[4] = ".:::";
    for (size_t at = kernel->find_any(text.data, text.length, from, separators); at < text.length;
         at = kernel->find_any(text.data, text.length, at + 1, separators))
        if (try_separator(text, from, at, groups))
            return true;
    return false;
}

static const struct pex__scanner scanner = {find_ip, 2};

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    return pex__clean_create(&scanner, env, params, instance, err);
}

static const struct pex_param_def params[] = {
    PEX__CLEAN_PARAMS("an IP address", ""),
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__clean_ip_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "clean_ip_mapper",
    .version = "1",
    .help = "Removes IP addresses from the text, or replaces them.",
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
