/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "job/job.h"

#include <string.h>

/* Whole rows of the front that fit into `room` bytes. */
static size_t rows_that_fit(const char *rows, size_t length, uint64_t room)
{
    const char *end;

    if (length <= room)
        return length;
    end = memrchr(rows, '\n', (size_t)room);
    return end != NULL ? (size_t)(end + 1 - rows) : 0;
}

static size_t first_row(const char *rows, size_t length)
{
    const char *end = memchr(rows, '\n', length);

    return end != NULL ? (size_t)(end + 1 - rows) : length;
}

/* What the next file, or piece, gets: it takes what fits, and at least a row. 0: it is full. */
static size_t share(const char *rows, size_t length, uint64_t held, uint64_t most)
{
    size_t fitting = rows_that_fit(rows, length, held < most ? most - held : 0);

    return fitting == 0 && held == 0 ? first_row(rows, length) : fitting;
}

static int32_t write_file(struct pex__stream *stream, size_t index, const char *data, size_t length,
                          struct pex_error *err)
{
    struct pex__export *export = stream->export;
    int32_t failed = 0;
    char *target;

    if (stream->sink.partial == NULL || stream->sink_index != index) {
        target = pex__export_target(export, index);
        if (target == NULL)
            return pex__error_memory(err);
        failed = pex__sink_begin(&stream->sink, target, export->job->id, err);
        stream->sink_index = index;
        pex__free(target);
    }
    return failed != 0 ? failed : pex__sink_write(&stream->sink, data, length, err);
}

static void pack_task(struct pex__task *task);

static struct pex__engine *engine_of(const struct pex__export *export)
{
    return export->job->core->engine;
}

/* Under the engine's lock. */
static void charge(struct pex__piece *piece, uint64_t bytes)
{
    struct pex__engine *engine = engine_of(piece->stream->export);

    pex__account_charge(&engine->sched.account, (int64_t)(bytes - piece->charged));
    piece->charged = bytes;
}

/* Under the engine's lock and ours: whether the writers go on. */
static void tell_room(struct pex__export *export)
{
    export->job->run.job.sjob.is_full = export->pending >= export->most;
}

static struct pex__piece *make_piece(struct pex__stream *stream)
{
    struct pex__piece *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    made->task.run = pack_task;
    made->stream = stream;
    made->index = stream->index;
    made->rows.heap = made->packed.heap = engine_of(stream->export)->heap;
    return made;
}

static int32_t fill_piece(struct pex__piece *piece, const char *rows, size_t length)
{
    struct pex__engine *engine = engine_of(piece->stream->export);
    size_t before = piece->rows.capacity;

    if (pex__buffer_add(&piece->rows, rows, length) != 0)
        return PEX_ENOMEM;
    if (piece->rows.capacity == before)
        return 0;
    pex__engine_lock(engine);
    charge(piece, piece->rows.capacity);
    pex__engine_unlock(engine);
    return 0;
}

/* Any worker may pack it now. */
static void push(struct pex__stream *stream)
{
    struct pex__export *export = stream->export;
    struct pex__engine *engine = engine_of(export);
    struct pex__piece *piece = stream->filling;
    size_t bound = pex__pack_bound(export->form->pack, piece->rows.length);

    stream->filling = NULL;
    stream->has_pieces = 1;
    pthread_mutex_lock(&export->lock);
    *stream->end = piece;
    stream->end = &piece->next;
    stream->count++;
    export->pending++;
    pex__engine_lock(engine);
    charge(piece, piece->rows.capacity + bound + PEX__PACKER_BYTES);
    tell_room(export);
    pex__sched_task(&engine->sched, &piece->task);
    pex__engine_unlock(engine);
    pthread_mutex_unlock(&export->lock);
}

