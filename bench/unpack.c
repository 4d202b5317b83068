/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading compressed input: unpack FILE.jsonl [ROUNDS]. Makes archives of the file beside it, and
 * measures, in turn in each round: a bare loop of zlib or zstd over the archive, as `gzip -dc` and
 * `zstd -dc` do it, and our stream of slices; the frames of a .zst on one thread and on two. Prints
 * MB of rows per second, medians.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/clock.h"
#include "data/inflow.h"

#include <partexec/dataset.h>

#define ROUNDS_MAX 50
#define BUFFER ((size_t)256 << 10)
#define DECODER ((size_t)8 << 20)
#define PIECE ((size_t)4 << 20) /* of rows in a member or frame */

struct bytes {
    char *data;
    size_t length;
};

static void die(const char *what)
{
    fprintf(stderr, "unpack: %s\n", what);
    exit(1);
}

static struct bytes read_file(const char *path)
{
    struct bytes bytes = {0};
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        die(path);
    fseek(file, 0, SEEK_END);
    bytes.length = (size_t)ftell(file);
    rewind(file);
    bytes.data = malloc(bytes.length);
    if (bytes.data == NULL || fread(bytes.data, 1, bytes.length, file) != bytes.length)
        die(path);
    fclose(file);
    return bytes;
}

static size_t pack_gzip(const char *data, size_t length, char *out, size_t room)
{
    z_stream stream = {0};

    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)length;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        die("deflate");
    deflateEnd(&stream);
    return stream.total_out;
}

/* Pieces of `piece` bytes, each a member or frame. */
static void write_archive(const char *path, const struct bytes *rows, size_t piece, int is_gzip)
{
    size_t room = ZSTD_compressBound(piece) + piece / 8 + 1024, made;
    FILE *file = fopen(path, "wb");
    char *out = malloc(room);

    if (file == NULL || out == NULL)
        die(path);
    for (size_t at = 0; at < rows->length; at += piece) {
        size_t length = rows->length - at < piece ? rows->length - at : piece;

        made = is_gzip ? pack_gzip(rows->data + at, length, out, room)
                       : ZSTD_compress(out, room, rows->data + at, length, 3);
        if (fwrite(out, 1, made, file) != made)
            die(path);
    }
    fclose(file);
    free(out);
}

static size_t bare_gzip(const char *path)
{
    static char in[BUFFER], out[BUFFER];
    FILE *file = fopen(path, "rb");
    z_stream stream = {0};
    size_t sum = 0;

    inflateInit2(&stream, 15 + 16);
    while ((stream.avail_in = (uInt)fread(in, 1, sizeof in, file)) > 0) {
        stream.next_in = (Bytef *)in;
        while (stream.avail_in > 0) {
            stream.next_out = (Bytef *)out;
            stream.avail_out = sizeof out;
            if (inflate(&stream, Z_NO_FLUSH) == Z_STREAM_END)
                inflateReset(&stream);
            sum += sizeof out - stream.avail_out;
        }
    }
    inflateEnd(&stream);
    fclose(file);
    return sum;
}

static size_t bare_zstd(const char *path)
{
    static char in[BUFFER], out[BUFFER];
    ZSTD_DCtx *context = ZSTD_createDCtx();
    FILE *file = fopen(path, "rb");
    size_t sum = 0, length;

    while ((length = fread(in, 1, sizeof in, file)) > 0) {
        ZSTD_inBuffer from = {in, length, 0};

        while (from.pos < from.size) {
            ZSTD_outBuffer to = {out, sizeof out, 0};

            if (ZSTD_isError(ZSTD_decompressStream(context, &to, &from)))
                die("zstd");
            sum += to.pos;
        }
    }
    ZSTD_freeDCtx(context);
    fclose(file);
    return sum;
}

struct part {
    const struct pex__input *input;
    const struct pex__place *cuts;
    size_t bytes;
};

