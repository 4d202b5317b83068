/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of this plugin, one file each. */
#ifndef OPERATORS_H
#define OPERATORS_H

/* Before the first header of the library: its functions then come from the host's table. */
#define PEX_PLUGIN_BUILD
#include <partexec/plugin.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern const struct pex_operator mask_digits_mapper;
extern const struct pex_operator values_filter;

/* What all instances of mask_digits_mapper in one context share: its `user`. */
struct tally;
struct tally *tally_new(void);
void tally_free(void *tally);

#endif
