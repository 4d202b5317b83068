/* SPDX-License-Identifier: Apache-2.0 */
#include "job_file.h"
#include "tool.h"
#include "yaml_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { JOB_BYTES_MAX = 64 << 20 };

struct text {
    char *data;
    size_t length;
};

static int read_all(FILE *from, struct text *text)
{
    size_t capacity = 0;

    do {
        if (text->length == capacity) {
            capacity = capacity ? capacity * 2 : 8192;
            text->data = tool_realloc(text->data, capacity);
        }
        text->length += fread(text->data + text->length, 1, capacity - text->length, from);
        if (ferror(from))
            return -1;
    } while (!feof(from) && text->length <= JOB_BYTES_MAX);
    errno = EFBIG;
    return feof(from) ? 0 : -1;
}

static const char *file_problem(int error)
{
    if (error == EISDIR)
        return "is a folder; expected a job file";
    if (error == EFBIG)
        return "is larger than 64 MiB; expected a job file, not its data";
    return strerror(error);
}

static int read_file(const char *path, struct console *console, struct text *text)
{
    int is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    int result = file ? read_all(file, text) : -1;

    if (result)
        console_error(console, "%s: %s", path, file_problem(errno));
    if (file && !is_stdin)
        fclose(file);
    return result;
}

static int has_suffix(const char *path, const char *wanted)
{
    const char *suffix = strrchr(path, '.');

    return suffix && strcmp(suffix, wanted) == 0;
}

static int is_yaml(const char *path)
{
    return has_suffix(path, ".yaml") || has_suffix(path, ".yml");
}

static int parse_yaml(const char *path, struct console *console, const struct text *text,
                      pex_spec **spec)
{
    struct yaml_error place;
    struct pex_error err;
    char *json;
    int32_t code;

    if (yaml_to_json(text->data, text->length, &json, &place)) {
        console_error(console, "%s: line %zu, column %zu: %s", path, place.line, place.column,
                      place.message);
        return TOOL_REFUSED;
    }
    code = pex_spec_parse(json, strlen(json), spec, &err);
    free(json);
    if (code == 0)
        return TOOL_DONE;
    console_error_lines(console, path, err.message);
    return TOOL_REFUSED;
}

static int parse_json(const char *path, struct console *console, const struct text *text,
                      pex_spec **spec)
{
    struct pex_error err;

    if (pex_spec_parse(text->data, text->length, spec, &err) == 0)
        return TOOL_DONE;
    console_error_lines(console, path, err.message);
    if (!has_suffix(path, ".json"))
        console_error(console, "%s: was read as JSON; a job in YAML is a file named .yaml or .yml",
                      path);
    return TOOL_REFUSED;
}

static int apply_set(struct console *console, const char *assignment, pex_spec *spec)
{
    const char *equals = strchr(assignment, '=');
    char *key = tool_format("%.*s", (int)(equals - assignment), assignment);
    struct pex_error err;
    int32_t code = pex_spec_set(spec, key, equals + 1, &err);

    free(key);
    if (code == 0)
        return TOOL_DONE;
    console_error(console, "--set %s: %s", assignment, err.message);
    return TOOL_REFUSED;
}

/* As JSON text, so that a path that looks like a number or a list stays a path. */
static int apply_dataset(struct console *console, const char *path, pex_spec *spec)
{
    json_t *value = json_string(path);
    char *json = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    struct pex_error err = {.message = "the path is not UTF-8, and a job cannot name it"};
    int32_t code = json ? pex_spec_set(spec, "dataset_path", json, &err) : PEX_EINVAL;

    json_decref(value);
    free(json);
    if (code == 0)
        return TOOL_DONE;
    console_error(console, "--dataset %s: %s", path, err.message);
    return TOOL_REFUSED;
}

static int apply_options(const struct options *options, struct console *console, pex_spec *spec)
{
    int result = TOOL_DONE;

    for (size_t i = 0; i < options->sets.count && result == TOOL_DONE; i++)
        result = apply_set(console, options->sets.items[i], spec);
    if (result == TOOL_DONE && options->dataset)
        result = apply_dataset(console, options->dataset, spec);
    return result;
}

int job_file_read(const struct options *options, struct console *console, pex_spec **spec)
{
    const char *path = options->operand;
    struct text text = {0};
    int result = TOOL_REFUSED;

    if (read_file(path, console, &text) == 0)
        result = is_yaml(path) ? parse_yaml(path, console, &text, spec)
                               : parse_json(path, console, &text, spec);
    free(text.data);
    if (result != TOOL_DONE)
        return result;
    result = apply_options(options, console, *spec);
    if (result != TOOL_DONE)
        pex_spec_release(*spec);
    return result;
}
