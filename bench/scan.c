/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of the scanner and the text kernels, one thread, MB/s of CPU time, the best of some rounds:
 * bench_scan FILE.jsonl [FIELD]. Rows are scanned in slices of 256 KiB, `text` being wanted.
 */
#include "data/isa.h"
#include "data/scan.h"
#include "data/text.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 7
#define SLICE ((size_t)256 << 10)
#define FILE_MAX ((size_t)256 << 20)

struct bench {
    char *data;
    size_t length;
    struct pex__paths *paths;
    struct pex__rows rows;
    char *decoded, *escaped;
    int64_t scan_ns, decode_ns, escape_ns;
    size_t text_bytes;
};

/* Decodes all wanted strings of one slice, then escapes what came out. */
static void treat_texts(struct bench *bench, const struct pex__kernels *kernels, const char *slice)
{
    struct pex__column *column = &bench->rows.columns[0];
    int64_t begin = pex__thread_cpu_ns(), middle;
    char *end = bench->decoded;

    for (size_t i = 0; i < bench->rows.count; i++) {
        struct pex__span *span = &column->spans[i];

        if (column->types[i] != PEX__STRING && column->types[i] != PEX__ESCAPED) {
            span->length = 0;
            continue;
        }
        bench->text_bytes += span->length - 2;
        span->length = (uint32_t)kernels->decode(slice + span->begin + 1, span->length - 2, end);
        end += span->length;
    }
    middle = pex__thread_cpu_ns();
    end = bench->decoded;
    for (size_t i = 0; i < bench->rows.count; i++) {
        kernels->escape(end, column->spans[i].length, bench->escaped);
        end += column->spans[i].length;
    }
    bench->escape_ns += pex__thread_cpu_ns() - middle;
    bench->decode_ns += middle - begin;
}

static void run_round(struct bench *bench, struct pex__scan *scan, int with_texts)
{
    size_t begin = 0, end;
    int64_t start;

    while (begin < bench->length) {
        end = bench->length - begin > SLICE ? begin + SLICE : bench->length;
        while (bench->data[end - 1] != '\n')
            end++;
        start = pex__thread_cpu_ns();
        if (pex__rows_reset(&bench->rows, 1) != 0 ||
            pex__scan_slice(scan, bench->paths, bench->data + begin, 0, end - begin, end - begin,
                            &bench->rows) != 0)
            abort();
        bench->scan_ns += pex__thread_cpu_ns() - start;
        if (with_texts)
            treat_texts(bench, pex__isa_kernels(pex__scan_isa(scan)), bench->data + begin);
        begin = end;
    }
}

static void run_isa(struct bench *bench, int32_t isa)
{
    struct pex__scan *scan;
    int64_t best = INT64_MAX;

    if (pex__scan_create(isa, &scan) != 0)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        bench->scan_ns = 0;
        run_round(bench, scan, 0);
        best = bench->scan_ns < best ? bench->scan_ns : best;
    }
    bench->decode_ns = bench->escape_ns = 0;
    bench->text_bytes = 0;
    run_round(bench, scan, 1);
    printf("%-8s scan %6.0f", pex__isa_name(isa), 1e3 * (double)bench->length / (double)best);
    if (bench->text_bytes != 0)
        printf("  decode %6.0f  escape %6.0f",
               1e3 * (double)bench->text_bytes / (double)bench->decode_ns,
               1e3 * (double)bench->text_bytes / (double)bench->escape_ns);
    putchar('\n');
    pex__scan_free(scan);
}

int main(int argc, char **argv)
{
    struct bench bench = {.data = malloc(FILE_MAX + PEX__SCAN_SLACK)};
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    struct pex__path path;

    if (file == NULL || bench.data == NULL ||
        pex__path_parse(argc > 2 ? argv[2] : "text", &path, NULL) != 0) {
        fprintf(stderr, "usage: bench_scan FILE.jsonl [FIELD]\n");
        return 2;
    }
    bench.length = fread(bench.data, 1, FILE_MAX, file);
    while (bench.length > 0 && bench.data[bench.length - 1] != '\n')
        bench.length--;
    bench.decoded = malloc(bench.length + PEX__TEXT_SLACK);
    bench.escaped = malloc(6 * bench.length + PEX__TEXT_SLACK);
    if (bench.decoded == NULL || bench.escaped == NULL ||
        pex__paths_create(&path, 1, &bench.paths) != 0)
        return 1;
    for (int32_t isa = 0; isa < PEX__ISA_COUNT; isa++)
        run_isa(&bench, isa);
    fclose(file);
    pex__rows_free(&bench.rows);
    pex__paths_free(bench.paths);
    pex__path_free(&path);
    free(bench.data);
    free(bench.decoded);
    free(bench.escaped);
    return 0;
}
