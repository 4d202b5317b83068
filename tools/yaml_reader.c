/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_reader.h"
#include "yaml_scalar.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

enum { DEPTH_MAX = 200 };
/* Bytes of text and nodes after aliases are expanded: a job is small, an expansion attack is not.
 */
static const size_t weight_max = (size_t)16 << 20;

#define CORE_TAG "tag:yaml.org,2002:"

struct anchor {
    char *name;
    json_t *value; /* NULL while its node is being read */
    size_t weight;
};

struct reader {
    const char *text;
    size_t length;
    yaml_parser_t parser;
    struct anchor *anchors;
    size_t anchor_count;
    size_t weight; /* of all that was read, aliases at full weight */
    int depth;
    struct yaml_error *error;
};

/* A mapping being read. */
struct mapping {
    json_t *own;    /* keys that stand in it */
    json_t *merged; /* keys that << brings; own ones win */
    json_t *lines;  /* key -> line on which it stood */
};

static json_t *read_node(struct reader *reader, yaml_event_t *event);

/* Returns NULL, so that a reader of nodes can return it. */
static json_t *fail(struct reader *reader, yaml_mark_t mark, const char *format, ...)
    __attribute__((__format__(__printf__, 3, 4)));

static json_t *fail(struct reader *reader, yaml_mark_t mark, const char *format, ...)
{
    va_list args;

    reader->error->line = mark.line + 1;
    reader->error->column = mark.column + 1;
    va_start(args, format);
    vsnprintf(reader->error->message, sizeof(reader->error->message), format, args);
    va_end(args);
    return NULL;
}

static json_t *fail_memory(struct reader *reader)
{
    return fail(reader, reader->parser.mark, "out of memory");
}

/* The parser's own marks stop short of bytes that are no characters. */
static yaml_mark_t mark_of_byte(const struct reader *reader, size_t offset)
{
    yaml_mark_t mark = {0};

    for (size_t i = 0; i < offset && i < reader->length; i++) {
        mark.column = reader->text[i] == '\n' ? 0 : mark.column + 1;
        mark.line += reader->text[i] == '\n';
    }
    return mark;
}

static void fail_syntax(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "not YAML";

    if (parser->error == YAML_MEMORY_ERROR) {
        fail_memory(reader);
    } else if (parser->error == YAML_READER_ERROR) {
        fail(reader, mark_of_byte(reader, parser->problem_offset), "%s; expected UTF-8", problem);
    } else {
        fail(reader, parser->problem_mark, "%s%s%s", problem, parser->context ? " " : "",
             parser->context ? parser->context : "");
    }
}

static int next_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event))
        return 0;
    fail_syntax(reader);
    return -1;
}

static int add_weight(struct reader *reader, yaml_mark_t mark, size_t weight)
{
    reader->weight += weight;
    if (reader->weight <= weight_max)
        return 0;
    fail(reader, mark, "the document is larger than %zu MiB once its aliases are expanded",
         weight_max >> 20);
    return -1;
}

static struct anchor *find_anchor(struct reader *reader, const char *name)
{
    for (size_t i = reader->anchor_count; i > 0; i--) {
        if (strcmp(reader->anchors[i - 1].name, name) == 0)
            return &reader->anchors[i - 1];
    }
    return NULL;
}

/* Writes its index to *index; a node without an anchor gets SIZE_MAX. */
static int open_anchor(struct reader *reader, const yaml_char_t *name, size_t *index)
{
    struct anchor *anchors;

    *index = SIZE_MAX;
    if (!name)
        return 0;
    anchors = realloc(reader->anchors, (reader->anchor_count + 1) * sizeof(*anchors));
    if (!anchors)
        return -1;
    reader->anchors = anchors;
    anchors[reader->anchor_count] = (struct anchor){.name = strdup((const char *)name)};
    if (!anchors[reader->anchor_count].name)
        return -1;
    *index = reader->anchor_count++;
    return 0;
}

static json_t *read_alias(struct reader *reader, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const struct anchor *anchor = find_anchor(reader, name);

    if (!anchor)
        return fail(reader, event->start_mark, "alias *%s: no anchor &%s before it", name, name);
    if (!anchor->value)
        return fail(reader, event->start_mark, "alias *%s stands inside of what it names", name);
    if (add_weight(reader, event->start_mark, anchor->weight))
        return NULL;
    return json_incref(anchor->value);
}

static int has_tag(const yaml_event_t *event, const char *name)
{
    return strcmp((const char *)event->data.scalar.tag + strlen(CORE_TAG), name) == 0;
}

static int is_core_tag(const yaml_char_t *tag)
{
    return strncmp((const char *)tag, CORE_TAG, strlen(CORE_TAG)) == 0;
}

