/* SPDX-License-Identifier: Apache-2.0 */
#include "data/edit.h"

#include "data/batch.h"
#include "data/edit_walk.h"
#include "data/number.h"
#include "data/text.h"

#include <string.h>

/* A set or removal on its way down the keys. */
struct task {
    char *const *keys;
    size_t depth;
    const struct pex__new *value;
    const struct pex__buffer *json; /* the value as text */
    struct pex__buffer *out;
};

static int32_t copy(struct pex__buffer *out, const char *text, size_t begin, size_t end)
{
    return pex__buffer_add(out, text + begin, end - begin);
}

int32_t pex__new_print(const struct pex__new *value, struct pex__buffer *out)
{
    size_t bound;

    switch (value->kind) {
    case PEX__NEW_JSON:
        return pex__buffer_add(out, value->text, value->length);
    case PEX__NEW_BOOL:
        return pex__buffer_text(out, value->int64 != 0 ? "true" : "false");
    case PEX__NEW_STRING:
        bound = pex__text_escaped_bound(value->text, value->length);
        if (pex__buffer_reserve(out, bound + PEX__TEXT_SLACK + 2) != 0)
            return PEX_ENOMEM;
        out->data[out->length++] = '"';
        out->length += pex__text_escape(value->text, value->length, out->data + out->length);
        out->data[out->length++] = '"';
        return 0;
    default:
        if (pex__buffer_reserve(out, PEX__NUMBER_TEXT) != 0)
            return PEX_ENOMEM;
        out->length += value->kind == PEX__NEW_INT64
                           ? pex__number_print_int64(value->int64, out->data + out->length)
                           : pex__number_print_double(value->float64, out->data + out->length);
        return 0;
    }
}

static int is_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

int pex__new_equals(const struct pex__new *value, const char *json, size_t length)
{
    int64_t int64;
    double float64;

    switch (value->kind) {
    case PEX__NEW_JSON:
        return length == value->length && memcmp(json, value->text, length) == 0;
    case PEX__NEW_BOOL:
        return *json == (value->int64 != 0 ? 't' : 'f');
    case PEX__NEW_STRING:
        return *json == '"' && pex__string_spells(json, length, value->text, value->length);
    case PEX__NEW_INT64:
        return is_number(*json) && pex__number_int64(json, length, &int64) && int64 == value->int64;
    default:
        if (!is_number(*json))
            return 0;
        float64 = pex__number_double(json, length);
        return memcmp(&float64, &value->float64, sizeof float64) == 0;
    }
}

static int32_t print_key(const char *key, struct pex__buffer *out)
{
    const struct pex__new name = {.kind = PEX__NEW_STRING, .text = key, .length = strlen(key)};
    int32_t failed = pex__new_print(&name, out);

    return failed != 0 ? failed : pex__buffer_add(out, ":", 1);
}

/* The value, wrapped into the objects that keys[0 .. depth) name. */
static int32_t print_nested(const struct task *task, char *const *keys, size_t depth)
{
    int32_t failed = 0;

    for (size_t i = 0; i < depth && failed == 0; i++) {
        failed = pex__buffer_add(task->out, "{", 1);
        if (failed == 0)
            failed = print_key(keys[i], task->out);
    }
    if (failed == 0)
        failed = pex__buffer_add(task->out, task->json->data, task->json->length);
    for (size_t i = 0; i < depth && failed == 0; i++)
        failed = pex__buffer_add(task->out, "}", 1);
    return failed;
}

static int32_t append(const struct task *task, const char *object, size_t length)
{
    int is_empty;
    size_t at = pex__edit_insertion(object, length, &is_empty);
    int32_t failed = copy(task->out, object, 0, at);

    if (failed == 0 && !is_empty)
        failed = pex__buffer_add(task->out, ",", 1);
    if (failed == 0)
        failed = print_key(task->keys[0], task->out);
    if (failed == 0)
        failed = print_nested(task, task->keys + 1, task->depth - 1);
    return failed != 0 ? failed : copy(task->out, object, at, length);
}

