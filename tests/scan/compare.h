/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the fast scanners and text kernels against the plain ones on any bytes. */
#ifndef PEX_TESTS_SCAN_COMPARE_H
#define PEX_TESTS_SCAN_COMPARE_H

#include "data/path.h"

#include <stddef.h>

/* Wanted fields that occur in the tests' rows; to be freed with pex__paths_free. */
struct pex__paths *compare_paths(void);

/* Takes `text` as a slice (an LF is added where the last line lacks one). Returns NULL if all
 * agree, else a text that says who differs where; it lives until the next call. */
const char *compare_scanners(const struct pex__paths *paths, const char *text, size_t length);

/* The same for the text kernels; `text` are any bytes. */
const char *compare_texts(const char *text, size_t length);

#endif