/* Gives back what the piece holds, and the piece. Under our lock; not the engine's. */
static void retire(struct pex__piece *piece)
{
    struct pex__export *export = piece->stream->export;
    struct pex__engine *engine = engine_of(export);

    piece->stream->count--;
    export->pending--;
    pex__engine_lock(engine);
    charge(piece, 0);
    tell_room(export);
    pex__engine_unlock(engine);
    pex__buffer_free(&piece->rows);
    pex__buffer_free(&piece->packed);
    pex__free(piece);
}

/* Writes what is ready, in order, unless another thread is at it: that one sees it, too. Under our
 * lock, which it leaves while it writes. */
static void drain(struct pex__stream *stream)
{
    struct pex__export *export = stream->export;
    struct pex__run *run = &export->job->run;
    struct pex__piece *piece;
    struct pex_error err;
    int32_t failed;

    if (stream->is_draining)
        return;
    stream->is_draining = 1;
    while ((piece = stream->first) != NULL && piece->is_packed) {
        stream->first = piece->next;
        if (stream->first == NULL)
            stream->end = &stream->first;
        pthread_mutex_unlock(&export->lock);
        failed = 0;
        if (!pex__run_is_cancelled(run))
            failed =
                write_file(stream, piece->index, piece->packed.data, piece->packed.length, &err);
        if (failed == 0 && export->form->kind == PEX__EXPORT_FOLDER)
            failed = pex__sink_close(&stream->sink, &err);
        if (failed != 0)
            pex__run_fail(run, &err);
        pthread_mutex_lock(&export->lock);
        retire(piece);
    }
    stream->is_draining = 0;
}

static struct pex__packer *take_packer(struct pex__export *export)
{
    struct pex__packer *packer = NULL;

    pthread_mutex_lock(&export->lock);
    if (export->idle_count > 0)
        packer = export->idle[--export->idle_count];
    pthread_mutex_unlock(&export->lock);
    if (packer == NULL && pex__packer_create(export->form->pack, &packer) != 0)
        return NULL;
    return packer;
}

static void give_packer(struct pex__export *export, struct pex__packer *packer)
{
    pthread_mutex_lock(&export->lock);
    if (export->idle_count < export->idle_most) {
        export->idle[export->idle_count++] = packer;
        packer = NULL;
    }
    pthread_mutex_unlock(&export->lock);
    pex__packer_free(packer);
}

static int32_t pack(struct pex__piece *piece)
{
    struct pex__export *export = piece->stream->export;
    struct pex__packer *packer = take_packer(export);
    int32_t failed;

    if (packer == NULL)
        return PEX_ENOMEM;
    failed = pex__pack(packer, piece->rows.data, piece->rows.length, &piece->packed);
    give_packer(export, packer);
    pex__buffer_free(&piece->rows);
    return failed;
}

/* Any thread that has taken the piece's task. */
static void pack_and_drain(struct pex__piece *piece)
{
    struct pex__stream *stream = piece->stream;
    struct pex__export *export = stream->export;
    struct pex__run *run = &export->job->run;
    struct pex_error err;

    if (!pex__run_is_cancelled(run) && pack(piece) != 0) {
        pex__error_memory(&err);
        pex__run_fail(run, &err);
    }
    pthread_mutex_lock(&export->lock);
    piece->is_packed = 1;
    drain(stream);
    pthread_cond_broadcast(&export->moved);
    pthread_mutex_unlock(&export->lock);
}

static void pack_task(struct pex__task *task)
{
    pack_and_drain((struct pex__piece *)(void *)task);
}

/* A piece that no worker has taken, taken from them; NULL: none. Under our lock. */
static struct pex__piece *take_back(struct pex__stream *stream)
{
    struct pex__engine *engine = engine_of(stream->export);
    struct pex__piece *piece;

    pex__engine_lock(engine);
    for (piece = stream->first; piece != NULL; piece = piece->next)
        if (!piece->is_packed && pex__sched_untask(&engine->sched, &piece->task))
            break;
    pex__engine_unlock(engine);
    return piece;
}

