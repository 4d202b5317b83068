/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the plugin, one file each. */
#ifndef PEX_TEXT_OPERATORS_H
#define PEX_TEXT_OPERATORS_H

#include <partexec/plugin.h>

extern const struct pex_operator pex__text_length_filter;
extern const struct pex_operator pex__words_num_filter;
extern const struct pex_operator pex__whitespace_normalization_mapper;
extern const struct pex_operator pex__clean_links_mapper;
extern const struct pex_operator pex__document_deduplicator;

#endif
