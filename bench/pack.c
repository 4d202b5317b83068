/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer of packed output: one thread, one library, pieces of 4 MiB of a file that is in memory.
 *
 *     pack gz|zst FILE          prints bytes, packed bytes and seconds
 */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

enum { PIECE_BYTES = 4 * 1024 * 1024, GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };

static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long size;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
        return NULL;
    rewind(file);
    data = malloc((size_t)size + 1);
    *length = data != NULL ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    return data;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int is_gzip = argc == 3 && strcmp(argv[1], "gz") == 0;
    struct libdeflate_compressor *gzip = libdeflate_alloc_compressor(GZIP_LEVEL);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(PIECE_BYTES) + PIECE_BYTES / 8, length = 0, packed = 0;
    char *data = argc == 3 ? read_all(argv[2], &length) : NULL, *out = malloc(room);
    double start = now();

    if (data == NULL || out == NULL || gzip == NULL || zstd == NULL) {
        fprintf(stderr, "usage: pack gz|zst FILE\n");
        return 2;
    }
    for (size_t at = 0; at < length; at += PIECE_BYTES) {
        size_t piece = length - at < PIECE_BYTES ? length - at : PIECE_BYTES;

        packed += is_gzip ? libdeflate_gzip_compress(gzip, data + at, piece, out, room)
                          : ZSTD_compressCCtx(zstd, out, room, data + at, piece, ZSTD_LEVEL);
    }
    printf("%zu %zu %.6f\n", length, packed, now() - start);
    return 0;
}
