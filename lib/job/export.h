/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The export of a job. Rows go into *streams*: one for a file or for shards, one per partition for
 * a folder. A stream cuts rows at row ends, by what is in the rows alone: into files, and into
 * pieces to be compressed. Where the pieces are compressed, they are tasks of any worker, and
 * whoever finishes the first of the queue writes all that are ready: the bytes are the same,
 * whoever did it. Files are `.NAME.ID.partial` beside their place until all are complete.
 */
#ifndef PEX_JOB_EXPORT_H
#define PEX_JOB_EXPORT_H

#include "data/pack.h"
#include "exec/engine.h"
#include "job/spool.h"
#include "plan/export.h"

struct pex_job;
struct pex__export;

/* Rows of a compressed piece: a reader may unpack pieces in parallel, and loses little by it. */
enum { PEX__PIECE_BYTES = 4 * 1024 * 1024 };

/* Output files in the making, one after the other. By one thread at a time. */
struct pex__sink {
    int fd;         /* -1: not open now */
    char *partial;  /* path of the file; NULL: none was made yet */
    uint64_t bytes; /* of all its files */
};

/* A piece on its way from the writer to the file. */
struct pex__piece {
    struct pex__task task; /* first */
    struct pex__piece *next;
    struct pex__stream *stream;
    struct pex__buffer rows, packed;
    uint64_t charged;
    size_t index;  /* of the file it belongs to */
    int is_packed; /* or given up */
};

struct pex__stream {
    struct pex__export *export;
    /* Whoever has the write role, or the store thread. */
    size_t index;       /* of the file that is filled */
    uint64_t row_bytes; /* in it */
    struct pex__piece *filling;
    int has_pieces; /* some were pushed */
    /* Under export->lock. */
    struct pex__piece *first, **end; /* in order */
    size_t count;                    /* pushed, and not yet written */
    int is_draining;                 /* a thread writes what is ready; the sink is its own then */
    /* Whoever drains, or writes when nothing is compressed. */
    struct pex__sink sink;
    size_t sink_index; /* of the sink's file */
};

struct pex__export {
    struct pex_job *job;
    const struct pex__export_form *form;
    char *target; /* of a single file: where it is, behind links; owned */
    struct pex__stream *streams;
    size_t stream_count;
    struct pex__sink stats;
    uint64_t *stats_bytes; /* by partition of a folder: in its spool */
    int has_made_folder;
    size_t file_count; /* published */
    uint64_t bytes;    /* of them */

    pthread_mutex_t lock; /* taken before the engine's, never under it */
    pthread_cond_t moved; /* a piece is packed or written */
    size_t pending, most; /* pieces on their way, and how many may be */
    struct pex__packer **idle;
    size_t idle_count, idle_most;
};

/* Makes the folder and the first file, so that what cannot be written is known before any row. On
 * failure nothing is left but what pex__export_free frees. */
int32_t pex__export_open(struct pex_job *job, struct pex__export **result, struct pex_error *err);
/* The stream that takes the rows of a partition. */
struct pex__stream *pex__export_stream(struct pex__export *export, size_t partition);
/* All rows of a partition were added; what it wrote of stats lies in its spool. Loop thread. */
void pex__export_part_done(struct pex__export *export, size_t partition, uint64_t stats_bytes);
/* Path of output file `index`, to be freed with pex__free. */
char *pex__export_target(const struct pex__export *export, size_t index);
/* Appends a spool of rows, or of stats. Store thread. */
int32_t pex__export_append(struct pex__export *export, const struct pex__spool_name *name,
                           uint64_t bytes, struct pex_error *err);
/* Store thread, or a submit that failed: ends what is on its way, removes what is not published. */
void pex__export_withdraw(struct pex__export *export);
/* NULL is allowed. Published or withdrawn before. */
void pex__export_free(struct pex__export *export);

/* publish.c, store thread: all files complete, flushed, and then under their names. */
int32_t pex__export_publish(struct pex__export *export, struct pex_error *err);

/* stream.c. Takes whole rows, by the thread that has the write role; never waits. */
int32_t pex__stream_add(struct pex__stream *stream, const char *rows, size_t length,
                        struct pex_error *err);
/* Between two writes: nothing stays open that need not. */
int32_t pex__stream_rest(struct pex__stream *stream, struct pex_error *err);
/* All its rows were added: a piece that is not full goes on its way. */
void pex__stream_flush(struct pex__stream *stream);
/* Store thread: waits until there is room for more, and helps. */
void pex__stream_relieve(struct pex__stream *stream);
/* Store thread: all rows were added. A stream without rows gets its one empty file. */
int32_t pex__stream_end(struct pex__stream *stream, struct pex_error *err);
/* Store thread: no other thread knows the stream when it returns. */
void pex__stream_stop(struct pex__stream *stream);

/* sink.c. `.NAME.ID.partial` beside the target, to be freed with pex__free. */
char *pex__partial_path(const char *target, const char *id);
/* Begins a new file for the target; the one before is closed. */
int32_t pex__sink_begin(struct pex__sink *sink, const char *target, const char *id,
                        struct pex_error *err);
int32_t pex__sink_write(struct pex__sink *sink, const char *data, size_t length,
                        struct pex_error *err);
int32_t pex__sink_close(struct pex__sink *sink, struct pex_error *err);

#endif