/* Removes the first `count` fields with this key; *copied: how far the object was copied. */
static int32_t remove_fields(struct pex__buffer *out, const char *object, size_t length,
                             const char *key, size_t count, size_t *copied)
{
    struct pex__members members = pex__members_of(object, length);
    struct pex__member member;
    size_t key_length = strlen(key), from = 0, before = 0, until;
    int32_t failed = 0;
    int has_kept = 0;

    for (; count != 0 && failed == 0 && pex__members_next(&members, &member); before = member.end) {
        if (from != 0 && !has_kept)
            from = member.key_begin;
        if (!pex__member_is(&members, &member, key, key_length)) {
            has_kept = 1;
            continue;
        }
        until = member.key_begin;
        if (has_kept)
            until = (size_t)((const char *)memchr(object + before, ',', length - before) - object);
        failed = copy(out, object, from, until);
        from = member.end;
        count--;
    }
    if (from != 0 && !has_kept && pex__members_next(&members, &member))
        from = member.key_begin;
    *copied = from;
    return failed;
}

/* What to do with one key of an object. */
struct place {
    size_t count; /* fields with this key */
    size_t begin; /* the last one's value */
    size_t end;
};

static struct place find(const char *object, size_t length, const char *key)
{
    struct place place = {0, 0, 0};

    place.count = pex__edit_count(object, length, key, &place.begin, &place.end);
    place.end += place.begin;
    return place;
}

/* The object up to the last value, without the fields of the same key in front of it. */
static int32_t copy_head(const struct task *task, const char *object, size_t length,
                         const struct place *place)
{
    size_t copied;
    int32_t failed =
        remove_fields(task->out, object, length, task->keys[0], place->count - 1, &copied);

    return failed != 0 ? failed : copy(task->out, object, copied, place->begin);
}

static int32_t change(const struct task *task, const char *object, size_t length, int *changed);

/* The last value is an object, and the keys go on in it. */
static int32_t change_below(const struct task *task, const char *object, size_t length,
                            const struct place *place, int *changed)
{
    struct task below = *task;
    size_t before = task->out->length;
    int32_t failed = copy_head(task, object, length, place);

    below.keys++;
    below.depth--;
    if (failed == 0)
        failed = change(&below, object + place->begin, place->end - place->begin, changed);
    if (failed == 0 && *changed)
        failed = copy(task->out, object, place->end, length);
    if (failed != 0 || !*changed)
        task->out->length = before;
    return failed;
}

static int32_t replace(const struct task *task, const char *object, size_t length,
                       const struct place *place)
{
    int32_t failed = copy_head(task, object, length, place);

    if (failed == 0)
        failed = print_nested(task, task->keys + 1, task->depth - 1);
    return failed != 0 ? failed : copy(task->out, object, place->end, length);
}

static int32_t remove_all(const struct task *task, const char *object, size_t length,
                          const struct place *place)
{
    size_t copied;
    int32_t failed = remove_fields(task->out, object, length, task->keys[0], place->count, &copied);

    return failed != 0 ? failed : copy(task->out, object, copied, length);
}

/* Writes the changed object to task->out and sets *changed, or leaves both. */
static int32_t change(const struct task *task, const char *object, size_t length, int *changed)
{
    struct place place = find(object, length, task->keys[0]);
    const struct pex__new *value = task->value;
    int is_removal = value->kind == PEX__NEW_NONE;

    if (place.count != 0 && task->depth > 1 && object[place.begin] == '{')
        return change_below(task, object, length, &place, changed);
    if (is_removal && (place.count == 0 || task->depth > 1))
        return 0;
    if (place.count != 0 && task->depth == 1 && !is_removal && !value->is_forced &&
        pex__new_equals(value, object + place.begin, place.end - place.begin))
        return 0;
    *changed = 1;
    if (is_removal)
        return remove_all(task, object, length, &place);
    return place.count != 0 ? replace(task, object, length, &place) : append(task, object, length);
}

