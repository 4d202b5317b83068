/* SPDX-License-Identifier: Apache-2.0 */
/* Errors on their way up: set where the cause is known, prefixed by each level that adds a place.
 */
#ifndef PEX_BASE_ERROR_H
#define PEX_BASE_ERROR_H

#include <partexec/base.h>

/* Puts the printed text and ": " in front of the message, and sets the code: whoever failed may
 * have left it out. err may be NULL. Returns code. */
int32_t pex__error_prefix(struct pex_error *err, int32_t code, const char *text, ...)
    PEX_PRINTF(3, 4);

/* Sets PEX_ENOMEM with a fixed text. Returns PEX_ENOMEM. */
int32_t pex__error_memory(struct pex_error *err);

/* Sets PEX_EIO (PEX_ENOENT for a missing file) with "WHAT PATH: system's text". Returns the code.
 */
int32_t pex__error_system(struct pex_error *err, const char *what, const char *path,
                          int system_errno);

#endif
