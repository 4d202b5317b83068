/* SPDX-License-Identifier: Apache-2.0 */
/* Text kernels for machines without any of our vector instructions, and the escape table of all. */
#include "data/isa.h"

#include "data/text_escapes.h"

#define UNICODE(digits)                                                                            \
    {                                                                                              \
        '\\', 'u', '0', '0', digits[0], digits[1], 0, 6                                            \
    }
#define SHORT(letter)                                                                              \
    {                                                                                              \
        '\\', letter, 0, 0, 0, 0, 0, 2                                                             \
    }

const char pex__text_escape_table[256][8] = {
    [0x00] = UNICODE("00"), [0x01] = UNICODE("01"), [0x02] = UNICODE("02"), [0x03] = UNICODE("03"),
    [0x04] = UNICODE("04"), [0x05] = UNICODE("05"), [0x06] = UNICODE("06"), [0x07] = UNICODE("07"),
    [0x08] = SHORT('b'),    [0x09] = SHORT('t'),    [0x0A] = SHORT('n'),    [0x0B] = UNICODE("0b"),
    [0x0C] = SHORT('f'),    [0x0D] = SHORT('r'),    [0x0E] = UNICODE("0e"), [0x0F] = UNICODE("0f"),
    [0x10] = UNICODE("10"), [0x11] = UNICODE("11"), [0x12] = UNICODE("12"), [0x13] = UNICODE("13"),
    [0x14] = UNICODE("14"), [0x15] = UNICODE("15"), [0x16] = UNICODE("16"), [0x17] = UNICODE("17"),
    [0x18] = UNICODE("18"), [0x19] = UNICODE("19"), [0x1A] = UNICODE("1a"), [0x1B] = UNICODE("1b"),
    [0x1C] = UNICODE("1c"), [0x1D] = UNICODE("1d"), [0x1E] = UNICODE("1e"), [0x1F] = UNICODE("1f"),
    ['"'] = SHORT('"'),     ['\\'] = SHORT('\\'),
};

const char pex__text_letter_table[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static size_t decode(const char *text, size_t length, char *out)
{
    const char *end = text + length, *next;
    char *to = out;
    size_t used;

    while ((next = memchr(text, '\\', (size_t)(end - text))) != NULL) {
        memcpy(to, text, (size_t)(next - text));
        to += next - text;
        to += pex__unescape(next, end, to, &used);
        text = next + used;
    }
    memcpy(to, text, (size_t)(end - text));
    return (size_t)(to - out) + (size_t)(end - text);
}

static int needs_escape(const char *text, size_t left)
{
    return pex__text_escape_table[(unsigned char)*text][7] != 0 || pex__is_surrogate(text, left);
}

static size_t escape(const char *text, size_t length, char *out)
{
    const char *end = text + length;
    char *to = out;
    size_t used;

    while (text < end) {
        if (needs_escape(text, (size_t)(end - text))) {
            to += pex__escape_one(text, to, &used);
            text += used;
        } else {
            *to++ = *text++;
        }
    }
    return (size_t)(to - out);
}

static size_t escaped_bound(const char *text, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += (size_t)needs_escape(text + i, length - i);
    return length + 5 * count;
}

static int valid(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    size_t step;

    for (; p < end; p += step) {
        step = *p < 0x80 ? 1 : pex__utf8_length(p, end, 1);
        if (step == 0)
            return 0;
    }
    return 1;
}

const struct pex__kernels pex__kernels_plain = {
    .decode = decode,
    .escape = escape,
    .escaped_bound = escaped_bound,
    .valid = valid,
};
