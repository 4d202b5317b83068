/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of one row's JSON text. This is the definition of what a set and a removal do; the faster
 * ways elsewhere must give the same bytes.
 *
 * A row that is changed is taken apart into the object without its stats, and the stats; put
 * together again the stats are its last field. A set replaces the value of the last field with this
 * key and drops the others; where there is none it appends one, behind the last field. Parents that
 * are missing, or are no objects, are made. A removal takes all fields with this key. A field that
 * goes takes along the comma in front of it, or, if it is the first, what is between it and the
 * next.
 */
#ifndef PEX_DATA_EDIT_H
#define PEX_DATA_EDIT_H

#include "base/buffer.h"

/* A new value. */
enum {
    PEX__NEW_STRING,
    PEX__NEW_INT64,
    PEX__NEW_DOUBLE,
    PEX__NEW_BOOL,
    PEX__NEW_JSON,
    PEX__NEW_NONE
};
struct pex__new {
    int32_t kind;
    int is_forced;    /* write it even if it equals the present one */
    const char *text; /* string, not escaped, or JSON */
    size_t length;
    int64_t int64; /* bool, too */
    double float64;
};

/* A row taken apart; memory is reused from row to row. Zeros are valid. */
struct pex__edit {
    struct pex__buffer object;
    struct pex__buffer stats; /* empty: none */
    struct pex__buffer json;  /* the new value as JSON text */
    struct pex__buffer scratch;
};

/* heap: of the buffers. */
void pex__edit_init(struct pex__edit *edit, const struct pex__heap *heap);

int32_t pex__edit_begin(struct pex__edit *edit, const char *row, size_t length);
/* Sets (PEX__NEW_NONE: removes) the field below the keys. *changed (NULL allowed) is set to 1 if
 * the text is another now. Returns 0 or PEX_ENOMEM; the row is unchanged then. */
int32_t pex__edit_apply(struct pex__edit *edit, char *const *keys, size_t depth,
                        const struct pex__new *value, int *changed);
/* Appends the row to out. */
int32_t pex__edit_end(struct pex__edit *edit, int keep_stats, struct pex__buffer *out);
size_t pex__edit_bytes(const struct pex__edit *edit);
void pex__edit_free(struct pex__edit *edit);

/* How often the object has the key. *last_begin, *last_length: the span of its last value. */
size_t pex__edit_count(const char *object, size_t length, const char *key, size_t *last_begin,
                       size_t *last_length);
/* Non-zero if `object` has exactly one field at the end of the keys, and one of each parent. */
int pex__edit_is_unique(const char *object, size_t length, char *const *keys, size_t depth);
/* Non-zero if the stats are the object's last field, not the only one, and there once. *begin,
 * *end: what goes if they are removed. */
int pex__edit_stats_last(const char *object, size_t length, size_t *begin, size_t *end);
/* Where appended fields go: behind the last field, or behind the brace; *is_empty says which. */
size_t pex__edit_insertion(const char *object, size_t length, int *is_empty);

/* Appends the value as JSON text. */
int32_t pex__new_print(const struct pex__new *value, struct pex__buffer *out);
/* Non-zero if the JSON text is what an accessor would read as the new value. */
int pex__new_equals(const struct pex__new *value, const char *json, size_t length);

#endif
