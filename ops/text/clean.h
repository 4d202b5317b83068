/* SPDX-License-Identifier: Apache-2.0 */
/* The mappers that replace what a pattern finds, with a scanner in place of the default pattern. */
#ifndef PEX_TEXT_CLEAN_H
#define PEX_TEXT_CLEAN_H

#include "replace.h"

#define PEX__CLEAN_PARAMS(what, groups)                                                            \
    PEX__TEXT_KEY_PARAM,                                                                           \
        {.name = "pattern",                                                                        \
         .default_json = "null",                                                                   \
         .help = "A pattern in Python's syntax; null: the built-in definition of " what ".",       \
         .type = PEX_PARAM_STRING,                                                                 \
         .flags = PEX_PARAM_NULLABLE},                                                             \
    {                                                                                              \
        .name = "repl", .default_json = "\"\"",                                                    \
        .help = "What replaces " what "; \\g<0> in it is what was found" groups ".",               \
        .type = PEX_PARAM_STRING                                                                   \
    }

/* For the tables of the operators; create of an operator adds its scanner. */
int32_t pex__clean_create(const struct pex__scanner *scanner, pex_env *env,
                          const pex_params *params, void **instance, struct pex_error *err);
int32_t pex__clean_process(void *instance, pex_batch *batch, struct pex_error *err);
void pex__clean_destroy(void *instance);
int32_t pex__clean_check(const pex_params *params, struct pex_error *err);

#endif
