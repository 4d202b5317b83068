/* SPDX-License-Identifier: Apache-2.0 */
#include "data/quarantine.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/edit.h"
#include "data/text.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Rejects of one row, by several attempts, lie in the order of their array. */
static int compare_rejects(const void *left, const void *right)
{
    const struct pex__reject *a = *(const struct pex__reject *const *)left;
    const struct pex__reject *b = *(const struct pex__reject *const *)right;
    int by_source = compare_numbers(a->id.source, b->id.source);
    int by_offset = compare_numbers(a->id.offset, b->id.offset);
    int by_child = compare_numbers(a->id.child, b->id.child);

    if (by_source != 0)
        return by_source;
    if (by_offset != 0)
        return by_offset;
    return by_child != 0 ? by_child : (a > b) - (a < b);
}

/* UTF-8 proper, so that any JSON reader takes it. */
static int is_utf8(const char *text, size_t length)
{
    const char *end = text + length;

    if (!pex__text_valid(text, length))
        return 0;
    while ((text = memchr(text, 0xED, (size_t)(end - text))) != NULL)
        if ((unsigned char)*++text >= 0xA0)
            return 0;
    return 1;
}

static int32_t add_base64(struct pex__buffer *out, const char *text, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = (const unsigned char *)text;
    char *to;

    if (pex__buffer_reserve(out, (length + 2) / 3 * 4) != 0)
        return PEX_ENOMEM;
    to = out->data + out->length;
    for (; length != 0; from += 3) {
        size_t count = length < 3 ? length : 3;
        uint32_t bits = (uint32_t)from[0] << 16 | (count > 1 ? (uint32_t)from[1] << 8 : 0) |
                        (count > 2 ? from[2] : 0);

        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = count > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = count > 2 ? digits[bits & 63] : '=';
        length -= count;
    }
    out->length = (size_t)(to - out->data);
    return 0;
}

static int32_t add_raw(struct pex__buffer *out, struct pex_string_view raw)
{
    const struct pex__new text = {.kind = PEX__NEW_STRING, .text = raw.data, .length = raw.length};
    int32_t failed;

    if (is_utf8(raw.data, raw.length)) {
        failed = pex__buffer_text(out, ",\"raw\":");
        return failed != 0 ? failed : pex__new_print(&text, out);
    }
    failed = pex__buffer_text(out, ",\"raw_base64\":\"");
    if (failed == 0)
        failed = add_base64(out, raw.data, raw.length);
    return failed != 0 ? failed : pex__buffer_text(out, "\"");
}

static int32_t add_name(struct pex__buffer *out, const char *name)
{
    return name != NULL ? pex__buffer_json(out, name, strlen(name)) : pex__buffer_text(out, "null");
}

static int32_t add_op(struct pex__buffer *out, const struct pex__reject *reject,
                      const char *const *operators)
{
    int32_t failed = add_name(out, reject->op >= 0 ? operators[reject->op] : NULL);

    if (failed != 0)
        return failed;
    return reject->op >= 0 ? pex__buffer_print(out, ",\"index\":%d", (int)reject->op)
                           : pex__buffer_text(out, ",\"index\":null");
}

/* What the records of one batch are made with. */
struct maker {
    const struct pex__batch *batch;
    const struct pex__input *input;
    struct pex__reader *reader;
    struct pex__slice slice; /* the reader's */
    const char *const *operators;
    struct pex__buffer *out;
};

static int32_t find_raw(struct maker *maker, const struct pex__reject *reject,
                        struct pex_string_view *raw, struct pex_error *err)
{
    if (maker->reader != NULL)
        return pex__reader_row(maker->reader, maker->input, &reject->id, &maker->slice, raw, err);
    *raw = pex__batch_reject_raw(maker->batch, reject);
    return 0;
}

static int32_t add_line(struct maker *maker, const struct pex__reject *reject,
                        struct pex_string_view raw)
{
    const struct pex__input *input = maker->input;
    const struct pex_row_id *id = &reject->id;
    struct pex__buffer *out = maker->out;
    int32_t failed = pex__buffer_text(out, "{\"source\":");

    if (failed == 0)
        failed = add_name(out, id->source < input->source_count ? input->sources[id->source].path
                                                                : NULL);
    if (failed == 0)
        failed = pex__buffer_print(out, ",\"offset\":%llu,\"child\":%u,\"operator\":",
                                   (unsigned long long)id->offset, (unsigned)id->child);
    if (failed == 0)
        failed = add_op(out, reject, maker->operators);
    if (failed == 0)
        failed =
            pex__buffer_print(out, ",\"attempt\":%d,\"code\":%d,\"message\":", (int)reject->attempt,
                              (int)reject->code);
    if (failed == 0)
        failed = add_name(out, reject->message);
    if (failed == 0)
        failed = add_raw(out, raw);
    return failed != 0 ? failed : pex__buffer_text(out, "}\n");
}

static int32_t add_record(struct maker *maker, const struct pex__reject *reject,
                          struct pex_error *err)
{
    struct pex__quarantine_head head = {reject->id, 0};
    struct pex__buffer *out = maker->out;
    struct pex_string_view raw;
    size_t at = out->length;
    int32_t failed = find_raw(maker, reject, &raw, err);

    if (failed != 0)
        return failed;
    if (pex__buffer_add(out, &head, sizeof head) != 0 || add_line(maker, reject, raw) != 0)
        return pex__error_memory(err);
    head.length = out->length - at - sizeof head;
    memcpy(out->data + at, &head, sizeof head);
    return 0;
}

int32_t pex__quarantine_records(const struct pex__batch *batch, const struct pex__input *input,
                                struct pex__reader *reader, const char *const *operators,
                                int keep_bad, struct pex__buffer *out, struct pex_error *err)
{
    struct maker maker = {batch, input, reader, {0}, operators, out};
    size_t count, kept = 0, before = out->length;
    const struct pex__reject *rejects = pex__batch_rejects(batch, &count), **sorted;
    int32_t failed = 0;

    if (count == 0)
        return 0;
    sorted = pex__malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return pex__error_memory(err);
    for (size_t i = 0; i < count; i++)
        if (rejects[i].op < 0 ? keep_bad : operators[rejects[i].op] != NULL)
            sorted[kept++] = &rejects[i];
    qsort(sorted, kept, sizeof *sorted, compare_rejects);
    for (size_t i = 0; i < kept && failed == 0; i++)
        failed = add_record(&maker, sorted[i], err);
    if (failed != 0)
        out->length = before;
    pex__slice_free(&maker.slice);
    pex__free(sorted);
    return failed;
}
