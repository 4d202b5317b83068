/* SPDX-License-Identifier: Apache-2.0 */
#include "job/keys.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW_BYTES = 64 * 1024 };

/* In front of the keys of one batch. */
struct frame {
    uint64_t first_row; /* of the batch, in its partition */
    uint64_t bytes;     /* of the records that follow */
};

/* A record: the row in its batch, the size of the key, the key. */
enum { RECORD_HEAD = 5 };

static int32_t spill(struct pex__key_file *keys, struct pex_error *err)
{
    struct pex__spool file = {-1, keys->file_bytes};
    int32_t failed;

    if (keys->name.folder == NULL)
        return 0;
    failed = pex__spool_write(&file, &keys->name, keys->buffer.data, keys->buffer.length, err);
    pex__spool_close(&file);
    if (failed == 0) {
        keys->file_bytes = file.bytes;
        keys->buffer.length = 0;
    }
    return failed;
}

int32_t pex__key_file_add(struct pex__key_file *keys, struct pex_string_view records, size_t count,
                          size_t rows, struct pex_error *err)
{
    struct frame frame = {keys->rows, records.length};

    keys->rows += rows;
    keys->count += count;
    if (count == 0)
        return 0;
    if (pex__buffer_add(&keys->buffer, &frame, sizeof frame) != 0 ||
        pex__buffer_add(&keys->buffer, records.data, records.length) != 0)
        return pex__error_memory(err);
    return keys->buffer.length > keys->memory ? spill(keys, err) : 0;
}

void pex__key_file_free(struct pex__key_file *keys)
{
    pex__buffer_free(&keys->buffer);
    if (keys->file_bytes > 0)
        pex__spool_remove(&keys->name);
    memset(keys, 0, sizeof *keys);
}

void pex__keys_open(struct pex_keys *keys, struct pex__key_file *const *files, size_t count,
                    struct pex__decisions *decisions, const _Atomic int32_t *cancelled)
{
    memset(keys, 0, sizeof *keys);
    keys->files = files;
    keys->file_count = count;
    keys->decisions = decisions;
    keys->cancelled = cancelled;
    keys->fd = -1;
    for (size_t i = 0; i < count; i++) {
        keys->rows += files[i]->rows;
        keys->count += files[i]->count;
    }
}

static void close_file(struct pex_keys *keys)
{
    if (keys->fd >= 0)
        close(keys->fd);
    keys->fd = -1;
}

void pex__keys_close(struct pex_keys *keys)
{
    close_file(keys);
    pex__buffer_free(&keys->window);
    pex__notes_free(&keys->notes);
}

uint64_t pex_keys_rows(const pex_keys *keys)
{
    return keys != NULL ? keys->rows : 0;
}

uint64_t pex_keys_count(const pex_keys *keys)
{
    return keys != NULL ? keys->count : 0;
}

int32_t pex_keys_cancelled(const pex_keys *keys)
{
    return keys != NULL && atomic_load_explicit(keys->cancelled, memory_order_relaxed);
}

uint64_t pex_keys_memory(const pex_keys *keys)
{
    return keys != NULL ? keys->memory : 0;
}

int32_t pex_keys_rewind(pex_keys *keys)
{
    if (keys == NULL)
        return PEX_EINVAL;
    close_file(keys);
    keys->file = 0;
    keys->file_first = keys->offset = keys->frame_row = 0;
    keys->frame_left = keys->window_at = keys->window.length = 0;
    return 0;
}

static uint64_t file_bytes(const struct pex__key_file *file)
{
    return file->file_bytes + file->buffer.length;
}

static int32_t open_file(struct pex_keys *keys)
{
    struct pex_error err;
    char *path;

    if (keys->fd >= 0)
        return 0;
    if (pex__spool_open(&keys->files[keys->file]->name, &keys->fd, &path, &err) != 0)
        return err.code;
    free(path);
    return 0;
}