static void *read_part(void *argument)
{
    struct part *part = argument;
    struct pex__reader *reader = NULL;
    struct pex__inflow *stream = NULL;
    struct pex__slice slice = {0};
    struct pex_error err;
    int is_end = 0;

    if (pex__reader_create(&reader) != 0 ||
        pex__inflow_create(part->input, &part->cuts[0], &part->cuts[1], BUFFER, DECODER, &stream))
        die("memory");
    while (!is_end) {
        if (pex__inflow_read(stream, reader, &slice, &is_end, &err) != 0)
            die(err.message);
        part->bytes += slice.length;
    }
    pex__inflow_free(stream);
    pex__reader_free(reader);
    pex__slice_free(&slice);
    return NULL;
}

static size_t read_archive(const char *path, size_t threads)
{
    struct pex__place cuts[9];
    struct part parts[8] = {{0}};
    struct pex__input *input;
    struct pex_error err;
    pthread_t ids[8];
    size_t count, sum = 0;

    if (pex__input_list(&path, 1, PEX_FORMAT_AUTO, NULL, &input, &err) != 0 ||
        pex__input_cut_bytes(input, threads, cuts, &count, &err) != 0)
        die(err.message);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){input, &cuts[i], 0};
        pthread_create(&ids[i], NULL, read_part, &parts[i]);
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(ids[i], NULL);
        sum += parts[i].bytes;
    }
    pex__input_free(input);
    return sum;
}

enum { ONE_GZ, MANY_GZ, ONE_ZST, MANY_ZST, ARCHIVES };
static char paths[ARCHIVES][512];

static size_t zlib_one(void)
{
    return bare_gzip(paths[ONE_GZ]);
}
static size_t ours_one(void)
{
    return read_archive(paths[ONE_GZ], 1);
}
static size_t zlib_many(void)
{
    return bare_gzip(paths[MANY_GZ]);
}
static size_t ours_many(void)
{
    return read_archive(paths[MANY_GZ], 1);
}
static size_t zstd_one(void)
{
    return bare_zstd(paths[ONE_ZST]);
}
static size_t ours_zstd(void)
{
    return read_archive(paths[ONE_ZST], 1);
}
static size_t frames_one(void)
{
    return read_archive(paths[MANY_ZST], 1);
}
static size_t frames_two(void)
{
    return read_archive(paths[MANY_ZST], 2);
}

static const struct {
    const char *name;
    size_t (*run)(void);
} sides[] = {
    {"gzip, one member: zlib loop", zlib_one},
    {"gzip, one member: ours", ours_one},
    {"gzip, members of 4 MiB: zlib loop", zlib_many},
    {"gzip, members of 4 MiB: ours", ours_many},
    {"zstd, one frame: zstd loop", zstd_one},
    {"zstd, one frame: ours", ours_zstd},
    {"zstd, frames of 4 MiB: one thread", frames_one},
    {"zstd, frames of 4 MiB: two threads", frames_two},
};
#define SIDES (sizeof sides / sizeof *sides)

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 9;
    double speed[SIDES][ROUNDS_MAX];
    struct bytes rows;

    if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX)
        die("usage: unpack FILE.jsonl [ROUNDS]");
    rows = read_file(argv[1]);
    for (int i = 0; i < ARCHIVES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s.%s.jsonl.%s", argv[1], i % 2 ? "many" : "one",
                 i < ONE_ZST ? "gz" : "zst");
        write_archive(paths[i], &rows, i % 2 ? PIECE : rows.length, i < ONE_ZST);
    }
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < SIDES; i++) {
            int64_t start = pex__now_ns();

            if (sides[i].run() != rows.length)
                die(sides[i].name);
            speed[i][round] = (double)rows.length * 1e3 / (double)(pex__now_ns() - start);
        }
    }
    for (size_t i = 0; i < SIDES; i++) {
        qsort(speed[i], (size_t)rounds, sizeof **speed, compare);
        printf("%-36s %7.0f MB/s\n", sides[i].name, speed[i][rounds / 2]);
    }
    for (int i = 0; i < ARCHIVES; i++)
        remove(paths[i]);
    return 0;
}
