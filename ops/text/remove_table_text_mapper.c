/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper.h"
#include "operators.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

struct table_mapper {
    struct pex__mapper mapper;
    int64_t min_col;
    int64_t max_col;
};

/* A line that is not empty, with all line feeds behind it. */
struct line {
    size_t start;
    size_t end;
    size_t least; /* it can be read as a row of `least` to `most` cells; */
    size_t most;  /* most is 0 if it cannot be one */
    bool can_start;
};

struct lines {
    struct line *line;
    size_t count;
    size_t capacity;
};

static int32_t add_line(struct lines *lines, const struct line *line)
{
    if (lines->count == lines->capacity) {
        size_t capacity = 2 * lines->capacity + 64;
        struct line *grown = realloc(lines->line, capacity * sizeof(*grown));
        if (!grown)
            return PEX_ENOMEM;
        lines->line = grown;
        lines->capacity = capacity;
    }
    lines->line[lines->count++] = *line;
    return 0;
}

/* Between blanks a piece of `length` characters may be cut at bars of its inside, but not at two
 * neighbours. */
struct piece {
    size_t length;
    size_t cuts;
    bool was_cut; /* at the character before the last */
    bool is_bar;  /* the last character is one */
};

static void add_character(struct piece *piece, bool is_bar)
{
    bool is_cut = piece->is_bar && piece->length > 1 && !piece->was_cut;
    piece->cuts += is_cut;
    piece->was_cut = is_cut;
    piece->is_bar = is_bar;
    piece->length++;
}

/* Counts the cells of text[start .. end), which holds no line feed. */
static void count_cells(struct line *line, const char *text, size_t end)
{
    struct piece piece = {0};
    size_t size, least = 1, cuts = 0;
    for (size_t at = line->start; at < end; at += size) {
        uint32_t point = pex__decode(text + at, &size);
        if (point != ' ' && point != '\t') {
            if (pex__unicode_class(point) & PEX__SPACE)
                return;
            add_character(&piece, point == '|');
            continue;
        }
        if (!piece.length)
            return;
        least++;
        cuts += piece.cuts;
        piece = (struct piece){0};
    }
    if (!piece.length)
        return;
    line->least = least;
    line->most = least + cuts + piece.cuts;
}

static int32_t split(struct pex_string_view text, struct lines *lines)
{
    size_t at = 0;
    while (at < text.length && text.data[at] == '\n')
        at++;
    while (at < text.length) {
        struct line line = {.start = at, .can_start = at > 0};
        const char *found = memchr(text.data + at, '\n', text.length - at);
        size_t end = found ? (size_t)(found - text.data) : text.length;
        if (found)
            count_cells(&line, text.data, end);
        while (end < text.length && text.data[end] == '\n')
            end++;
        line.end = at = end;
        if (add_line(lines, &line))
            return PEX_ENOMEM;
    }
    return 0;
}

static bool has_cells(const struct line *line, size_t count)
{
    return line->least <= count && count <= line->most;
}

/* Takes out the tables of `cells` cells a row: two rows or more that follow each other. */
static void remove_tables(struct lines *lines, size_t cells)
{
    size_t kept = 0, end;
    for (size_t i = 0; i < lines->count; i = end) {
        end = i + 1;
        if (lines->line[i].can_start && has_cells(&lines->line[i], cells)) {
            while (end < lines->count && has_cells(&lines->line[end], cells))
                end++;
            if (end - i > 1)
                continue;
        }
        lines->line[kept++] = lines->line[i];
    }
    lines->count = kept;
}

static int32_t put(const struct lines *lines, const struct pex__mapping *at, size_t line_count)
{
    if (lines->count == line_count)
        return 0;
    char *out = pex__map_room(at, at->text.length);
    if (!out)
        return PEX_ENOMEM;
    size_t length = 0;
    while (length < at->text.length && at->text.data[length] == '\n')
        out[length++] = '\n';
    for (size_t i = 0; i < lines->count; i++) {
        size_t size = lines->line[i].end - lines->line[i].start;
        memcpy(out + length, at->text.data + lines->line[i].start, size);
        length += size;
    }
    return pex__map_set(at, out, length);
}

static int32_t map(const struct pex__mapper *mapper, const struct pex__mapping *at)
{
    const struct table_mapper *table = (const struct table_mapper *)(const void *)mapper;
    struct lines lines = {0};
    int32_t rc = split(at->text, &lines);
    if (!rc) {
        size_t count = lines.count;
        for (int64_t cells = table->min_col; cells <= table->max_col; cells++)
            remove_tables(&lines, (size_t)cells);
        rc = put(&lines, at, count);
    }
    free(lines.line);
    return rc;
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct table_mapper *table = calloc(1, sizeof(*table));
    if (!table)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc;
    if (!(rc = pex_params_int64(params, "min_col", &table->min_col)) &&
        !(rc = pex_params_int64(params, "max_col", &table->max_col)))
        rc = pex__mapper_init(&table->mapper, params, err);
    if (rc) {
        free(table);
        return rc;
    }
    *instance = table;
    return 0;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__map_rows(instance, batch, map);
}

static const struct pex_param_def params[] = {
    PEX__TEXT_KEY_PARAM,
    {.name = "min_col",
     .default_json = "2",
     .help = "Fewest cells of a row.",
     .type = PEX_PARAM_INT64,
     .min = 2,
     .max = 20},
    {.name = "max_col",
     .default_json = "20",
     .help = "Most cells of a row.",
     .type = PEX_PARAM_INT64,
     .min = 2,
     .max = 20},
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__remove_table_text_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "remove_table_text_mapper",
    .version = "1",
    .help = "Removes tables: lines that follow each other and have the same number of cells.",
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
