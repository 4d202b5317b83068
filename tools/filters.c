/* SPDX-License-Identifier: Apache-2.0 */
#include "filters.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An entry of `process` beside the table of its operator. */
struct entry {
    const json_t *given; /* NULL: no parameters */
    const json_t *table;
};

static char *copy(const char *text)
{
    return tool_format("%s", text);
}

/* The value under a key path of the spec, or NULL. */
static json_t *spec_value(const pex_spec *spec, const char *path)
{
    json_t *value;
    char *json;

    if (pex_spec_get(spec, path, &json))
        return NULL;
    value = json_loads(json, JSON_DECODE_ANY, NULL);
    pex_free(json);
    return value;
}

static json_t *operator_table(pex_context *ctx, const char *name)
{
    json_t *list, *table;
    char *json;

    if (pex_operators_describe(ctx, name, &json, NULL))
        return NULL;
    list = json_loads(json, 0, NULL);
    pex_free(json);
    table = json_incref(json_array_get(list, 0));
    json_decref(list);
    return table;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static const json_t *find_param(const struct entry *entry, const char *name)
{
    const json_t *params = json_object_get(entry->table, "params");

    for (size_t i = 0; i < json_array_size(params); i++) {
        const json_t *param = json_array_get(params, i);

        if (strcmp(text_of(param, "name"), name) == 0)
            return param;
    }
    return NULL;
}

/* A parameter's value: given, else its default. */
static const json_t *param_value(const struct entry *entry, const char *name)
{
    const json_t *given = json_object_get(entry->given, name);

    return given ? given : json_object_get(find_param(entry, name), "default");
}

static int is_number_type(const json_t *param)
{
    const char *type = text_of(param, "type");

    return strcmp(type, "integer") == 0 || strcmp(type, "number") == 0 || strcmp(type, "json") == 0;
}

/* A bound at the end of 64 bits bounds nothing. */
static double bound_of(const struct entry *entry, const char *name, double none)
{
    const json_t *value = param_value(entry, name);
    double number = json_number_value(value);

    return json_is_number(value) && fabs(number) < 9.2e18 ? number : none;
}

static int is_true(const struct entry *entry, const char *name, int otherwise)
{
    const json_t *value = param_value(entry, name);

    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

/* The first pair of numbers min_X and max_X. */
static void read_bounds(struct bounds *bounds, const struct entry *entry)
{
    const json_t *params = json_object_get(entry->table, "params");

    for (size_t i = 0; i < json_array_size(params) && !bounds->min_name; i++) {
        const char *name = text_of(json_array_get(params, i), "name");
        char *other;

        if (strncmp(name, "min_", 4) != 0 || !is_number_type(json_array_get(params, i)))
            continue;
        other = tool_format("max_%s", name + 4);
        if (is_number_type(find_param(entry, other))) {
            bounds->min_name = copy(name);
            bounds->max_name = copy(other);
        }
        free(other);
    }
    if (!bounds->min_name)
        return;
    bounds->min = bound_of(entry, bounds->min_name, -INFINITY);
    bounds->max = bound_of(entry, bounds->max_name, INFINITY);
    bounds->is_reversed = is_true(entry, "reversed_range", 0);
    bounds->min_is_closed = is_true(entry, "min_closed_interval", 1);
    bounds->max_is_closed = is_true(entry, "max_closed_interval", 1);
}

static int is_written_stat(const json_t *field)
{
    const json_t *access = json_object_get(field, "access");
    int is_written = 0;

    for (size_t i = 0; i < json_array_size(access); i++) {
        const char *way = json_string_value(json_array_get(access, i));

        is_written |= way && strcmp(way, "write") == 0;
    }
    return is_written && strcmp(text_of(field, "kind"), "stat") == 0;
}

/* The key of a field: literal, or what its parameter says. */
static const char *field_key(const struct entry *entry, const json_t *field)
{
    const char *name = json_string_value(json_object_get(field, "name"));

    return name ? name : json_string_value(param_value(entry, text_of(field, "param")));
}

static void add_stat(struct chain *chain, struct link *link, const char *key)
{
    size_t at = 0;

    while (at < chain->stat_count && strcmp(chain->stats[at], key) != 0)
        at++;
    if (at == chain->stat_count) {
        chain->stats = tool_realloc(chain->stats, (at + 1) * sizeof(*chain->stats));
        chain->stats[chain->stat_count++] = copy(key);
    }
    link->stats = tool_realloc(link->stats, (link->stat_count + 1) * sizeof(*link->stats));
    link->stats[link->stat_count++] = at;
}

static void read_stats(struct chain *chain, struct link *link, const struct entry *entry)
{
    const json_t *fields = json_object_get(entry->table, "fields");

    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *field = json_array_get(fields, i);
        const char *key = field_key(entry, field);

        if (is_written_stat(field) && key && *key)
            add_stat(chain, link, key);
    }
}

/* `process` has an entry as "name", or as {name: parameters}. */
static void read_link(struct chain *chain, struct link *link, pex_context *ctx, const json_t *item)
{
    void *first = json_object_iter((json_t *)item);
    const char *name = json_is_string(item) ? json_string_value(item) : json_object_iter_key(first);
    json_t *table = operator_table(ctx, name);
    struct entry entry = {first ? json_object_iter_value(first) : NULL, table};

    link->name = copy(name);
    link->cardinality = copy(text_of(table, "cardinality"));
    if (link_is_filter(link)) {
        read_bounds(&link->bounds, &entry);
        read_stats(chain, link, &entry);
    }
    json_decref(table);
}

void chain_read(struct chain *chain, pex_context *ctx, const pex_spec *spec)
{
    json_t *process = spec_value(spec, "process");

    *chain = (struct chain){.link_count = json_array_size(process)};
    if (chain->link_count) {
        chain->links = tool_realloc(NULL, chain->link_count * sizeof(*chain->links));
        memset(chain->links, 0, chain->link_count * sizeof(*chain->links));
    }
    for (size_t i = 0; i < chain->link_count; i++)
        read_link(chain, &chain->links[i], ctx, json_array_get(process, i));
    json_decref(process);
}

void chain_free(struct chain *chain)
{
    for (size_t i = 0; i < chain->link_count; i++) {
        free(chain->links[i].name);
        free(chain->links[i].cardinality);
        free(chain->links[i].stats);
        free(chain->links[i].bounds.min_name);
        free(chain->links[i].bounds.max_name);
    }
    for (size_t i = 0; i < chain->stat_count; i++)
        free(chain->stats[i]);
    free(chain->links);
    free(chain->stats);
}

int link_is_filter(const struct link *link)
{
    return strcmp(link->cardinality, "filter") == 0;
}

int link_is_left_out(const struct link *link)
{
    return strcmp(link->cardinality, "global") == 0;
}
