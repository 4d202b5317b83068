/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host for plugins that holds a few rows in memory: each function of struct pex_host in its
 * simplest form. It is what the tests of operators run against, independent of the library.
 */
#ifndef PEX_TEST_HOST_H
#define PEX_TEST_HOST_H

#include <partexec/plugin.h>

#include "json.h"

struct registration {
    struct pex_operator op; /* a plugin keeps what it points to */
    void *user;
    void (*release)(void *user);
};

struct pex_context {
    struct registration entry[64];
    size_t count;
};

struct pex_params {
    struct arena *arena;
    const struct pex_operator *op;
    struct pex_string_view given; /* the object of the request */
};

struct pex_env {
    struct arena *arena;
    void *user;
    uint64_t seed;
    bool is_stat_wanted;
    int64_t charged;
    struct pex_string_view log; /* elements of a JSON array */
};

struct change {
    size_t row; /* rows beyond the batch's own are children */
    int32_t field;
    struct pex_string_view value; /* NULL data: removed */
};

/* Keys in the order in which they were emitted. */
struct emitted_key {
    size_t row;
    size_t size;
    unsigned char data[64];
};
struct emitted_keys {
    struct emitted_key *item;
    size_t count, capacity;
};
void host_keys_add(struct arena *arena, struct emitted_keys *keys, const struct emitted_key *key);

struct pex_batch {
    struct arena *arena;
    const struct pex_operator *op;
    struct pex_string_view *path; /* per field; NULL data: no field */
    struct pex_string_view *row;  /* JSON objects */
    const size_t *index;          /* of the rows in the request */
    size_t count;
    bool is_cancelled;
    const uint32_t *counts;
    struct pex_string_view told; /* in apply */

    struct change *change;
    size_t change_count, change_capacity;
    size_t *child; /* the input row of each child */
    size_t child_count, child_capacity;
    bool *is_dropped;
    int32_t *failure; /* code or 0 */
    struct pex_string_view *message;
    size_t consumed;
    struct emitted_keys keys;
    char *room; /* the last pex_batch_alloc */
};

struct pex_keys {
    struct arena *arena;
    struct emitted_keys emitted;
    size_t at;
    uint64_t row_count;
    uint32_t *counts; /* per row */
    struct pex_string_view told;
    struct pex_string_view notes; /* members of an object */
    uint64_t memory;
};

int32_t host_error_set(struct pex_error *err, int32_t code, const char *format, ...)
    PEX_PRINTF(3, 4);

int32_t host_params_string(const pex_params *params, const char *name,
                           struct pex_string_view *value);

/* Each fills in its part of the table. */
void host_params_install(struct pex_host *host);
void host_batch_install(struct pex_host *host);
void host_env_install(struct pex_host *host);

/* Checks the given parameters against the table as the library does. */
int32_t host_check_params(const struct pex_params *params, struct pex_error *err);

/* Sets up an empty batch for the rows of `row`, with the paths of the operator's fields. */
void host_batch_init(struct pex_batch *batch, const struct pex_params *params,
                     struct pex_string_view *row, const size_t *index, size_t count);
/* The row (an input row, or a child) as the changes of the call leave it. */
struct pex_string_view host_batch_row(struct pex_batch *batch, size_t row);

#endif