/* More bytes of the current file behind those in the window. */
static int32_t refill(struct pex_keys *keys)
{
    const struct pex__key_file *file = keys->files[keys->file];
    size_t left = keys->window.length - keys->window_at, room = WINDOW_BYTES;
    int32_t failed;
    ssize_t n;

    if (left > 0)
        memmove(keys->window.data, keys->window.data + keys->window_at, left);
    keys->window_at = 0;
    keys->window.length = left;
    if (pex__buffer_reserve(&keys->window, room) != 0)
        return PEX_ENOMEM;
    if (keys->offset < file->file_bytes) {
        failed = open_file(keys);
        if (failed != 0)
            return failed;
        if (room > file->file_bytes - keys->offset)
            room = (size_t)(file->file_bytes - keys->offset);
        do
            n = pread(keys->fd, keys->window.data + left, room, (off_t)keys->offset);
        while (n < 0 && errno == EINTR);
        if (n <= 0)
            return PEX_EIO;
    } else {
        uint64_t at = keys->offset - file->file_bytes;

        n = (ssize_t)(file->buffer.length - at < room ? file->buffer.length - at : room);
        memcpy(keys->window.data + left, file->buffer.data + at, (size_t)n);
    }
    keys->window.length += (size_t)n;
    keys->offset += (uint64_t)n;
    return 0;
}

/* The next n bytes of the current file, or NULL with *failed set. */
static const char *take(struct pex_keys *keys, size_t n, int32_t *failed)
{
    const char *at;

    while (keys->window.length - keys->window_at < n) {
        if (keys->offset >= file_bytes(keys->files[keys->file]))
            *failed = PEX_EIO;
        else
            *failed = refill(keys);
        if (*failed != 0)
            return NULL;
    }
    at = keys->window.data + keys->window_at;
    keys->window_at += n;
    return at;
}

static int at_file_end(const struct pex_keys *keys)
{
    return keys->window_at == keys->window.length &&
           keys->offset >= file_bytes(keys->files[keys->file]);
}

/* To the next frame with records; PEX_ENOENT behind the last. */
static int32_t next_frame(struct pex_keys *keys)
{
    struct frame frame;
    const char *head;
    int32_t failed = 0;

    while (keys->file < keys->file_count && at_file_end(keys)) {
        keys->file_first += keys->files[keys->file]->rows;
        close_file(keys);
        keys->file++;
        keys->offset = keys->window_at = keys->window.length = 0;
    }
    if (keys->file == keys->file_count)
        return PEX_ENOENT;
    head = take(keys, sizeof frame, &failed);
    if (head == NULL)
        return failed;
    memcpy(&frame, head, sizeof frame);
    keys->frame_row = keys->file_first + frame.first_row;
    keys->frame_left = (size_t)frame.bytes;
    return 0;
}

int32_t pex_keys_next(pex_keys *keys, struct pex_key *key)
{
    const char *at;
    uint32_t row;
    int32_t failed = 0;
    size_t size;

    if (keys == NULL || key == NULL)
        return PEX_EINVAL;
    while (keys->frame_left == 0) {
        failed = next_frame(keys);
        if (failed != 0)
            return failed;
    }
    at = take(keys, RECORD_HEAD, &failed);
    if (at == NULL)
        return failed;
    memcpy(&row, at, sizeof row);
    size = (unsigned char)at[sizeof row];
    at = take(keys, size, &failed);
    if (at == NULL)
        return failed;
    keys->frame_left -= RECORD_HEAD + size;
    key->row = keys->frame_row + row;
    key->data = at;
    key->size = size;
    return 0;
}

int32_t pex_keys_tell(pex_keys *keys, const void *data, size_t size)
{
    if (keys == NULL || (data == NULL && size > 0))
        return PEX_EINVAL;
    return pex__decisions_tell(keys->decisions, (struct pex_string_view){data, size});
}

int32_t pex_keys_decide(pex_keys *keys, uint64_t row, uint32_t count)
{
    if (keys == NULL || row >= keys->rows)
        return PEX_EINVAL;
    return pex__decisions_set(keys->decisions, row, count);
}
