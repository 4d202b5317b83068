/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the places at which rows (lines that are not blank, text files) begin. */
#ifndef PEX_DATA_CUT_WALK_H
#define PEX_DATA_CUT_WALK_H

#include "data/decode.h"
#include "data/reader.h"

struct pex__walk {
    const struct pex__input *input;
    struct pex__open_source open;
    struct pex__decoder *decoder; /* of compressed sources; made when needed */
    char *buffer;                 /* the bytes of the source in front of `next` */
    size_t at;
    size_t fill;
    size_t chunk;
    size_t source; /* the one that is walked over; source_count at the end */
    uint64_t next; /* offset in it of what is read next */
    uint64_t line; /* offset in it of the line that `at` is in */
    int in_row;    /* the line is known not to be blank, or began before the walk */
    /* Compressed: where to decode from, for the buffer and for the line, as in pex__place. */
    uint64_t from_at, from_base, line_at, line_base;
    int is_entered;            /* the decoder stands in the source */
    struct pex__frames frames; /* of the zstd source that was looked at last */
};

int32_t pex__walk_begin(struct pex__walk *walk, const struct pex__input *input,
                        struct pex_error *err);
void pex__walk_end(struct pex__walk *walk);
/* Goes to the first row at or behind the global offset at which a partition may begin: not inside a
 * compressed source, but behind the first LF of a frame of zstd. Offsets must ascend. */
int32_t pex__walk_seek(struct pex__walk *walk, uint64_t offset, struct pex_error *err);
/* Sets *row to the next row. Returns 0 at the end, which *row is then. */
int32_t pex__walk_next(struct pex__walk *walk, struct pex__place *row, struct pex_error *err);

static inline int pex__place_is_end(const struct pex__place *place, const struct pex__input *input)
{
    return place->source == input->source_count;
}

#endif
