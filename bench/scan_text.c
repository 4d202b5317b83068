/* SPDX-License-Identifier: Apache-2.0 */
/* The least that reading a text costs: scan_text FILE prints the MB/s of memchr over it, in memory,
 * for a byte that is not there; the median of some passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PASSES = 9 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    double took[PASSES];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    long size;
    char *text;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) <= 0) {
        fprintf(stderr, "usage: scan_text FILE\n");
        return 2;
    }
    rewind(file);
    text = malloc((size_t)size);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size)
        return 1;
    fclose(file);
    for (int i = 0; i < PASSES; i++) {
        double start = now();

        if (memchr(text, '\0', (size_t)size) != NULL)
            return 1;
        took[i] = now() - start;
    }
    qsort(took, PASSES, sizeof *took, by_value);
    printf("%.0f\n", (double)size / 1e6 / took[PASSES / 2]);
    free(text);
    return 0;
}
