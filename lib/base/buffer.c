/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int32_t pex__buffer_reserve(struct pex__buffer *buffer, size_t more)
{
    if (more > SIZE_MAX - buffer->length)
        return PEX_ENOMEM;
    return pex__heap_grow(buffer->heap, &buffer->data, &buffer->capacity, buffer->length + more, 1);
}

int32_t pex__buffer_add(struct pex__buffer *buffer, const void *data, size_t length)
{
    if (pex__buffer_reserve(buffer, length) != 0)
        return PEX_ENOMEM;
    if (length != 0)
        memcpy(buffer->data + buffer->length, data, length);
    buffer->length += length;
    return 0;
}

int32_t pex__buffer_text(struct pex__buffer *buffer, const char *text)
{
    return pex__buffer_add(buffer, text, strlen(text));
}

int32_t pex__buffer_print(struct pex__buffer *buffer, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || pex__buffer_reserve(buffer, (size_t)length + 1) != 0)
        return PEX_ENOMEM;
    va_start(args, format);
    vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, args);
    va_end(args);
    buffer->length += (size_t)length;
    return 0;
}

/* Length of the valid UTF-8 sequence at p (1 to 4), or 0. */
static size_t sequence(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xC2 && p[0] < 0xE0 && left >= 2 && (p[1] & 0xC0) == 0x80)
        return 2;
    if (p[0] >= 0xE0 && p[0] < 0xF0 && left >= 3 && (p[1] & 0xC0) == 0x80 &&
        (p[2] & 0xC0) == 0x80 && !(p[0] == 0xE0 && p[1] < 0xA0) && !(p[0] == 0xED && p[1] >= 0xA0))
        return 3;
    if (p[0] >= 0xF0 && p[0] < 0xF5 && left >= 4 && (p[1] & 0xC0) == 0x80 &&
        (p[2] & 0xC0) == 0x80 && (p[3] & 0xC0) == 0x80 && !(p[0] == 0xF0 && p[1] < 0x90) &&
        !(p[0] == 0xF4 && p[1] >= 0x90))
        return 4;
    return 0;
}

static int32_t add_escaped(struct pex__buffer *buffer, unsigned char c)
{
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    const char *at = c != '\0' ? strchr(names, c) : NULL;

    if (at != NULL && (at - names) % 2 == 0)
        return pex__buffer_print(buffer, "\\%c", at[1]);
    return pex__buffer_print(buffer, "\\u%04x", c);
}

int32_t pex__buffer_json(struct pex__buffer *buffer, const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    int32_t failed = pex__buffer_add(buffer, "\"", 1);

    for (size_t i = 0, n; i < length && failed == 0; i += n) {
        n = sequence(p + i, length - i);
        if (n == 1 && (p[i] < 0x20 || p[i] == '"' || p[i] == '\\'))
            failed = add_escaped(buffer, p[i]);
        else if (n != 0)
            failed = pex__buffer_add(buffer, p + i, n);
        else
            failed = pex__buffer_add(buffer, "\xEF\xBF\xBD", 3);
        if (n == 0)
            n = 1;
    }
    return failed != 0 ? failed : pex__buffer_add(buffer, "\"", 1);
}

int32_t pex__buffer_seconds(struct pex__buffer *buffer, int64_t ns)
{
    return pex__buffer_print(buffer, "%lld.%06lld", (long long)(ns / 1000000000),
                             (long long)(ns % 1000000000 / 1000));
}

int32_t pex__buffer_give(struct pex__buffer *buffer, char **text)
{
    if (pex__buffer_add(buffer, "", 1) != 0) {
        pex__buffer_free(buffer);
        return PEX_ENOMEM;
    }
    *text = buffer->data;
    *buffer = (struct pex__buffer){.heap = buffer->heap};
    return 0;
}

void pex__buffer_free(struct pex__buffer *buffer)
{
    pex__free(buffer->data);
    *buffer = (struct pex__buffer){.heap = buffer->heap};
}
