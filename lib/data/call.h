/* SPDX-License-Identifier: Apache-2.0 */
/* The running call of a batch: checks and lookups that the files call* share. */
#ifndef PEX_DATA_CALL_H
#define PEX_DATA_CALL_H

#include "data/column.h"

#include <partexec/operator.h>

void pex__call_free(struct pex_batch *call);
/* Ends the call; what it has changed is forgotten. */
void pex__call_reset(struct pex_batch *call);

/* Scratch memory of the call. */
static inline void *pex__call_array(struct pex_batch *call, size_t count, size_t size)
{
    return pex__arena_array(&call->batch->pool, &call->scratch, count, size);
}

/* The column of an operator's field, or -1. */
static inline int32_t pex__call_column(const struct pex_batch *call, int32_t field)
{
    if (call->site == NULL || field < 0 || (size_t)field >= call->site->field_count)
        return -1;
    return call->site->columns[field];
}

/* The live row behind a row or child of the call. */
static inline size_t pex__call_row(const struct pex_batch *call, size_t row)
{
    return call->first + (row < call->count ? row : call->children[row - call->count]);
}

static inline int pex__call_has_row(const struct pex_batch *call, size_t row)
{
    return call->site != NULL && row < call->count + call->child_count;
}

/* call_join.c: what the public functions do for a call on several batches. _at finds the part with
 * the row, or child, and the row in it; SIZE_MAX: there is no such row. */
struct pex_batch *pex__joint_at(struct pex__joint *joint, size_t *row);
struct pex_batch *
pex__joint_last(struct pex__joint *joint); /* the part of the last row asked for */
int32_t pex__joint_append(struct pex__joint *joint, size_t row, size_t *child);
typedef int32_t (*pex__read_part)(struct pex_batch *part, int32_t field, int accessor,
                                  struct pex__read *result);
/* Puts the arrays that read_part gives for each part together, as those of the joint. */
int32_t pex__joint_read(struct pex__joint *joint, pex__read_part read_part, int32_t field,
                        int accessor, size_t size);
int32_t pex__joint_row_ids(struct pex__joint *joint, const struct pex_row_id **ids);
pex_batch *pex__joint_first(struct pex__joint *joint);
int32_t pex__joint_counts(struct pex__joint *joint, const uint32_t **counts);
void *pex__joint_cache_put(struct pex__joint *joint, int32_t column, const char *key, size_t size);
void *pex__joint_cache_room(struct pex__joint *joint, size_t size);
const void *pex__joint_cache_get(const struct pex__joint *joint, int32_t column, const char *key,
                                 size_t *size);

/* The call of one batch that has this row or child; *row becomes its row there. */
static inline struct pex_batch *pex__call_at(struct pex_batch *call, size_t *row)
{
    return call->joint == NULL ? call : pex__joint_at(call->joint, row);
}

/* Notes a change of a row or child; a value that is there already may be passed over. */
int32_t pex__call_change(struct pex_batch *call, int32_t column, size_t row,
                         const struct pex__new *value);

/*
 * Puts the keys emitted by the call to those of the batch. moves: the `out` rows that the first
 * `in` rows of the window became, or NULL. Room is made by _reserve; _commit cannot fail.
 */
int32_t pex__keys_reserve(struct pex_batch *call);
void pex__keys_commit(struct pex_batch *call, const struct pex__move *moves, size_t in, size_t out);

#endif
