/* SPDX-License-Identifier: Apache-2.0 */
/* Chinese from one script to another: OpenCC, or a build without it. */
#ifndef PEX_TEXT_CHINESE_H
#define PEX_TEXT_CHINESE_H

#include "bytes.h"

#include <partexec/plugin.h>

struct pex__chinese;

/* 0, or PEX_ENOTSUP: this build cannot do it. */
int32_t pex__chinese_check(struct pex_error *err);

/* mode: as s2t. Codes: PEX_EIO (no dictionary), PEX_ENOMEM, PEX_ENOTSUP. */
int32_t pex__chinese_open(struct pex_string_view mode, struct pex__chinese **chinese,
                          struct pex_error *err);
/* Appends the text in its other form. One thread at a time. PEX_EDATA, PEX_ENOMEM. */
int32_t pex__chinese_convert(struct pex__chinese *chinese, struct pex_string_view text,
                             struct pex__bytes *out);
/* NULL is allowed. */
void pex__chinese_close(struct pex__chinese *chinese);

#endif