/* A scalar with a tag of its own: !!str takes the text, the others what resolving it gives. */
static json_t *tagged_scalar(struct reader *reader, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const char *problem;
    json_t *value;

    if (!is_core_tag(event->data.scalar.tag))
        return fail(reader, event->start_mark, "tag %s means nothing in a job; remove it",
                    (const char *)event->data.scalar.tag);
    if (has_tag(event, "str"))
        return json_string(text);
    value = yaml_scalar_resolve(text, &problem);
    if (!value)
        return fail(reader, event->start_mark, "\"%.100s\" %s", text, problem);
    if ((has_tag(event, "int") && json_is_integer(value)) ||
        (has_tag(event, "float") && json_is_number(value)) ||
        (has_tag(event, "bool") && json_is_boolean(value)) ||
        (has_tag(event, "null") && json_is_null(value)))
        return value;
    json_decref(value);
    return fail(reader, event->start_mark, "\"%.100s\" is not what its tag !!%s says", text,
                (const char *)event->data.scalar.tag + strlen(CORE_TAG));
}

static json_t *read_scalar(struct reader *reader, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    const char *problem = "cannot be kept: out of memory";
    json_t *value;

    if (strlen(text) != length)
        return fail(reader, event->start_mark, "a NUL character in a text; expected none");
    if (add_weight(reader, event->start_mark, length + 1))
        return NULL;
    /* A lone ! asks for what the text would be without a tag. */
    if (event->data.scalar.tag && strcmp((const char *)event->data.scalar.tag, "!") != 0)
        return tagged_scalar(reader, event);
    value =
        event->data.scalar.plain_implicit ? yaml_scalar_resolve(text, &problem) : json_string(text);
    return value ? value : fail(reader, event->start_mark, "\"%.100s\" %s", text, problem);
}

static json_t *read_sequence(struct reader *reader)
{
    json_t *list = json_array();
    yaml_event_t event;

    while (list && next_event(reader, &event) == 0) {
        json_t *item;

        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return list;
        }
        item = read_node(reader, &event);
        if (!item)
            break;
        if (json_array_append_new(list, item)) {
            fail_memory(reader);
            break;
        }
    }
    json_decref(list);
    return NULL;
}

/* What << names: a mapping, or a list of mappings of which the first wins. */
static int merge(struct reader *reader, yaml_mark_t mark, struct mapping *mapping, json_t *from)
{
    if (json_is_object(from))
        return json_object_update_missing(mapping->merged, from);
    for (size_t i = 0; json_is_array(from) && i < json_array_size(from); i++) {
        json_t *item = json_array_get(from, i);

        if (!json_is_object(item) || json_object_update_missing(mapping->merged, item))
            from = NULL;
    }
    if (json_is_array(from))
        return 0;
    fail(reader, mark, "<< needs a mapping or a list of mappings, as in <<: *name");
    return -1;
}

static int note_key(struct reader *reader, yaml_mark_t mark, struct mapping *mapping,
                    const char *key)
{
    const json_t *line = json_object_get(mapping->lines, key);

    if (line) {
        fail(reader, mark, "duplicate key \"%.200s\", first on line %lld; keep one of them", key,
             (long long)json_integer_value(line));
        return -1;
    }
    if (json_object_set_new(mapping->lines, key, json_integer((json_int_t)mark.line + 1))) {
        fail_memory(reader);
        return -1;
    }
    return 0;
}

/* The key as text in *key, to be freed, and whether it is the merge key. */
static int read_key(struct reader *reader, yaml_event_t *event, char **key, int *is_merge)
{
    json_t *value = NULL;

    *key = NULL;
    *is_merge = 0;
    if (event->type == YAML_SCALAR_EVENT && event->data.scalar.plain_implicit)
        *is_merge = strcmp((const char *)event->data.scalar.value, "<<") == 0;
    if (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor)
        fail(reader, event->start_mark, "an anchor on a key; put it on the value");
    else if (event->type == YAML_SCALAR_EVENT)
        value = read_scalar(reader, event);
    else
        fail(reader, event->start_mark, "a key that is not a text; expected key: value");
    if (value && !json_is_string(value))
        fail(reader, event->start_mark, "key %.100s is not a text; write it in quotes",
             (const char *)event->data.scalar.value);
    else if (value && !(*key = strdup(json_string_value(value))))
        fail_memory(reader);
    json_decref(value);
    yaml_event_delete(event);
    return *key ? 0 : -1;
}

/* One pair of a mapping; event is that of its key. */
static int read_pair(struct reader *reader, struct mapping *mapping, yaml_event_t *event)
{
    yaml_mark_t mark = event->start_mark;
    yaml_event_t value_event;
    json_t *value;
    int is_merge, result = -1;
    char *key;

    if (read_key(reader, event, &key, &is_merge))
        return -1;
    if (note_key(reader, mark, mapping, key) == 0 && next_event(reader, &value_event) == 0) {
        value = read_node(reader, &value_event);
        if (value && is_merge)
            result = merge(reader, mark, mapping, value);
        else if (value && !(result = json_object_set(mapping->own, key, value)))
            result = 0;
        else if (value)
            fail_memory(reader);
        json_decref(value);
    }
    free(key);
    return result ? -1 : 0;
}

