/* SPDX-License-Identifier: Apache-2.0 */
/* A registry with one operator of each kind, an input of a few rows, and plans made of them. */
#ifndef TESTS_PLAN_SUPPORT_H
#define TESTS_PLAN_SUPPORT_H

#include "plan/plan.h"
#include "plan/spec.h"

#include <check.h>

#define MIB (UINT64_C(1) << 20)

struct fixture {
    struct pex__registry *registry;
    struct pex__machine machine; /* 2 workers, 1 GiB, limit 256 MiB */
    struct pex__input *input;    /* NULL until fixture_rows */
    char folder[64];
    char path[96]; /* folder/in.jsonl */
};

void fixture_open(struct fixture *fixture);
void fixture_close(struct fixture *fixture);
/* Writes `rows` lines of `bytes` each and lists them as the input. */
void fixture_rows(struct fixture *fixture, size_t rows, size_t bytes);

/* The spec with ' for ", which must parse. */
pex_spec *spec_of(const char *json);
/* Plans; the plan must come out. */
struct pex__plan *plan_of(struct fixture *fixture, const char *json, int32_t purpose);
/* Plans; errors must come out: their lines, freed by the caller. *code (NULL allowed) gets the
 * code. */
char *errors_of(struct fixture *fixture, const char *json, int32_t purpose, int32_t *code);
/* Fails unless the errors of the spec (explain) contain each text of a NULL-ended list. */
void assert_errors(struct fixture *fixture, const char *json, ...);
/* Fails unless a notice of the plan contains the text. */
void assert_notice(const struct pex__plan *plan, const char *text);
size_t count_lines(const char *text);

/* Adds an operator to a registry; must succeed. */
void add_operator(struct pex__registry *registry, const struct pex_operator *op);
/* A minimal row-to-row operator. */
struct pex_operator simple_operator(const char *name);
int run_suite(const char *name, TCase *cases);

#endif