int32_t pex__edit_begin(struct pex__edit *edit, const char *row, size_t length)
{
    struct place place = find(row, length, PEX__STATS_KEY);
    size_t copied;

    edit->object.length = 0;
    edit->stats.length = 0;
    if (place.count == 0)
        return pex__buffer_add(&edit->object, row, length);
    if (copy(&edit->stats, row, place.begin, place.end) != 0 ||
        remove_fields(&edit->object, row, length, PEX__STATS_KEY, place.count, &copied) != 0)
        return PEX_ENOMEM;
    return copy(&edit->object, row, copied, length);
}

static void swap(struct pex__buffer *a, struct pex__buffer *b)
{
    struct pex__buffer old = *a;

    *a = *b;
    *b = old;
}

/* The whole stats object is set or removed. */
static int32_t change_all_stats(struct pex__edit *edit, const struct task *task, int *changed)
{
    struct pex__buffer *stats = &edit->stats;

    if (task->value->kind == PEX__NEW_NONE
            ? stats->length == 0
            : stats->length != 0 && !task->value->is_forced &&
                  pex__new_equals(task->value, stats->data, stats->length))
        return 0;
    *changed = 1;
    return pex__buffer_add(task->out, edit->json.data, edit->json.length);
}

static int32_t change_stats(struct pex__edit *edit, const struct task *task, int *changed)
{
    if (task->depth == 0)
        return change_all_stats(edit, task, changed);
    if (edit->stats.length != 0 && *edit->stats.data == '{')
        return change(task, edit->stats.data, edit->stats.length, changed);
    if (task->value->kind == PEX__NEW_NONE)
        return 0;
    *changed = 1;
    return print_nested(task, task->keys, task->depth);
}

int32_t pex__edit_apply(struct pex__edit *edit, char *const *keys, size_t depth,
                        const struct pex__new *value, int *changed)
{
    int is_stats = strcmp(keys[0], PEX__STATS_KEY) == 0, is_changed = 0;
    struct pex__buffer *target = is_stats ? &edit->stats : &edit->object;
    struct task task = {keys, depth, value, &edit->json, &edit->scratch};
    int32_t failed = 0;

    edit->json.length = 0;
    edit->scratch.length = 0;
    if (value->kind != PEX__NEW_NONE)
        failed = pex__new_print(value, &edit->json);
    if (is_stats) {
        task.keys++;
        task.depth--;
    }
    if (failed == 0 && is_stats)
        failed = change_stats(edit, &task, &is_changed);
    else if (failed == 0)
        failed = change(&task, target->data, target->length, &is_changed);
    if (failed != 0 || !is_changed)
        return failed;
    swap(target, &edit->scratch);
    if (changed != NULL)
        *changed = 1;
    return 0;
}

int32_t pex__edit_end(struct pex__edit *edit, int keep_stats, struct pex__buffer *out)
{
    char stats_key[] = PEX__STATS_KEY, *keys[] = {stats_key};
    struct pex__buffer *object = &edit->object;
    struct task task = {keys, 1, NULL, &edit->stats, out};

    if (!keep_stats || edit->stats.length == 0)
        return pex__buffer_add(out, object->data, object->length);
    return append(&task, object->data, object->length);
}

size_t pex__edit_bytes(const struct pex__edit *edit)
{
    return edit->object.capacity + edit->stats.capacity + edit->json.capacity +
           edit->scratch.capacity;
}

void pex__edit_init(struct pex__edit *edit, const struct pex__heap *heap)
{
    struct pex__buffer empty = {.heap = heap};

    *edit = (struct pex__edit){.object = empty, .stats = empty, .json = empty, .scratch = empty};
}

void pex__edit_free(struct pex__edit *edit)
{
    pex__buffer_free(&edit->object);
    pex__buffer_free(&edit->stats);
    pex__buffer_free(&edit->json);
    pex__buffer_free(&edit->scratch);
}