static json_t *close_mapping(struct mapping *mapping, int is_complete)
{
    json_t *result = NULL;

    if (is_complete && json_object_update(mapping->merged, mapping->own) == 0)
        result = json_incref(mapping->merged);
    json_decref(mapping->own);
    json_decref(mapping->merged);
    json_decref(mapping->lines);
    return result;
}

static json_t *read_mapping(struct reader *reader)
{
    struct mapping mapping = {json_object(), json_object(), json_object()};
    int is_complete = 0;
    yaml_event_t event;
    json_t *result;

    while (!is_complete && next_event(reader, &event) == 0) {
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            is_complete = 1;
        } else if (read_pair(reader, &mapping, &event)) {
            break;
        }
    }
    result = close_mapping(&mapping, is_complete);
    return result || !is_complete ? result : fail_memory(reader);
}

static json_t *read_collection(struct reader *reader, const yaml_event_t *event)
{
    int is_mapping = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag =
        is_mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    json_t *value;

    if (tag && strcmp((const char *)tag, is_mapping ? YAML_MAP_TAG : YAML_SEQ_TAG) != 0)
        return fail(reader, event->start_mark, "tag %s means nothing in a job; remove it",
                    (const char *)tag);
    if (reader->depth == DEPTH_MAX)
        return fail(reader, event->start_mark, "nested deeper than %d levels", DEPTH_MAX);
    if (add_weight(reader, event->start_mark, 1))
        return NULL;
    reader->depth++;
    value = is_mapping ? read_mapping(reader) : read_sequence(reader);
    reader->depth--;
    return value;
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

/* The node that begins with event, which is deleted. */
static json_t *read_node(struct reader *reader, yaml_event_t *event)
{
    size_t weight = reader->weight;
    size_t index;
    json_t *value = NULL;

    if (open_anchor(reader, anchor_of(event), &index))
        fail_memory(reader);
    else if (event->type == YAML_ALIAS_EVENT)
        value = read_alias(reader, event);
    else if (event->type == YAML_SCALAR_EVENT)
        value = read_scalar(reader, event);
    else
        value = read_collection(reader, event);
    if (value && index != SIZE_MAX) {
        reader->anchors[index].value = json_incref(value);
        reader->anchors[index].weight = reader->weight - weight;
    }
    yaml_event_delete(event);
    return value;
}

/* Skips an event that must be of this type. */
static int expect(struct reader *reader, yaml_event_type_t type, const char *problem)
{
    yaml_event_t event;
    int is_expected;

    if (next_event(reader, &event))
        return -1;
    is_expected = event.type == type;
    if (!is_expected)
        fail(reader, event.start_mark, "%s", problem);
    yaml_event_delete(&event);
    return is_expected ? 0 : -1;
}

static json_t *read_document(struct reader *reader)
{
    yaml_event_t event;
    json_t *root;

    if (expect(reader, YAML_STREAM_START_EVENT, "not a YAML stream") ||
        expect(reader, YAML_DOCUMENT_START_EVENT, "the file is empty; expected keys of a job") ||
        next_event(reader, &event))
        return NULL;
    if (event.type != YAML_MAPPING_START_EVENT) {
        fail(reader, event.start_mark, "expected keys of a job, as in `dataset_path: rows.jsonl`");
        yaml_event_delete(&event);
        return NULL;
    }
    root = read_node(reader, &event);
    if (root && (expect(reader, YAML_DOCUMENT_END_EVENT, "text after the end of the job") ||
                 expect(reader, YAML_STREAM_END_EVENT,
                        "a second document; a job is one document, without `---` in between"))) {
        json_decref(root);
        return NULL;
    }
    return root;
}

static void close_reader(struct reader *reader)
{
    for (size_t i = 0; i < reader->anchor_count; i++) {
        json_decref(reader->anchors[i].value);
        free(reader->anchors[i].name);
    }
    free(reader->anchors);
    yaml_parser_delete(&reader->parser);
}

int yaml_to_json(const char *text, size_t length, char **json, struct yaml_error *error)
{
    struct reader reader = {.text = text, .length = length, .error = error};
    char *result = NULL;
    json_t *root;

    *error = (struct yaml_error){.line = 1, .column = 1, .message = "out of memory"};
    if (!yaml_parser_initialize(&reader.parser))
        return -1;
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    root = read_document(&reader);
    if (root && !(result = json_dumps(root, JSON_COMPACT)))
        fail_memory(&reader);
    json_decref(root);
    close_reader(&reader);
    if (!result)
        return -1;
    *json = result;
    return 0;
}
