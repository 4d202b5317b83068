/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the engine's life share: a folder with rows, specs, a gate, and counting. */
#ifndef PEX_TESTS_JOB_HOST_H
#define PEX_TESTS_JOB_HOST_H

#include <partexec/partexec.h>

#include <check.h>
#include <pthread.h>
#include <stdint.h>

/* Paths in a folder of the test's own; it is removed by folder_free. */
struct folder {
    char path[64];
};
void folder_make(struct folder *folder);
void folder_free(struct folder *folder);
/* A path in the folder; one of a few static buffers. */
const char *folder_at(const struct folder *folder, const char *name);
int folder_has(const struct folder *folder, const char *name);

/* Writes NAME with rows {"id": i, "text": "row i ..."} for i from 0; text_bytes more in each. */
void rows_write(const struct folder *folder, const char *name, size_t count, size_t text_bytes);
/* Checks that NAME holds the ids 0 .. count - 1 in order, one row each. */
void rows_check(const struct folder *folder, const char *name, size_t count);
/* The id of the row at *line, which moves on to the next; -1 at the end. */
int64_t rows_next_id(const char **line, const char *end);

/* A context of so many workers with the plugins of the text and the lab operators. */
pex_context *context_make(int32_t workers);
/* rows.jsonl to OUT below the folder; process: a JSON list; more: further members, ", \"k\": v". */
pex_spec *spec_make(const struct folder *folder, const char *out, const char *process,
                    const char *more);
pex_job *job_submit(pex_context *ctx, const pex_spec *spec, const struct pex_job_options *options);
/* Submits a spec of these parts. */
pex_job *job_start(pex_context *ctx, const struct folder *folder, const char *out,
                   const char *process, const char *more);
/* Waits and checks the state. */
void job_expect(pex_job *job, int32_t state);

/*
 * An operator of the host, `gate_mapper`: its calls wait until the gate is open, whatever becomes
 * of the job, and are counted.
 */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_open;
    int inside;
    int calls;
    int released; /* times that the library gave it back */
};
void gate_init(struct gate *gate);
void gate_register(struct gate *gate, pex_context *ctx);
void gate_open(struct gate *gate);
/* Waits until a call is inside. */
void gate_await(struct gate *gate);

/* Numbers that must not grow. */
int count_descriptors(void);
void print_descriptors(void);
int count_threads(void);
size_t count_heap_bytes(void);
size_t resident_bytes(void);

/* What a build with sanitizers divides its rounds by; 1 otherwise. */
size_t test_scale(void);
/* PEX_TEST_SEED, or a new one; printed. */
uint64_t test_seed(void);
uint64_t random_next(uint64_t *state);
void nap_us(uint64_t us);

/* Runs the case as TAP; returns the exit status. */
int run_case(const char *name, TCase *tcase);

#endif
