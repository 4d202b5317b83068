/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what a scanner finds: scan_dump ISA PATH.. < LINES. A line of output for each line that is
 * not blank: "bad REASON OFFSET", or "row" and for each path a type and the value in hex, strings
 * decoded.
 */
#include "data/scan.h"
#include "data/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(size_t *length)
{
    size_t capacity = 1 << 20, got;
    char *data = malloc(capacity + PEX__SCAN_SLACK + 1);

    *length = 0;
    while (data != NULL && (got = fread(data + *length, 1, capacity - *length, stdin)) != 0) {
        *length += got;
        if (*length == capacity)
            data = realloc(data, (capacity *= 2) + PEX__SCAN_SLACK + 1);
    }
    return data;
}

static void print_hex(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        printf("%02x", (unsigned char)text[i]);
}

static void print_value(const char *data, struct pex__span span, uint8_t type)
{
    char *decoded;

    printf(" %d:", type);
    if (type != PEX__STRING && type != PEX__ESCAPED) {
        print_hex(data + span.begin, span.length);
        return;
    }
    decoded = malloc(span.length + PEX__TEXT_SLACK);
    if (decoded == NULL)
        exit(1);
    print_hex(decoded, pex__text_decode(data + span.begin + 1, span.length - 2, decoded));
    free(decoded);
}

static void print_rows(const char *data, const struct pex__rows *rows)
{
    size_t bad = 0;

    for (size_t row = 0; row <= rows->count; row++) {
        for (; bad < rows->bad_count && rows->bad[bad].before == row; bad++)
            printf("bad %d %u\n", (int)rows->bad[bad].reason,
                   (unsigned)(rows->bad[bad].at - rows->bad[bad].line.begin));
        if (row == rows->count)
            break;
        fputs("row", stdout);
        for (size_t i = 0; i < rows->column_count; i++)
            print_value(data, rows->columns[i].spans[row], rows->columns[i].types[row]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    size_t length, count = argc > 2 ? (size_t)argc - 2 : 0;
    struct pex__path paths[16];
    struct pex__rows rows = {0};
    struct pex__paths *set;
    struct pex__scan *scan;
    char *data;
    int32_t isa = 0;

    while (argc >= 2 && isa < PEX__ISA_COUNT && strcmp(argv[1], pex__isa_name(isa)) != 0)
        isa++;
    if (pex__scan_create(isa, &scan) != 0)
        return 77;
    data = read_all(&length);
    if (data == NULL || count > 16)
        return 2;
    for (size_t i = 0; i < count; i++)
        if (pex__path_parse(argv[i + 2], &paths[i], NULL) != 0)
            return 2;
    if (pex__paths_create(paths, count, &set) != 0 || pex__rows_reset(&rows, count) != 0)
        return 2;
    if (length == 0 || data[length - 1] != '\n')
        data[length++] = '\n';
    memset(data + length, 0, PEX__SCAN_SLACK);
    if (pex__scan_slice(scan, set, data, 0, length, length, &rows) != 0)
        return 2;
    print_rows(data, &rows);
    pex__rows_free(&rows);
    pex__scan_free(scan);
    pex__paths_free(set);
    for (size_t i = 0; i < count; i++)
        pex__path_free(&paths[i]);
    free(data);
    return 0;
}
