/* SPDX-License-Identifier: Apache-2.0 */
/* The spec: JSON text behind pex_spec, and the table of all keys. */
#ifndef PEX_PLAN_SPEC_H
#define PEX_PLAN_SPEC_H

#include "base/buffer.h"

#include <partexec/job.h>

#include <jansson.h>

struct pex_spec {
    json_t *root; /* an object */
};

/* The classes of keys; the fourth, unknown, is no entry. */
enum {
    PEX__KEY_OURS,    /* means here what it says */
    PEX__KEY_IGNORED, /* the reference's; means nothing here: accepted, listed once in the plan */
    PEX__KEY_REFUSED  /* the reference's; would change the output: refused with the remedy */
};

/* Types that only keys have, beside PEX_PARAM_*. */
enum {
    PEX__KEY_COUNT = 100, /* "auto", or a count of at least 1, also as text */
    PEX__KEY_BYTES,       /* bytes as a number, text with a suffix, or a percentage of memory */
    PEX__KEY_NAME         /* text, or an integer that stands for its decimal text */
};

struct pex__spec_key {
    const char *path; /* "partition.num_of_partitions" */
    int32_t class;
    int32_t type; /* PEX_PARAM_* or PEX__KEY_COUNT, _BYTES, _NAME; ours only */
    const char
        *fallback; /* default as JSON text, or NULL: none; REFUSED: the value that is harmless */
    const char *choices; /* "a|b" or NULL */
    const char *help;    /* meaning; for IGNORED and REFUSED: why, and the remedy */
    double min, max;     /* inclusive, checked only if min < max */
    int32_t later;       /* ours, checked and accepted, without effect in this version */
};

/* A run of keys in the table of a job, from `first` to the next section, or to the last of ours. */
struct pex__spec_section {
    const char *first;
    const char *title;
};

const struct pex__spec_key *pex__spec_keys(size_t *count);
/* The keys that stand beside an operator's own parameters. */
const struct pex__spec_key *pex__operator_keys(size_t *count);
const struct pex__spec_section *pex__spec_sections(size_t *count);
/* The entry with this path, or NULL. */
const struct pex__spec_key *pex__spec_key_find(const struct pex__spec_key *keys, size_t count,
                                               const char *path);

/*
 * Checks every key of the spec but the content of `process`, `dataset` and paths. Errors are added
 * to `errors`, a line each; ignored and later (NULL allowed): get the names of such keys that were
 * given, separated by ", "; ignored ones with the reason. Returns 0, PEX_ESPEC or PEX_ENOMEM.
 */
int32_t pex__spec_check(const pex_spec *spec, struct pex__buffer *errors,
                        struct pex__buffer *ignored, struct pex__buffer *later);

/* Adds "place (why)" to a list of what is ignored. Returns 0 or PEX_ENOMEM. */
int32_t pex__note_ignored(struct pex__buffer *list, const char *place, const char *why);

/* The value given at a dotted path, or NULL: not given, or null. Borrowed. */
const json_t *pex__spec_given(const pex_spec *spec, const char *path);
/* Values of keys that passed pex__spec_check, or their defaults from the table. */
int64_t pex__spec_int64(const pex_spec *spec, const char *path);
double pex__spec_double(const pex_spec *spec, const char *path);
int pex__spec_bool(const pex_spec *spec, const char *path);
const char *pex__spec_text(const pex_spec *spec, const char *path); /* NULL: no default */

/* Adds a printed line and its end to `errors`. Returns PEX_ESPEC, or PEX_ENOMEM. */
int32_t pex__errors_add(struct pex__buffer *errors, const char *format, ...) PEX_PRINTF(2, 3);
/* The graver of two codes: the first that is not 0, but PEX_ENOMEM above all. */
int32_t pex__errors_join(int32_t first, int32_t second);

/* Nearest of `names` to `name` by edit distance, or NULL when none is near. */
const char *pex__nearest(const char *name, const char *const *names, size_t count);
/* Of an operator of Data-Juicer that is not registered: what is missing and the remedy, in words
 * that go on a sentence; or NULL: Data-Juicer has none of this name. */
const char *pex__reference_operator(const char *name);

#endif