/* Until at most `most` pieces are on their way. What it waits for is compression that runs. */
static void help(struct pex__stream *stream, size_t most)
{
    struct pex__export *export = stream->export;
    struct pex__piece *piece;

    pthread_mutex_lock(&export->lock);
    while (stream->count > most || (most == 0 && stream->is_draining)) {
        piece = take_back(stream);
        if (piece == NULL) {
            pthread_cond_wait(&export->moved, &export->lock);
            continue;
        }
        pthread_mutex_unlock(&export->lock);
        pack_and_drain(piece);
        pthread_mutex_lock(&export->lock);
    }
    pthread_mutex_unlock(&export->lock);
}

static int32_t add_to_pieces(struct pex__stream *stream, const char *rows, size_t length,
                             struct pex_error *err)
{
    while (length > 0) {
        size_t held = stream->filling != NULL ? stream->filling->rows.length : 0;
        size_t part = share(rows, length, held, PEX__PIECE_BYTES);

        if (part == 0) {
            push(stream);
            continue;
        }
        if (stream->filling == NULL)
            stream->filling = make_piece(stream);
        if (stream->filling == NULL || fill_piece(stream->filling, rows, part) != 0)
            return pex__error_memory(err);
        rows += part;
        length -= part;
    }
    return 0;
}

static int is_packed(const struct pex__stream *stream)
{
    return stream->export->form->pack != PEX__PACK_NONE;
}

void pex__stream_flush(struct pex__stream *stream)
{
    if (stream->filling != NULL)
        push(stream);
}

static void next_file(struct pex__stream *stream)
{
    pex__stream_flush(stream);
    stream->index++;
    stream->row_bytes = 0;
}

int32_t pex__stream_add(struct pex__stream *stream, const char *rows, size_t length,
                        struct pex_error *err)
{
    uint64_t most = stream->export->form->shard_bytes;
    int32_t failed = 0;

    while (length > 0 && failed == 0) {
        size_t part = most == 0 ? length : share(rows, length, stream->row_bytes, most);

        if (part == 0) {
            next_file(stream);
            continue;
        }
        failed = is_packed(stream) ? add_to_pieces(stream, rows, part, err)
                                   : write_file(stream, stream->index, rows, part, err);
        stream->row_bytes += part;
        rows += part;
        length -= part;
    }
    return failed;
}

int32_t pex__stream_rest(struct pex__stream *stream, struct pex_error *err)
{
    if (is_packed(stream) || stream->export->form->kind != PEX__EXPORT_FOLDER)
        return 0;
    return pex__sink_close(&stream->sink, err);
}

void pex__stream_relieve(struct pex__stream *stream)
{
    if (is_packed(stream))
        help(stream, stream->export->most - 1);
}

/* An empty file is an archive of one empty piece. */
static int32_t end_pieces(struct pex__stream *stream, struct pex_error *err)
{
    if (stream->filling == NULL && !stream->has_pieces) {
        stream->filling = make_piece(stream);
        if (stream->filling == NULL)
            return pex__error_memory(err);
    }
    pex__stream_flush(stream);
    help(stream, 0);
    return pex__run_error(&stream->export->job->run, err);
}

int32_t pex__stream_end(struct pex__stream *stream, struct pex_error *err)
{
    int32_t failed = 0;

    if (is_packed(stream))
        failed = end_pieces(stream, err);
    else if (stream->sink.partial == NULL)
        failed = write_file(stream, stream->index, "", 0, err);
    return failed != 0 ? failed : pex__sink_close(&stream->sink, err);
}

void pex__stream_stop(struct pex__stream *stream)
{
    struct pex__engine *engine = engine_of(stream->export);
    struct pex__piece *filling = stream->filling;
    struct pex_error err;

    help(stream, 0);
    if (filling != NULL) {
        pex__engine_lock(engine);
        charge(filling, 0);
        pex__engine_unlock(engine);
        pex__buffer_free(&filling->rows);
        pex__free(filling);
    }
    stream->filling = NULL;
    pex__sink_close(&stream->sink, &err);
}
