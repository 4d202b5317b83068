/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of words per language, from the JSON files of a folder whose names hold a certain word:
 * {"en": ["a", ..], ..}. What several files say of a language comes together. The language "all" is
 * that of all languages, unless a file has one of this name.
 */
#ifndef PEX_TEXT_WORD_LIST_H
#define PEX_TEXT_WORD_LIST_H

#include <partexec/plugin.h>

#include <stdbool.h>

struct pex__word_list;

/*
 * Reads the list of `language`. kind: the word in the names of the files, and in the parameter that
 * holds the folder, KIND_dir. Returns 0 and *list, or a code with a text in err that names the
 * parameter.
 */
int32_t pex__word_list_read(const char *kind, struct pex_string_view folder,
                            struct pex_string_view language, struct pex__word_list **list,
                            struct pex_error *err);
void pex__word_list_free(struct pex__word_list *list);

bool pex__word_list_has(const struct pex__word_list *list, const char *word, size_t length);
/* Bytes of the longest word. */
size_t pex__word_list_longest(const struct pex__word_list *list);

#endif
