/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/dispatch: what it costs to take a batch through a chain of operators that do next to
 * nothing. Each side runs the same cell: batches in order through `operators` bodies, finished in
 * order; one operator may have a budget of one call at a time.
 */
#ifndef PEX_BENCH_DISPATCH_H
#define PEX_BENCH_DISPATCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    DISPATCH_THREADS = 2,
    DISPATCH_FLIGHT = 16, /* batches in flight, as many as the engine's window has slots */
    DISPATCH_OPERATORS = 6
};

struct cell {
    double body_us; /* of one batch, over all operators */
    int32_t operators;
    int32_t budgeted; /* index of the operator with a budget of 1; -1: none */
    int32_t parts;    /* active partitions (the engine only) */
    uint64_t batches;
    uint64_t turns; /* of the spin, per operator */
};

/* Burns `turns` steps that the compiler cannot shorten. */
void dispatch_spin(uint64_t turns);
/* Every side calls it once per batch, in the order of the batches; ends the program if it is not.
 */
void dispatch_finish(uint64_t *expected, uint64_t batch);

/* The sides. Each returns when the last batch is finished. */
void bare_run(const struct cell *cell);
void engine_open(void);
void engine_run(const struct cell *cell);
void engine_close(void);
void tbb_open(void);
void tbb_run(const struct cell *cell);
void tbb_close(void);
void uv_run_cell(const struct cell *cell);

/* life.c: create to first row, and destroy; prints percentiles. plugin: NULL or the text operators.
 */
int life_report(const char *plugin, int rounds);

#ifdef __cplusplus
}
#endif

#endif
